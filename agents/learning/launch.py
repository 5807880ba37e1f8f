"""Start a training run on several ranks of this machine, as the commands do that train for people."""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.run import main as torchrun

from .runs import finished

__all__ = ["MOST_RANKS", "saved_ranks", "train", "train_to_the_end", "usable_cores"]

MOST_RANKS = 8  # beyond, a rank's share of the games gets too small for its core
PPO = f"{__name__.rpartition('.learning.')[0]}.ppo"


def train(ranks: int, settings: Sequence[str], module: str = PPO) -> None:
    """Run a ``module`` that learns on that many ranks of this machine until it ends, interrupted or not.

    Raises:
        SystemExit: it failed.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with suppress(SignalException):  # Ctrl-C: torchrun has passed it on, and the ranks have saved the run and ended
        try:
            torchrun(["--standalone", "--nproc-per-node", str(ranks), "-m", module, *settings])
        except ChildFailedError as error:
            raise SystemExit(f"training failed: {error}") from error


def train_to_the_end(
    ranks: int, run_dir: Path, settings: Sequence[str], command: str, module: str = PPO
) -> dict[str, Any]:
    """Make the run kept in ``run_dir``, or go on with it, and return the last row of its log; if it is made, that.

    Args:
        ranks: how many.
        run_dir: where it is kept.
        settings: if it has not begun.
        command: what goes on with it after an interruption.
        module: what learns.

    Raises:
        SystemExit: it was interrupted, or failed.
    """
    if not finished(run_dir):
        begun = (run_dir / "checkpoint" / "latest").exists()
        train(ranks, ["--resume", str(run_dir)] if begun else [*settings, "--run-dir", str(run_dir)], module)
    last = finished(run_dir)
    if last is None:
        raise SystemExit(f"\nInterrupted. To go on: {command}")
    return last


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def saved_ranks(run_dir: Path) -> int:
    """How many ranks made the run.

    Raises:
        ValueError: the directory holds no run.
    """
    try:
        return int(json.loads((run_dir / "config.json").read_text())["ranks"])
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"{run_dir} holds no run to resume: {error}") from error
