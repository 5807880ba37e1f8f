"""Clients: a recipe is timed, and an interrupted run continues where it stopped."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.clients import __main__ as runner
from benchmarks.clients.judge import timed
from hanabako.agents.results.store import read_results

OUTCOME = {"steps": 100, "seconds": 2.0}
STEPPING = """
from hanabi_env import HanabiVectorEnv, hanabi_v0

envs, env = HanabiVectorEnv(4, preset="mini", seed=1), hanabi_v0.raw_env(preset="mini")
observations, infos = envs.reset()
env.reset(seed=1)
for _ in range(3):
    observations, *_ = envs.step(observations["action_mask"].argmax(axis=1))
    env.step(int(env.last()[0]["action_mask"].argmax()))
"""


def test_a_recipe_is_timed_from_the_end_of_its_first_step(tmp_path: Path):
    (tmp_path / "recipe.py").write_text(STEPPING, encoding="utf-8")
    found = timed(tmp_path / "recipe.py")
    assert found["steps"] == 2 * 4 + 3 and found["seconds"] > 0
    (tmp_path / "idle.py").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=r"idle\.py makes no decision in this process"):
        timed(tmp_path / "idle.py")


def test_every_client_has_its_recipes():
    for client in runner.CLIENTS.values():
        assert all((runner.RECIPES / f"{recipe}.py").is_file() for recipe in client.recipes)


def test_pins_hold_what_their_client_and_this_project_ask_for():
    project = tomllib.loads((runner.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[^\w-]", requirement)[0] for requirement in project["dependencies"]}
    for path in runner.PINS.glob("*.txt"):
        pinned = {re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in path.read_text("utf-8").splitlines()}
        assert needed.union(runner.CLIENTS[path.stem].asked) <= pinned
        assert "hanabako" not in pinned and "+" not in path.read_text(encoding="utf-8")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The recipes that were run; nothing is installed, and ``sb3_vector`` fails."""
    started: list[str] = []

    def finished(command: list[str], cwd: Path | None = None) -> str:
        started.append(Path(command[-1]).stem)
        if started[-1] == "sb3_vector":
            raise subprocess.CalledProcessError(1, command, "", "Traceback\nValueError: no")
        return f"some words\n{json.dumps(OUTCOME)}\n"

    monkeypatch.setattr(runner, "built", lambda _: Path("wheel"))
    monkeypatch.setattr(runner, "installed", lambda *_: Path("python"))
    monkeypatch.setattr(runner, "versions", lambda *_: {"python": "3"})
    monkeypatch.setattr(runner, "finished", finished)
    return started


def test_a_run_goes_on_where_it_was(runs: list[str], tmp_path: Path):
    out = tmp_path / "clients.json"
    runner.main(runner.Args(clients=("sb3",), out=out))
    assert runs == ["maskable_ppo", "sb3_seats", "sb3_vector"]
    rows: list[dict[str, Any]] = read_results(out)
    assert rows[0]["steps"] == 100 and rows[0]["seconds"] == 2.0
    assert rows[2]["failed"].endswith("ValueError: no") and "steps" not in rows[2]
    runner.main(runner.Args(out=out))  # all others; this one is done
    assert "sb3_seats" not in runs[3:] and "rllib_ppo" in runs
    assert [row["client"] for row in read_results(out)] == [
        name for name, client in runner.CLIENTS.items() for _ in client.recipes
    ]
    runner.main(runner.Args(clients=("sb3",), out=out))  # again, in the same place
    assert len(read_results(out)) == sum(len(client.recipes) for client in runner.CLIENTS.values())


def test_what_cannot_be_installed_is_written_down(runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: Any) -> Path:
        raise subprocess.CalledProcessError(1, "pip", "", "no such version")

    monkeypatch.setattr(runner, "installed", refused)
    runner.main(runner.Args(clients=("rllib",), out=tmp_path / "clients.json"))
    (row,) = read_results(tmp_path / "clients.json")
    assert row["recipe"] is None and row["failed"] == "no such version" and not runs
