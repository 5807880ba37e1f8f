"""The settings that all training runs share: their checks, and their form as JSON."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from hanabako.games import game_named, game_of, make_config, nearest_preset
from hanabako.words.checks import parse_setting, shown, usable_threads
from hanabako.words.ranges import Positive, Size, Within, check_ranges
from hanabako.words.typed import from_json

from ...registry import load, need_trust
from .ranks import Ranks, checked_device
from .runs import read_about
from .selfplay import SelfPlayEnvs
from .validation import VALIDATION_SEED


@dataclass(frozen=True)
class Settings:
    """The settings that all training runs share."""

    games_class: ClassVar[type[SelfPlayEnvs]] = SelfPlayEnvs
    """The class of the games to learn from."""

    game: str = "hanabi"
    """The game to learn."""
    preset: str | None = None
    """A preset of the game; by default its first."""
    players: int | None = None
    """Number of players; by default the preset's."""
    config: tuple[str, ...] | None = None
    """Fields of the game's config, as name=value."""
    training: tuple[str, ...] | None = None
    """Fields that only the games to learn from have, as name=value; they change no action and no observation. By
    default reward=dense in Ikebana, rounds=1 hand_swap=false in Koi-Koi."""
    seed: Annotated[int, Within(0, VALIDATION_SEED - 1)] = 1
    """Seed of all random numbers: weights, deals, actions, minibatches."""
    minutes: Positive = 5.0
    """The training budget in minutes, including evaluations but not compilation; ignored if ``steps`` is given."""
    clock: Literal["wall", "core"] = "wall"
    """The clock for ``minutes``: ``wall``: elapsed time; ``core``: CPU time per rank."""
    steps: Annotated[int, Within(0, 10**15)] = 0
    """The training budget in decisions of all ranks together. Runs with the same settings and number of ranks are then
    identical to the last bit."""
    run_dir: Path | None = None
    """The run's directory; by default one under ``runs/`` whose name has the time."""
    resume: Path | None = None
    """Resume the run in this directory with its saved settings; all other options except ``trust`` are ignored."""
    trust: bool = False
    """With ``resume``: allow the run's settings to import and run agents named as FILE.py:NAME."""
    games: Size = 1024
    """Games played in parallel, all ranks together."""
    threads: int = 1
    """Threads of each rank's simulator. Use 1 if there are several ranks, all cores if the network is on a GPU."""
    device: str = "auto"
    """``cpu``, ``cuda``, ``mps``, or ``auto`` for the best one available."""
    evaluations: Size = 12
    """Number of evaluations (and checkpoints) over the budget."""
    evaluation_games: Size = 2000
    """Games per evaluation, played greedily on deals that are never used in training."""
    final_games: Size = 10_000
    """Games of the last evaluation."""
    opponent: str | None = None
    """The agent at all other seats when a competitive game is evaluated; by default ``random``. A name, a file or
    FILE.py:NAME, whose code is imported and run."""
    loggers: tuple[Literal["tensorboard", "wandb"], ...] = ()
    """Loggers in addition to ``metrics.jsonl``: TensorBoard, Weights & Biases. They must be installed."""

    def check(self, world: int) -> None:
        """Raise ``ValueError`` if the settings cannot work with ``world`` ranks."""
        check_ranges(self)
        checked_device(self.device)
        usable_threads(self.threads)
        self.check_shared(world, "games")
        if self.opponent is not None and game_named(self.game).cooperative:
            raise ValueError(f"opponent must be left out in {self.game}, a cooperative game, got {self.opponent}")

    def check_shared(self, world: int, name: str) -> None:
        """Raise `ValueError` if the setting ``name`` is not a multiple of the number of ranks."""
        if getattr(self, name) % world:
            raise ValueError(f"{name} must be a multiple of the {world} ranks, got {getattr(self, name)}")

    def make_config(self) -> Any:
        """Return the config of the game that the policy will play; errors are those of `hanabako.games.make_config`."""
        return make_config(self.game, self.preset, self.players, self.config or ())

    def learned(self, config: Any) -> Any:
        """Return the config of the games to learn from: ``config`` with ``training``, which may name neutral fields."""
        entry = game_of(config)
        changed = dict(map(parse_setting, entry.training_settings if self.training is None else self.training))
        for name in changed:
            if name not in entry.neutral_fields:
                raise ValueError(f"training must name fields of {', '.join(entry.neutral_fields)}, got {shown(name)}")
        return replace(config, **changed)

    def usual_name(self, config: Any) -> str:
        """Return the default name of a run's directory, without the time."""
        return f"{self.game}-{nearest_preset(config)[0]}-{config.players}p"

    def others(self) -> tuple[str, ...]:
        """Return the agents (names or files) that the network is evaluated among; none if it plays every seat."""
        return () if game_named(self.game).cooperative else (self.opponent or "random",)

    def check_agents(self, config: Any) -> None:
        """Check before training that all named agents can play ``config``; errors are those of `agents.load`."""
        for name in self.others():
            load(name, config)

    def make_envs(self, config: Any, ranks: Ranks) -> SelfPlayEnvs:
        """Return this rank's games to learn from."""
        return self.games_class(config, self.games, self.seed, ranks, self.threads)

    # --- As JSON ------------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON types, which `hanabako.words.typed.from_json` reads."""
        return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(self).items()}

    @classmethod
    def saved(cls, run_dir: Path, trust: bool = False) -> Self:
        """Return the settings of the run in ``run_dir``, to resume it.

        Raise ``ValueError`` if they are missing or wrong, or would import code or ask a server without ``trust``.
        """
        kept = read_about(run_dir)["args"]
        if not trust and (names := need_trust(kept.values())):
            raise ValueError(f"{run_dir} would run code or ask servers for {', '.join(names)}: only with --trust")
        try:
            return from_json(cls, {**kept, "run_dir": str(run_dir), "resume": str(run_dir), "trust": trust})
        except ValueError as error:
            raise ValueError(f"{run_dir} holds no run to resume: {error}") from error
