"""The trainer: the parts of a training run that do not depend on the algorithm.

It manages the budget, the ranks, the games, the log, evaluations and checkpoints. An algorithm is one file with its
settings, a subclass of `Settings`, and a class that satisfies `Algorithm`. The file ends with

    if __name__ == "__main__":
        command_line(__spec__.name)  # of `agents.learning.common.algorithms`
"""

import json
import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import torch

from hanabako.games import game_in_words
from hanabako.importing import short_name
from hanabako.machine import versions
from hanabako.words.checks import shown
from hanabako.words.notation import counted

from ...networks.network import Network, kind_of_processor
from ...networks.neural_policy import NeuralPolicy, save_policy
from .checkpoints import Checkpoints, holds_checkpoint
from .clock import Clock, running_clock
from .ranks import Ranks, joined_ranks, processor_settings
from .runs import Interruption, Log, begin_run, draw_curve, locked, read_about, shown_of, usual_run_dir
from .selfplay import SelfPlayEnvs
from .settings import Settings
from .validation import compile_evaluations, validate

__all__ = [
    "Algorithm",
    "AlgorithmClass",
    "Progress",
    "Settings",
    "Trainer",
    "envs_of",
    "geometric",
    "name_of",
    "risen",
    "train",
    "train_session",
]

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

        Args:
            fraction: the fraction of the budget that is spent, 0 to 1, for schedules.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Return everything needed to continue, except the environments, as safe types.

        These are tensors, numbers, strings, and dicts and lists of them.
        """
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of `state`."""
        ...


class AlgorithmClass(Protocol):
    """The constructor of an algorithm, called on each rank; torch's global generator has the same seed on all ranks.

    An algorithm that needs a special kind of games names their class in its attribute ``Envs``.
    """

    def __call__(self, args: Any, envs: SelfPlayEnvs, ranks: Ranks, /) -> Algorithm: ...  # noqa: D102


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
    unevaluated: str = ""
    """The last update's row, as JSON, if an interruption cut its evaluation short; the run resumes with the
    evaluation."""

    def fraction(self, args: Settings) -> float:
        """Return the fraction of the budget that is spent, 0 to 1."""
        seconds = self.seconds if args.clock == "wall" else self.core_seconds / self.ranks
        spent = self.steps / args.steps if args.steps else seconds / (60 * args.minutes)
        return min(spent, 1.0)


