"""Start a training run from its settings: in this process, or in one of its own."""

import os
import sys
from functools import partial
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory
from typing import Any

import tyro

from hanabako.files import check_writable, read_json, write_json
from hanabako.games import game_of
from hanabako.interrupts import INTERRUPTED, PARENT, Interrupted, end_with_parent, interruptible, patient
from hanabako.program import in_a_sentence

from ...registry import need_trust
from .algorithms import COMMAND, Learner, named, start
from .checkpoints import holds_checkpoint
from .cloned_start import from_clone, names_bot
from .launch import ALONE, Machines, ranks_for, saved_ranks, start_ranks
from .network_settings import NetworkSettings
from .runs import finished
from .settings import Settings
from .trainer import envs_of

__all__ = ["log_of", "train", "train_apart"]


def train(
    learner: Learner, settings: Settings, ranks: int | None = None, machines: Machines = ALONE, clone_part: float = 0.2
) -> bool:
    """Train on ``ranks`` ranks of this machine, by default as many as fit, until the run ends or is interrupted.

    If ``start`` of the settings is a bot, a clone of it is trained first.

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
    if settings.resume is not None:
        ranks = ranks or saved_ranks(settings.resume, machines.count)
    else:
        if isinstance(settings, NetworkSettings) and names_bot(settings):
            if machines.count > 1:
                raise ValueError(f"start must be a network on several machines, got the bot {settings.start}")
            rest = from_clone(learner, settings, clone_part, partial(train, ranks=ranks))
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
    with TemporaryDirectory(prefix="hanabako-") as folder:
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


MODULE = "hanabako.agents.learning.common.starting"

if __name__ == "__main__":
    with interruptible():
        begin(tyro.cli(tyro.conf.Positional[Path], prog=f"python -m {MODULE}"))
