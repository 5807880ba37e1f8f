"""Start a training run on several ranks of this machine, as the commands do that train for people."""

import json
import math
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from typing import Any

import torch
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.run import main as torchrun

from .checkpoints import holds_checkpoint
from .runs import finished

__all__ = ["saved_ranks", "train", "train_to_the_end", "usable_cores", "usual_ranks", "words_for"]

MOST_RANKS = 8  # beyond, a rank's share of the games gets too small for its core
AGENTS = __name__.rpartition(".learning.")[0]


def train(ranks: int, settings: Sequence[str], learner: str = "ppo") -> None:
    """Run a learner, a module of `agents`, on that many ranks of this machine until it ends, interrupted or not.

    Raises:
        SystemExit: it failed.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with suppress(SignalException):  # Ctrl-C: torchrun has passed it on, and the ranks have saved the run and ended
        try:
            torchrun(torchrun_words(ranks, [f"{AGENTS}.{learner}", *settings]))
        except ChildFailedError as error:
            raise SystemExit(f"training failed: {error}") from error


def train_to_the_end(
    ranks: int, run_dir: Path, settings: Sequence[str], command: str, learner: str = "ppo"
) -> dict[str, Any]:
    """Make the run kept in ``run_dir``, or go on with it, and return the last row of its log; if it is made, that.

    It runs in a process of its own, or one for each rank. What they print is added to ``<run_dir>.log``.

    Args:
        ranks: how many.
        run_dir: where it is kept.
        settings: if it has not begun.
        command: what goes on with it after an interruption.
        learner: see `train`.

    Raises:
        SystemExit: it was interrupted.
        ValueError: it failed; names the file that says why.
    """
    if (last := finished(run_dir)) is not None:
        return last
    module = [f"{AGENTS}.{learner}", *words_for(run_dir, settings)]
    words = module if ranks == 1 else ["torch.distributed.run", *torchrun_words(ranks, module)]
    interrupted, log = SystemExit(f"\nInterrupted. To go on: {command}"), run_dir.with_name(f"{run_dir.name}.log")
    try:
        failed = run_module(words, log) != 0
    except KeyboardInterrupt:
        raise interrupted from None
    if (last := finished(run_dir)) is not None:
        return last
    if failed:
        raise ValueError(f"{run_dir} did not end; {log} says why. To go on: {command}")
    raise interrupted  # by SIGTERM, say


def run_module(words: Sequence[str], log: Path) -> int:
    """Run a module, with its words, in a process of its own; returns its exit status.

    What it prints is added to the file ``log``. Ctrl-C reaches it as well, and is waited for until it has ended.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        process = Popen([sys.executable, "-m", *words], stdout=file, stderr=file, env=environment)
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.wait()
            raise


def torchrun_words(ranks: int, module: Sequence[str]) -> list[str]:
    """What torchrun is told to run a module, with its words, on that many ranks of this machine."""
    return ["--standalone", "--nproc-per-node", str(ranks), "-m", "--", *module]


def words_for(run_dir: Path, settings: Sequence[str]) -> list[str]:
    """What a learner's command is told to go on with the run kept in ``run_dir``, or to begin it with ``settings``."""
    return (
        ["--resume", str(run_dir)]
        if holds_checkpoint(run_dir / "checkpoint")
        else [*settings, "--run-dir", str(run_dir)]
    )


def usual_ranks(games: int, minibatch: int, device: str = "auto") -> int:
    """As many as there are cores, or GPUs if they compute, and at most so many that all have as many games."""
    on_gpu = device == "cuda" or (device == "auto" and torch.cuda.is_available())
    most = torch.cuda.device_count() if on_gpu else min(usable_cores(), MOST_RANKS)
    shared = math.gcd(games, minibatch)
    return max(ranks for ranks in range(1, max(most, 1) + 1) if shared % ranks == 0)


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def saved_ranks(run_dir: Path) -> int:
    """How many ranks made the run.

    Raises:
        ValueError: the directory holds no run.
    """
    try:
        return int(json.loads((run_dir / "config.json").read_text(encoding="utf-8"))["ranks"])
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"{run_dir} holds no run to resume: {error}") from error
