"""What every training run is told, checked in words, and kept as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from hanabako.games import game_named, make_config
from hanabako.words.checks import usable_threads
from hanabako.words.ranges import Positive, Size, Within, check_ranges
from hanabako.words.typed import from_json

from ...registry import load, need_trust
from .ranks import Ranks, checked_device
from .runs import read_about
from .selfplay import SelfPlayEnvs
from .validation import VALIDATION_SEED

__all__ = ["Settings"]


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
    """More fields of the game's config, as name=value. They add to what training has anyway: derived=true in Hanabi,
    derived=true reward=dense in Ikebana, rounds=1 hand_swap=false in Koi-Koi."""
    seed: Annotated[int, Within(0, VALIDATION_SEED - 1)] = 1
    """Seed of everything random: weights, deals, actions, minibatches."""
    minutes: Positive = 5.0
    """The budget in minutes of training, evaluations included, compiling not; ignored if ``steps`` is given."""
    clock: Literal["wall", "core"] = "wall"
    """What ``minutes`` count: ``wall``: time that passes; ``core``: time that a rank's processor works on the run."""
    steps: Annotated[int, Within(0, 10**15)] = 0
    """The budget in decisions, all ranks together. Runs of equal settings and ranks are then equal to the last bit."""
    run_dir: Path | None = None
    """Where the run is kept; by default a name with the time under ``runs/``."""
    resume: Path | None = None
    """Continue the run kept in this directory, with its own settings: all others are ignored but ``trust``."""
    trust: bool = False
    """With ``resume``: import and run the code of agents that the run's settings name as FILE.py:NAME."""
    games: Size = 1024
    """Games played at a time, all ranks together."""
    threads: int = 1
    """Threads of each rank's simulator: one beside other ranks, all cores beside a GPU."""
    device: str = "auto"
    """``cpu``, ``cuda``, ``mps``, or ``auto`` for the best there is."""
    evaluations: Size = 12
    """Evaluations (and checkpoints) over the budget."""
    evaluation_games: Size = 2000
    """Games per evaluation, played greedily on deals that training never sees."""
    final_games: Size = 10_000
    """Games of the last evaluation."""
    opponent: str | None = None
    """An agent (its name, file or FILE.py:NAME, whose code is imported and run) that takes all other seats when a
    competitive game is evaluated; by default ``random``."""
    loggers: tuple[Literal["tensorboard", "wandb"], ...] = ()
    """Where to log beside ``metrics.jsonl``: TensorBoard, Weights & Biases, which must be installed."""

    def check(self, world: int) -> None:
        """Refuse settings that cannot work with that many ranks, in words.

        Raises:
            ValueError: a number outside its range, or that the ranks cannot share evenly; a device that is not there.
        """
        check_ranges(self)
        checked_device(self.device)
        usable_threads(self.threads)
        self.check_shared(world, "games")

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
        settings = (*game_named(self.game).training_settings, *(self.config or ()))
        return make_config(self.game, self.preset, self.players, settings)

    def usual_name(self, config: Any) -> str:
        """What a run is called, before the time, if its place is not given."""
        return f"{self.game}-{self.preset or game_named(self.game).first_preset}-{config.players}p"

    def others(self) -> tuple[str, ...]:
        """The agents (names or files) that the network is evaluated among; none if it has every seat."""
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

    # --- As JSON ------------------------------------------------------------------------------------------------------

    @classmethod
    def names(cls) -> set[str]:
        """The names of all settings."""
        return {field.name for field in fields(cls)}

    def to_json(self) -> dict[str, Any]:
        """The settings as JSON types."""
        return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`.

        Raises:
            ValueError: a setting is missing, unknown, or of another type.
        """
        return from_json(cls, kept)

    @classmethod
    def saved(cls, run_dir: Path, trust: bool = False) -> Self:
        """The settings of the run kept in ``run_dir``, to resume it.

        Raises:
            ValueError: it holds no run, its ``config.json`` lacks a setting or has one of another type, or it names
                agents whose code would be imported, or servers asked, without ``trust``.
        """
        kept = read_about(run_dir)["args"]
        if not trust and (names := need_trust(kept.values())):
            raise ValueError(f"{run_dir} would run code or ask servers for {', '.join(names)}: only with --trust")
        try:
            return cls.from_json({**kept, "run_dir": str(run_dir), "resume": str(run_dir), "trust": trust})
        except ValueError as error:
            raise ValueError(f"{run_dir} holds no run to resume: {error}") from error
