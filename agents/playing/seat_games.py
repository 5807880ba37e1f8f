"""One seat in each of many games, with given partners at the others: what is behind `hanabako.envs.vector_seat`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.envs.partners import Choice, Partner, generator_of, is_policy
from hanabako.envs.vector import SPECIALIZE_FROM
from hanabako.packing import unpack

from .block import random_keys
from .open_games import LoneBlock, OpenGames, among, check_members
from .policy import Seated, rows_to_move, set_of

__all__ = ["SeatGames"]


class SeatGames(OpenGames):
    """Games in which one player is outside. After `begin` and `step` it is to move in all that are not over.

    Args:
        game: what is played.
        count: how many games.
        seat: the player outside.
        choice: who has the other seats.

    Raises:
        ValueError: a partner can neither be asked game by game nor begin games one by one.
    """

    block: LoneBlock  # pyrefly: ignore[bad-override-mutable-attribute] - every method of the base is content with it
    reward: NDArray[np.float64]
    """(games,): of the last step, what the seat earned before its first decision included."""
    ended: NDArray[np.bool_]
    """(games,): a game has ended with the last step."""
    ending: dict[str, NDArray[Any]]
    """What is told of a game that ended, (games, ...)."""
    final: NDArray[np.uint64]
    """(games, words): what the seat observed at the end of those games."""

    def __init__(self, game: Game, count: int, seat: int, choice: Choice) -> None:
        policies = check_members([member for member in choice.members if is_policy(member)])
        specialize = count >= SPECIALIZE_FROM and all(policy.specializes for policy in policies)
        self.block = LoneBlock(game, count, observes=True, specialize=specialize)
        self.block.keys = np.zeros(count, np.uint64)
        self.learners = set_of([seat], count)
        self.seat = seat
        self.reward, self._owed = np.zeros(count), np.zeros(count)
        self.ended, self._is_new = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
        self.final = self.block.observation.copy()
        statistics = {name: self.tables[name].copy() for name in ("illegal", "length", *game.statistics)}
        self.ending = {**statistics, "returns": self.tables["returns"][:, : game.players].copy()}
        self._choice = choice
        self._generators: list[np.random.Generator] = [np.random.default_rng(0)] * count
        self._follows_at_once = True
        distinct = list({id(member): member for member in choice.members}.values())
        self._numbers = np.array([[one is member for one in distinct].index(True) for member in choice.members])
        self._seated = [self._seat(member) for member in distinct]

    def _seat(self, member: Any) -> Seated:
        if is_policy(member):
            return check_members([member])[0].seat(self.block, range(self.block.game.players))
        return FunctionSeated(member, self.block, self._generators)

    @property
    def tables(self) -> NDArray[Any]:
        """The games' records (games,)."""
        return self.block.tables

    def seed(self, seed: int, first: int, rows: NDArray[np.int64]) -> None:
        """Give the games ``rows`` their deals and generators: game ``i`` those of game ``first + i`` of ``seed``."""
        self.block.seed(seed, first, rows)
        for row in rows.tolist():
            self._generators[row] = generator_of(seed, first + row)

    def begin(self, rows: NDArray[np.int64]) -> None:
        """The present episodes of the games ``rows``, up to the seat's first decision."""
        self._is_new[rows] = True
        self.block.begin(rows)
        self._sit_down(rows)
        self._let_others_move()

    def step(self, actions: NDArray[np.int64], same_step: bool, next_step: bool) -> None:
        """A decision of the seat in every game that goes on, and the others' until it is to move again.

        Args:
            actions: (games,).
            same_step: games that end are followed by their next ones at once.
            next_step: those that were over before are followed by their next ones now.
        """
        over = self.tables["terminated"].copy()
        self._follows_at_once = same_step
        self.ended[:] = False
        self._is_new[:] = over
        self.reward[:], self._owed[:] = self._owed, 0
        self.block.actions[:] = actions
        if not over.all():
            self._go_on(np.flatnonzero(~over))
        if next_step and over.any():
            self._begin_next(np.flatnonzero(over))
        self._let_others_move()

    def _collect(self, rows: NDArray[np.int64]) -> None:
        earned, new = self.tables["rewards"][rows, self.seat], self._is_new[rows]
        self.reward[rows[~new]] += earned[~new]
        self._owed[rows[new]] += earned[new]

    def _end(self, rows: NDArray[np.int64]) -> None:
        """One that ends before the seat's first decision is followed by the next one as if it had not been."""
        new = self._is_new[rows]
        self._note(rows[~new])
        again = rows if self._follows_at_once else rows[new]
        if len(again):
            self._begin_next(again)

    def _note(self, rows: NDArray[np.int64]) -> None:
        """What is to be told of games that have ended; they show the seat their ends."""
        self.ended[rows] = True
        for name, numbers in self.ending.items():
            own = self.tables[name][rows]
            numbers[rows] = own[:, : numbers.shape[1]] if numbers.ndim > 1 else own
        self.final[rows], _ = self.block.seen_by(self.seat, rows)
        self.block.observation[rows], self.block.mask[rows] = self.final[rows], 0

    def _begin_next(self, rows: NDArray[np.int64]) -> None:
        self._is_new[rows] = True
        self._owed[rows] = 0
        self.block.begin_next(rows)
        self._sit_down(rows)

    def _sit_down(self, rows: NDArray[np.int64]) -> None:
        """Draw who sits where in the games ``rows``, which begin, and their random keys."""
        drawn = [self._choice.draw(self._generators[row]) for row in rows.tolist()]
        self.block.keys[rows] = random_keys([seed for _, seed in drawn], 0)  # as at a `OneTable`
        numbers = self._numbers[np.array([places for places, _ in drawn]).reshape(len(rows), -1)]
        players = np.array(self._choice.others, np.uint64)
        for k, seated in enumerate(self._seated):
            seated.seats[rows] = np.where(numbers == k, np.uint64(1) << players, np.uint64(0)).sum(1, dtype=np.uint64)
            seated.begin(among(rows, len(self.tables)))


class FunctionSeated(Seated):
    """A function at some seats of some games: asked game by game, as a single seat asks it."""

    def __init__(self, partner: Partner, block: LoneBlock, generators: list[np.random.Generator]) -> None:
        self._partner, self._block, self._generators = partner, block, generators
        self.seats = set_of([], len(block.tables))

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`."""
        block = self._block
        rows = rows_to_move(self.seats, block.tables)
        seen = unpack(block.observation[rows], block.game.observation_bits)
        for row, observation in zip(rows.tolist(), seen, strict=True):
            shown = {"observation": observation, "action_mask": block.mask[row].copy()}
            block.actions[row] = self._partner(shown, self._generators[row])
