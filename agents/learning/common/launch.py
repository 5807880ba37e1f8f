"""Start a training run: on several ranks of this machine, or in a process of its own that a study waits for.

``hanabako train --start BOT`` first trains a network to imitate the bot; training then starts from this clone.
"""

import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
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
from hanabako.words.typed import from_json

from ...registry import AgentName, load, need_trust
from .algorithms import COMMAND, Learner, named, start
from .checkpoints import checkpoints_in, holds_checkpoint, ranks_of
from .network_settings import NetworkSettings
from .ranks import by_torchrun
from .runs import finished, read_about, usual_run_dir
from .settings import Settings

MODULE = "hanabako.agents.learning.common.launch"
"""This program: it trains as a file of settings says."""
MOST_RANKS = 8  # beyond, a rank's share of the games gets too small for its core
WRONG = "wrong-"
"""Prefix of the files in which ranks report errors."""
SHARED = (*(field.name for field in fields(Settings)), "network", "features", "width", "layers", "trunk")
"""The settings that the clone's training has in common with the training that follows."""
EVALUATIONS = 3
"""Evaluations of the clone while it is trained."""


def train(learner: Learner, settings: Settings, ranks: int | None = None, clone_part: float = 0.2) -> bool:
    """Train until the run ends or is interrupted; return False if it was.

    It trains on ``ranks`` ranks of this machine, by default as many as fit. If ``torchrun`` has started this process,
    it is one rank, and returns True in any case: ``torchrun`` ends the others if one has another status. If ``start``
    of the settings is a bot, a clone of it is trained first, with ``clone_part`` of the budget. A setting that cannot
    work is a ``ValueError``; ``SystemExit`` is raised if training failed.
    """
    if is_torchelastic_launched():
        start(learner, settings)
        return True
    if settings.resume is not None:
        ranks = ranks or saved_ranks(settings.resume)
    else:
        if isinstance(settings, NetworkSettings) and names_bot(settings):
            rest = from_clone(settings, clone_part, partial(train, named("cloning"), ranks=ranks))
            if rest is None:
                return False
            settings = rest
        settings.check(1)
        ranks = ranks or ranks_for(settings)
        settings.check(ranks)
        config = settings.make_config()
        run_dir = settings.run_dir or usual_run_dir(settings.usual_name(config))
        check_writable(run_dir / "config.json")
        settings, learned = replace(settings, run_dir=run_dir), settings.learned(config)
        settings.check_agents(learned)
        game_of(config).compile(learned, settings.games // ranks)  # once for all ranks
    return start(learner, settings) if ranks == 1 else start_ranks(ranks, learner, settings)


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

    The run may come from someone else and each rank becomes a process, so ``config.json`` and checkpoints must agree,
    and more ranks than `MOST_RANKS` must be given explicitly.
    """
    ranks = read_about(run_dir).get("ranks")
    wrote = {ranks_of(folder) for folder in checkpoints_in(run_dir / "checkpoint")} & set(range(1, MOST_RANKS + 1))
    if type(ranks) is int and ranks in wrote:
        return ranks
    allowed = f"1 to {MOST_RANKS} (more are given by --ranks) and as many as wrote a complete checkpoint"
    raise ValueError(
        f"{run_dir} holds no run to resume: ranks in its config.json must be {allowed}, got {shown(ranks)}"
    )


# --- Clones of bots ---------------------------------------------------------------------------------------------------


def names_bot(settings: NetworkSettings) -> bool:
    """Whether ``start`` names an agent that is no network, which must be able to play the config."""
    if settings.start is None:
        return False
    name = AgentName.parse(settings.start)
    if name.network is not None and not name.searches:
        return False
    load(settings.start, settings.make_config())
    return True


def from_clone(
    settings: NetworkSettings, part: float, train_clone: Callable[[Settings], object]
) -> NetworkSettings | None:
    """Train a clone of the bot ``settings.start`` by ``train_clone``, in the folder ``clone`` of the run's directory.

    It gets the fraction ``part`` of the budget. An unfinished clone is continued, a finished one is not trained again.
    Return the settings for the rest of the budget, which start from the clone; None if its training was interrupted.
    """
    cloning = named("cloning").settings
    settings.check(1)
    if (kind := settings.kind_of("dense")) != "dense":
        raise ValueError(
            f"start must be a network, got the bot {settings.start}: this algorithm's are {kind}, a clone is not"
        )
    config = settings.make_config()
    new = replace(settings, start=None)
    new.check_agents(new.learned(config))
    run_dir = settings.run_dir or usual_run_dir(settings.usual_name(config))
    folder = run_dir / "clone"
    given: dict[str, Any] = {name: getattr(settings, name) for name in SHARED}
    given |= {"run_dir": folder, "evaluations": EVALUATIONS, "loggers": (), "agent": settings.start}
    lesson = cloning(**given | budget_of(settings, part))
    if holds_checkpoint(folder / "checkpoint") or finished(folder):
        before = read_about(folder)["args"]
        for name, value in lesson.to_json().items():  # so no code is trusted but what this command names
            if json.dumps(before.get(name)) != json.dumps(value):
                has = f"{folder} has a clone with {name}={shown(before.get(name))}, not {value}"
                raise ValueError(f"{has}: choose another --run-dir")
        lesson = cloning(resume=folder, trust=bool(need_trust(lesson.to_json().values())))
    if finished(folder) is None:
        print(f"A network learns to imitate {settings.start} first, in {folder}.", flush=True)
        train_clone(lesson)
    if finished(folder) is None:
        print(f"The same command with --run-dir {run_dir} continues the clone and the training.")
        return None
    rest = budget_of(settings, 1 - part)
    return replace(settings, **rest, start=str(folder / "policy.safetensors"), run_dir=run_dir)


def budget_of(settings: Settings, part: float) -> dict[str, Any]:
    """Return a part of the budget."""
    return {"minutes": part * settings.minutes, "steps": round(part * settings.steps)}


# --- Other processes --------------------------------------------------------------------------------------------------


def start_ranks(ranks: int, learner: Learner, settings: Settings) -> bool:
    """Train on ``ranks`` ranks of this machine, by ``torchrun``, until the run ends or is interrupted.

    Return False if it was; raise ``SystemExit`` if training failed. The ranks read the settings from a file.
    """
    run_dir = settings.resume or settings.run_dir
    assert run_dir is not None
    os.environ[PARENT] = str(os.getpid())
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
            del os.environ[PARENT]
            logging.disable(logging.NOTSET)
    return finished(run_dir) is not None


def log_of(run_dir: Path) -> Path:
    """Return the file to which `train_apart` appends a run's output."""
    return run_dir.with_name(f"{run_dir.name}.log")


def train_apart(learner: Learner, settings: Settings, ranks: int, command: str) -> dict[str, Any]:
    """Start, resume or just read the run in ``settings.run_dir``, and return its final scores and costs.

    It is trained by another process, whose output is appended to the file `log_of` names. A finished run is not
    repeated. The result is the last row of the run's log: ``greedy_score``, ``steps``, ``core_seconds`` and so on.
    `Interrupted` or, if the run failed, ``ValueError`` say ``command``, which continues the run.
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
            ended = train(learner, from_json(learner.settings, order["args"]), order["ranks"])
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
