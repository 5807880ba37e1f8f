"""Recorded games to learn from: every decision as its player saw it, in the observation that is asked for."""

from collections.abc import Iterator
from dataclasses import fields
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.engine.rng import game_key
from hanabako.envs.vector import FORMATS, SPECIALIZE_FROM
from hanabako.games import game_of
from hanabako.games_file import GAMES_A_BLOCK, GamesBlock, GamesFile
from hanabako.packing import unpack
from hanabako.words.checks import as_index, check_options, shown
from hanabako.words.cleaned import on_terminal
from hanabako.words.notation import counted

from ..playing.block import Block
from ..playing.play import Games, Record


class RecordedBlock(Block):
    """The games of a block, dealt and ready to be replayed by the compiled rules, many in lock-step.

    ``game`` is the one that was played, with the observation that is wanted. ``first`` is the number of the first game:
    the ``ValueError`` for an impossible deal or action names its game.
    """

    def __init__(self, game: Game, games: GamesBlock, first: int, observes: bool, specialize: bool) -> None:
        super().__init__(game, len(games), observes, specialize)
        self.games, self.first = games, first
        self.tables["state"]["game_key"] = game_key(games.seeds.astype(np.uint64), games.indices.astype(np.uint64))
        self.loops.reset(self.rules_array, self.tables, np.ones(len(games), np.bool_))
        states = self.tables["state"].view(np.recarray)
        for k, options in enumerate(games.deals):
            try:
                check_options(options, game.deal_options)
                game.load_deal(states[k], dict(options))
            except ValueError as error:
                raise ValueError(f"game {first + k}: {error}") from None
        if games.deals:
            self.loops.refresh(self.rules_array, self.tables)
        self.show()

    def turns(self) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield, before every step, its number, the tables that take part, and their actions; finished tables wait."""
        lengths, starts = self.games.lengths.astype(np.int64), self.games.starts
        for turn in range(int(lengths.max(initial=0))):
            rows = np.flatnonzero(lengths > turn)
            actions = self.games.actions[starts[rows] + turn].astype(np.int64)
            self._check(turn, rows, actions)
            self.actions[rows] = actions
            yield turn, rows, actions
            waiting = np.flatnonzero((lengths <= turn) & ~self.tables["terminated"])
            kept = self.tables[waiting]
            self.make_step(())
            self.tables[waiting] = kept  # if its actions are used up, a table keeps its state, finished or not

    def _check(self, turn: int, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        known = actions < self.game.num_actions
        legal = known & (self.mask[rows, np.where(known, actions, 0)] != 0)
        if legal.all():
            return
        k = int(np.flatnonzero(~legal)[0])
        row, action = int(rows[k]), int(actions[k])
        move = f"number {action}"
        if known[k]:
            move = f"{self.game.action_to_str(self.tables['state'].view(np.recarray)[row], action)!r}"
        why = "comes after the end" if self.tables["terminated"][row] else "is not legal there"
        raise ValueError(f"game {self.first + row}, action {turn}: {move} {why}")


class Decisions(NamedTuple):
    """Decisions and their results, n of them; the first axis of every array is the decision."""

    observations: NDArray[Any]
    """(n, bits) int8 or float32, or (n, words) uint64: what the player observed."""
    masks: NDArray[np.int8]
    """(n, A): 1 for a legal action."""
    actions: NDArray[np.int64]
    """(n,): the action that was taken."""
    players: NDArray[np.int64]
    """(n,): the player who took it."""
    rewards: NDArray[np.float32]
    """(n, P): every player's reward for that step."""
    returns: NDArray[np.float32]
    """(n,): the sum of the player's own rewards from that step to the end."""
    games: NDArray[np.int64]
    """(n,): the number of the game."""
    turns: NDArray[np.int64]
    """(n,): the index of the decision in its game."""

    def chosen(self, rows: Any) -> "Decisions":
        """Return the decisions in the given rows."""
        return Decisions(*(array[rows] for array in self))


class Dataset:
    """A file of games that `agents.datasets.record` wrote.

    Args:
        path: the file.

    Raises:
        OSError: the file is missing or cannot be read. All methods may raise this.
        ValueError: it holds no games, is damaged, or a game, named by its number, breaks the rules. All methods may
            raise this.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.file = GamesFile(path)
        self.config = self.file.config
        """The config that was played, with the observation that the players had."""
        self.names = self.file.names
        """The names of the players."""
        self.search = self.file.search
        """The settings of the players that search, by name, as far as they were given to `record`."""

    def __repr__(self) -> str:
        players = ", ".join(dict.fromkeys(self.names))
        games = counted(len(self), "game")
        return on_terminal(f"<Dataset {self.file.path}: {games} of {game_of(self.config).name} by {players}>")

    def __len__(self) -> int:
        """The number of games."""
        return self.file.games

    def decisions(
        self, config: Any = None, observation: str = "packed", seed: int | None = None
    ) -> Iterator[Decisions]:
        """Yield all decisions, about a thousand games at a time: game after game, each in the order of its turns.

        Args:
            config: the config for the observations, with the same rules; None observes the games as they were played.
            observation: ``"packed"``, ``"int8"`` or ``"float32"``, as in the vector environment.
            seed: shuffles the order of those blocks of games; None keeps the file's order.

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
        """Yield all decisions once, shuffled, in batches of ``size``; about one batch in thirty is smaller.

        About a thousand games are shuffled at a time, and these blocks come in random order, by ``seed``. The other
        arguments, and errors, are those of `decisions`.
        """
        if as_index("size", size, 2**31) < 1:
            raise ValueError("size must be at least 1, got 0")
        generator = np.random.default_rng(seed)
        for some in self.decisions(config, observation, seed):
            order = generator.permutation(len(some.actions))
            for begin in range(0, len(order), size):
                yield some.chosen(order[begin : begin + size])

    def replays(self, config: Any = None, observes: bool = False) -> Iterator[RecordedBlock]:
        """Yield the file's blocks, dealt and ready to be replayed; ``config`` is as in `decisions`."""
        game = self._game(config)
        for first, block in self.file.blocks(range(self.file.count)):
            yield self._replay(game, block, first, observes)

    def results(self) -> Games:
        """Return the results of the finished games, in the form of `agents.play`."""
        record, finished = Record(self._game(None), len(self)), np.zeros(len(self), np.bool_)
        for replay in self.replays():
            rows = slice(replay.first, replay.first + len(replay.games))
            for _ in replay.turns():
                record.add(replay.tables, replay.first)
            record.add(replay.tables, replay.first)
            finished[rows] = replay.tables["terminated"]
        return record.games.chosen(finished)

    def one(self, number: int) -> GamesBlock:
        """Return game ``number`` as a block of one game; raise ``ValueError`` if there is none, or see the class."""
        number = as_index("number", number, len(self) - 1)
        ((_, block),) = self.file.blocks([number // GAMES_A_BLOCK])
        return block.game(number % GAMES_A_BLOCK)

    def players_of(self, block: GamesBlock) -> list[tuple[str, ...]]:
        """Return the names of the players in every game of a block, in seat order."""
        return [tuple(self.names[place] for place in places) for places in block.players.tolist()]

    def _game(self, config: Any) -> Any:
        """Return the game of ``config``, whose rules must be those that were played; None is the config as played."""
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
    """Replay a block of games and collect every decision."""
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
    )
