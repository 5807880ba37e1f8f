"""A training run in its own process, made once, up to its end; a message says why it did not end. Ranks add up."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
from filelock import FileLock, Timeout

from hanabako.agents.commands.command_line import main
from hanabako.agents.learning.common import launch
from hanabako.agents.learning.common.algorithms import Learner, named
from hanabako.agents.learning.common.ranks import SharedSum, joined_ranks
from hanabako.agents.learning.common.settings import Settings
from hanabako.files import read_json
from hanabako.interrupts import INTERRUPTED, Interrupted
from tests.agents.tiny_runs import assert_alike, tiny_words, wait_for_update
from tests.conftest import ROOT
from tests.processes import begin_python, free_port, ran

ENDED = {"update": 1, "steps": 256, "fraction": 1}


def write_log(run_dir: Path, fraction: float) -> None:
    run_dir.mkdir(parents=True, exist_ok=True)
    (run_dir / "metrics.jsonl").write_text(json.dumps(ENDED | {"fraction": fraction}) + "\n", encoding="utf-8")


def begun(run_dir: Path, ranks: int = 1, **settings: Any) -> dict[str, Any]:
    learner = named("sad")
    args = learner.settings(preset="very_small", run_dir=run_dir, **settings)
    return launch.train_apart(learner, args, ranks, "command")


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_is_made_once_by_its_learner(ranks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    told, run_dir = [], tmp_path / "runs" / "one"

    def run_module(words: list[str], log: Path) -> int:
        told.append((read_json(words[1]), log))
        write_log(run_dir, 1)
        return 0

    monkeypatch.setattr(launch, "run_module", run_module)
    for _ in range(2):
        assert begun(run_dir, ranks, width=32) == ENDED
    ((settings, log),) = told
    assert (settings["algorithm"], settings["ranks"], log) == ("sad", ranks, tmp_path / "runs" / "one.log")
    assert (settings["args"]["width"], settings["args"]["run_dir"]) == (32, str(run_dir))


@pytest.mark.slow
def test_a_run_that_fails_says_where_to_look(tmp_path: Path):
    with pytest.raises(ValueError, match=r"one did not end; .*one\.log says why\. To continue: command") as error:
        begun(tmp_path / "one", 2, games=3)
    log = str(error.value).partition("; ")[2].partition(" says")[0]
    assert "hanabako train: games" in Path(log).read_text(encoding="utf-8")


@pytest.mark.parametrize("ends_by", ["Ctrl-C", "SIGTERM"])
def test_an_interrupted_run_says_how_to_go_on(ends_by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def run_module(words: list[str], log: Path) -> int:
        write_log(tmp_path / "one", 0.5)
        if ends_by == "Ctrl-C":
            raise KeyboardInterrupt
        return INTERRUPTED

    monkeypatch.setattr(launch, "run_module", run_module)
    with pytest.raises(Interrupted, match="To continue: command"):
        begun(tmp_path / "one")


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


# --- The ranks of a run that is resumed -------------------------------------------------------------------------------


def write_run(run_dir: Path, config: str, *checkpoints: int) -> Path:
    """Write what an interrupted run leaves: ``config.json``, and a checkpoint for each of these numbers of ranks."""
    for update, ranks in enumerate(checkpoints, 1):
        folder = run_dir / "checkpoint" / f"{update:08d}"
        folder.mkdir(parents=True)
        for rank in range(ranks):
            torch.save({"world": ranks}, folder / f"learner-{rank}.pt")
            np.savez(folder / f"games-{rank}.npz", games=np.zeros(3))
    (run_dir / "config.json").write_text(config, encoding="utf-8")
    return run_dir


def config_of(ranks: str) -> str:
    return f'{{"algorithm": "ppo", "args": {{}}, "ranks": {ranks}}}'


@pytest.mark.parametrize("ranks", [1, 2, launch.MOST_RANKS])
def test_a_run_goes_on_with_as_many_ranks_as_made_it(ranks: int, tmp_path: Path):
    run_dir = write_run(tmp_path / "run", config_of(str(ranks)), ranks, ranks)
    (run_dir / "checkpoint" / "00000002" / "games-0.npz").unlink()  # it was not completely written
    assert launch.saved_ranks(run_dir) == ranks


NUMBERS = ("1", "0", "-2", "2.0", "true", "null", "[2]", '"2"', "{}", "9", "1e999", "NaN", "1" + 5000 * "0")
"""Wrong numbers of ranks in the files of a run that two ranks made."""
CONFIGS = ("{}", '{"algorithm": "ppo", "args": {}}', "[]", "3", "null", '"ranks"', "", "{", 100_000 * "[", "\ufeff{}")


@pytest.mark.parametrize("config", [*map(config_of, NUMBERS), *CONFIGS], ids=lambda config: config[:50])
def test_a_strangers_number_of_ranks_is_not_believed(config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("start", "start_ranks"):
        monkeypatch.setattr(launch, name, lambda *_: pytest.fail("ranks are started"))
    run_dir = write_run(tmp_path / "run", config, 2)
    with pytest.raises(SystemExit, match="run holds no run to resume: ") as refusal:
        main(["train", "--resume", str(run_dir)])
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 400


@pytest.mark.parametrize("ranks", [2, launch.MOST_RANKS + 1])
def test_a_run_without_a_whole_checkpoint_of_few_ranks_starts_none(ranks: int, tmp_path: Path):
    run_dir = write_run(tmp_path / "run", config_of(str(ranks)), ranks)
    if ranks == 2:
        (run_dir / "checkpoint" / "00000001" / "games-1.npz").write_bytes(b"damaged")
    with pytest.raises(ValueError, match=r"holds no run to resume: ranks .* must be 1 to 8 .* as many as wrote"):
        launch.saved_ranks(run_dir)


# --- torchrun ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ended", [True, False])
def test_a_rank_of_torchrun_starts_no_ranks_and_joins_the_others(
    ended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name, value in {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "1"}.items():
        monkeypatch.setenv(name, value)
    joined: list[str] = []

    def start(_: Learner, settings: Settings) -> bool:
        with joined_ranks(settings.device) as ranks:
            assert (ranks.rank, ranks.world) == (1, 2)
        return ended

    monkeypatch.setattr(dist, "init_process_group", joined.append)
    monkeypatch.setattr(dist, "get_rank", lambda: 1)
    monkeypatch.setattr(dist, "destroy_process_group", lambda: joined.append("left"))
    monkeypatch.setattr(launch, "start", start)
    monkeypatch.setattr(launch, "start_ranks", lambda *_: pytest.fail("ranks are started"))
    main(["train", *tiny_words(tmp_path / "run"), "--ranks", "4"])  # it ends with status 0 if it was interrupted, too
    assert joined == ["gloo", "left"]


@pytest.mark.slow
def test_two_torchruns_train_as_one_does(tmp_path: Path):
    """Two machines, here two torchruns on the loopback address, learn what two ranks of one machine learn."""
    meet = ["--master-addr=127.0.0.1", f"--master-port={free_port()}", "--nnodes=2", "--nproc-per-node=1"]
    program = ["-m", "hanabako", "train", *tiny_words(tmp_path / "machines", 2)]
    machines = [
        begin_python(["-m", "torch.distributed.run", *meet, f"--node-rank={rank}", *program], tmp_path, said)
        for rank, said in enumerate((tmp_path / "said-0", tmp_path / "said-1"))
    ]
    try:
        assert [machine.wait(300) for machine in machines] == [0, 0], (tmp_path / "said-1").read_text("utf-8")
    finally:
        for machine in machines:
            machine.kill()
    main(["train", *tiny_words(tmp_path / "ranks", 2), "--ranks", "2"])
    assert_alike(tmp_path / "machines", tmp_path / "ranks")


# --- Studies ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_training_run_ends_with_the_study_that_started_it(tmp_path: Path):
    code = "from hanabako.agents.learning.common import algorithms, launch; from pathlib import Path\n"
    code += "ppo = algorithms.named('ppo')\n"
    code += f"settings = ppo.settings(preset='very_small', run_dir=Path('run'), steps={10**12})\n"
    code += "launch.train_apart(ppo, settings, 1, 'command')"
    study = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)})
    lock = FileLock(tmp_path / "run" / "checkpoint" / "lock")
    try:
        wait_for_update(tmp_path / "run", study)
        with pytest.raises(Timeout):
            lock.acquire(timeout=0)
    finally:
        study.kill()
        study.wait()
    lock.acquire(timeout=60)
    for _ in range(600):
        if "--resume run" in (tmp_path / "run.log").read_text(encoding="utf-8"):
            return
        time.sleep(0.1)
    raise AssertionError("the run did not say how to go on")


RANK = """
import os
import torch
from hanabako.agents.learning.common.ranks import joined_ranks
with joined_ranks("cpu") as ranks:
    assert ranks.share_memory
    for size in (200_000, 3, 200_000):
        vector = torch.arange(size, dtype=torch.float32) * (ranks.rank + 1)
        for _ in range(5):
            assert torch.equal(ranks.average_gradients(vector), torch.arange(size, dtype=torch.float32) * 1.5)
    print("summed", flush=True)
    if ranks.rank == 1:
        os._exit(0)
    try:
        ranks.average_gradients(vector)
    except ConnectionError as error:
        print(error, flush=True)
    os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="shared sums are for Linux")
def test_two_ranks_add_up_and_notice_a_loss(tmp_path: Path) -> None:
    program = tmp_path / "rank.py"
    program.write_text(RANK, encoding="utf-8")
    words = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(program)]
    ended = ran(words, PYTHONPATH=str(ROOT), OMP_NUM_THREADS="1")
    assert ended.returncode == 0 and ended.stdout.count("summed") == 2, ended.stderr[-2000:]  # in any order
    assert "rank 0 of 2 has lost another rank and ends; --resume continues" in ended.stdout


@pytest.mark.parametrize(("world", "possible"), [("2", True), ("4", False)])
def test_ranks_share_memory_only_if_all_are_on_this_machine(
    world: str, possible: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    monkeypatch.setenv("WORLD_SIZE", world)
    assert SharedSum.is_possible() == (possible and hasattr(os, "memfd_create"))
