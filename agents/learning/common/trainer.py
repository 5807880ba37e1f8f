"""The trainer: everything of a training run but what is learned and how.

It knows the budget, the ranks, the games, the log, evaluations and checkpoints, and nothing of an algorithm. An
algorithm is one file: its settings, a subclass of `Settings`; a class that satisfies `Algorithm`; and

    def main(argv=None):
        command_line(__spec__.name, MySettings, MyAlgorithm, __doc__, argv)
"""

import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Protocol, Self, get_args, get_origin, get_type_hints

import torch
import tyro

from hanabako.files import read_json
from hanabako.games import game_named, make_config
from hanabako.words.checks import as_index, shown, usable_threads

from ...networks.network import Network, kind_of_processor
from ...networks.neural_policy import NeuralPolicy, save_policy
from ...registry import load
from .checkpoints import Checkpoints, holds_checkpoint
from .ranks import Ranks, checked_device, joined_ranks, processor_settings
from .runs import Interruption, Log, begin_run, draw_curve, finished, shown_of, usual_run_dir
from .selfplay import SelfPlayEnvs
from .validation import VALIDATION_SEED, compile_evaluations, validate

__all__ = [
    "Algorithm",
    "AlgorithmClass",
    "Progress",
    "Settings",
    "Trainer",
    "command_line",
    "geometric",
    "price_of_losing",
    "train",
]