class Trainer:
    """One rank of a run: an algorithm, its environments, and its progress."""

    def __init__(self, args: Settings, algorithm: AlgorithmClass, config: Any, ranks: Ranks, run_dir: Path) -> None:
        self.args, self.ranks, self.run_dir = args, ranks, run_dir
        self.played, self.config = config, args.learned(config)
        self.envs = args.make_envs(self.config, ranks, envs_of(algorithm))
        torch.manual_seed(args.seed)  # the same weights on every rank
        self.algorithm, self.name = algorithm(args, self.envs, ranks), name_of(algorithm)
        self.progress = Progress(ranks=ranks.world)
        self.checkpoints = Checkpoints(run_dir / "checkpoint", ranks)

    @property
    def features(self) -> str:
        """The network's features."""
        return self.algorithm.network.features

    @property
    def seen(self) -> str:
        """What the network observes, in words."""
        return f"observation {self.played.observation_name}, features {self.features}"

    def run(self, log: Log | None, interruption: Interruption, clock: Clock) -> bool:
        """Learn, evaluate and save until the budget is spent or the run is interrupted; return False if it was."""
        args, progress, before, interrupted = self.args, self.progress, replace(self.progress), False
        while (progress.unevaluated or progress.fraction(args) < 1) and not interrupted:
            row = json.loads(progress.unevaluated) if progress.unevaluated else self.learn()
            seconds = before.seconds + clock.seconds
            core_seconds = before.core_seconds / self.ranks.world + clock.core_seconds
            progress.seconds, progress.core_seconds, interrupted, diverged = self.agree(
                seconds, core_seconds, interruption.happened, bool(wrong := self.not_finite(row))
            )
            if diverged:
                raise ValueError(self.divergence(wrong))
            fraction = progress.fraction(args)
            due = bool(progress.unevaluated) or fraction * args.evaluations >= progress.evaluations + 1
            row |= {"update": progress.updates, "steps": progress.steps, "seconds": progress.seconds}
            row |= {"core_seconds": progress.core_seconds, "fraction": fraction}
            if progress.steps > before.steps:
                row["steps_per_second"] = (progress.steps - before.steps) / (progress.seconds - before.seconds)
            if due:
                found = None if interrupted else self.evaluate(fraction, interruption)
                interrupted, progress.unevaluated = found is None, "" if found else json.dumps(row)
                row |= found or {}
            if log and not progress.unevaluated:
                log.write(row)
            if due or interrupted:
                self.save(row)
        return not interrupted

    def opening_line(self) -> str:
        """Return one line that describes the game, network and hardware."""
        config, network, world = self.config, self.algorithm.network, self.ranks.world
        size = " x ".join(str(network.settings[name]) for name in ("width", "layers") if name in network.settings)
        parts = (
            f"{game_in_words(config)}, {self.seen}",
            f"{network.kind} network{f' of {size}' if size else ''}",
            f"{counted(world, 'rank')}, {kind_of_processor(self.ranks.device)}",
        )
        return "; ".join(parts)

    def going_on_line(self) -> str:
        """Return one line that says where a resumed run continues."""
        spent = 100 * self.progress.fraction(self.args)
        return f"going on from update {self.progress.updates}, with {spent:.0f} % of the budget spent"

    def compile(self) -> None:
        """Play each kind of evaluation game once, so that no rank compiles what another one compiles."""
        args, policy = self.args, NeuralPolicy(self.algorithm.network, self.config)
        compile_evaluations(policy, (args.evaluation_games, args.final_games), args.others(), self.ranks)

    def learn(self) -> dict[str, float]:
        """Make one update and return a row for the log."""
        decisions = self.envs.decisions
        row = self.algorithm.learn(self.progress.fraction(self.args)) | self.envs.statistics()
        self.progress.updates += 1
        self.progress.steps += (self.envs.decisions - decisions) * self.ranks.world
        return row

    def agree(
        self, seconds: float, core_seconds: float, interrupted: bool, diverged: bool
    ) -> tuple[float, float, bool, bool]:
        """Return rank 0's seconds, all ranks' summed core seconds, and whether any rank is interrupted or diverged."""
        own = [seconds if self.ranks.rank == 0 else 0.0, core_seconds, float(interrupted), float(diverged)]
        total = self.ranks.sum(torch.tensor(own, dtype=torch.float64)).tolist()
        return total[0], total[1], total[2] > 0, total[3] > 0

    def not_finite(self, row: dict[str, float]) -> list[str]:
        """Return the names of numbers in the row that are NaN or infinite; "weights" if a weight of the network is."""
        weights = all(bool(weight.isfinite().all()) for weight in self.algorithm.network.parameters())
        return [name for name, value in row.items() if not math.isfinite(value)] + ([] if weights else ["weights"])

    def divergence(self, wrong: Sequence[str]) -> str:
        """Return the error message for training that has diverged."""
        last = self.checkpoints.last
        stands = f"the checkpoint of update {int(last.name)} is kept" if last else "there is no checkpoint yet"
        what = ", ".join(wrong) or "numbers of another rank"
        return f"training diverged: after update {self.progress.updates} these are not finite: {what}; {stands}"

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

    def load(self) -> None:
        """Continue from the run's last checkpoint.

        Raises:
            ValueError: see `agents.learning.common.checkpoints.Checkpoints.load`.
        """
        self.checkpoints.load(self.restore)

    def restore(self, state: dict[str, Any], games: dict[str, Any]) -> None:
        """The inverse of what `save` writes."""
        self.algorithm.restore(state["algorithm"])
        self.envs.restore(games)
        self.progress = Progress(**state["progress"])


