"""A block: many games of one config that are played step by step together, with policies at their seats."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.engine.protocol import DISABLED
from hanabako.engine.rng import episode_key, game_key
from hanabako.engine.sections import words_for
from hanabako.games import game_of
from hanabako.packing import unpack

from .fitting import remembering

GAMES_AT_ONCE = 1024
"""The largest number of games per block: records and memories of a block then fit in the processor's cache."""
FEWEST = 64

NEVER_PLAYED = np.array([2**32 - 1], np.uint64)
"""The episode whose key gives the players' random streams; no table reaches it, so no deal shares them."""


def block_for(config: Any, count: int, seats: Sequence[Any], specialize: bool) -> "Block":
    """Return a block of games of a config in which these policies can take their seats, see `Block`."""
    game = game_of(config).make_game(remembering(config, seats))
    block = Block(game, count, any(policy.observes for policy in seats), specialize)
    block.shown = config
    return block


class Block:
    """N tables of one game that play step by step until all games are over, as seen by their seated policies.

    Unless a policy ``observes``, the array of observations is empty, (N, 0). If asked to ``specialize``, the loops are
    compiled for this config only.
    """

    def __init__(self, game: Game, count: int, observes: bool, specialize: bool) -> None:
        self.game = game
        self.shown = game.config
        """The config whose observation policies get that declare none."""
        self.specialize = specialize
        self.loops = game.loops(specialize)
        self.rules_array = game.rules_array
        self.tables = np.zeros(count, game.table_dtype(specialize))
        """(N,): the games' records, see `hanabako.engine.game.Game.table_dtype`."""
        self._octets = self.tables.view(np.uint8).reshape(count, -1)  # for copying whole records, not field by field
        words = words_for(game.observation_bits)
        # Without columns, nothing is written; int8 is the dtype for which most users' step is compiled already.
        rows: NDArray[Any] = np.zeros((count, words), np.uint64) if observes else np.zeros((count, 0), np.int8)
        self.observation = rows
        """The observations of the players to move: packed uint64 (N, words), or single bits in another dtype."""
        self.mask = np.zeros((count, game.num_actions), np.int8)
        """(N, A): the legal actions of the players to move."""
        self.actions = np.zeros(count, np.int64)
        """(N,): the actions of the next step; those of finished games are ignored."""
        self.keys = np.zeros(count, np.uint64)
        """(N,): the random key of each game's players."""
        self._final = np.zeros((count, 0), self.observation.dtype)
        self.step = 0
        """The number of steps so far."""
        self.given_up: dict[int, ValueError] | None = None
        """The games, by table, in which a policy cannot go on, with the reasons; they go on with random moves and do
        not count. None: that is an error."""

    def deal(self, seed: int, first: int) -> None:
        """Deal game ``first`` of ``seed`` to the first table, and so on."""
        count = len(self.tables)
        self.keys = random_keys(seed, np.arange(first, first + count))
        self.loops.seed(self.tables, np.array([seed, first], np.uint64))
        self.loops.reset(self.rules_array, self.tables, np.ones(count, np.bool_))
        self.step = 0
        self.show()

    def show(self) -> None:
        """Write the present observations and masks."""
        if self.observation.shape[1]:
            self.loops.observe(self.rules_array, self.tables, -1, self.observation, self.mask)
        else:
            self.mask[:] = unpack(self.tables["mask"], self.game.num_actions)

    def observed(self, player: int) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return what ``player`` observes now at every table, and its legal actions."""
        observation, mask = np.zeros_like(self.observation), np.zeros_like(self.mask)
        self.loops.observe(self.rules_array, self.tables, player, observation, mask)
        return observation, mask

    @property
    def open_games(self) -> NDArray[np.int64]:
        """The indices of the tables whose games are not over."""
        return np.flatnonzero(~self.tables["terminated"])

    def go_on(self, players: Sequence[Any]) -> None:
        """Let the seated policies act, and make one step at every table whose game is not over."""
        for player in players:
            player.act()
        self.make_step(players)

    def make_step(self, players: Sequence[Any]) -> None:
        """Make a step with the present ``actions``, and let the players observe it."""
        self.loops.step(self.rules_array, self.tables, self.actions, self.observation, self.mask, self._final, DISABLED)
        self.step += 1
        for player in players:
            player.observe()


def random_keys(seeds: Any, games: Any) -> NDArray[np.uint64]:
    """Return a random key for the players of each game, by seed and number, (N,); the deals use other streams."""
    seeds, games = (np.atleast_1d(np.asarray(numbers, np.uint64)) for numbers in (seeds, games))
    return np.asarray(episode_key(game_key(seeds, games), NEVER_PLAYED))


def size_for(count: int) -> int:
    """Return the size of a reusable block for ``count`` games: a power of two, so that few sizes exist."""
    return max(FEWEST, 1 << (count - 1).bit_length())