@dataclass(frozen=True)
class Settings:
    """What every training run is told."""

    game: str = "hanabi"
    """The game."""
    preset: str | None = None
    """A preset of the game; by default its first."""
    players: int | None = None
    """Number of players; by default the preset's."""
    config: tuple[str, ...] | None = None
    """More fields of the game's config, as name=value; by default derived=true in Hanabi."""
    seed: int = 1
    """Seed of everything random: weights, deals, actions, minibatches."""
    minutes: float = 5.0
    """The budget in minutes of training, evaluations included, compiling not; ignored if ``steps`` is given."""
    clock: Literal["wall", "core"] = "wall"
    """What ``minutes`` count: those that pass, or those that a rank's processor works, whoever else keeps it busy."""
    steps: int = 0
    """The budget in decisions, all ranks together. Runs of equal settings and ranks are then equal to the last bit."""
    run_dir: Path | None = None
    """Where the run is kept; by default a name with the time under ``runs/``."""
    resume: Path | None = None
    """Continue the run kept in this directory, with its own settings: all others are ignored."""
    games: int = 1024
    """Games played at a time, all ranks together."""
    threads: int = 1
    """Threads of each rank's simulator: one beside other ranks, all cores beside a GPU."""
    device: str = "auto"
    """``cpu``, ``cuda``, ``mps``, or ``auto`` for the best there is."""
    evaluations: int = 12
    """Evaluations (and checkpoints) over the budget."""
    evaluation_games: int = 2000
    """Games per evaluation, played greedily on deals that training never sees."""
    final_games: int = 10_000
    """Games of the last evaluation."""
    opponent: str | None = None
    """An agent (its name or file) that takes all other seats when a competitive game is evaluated; by default
    ``random``."""
    loggers: tuple[Literal["tensorboard", "wandb"], ...] = ()
    """Where to log beside ``metrics.jsonl``: TensorBoard, Weights & Biases, which must be installed."""

    def check(self, world: int) -> None:
        """Refuse settings that cannot work with that many ranks, in words.

        Raises:
            ValueError: a size that is not positive, or that the ranks cannot share evenly; a device that is not there.
        """
        checked_device(self.device)
        self.check_positive("games", "evaluations", "evaluation_games", "final_games")
        usable_threads(self.threads)
        as_index("seed", self.seed, VALIDATION_SEED - 1)
        self.check_shared(world, "games")
        if self.steps < 0 or (self.steps == 0 and self.minutes <= 0):
            raise ValueError(f"the budget must be positive, got steps={self.steps}, minutes={self.minutes}")

    def check_positive(self, *names: str) -> None:
        """Refuse settings of these names that are below 1."""
        for name in names:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")

    def check_shared(self, world: int, *names: str) -> None:
        """Refuse settings of these names that are no multiple of the number of ranks."""
        for name in names:
            if getattr(self, name) % world:
                raise ValueError(f"{name} must be a multiple of the {world} ranks, got {getattr(self, name)}")

    def make_config(self) -> Any:
        """The config to train on.

        Raises:
            ValueError: an unknown game, preset or field, or a value that the config refuses.
        """
        settings = game_named(self.game).training_settings if self.config is None else self.config
        return make_config(self.game, self.preset, self.players, settings)

    def usual_name(self, config: Any) -> str:
        """What a run is called, before the time, if nobody says where it is kept."""
        return f"{self.game}-{self.preset or game_named(self.game).first_preset}-{config.players}p"

    def others(self) -> tuple[str, ...]:
        """The agents (names or files) that the network is evaluated among; nobody, if it has every seat."""
        return () if game_named(self.game).cooperative else (self.opponent or "random",)

    def check_agents(self, config: Any, kind: type[SelfPlayEnvs]) -> None:
        """Refuse agents that cannot play ``config``, now, and not after the first evaluation's share of the budget.

        Args:
            config: what is played.
            kind: of games that the algorithm learns from.

        Raises:
            ValueError: see `agents.load`.
        """
        del kind
        for name in self.others():
            load(name, config)

    def make_envs(self, config: Any, ranks: Ranks, kind: type[SelfPlayEnvs]) -> SelfPlayEnvs:
        """This rank's games to learn from, of the ``kind`` that the algorithm asks for."""
        return kind(config, self.games, self.seed, ranks, self.threads)

    @classmethod
    def saved(cls, run_dir: Path) -> Self:
        """The settings of the run kept in ``run_dir``, to resume it.

        Raises:
            ValueError: it holds no run, or its ``config.json`` lacks a setting or has one of another type.
        """
        try:
            kept = dict(read_json(run_dir / "config.json")["args"]) | {"run_dir": run_dir, "resume": run_dir}
            hints = get_type_hints(cls)
            if kept.keys() != hints.keys():
                odd = ", ".join(map(shown, sorted(kept.keys() ^ hints.keys())))
                raise ValueError(f"missing or unknown settings in its config.json: {odd}")
            values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in kept.items()}
            for name, hint in hints.items():
                if not is_of(values[name], hint):
                    raise ValueError(f"{name} must be {allowed_by(hint)}, got {shown(values[name])}")
            return cls(**values)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{run_dir} holds no run to resume: {error}") from error