def train(args: Settings, algorithm: AlgorithmClass) -> Path:
    """Run the training that ``args`` describe, or resume a run.

    An interruption (Ctrl-C, SIGTERM) saves a checkpoint and returns early. Every evaluation writes
    ``policy.safetensors``, so a playable network exists during training.

    Returns:
        The run's directory: ``config.json``, ``metrics.jsonl``, ``curve.png``, ``checkpoint/``, ``policy.safetensors``.

    Raises:
        ValueError: a setting cannot work or differs between machines, a checkpoint cannot be continued, another process
            trains in the directory, or training diverged (numbers that are not finite are neither evaluated nor saved).
        OSError: the disk is full, the run's directory cannot be written to, or another rank is lost; the run can be
            resumed from the last checkpoint.
    """
    return train_session(args, algorithm)[0]


def train_session(args: Settings, algorithm: AlgorithmClass) -> tuple[Path, bool]:
    """Train as `train` does; return the run's directory, and False if the run was interrupted before its end."""
    if args.resume is not None:
        check_maker(args.resume, name_of(algorithm))
        args = args.saved(args.resume, args.trust)
    with joined_ranks(args.device) as ranks, processor_settings(), ExitStack() as ours:
        ranks.check_alike(told_to_all(args, algorithm))
        args.check(ranks.world)
        config = args.make_config()
        args.check_agents(args.learned(config), envs_of(algorithm))
        run_dir = args.resume or args.run_dir or ranks.broadcast(usual_run_dir(args.usual_name(config)))
        trainer = Trainer(args, algorithm, config, ranks, run_dir)  # refuses what it cannot train before a file exists
        keeps = trainer.checkpoints.keeps = ours.enter_context(locked(run_dir, ranks))
        if args.resume is None:
            if ranks.any(holds_checkpoint(run_dir / "checkpoint")):
                raise ValueError(f"{run_dir} holds a run already: --resume it, or choose another --run-dir")
            begin_run(
                run_dir, name_of(algorithm), args.to_json(), config, trainer.config, trainer.features, ranks, keeps
            )
        else:
            trainer.load()
        if ranks.rank == 0:
            print(trainer.opening_line(), flush=True)
            if args.resume is not None:
                print(trainer.going_on_line(), flush=True)
        trainer.compile()
        shown = shown_of(trainer.config, args.others())
        log = Log(run_dir, trainer.progress.updates, shown, args.loggers) if ranks.rank == 0 else None
        try:
            with Interruption().watched() as interruption:
                with running_clock() as clock:
                    ended = trainer.run(log, interruption, clock)
                if log:
                    draw_curve(run_dir, trainer.config, args.others(), trainer.seen)
        finally:
            if log:
                log.close()
        return run_dir, ended


def envs_of(algorithm: AlgorithmClass) -> type[SelfPlayEnvs]:
    """Return the class of the games that an algorithm learns from."""
    return getattr(algorithm, "Envs", SelfPlayEnvs)


def name_of(algorithm: AlgorithmClass) -> str:
    """Return the name of the algorithm's module, without the prefix of ``agents/learning`` or the path of a file."""
    return short_name(algorithm.__module__).removeprefix(f"{FOLDER}.")


def told_to_all(args: Settings, algorithm: AlgorithmClass) -> dict[str, Any]:
    """Return what must be equal on every machine: all settings except the run's directory, and the versions."""
    own = {"run_dir": None, "resume": args.resume is not None, "trust": False}
    told = {"algorithm": name_of(algorithm), **args.to_json(), **own}
    return told | {f"the version of {name}": number for name, number in versions(("hanabako", "torch")).items()}


def check_maker(run_dir: Path, name: str) -> None:
    """Refuse to resume a run of another algorithm; old runs, which name none, are accepted.

    Raises:
        ValueError: the directory holds no run, or one of another algorithm.
    """
    maker = read_about(run_dir).get("algorithm", name)
    if maker != name:
        raise ValueError(f"{run_dir} is a run of the algorithm {shown(maker)}, and cannot be resumed by {name}")


# --- Schedules --------------------------------------------------------------------------------------------------------


def geometric(start: float, end: float, fraction: float) -> float:
    """Interpolate geometrically from ``start`` to ``end``; linearly if one of them is 0."""
    return start * (end / start) ** fraction if start * end > 0 else start + (end - start) * fraction


def risen(ramp: float, fraction: float) -> float:
    """Return a number that rises from 0 to 1 over ``ramp`` of the budget, such as a price; without a ramp, 1."""
    return 1.0 if ramp == 0 else min(fraction / ramp, 1.0)
