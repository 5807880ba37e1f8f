"""Many tables in lock-step, with anybody at any seat.

Who sits at a table satisfies one small protocol, `Seated`: ``begin`` when the cards are dealt, ``act`` when it may be
one's turn, ``observe`` after every step. Bots (`agents.bots.bot`) and batched policies (`agents.policy.Policy`: networks, or
whatever has such an ``act``) are seated by `sit`; a class of your own may do without either.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.engine.protocol import DISABLED
from hanabako.engine.rng import episode_key, game_key, random_word
from hanabako.engine.sections import words_for

from ..bots.bot import BotPolicy

NEVER_PLAYED = np.array([2**32 - 1], np.uint64)  # the players' chance comes from an episode that no table reaches


class Seated(Protocol):
    """Somebody at some seats of all tables of a block."""

    def begin(self) -> None:
        """The cards are dealt."""

    def act(self) -> None:
        """Write to ``block.actions`` for every table where one of the own seats is to move."""

    def observe(self) -> None:
        """All tables have made a step."""


class Block:
    """So many tables of one game that go on step by step until all are over.

    Attributes:
        tables: the game's records (N,), of `hanabako.engine.game.Game.table_dtype`.
        numbers: the rules as int64.
        observation: of each table's player to move, packed uint64 (N, words), or (N, 0) where nobody wants it.
        mask: int8 (N, A), the legal actions there.
        keys: uint64 (N,), the random streams of the players' chance.
        step: steps so far.
        actions: int64 (N,), of the coming step; a finished game takes no notice of its own.
    """

    def __init__(self, game: Game, count: int, observes: bool, specialize: bool) -> None:
        self.game = game
        self.specialize = specialize
        self.loops = game.loops(specialize)
        self.rules_array = game.rules_array
        self.tables = np.zeros(count, game.table_dtype(specialize))
        words = words_for(game.observation_bits)
        # Without a column nothing is written; int8 is what most programs compile their step for.
        self.observation = np.zeros((count, words), np.uint64) if observes else np.zeros((count, 0), np.int8)
        self.mask = np.zeros((count, game.num_actions), np.int8)
        self.actions = np.zeros(count, np.int64)
        self._final = np.zeros((count, 0), self.observation.dtype)
        self.step = 0

    def deal(self, seed: int, first: int) -> None:
        """Deal game ``first`` of ``seed`` to the first table, and so on."""
        count = len(self.tables)
        self.keys = chance_keys(seed, first, count)
        self.loops.seed(self.tables, np.array([seed, first], np.uint64))
        self.loops.reset(self.rules_array, self.tables, np.ones(count, np.bool_))
        if self.observation.shape[1]:
            self.loops.observe(self.rules_array, self.tables, -1, self.observation, self.mask)
        else:
            self.mask[:] = unpack_rows(self.tables["mask"], self.game.num_actions)
        self.step = 0

    @property
    def open_games(self) -> NDArray[np.int64]:
        """The tables whose games go on."""
        return np.flatnonzero(~self.tables["terminated"])

    def go_on(self, players: Sequence[Seated]) -> None:
        """One step at every table whose game goes on."""
        for player in players:
            player.act()
        self.loops.step(self.rules_array, self.tables, self.actions, self.observation, self.mask, self._final, DISABLED)
        self.step += 1
        for player in players:
            player.observe()


def sit(block: "Block | OneTable", policies: Sequence[Any]) -> list[Seated]:
    """Seat one policy per seat at all tables of the block; equal ones share their work."""
    seats: dict[int, list[int]] = {}
    for player, policy in enumerate(policies):
        seats.setdefault(id(policy), []).append(player)
    return [
        (BotsSeated if isinstance(policies[own[0]], BotPolicy) else PolicySeated)(block, policies[own[0]], own)
        for own in seats.values()
    ]


class BotsSeated:
    """A bot at some seats of all tables."""

    def __init__(self, block: "Block | OneTable", policy: BotPolicy, seats: Sequence[int]) -> None:
        self._block = block
        self._loops = policy.loops(block.specialize)
        self._memories = policy.memories(len(block.tables), block.specialize)
        self._views = np.zeros(1, block.tables.dtype["state"])
        self._seats = np.uint64(sum(1 << seat for seat in seats))
        self._style = policy.bot.style

    def begin(self) -> None:
        """See `Seated`."""
        block = self._block
        self._loops.begin(block.rules_array, block.tables, self._seats, self._memories, self._views, self._style)

    def act(self) -> None:
        """See `Seated`."""
        block = self._block
        mine = (block.rules_array, block.tables, self._seats, self._memories, self._views)
        self._loops.act(*mine, block.keys, block.step, block.actions)

    def public_knowledge(self) -> NDArray[np.uint64] | None:
        """A copy of the bot's ``possible``, (N, players, hand_size): what the cards may be, as far as all can tell.

        Of player 0, as good as anybody's; None where the bot's memory has no such field.
        """
        if "possible" not in (self._memories.dtype.names or ()):
            return None
        return self._memories["possible"][:, 0].copy()

    def observe(self) -> None:
        """See `Seated`."""
        block = self._block
        self._loops.observe(block.rules_array, block.tables, self._seats, self._memories, self._views)


class PolicySeated:
    """A batched policy at some seats of all tables: it is asked once a step for all its decisions."""

    def __init__(self, block: "Block | OneTable", policy: Any, seats: Sequence[int]) -> None:
        self._block = block
        self._policy = policy
        self._seats = np.array(seats)

    def begin(self) -> None:
        """See `Seated`."""

    def act(self) -> None:
        """See `Seated`."""
        block = self._block
        mine = np.isin(block.tables["current_player"], self._seats) & ~block.tables["terminated"]
        rows = np.flatnonzero(mine)
        if len(rows):
            noise = uniform(block.keys[rows], block.step)
            block.actions[rows] = self._policy.act(block.observation[rows], block.mask[rows], noise)

    def observe(self) -> None:
        """See `Seated`."""


def unpack_rows(words: NDArray[np.uint64], count: int) -> NDArray[np.uint8]:
    """The first ``count`` bits of every row of words (N, words), lowest first, as numbers (N, count)."""
    octets = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=count, bitorder="little")


def chance_keys(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    """A random stream for the players of each of ``count`` games from ``first`` on, apart from those of its deals."""
    keys = game_key(np.full(count, seed, np.uint64), np.arange(first, first + count, dtype=np.uint64))
    return np.asarray(episode_key(keys, NEVER_PLAYED))


def uniform(keys: NDArray[np.uint64], step: int) -> NDArray[np.float64]:
    """The ``step``-th number in [0, 1) of every stream."""
    words = np.asarray(random_word(keys, np.full(1, step, np.uint64)))
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


class OneTable:
    """Policies at the seats of one PettingZoo environment.

        env.reset(seed=7)
        table = OneTable(env, [agents.load("cheat", env.config), agents.load("random", env.config)], seed=7)
        while not all(env.terminations.values()):
            env.step(table.action())
            table.observe()

    They play as in `agents.evaluate.play`, which has the same game at ``game_index`` of ``seed``.

    Args:
        env: an AEC environment of ours, just reset.
        policies: one per seat.
        seed: of the policies' chance.
        game_index: likewise.
    """

    def __init__(self, env: Any, policies: Sequence[Any], seed: int = 0, game_index: int = 0) -> None:
        self._env = env.unwrapped
        self.specialize = False
        self.rules_array = self._env.game.rules_array
        self.tables = self._env.tables
        self.keys = chance_keys(seed, game_index, 1)
        self.actions = np.zeros(1, np.int64)
        self.step = 0
        self.players = sit(self, policies)
        for player in self.players:
            player.begin()

    @property
    def observation(self) -> NDArray[np.int8]:
        """What the player to move observes, (1, bits)."""
        return self._env.observe(self._env.agent_selection)["observation"][None]

    @property
    def mask(self) -> NDArray[np.int8]:
        """The legal actions, (1, A)."""
        return self._env.observe(self._env.agent_selection)["action_mask"][None]

    def action(self) -> int:
        """The action of the player to move."""
        for player in self.players:
            player.act()
        return int(self.actions[0])

    def observe(self) -> None:
        """The environment has made a step; to be called after every one, whoever acted."""
        self.step += 1
        for player in self.players:
            player.observe()
