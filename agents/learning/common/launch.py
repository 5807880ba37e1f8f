"""Start a training run: on several ranks of one or more machines, from a command or from its settings alone."""

import logging
import os
import socket
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any, NamedTuple

import torch
import tyro
from torch.distributed import DistError
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.run import main as torchrun

from hanabako.files import check_writable, read_json, write_json
from hanabako.games import game_of
from hanabako.interrupts import INTERRUPTED, PARENT, Interrupted, end_with_parent, held_back, interruptible, patient
from hanabako.program import in_a_sentence, sentence
from hanabako.words.checks import shown
from hanabako.words.notation import counted

from ...registry import need_trust
from . import algorithms
from .algorithms import COMMAND, STOPPED, WRONG, Learner, named, start
from .checkpoints import checkpoints_in, holds_checkpoint, ranks_of
from .cloned_start import from_clone, names_bot
from .network_settings import NetworkSettings
from .ranks import by_torchrun
from .runs import finished, read_about
from .settings import Settings
from .trainer import envs_of

__all__ = [
    "Machines",
    "log_of",
    "ranks_for",
    "saved_ranks",
    "start_ranks",
    "train",
    "train_apart",
    "usable_cores",
]

MOST_RANKS = 8  # beyond, a rank's share of the games gets too small for its core
LONGEST_WAIT = 600
"""Seconds within which all machines must have started."""


class Machines(NamedTuple):
    """The machines that train together."""

    count: int = 1
    this: int = 0
    """The number of this machine, from 0."""
    host: str = ""
    """The address at which all machines reach machine 0."""
    port: int = 0

    def words(self) -> list[str]:
        """Return the options for ``torchrun``."""
        if self.count == 1:
            return ["--standalone", "--local-addr=127.0.0.1"]
        words = {"nnodes": self.count, "node-rank": self.this, "master-addr": self.host, "master-port": self.port}
        return [f"--{name}={value}" for name, value in words.items()] + [f"--rdzv-conf=timeout={LONGEST_WAIT}"]

    def wait_for_first(self) -> None:
        """Wait until machine 0 can be reached; on machine 0, until its host name resolves.

        Raises:
            ConnectionError: it takes longer than `LONGEST_WAIT`.
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
        """Return the error for machines that did not start in time."""
        waits = f"machine {self.this} of {self.count} waits up to {LONGEST_WAIT} seconds for the others"
        return ConnectionError(f"{waits}, at {self.host}:{self.port}: {sentence(error)}")


ALONE = Machines()


def start_ranks(ranks: int, learner: Learner, settings: Settings, machines: Machines = ALONE) -> bool:
    """Train on ``ranks`` ranks of this machine until the run ends or is interrupted.

    The ranks read the settings from a file.

    Returns:
        False if the run was interrupted.

    Raises:
        ConnectionError: not all machines started in time.
        SystemExit: training failed.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # it would warn of host names and addresses without the other
    if names := [name for name in os.environ if name.startswith("PET_")]:
        print(f"{', '.join(names)}: ignored, because they are a cluster's settings of torchrun", file=sys.stderr)
        for name in names:
            del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="hanabako-") as folder:
        told = {"algorithm": learner.source, "args": settings.to_json()}
        path = write_json(Path(folder) / "settings.json", told)
        logging.disable(logging.ERROR)  # errors are reported below
        try:
            machines.wait_for_first()
            with held_back():
                torchrun([*machines.words(), "--nproc-per-node", str(ranks), "-m", algorithms.__name__, str(path)])
        except SignalException:  # torchrun has passed it on, and the ranks have saved the run and ended
            if machines.count == 1:  # else a rank that has ended sends it, too
                return False
        except ChildFailedError as error:
            said = dict.fromkeys(file.read_text(encoding="utf-8") for file in sorted(Path(folder).glob(f"{WRONG}*")))
            raise SystemExit("\n".join(said) or f"training failed: {ends_of(error)}") from error
        except DistError as error:
            raise machines.missed(error) from error
        finally:
            logging.disable(logging.NOTSET)
        return not (Path(folder) / STOPPED).exists()


def ends_of(error: ChildFailedError) -> str:
    """Describe how the failed ranks ended; the ranks themselves report why, if they can."""
    ends = {rank: failure.signal_name() for rank, failure in sorted(error.failures.items()) if failure.exitcode < 0}
    ended = [f"rank {rank} was ended by {signal}" for rank, signal in ends.items()]
    return ", ".join(ended) or f"{counted(len(error.failures), 'rank')} ended with an error"


def ranks_for(settings: Settings, machines: int = 1) -> int:
    """Return the largest number of ranks, at most one per core or GPU here, among which the settings divide evenly.

    Args:
        settings: the run's settings.
        machines: number of machines, each with this many ranks.
    """
    for ranks in range(most_ranks(settings.device), 1, -1):
        with suppress(ValueError):
            settings.check(ranks * machines)
            return ranks
    return 1


