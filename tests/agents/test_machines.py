"""One learner on two machines, which are two torchruns on one machine: sums, disks, interruptions and refusals."""

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from hanabako.agents.commands.command_line import main
from hanabako.agents.learning.common import launch
from hanabako.agents.learning.common.checkpoints import holds_checkpoint
from hanabako.agents.learning.common.runs import finished, read_about, read_metrics
from hanabako.interrupts import INTERRUPTED
from tests.agents.tiny_runs import tiny_words, wait_for_update, weights, without_clock
from tests.processes import begin_python, free_port

pytestmark = pytest.mark.slow

SOON = 60
"""Seconds within which both machines end; alone, torchrun would wait five minutes."""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder after two ranks on each of two machines have run `tests.agents.on_machines`."""
    folder, port = tmp_path_factory.mktemp("machines"), free_port()
    words = ["-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=2"]
    words += ["--master-addr=127.0.0.1", f"--master-port={port}"]
    said = [folder / f"said-{machine}" for machine in range(2)]
    machines = [
        begin_python([*words, f"--node-rank={machine}", "-m", "tests.agents.on_machines", str(folder)], folder, path)
        for machine, path in enumerate(said)
    ]
    try:
        end = time.monotonic() + 240
        while None in [machine.poll() for machine in machines] and not any(machine.poll() for machine in machines):
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        for machine in machines:
            machine.terminate()  # it ends its ranks
            machine.wait()
    for machine, path in zip(machines, said, strict=True):
        words_of_one = path.read_text(encoding="utf-8", errors="replace")
        assert machine.returncode == 0 and words_of_one.count("done\n") == 2, words_of_one[-5000:]
    return folder


def learner(run_dir: Path, update: int, rank: int) -> dict[str, Any]:
    return torch.load(run_dir / "checkpoint" / f"{update:08d}" / f"learner-{rank}.pt", weights_only=True)["algorithm"]


def parts(run_dir: Path, update: int) -> set[str]:
    return {path.name for path in run_dir.glob(f"checkpoint/{update:08d}/*")}


def names_of(ranks: Sequence[int]) -> set[str]:
    return {name for rank in ranks for name in (f"learner-{rank}.pt", f"games-{rank}.npz")}


def assert_alike(run: Path, other: Path) -> None:
    """Check that both runs have the same curve and bit-identical weights."""
    assert without_clock(read_metrics(run)) == without_clock(read_metrics(other))
    some, expected = weights(run), weights(other)
    assert some.keys() == expected.keys() and all(torch.equal(tensor, expected[name]) for name, tensor in some.items())


@pytest.mark.slow
def test_a_run_of_one_rank_on_each_of_two_machines_is_that_of_one_machine(done: Path):
    assert_alike(done / "two-0", done / "one")
    assert read_about(done / "two-1")["machines"] == 2 and read_about(done / "one")["machines"] == 1
    assert not (done / "two-1" / "metrics.jsonl").exists()


@pytest.mark.slow
def test_a_run_of_two_ranks_on_each_repeats_after_an_interruption_of_one(done: Path):
    assert [row["update"] for row in read_metrics(done / "stopped-0")] == [1]  # the second update was not evaluated
    assert_alike(done / "parts-0", done / "whole")


@pytest.mark.parametrize("update", [2, 3])
def test_machines_that_share_a_disk_keep_one_checkpoint_with_equal_weights(done: Path, update: int):
    assert parts(done / "whole", update) == names_of([0, 1, 2, 3])
    first, *others = (learner(done / "whole", update, rank)["network"] for rank in range(4))
    assert all(torch.equal(other[name], tensor) for other in others for name, tensor in first.items())
    assert launch.saved_ranks(done / "whole") == 4


@pytest.mark.parametrize(("machine", "ranks"), [(0, [0, 1]), (1, [2, 3])])
def test_a_machine_with_a_disk_of_its_own_keeps_what_its_ranks_need(done: Path, machine: int, ranks: list[int]):
    stopped = done / f"stopped-{machine}"
    assert parts(stopped, 2) == names_of(ranks) and holds_checkpoint(stopped / "checkpoint")
    assert {path.name for path in stopped.glob("checkpoint/*")} == {"00000001", "00000002", "latest", "lock"}
    assert read_about(stopped)["ranks"] == 4 and launch.saved_ranks(stopped, machines=2) == 2
    with pytest.raises(ValueError, match="made by 2 machines, which are told --machines, --machine and --meet"):
        launch.saved_ranks(stopped)


@pytest.mark.slow
def test_ctrl_c_on_one_machine_saves_the_run_and_ends_both(tmp_path: Path):
    meet = ["--machines", "2", "--meet", f"127.0.0.1:{free_port()}", "--ranks", "1"]
    words = ["-m", "hanabako", "train", *tiny_words(Path("run"), 10**6), *meet]
    machines = [
        begin_python([*words, "--machine", str(machine)], tmp_path, tmp_path / f"said-{machine}")
        for machine in range(2)
    ]
    try:
        wait_for_update(tmp_path / "run", *machines)
        os.kill(machines[1].pid, signal.SIGINT)
        assert [machine.wait(SOON) for machine in machines] == [INTERRUPTED] * 2
    finally:
        for machine in machines:
            machine.kill()
    assert finished(tmp_path / "run") is None and holds_checkpoint(tmp_path / "run" / "checkpoint")
    said = [(tmp_path / f"said-{machine}").read_text(encoding="utf-8") for machine in range(2)]
    assert said[0].endswith("Interrupted. To continue: --resume run\n")
    assert said[1] == "run: machine 0 prints the result\n"


# --- Options of the command -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", [0, 1])
def test_a_machine_that_never_comes_is_waited_for_and_said(machine: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(launch, "LONGEST_WAIT", 1)
    monkeypatch.setattr(launch, "prepared", lambda *_: 1)
    meet = f"127.0.0.1:{free_port()}"
    with pytest.raises(SystemExit, match=f"machine {machine} of 2 waits up to 1 seconds for the others, at {meet}: "):
        main(["train", "--machines", "2", "--machine", str(machine), "--meet", meet])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--machines 0 --machine 0 --meet a:1", "machines must be at least 1, got 0"),
        ("--machines 2 --machine 2 --meet a:1", "machine must be 0 to 1 of 2 machines, got 2"),
        ("--machines 2 --machine -1 --meet a:1", "machine must be 0 to 1 of 2 machines, got -1"),
        ("--machines 2 --machine 0", "machines=2 needs machine, .* and meet"),
        ("--machines 2 --meet a:1", "machines=2 needs machine, .* and meet"),
        ("--machine 0", "machine and meet need machines"),
        ("--meet a:1", "machine and meet need machines"),
        *(
            (f"--machines 2 --machine 0 --meet {meet}", f"meet must be HOST:PORT, .*, got '{meet}'")
            for meet in ("a", "a:", ":1", "a:0", "a:65536", "a:b", "a:1²", "a:-1", f"a:{'1' * 30}")
        ),
        ("--machines 3 --machine 0 --meet a:1 --games 1024", "games must be a multiple of the 3 ranks, got 1024"),
        ("--machines 2 --machine 0 --meet a:1 --ranks 3", "games must be a multiple of the 6 ranks, got 1024"),
    ],
)
def test_machines_that_cannot_be_are_refused(words: str, said: str, monkeypatch: pytest.MonkeyPatch):
    def start(*_: object) -> None:
        raise AssertionError("ranks are started")

    for name in ("start", "start_ranks"):
        monkeypatch.setattr(launch, name, start)
    monkeypatch.setattr(launch, "most_ranks", lambda _: 1)
    with pytest.raises(SystemExit, match=said):
        main(["train", *words.split()])


@pytest.mark.parametrize(
    ("words", "machines"),
    [
        ("", launch.Machines()),
        ("--machines 1 --machine 0 --meet [::1]:29500", launch.Machines(1, 0, "::1", 29500)),
        ("--machines 4 --machine 3 --meet node-1.cluster:29500", launch.Machines(4, 3, "node-1.cluster", 29500)),
    ],
)
def test_machines_share_the_games_evenly(words: str, machines: launch.Machines, monkeypatch: pytest.MonkeyPatch):
    started = []

    def start_ranks(ranks: int, *others: Any) -> bool:
        started.append((ranks, others[-1]))
        return True

    monkeypatch.setattr(launch, "start_ranks", start_ranks)
    monkeypatch.setattr(launch, "most_ranks", lambda _: 6)
    monkeypatch.setattr(launch, "game_of", lambda _: type("Game", (), {"compile": staticmethod(lambda *_: None)}))
    main(["train", "--preset", "mini", *words.split()])
    assert started == [(4, machines)]  # neither 6 nor 5 ranks can share 1024 games evenly


def test_a_number_of_ranks_per_machine_is_not_believed(tmp_path: Path):
    run_dir = tmp_path / "run"
    (run_dir / "checkpoint" / "00000001").mkdir(parents=True)
    (run_dir / "checkpoint" / "00000001" / "learner-2.pt").touch()
    for ranks in ("3", "18", "0", "-2", "true", "null", '"4"'):
        (run_dir / "config.json").write_text(f'{{"args": {{}}, "ranks": {ranks}, "machines": 2}}', encoding="utf-8")
        with pytest.raises(ValueError, match=r"ranks in its config\.json must be 1 to 8 on each of 2 machines"):
            launch.saved_ranks(run_dir, machines=2)
