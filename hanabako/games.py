"""The games: the declaration of a game, and the functions that find all declared games.

A game declares itself by a `GameEntry` in its module ``declaration``. That module is named by an entry point of the
game's distribution in the group ``hanabako.games``; in a clone, installed or not, by the project file. Agents,
benchmarks, tests, pages and command lines get their facts about games from here.
"""

import importlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from hanabako.engine.layout import Layout
from hanabako.words.checks import build_config, did_you_mean, parse_setting, shown

GROUP = "hanabako.games"
PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


@dataclass(frozen=True)
class GameEntry:
    """A game's declaration. The game's modules are imported at their first use."""

    name: str
    """The game's name on command lines, such as ``go``."""
    package: str
    environment: str
    """The package's module with the PettingZoo environments."""
    config_name: str
    """The config class in the package's module ``config``, which also has ``PRESETS`` (the first is the default)."""
    vector_env_name: str
    """The vector environment class in the package's module ``vector``."""
    cooperative: bool
    """Whether all players win or lose together, and so share one stream of rewards."""
    players: tuple[int, ...]
    """The possible numbers of players."""
    observation_fields: tuple[str, ...]
    """Config fields that choose what players observe. All other fields are rules."""
    neutral_fields: tuple[str, ...]
    """Config fields that change neither the meaning of an observation bit nor the effect of an action."""
    training_settings: tuple[str, ...] = ()
    """Neutral fields, as name=value, that the games to learn from have by default."""
    short: Mapping[str, Any] = field(default_factory=dict)
    """Keywords of the factories for a configuration with short games, for tests and examples."""
    site: str = ""
    """The module with ``read_game`` and ``write_game`` for the JSON of a website where people play the game."""

    def module(self, name: str) -> ModuleType:
        """Return a module of the game's package."""
        return importlib.import_module(f"{self.package}.{name}")

    @property
    def config_class(self) -> Any:
        """The frozen dataclass of the game's configuration."""
        return getattr(self.module("config"), self.config_name)

    @property
    def presets(self) -> dict[str, Any]:
        """The game's presets by name. The first is the default."""
        return self.module("config").PRESETS

    @property
    def first_preset(self) -> str:
        """The name of the default preset."""
        return next(iter(self.presets))

    @property
    def vector_env(self) -> Any:
        """The vector environment class."""
        return getattr(self.module("vector"), self.vector_env_name)

    def make_config(self, config: Any = None, preset: str | None = None, **fields: Any) -> Any:
        """Return the config from the keywords of a factory: see `hanabako.words.checks.build_config`."""
        return build_config(self.presets, config, preset, fields)

    def make_game(self, config: Any = None, preset: str | None = None, **fields: Any) -> Any:
        """Return the configured game, a `hanabako.engine.game.Game`. The keywords are those of `make_config`."""
        return self.module("game").make_game(config, preset, **fields)

    def layout(self, config: Any) -> Layout:
        """Return the layout of ``config``: the meaning of its observation bits and actions."""
        return self.module("engine.layout").layout(config.rules())

    def make_vector(self, num_envs: int, **keywords: Any) -> Any:
        """Return the vector environment, for batched self-play."""
        return self.vector_env(num_envs, **keywords)

    def compile(self, config: Any, num_envs: int) -> None:
        """Compile the loops for this many simultaneous games of ``config``, or load them from Numba's cache."""
        env = self.make_vector(num_envs, config=config, observation="packed", copy=False)
        observation, _ = env.reset(seed=0)
        env.step(observation["action_mask"].argmax(axis=1))

    def make_aec(self, **keywords: Any) -> Any:
        """Return the PettingZoo AEC environment in its usual wrappers."""
        return self.module(self.environment).env(**keywords)

    def make_parallel(self, **keywords: Any) -> Any:
        """Return the PettingZoo parallel environment."""
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
        """Return a `hanabako.envs.seat.CardGameSeatEnv`: one seat with partners. Other keywords go to `make_config`."""
        from hanabako.envs.seat import CardGameSeatEnv

        return CardGameSeatEnv(self.make_game(config, **fields), seat, partners, render_mode, constant_infos)

    def make_vector_seat(self, num_envs: int, config: Any = None, **keywords: Any) -> Any:
        """Return a `hanabako.envs.vector_seat.VectorSeatEnv`: one seat with partners in many games.

        Keywords that its constructor does not have go to `make_config`.
        """
        from hanabako.envs.vector_seat import VectorSeatEnv

        own = signature(VectorSeatEnv.__init__).parameters
        fields = {name: keywords.pop(name) for name in list(keywords) if name not in own}
        return VectorSeatEnv(self.make_game(config, **fields), num_envs, **keywords)


# --- Finding games ----------------------------------------------------------------------------------------------------


