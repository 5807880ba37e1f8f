"""The games that agents play, by the names used on command lines."""

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_core.checks import parse_setting


@dataclass(frozen=True)
class Game:
    """What agents need to know of a game. Its package is imported when it is first used."""

    name: str
    """On command lines, such as ``hanabi``."""
    package: str
    """Holds the two classes below."""
    config_name: str
    """The config class."""
    vector_env_name: str
    """The vector environment class."""
    cooperative: bool
    """All players win or lose together: one stream of rewards serves the whole table."""
    observation_fields: tuple[str, ...]
    """Config fields that choose what players observe; all others are rules."""
    harmless_fields: tuple[str, ...]
    """Config fields that change neither what an observation bit means nor what an action does."""
    training_settings: tuple[str, ...] = ()
    """Fields of the config, as name=value, that agents train with where nothing else is said."""

    @property
    def config_class(self) -> Any:
        """The frozen dataclass that describes a table."""
        return getattr(importlib.import_module(self.package), self.config_name)

    @property
    def first_preset(self) -> str:
        """The preset that is meant where none is named."""
        return next(iter(importlib.import_module(self.package).PRESETS))

    @property
    def vector_env(self) -> Any:
        """The vector environment."""
        return getattr(importlib.import_module(self.package), self.vector_env_name)

    def lost(self, infos: Mapping[str, Any] | NDArray[Any]) -> NDArray[np.bool_]:
        """Which of the games that just ended were lost; never in a contest.

        ``infos``: those of the vector environment, or the records of the tables.
        """
        if not self.cooperative:
            return np.zeros(len(infos["length"]), np.bool_)
        box = importlib.import_module(f"{self.package}.box")
        return np.isin(infos["end_reason"], (box.END_OUT_OF_LIVES, box.END_INDISPENSABLE, box.END_STUCK))

    def lost_score(self, config: Any) -> int:
        """What a lost game scores with ``score_on_loss="zero"``: as much as the opening position."""
        return importlib.import_module(f"{self.package}.rules").opening_score(config.rules())

    def compile(self, config: Any, games: int) -> None:
        """Compile what playing so many games of ``config`` at a time needs, or find it in Numba's cache."""
        env = self.vector_env(games, config=config, observation="packed", copy=False)
        observation, _ = env.reset(seed=0)
        env.step(observation["action_mask"].argmax(axis=1))


GAMES = {
    "hanabi": Game(
        name="hanabi",
        package="hanabi_env",
        config_name="HanabiConfig",
        vector_env_name="HanabiVectorEnv",
        cooperative=True,
        observation_fields=("observation_type", "history", "belief", "derived"),
        harmless_fields=("random_start_player", "score_on_loss"),
        training_settings=("derived=true",),
    ),
    "ikebana": Game(
        name="ikebana",
        package="ikebana_env",
        config_name="IkebanaConfig",
        vector_env_name="IkebanaVectorEnv",
        cooperative=False,
        observation_fields=("perfect_recall", "derived"),
        harmless_fields=("random_start_player", "reward"),
        training_settings=("derived=true", "reward=dense"),
    ),
    "koikoi": Game(
        name="koikoi",
        package="hanafuda_env",
        config_name="KoiKoiConfig",
        vector_env_name="KoiKoiVectorEnv",
        cooperative=False,
        observation_fields=("history",),
        harmless_fields=("rounds", "hand_swap", "reward"),
        training_settings=("rounds=1", "hand_swap=false"),
    ),
}


def game_named(name: str) -> Game:
    """The game of that name.

    Raises:
        ValueError: there is no such game.
    """
    if name not in GAMES:
        raise ValueError(f"game must be one of {', '.join(GAMES)}, got {name!r}")
    return GAMES[name]


def game_of(config: Any) -> Game:
    """The game that ``config`` describes a table of.

    Raises:
        ValueError: ``config`` is no game's config.
    """
    for game in GAMES.values():
        if type(config).__name__ == game.config_name:
            return game
    raise ValueError(f"config must be the config of one of {', '.join(GAMES)}, got {type(config).__name__}")


def make_config(game: str, preset: str | None = None, players: int | None = None, settings: Iterable[str] = ()) -> Any:
    """The config of a preset, with other fields set by ``name=value`` texts (values as in JSON, or plain words).

    Args:
        game: one of `GAMES`.
        preset: one of the game's presets; None is its first.
        players: players at the table; None is the preset's number.
        settings: fields that differ from the preset's.

    Raises:
        ValueError: an unknown game, preset or field, or a value that the config refuses.
    """
    changes = dict(parse_setting(text) for text in settings)
    if players is not None:
        changes["players"] = players
    entry = game_named(game)
    preset = preset or entry.first_preset
    return importlib.import_module(f"{entry.package}.config").make_config(preset=preset, **changes)


def config_to_dict(config: Any) -> dict[str, Any]:
    """The config as JSON types, with its game's name."""
    return {"game": game_of(config).name, **asdict(config)}


def config_from_dict(values: Mapping[str, Any]) -> Any:
    """The inverse of `config_to_dict`.

    Raises:
        ValueError: an unknown game or field, or a value that the config refuses.
    """
    values = dict(values)
    config_class = game_named(values.pop("game", "")).config_class
    try:
        return config_class(**values)
    except TypeError as error:  # an unknown field
        raise ValueError(f"no {config_class.__name__}: {error}") from error
