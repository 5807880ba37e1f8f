"""What a training run survives: being killed while it saves, a full disk, damaged files, a lost rank."""

import errno
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import ZIP_LZMA

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hanabako.agents.commands.command_line import main
from hanabako.agents.learning.common.checkpoints import Checkpoints
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.runs import finished, read_about, read_metrics
from hanabako.agents.learning.common.trainer import Trainer
from hanabako.agents.learning.ppo import Args, train
from hanabako.files import write_json
from tests.agents.files import headed, spoil_first_part
from tests.agents.test_datasets import rewritten
from tests.agents.tiny_runs import SMALL, UPDATE, assert_alike, stop_after
from tests.processes import begin_python

TOLD = SMALL | {"steps": 4 * UPDATE, "evaluations": 4, "evaluation_games": 4}
TINY = Args(**TOLD)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An uninterrupted run of four updates, each with a checkpoint."""
    return train(replace(TINY, run_dir=tmp_path_factory.mktemp("whole") / "run"))


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run, interrupted after the third update; tests must not change it."""
    with pytest.MonkeyPatch.context() as patch:
        stop_after(patch, 3, signal.SIGINT)
        return train(replace(TINY, run_dir=tmp_path_factory.mktemp("stopped") / "run"))


@pytest.fixture
def run_dir(stopped: Path, tmp_path: Path) -> Path:
    return shutil.copytree(stopped, tmp_path / "run")


def refusal(*arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        main(["train", "--ranks", "1", *arguments])
    message = str(end.value)
    assert message.startswith("hanabako train: ") and "\n" not in message
    return message


# --- Checkpoints ------------------------------------------------------------------------------------------------------

SAVED = {
    updates: (
        {"weights": torch.arange(40.0) * updates, "updates": updates},
        {"tables": np.full((3, 50), updates, np.uint8), "seed": np.asarray(updates)},
    )
    for updates in (2, 3)
}


def saved(directory: Path) -> Path:
    checkpoints = Checkpoints(directory, ALONE)
    for updates, (state, games) in SAVED.items():
        checkpoints.save(updates, state, games)
    return directory


def restored(directory: Path) -> int:
    """Return which checkpoint is restored, after checking that it is bit-identical to what was saved."""
    found = []

    def restore(state: dict[str, Any], games: dict[str, np.ndarray]) -> None:
        expected, arrays = SAVED[state["updates"]]
        assert torch.equal(state["weights"], expected["weights"])
        assert games.keys() == arrays.keys()
        assert all(np.array_equal(games[name], arrays[name]) for name in arrays)
        found.append(state["updates"])

    Checkpoints(directory, ALONE).load(restore)
    return found[0]


def test_the_last_two_checkpoints_are_kept(tmp_path):
    directory = saved(tmp_path)
    assert {path.name for path in directory.iterdir()} == {"latest", "00000002", "00000003"}
    assert restored(directory) == 3
    Checkpoints(directory, ALONE).save(4, *SAVED[3])
    assert (directory / "latest").read_text(encoding="utf-8") == "00000004"


def test_a_second_checkpoint_after_an_update_does_not_cost_the_first(tmp_path):
    """A run that was interrupted in an evaluation saves again after the same update."""
    checkpoints = Checkpoints(tmp_path, ALONE)
    checkpoints.save(3, *SAVED[3])
    with little_room(), pytest.raises(OSError, match="the checkpoint 00000003 is kept"):
        checkpoints.save(3, *SAVED[2])
    assert restored(tmp_path) == 3
    for updates, last in ((2, "000000003"), (3, "0000000003")):
        checkpoints.save(3, *SAVED[updates])
        assert restored(tmp_path) == updates and (tmp_path / "latest").read_text(encoding="utf-8") == last
    assert {path.name for path in tmp_path.iterdir()} == {"latest", "000000003", "0000000003"}


FILES = ["00000003/learner-0.pt", "00000003/games-0.npz"]


@pytest.mark.parametrize("name", [*FILES, "latest"])
@pytest.mark.parametrize("damage", ["flipped", "cut", "emptied", "removed", "not a file"])
def test_a_damaged_checkpoint_is_passed_over_aloud(tmp_path, capsys, name, damage):
    path = saved(tmp_path) / name
    content = path.read_bytes()
    path.unlink()
    if damage == "not a file":
        path.mkdir()
    elif damage != "removed":
        changed = {"flipped": bytes([content[0] ^ 1]) + content[1:], "cut": content[:-1], "emptied": b""}
        path.write_bytes(changed[damage])
    assert restored(tmp_path) == (3 if name == "latest" else 2)
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "earlier" in said


@given(name=st.sampled_from(FILES), place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), cuts=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_is_restored(tmp_path, name, place, bit, cuts):
    """Some bits of an archive mean nothing, such as those of dates; with these damaged, all is restored bit by bit."""
    path = saved(tmp_path) / name
    content = bytearray(path.read_bytes())
    at = int(place * len(content))
    content[at] ^= 1 << bit
    path.write_bytes(content[:at] if cuts else content)
    assert restored(tmp_path) == 2 or not cuts


HOSTILE_HEADERS = {
    "does not end": b"(",
    "a type without a shape": b"{'descr': ('<f8',), 'fortran_order': False, 'shape': ()}",
    "a list for a name": b"{[]:1}",
    "more than the memory": b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,)}",
}