def most_ranks(device: str) -> int:
    """Return the number of cores (at most `MOST_RANKS`), or of GPUs if the device is a GPU."""
    on_gpu = device == "cuda" or (device == "auto" and torch.cuda.is_available())
    return max(torch.cuda.device_count() if on_gpu else min(usable_cores(), MOST_RANKS), 1)


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def saved_ranks(run_dir: Path, machines: int = 1) -> int:
    """Return the run's ranks per machine, as its ``config.json`` says, if its checkpoints agree.

    The run may come from someone else and each rank becomes a process, so neither number is trusted alone.

    Raises:
        ValueError: the directory holds no run, or one of more than `MOST_RANKS` ranks, which must be given explicitly.
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


# --- Runs -------------------------------------------------------------------------------------------------------------


def train(
    learner: Learner, settings: Settings, ranks: int | None = None, machines: Machines = ALONE, clone_part: float = 0.2
) -> bool:
    """Train on ``ranks`` ranks of this machine, by default as many as fit, until the run ends or is interrupted.

    If ``start`` of the settings is a bot, a clone of it is trained first. A process that ``torchrun`` started is one
    of the ranks.

    Args:
        learner: the algorithm.
        settings: its settings.
        ranks: number of ranks per machine.
        machines: the machines that train together.
        clone_part: the fraction of the budget for a clone.

    Returns:
        False if the run was interrupted.

    Raises:
        ValueError: a setting that cannot work.
        OSError: the run's directory cannot be written to.
        SystemExit: training failed.
    """
    if by_torchrun("WORLD_SIZE", 0):  # this is one of the ranks already
        return start(learner, settings)
    if settings.resume is not None:
        ranks = ranks or saved_ranks(settings.resume, machines.count)
    else:
        if isinstance(settings, NetworkSettings) and names_bot(settings):
            if machines.count > 1:
                raise ValueError(f"start must be a network on several machines, got the bot {settings.start}")
            cloning = named("cloning")
            train_clone = partial(train, cloning, ranks=ranks)
            rest = from_clone(settings, envs_of(learner.algorithm), clone_part, cloning.settings, train_clone)
            if rest is None:
                return False
            settings = rest
        ranks = prepared(learner, settings, ranks, machines.count)
    if ranks * machines.count == 1:
        return start(learner, settings)
    return start_ranks(ranks, learner, settings, machines)


def prepared(learner: Learner, settings: Settings, ranks: int | None, machines: int) -> int:
    """Check a new run, compile its game once for all ranks, and return the number of ranks on this machine.

    Raises:
        ValueError: a setting that cannot work.
        OSError: the run's directory cannot be written to.
    """
    settings.check(1)
    check_writable((settings.run_dir or Path("runs", "new")) / "config.json")
    ranks = ranks or ranks_for(settings, machines)
    settings.check(ranks * machines)
    config = settings.learned(settings.make_config())
    settings.check_agents(config, envs_of(learner.algorithm))
    game_of(config).compile(config, settings.games // (ranks * machines))
    return ranks


def log_of(run_dir: Path) -> Path:
    """Return the file to which `train_apart` appends a run's output."""
    return run_dir.with_name(f"{run_dir.name}.log")


def train_apart(learner: Learner, settings: Settings, ranks: int, command: str) -> dict[str, Any]:
    """Start, resume or just read the run in ``settings.run_dir``, and return its final scores and costs.

    It is trained by another process, whose output is appended to the file `log_of` names. A finished run is not
    repeated.

    Args:
        learner: the algorithm.
        settings: its settings, used if the run has not begun.
        ranks: number of ranks.
        command: the command that continues the run, shown after an interruption.

    Returns:
        The last row of the run's log: ``greedy_score``, ``steps``, ``core_seconds`` and so on.

    Raises:
        Interrupted: the run was interrupted.
        ValueError: the run failed; the message names its log file.
    """
    run_dir = settings.run_dir
    assert run_dir is not None
    if (last := finished(run_dir)) is not None:
        return last
    if holds_checkpoint(run_dir / "checkpoint"):
        settings = learner.settings(resume=run_dir, trust=bool(need_trust(settings.to_json().values())))
    interrupted, log = Interrupted(f"\nInterrupted. To continue: {command}"), log_of(run_dir)
    with tempfile.TemporaryDirectory(prefix="hanabako-") as folder:
        told = {"algorithm": learner.source, "args": settings.to_json(), "ranks": ranks}
        try:
            status = run_module([MODULE, str(write_json(Path(folder) / "settings.json", told))], log)
        except KeyboardInterrupt:
            raise interrupted from None
    if (last := finished(run_dir)) is not None:
        return last
    if status != INTERRUPTED:
        raise ValueError(f"{run_dir} did not end; {log} says why. To continue: {command}")
    raise interrupted  # for example by SIGTERM


def run_module(words: list[str], log: Path) -> int:
    """Run a module with its arguments in another process and return its exit status.

    Its output is appended to the file ``log``. Ctrl-C is passed on as SIGTERM; then the process is waited for. If this
    process is killed, the other one is interrupted (`hanabako.interrupts.end_with_parent`).

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        environment = os.environ | {"OMP_NUM_THREADS": "1", PARENT: str(os.getpid())}
        with patient():
            process = Popen([sys.executable, "-m", *words], stdout=file, stderr=file, env=environment)
            try:
                return process.wait()
            except KeyboardInterrupt:
                process.terminate()
                process.wait()
                raise


def begin(path: Path) -> None:
    """Train in this process as a file that `train_apart` wrote says."""
    end_with_parent()
    told = read_json(path)
    learner = named(told["algorithm"])
    with in_a_sentence(COMMAND):
        ended = train(learner, learner.settings.from_json(told["args"]), told["ranks"])
    if not ended:
        raise SystemExit(INTERRUPTED)


MODULE = "hanabako.agents.learning.common.launch"

if __name__ == "__main__":
    with interruptible():
        begin(tyro.cli(tyro.conf.Positional[Path], prog=f"python -m {MODULE}"))
