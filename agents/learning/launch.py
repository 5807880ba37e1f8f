"""Start a training run on several ranks of this machine, as the commands do that train for people."""

import os
from collections.abc import Sequence
from contextlib import suppress

from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.run import main as torchrun

__all__ = ["MOST_RANKS", "train", "usable_cores"]

MOST_RANKS = 8  # beyond, a rank's share of the games gets too small for its core
PPO = f"{__name__.rpartition('.learning.')[0]}.ppo"


def train(ranks: int, settings: Sequence[str]) -> None:
    """Run `agents.ppo` on that many ranks of this machine until it ends, interrupted or not.

    Raises:
        SystemExit: it failed.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with suppress(SignalException):  # Ctrl-C: torchrun has passed it on, and the ranks have saved the run and ended
        try:
            torchrun(["--standalone", "--nproc-per-node", str(ranks), "-m", PPO, *settings])
        except ChildFailedError as error:
            raise SystemExit(f"training failed: {error}") from error


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
