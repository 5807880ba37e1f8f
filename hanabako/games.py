"""The games: how each declares itself, and how all are found.

A game declares itself by a `GameEntry` in its module ``declaration``, which the entry points of its distribution name
in the group ``hanabako.games``; in a clone the project file does, installed or not. Agents, benchmarks, tests, pages
and command lines take what they know of a game from here.
"""

import importlib
import tomllib
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from hanabako.engine.layout import Layout
from hanabako.words.checks import build_config, did_you_mean, parse_setting, shown

__all__ = [
    "GameEntry",
    "config_from_dict",
    "config_to_dict",
    "declarations",
    "game_named",
    "game_names",
    "game_of",
    "games",
    "make_config",
    "preset_names",
    "public_names",
]

GROUP = "hanabako.games"
PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


@dataclass(frozen=True)
class GameEntry:
    """A game's declaration. Its modules are imported when they are first asked for."""

    name: str
    """On command lines, such as ``go``."""
    package: str
    environment: str
    """The module of the package with the PettingZoo environments."""
    config_name: str
    """The config class, in the package's module ``config`` with its ``PRESETS``; the first preset is the default."""
    vector_env_name: str
    """The vector environment class, in the package's module ``vector``."""
    cooperative: bool
    """All players win or lose together: one stream of rewards serves the whole table."""
    players: tuple[int, ...]
    """Numbers of players there can be."""
    observation_fields: tuple[str, ...]
    """Config fields that choose what players observe; all others are rules."""
    neutral_fields: tuple[str, ...]
    """Config fields that change neither what an observation bit means nor what an action does."""
    training_settings: tuple[str, ...] = ()
    """Fields of the config, as name=value, that agents train with if nothing else is said."""
    short: Mapping[str, Any] = field(default_factory=dict)
    """Keywords of the factories for a configuration with short games, for tests and examples."""
    site: str = ""
    """The module with ``read_game`` and ``write_game`` for the JSON of a site where people play it."""

    def module(self, name: str) -> ModuleType:
        """A module of the game's package."""
        return importlib.import_module(f"{self.package}.{name}")

    @property
    def config_class(self) -> Any:
        """The frozen dataclass that describes a table."""
        return getattr(self.module("config"), self.config_name)

    @property
    def presets(self) -> dict[str, Any]:
        """The game's configs by the names of its presets; the first is the default."""
        return self.module("config").PRESETS

    @property
    def first_preset(self) -> str:
        """The preset that is meant if none is named."""
        return next(iter(self.presets))

    @property
    def vector_env(self) -> Any:
        """The vector environment class."""
        return getattr(self.module("vector"), self.vector_env_name)

    def make_config(self, config: Any = None, preset: str | None = None, **fields: Any) -> Any:
        """The config that the keywords of every factory mean: see `hanabako.words.checks.build_config`.

        Raises:
            ValueError: a keyword is wrong, by name and value.
        """
        return build_config(self.presets, config, preset, fields)

    def make_game(self, config: Any = None, preset: str | None = None, **fields: Any) -> Any:
        """The configured game, a `hanabako.engine.game.Game`; keywords as in `make_config`."""
        return self.module("game").make_game(config, preset, **fields)

    def layout(self, config: Any) -> Layout:
        """What the bits of the observation and the actions of ``config`` are about."""
        return self.module("engine.layout").layout(config.rules())

    def make_vector(self, num_envs: int, **keywords: Any) -> Any:
        """The vector environment: batched self-play."""
        return self.vector_env(num_envs, **keywords)

    def compile(self, config: Any, num_envs: int) -> None:
        """Compile what playing this many games of ``config`` at a time needs, or find it in Numba's cache."""
        env = self.make_vector(num_envs, config=config, observation="packed", copy=False)
        observation, _ = env.reset(seed=0)
        env.step(observation["action_mask"].argmax(axis=1))

    def make_aec(self, **keywords: Any) -> Any:
        """The PettingZoo environment in its usual wrappers."""
        return self.module(self.environment).env(**keywords)

    def make_parallel(self, **keywords: Any) -> Any:
        """The PettingZoo environment with all agents stepping at once."""
        return self.module(self.environment).parallel_env(**keywords)

    def make_seat(
        self,
        config: Any = None,
        seat: int = 0,
        partners: Any = None,
        render_mode: str | None = None,
        constant_infos: bool = False,
        **fields: Any,
    ) -> Any:
        """One seat among partners: `hanabako.envs.seat.CardGameSeatEnv`; other keywords as in `make_config`."""
        from hanabako.envs.seat import CardGameSeatEnv

        return CardGameSeatEnv(self.make_game(config, **fields), seat, partners, render_mode, constant_infos)

    def make_vector_seat(self, num_envs: int, config: Any = None, **keywords: Any) -> Any:
        """One seat among partners in many games: `hanabako.envs.vector_seat.VectorSeatEnv`, and as in `make_config`."""
        from hanabako.envs.vector_seat import VectorSeatEnv

        own = signature(VectorSeatEnv.__init__).parameters
        fields = {name: keywords.pop(name) for name in list(keywords) if name not in own}
        return VectorSeatEnv(self.make_game(config, **fields), num_envs, **keywords)

    def make_seat_by_old_id(self, **keywords: Any) -> Any:
        """`make_seat` under the id that means self-play for ``make_vec``: says so."""
        warnings.warn(
            "gymnasium.make of this id gives one seat among partners, and make_vec of it self-play; "
            "the id with Seat in its name means the seat for both",
            stacklevel=2,
        )
        return self.make_seat(**keywords)


