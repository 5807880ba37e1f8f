"""A run that is made to the end: in a process of its own, once, and what is said when it did not end."""

import json
import os
from pathlib import Path

import pytest

from agents.learning.common import launch

SETTINGS = ["--preset", "very_small"]
ENDED = {"update": 1, "steps": 256, "fraction": 1}


def write_log(run_dir: Path, fraction: float) -> None:
    run_dir.mkdir(parents=True, exist_ok=True)
    (run_dir / "metrics.jsonl").write_text(json.dumps(ENDED | {"fraction": fraction}) + "\n", encoding="utf-8")


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_is_made_once_by_its_learner(ranks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    told, run_dir = [], tmp_path / "runs" / "one"

    def run_module(words: list[str], log: Path) -> int:
        told.append((words, log))
        write_log(run_dir, 1)
        return 0

    monkeypatch.setattr(launch, "run_module", run_module)
    for _ in range(2):
        assert launch.train_to_the_end(ranks, run_dir, SETTINGS, "command", "sad") == ENDED
    words = ["hanabako", "train", "--algorithm", "sad", "--ranks", str(ranks), *SETTINGS, "--run-dir", str(run_dir)]
    assert told == [(words, tmp_path / "runs" / "one.log")]


def test_a_run_that_fails_says_where_to_look(tmp_path: Path):
    with pytest.raises(ValueError, match=r"one did not end; .*one\.log says why\. To go on: command") as error:
        launch.train_to_the_end(1, tmp_path / "one", [*SETTINGS, "--width", "0"], "command")
    log = str(error.value).partition("; ")[2].partition(" says")[0]
    assert "width" in Path(log).read_text(encoding="utf-8")


@pytest.mark.parametrize("ends_by", ["Ctrl-C", "SIGTERM"])
def test_an_interrupted_run_says_how_to_go_on(ends_by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def run_module(words: list[str], log: Path) -> int:
        write_log(tmp_path / "one", 0.5)
        if ends_by == "Ctrl-C":
            raise KeyboardInterrupt
        return 0

    monkeypatch.setattr(launch, "run_module", run_module)
    with pytest.raises(SystemExit, match="To go on: command"):
        launch.train_to_the_end(1, tmp_path / "one", SETTINGS, "command")


def test_a_module_runs_on_one_core_and_writes_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    code = "import os, sys\nprint(sys.argv[1:], os.environ['OMP_NUM_THREADS'], flush=True)\nsys.exit('wrong')\n"
    (tmp_path / "speaks.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    for times in (1, 2):
        assert launch.run_module(["speaks", "one"], tmp_path / "logs" / "log") == 1
        assert (tmp_path / "logs" / "log").read_text(encoding="utf-8") == "['one'] 1\nwrong\n" * times


def test_ctrl_c_is_passed_on_to_a_run_which_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    code = "import os, pathlib, signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: None)\n"
    code += "os.kill(os.getppid(), signal.SIGINT)\nsignal.pause()\npathlib.Path(sys.argv[1]).touch()\n"
    (tmp_path / "saves.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    with pytest.raises(KeyboardInterrupt):
        launch.run_module(["saves", str(tmp_path / "saved")], tmp_path / "log")
    assert (tmp_path / "saved").exists()
