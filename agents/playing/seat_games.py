"""One seat in each of many games, with given partners at the others: the games of `hanabako.envs.vector_seat`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.envs.partners import Choice, Partner, generator_of, is_policy
from hanabako.envs.seat import MOST_SKIPPED, no_decision
from hanabako.envs.vector import SPECIALIZE_FROM
from hanabako.packing import unpack
from hanabako.words.checks import as_index, shown

from .block import random_keys
from .open_games import LoneBlock, OpenGames, among, check_members
from .policy import Seated, rows_to_move, set_of
from .seating import sit_down


class SeatGames(OpenGames):
    """Games with one outside player, at ``seat``. After `begin` and `step`, it is to move in all games that go on.

    ``choice`` are the partners, and how they are chosen for the other seats: functions that are called game by game, or
    policies, see `check_members`.
    """

    block: LoneBlock  # pyrefly: ignore[bad-override-mutable-attribute] - every method of the base class accepts it
    reward: NDArray[np.float64]
    """(games,): the seat's rewards for the last step, including those before its first decision."""
    ended: NDArray[np.bool_]
    """(games,): whether a game ended with the last step."""
    ending: dict[str, NDArray[Any]]
    """(games, ...): statistics of games that ended, by name."""
    final: NDArray[np.uint64]
    """(games, words): the seat's observation at the end of those games."""

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
        self._skipped = np.zeros(count, np.int64)
        self._choice = choice
        self._generators: list[np.random.Generator] = [np.random.default_rng(0)] * count
        self._follows_at_once = True
        distinct = list({id(member): member for member in choice.members}.values())
        self._numbers = np.array([[one is member for one in distinct].index(True) for member in choice.members])
        self._seated = [self._seat(member) for member in distinct]

    def _seat(self, member: Any) -> Seated:
        if is_policy(member):
            return sit_down(check_members([member])[0], self.block, range(self.block.game.players))
        return FunctionSeated(member, self.block, self._generators)

    @property
    def tables(self) -> NDArray[Any]:
        """(games,): the games' records."""
        return self.block.tables

    def seed(self, seed: int, first: int, rows: NDArray[np.int64]) -> None:
        """Give the games ``rows`` deals and generators: game ``i`` gets those of game ``first + i`` of ``seed``."""
        self.block.seed(seed, first, rows)
        for row in rows.tolist():
            self._generators[row] = generator_of(seed, first + row)

    def begin(self, rows: NDArray[np.int64]) -> None:
        """Begin the present episodes of the games ``rows``, and play up to the seat's first decision."""
        self._is_new[rows] = True
        self._skipped[:] = 0
        self.block.begin(rows)
        self._sit_down(rows)
        self._let_others_move()

    def step(self, actions: NDArray[np.int64], same_step: bool, next_step: bool) -> None:
        """Play one decision of the seat in every game that is not over, then the others' until it is to move again.

        After a game that ends, the next one begins at once with ``same_step``; after one that was over before, with
        ``next_step``. The seat's ``actions`` are (games,).
        """
        over = self.tables["terminated"].copy()
        self._follows_at_once = same_step
        self.ended[:] = False
        self._skipped[:] = 0
        self._is_new[:] = over
        self.reward[:], self._owed[:] = self._owed, 0
        self.block.actions[:] = actions
        if not over.all():
            self._go_on(np.flatnonzero(~over))
        if next_step and over.any():
            self._begin_next(np.flatnonzero(over))
        self._let_others_move()

    def _check(self, rows: NDArray[np.int64]) -> None:
        """Refuse partners' actions that are out of range or not legal."""
        mask, actions = self.block.mask, self.block.actions[rows]
        known = (actions >= 0) & (actions < mask.shape[1])
        for row in rows[~known | (mask[rows, np.where(known, actions, 0)] == 0)].tolist():
            raise illegal_action(int(self.block.actions[row]), mask[row], row)

    def _collect(self, rows: NDArray[np.int64]) -> None:
        earned, new = self.tables["rewards"][rows, self.seat], self._is_new[rows]
        self.reward[rows[~new]] += earned[~new]
        self._owed[rows[new]] += earned[new]

    def _end(self, rows: NDArray[np.int64]) -> None:
        """Handle ended games; one that ended before the seat's first decision is skipped, and the next one begins."""
        new = self._is_new[rows]
        self._skipped[rows[new]] += 1
        if self._skipped.max() > MOST_SKIPPED:
            raise no_decision(self.seat)
        self._note(rows[~new])
        again = rows if self._follows_at_once else rows[new]
        if len(again):
            self._begin_next(again)

    def _note(self, rows: NDArray[np.int64]) -> None:
        """Record the statistics of games that have ended, and show the seat their final observations."""
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
        """Draw the partners and the random keys of the games ``rows``, which begin."""
        drawn = [self._choice.draw(self._generators[row]) for row in rows.tolist()]
        self.block.keys[rows] = random_keys([seed for _, seed in drawn], 0)  # as for a `OneTable`
        numbers = self._numbers[np.array([places for places, _ in drawn]).reshape(len(rows), -1)]
        players = np.array(self._choice.others, np.uint64)
        for k, seated in enumerate(self._seated):
            seated.seats[rows] = np.where(numbers == k, np.uint64(1) << players, np.uint64(0)).sum(1, dtype=np.uint64)
            seated.begin(among(rows, len(self.tables)))


class FunctionSeated(Seated):
    """A function at some seats of some games, called game by game, as in a single-game environment."""

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
            action = self._partner(shown, self._generators[row])
            try:
                block.actions[row] = as_index("action", action, block.mask.shape[1] - 1)  # `SeatGames` checks the rest
            except ValueError:
                raise illegal_action(action, block.mask[row], row) from None


def illegal_action(value: Any, mask: NDArray[np.int8], row: int) -> ValueError:
    """Return the error for a partner's action in the game ``row``."""
    legal = shown(np.flatnonzero(mask).tolist())
    return ValueError(f"a partner's action in game {row} must be one of {legal}, got {shown(value)}")
