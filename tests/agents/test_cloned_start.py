"""`hanabako train --start BOT` clones the bot, and then trains its clone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hanabako.agents.commands.command_line import main
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.algorithms import named
from hanabako.agents.learning.common.cloned_start import from_clone
from hanabako.agents.learning.common.network_settings import NetworkSettings
from hanabako.agents.learning.common.runs import read_about, read_metrics
from hanabako.agents.learning.common.settings import Settings
from hanabako.files import write_json

SIZES = {"games": 8, "horizon": 4, "minibatch": 32, "width": 16, "evaluation-games": 2, "final-games": 4}
CLONING = named("cloning").settings
TINY = ["--preset=very_small", *(f"--{name}={size}" for name, size in SIZES.items())]


def cloned(args: ppo.Args, train: Callable[[Settings], object]) -> NetworkSettings | None:
    return from_clone(args, 0.5, CLONING, train)


@pytest.mark.slow
def test_a_run_starts_from_the_clone_of_a_bot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_dir = tmp_path / "run"
    words = ["--steps", "400", "--clone-part", "0.25", "--ranks", "1", "--run-dir", str(run_dir)]
    main(["train", "--start", "smart", *TINY, *words])
    clone, run = read_about(run_dir / "clone"), read_about(run_dir)
    assert (clone["algorithm"], clone["args"]["agent"], clone["args"]["steps"]) == ("cloning", "smart", 100)
    assert (run["algorithm"], run["args"]["steps"]) == ("ppo", 300)
    assert run["args"]["start"] == str(run_dir / "clone" / "policy.safetensors")
    assert clone["args"]["width"] == run["args"]["width"] == 16
    assert "agreement" in read_metrics(run_dir / "clone")[-1]
    assert f"A network learns to imitate smart first, in {run_dir / 'clone'}." in capsys.readouterr().out


def test_an_interrupted_clone_is_continued_and_a_finished_one_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ppo.Args(preset="very_small", start="smart", steps=400, run_dir=tmp_path)
    asked: list[Settings] = []

    def train(settings: Settings) -> None:
        """Be interrupted twice, after checkpoints, and then finish."""
        asked.append(settings)
        for update in ("1", "2"):
            (tmp_path / "clone" / "checkpoint" / update).mkdir(parents=True, exist_ok=True)
        fraction = 1 if len(asked) == 3 else 0.5
        row = f'{{"update": 1, "steps": 1, "fraction": {fraction}}}\n'
        (tmp_path / "clone" / "metrics.jsonl").write_text(row, encoding="utf-8")
        if settings.resume is None:
            write_json(tmp_path / "clone" / "config.json", {"args": settings.to_json()})

    for _ in range(2):
        assert cloned(args, train) is None
        assert f"--run-dir {tmp_path} continues the clone" in capsys.readouterr().out
    for _ in range(2):
        rest = cloned(args, train)
        assert rest is not None
        assert (rest.start, rest.steps) == (str(tmp_path / "clone" / "policy.safetensors"), 200)
    assert [settings.resume for settings in asked] == [None, tmp_path / "clone", tmp_path / "clone"]
    for other in (replace(args, start="cautious"), replace(args, width=32), replace(args, steps=800)):
        with pytest.raises(ValueError, match=r"has a clone with (agent|width|steps)=.*: choose another --run-dir"):
            cloned(other, train)


@pytest.mark.parametrize("change", [{"agent": "evil.py:X"}, {"opponent": "evil.py:X"}])
def test_the_clone_of_something_else_runs_none_of_its_code(change: dict[str, str], tmp_path: Path) -> None:
    args = ppo.Args(preset="very_small", start="smart", steps=400, run_dir=tmp_path)
    asked: list[Settings] = []
    assert cloned(args, asked.append) is None, "training does nothing"
    for update in ("1", "2"):
        (tmp_path / "clone" / "checkpoint" / update).mkdir(parents=True)
    write_json(tmp_path / "clone" / "config.json", {"args": asked[0].to_json() | change})
    with pytest.raises(ValueError, match=r"has a clone with (agent|opponent)='evil.py:X', not .*: choose another"):
        cloned(args, lambda _: pytest.fail("training begins"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--start", "no_agent"], "no_agent"),
        (["--start", "smart", "--clone-part", "1"], "clone_part must be"),
        (["--start", "smart", "--algorithm", "sad"], "start must be a network, got the bot smart: .* are greedy-dense"),
        (["--start", "smart", "--algorithm", "iql", "--minibatch", "30"], "minibatch must be a multiple of"),
        (["--start", "smart", "--partners", "nosuch"], "an agent must be one of .* got 'nosuch'"),
        (["--start", "smart", "--algorithm", "iql", "--burn-in"], "burn_in must be false for a network without memory"),
    ],
)
def test_what_cannot_work_is_refused(words: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=message):
        main(["train", *TINY, "--run-dir", str(tmp_path / "run"), *words])
