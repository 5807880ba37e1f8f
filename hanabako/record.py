"""The record of one game: its config, its deal and its actions in words, from which everything else follows.

    record = GameRecord(config, seed=7, players=("you", "smart"), actions=("play 0", "hint 1 R"))
    record.save("game.json")
    read_record("game.json").replayed().to_dict()

A record is JSON: ``format`` (`FORMAT`), ``config`` (with its ``game``), ``seed``, ``deal`` (options of a reset that fix
the deal, if it was given), ``game_index`` (which game of that seed, if not the first), ``players`` (names),
``actions``, ``undone`` (decisions that somebody took back), ``end`` (how its players stopped it, if its site said so).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hanabako.files import check_writable, read_json, write_text
from hanabako.games import config_from_dict, config_to_dict, game_of, games
from hanabako.words.checks import as_each, as_index, as_object, as_seed, as_text, shown

__all__ = ["FORMAT", "GameRecord", "read_record"]

FORMAT = "hanabako-game-1"
MOST_ACTIONS = 100_000
MOST_INDEX = 2**63 - 1


@dataclass(frozen=True)
class GameRecord:
    """A game, finished or not."""

    config: Any
    seed: int
    """The seed of the deal and of the agents' randomness."""
    players: tuple[str, ...]
    """The names of the players, by seat."""
    actions: tuple[str, ...] = ()
    """The actions as text."""
    deal: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``reset`` that fix the deal."""
    undone: int = 0
    """The number of decisions that were taken back; a game with any is practice."""
    game_index: int = 0
    """The index of the game for that seed."""
    end: Mapping[str, Any] = field(default_factory=dict)
    """How the players stopped a game on the game's site, in the site's format; empty for all other games."""

    def begin(self, config: Any = None) -> Any:
        """A PettingZoo environment with the cards dealt; ``config`` may differ in what is observed."""
        entry = game_of(self.config)
        env = entry.module(entry.environment).raw_env(config=config or self.config)
        env.reset(seed=self.seed, options={"game_index": self.game_index, **self.deal})
        return env

    def positions(self, config: Any = None) -> Iterator[Any]:
        """Yield the environment, always the same object, before every action and at the end; ``config`` as in `begin`.

        Raise ``ValueError`` for an action that is unknown or not legal; the message has its index.
        """
        env = self.begin(config)
        for turn, text in enumerate(self.actions):
            yield env
            try:
                action = env.str_to_action(text)
                if all(env.terminations.values()):
                    raise ValueError(f"the game is over before {shown(text)}")
                env.step(action)
            except ValueError as error:
                raise ValueError(f"action {turn} of the game: {error}") from None
        yield env

    def replayed(self) -> Any:
        """The environment after all actions; errors as in `positions`."""
        *_, env = self.positions()
        return env

    def with_action(self, text: str) -> "GameRecord":
        """The record with one more action."""
        return replace(self, actions=(*self.actions, text))

    def taken_back(self, turn: int) -> "GameRecord":
        """The record as it was before action ``turn``."""
        return replace(self, actions=self.actions[:turn], undone=self.undone + 1)

    def to_json(self) -> dict[str, Any]:
        """JSON types."""
        return {
            "format": FORMAT,
            "config": config_to_dict(self.config),
            "seed": int(self.seed),
            **({"game_index": self.game_index} if self.game_index else {}),
            **({"deal": dict(self.deal)} if self.deal else {}),
            "players": list(self.players),
            "actions": list(self.actions),
            "undone": self.undone,
            **({"end": dict(self.end)} if self.end else {}),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the record, completely or not at all; if a site has the game, also write a file that the site opens."""
        text = json.dumps(self.to_json()) + "\n"
        check_writable(path)
        entry = game_of(self.config)
        if entry.site and "state" not in self.deal:  # sites show games from their deal on
            beside = Path(path).with_name(f"{Path(path).name.removesuffix('.json')}.{entry.site}.json")
            opening = self.begin().to_dict()
            entry.module(entry.site).write_game(beside, opening, self.config, self.actions, self.players, self.end)
        write_text(path, text)


def read_record(path: str | PathLike[str]) -> GameRecord:
    """The game kept in a file: ours, or one of a game's site.

    Raises:
        OSError: the file is missing or cannot be read.
        ValueError: it holds no game; says what is wrong.
    """
    values = read_json(path)
    if isinstance(values, Mapping) and "deck" in values and "format" not in values:
        return _of_site(path, values)
    try:
        if not isinstance(values, Mapping) or values.get("format") != FORMAT:
            raise ValueError(f"neither a game in the format {FORMAT} nor one of hanab.live")
        return _of_json(values)
    except (KeyError, ValueError) as error:
        message = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{fspath(path)}: {message}") from None


def _of_json(values: Mapping[str, Any]) -> GameRecord:
    config = config_from_dict(values["config"])
    players = as_each("players", values["players"], as_text)
    if len(players) != config.players:
        raise ValueError(f"players must be {config.players} names, got {shown(players)}")
    deal = as_object("deal", values.get("deal", {}))
    actions = as_each("actions", values["actions"], as_text)
    undone = as_index("undone", values.get("undone", 0), MOST_ACTIONS)
    index = as_index("game_index", values.get("game_index", 0), MOST_INDEX)
    end = as_object("end", values.get("end", {}))
    return GameRecord(config, as_seed(values["seed"]), tuple(players), tuple(actions), deal, undone, index, end)


def _of_site(path: str | PathLike[str], values: Mapping[str, Any]) -> GameRecord:
    """The game that JSON holds, of the first site that has such files."""
    refusal: ValueError | None = None
    for entry in games().values():
        if not entry.site:
            continue
        try:
            config, players, actions, deal, end = entry.module(entry.site).read_game(values)
        except ValueError as error:
            refusal = refusal or error
        else:
            return GameRecord(config, 0, players, actions, deal, end=end)
    raise refusal or ValueError(f"{fspath(path)}: no game has a site with such files")