@cache
def declarations() -> dict[str, str]:
    """Return where every game's declaration is (``module:attribute``), by name with version (such as ``Go-v0``)."""
    declared = {point.name: point.value for point in entry_points(group=GROUP)}
    if PROJECT.is_file():
        project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
        if project["name"] == "hanabako":
            declared = project["entry-points"][GROUP] | declared
    return declared


@cache
def games() -> dict[str, GameEntry]:
    """Return all games by their names on command lines."""
    entries = []
    for declaration in declarations().values():
        module, _, attribute = declaration.partition(":")
        entries.append(getattr(importlib.import_module(module), attribute))
    return {entry.name: entry for entry in entries}


def game_names() -> list[str]:
    """Return the names of all games."""
    return list(games())


def game_named(name: str) -> GameEntry:
    """Return the game with that name; raise ``ValueError`` if there is none."""
    if not isinstance(name, str) or name not in games():
        raise ValueError(f"game must be one of {', '.join(games())}, got {shown(name)}{did_you_mean(name, games())}")
    return games()[name]


def preset_names(game: str) -> list[str]:
    """Return the names of a game's presets, the default first; raise ``ValueError`` if there is no such game."""
    return list(game_named(game).presets)


def game_of(config: Any) -> GameEntry:
    """Return the game to which ``config`` belongs; raise ``ValueError`` if it is no game's."""
    for entry in games().values():
        if type(config).__name__ == entry.config_name:
            return entry
    raise ValueError(f"config must be the config of one of {', '.join(games())}, got {type(config).__name__}")


# --- Configs as text --------------------------------------------------------------------------------------------------


def make_config(game: str, preset: str | None = None, players: int | None = None, settings: Iterable[str] = ()) -> Any:
    """Return a preset's config, by default the first one's, with fields changed by ``name=value`` texts.

    Values are JSON or plain words. Raise ``ValueError`` for an unknown game, preset or field, or a value that the
    config refuses.
    """
    changes = dict(parse_setting(text) for text in settings)
    if players is not None:
        changes["players"] = players
    return game_named(game).make_config(preset=preset, **changes)


def settings_of(config: Any) -> dict[str, str]:
    """Return all fields of a config by name, each as command lines write it: name=value."""
    texts = {}
    for name, value in ((own.name, getattr(config, own.name)) for own in fields(config)):
        texts[name] = f"{name}={value if isinstance(value, str) else json.dumps(value, separators=(',', ':'))}"
    return texts


def nearest_preset(config: Any) -> list[str]:
    """Return the name of the preset from which a config differs in the fewest fields, then these fields: name=value.

    Players and observation do not count: they are told apart from the preset.
    """
    entry, own = game_of(config), settings_of(config)
    counted = [name for name in own if name not in ("players", *entry.observation_fields)]
    others = {preset: settings_of(other) for preset, other in entry.presets.items()}
    changed = {preset: [own[name] for name in counted if own[name] != of[name]] for preset, of in others.items()}
    nearest = min(changed, key=lambda preset: len(changed[preset]))
    return [nearest, *changed[nearest]]


def preset_in_words(config: Any) -> str:
    """Return a config's nearest preset, and all fields that differ from it but the players: ``mini history=2``."""
    nearest, own = nearest_preset(config)[0], settings_of(config)
    others = settings_of(game_of(config).presets[nearest])
    return " ".join([nearest, *(own[name] for name in own if name != "players" and own[name] != others[name])])


def game_in_words(config: Any) -> str:
    """Return the name of the game that a config describes, such as ``go small komi=7, 2 players``."""
    return f"{' '.join([game_of(config).name, *nearest_preset(config)])}, {config.players} players"


def returns_in_words(config: Any) -> str:
    """Return the word for the returns of a competitive game, with the config's kind of rewards."""
    return f"return (reward={config.reward})"


def config_to_dict(config: Any) -> dict[str, Any]:
    """Return a config as a dict of JSON types, including its game's name."""
    return {"game": game_of(config).name, **asdict(config)}


def config_from_dict(values: Mapping[str, Any]) -> Any:
    """Return the config of a dict from `config_to_dict`; raise ``ValueError`` if it is none."""
    if not isinstance(values, Mapping):
        raise ValueError(f"a config must be a dict of its fields, got {shown(values)}")  # noqa: TRY004 - as for a field
    values = dict(values)
    config_class = game_named(values.pop("game", "")).config_class
    try:
        return config_class(**values)
    except TypeError as error:  # an unknown field
        raise ValueError(f"no {config_class.__name__}: {error}") from error


# --- A game's package -------------------------------------------------------------------------------------------------


def public_names(package: str, homes: Mapping[str, str], environment: str) -> tuple[Any, Any]:
    """Return ``__getattr__`` and ``__dir__`` of a game's package, so that it loads its public names at their first use.

    ``homes`` has the module that defines each name; ``environment``, a module, is a public name itself.
    """

    def load(name: str) -> Any:
        if name == environment:
            return importlib.import_module(f"{package}.{name}")
        if name in homes:
            return getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load, lambda: sorted((*homes, environment))
