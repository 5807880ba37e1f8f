"""The trainer: the parts of a training run that do not depend on the algorithm.

`train_session` makes the games, and the algorithm with its network. Then `Trainer.run` calls `Algorithm.learn` until
the budget is spent: each call plays some decisions in the games and improves the network by a few gradient steps. In
between, the trainer keeps time, evaluates, writes the log and saves checkpoints.

An algorithm is one file with its settings, a subclass of `Settings`, and a class that satisfies `Algorithm`.
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import torch
from numba.core import event

from hanabako.files import write_json
from hanabako.games import config_to_dict, game_in_words
from hanabako.importing import short_name
from hanabako.machine import describe
from hanabako.words.checks import shown
from hanabako.words.notation import counted

from ...networks.network import Network, kind_of_processor
from ...networks.neural_policy import NeuralPolicy
from ...networks.policy_file import save_policy
from .checkpoints import Checkpoints, holds_checkpoint
from .ranks import Ranks, joined_ranks, processor_settings
from .runs import Interruption, Log, draw_curve, locked, read_about, shown_of, usual_run_dir
from .settings import Settings
from .validation import validate

FOLDER = __name__.rpartition(".common.")[0]
"""The package that contains the algorithms."""


class Algorithm(Protocol):
    """A learning algorithm on one rank. The trainer does everything else."""

    @property
    def network(self) -> Network:
        """The network that is evaluated and saved."""
        ...

    def learn(self, fraction: float) -> dict[str, float]:
        """Play some decisions in the environments, improve the network, and return a row for the log.

        ``fraction``, from 0 to 1, is the part of the budget that is spent, for schedules.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Return what is needed to continue besides the environments: tensors, numbers, texts, dicts and lists."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Take on a state that `state` returned."""
        ...


AlgorithmClass = Callable[[Any, Any, Ranks], Algorithm]
"""The constructor of an algorithm, called on each rank with settings, games (see `Settings.make_envs`) and ranks.

Torch's global generator has the same seed on all ranks.
"""


@dataclass
class Progress:
    """The progress of a run."""

    updates: int = 0
    steps: int = 0
    """Number of decisions, all ranks together."""
    seconds: float = 0.0
    """Time spent on training and evaluation by rank 0's clock, including earlier sessions."""
    core_seconds: float = 0.0
    """CPU time of all ranks for the same; it does not depend on how busy the machine is."""
    ranks: int = 1
    evaluations: int = 0
    unevaluated: dict[str, float] | None = None
    """The last update's row, if an interruption cut its evaluation short; the run resumes with the evaluation."""

    def fraction(self, args: Settings) -> float:
        """Return the fraction of the budget that is spent, 0 to 1."""
        seconds = self.seconds if args.clock == "wall" else self.core_seconds / self.ranks
        spent = self.steps / args.steps if args.steps else seconds / (60 * args.minutes)
        return min(spent, 1.0)


class Clock(event.Listener):
    """The clock of a budget: the time since it was made, except what Numba takes to compile or load compiled code."""

    def __init__(self) -> None:
        self._depth = 0
        self._began = self._still = now()

    @property
    def seconds(self) -> float:
        """Elapsed time."""
        return now()[0] - self._began[0]

    @property
    def core_seconds(self) -> float:
        """CPU time of this process."""
        return now()[1] - self._began[1]

    def on_start(self, event: event.Event) -> None:
        """See ``numba.core.event.Listener``: compiling begins, perhaps that of a function which another one calls."""
        if self._depth == 0:
            self._still = now()
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        """See ``numba.core.event.Listener``."""
        self._depth -= 1
        if self._depth == 0:
            (elapsed, spent), (began, began_core), (still, still_core) = now(), self._began, self._still
            self._began = began + elapsed - still, began_core + spent - still_core


def now() -> tuple[float, float]:
    """Return the elapsed time and this process's CPU time, in seconds."""
    return time.perf_counter(), time.process_time()


