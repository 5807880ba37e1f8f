"""Start a training run: on several ranks of this machine, or in a process of its own that a study waits for."""

import logging
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any

import torch
import tyro
from torch.distributed import is_torchelastic_launched
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.run import main as torchrun

from hanabako.files import check_writable, read_json, write_json, write_text
from hanabako.games import game_of
from hanabako.interrupts import INTERRUPTED, PARENT, Interrupted, end_with_parent, held_back, interruptible, patient
from hanabako.program import in_a_sentence
from hanabako.words.checks import shown

from ...registry import need_trust
from .algorithms import COMMAND, Learner, named, start
from .checkpoints import checkpoints_in, holds_checkpoint, ranks_of
from .cloned_start import from_clone, names_bot
from .network_settings import NetworkSettings
from .ranks import by_torchrun
from .runs import finished, read_about, usual_run_dir
from .settings import Settings

__all__ = ["log_of", "ranks_for", "saved_ranks", "start_ranks", "train", "train_apart", "usable_cores"]

MODULE = "hanabako.agents.learning.common.launch"
"""This program: it trains as a file of settings says."""
MOST_RANKS = 8  # beyond, a rank's share of the games gets too small for its core
WRONG = "wrong-"
"""Prefix of the files in which ranks report errors."""


def train(learner: Learner, settings: Settings, ranks: int | None = None, clone_part: float = 0.2) -> bool:
    """Train until the run ends or is interrupted: on ``ranks`` ranks of this machine, or as one rank of ``torchrun``.

    If ``start`` of the settings is a bot, a clone of it is trained first.

    Args:
        learner: the algorithm.
        settings: its settings.
        ranks: number of ranks, by default as many as fit; ignored if ``torchrun`` has started this process.
        clone_part: the fraction of the budget for a clone.

    Returns:
        False if the run was interrupted. A rank returns True: ``torchrun`` ends the others if one has another status.

    Raises:
        ValueError: a setting that cannot work.
        OSError: the run's directory cannot be written to.
        SystemExit: training failed.
    """
    if is_torchelastic_launched():
        start(learner, settings)
        return True
    if settings.resume is not None:
        ranks = ranks or saved_ranks(settings.resume)
    else:
        if isinstance(settings, NetworkSettings) and names_bot(settings):
            cloning = named("cloning")
            train_clone = partial(train, cloning, ranks=ranks)
            rest = from_clone(settings, clone_part, cloning.settings, train_clone)
            if rest is None:
                return False
            settings = rest
        settings.check(1)
        ranks = ranks or ranks_for(settings)
        settings = prepared(settings, ranks)
    return start(learner, settings) if ranks == 1 else start_ranks(ranks, learner, settings)


def prepared(settings: Settings, ranks: int) -> Settings:
    """Check a new run, compile its game once for all ranks, and return the settings with the run's directory.

    Raises:
        ValueError: a setting that cannot work.
        OSError: the run's directory cannot be written to.
    """
    settings.check(ranks)
    config = settings.make_config()
    run_dir = settings.run_dir or usual_run_dir(settings.usual_name(config))
    check_writable(run_dir / "config.json")
    learned = settings.learned(config)
    settings.check_agents(learned)
    game_of(config).compile(learned, settings.games // ranks)
    return replace(settings, run_dir=run_dir)


def ranks_for(settings: Settings) -> int:
    """Return the largest number of ranks, at most one per core or GPU, among which the settings divide evenly."""
    on_gpu = settings.device == "cuda" or (settings.device == "auto" and torch.cuda.is_available())
    most = torch.cuda.device_count() if on_gpu else min(usable_cores(), MOST_RANKS)
    for ranks in range(most, 1, -1):
        with suppress(ValueError):
            settings.check(ranks)
            return ranks
    return 1


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def saved_ranks(run_dir: Path) -> int:
    """Return the number of ranks that made a run.

    The run may come from someone else and each rank becomes a process, so ``config.json`` and checkpoints must agree.

    Raises:
        ValueError: the directory holds no run, or one of more than `MOST_RANKS` ranks, which must be given explicitly.
    """
    ranks = read_about(run_dir).get("ranks")
    wrote = {ranks_of(folder) for folder in checkpoints_in(run_dir / "checkpoint")} & set(range(1, MOST_RANKS + 1))
    if type(ranks) is int and ranks in wrote:
        return ranks
    allowed = f"1 to {MOST_RANKS} (more are given by --ranks) and as many as wrote a complete checkpoint"
    raise ValueError(
        f"{run_dir} holds no run to resume: ranks in its config.json must be {allowed}, got {shown(ranks)}"
    )


# --- Other processes --------------------------------------------------------------------------------------------------


def start_ranks(ranks: int, learner: Learner, settings: Settings) -> bool:
    """Train on ``ranks`` ranks of this machine until the run ends or is interrupted, by ``torchrun``.

    Args:
        ranks: number of ranks.
        learner: the algorithm.
        settings: its settings, with the run's directory. The ranks read them from a file.

    Returns:
        False if the run was interrupted.

    Raises:
        SystemExit: training failed.
    """
    run_dir = settings.resume or settings.run_dir
    assert run_dir is not None
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # it would warn of host names and addresses without the other
    with tempfile.TemporaryDirectory(prefix="hanabako-") as folder:
        path = write_order(Path(folder), learner, settings, ranks)
        words = ["--standalone", "--nnodes=1", "--max-restarts=0", "--local-addr=127.0.0.1"]  # whatever a cluster says
        logging.disable(logging.ERROR)  # errors are reported below
        try:
            with held_back():
                torchrun([*words, f"--nproc-per-node={ranks}", "-m", MODULE, str(path)])
        except SignalException:
            pass  # torchrun has passed it on, and the ranks have saved the run and ended
        except ChildFailedError as error:
            said = dict.fromkeys(file.read_text(encoding="utf-8") for file in sorted(path.parent.glob(f"{WRONG}*")))
            killed = {rank: failed.signal_name() for rank, failed in error.failures.items() if failed.exitcode < 0}
            ended = [f"rank {rank} was ended by {name}" for rank, name in sorted(killed.items())]
            raise SystemExit("\n".join(said) or ": ".join(["training failed", *ended])) from error
        finally:
            logging.disable(logging.NOTSET)
    return finished(run_dir) is not None


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
        try:
            status = run_module([MODULE, str(write_order(Path(folder), learner, settings, ranks))], log)
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


def write_order(folder: Path, learner: Learner, settings: Settings, ranks: int) -> Path:
    """Write the file that `carry_out` reads."""
    order = {"algorithm": learner.source, "args": settings.to_json(), "ranks": ranks}
    return write_json(folder / "settings.json", order)


def carry_out(path: Path) -> None:
    """Train in this process as the file of a study says, or as one rank.

    Ranks write errors to files in the same folder, so that the same error of all ranks is shown once.
    """
    end_with_parent()
    order = read_json(path)
    learner = named(order["algorithm"])
    try:
        with in_a_sentence(COMMAND):
            ended = train(learner, learner.settings.from_json(order["args"]), order["ranks"])
    except SystemExit as end:
        if not is_torchelastic_launched():
            raise
        write_text(path.with_name(f"{WRONG}{by_torchrun('RANK', 0)}"), str(end))
        raise SystemExit(1) from end
    if not ended:
        raise SystemExit(INTERRUPTED)


if __name__ == "__main__":
    with interruptible():
        carry_out(tyro.cli(tyro.conf.Positional[Path], prog=f"python -m {MODULE}"))