def with_header(header: bytes, folder: Path) -> None:
    rewritten(folder / "games-0.npz", {"tables.npy": headed(header)})


def with_world(world: Any, folder: Path) -> None:
    torch.save({**SAVED[3][0], "world": world}, folder / "learner-0.pt")


WORLDS = (float("inf"), float("nan"), [1], "one", None)
HOSTILE: dict[str, Callable[[Path], Any]] = {
    **{name: partial(with_header, header) for name, header in HOSTILE_HEADERS.items()},
    **{f"made by {world} ranks": partial(with_world, world) for world in WORLDS},
    "a pickle that ends at once": lambda folder: rewritten(folder / "learner-0.pt", {"archive/data.pkl": b"."}),
    "damage in another compression": lambda folder: spoil_first_part(rewritten(folder / "games-0.npz", {}, ZIP_LZMA)),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_checkpoint_is_passed_over(tmp_path, capsys, change):
    change(saved(tmp_path) / "00000003")
    assert restored(tmp_path) == 2 and "earlier" in capsys.readouterr().out


def test_a_run_that_falls_back_ends_like_one_that_nothing_happened_to(run_dir, whole, capsys):
    path = run_dir / "checkpoint" / "00000003" / "learner-0.pt"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16  # among the weights, where torch does not notice
    path.write_bytes(content)
    train(Args(resume=run_dir))
    assert capsys.readouterr().out.count("earlier") == 1
    assert_alike(run_dir, whole)


# --- Killed, or out of disk -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("left", [[], ["games-0.npz"]], ids=len)
def test_a_run_killed_in_its_first_checkpoint_can_be_begun_again(run_dir, whole, left):
    (run_dir / "checkpoint" / "latest").unlink()
    shutil.rmtree(run_dir / "checkpoint" / "00000003")
    for path in (run_dir / "checkpoint" / "00000002").iterdir():
        if path.name not in left:
            path.unlink()
    assert "there is none" in refusal("--resume", str(run_dir))
    train(replace(TINY, run_dir=run_dir))
    assert_alike(run_dir, whole)


@contextmanager
def little_room(blocks: int = 1) -> Iterator[None]:
    """Files of more blocks cannot be saved, as with ``ulimit -f``."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (512 * blocks, limits[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def as_options(run_dir: Path, **changes: int) -> list[str]:
    return [f"--{name}={value}" for name, value in {**TOLD, **changes, "run_dir": run_dir}.items()]


@pytest.mark.parametrize("at", [1, 3])
def test_a_full_disk_is_a_clear_line_and_the_last_checkpoint_stands(tmp_path, monkeypatch, whole, at):
    """The disk is full from an update on."""
    run_dir, save = tmp_path / "run", Trainer.save
    with ExitStack() as full, monkeypatch.context() as patch:

        def save_in_little_room(self: Trainer, row: dict[str, float]) -> None:
            if self.progress.updates >= at:
                full.enter_context(little_room(40))
            save(self, row)

        patch.setattr(Trainer, "save", save_in_little_room)
        assert f"cannot be written: {os.strerror(errno.EFBIG)}" in refusal(*as_options(run_dir))
    assert not list(run_dir.rglob("*.part")) and not list(run_dir.rglob(".*"))
    train(replace(TINY, run_dir=run_dir) if at == 1 else Args(resume=run_dir))
    assert_alike(run_dir, whole)


def test_a_checkpoint_that_does_not_fit_is_removed_again(tmp_path):
    checkpoints = Checkpoints(saved(tmp_path), ALONE)
    checkpoints.load(lambda *_: None)
    with little_room(), pytest.raises(OSError, match=f"{os.strerror(errno.EFBIG)}; the checkpoint 00000003 is kept"):
        checkpoints.save(4, *SAVED[3])
    assert not (tmp_path / "00000004").exists()
    assert restored(tmp_path) == 3


@pytest.mark.parametrize("name", ["file", "file/run", "metrics"])
def test_a_directory_that_cannot_be_written_to_is_a_clear_line(tmp_path, name):
    (tmp_path / "file").touch()
    (tmp_path / "metrics" / "metrics.jsonl").mkdir(parents=True)
    refusal(*as_options(tmp_path / name))


# --- Files that users may edit ----------------------------------------------------------------------------------------

BROKEN = [b"garbage", b"[]", b'{"loss": 1}', b'{"update": "x", "steps": 3}', b"\xff\xfe\x00", b"[" * 100_000]


def test_a_broken_line_of_the_metrics_is_passed_over(run_dir, whole):
    path = run_dir / "metrics.jsonl"
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[0], *BROKEN, *lines[1:], b'{"update": 4, "st']))
    train(Args(resume=run_dir))
    assert_alike(run_dir, whole)


DAMAGED_SETTINGS: dict[str, Any] = {
    "width": "32",
    "layers": 2.5,
    "games": True,
    "minutes": None,
    "trunk": "float8",
    "config": [["derived=true"]],
    "seed": -1,
    "unheard_of": 3,
}


@pytest.mark.parametrize("name", DAMAGED_SETTINGS)
def test_a_setting_that_cannot_be_is_a_clear_line(run_dir, name):
    about = read_about(run_dir)
    write_json(run_dir / "config.json", about | {"args": about["args"] | {name: DAMAGED_SETTINGS[name]}})
    assert name in refusal("--resume", str(run_dir))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"args": 3}', '{"algorithm": "ppo", "args": {}}', "[" * 100_000, "\xff", " " * 2**24 + "{}"],
)
def test_a_config_that_is_none_is_a_clear_line(run_dir, text):
    (run_dir / "config.json").write_text(text, encoding="latin1")
    assert "holds no run to resume" in refusal("--resume", str(run_dir))


# --- Several processes ------------------------------------------------------------------------------------------------


@contextmanager
def training(run_dir: Path, ranks: int) -> Iterator[subprocess.Popen[bytes]]:
    """A process that trains without end, after its first checkpoint; its output is in ``said`` beside the run."""
    said = run_dir.with_name("said")
    words = ["-m", "hanabako", "train", f"--ranks={ranks}", *as_options(run_dir, steps=10**9, evaluations=10**6)]
    process = begin_python(words, run_dir.parent, said)
    try:
        while not (run_dir / "checkpoint" / "latest").exists():
            assert process.poll() is None, said.read_text(encoding="utf-8")
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_lost_rank_ends_the_others_with_a_clear_line(tmp_path):
    with training(tmp_path / "run", ranks=2) as process:
        ranks = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
        os.kill(int(ranks[-1]), signal.SIGKILL)
        assert process.wait(60) == 1
    *_, lost, failed = (tmp_path / "said").read_text(encoding="utf-8").splitlines()
    assert lost.startswith("hanabako train: rank 0 of 2 has lost another rank and ends")
    assert failed == "training failed: rank 1 was ended by SIGKILL"


@pytest.mark.slow
def test_a_directory_that_another_process_trains_in_is_locked_until_that_ends(tmp_path: Path):
    """A real process is killed during training; the run continues from its checkpoint."""
    run_dir = tmp_path / "run"
    with training(run_dir, ranks=1):
        before = (run_dir / "config.json").read_bytes()
        for again in (replace(TINY, run_dir=run_dir), Args(resume=run_dir)):
            with pytest.raises(ValueError, match="is locked: another process trains there"):
                train(again)
        assert (run_dir / "config.json").read_bytes() == before
    about = read_about(run_dir)
    steps = read_metrics(run_dir)[-1]["steps"] + 1000
    write_json(run_dir / "config.json", about | {"args": about["args"] | {"steps": int(steps), "evaluations": 1}})
    train(Args(resume=run_dir))
    updates = [row["update"] for row in read_metrics(run_dir)]
    assert updates == list(range(1, len(updates) + 1)) and finished(run_dir)
