"""Recorded games to learn from: every decision as the one who made it saw it, in the observation that is asked for."""

from collections.abc import Iterator
from dataclasses import fields
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hanabako.envs.vector import FORMATS, SPECIALIZE_FROM
from hanabako.games import game_of
from hanabako.games_file import GAMES_A_BLOCK, GamesBlock, GamesFile
from hanabako.packing import unpack
from hanabako.words.checks import as_index, shown

from ..playing.play import Games, Record
from .replaying import RecordedBlock

__all__ = ["Dataset", "Decisions"]


class Decisions(NamedTuple):
    """Decisions and what came of them; every array begins with their number."""

    observations: NDArray[Any]
    """(n, bits) int8 or float32, or (n, words) uint64: what the player saw."""
    masks: NDArray[np.int8]
    """(n, A): 1 for a legal action."""
    actions: NDArray[np.int64]
    """What the player did."""
    players: NDArray[np.int64]
    """Who that was."""
    rewards: NDArray[np.float32]
    """(n, P): every player's reward of that step."""
    returns: NDArray[np.float32]
    """The sum of the player's own rewards from that step to the end."""
    games: NDArray[np.int64]
    """Numbers of the games."""
    turns: NDArray[np.int64]
    """Places of the decisions in their games."""
    values: NDArray[np.float32]
    """(n, A): what a search expected of each action, NaN where it is not legal or was not searched; (n, 0) if the
    file has none. See `Dataset.values`."""

    def chosen(self, rows: Any) -> "Decisions":
        """Some of them."""
        return Decisions(*(array[rows] for array in self))