def is_of(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that the annotation of a setting says: a class, a union, a literal, a tuple."""
    kind = get_origin(hint)
    if kind is Literal:
        return value in get_args(hint)
    if kind is UnionType:
        return any(is_of(value, part) for part in get_args(hint))
    if kind is tuple:
        return isinstance(value, tuple) and all(is_of(element, get_args(hint)[0]) for element in value)
    if hint is Path:
        return isinstance(value, Path)
    return type(value) is hint or (hint is float and type(value) is int)


def allowed_by(hint: Any) -> str:
    """What an annotation says, in words."""
    return hint.__name__ if isinstance(hint, type) else str(hint).removeprefix("typing.")


class Algorithm(Protocol):
    """What learns, on one rank. The trainer does everything else."""

    @property
    def network(self) -> Network:
        """What is evaluated and saved: it plays every seat."""
        ...

    def learn(self, fraction: float) -> dict[str, float]:
        """Play some decisions in the environments, improve the network, and return a row for the log.

        Args:
            fraction: the part of the budget that is spent, 0 to 1, for schedules.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Everything needed to go on but the environments: tensors, numbers, strings, and dicts and lists of them."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of `state`."""
        ...


class AlgorithmClass(Protocol):
    """How an algorithm is made on each rank; torch's own generator is seeded the same on all of them.

    One that learns from games shown otherwise than a player sees them names the class in its attribute ``Envs``.
    """

    def __call__(self, args: Any, envs: SelfPlayEnvs, ranks: Ranks, /) -> Algorithm: ...  # noqa: D102


@dataclass
class Progress:
    """How far a run is."""

    updates: int = 0
    steps: int = 0
    """Decisions, all ranks together."""
    seconds: float = 0.0
    """Spent on training and evaluating, by rank 0's clock, earlier sessions included."""
    core_seconds: float = 0.0
    """Spent by the processors of all ranks on the same: what a run costs, however busy the machine is."""
    ranks: int = 1
    evaluations: int = 0

    def fraction(self, args: Settings) -> float:
        """The part of the budget that is spent, 0 to 1."""
        seconds = self.seconds if args.clock == "wall" else self.core_seconds / self.ranks
        spent = self.steps / args.steps if args.steps else seconds / (60 * args.minutes)
        return min(spent, 1.0)


class Trainer:
    """One rank of a run: an algorithm, its environments, and how far it is."""

    def __init__(self, args: Settings, algorithm: AlgorithmClass, config: Any, ranks: Ranks, run_dir: Path) -> None:
        self.args, self.config, self.ranks, self.run_dir = args, config, ranks, run_dir
        self.envs = args.make_envs(config, ranks, getattr(algorithm, "Envs", SelfPlayEnvs))
        torch.manual_seed(args.seed)  # the same weights on every rank
        self.algorithm = algorithm(args, self.envs, ranks)
        self.progress = Progress(ranks=ranks.world)
        self.checkpoints = Checkpoints(run_dir / "checkpoint", ranks)

    def run(self, log: Log | None, interruption: Interruption) -> None:
        """Learn, evaluate and save until the budget is spent or an interruption comes; to compile costs none of it."""
        args, progress = self.args, self.progress
        policy = NeuralPolicy(self.algorithm.network, self.config)
        compile_evaluations(policy, (args.evaluation_games, args.final_games), args.others(), self.ranks)
        started, started_core, before = time.perf_counter(), time.process_time(), replace(progress)
        interrupted = False
        while progress.fraction(args) < 1 and not interrupted:
            row = self.learn()
            seconds = before.seconds + time.perf_counter() - started
            core_seconds = before.core_seconds / self.ranks.world + time.process_time() - started_core
            progress.seconds, progress.core_seconds, interrupted = self.agree(
                seconds, core_seconds, interruption.happened
            )
            fraction = progress.fraction(args)
            due = fraction * args.evaluations >= progress.evaluations + 1
            if due:
                row |= self.evaluate(args.final_games if fraction >= 1 else args.evaluation_games)
            row |= {"update": progress.updates, "steps": progress.steps, "seconds": progress.seconds}
            row |= {"core_seconds": progress.core_seconds, "fraction": fraction}
            row["steps_per_second"] = (progress.steps - before.steps) / (progress.seconds - before.seconds)
            if log:
                log.write(row)
            if due or interrupted:
                self.save(row)

    def learn(self) -> dict[str, float]:
        """One update; a row for the log."""
        decisions = self.envs.decisions
        row = self.algorithm.learn(self.progress.fraction(self.args)) | self.envs.statistics()
        self.progress.updates += 1
        self.progress.steps += (self.envs.decisions - decisions) * self.ranks.world
        return row

    def agree(self, seconds: float, core_seconds: float, interrupted: bool) -> tuple[float, float, bool]:
        """Rank 0's seconds, the sum of all ranks' core seconds, and whether any rank is interrupted."""
        own = [seconds if self.ranks.rank == 0 else 0.0, core_seconds, float(interrupted)]
        total = self.ranks.sum(torch.tensor(own, dtype=torch.float64)).tolist()
        return total[0], total[1], total[2] > 0

    def evaluate(self, games: int) -> dict[str, float]:
        """See `agents.learning.common.validation.validate`; a row for the log."""
        self.progress.evaluations += 1
        policy = NeuralPolicy(self.algorithm.network, self.config)
        return validate(policy, games, self.args.others(), self.ranks)

    def save(self, row: dict[str, float]) -> None:
        """Write the network, said to be as good as ``row`` tells, and a checkpoint."""
        if self.ranks.rank == 0:
            about = {"name": self.run_dir.name, "seed": self.args.seed, "ranks": self.ranks.world, **row}
            about["processor"] = kind_of_processor(self.ranks.device)
            save_policy(self.run_dir / "policy.safetensors", self.algorithm.network, self.config, about)
        state = {"progress": asdict(self.progress), "algorithm": self.algorithm.state()}
        self.checkpoints.save(self.progress.updates, state, self.envs.state())

    def load(self) -> None:
        """Go on from the run's last checkpoint.

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
    """Run the training that ``args`` describe, or go on with the one they resume.

    An interruption (Ctrl-C, SIGTERM) saves a checkpoint and returns early; ``policy.safetensors`` is written by every
    evaluation, so there is a playable network at any time.

    Returns:
        The run's directory: ``config.json``, ``metrics.jsonl``, ``curve.png``, ``checkpoint/``, ``policy.safetensors``.

    Raises:
        ValueError: a setting that cannot work, or a checkpoint that cannot be continued.
        OSError: the disk is full, the run's directory cannot be written to, or another rank is lost; the last
            checkpoint stands, and the run can be resumed from it.
    """
    if args.resume is not None:
        args = args.saved(args.resume)
    with joined_ranks(args.device) as ranks, processor_settings(), Interruption().watched() as interruption:
        args.check(ranks.world)
        config = args.make_config()
        args.check_agents(config, getattr(algorithm, "Envs", SelfPlayEnvs))
        run_dir = args.resume or args.run_dir or usual_run_dir(args.usual_name(config), ranks)
        if args.resume is None:
            if holds_checkpoint(run_dir / "checkpoint"):
                raise ValueError(f"{run_dir} holds a run already: --resume it, or choose another --run-dir")
            begin_run(run_dir, asdict(args), config, ranks)
        trainer = Trainer(args, algorithm, config, ranks, run_dir)
        if args.resume is not None:
            trainer.load()
        shown = shown_of(config, args.others())
        log = Log(run_dir, trainer.progress.updates, shown, args.loggers) if ranks.rank == 0 else None
        try:
            trainer.run(log, interruption)
        finally:
            if log:
                log.close()
        if ranks.rank == 0:
            draw_curve(run_dir, config, args.others())
        return run_dir


def command_line(
    module: str, settings: type[Settings], algorithm: AlgorithmClass, about: str | None, argv: list[str] | None
) -> None:
    """Train as the command of a module: ``settings`` are its options, ``about`` is its description."""
    args = tyro.cli(settings, args=argv, description=about, prog=f"python -m {module}")
    try:
        run_dir = train(args, algorithm)
    except ConnectionError as error:
        print(f"{module.rpartition('.')[2]}: {error}", file=sys.stderr, flush=True)
        os._exit(1)  # while Python ends in the usual way, torch's threads that wait for the lost one may abort it
    except (OSError, ValueError) as error:
        raise SystemExit(f"{module.rpartition('.')[2]}: {error}") from error
    if int(os.environ.get("RANK", "0")) == 0:
        print(f"{run_dir}: policy.safetensors, curve.png, metrics.jsonl, checkpoint/")
        if not finished(run_dir):
            print(f"Interrupted. To go on: --resume {run_dir}")


# --- Schedules --------------------------------------------------------------------------------------------------------


def geometric(start: float, end: float, fraction: float) -> float:
    """From ``start`` to ``end`` in equal factors."""
    return start * (end / start) ** fraction


def price_of_losing(ramp: float, fraction: float) -> float:
    """The part of its points that a lost game costs: from 0 to 1 while ``ramp`` of the budget is spent."""
    return 1.0 if ramp == 0 else min(fraction / ramp, 1.0)
