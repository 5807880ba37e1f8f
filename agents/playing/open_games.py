"""Games that go on apart from each other: in each somebody from outside has some seats, and policies have the others.

Who learns among partners plays so (`agents.learning.common.partners`), and so does one seat of many games as an
environment (`hanabako.envs.vector_seat`). All games whose policies are to move go on together, until everywhere it is
the turn of a player outside.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.protocol import DISABLED
from hanabako.engine.rng import GOLDEN
from hanabako.words.checks import shown

from .block import Block
from .policy import Policy, Seated, as_policy, has

__all__ = ["LoneBlock", "OpenBlock", "OpenGames", "among", "check_members"]


class OpenGames(ABC):
    """Games that go on until it is the turn of a player outside; a base class."""

    block: "OpenBlock"
    learners: NDArray[np.uint64]
    """(games,): the players outside in each game, as bits of a set."""
    _seated: list[Seated]
    """Those who have the other seats, each with its own in every game."""

    def _let_others_move(self) -> None:
        """All decisions of others until it is the learner's turn in every game that goes on."""
        tables = self.block.tables
        while len(rows := np.flatnonzero(~tables["terminated"] & ~has(self.learners, tables["current_player"]))):
            for seated in self._seated:
                seated.act()
            self._go_on(rows)

    def _go_on(self, rows: NDArray[np.int64]) -> None:
        """One step in the games ``rows``."""
        self.block.step_some(rows)
        self._collect(rows)
        for seated in self._seated:
            seated.observe(among(rows, len(self.block.tables)))
        ended = rows[self.block.tables["terminated"][rows]]
        if len(ended):
            self._end(ended)

    @abstractmethod
    def _collect(self, rows: NDArray[np.int64]) -> None:
        """Take the rewards of a step in the games ``rows``."""

    @abstractmethod
    def _end(self, rows: NDArray[np.int64]) -> None:
        """The games ``rows`` have ended with this step."""


class OpenBlock(Block):
    """Tables that go on apart from each other: some make a step while others wait; each deals its next game itself."""

    def step_some(self, rows: NDArray[np.int64]) -> None:
        """One step, of their ``actions``, at the tables ``rows``; a game that is over then stays as it is."""
        tables, observation, mask = self._copies(rows)
        actions, final = self.actions[rows], self._final[rows]
        self.loops.step(self.rules_array, tables, actions, observation, mask, final, DISABLED)
        self._put_back(rows, tables, observation, mask)
        self.step += 1

    def begin_next(self, rows: NDArray[np.int64]) -> None:
        """The next game at the tables ``rows``."""
        self.tables["state"]["episode"][rows] += 1
        self.begin(rows)

    def begin(self, rows: NDArray[np.int64]) -> None:
        """The present game at the tables ``rows``, from its deal on."""
        tables, observation, mask = self._copies(rows)
        self.loops.reset(self.rules_array, tables, np.ones(len(rows), np.bool_))
        self.loops.observe(self.rules_array, tables, -1, observation, mask)
        self._put_back(rows, tables, observation, mask)

    def take(self, tables: NDArray[Any], step: int) -> None:
        """Go on from these records after that many steps."""
        self.tables[:], self.step = tables, step
        self.loops.observe(self.rules_array, self.tables, -1, self.observation, self.mask)

    def seen_by(self, player: int, rows: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int8]]:
        """What a player observes at the tables ``rows``, packed, and its mask: of zeros if it is not to move."""
        tables, observation, mask = self._copies(rows)
        self.loops.observe(self.rules_array, tables, player, observation, mask)
        return observation, mask

    def _copies(self, rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int8]]:
        tables = self._octets[rows].view(self.tables.dtype)[:, 0]
        return tables, self.observation[rows], self.mask[rows]

    def _put_back(
        self, rows: NDArray[np.int64], tables: NDArray[Any], observation: NDArray[Any], mask: NDArray[np.int8]
    ) -> None:
        self._octets[rows] = tables.view(np.uint8).reshape(len(rows), tables.itemsize)
        self.observation[rows], self.mask[rows] = observation, mask


class LoneBlock(OpenBlock):
    """An `OpenBlock` in which every game is played as it would be alone: its random numbers follow its steps.

    ``step`` stays 0; instead the streams ``keys`` go on by a number with each step of their games.
    """

    def seed(self, seed: int, first: int, rows: NDArray[np.int64]) -> None:
        """Give the tables ``rows`` the deals of ``seed``: table ``i`` those of its game ``first + i``."""
        others = np.flatnonzero(~among(rows, len(self.tables)))
        kept = self._octets[others]
        self.loops.seed(self.tables, np.array([seed, first], np.uint64))
        self._octets[others] = kept

    def step_some(self, rows: NDArray[np.int64]) -> None:
        """See `OpenBlock.step_some`."""
        super().step_some(rows)
        self.step = 0
        self.keys[rows] += GOLDEN  # see `hanabako.engine.rng.random_word`


def check_members(members: Sequence[Any]) -> list[Policy]:
    """The policies of a pool's members.

    Raises:
        ValueError: one is no bot of ours and does not choose from observations: it could not begin games one by one.
    """
    policies = [as_policy(member) for member in members]
    for policy in policies:
        if not getattr(policy, "plays_apart", False):
            raise ValueError(f"a partner must be a bot, a network or have an act of its own, got {shown(policy)}")
    return policies


def among(rows: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """The games ``rows`` as a bool for each of ``count``."""
    chosen = np.zeros(count, np.bool_)
    chosen[rows] = True
    return chosen
