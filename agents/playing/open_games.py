"""Games that advance independently: in each, an outside player holds some seats, and policies hold the others.

Learning among partners (`agents.learning.common.partners`) and the vector environment of one seat per game
(`hanabako.envs.vector_seat`) play this way. All games in which policies are to move advance together, until an outside
player is to move in every game.
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


class OpenGames(ABC):
    """A base class for games that advance until an outside player is to move."""

    block: "OpenBlock"
    learners: NDArray[np.uint64]
    """(games,): the outside players of each game, as bits of a set."""
    _seated: list[Seated]
    """The seated policies at the other seats; each has its own seats in every game."""

    def _let_others_move(self) -> None:
        """Play the others' decisions until an outside player is to move in every game that is not over."""
        tables = self.block.tables
        while len(rows := np.flatnonzero(~tables["terminated"] & ~has(self.learners, tables["current_player"]))):
            for seated in self._seated:
                seated.act()
            self._check(rows)
            self._go_on(rows)

    def _check(self, rows: NDArray[np.int64]) -> None:  # noqa: B027 - a hook
        """Check the others' actions in the games ``rows``; a hook for subclasses."""

    def _go_on(self, rows: NDArray[np.int64]) -> None:
        """Make one step in the games ``rows``."""
        self.block.step_some(rows)
        self._collect(rows)
        for seated in self._seated:
            seated.observe(among(rows, len(self.block.tables)))
        ended = rows[self.block.tables["terminated"][rows]]
        if len(ended):
            self._end(ended)

    @abstractmethod
    def _collect(self, rows: NDArray[np.int64]) -> None:
        """Take the rewards of a step in the games ``rows``; implemented by subclasses."""

    @abstractmethod
    def _end(self, rows: NDArray[np.int64]) -> None:
        """Handle the games ``rows``, which this step has ended; implemented by subclasses."""


class OpenBlock(Block):
    """Tables that advance independently: some make a step while others wait, and each deals its own next game."""

    def step_some(self, rows: NDArray[np.int64]) -> None:
        """Make one step with their ``actions`` at the tables ``rows``; a game that ends then stays as it is."""
        tables, observation, mask = self._copies(rows)
        actions, final = self.actions[rows], self._final[rows]
        self.loops.step(self.rules_array, tables, actions, observation, mask, final, DISABLED)
        self._put_back(rows, tables, observation, mask)
        self.step += 1

    def begin_next(self, rows: NDArray[np.int64]) -> None:
        """Begin the next game at the tables ``rows``."""
        self.tables["state"]["episode"][rows] += 1
        self.begin(rows)

    def begin(self, rows: NDArray[np.int64]) -> None:
        """Begin the present game at the tables ``rows`` with its deal."""
        tables, observation, mask = self._copies(rows)
        self.loops.reset(self.rules_array, tables, np.ones(len(rows), np.bool_))
        self.loops.observe(self.rules_array, tables, -1, observation, mask)
        self._put_back(rows, tables, observation, mask)

    def take(self, tables: NDArray[Any], step: int) -> None:
        """Continue from the given records, of which ``step`` steps have been made."""
        self.tables[:], self.step = tables, step
        self.loops.observe(self.rules_array, self.tables, -1, self.observation, self.mask)

    def seen_by(self, player: int, rows: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int8]]:
        """Return a player's packed observations at the tables ``rows``, and its masks: zeros if it is not to move."""
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
    """An `OpenBlock` that plays every game as it would be alone: its random numbers depend on its own steps only.

    ``step`` stays 0; instead, each game's key in ``keys`` advances by one number per step of that game.
    """

    def seed(self, seed: int, first: int, rows: NDArray[np.int64]) -> None:
        """Give the tables ``rows`` the deals of ``seed``: table ``i`` gets those of game ``first + i``."""
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
    """Return the policies of a pool's members, bots of ours or such as choose from observations.

    Raise ``ValueError`` for others, which cannot begin games one by one.
    """
    policies = [as_policy(member) for member in members]
    for policy in policies:
        if not getattr(policy, "plays_apart", False):
            raise ValueError(f"a partner must be a bot, a network or have an act of its own, got {shown(policy)}")
    return policies


def among(rows: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Return the games ``rows`` as a mask, bool (count,)."""
    chosen = np.zeros(count, np.bool_)
    chosen[rows] = True
    return chosen
