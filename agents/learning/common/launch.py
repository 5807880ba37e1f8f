"""Start a training run on several ranks of this machine, or of several, as the commands do that train for people."""

import logging
import os
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from typing import Any, NamedTuple

import torch
from torch.distributed import DistError
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.run import main as torchrun

from hanabako.files import write_json
from hanabako.interrupts import held_back, patient
from hanabako.program import sentence
from hanabako.words.checks import shown

from ...registry import need_trust
from . import algorithms
from .algorithms import WRONG, Learner
from .checkpoints import checkpoints_in, holds_checkpoint, ranks_of
from .runs import finished, read_about
from .trainer import Settings

__all__ = [
    "Machines",
    "ranks_for",
    "saved_ranks",
    "start_ranks",
    "train_to_the_end",
    "usable_cores",
    "words_for",
]

MOST_RANKS = 8  # beyond, a rank's share of the games gets too small for its core
LONGEST_WAIT = 600
"""Seconds in which all machines must have been started."""


class Machines(NamedTuple):
    """The machines that learn together, of which this is one."""

    count: int = 1
    this: int = 0
    """Its number, from 0."""
    host: str = ""
    """Where machine 0 is reached by all."""
    port: int = 0

    def words(self) -> list[str]:
        """How ``torchrun`` is told."""
        if self.count == 1:
            return ["--standalone"]
        words = {"nnodes": self.count, "node-rank": self.this, "master-addr": self.host, "master-port": self.port}
        return [f"--{name}={value}" for name, value in words.items()] + [f"--rdzv-conf=timeout={LONGEST_WAIT}"]

    def wait_for_first(self) -> None:
        """Until machine 0 is reached; on that one, until its name is known.

        Raises:
            ConnectionError: that takes too long.
        """
        end = time.monotonic() + LONGEST_WAIT
        while self.count > 1:
            try:
                if self.this == 0:
                    socket.getaddrinfo(self.host, self.port)
                else:
                    socket.create_connection((self.host, self.port), timeout=10).close()
            except OSError as error:
                if time.monotonic() > end:
                    raise self.missed(error) from error
                time.sleep(0.5)
            else:
                return

    def missed(self, error: Exception) -> ConnectionError:
        """What is said when not all machines are there in time."""
        waits = f"machine {self.this} of {self.count} waits up to {LONGEST_WAIT} seconds for the others"
        return ConnectionError(f"{waits}, at {self.host}:{self.port}: {sentence(error)}")


ALONE = Machines()


def start_ranks(ranks: int, learner: Learner, settings: Settings, machines: Machines = ALONE) -> None:
    """Train on that many ranks of this machine until the run ends, interrupted or not.

    The ranks read the settings from a file.

    Raises:
        ConnectionError: not all machines were there in time.
        SystemExit: it failed.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if machines.count > 1:
        os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # else it warns of every name that is not known backwards
    with tempfile.TemporaryDirectory(prefix="hanabako-") as folder, suppress(SignalException):
        # Ctrl-C: torchrun has passed it on, and the ranks have saved the run and ended
        told = {"algorithm": learner.source, "args": settings.to_json()}
        path = write_json(Path(folder) / "settings.json", told)
        logging.disable(logging.ERROR)  # what is wrong is said below
        try:
            machines.wait_for_first()
            with held_back():
                torchrun([*machines.words(), "--nproc-per-node", str(ranks), "-m", algorithms.__name__, str(path)])
        except ChildFailedError as error:
            said = dict.fromkeys(file.read_text(encoding="utf-8") for file in sorted(Path(folder).glob(f"{WRONG}*")))
            raise SystemExit("\n".join(said) or f"training failed: {ends_of(error)}") from error
        except DistError as error:
            raise machines.missed(error) from error
        finally:
            logging.disable(logging.NOTSET)


def ends_of(error: ChildFailedError) -> str:
    """How the ranks ended that failed; why, they have said themselves if they could."""
    ends = {rank: failure.signal_name() for rank, failure in sorted(error.failures.items()) if failure.exitcode < 0}
    ended = [f"rank {rank} was ended by {signal}" for rank, signal in ends.items()]
    return ", ".join(ended) or f"{len(error.failures)} ranks ended with an error"


def train_to_the_end(
    ranks: int, run_dir: Path, settings: Sequence[str], command: str, learner: str = "ppo"
) -> dict[str, Any]:
    """Make the run kept in ``run_dir``, or go on with it, and return the last row of its log; if it is made, that.

    It runs as `hanabako train`, in a process of its own. What that prints is added to ``<run_dir>.log``.

    Args:
        ranks: how many.
        run_dir: where it is kept.
        settings: if it has not begun, as words of a command line.
        command: what goes on with it after an interruption.
        learner: the algorithm, see `agents.learning.common.algorithms.named`.

    Raises:
        SystemExit: it was interrupted.
        ValueError: it failed; names the file that says why.
    """
    if (last := finished(run_dir)) is not None:
        return last
    words = ["train", "--algorithm", learner, "--ranks", str(ranks), *words_for(run_dir, settings)]
    interrupted, log = SystemExit(f"\nInterrupted. To go on: {command}"), run_dir.with_name(f"{run_dir.name}.log")
    try:
        failed = run_module(["hanabako", *words], log) != 0
    except KeyboardInterrupt:
        raise interrupted from None
    if (last := finished(run_dir)) is not None:
        return last
    if failed:
        raise ValueError(f"{run_dir} did not end; {log} says why. To go on: {command}")
    raise interrupted  # by SIGTERM, say


def run_module(words: Sequence[str], log: Path) -> int:
    """Run a module, with its words, in a process of its own; returns its exit status.

    What it prints is added to the file ``log``. Ctrl-C is passed on to it, as SIGTERM, and its end is waited for.

    Raises:
        KeyboardInterrupt: that was so.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        with patient():
            process = Popen([sys.executable, "-m", *words], stdout=file, stderr=file, env=environment)
            try:
                return process.wait()
            except KeyboardInterrupt:
                process.terminate()
                process.wait()
                raise


