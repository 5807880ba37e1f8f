"""Clients: those that need no further library train here, and an interrupted run continues where it stopped."""

import importlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agents.results.store import read_results
from benchmarks.clients import __main__ as runner

OUTCOME = {"algorithm": "PPO", "plays": "all seats", "before": 0.5, "after": 1.5, "steps": 100, "seconds": 2.0}


@pytest.mark.slow
@pytest.mark.parametrize("script", ["cleanrl_loop", "gymnasium_wrappers", "openspiel_dqn"])
def test_clients_of_libraries_that_are_here_train(script: str):
    needed = {"openspiel_dqn": ("open_spiel", "tree")}.get(script, ())
    for library in needed:
        pytest.importorskip(library, reason=f"client: {library} is not installed")
    outcome = importlib.import_module(f"benchmarks.clients.{script}").train(0.2)
    assert outcome.steps > 0 and 0 <= outcome.before <= 9 and 0 <= outcome.after <= 9


def test_every_client_has_its_scripts():
    scripts = {script for client in runner.CLIENTS.values() for script in client.scripts}
    files = {path.stem for path in Path(runner.__file__).parent.glob("*.py")} - {"__init__", "__main__", "judge"}
    assert scripts == files


def test_pins_hold_what_their_client_asks_for():
    for path in runner.PINS.glob("*.txt"):
        pinned = {re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in path.read_text("utf-8").splitlines()}
        assert set(runner.CLIENTS[path.stem].asked) <= pinned
        assert "hanabako" not in pinned and "+" not in path.read_text(encoding="utf-8")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The scripts that were run; nothing is installed, and ``sb3_vector`` fails."""
    started: list[str] = []

    def finished(command: list[str], cwd: Path | None = None) -> str:
        started.append(command[-2])
        if command[-2] == "sb3_vector":
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
    assert runs == ["sb3_seat", "sb3_vector"]
    rows: list[dict[str, Any]] = read_results(out)
    assert rows[0]["steps_per_second"] == 50 and rows[0]["after"] == 1.5
    assert rows[1]["failed"].endswith("ValueError: no") and "after" not in rows[1]
    runner.main(runner.Args(out=out))  # all others; this one is done
    assert "sb3_seat" not in runs[2:] and "rllib_ppo" in runs
    assert [row["client"] for row in read_results(out)] == [
        name for name, client in runner.CLIENTS.items() for _ in client.scripts
    ]
    runner.main(runner.Args(clients=("sb3",), out=out))  # again, in the same place
    assert len(read_results(out)) == sum(len(client.scripts) for client in runner.CLIENTS.values())


def test_what_cannot_be_installed_is_written_down(runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: Any) -> Path:
        raise subprocess.CalledProcessError(1, "pip", "", "no such version")

    monkeypatch.setattr(runner, "installed", refused)
    runner.main(runner.Args(clients=("rllib",), out=tmp_path / "clients.json"))
    (row,) = read_results(tmp_path / "clients.json")
    assert row["script"] is None and row["failed"] == "no such version" and not runs


def test_results_that_cannot_be_written_are_said_before_anything_is_installed(runs: list[str], tmp_path: Path):
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    with pytest.raises(NotADirectoryError, match="cannot be written"):
        runner.main(runner.Args(clients=("sb3",), out=tmp_path / "file" / "clients.json"))
    assert not runs


def test_an_unknown_client_is_named(tmp_path: Path):
    with pytest.raises(ValueError, match=r"clients must be among .*sb3.*got 'sb4'"):
        runner.main(runner.Args(clients=("sb4",), out=tmp_path / "clients.json"))
