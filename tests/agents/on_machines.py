"""What the ranks of two machines do in `tests.agents.test_machines`, which starts ``torchrun`` twice on one machine.

    python -m torch.distributed.run --nnodes 2 --nproc-per-node 2 ... -m tests.agents.on_machines FOLDER

``torchrun``'s variables define the machines, so the same processes can also meet as one machine, or as fewer ranks.
"""

import os
import shutil
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from filelock import FileLock

from hanabako.agents.learning.common.ranks import Ranks, joined_ranks
from hanabako.agents.learning.common.trainer import Trainer
from hanabako.agents.learning.ppo import Args, train
from tests.agents.tiny_runs import SMALL, UPDATE, stop_after

TINY = Args(**SMALL | {"steps": 3 * UPDATE, "evaluations": 3, "evaluation_games": 4, "final_games": 4})
RANK, MACHINE = int(os.environ["RANK"]), int(os.environ["GROUP_RANK"])
MEETINGS: defaultdict[str, Iterator[int]] = defaultdict(count)
"""How often a group of that number of ranks has met."""

join = dist.init_process_group


def join_again(backend: str) -> None:
    """Form a new group of these processes, which may have been one before; other keys of the store are used."""
    world, rank = os.environ["WORLD_SIZE"], int(os.environ["RANK"])
    store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False)
    store = dist.PrefixStore(f"meeting {next(MEETINGS[world])} of {world}", store)
    join(backend, store=store, rank=rank, world_size=int(world))


@contextmanager
def told(**world: int) -> Iterator[None]:
    """Set ``torchrun``'s variables while the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in world.items():
            patch.setenv(name, str(value))
        yield


def work(folder: Path) -> None:
    if RANK in (0, 2):
        train_one_each(folder)
    gradients = gradients_of(replace(TINY, run_dir=folder / "whole"))
    check_sums(gradients[0])
    check_no_thread_of_gloo_is_left()
    own = folder / f"parts-{MACHINE}"
    check_interruption(own)
    check_refusals(own)
    check_loss(own)


def train_one_each(folder: Path) -> None:
    """Train with the first ranks only, on two machines and on one."""
    with told(RANK=MACHINE, WORLD_SIZE=2, LOCAL_RANK=0, LOCAL_WORLD_SIZE=1):
        train(replace(TINY, run_dir=folder / f"two-{MACHINE}"))
        with told(GROUP_WORLD_SIZE=1, LOCAL_RANK=MACHINE, LOCAL_WORLD_SIZE=2):
            train(replace(TINY, run_dir=folder / "one"))


def gradients_of(args: Args) -> list[torch.Tensor]:
    """Train on a disk that both machines share and return this rank's gradients, one per minibatch."""
    gradients, add_up = [], Ranks.sum_of_gradients

    def noted(self: Ranks, vector: torch.Tensor) -> torch.Tensor:
        gradients.append(vector.clone())
        return add_up(self, vector)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ranks, "sum_of_gradients", noted)
        train(args)
    return gradients


def check_sums(gradient: torch.Tensor) -> None:
    """The sum over two machines is equal on all ranks, at every repetition, and close to that of one machine."""
    with joined_ranks("cpu") as ranks:
        assert (ranks.firsts, ranks.is_first) == ((0, 2), RANK in (0, 2))
        total = ranks.sum_of_gradients(gradient)
        for _ in range(5):
            assert torch.equal(ranks.sum_of_gradients(gradient), total)
        assert torch.equal(total, ranks.broadcast(total))
    with told(GROUP_WORLD_SIZE=1, LOCAL_RANK=RANK, LOCAL_WORLD_SIZE=4), joined_ranks("cpu") as ranks:
        assert ranks.firsts == (0,)
        expected = ranks.sum_of_gradients(gradient)
    assert (total - expected).norm() <= 1e-6 * expected.norm()


def check_no_thread_of_gloo_is_left() -> None:
    """A gloo thread that works while Python ends would abort the process."""
    names = {path.read_text(encoding="utf-8").strip() for path in Path("/proc/self/task").glob("*/comm")}
    assert not [name for name in names if "gloo" in name], names


def check_interruption(own: Path) -> None:
    """If one rank is interrupted, all save and end; the run continues from the parts on two disks."""
    with pytest.MonkeyPatch.context() as patch:
        if RANK == 3:
            stop_after(patch, 2, signal.SIGINT)
        train(replace(TINY, run_dir=own))
    assert (own / "checkpoint" / "latest").read_text(encoding="utf-8") == "00000002"
    shutil.copytree(own, own.with_name(f"stopped-{MACHINE}"), dirs_exist_ok=True)
    train(Args(resume=own))


def check_refusals(own: Path) -> None:
    """An error on one machine is raised on all."""
    with pytest.raises(ValueError, match="have the same settings; these differ from machine 0's: seed, steps"):
        train(replace(TINY, steps=UPDATE * (1 + MACHINE), seed=2 + MACHINE, run_dir=own))
    lock = FileLock(own / "checkpoint" / "lock")
    if RANK == 2:
        lock.acquire()
    with pytest.raises(ValueError, match="is locked: another process trains there"):
        train(Args(resume=own))
    lock.release()
    for place in own.glob("checkpoint/0*") if RANK == 2 else ():
        shutil.rmtree(place)
    with pytest.raises(ValueError, match="on their disk these ranks have no whole part of one: 2, 3"):
        train(Args(resume=own))
    with pytest.raises(ValueError, match="holds a run already"):
        train(replace(TINY, run_dir=own))


def check_loss(own: Path) -> None:
    """If a machine ends during training, the others end too."""
    with pytest.MonkeyPatch.context() as patch:
        if MACHINE == 1:
            patch.setattr(Trainer, "learn", lambda _: end())
        with pytest.raises(ConnectionError, match=f"rank {RANK} of 4 has lost another rank and ends"):
            train(replace(TINY, run_dir=own.with_name(f"lost-{MACHINE}")))
    end()


def end() -> None:
    """End at once, because a group that lacks a rank cannot be closed."""
    print("done", flush=True)
    os._exit(0)


if __name__ == "__main__":
    setattr(dist, "init_process_group", join_again)  # noqa: B010 - of another type
    work(Path(sys.argv[1]))