class Trainer:
    """One rank of a run: an algorithm, its environments, and its progress."""

    def __init__(self, args: Settings, algorithm: AlgorithmClass, config: Any, ranks: Ranks, run_dir: Path) -> None:
        self.args, self.ranks, self.run_dir = args, ranks, run_dir
        self.played, self.config = config, args.learned(config)
        self.envs = args.make_envs(self.config, ranks)
        torch.manual_seed(args.seed)  # the same weights on every rank
        self.algorithm, self.name = algorithm(args, self.envs, ranks), name_of(algorithm)
        self.progress = Progress(ranks=ranks.world)
        self.checkpoints = Checkpoints(run_dir / "checkpoint", ranks)

    def run(self, log: Log | None, interruption: Interruption, clock: Clock) -> bool:
        """Learn, evaluate and save until the budget is spent or the run is interrupted; return False if it was."""
        args, progress, before = self.args, self.progress, replace(self.progress)
        while progress.unevaluated or progress.fraction(args) < 1:
            row = progress.unevaluated or self.learn()
            interrupted = self.agree(before, clock, interruption, self.not_finite(row))
            fraction = progress.fraction(args)
            due = progress.unevaluated is not None or fraction * args.evaluations >= progress.evaluations + 1
            row |= {"update": progress.updates, "steps": progress.steps, "seconds": progress.seconds}
            row |= {"core_seconds": progress.core_seconds, "fraction": fraction}
            if progress.steps > before.steps:
                row["steps_per_second"] = (progress.steps - before.steps) / (progress.seconds - before.seconds)
            if due:
                evaluation = None if interrupted else self.evaluate(fraction, interruption)
                progress.unevaluated, interrupted = (row, True) if evaluation is None else (None, False)
                row |= evaluation or {}
            if log and not progress.unevaluated:
                log.write(row)
            if due or interrupted:
                self.save(row)
            if interrupted:
                return False
        return True

    def learn(self) -> dict[str, float]:
        """Make one update and return a row for the log."""
        decisions = self.envs.decisions
        row = self.algorithm.learn(self.progress.fraction(self.args)) | self.envs.statistics()
        self.progress.updates += 1
        self.progress.steps += (self.envs.decisions - decisions) * self.ranks.world
        return row

    def agree(self, before: Progress, clock: Clock, interruption: Interruption, wrong: list[str]) -> bool:
        """Note how much time all ranks have spent since ``before``, and return whether one of them is interrupted.

        Raise ``ValueError`` if training has diverged on some rank; ``wrong`` is what `not_finite` found on this one.
        """
        own = [clock.seconds if self.ranks.rank == 0 else 0.0, clock.core_seconds, interruption.happened, bool(wrong)]
        seconds, core_seconds, interrupted, diverged = self.ranks.sum(torch.tensor(own, dtype=torch.float64)).tolist()
        self.progress.seconds = before.seconds + seconds
        self.progress.core_seconds = before.core_seconds + core_seconds
        if diverged:
            last = self.checkpoints.last
            stands = f"the checkpoint of update {int(last.name)} is kept" if last else "there is no checkpoint yet"
            what = ", ".join(wrong) or "numbers of another rank"
            after = f"after update {self.progress.updates} these are not finite"
            raise ValueError(f"training diverged: {after}: {what}; {stands}")
        return interrupted > 0

    def not_finite(self, row: dict[str, float]) -> list[str]:
        """Return the names of numbers in the row that are NaN or infinite; "weights" if a weight of the network is."""
        weights = all(bool(weight.isfinite().all()) for weight in self.algorithm.network.parameters())
        return [name for name, value in row.items() if not math.isfinite(value)] + ([] if weights else ["weights"])

    def evaluate(self, fraction: float, interruption: Interruption) -> dict[str, float] | None:
        """See `agents.learning.common.validation.validate`; return a row for the log, None if interrupted."""
        games = self.args.final_games if fraction >= 1 else self.args.evaluation_games
        policy = NeuralPolicy(self.algorithm.network, self.config)
        row = validate(policy, games, self.args.others(), self.ranks, interruption)
        self.progress.evaluations += row is not None
        return row

    def save(self, row: dict[str, float]) -> None:
        """Write the network, with the scores in ``row`` as metadata, and a checkpoint."""
        if self.ranks.rank == 0:
            about = {"name": self.run_dir.name, "algorithm": self.name, "seed": self.args.seed}
            about |= {"ranks": self.ranks.world, **row, "processor": kind_of_processor(self.ranks.device)}
            save_policy(self.run_dir / "policy.safetensors", self.algorithm.network, self.played, about)
        state = {"progress": asdict(self.progress), "algorithm": self.algorithm.state()}
        self.checkpoints.save(self.progress.updates, state, self.envs.state())

    def restore(self, state: dict[str, Any], games: dict[str, Any]) -> None:
        """Take on what `save` has written."""
        self.algorithm.restore(state["algorithm"])
        self.envs.restore(games)
        self.progress = Progress(**state["progress"])

    # --- In words -----------------------------------------------------------------------------------------------------

    @property
    def seen(self) -> str:
        """What the network observes, in words."""
        return f"observation {self.played.observation_name}, features {self.algorithm.network.features}"

    def about(self) -> dict[str, Any]:
        """Return the content of the run's ``config.json``."""
        return {
            "algorithm": self.name,
            "args": self.args.to_json(),
            "config": config_to_dict(self.played),
            "learned": config_to_dict(self.config),
            "observation": self.played.observation_name,
            "observation_bits": self.played.observation_bits,
            "features": self.algorithm.network.features,
            "ranks": self.ranks.world,
            "device": str(self.ranks.device),
            "machine": describe(),
        }

    def opening_lines(self) -> str:
        """Return a line that describes the game, network and hardware, and one that says where a run continues."""
        network, progress = self.algorithm.network, self.progress
        size = " x ".join(str(network.settings[name]) for name in ("width", "layers") if name in network.settings)
        parts = (
            f"{game_in_words(self.config)}, {self.seen}",
            f"{network.kind} network{f' of {size}' if size else ''}",
            f"{counted(self.ranks.world, 'rank')}, {kind_of_processor(self.ranks.device)}",
        )
        if self.args.resume is None:
            return "; ".join(parts)
        spent = f"with {100 * progress.fraction(self.args):.0f} % of the budget spent"
        return f"{'; '.join(parts)}\ngoing on from update {progress.updates}, {spent}"


