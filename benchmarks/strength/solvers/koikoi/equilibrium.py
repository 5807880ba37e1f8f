"""Endings with closed hands: what each player can be sure of, by regret matching, with a certificate.

Both players know the public position and nothing of the other hand but what K14 tells; all deals of the unseen cards
that fit are equally likely. A *plan* is what a player has chosen so far, knowing its own hand and what all have seen;
`agents.search.koikoi.walk` writes down all plans and what every pair of them leads to. This zero-sum game is solved by
CFR+ (Tammelin 2014) over plans: both players adjust how often they follow each plan in proportion to what they regret,
and their averages come as close to optimal play as wanted. How close is measured, not assumed: against the average of
one player the other's best answer is worked out exactly, which bounds the value from both sides (`Solved.lower`,
`Solved.upper`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.koikoi.endings import ACTIONS, ending_loop, ending_scratch
from agents.search.koikoi.one_round import round_rules
from agents.search.koikoi.walk import enter, walk, walk_scratch
from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.loops import reader_of
from hanabako.engine.protocol import rules_array
from hanafuda_env.engine.cards import CARDS
from hanafuda_env.engine.state import Rules

from .written_game import WRITER, WrittenGame, empty_game

__all__ = ["Solved", "SolvedCall", "both_hands", "solve", "solve_call", "solved_openly"]

SIZES = ((1 << 12, 1 << 15), (1 << 15, 1 << 18), (1 << 18, 1 << 22))
"""Choices and pairs of plans that are tried to have room for, in turn."""
CHECK_EVERY = 50


@dataclass(frozen=True)
class Solved:
    """What an ending is worth to player 0, in points, on average over all deals."""

    lower: float
    """Player 0 can be sure of this with closed hands, whatever the other does,"""
    upper: float
    """and of no more than this."""
    opened: float
    """What it is worth with open hands: the relaxation."""
    advised: tuple[float, float]
    """What player 0, and player 1, can be sure of (from player 0's side) who at every choice takes what is best on
    average over the open hands."""
    deals: int
    rounds: int
    """Rounds of regret matching."""

    @property
    def value(self) -> float:
        """With closed hands, as far as it is known."""
        return (self.lower + self.upper) / 2


@dataclass(frozen=True)
class SolvedCall:
    """Game or Koi-Koi, with the hand of the player who has the choice, in points to this player."""

    stop: float
    koikoi: float
    """Both with closed hands, against the other's part of the solution, with the best that may follow."""
    often: float
    """How often Koi-Koi is said with this hand in the solution: between 0 and 1 where both are worth the same."""
    uncertain: float
    """The bounds of the value over all hands are so far apart, divided by how likely this hand is."""


def both_hands(state: Any, excluded: Any) -> NDArray[np.uint64]:
    """Both hands (n, 2) in every deal of the cards that not all have seen, which K14 allows."""
    seen = int(state["field"]) | int(state["captured"][0]) | int(state["captured"][1]) | 1 << int(state["pending"])
    hidden = [card for card in range(CARDS) if not seen >> card & 1]
    sizes = [int(state["hand"][player]).bit_count() for player in range(2)]
    own = [[card for card in hidden if not int(excluded[player]) >> card & 1] for player in range(2)]
    deals = [
        (sum(1 << card for card in first), sum(1 << card for card in second))
        for first in combinations(own[0], sizes[0])
        for second in combinations([card for card in own[1] if card not in first], sizes[1])
    ]
    return np.array(deals, np.uint64)


def solve(
    rules: Rules, state: NDArray[Any], deals: NDArray[np.uint64], within: float = 0.01, most: int = 4000
) -> Solved:
    """The value of the ending ``state`` (1,), a record of `agents.search.koikoi.one_round.ROUND_STATE`.

    Args:
        rules: of the game.
        state: the public part counts; hands are those of each deal.
        deals: see `both_hands`; all are equally likely.
        within: stop when the bounds are so close, in points,
        most: or after that many rounds of regret matching.

    Raises:
        ValueError: there are too many choices.
    """
    matching, written, opened, rounds = matched(rules, state, deals, within, most)
    return Solved(*matching.bounds(), opened, matching.advised(written.opened), len(deals), rounds)


def solve_call(rules: Rules, state: NDArray[Any], deals: NDArray[np.uint64], within: float = 0.001) -> SolvedCall:
    """What Game and Koi-Koi are worth with the hand that ``state`` has, if the other does not know it.

    Arguments as in `solve`; the player to move has this choice.
    """
    player = int(state["current_player"][0])
    other_hand = deals[:, player] != state["hand"][0, player]
    deals = deals[np.argsort(other_hand, kind="stable")]  # so that this hand's choice is written down first
    matching, *_ = matched(rules, state, deals, within, most=4000)
    lower, upper = matching.bounds()
    part = 1 - float(other_hand.mean())
    worths, average = matching.first_choice(player)
    stop, koikoi = (worths / part).tolist()
    return SolvedCall(stop, koikoi, float(average[1] / average.sum()), (upper - lower) / part)


def matched(
    rules: Rules, state: NDArray[Any], deals: NDArray[np.uint64], within: float, most: int
) -> tuple["Matching", WrittenGame, float, int]:
    """See `solve`: what it knows in the end, the game as it is written down, its value with open hands, and rounds."""
    states, ways = walk_scratch()
    for choices, pairs in SIZES:
        written = empty_game(choices, pairs)
        opened = write_down()(rules_array(round_rules(rules)), state, deals, states, ways, written)
        if not written.sizes["full"][0]:
            break
    else:
        raise ValueError(f"an ending must have at most {SIZES[-1][0]} choices: fewer cards must be hidden")
    choices = written.choices[: written.sizes["choices"][0]]
    pairs = written.pairs[written.pairs["key"] != 0]
    pairs = pairs[np.argsort(pairs["key"])]
    plans = pairs["key"] - np.uint64(1)
    one, other = (plans >> np.uint64(32)).astype(np.int64), (plans & np.uint64(2**32 - 1)).astype(np.int64)
    sizes = written.sizes["plans"][0]
    matching = Matching(choices, (one, other, pairs["value"].copy()), sizes)
    rounds = 0
    while True:
        lower, upper = matching.bounds()
        if upper - lower <= within or rounds >= most:
            return matching, written, opened, rounds
        matching.go_on(rounds, CHECK_EVERY)
        rounds += CHECK_EVERY


class Matching:
    """Regret matching over the plans of two players."""

    def __init__(self, choices: NDArray[Any], pairs: tuple[NDArray[Any], ...], sizes: NDArray[np.int64]) -> None:
        self._choices = [choices[choices["player"] == player] for player in range(2)]
        self._pairs = pairs
        self._regrets = [np.zeros(size) for size in sizes]
        self._sums = [np.zeros(size) for size in sizes]
        self._worths = [np.zeros(size) for size in sizes]
        self._reach = [np.zeros(size) for size in sizes]
        for player in range(2):
            follow()(self._choices[player], self._regrets[player], self._reach[player])

    def go_on(self, done: int, rounds: int) -> None:
        """So many rounds more."""
        for number in range(done, done + rounds):
            for player in range(2):
                worths(player, self._pairs, self._reach[1 - player], self._worths[player])
                improve()(self._choices[player], self._worths[player], self._regrets[player])
                follow()(self._choices[player], self._regrets[player], self._reach[player])
                self._sums[player] += (number + 1) * self._reach[player]

    def bounds(self) -> tuple[float, float]:
        """What the average players can be sure of: player 0 of at least, player 1 of at most."""
        averages = [self._average(player) for player in range(2)]
        return self._answer(0, averages[0]), self._answer(1, averages[1])

    def first_choice(self, player: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What the plans of a player's first choice are worth against the other's average, and how often they are made.

        Both with the probability to have that choice.
        """
        values, first = np.zeros_like(self._worths[player]), self._choices[player][0]
        worths(player, self._pairs, self._average(1 - player), values)
        best_answer()(self._choices[player], values)
        plans = slice(int(first["first"]), int(first["first"] + first["count"]))
        return values[plans], self._average(player)[plans]

    def advised(self, opened: NDArray[np.float64]) -> tuple[float, float]:
        """What is sure for players who follow what `WrittenGame.opened` says."""
        found = []
        for player, sign in ((0, 1.0), (1, -1.0)):
            reach = np.zeros_like(self._reach[player])
            advice = np.zeros_like(reach)
            for choice in self._choices[player]:
                first, count = choice["first"], choice["count"]
                advice[first + int(np.argmax(sign * opened[player, first : first + count]))] = 1.0
            follow()(self._choices[player], advice, reach)
            found.append(self._answer(player, reach))
        return found[0], found[1]

    def _average(self, player: int) -> NDArray[np.float64]:
        if not self._sums[player].any():
            return self._reach[player]
        return self._sums[player] / self._sums[player][0]

    def _answer(self, player: int, reach: NDArray[np.float64]) -> float:
        """The value when the other answers ``player``'s plans as well as possible."""
        values = np.zeros_like(self._worths[1 - player])
        worths(1 - player, self._pairs, reach, values)
        value = best_answer()(self._choices[1 - player], values)
        return -value if player == 0 else value


def worths(player: int, pairs: tuple[NDArray[Any], ...], reach: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """What each plan of a player is worth against the other's, to this player, to ``out``."""
    one, other, value = pairs
    own, theirs = (one, other) if player == 0 else (other, one)
    weigh()(own, theirs, value, 1.0 if player == 0 else -1.0, reach, out)


# --- Compiled ---------------------------------------------------------------------------------------------------------


@cache
def write_down() -> Callable[..., float]:
    """The loop ``(rules_array, state (1,), deals, states, ways, written)``: all deals, written down; their mean."""
    rules_of, (choice_of, end_of) = reader_of(Rules, None), WRITER
    digest = digest_of(enter, walk, choice_of, end_of, write_down)

    @kernel
    def write_all(rules_array, state, deals, states, ways, choices, index, opened, pairs, sizes):
        rules = keyed(rules_of(rules_array), digest)
        game = WrittenGame(choices, index, opened, pairs, sizes)
        total = 0.0
        for k in range(deals.shape[0]):
            states[0] = state[0]
            states[0].hand[0] = deals[k, 0]
            states[0].hand[1] = deals[k, 1]
            ways[0].probability = 1.0 / deals.shape[0]
            ways[0].history = 0
            ways[0].plans[0] = 0
            ways[0].plans[1] = 0
            enter(rules, states[0], ways[0], game, False, choice_of)
            total += walk(rules, states, ways, game, choice_of, end_of)
        return total / deals.shape[0]

    return lambda array, state, deals, states, ways, written: write_all(array, state, deals, states, ways, *written)


@cache
def weigh() -> Callable[..., None]:
    """The loop ``(own, theirs, value, sign, reach, out)`` of `worths`."""

    @kernel
    def weigh_pairs(own, theirs, value, sign, reach, out):
        for plan in range(out.shape[0]):
            out[plan] = 0.0
        for k in range(own.shape[0]):
            out[own[k]] += sign * value[k] * reach[theirs[k]]

    return weigh_pairs


@cache
def improve() -> Callable[..., None]:
    """The loop ``(choices, worths, regrets)``: regrets grow by what other actions would have brought, never below 0."""
    digest = digest_of(part_of)

    @kernel
    def improve_choices(choices, worths, regrets):
        for k in range(keyed(choices.shape[0], digest) - 1, -1, -1):
            choice = choices[k]
            total = 0.0
            for place in range(choice.count):
                total += regrets[choice.first + place]
            value = 0.0
            for place in range(choice.count):
                plan = choice.first + place
                value += part_of(regrets[plan], total, choice.count) * worths[plan]
            for place in range(choice.count):
                plan = choice.first + place
                regrets[plan] = max(0.0, regrets[plan] + worths[plan] - value)
            worths[choice.parent] += value

    return improve_choices


@cache
def follow() -> Callable[..., None]:
    """The loop ``(choices, regrets, reach)``: how often each plan is followed, in proportion to its regret."""
    digest = digest_of(part_of)

    @kernel
    def follow_regrets(choices, regrets, reach):
        reach[0] = 1.0
        for k in range(keyed(choices.shape[0], digest)):
            choice = choices[k]
            total = 0.0
            for place in range(choice.count):
                total += regrets[choice.first + place]
            for place in range(choice.count):
                plan = choice.first + place
                reach[plan] = reach[choice.parent] * part_of(regrets[plan], total, choice.count)

    return follow_regrets


@cache
def best_answer() -> Callable[..., float]:
    """The loop ``(choices, worths)``: the value of the best plans; ``worths`` is overwritten."""

    @kernel
    def answer_best(choices, worths):
        for k in range(choices.shape[0] - 1, -1, -1):
            choice = choices[k]
            best = worths[choice.first]
            for place in range(1, choice.count):
                best = max(best, worths[choice.first + place])
            worths[choice.parent] += best
        return worths[0]

    return answer_best


@rule
def part_of(regret, total, count):
    """How often an action is chosen."""
    return regret / total if total > 0.0 else 1.0 / count


def solved_openly(rules: Rules, root: NDArray[Any], excluded: Any) -> list[float]:
    """The value of each action to the player to move, with open hands, in the order of their numbers.

    Args:
        rules: of the game.
        root: `ROUND_STATE` (1,).
        excluded: the cards that the other cannot hold, as a set.
    """
    view, values, hidden = root.copy(), np.zeros(ACTIONS), np.array([0, excluded], np.uint64)
    ending_loop()(rules_array(round_rules(rules)), view, hidden, ending_scratch(), values)
    return values.tolist()