# --- Finding them -----------------------------------------------------------------------------------------------------


@cache
def declarations() -> dict[str, str]:
    """Where every game's declaration is (``module:attribute``), by its name with the version (such as ``Go-v0``)."""
    found = {point.name: point.value for point in entry_points(group=GROUP)}
    if PROJECT.is_file():
        project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
        if project["name"] == "hanabako":
            found = project["entry-points"][GROUP] | found
    return found


@cache
def games() -> dict[str, GameEntry]:
    """All games by their names on command lines."""
    found = []
    for place in declarations().values():
        module, _, attribute = place.partition(":")
        found.append(getattr(importlib.import_module(module), attribute))
    return {entry.name: entry for entry in found}


def game_names() -> list[str]:
    """The names of all games."""
    return list(games())


def game_named(name: str) -> GameEntry:
    """The game of that name.

    Raises:
        ValueError: there is no such game.
    """
    if not isinstance(name, str) or name not in games():
        raise ValueError(f"game must be one of {', '.join(games())}, got {shown(name)}{did_you_mean(name, games())}")
    return games()[name]


def preset_names(game: str) -> list[str]:
    """The names of a game's presets; the first is meant if none is named.

    Raises:
        ValueError: there is no such game.
    """
    return list(game_named(game).presets)


def game_of(config: Any) -> GameEntry:
    """The game of which ``config`` describes a table.

    Raises:
        ValueError: ``config`` is no game's config.
    """
    for entry in games().values():
        if type(config).__name__ == entry.config_name:
            return entry
    raise ValueError(f"config must be the config of one of {', '.join(games())}, got {type(config).__name__}")


# --- Configs as text --------------------------------------------------------------------------------------------------


def make_config(game: str, preset: str | None = None, players: int | None = None, settings: Iterable[str] = ()) -> Any:
    """The config of a preset, with other fields set by ``name=value`` texts (values as in JSON, or plain words).

    Args:
        game: the name of a game.
        preset: one of the game's presets; None is its first.
        players: players at the table; None is the preset's number.
        settings: fields that differ from the preset's.

    Raises:
        ValueError: an unknown game, preset or field, or a value that the config refuses.
    """
    changes = dict(parse_setting(text) for text in settings)
    if players is not None:
        changes["players"] = players
    return game_named(game).make_config(preset=preset, **changes)


def config_to_dict(config: Any) -> dict[str, Any]:
    """The config as JSON types, with its game's name."""
    return {"game": game_of(config).name, **asdict(config)}


def config_from_dict(values: Mapping[str, Any]) -> Any:
    """The inverse of `config_to_dict`.

    Raises:
        ValueError: an unknown game or field, or a value that the config refuses.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"a config must be a dict of its fields, got {shown(values)}")  # noqa: TRY004 - as for a field
    values = dict(values)
    config_class = game_named(values.pop("game", "")).config_class
    try:
        return config_class(**values)
    except TypeError as error:  # an unknown field
        raise ValueError(f"no {config_class.__name__}: {error}") from error


# --- A game's package -------------------------------------------------------------------------------------------------


def public_names(package: str, homes: Mapping[str, str], environment: str) -> Any:
    """The ``__getattr__`` of a game's package: a public name is loaded at its first use, so that importing is cheap.

    Args:
        package: the package.
        homes: public name -> the module of the package that has it.
        environment: the module with the PettingZoo environments, a public name itself.
    """

    def load(name: str) -> Any:
        if name == environment:
            return importlib.import_module(f"{package}.{name}")
        if name in homes:
            return getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load