class Dataset:
    """A file of games that `agents.datasets.record` wrote.

    Args:
        path: of the file.

    Raises:
        OSError: the file is missing or cannot be read; so do all methods.
        ValueError: it holds no games, is damaged, or a game breaks the rules, by its number; so do all methods.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.file = GamesFile(path)
        self.config = self.file.config
        """What was played, observed as those who played did."""
        self.names = self.file.names
        """Who played."""
        self.search = self.file.search
        """How those of them think that search, by name, as far as it was said to `record`."""
        self.values = self.file.values
        """What the values of the file are, in words; empty if it has none."""

    def __len__(self) -> int:
        """The number of games."""
        return self.file.games

    def decisions(
        self, config: Any = None, observation: str = "packed", seed: int | None = None
    ) -> Iterator[Decisions]:
        """All decisions, about a thousand games at a time: games one after the other, turns in their order.

        Args:
            config: how the games are observed, by other fields of the same rules; None is as they were played.
            observation: ``"packed"``, ``"int8"`` or ``"float32"``, as in the vector environment.
            seed: of another order of those thousands; None is the file's.

        Raises:
            ValueError: ``config`` has other rules, or see the class.
        """
        if not isinstance(observation, str) or observation not in FORMATS:
            raise ValueError(f"observation must be one of {', '.join(map(repr, FORMATS))}, got {shown(observation)}")
        game = self._game(config)
        count = self.file.count
        order = range(count) if seed is None else np.random.default_rng(seed).permutation(count)
        for first, block in self.file.blocks(order):
            yield decisions_of(self._replay(game, block, first, observes=True), FORMATS[observation])

    def batches(self, size: int, seed: int, config: Any = None, observation: str = "packed") -> Iterator[Decisions]:
        """All decisions once, mixed, in batches of ``size``; one in some thirty is smaller.

        About a thousand games are mixed at a time, and the thousands come in any order.

        Args:
            size: decisions of a batch.
            seed: of the order.
            config: as in `decisions`.
            observation: as in `decisions`.

        Raises:
            ValueError: see `decisions`.
        """
        if as_index("size", size, 2**31) < 1:
            raise ValueError("size must be at least 1, got 0")
        generator = np.random.default_rng(seed)
        for some in self.decisions(config, observation, seed):
            order = generator.permutation(len(some.actions))
            for begin in range(0, len(order), size):
                yield some.chosen(order[begin : begin + size])

    def replays(self, config: Any = None, observes: bool = False) -> Iterator[RecordedBlock]:
        """The file's blocks, dealt and ready to be played again; ``config`` as in `decisions`."""
        game = self._game(config)
        for first, block in self.file.blocks(range(self.file.count)):
            yield self._replay(game, block, first, observes)

    def results(self) -> Games:
        """What happened in the games that came to their end, as `agents.evaluate.play` tells it."""
        record, finished = Record(self._game(None), len(self)), np.zeros(len(self), np.bool_)
        for replay in self.replays():
            rows = slice(replay.first, replay.first + len(replay.games))
            for _ in replay.turns():
                record.add(replay.tables, replay.first)
            record.add(replay.tables, replay.first)
            finished[rows] = replay.tables["terminated"]
        games = record.games
        return Games(**{field.name: getattr(games, field.name)[finished] for field in fields(Games)})

    def one(self, number: int) -> GamesBlock:
        """Game ``number`` alone.

        Raises:
            ValueError: there is no such game, or see the class.
        """
        number = as_index("number", number, len(self) - 1)
        ((_, block),) = self.file.blocks([number // GAMES_A_BLOCK])
        return block.game(number % GAMES_A_BLOCK)

    def players_of(self, block: GamesBlock) -> list[tuple[str, ...]]:
        """Who sat where in every game of a block."""
        return [tuple(self.names[place] for place in places) for places in block.players.tolist()]

    def _game(self, config: Any) -> Any:
        """The game of ``config``, which has the rules that were played; None: as it was played."""
        config = self.config if config is None else config
        entry = game_of(config)
        if type(config) is not type(self.config):
            raise ValueError(f"the games are of {game_of(self.config).name}, got a config of {entry.name}")
        for field in fields(config):
            played, wanted = getattr(self.config, field.name), getattr(config, field.name)
            if field.name not in entry.observation_fields and played != wanted:
                raise ValueError(f"the games were played with {field.name}={played!r}, got {shown(wanted)}")
        return entry.make_game(config)

    def _replay(self, game: Any, block: GamesBlock, first: int, observes: bool) -> RecordedBlock:
        return RecordedBlock(game, block, first, observes, specialize=len(self) >= SPECIALIZE_FROM)


def decisions_of(replay: RecordedBlock, kind: type) -> Decisions:
    """Play a block of games and note every decision."""
    lengths, starts, game = replay.games.lengths.astype(np.int64), replay.games.starts, replay.game
    count = len(replay.games.actions)
    observations = np.empty((count, replay.observation.shape[1]), np.uint64)
    masks = np.empty((count, game.num_actions), np.int8)
    players, rewards = np.empty(count, np.int64), np.empty((count, game.players))
    before: NDArray[np.int64] | None = None
    for turn, rows, _ in replay.turns():
        if before is not None:
            rewards[starts[before] + turn - 1] = replay.tables["rewards"][before, : game.players]
        places = starts[rows] + turn
        observations[places], masks[places] = replay.observation[rows], replay.mask[rows]
        players[places] = replay.tables["current_player"][rows]
        before = rows
    if before is not None:
        rewards[starts[before] + int(lengths.max()) - 1] = replay.tables["rewards"][before, : game.players]
    games = np.repeat(np.arange(len(replay.games)), lengths)
    so_far = np.cumsum(rewards, axis=0)
    to_end = so_far[(starts + lengths - 1)[games]] - so_far + rewards
    return Decisions(
        observations=observations if kind is np.uint64 else unpack(observations, game.observation_bits).astype(kind),
        masks=masks,
        actions=replay.games.actions.astype(np.int64),
        players=players,
        rewards=rewards.astype(np.float32),
        returns=to_end[np.arange(count), players].astype(np.float32),
        games=games + replay.first,
        turns=np.arange(count) - starts[games],
        values=np.zeros((count, 0), np.float32) if replay.games.values is None else replay.games.values,
    )