def train(args: Settings, algorithm: AlgorithmClass) -> Path:
    """Run the training that ``args`` describe, or resume a run.

    An interruption (Ctrl-C, SIGTERM) saves a checkpoint and returns early. Every evaluation writes
    ``policy.safetensors``, so a playable network exists during training. Return the run's directory.

    Raises:
        ValueError: a setting cannot work, a checkpoint cannot be continued, another process trains in the directory, or
            training diverged (numbers that are not finite are neither evaluated nor saved).
        OSError: the disk is full or not writable, or another rank is lost; the last checkpoint can be resumed.
    """
    return train_session(args, algorithm)[0]


def train_session(args: Settings, algorithm: AlgorithmClass) -> tuple[Path, bool]:
    """Train as `train` does; return the run's directory, and False if the run was interrupted before its end."""
    if args.resume is not None:
        maker, name = read_about(args.resume).get("algorithm"), name_of(algorithm)
        if maker != name:
            raise ValueError(f"{args.resume} is a run of the algorithm {shown(maker)}, and cannot be resumed by {name}")
        args = args.saved(args.resume, args.trust)
    with joined_ranks(args.device) as ranks, processor_settings():
        args.check(ranks.world)
        config = args.make_config()
        args.check_agents(args.learned(config))
        run_dir = args.resume or args.run_dir or ranks.broadcast(usual_run_dir(args.usual_name(config)))
        trainer = Trainer(args, algorithm, config, ranks, run_dir)  # refuses what it cannot train before a file exists
        with locked(run_dir, ranks):
            begin(trainer)
            return run_dir, session(trainer)


def begin(trainer: Trainer) -> None:
    """Begin a new run in its directory, which must hold none, or load the checkpoint of the one that is resumed."""
    run_dir, ranks = trainer.run_dir, trainer.ranks
    if trainer.args.resume is not None:
        trainer.checkpoints.load(trainer.restore)
    elif ranks.broadcast(holds_checkpoint(run_dir / "checkpoint")):
        raise ValueError(f"{run_dir} holds a run already: --resume it, or choose another --run-dir")
    elif ranks.rank == 0:
        write_json(run_dir / "config.json", trainer.about())
    if ranks.rank == 0:
        print(trainer.opening_lines(), flush=True)


def session(trainer: Trainer) -> bool:
    """Train until the budget is spent or the run is interrupted; return False if it was."""
    run_dir, args, log = trainer.run_dir, trainer.args, None
    if trainer.ranks.rank == 0:
        log = Log(run_dir, trainer.progress.updates, shown_of(trainer.config, args.others()), args.loggers)
    try:
        with Interruption().watched() as interruption:
            with event.install_listener("numba:compiler_lock", Clock()) as clock:
                ended = trainer.run(log, interruption, clock)
            if log:
                draw_curve(run_dir, trainer.config, args.others(), trainer.seen)
    finally:
        if log:
            log.close()
    return ended


def name_of(algorithm: AlgorithmClass) -> str:
    """Return the name of the algorithm's module, without the prefix of ``agents/learning`` or the path of a file."""
    return short_name(algorithm.__module__).removeprefix(f"{FOLDER}.")


# --- Schedules --------------------------------------------------------------------------------------------------------


def geometric(start: float, end: float, fraction: float) -> float:
    """Interpolate geometrically from ``start`` to ``end``; linearly if one of them is 0."""
    return start * (end / start) ** fraction if start * end > 0 else start + (end - start) * fraction


def risen(ramp: float, fraction: float) -> float:
    """Return a number that rises from 0 to 1 over ``ramp`` of the budget, such as a price; without a ramp, 1."""
    return 1.0 if ramp == 0 else min(fraction / ramp, 1.0)