def words_for(run_dir: Path, settings: Sequence[str]) -> list[str]:
    """What a learner's command is told to go on with the run kept in ``run_dir``, or to begin it with ``settings``."""
    if not holds_checkpoint(run_dir / "checkpoint"):
        return [*settings, "--run-dir", str(run_dir)]
    return ["--resume", str(run_dir), *(["--trust"] if need_trust(settings) else [])]


def ranks_for(settings: Settings, machines: int = 1) -> int:
    """The most ranks, of as many as there are cores or GPUs here, that share what the settings say evenly.

    Args:
        settings: of the run.
        machines: how many will have as many ranks.
    """
    for ranks in range(most_ranks(settings.device), 1, -1):
        with suppress(ValueError):
            settings.check(ranks * machines)
            return ranks
    return 1


def most_ranks(device: str) -> int:
    """As many as there are cores, or GPUs if they compute."""
    on_gpu = device == "cuda" or (device == "auto" and torch.cuda.is_available())
    return max(torch.cuda.device_count() if on_gpu else min(usable_cores(), MOST_RANKS), 1)


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def saved_ranks(run_dir: Path, machines: int = 1) -> int:
    """How many ranks per machine made the run, as its ``config.json`` says, if its checkpoints agree.

    The run may come from someone else, so neither number is trusted alone: each rank becomes a process.

    Raises:
        ValueError: the directory holds no run, or one of more than `MOST_RANKS`, whose number must be given.
    """
    about = read_about(run_dir)
    ranks, made_by = about.get("ranks"), about.get("machines", 1)
    places = checkpoints_in(run_dir / "checkpoint")
    if machines > 1:
        allowed = range(machines, machines * MOST_RANKS + 1, machines)
        if type(ranks) is int and ranks in allowed and any(place.glob("learner-*.pt") for place in places):
            return ranks // machines
        each = f"1 to {MOST_RANKS} on each of {machines} machines (others are given by --ranks)"
        raise ValueError(
            f"{run_dir} holds no run to resume: ranks in its config.json must be {each}, got {shown(ranks)}"
        )
    wrote = set(map(ranks_of, places)) & set(range(1, MOST_RANKS + 1))
    if type(ranks) is int and ranks in wrote:
        return ranks
    why = f"it has no whole checkpoint of 1 to {MOST_RANKS} ranks (more are given by --ranks)"
    if type(made_by) is int and made_by > 1:
        why = f"it was made by {shown(made_by)} machines, which are told --machines, --machine and --meet"
    elif wrote:
        allowed = f"{' or '.join(map(str, sorted(wrote)))}, as many as wrote its checkpoints"
        why = f"ranks in its config.json must be {allowed}, got {shown(ranks)}"
    raise ValueError(f"{run_dir} holds no run to resume: {why}")
