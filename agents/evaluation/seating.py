"""Games in play with any policy at any seat: many in lock-step (`Block`), or one PettingZoo environment (`OneTable`).

Whoever sits there is an `agents.bots.policy.Seated`: it begins when the cards are dealt, acts when it may be its turn,
and observes every step.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.engine.protocol import DISABLED
from hanabako.engine.rng import episode_key, game_key
from hanabako.engine.sections import words_for
from hanabako.packing import unpack

from ..bots.policy import Agent, GamesInPlay, Policy, Seated, line_up

NEVER_PLAYED = np.array([2**32 - 1], np.uint64)  # the players' randomness comes from an episode that no table reaches


class Block:
    """Tables of one game that go on step by step until all games are over: `agents.bots.policy.GamesInPlay`.

    Args:
        game: what is played.
        count: how many tables.
        observes: somebody reads observations; else their array is empty, (N, 0).
        specialize: compile the loops for this config alone.
    """

    def __init__(self, game: Game, count: int, observes: bool, specialize: bool) -> None:
        self.game = game
        self.specialize = specialize
        self.loops = game.loops(specialize)
        self.rules_array = game.rules_array
        self.tables = np.zeros(count, game.table_dtype(specialize))
        words = words_for(game.observation_bits)
        # Without a column nothing is written; int8 is what most users compile their step for.
        rows: NDArray[Any] = np.zeros((count, words), np.uint64) if observes else np.zeros((count, 0), np.int8)
        self.observation = rows
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
            self.mask[:] = unpack(self.tables["mask"], self.game.num_actions)
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


def sit(games: GamesInPlay, policies: Sequence[Policy]) -> list[Seated]:
    """Let one policy per seat take its seats in all the games; equal ones share their work."""
    seats: dict[int, list[int]] = {}
    for player, policy in enumerate(policies):
        seats.setdefault(id(policy), []).append(player)
    return [policies[own[0]].seat(games, own) for own in seats.values()]


def chance_keys(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    """A random stream for the players of each of ``count`` games from ``first`` on, apart from those of its deals."""
    keys = game_key(np.full(count, seed, np.uint64), np.arange(first, first + count, dtype=np.uint64))
    return np.asarray(episode_key(keys, NEVER_PLAYED))


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
        policies: one for all seats, or one per seat.
        seed: of the policies' randomness.
        game_index: as in ``reset``; a part of that seed.
    """

    def __init__(self, env: Any, policies: Agent | Sequence[Agent], seed: int = 0, game_index: int = 0) -> None:
        self._env = env.unwrapped
        self.game: Game = self._env.game
        self.specialize = False
        self.rules_array = self.game.rules_array
        self.tables = self._env.tables
        self.keys = chance_keys(seed, game_index, 1)
        self.actions = np.zeros(1, np.int64)
        self.step = 0
        self.players = sit(self, line_up(policies, self.game.players))
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
