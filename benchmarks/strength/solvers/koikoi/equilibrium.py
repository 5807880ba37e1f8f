"""Equilibria of endings with closed hands, by regret matching, with proven bounds.

Both players know the public position, and of the other hand only what K14 implies; all consistent deals of the unseen
cards are equally likely. A *plan* is a player's sequence of choices so far, given its own hand and the public history.
`agents.search.koikoi.walk` records all plans and the payoff of every pair of plans. This zero-sum game is solved by
CFR+ (Tammelin 2014) over plans: both players follow each plan in proportion to its regret, and their average strategies
converge to optimal play. The error is measured: the exact best response to each player's average bounds the value from
both sides (`Solved.lower`, `Solved.upper`).
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
"""Maximum numbers of choices and of pairs of plans; they are tried one after the other."""
CHECK_EVERY = 50


@dataclass(frozen=True)
class Solved:
    """The value of an ending for player 0, in points, as a mean over all deals."""

    lower: float
    """The value with closed hands that player 0 can guarantee: a lower bound."""
    upper: float
    """The value with closed hands that player 1 can guarantee: an upper bound."""
    opened: float
    """The value with open hands: the relaxation."""
    advised: tuple[float, float]
    """The values (for player 0) that player 0, and player 1, can guarantee if they always choose the best action on
    average over open hands."""
    deals: int
    rounds: int
    """The number of rounds of regret matching."""

    @property
    def value(self) -> float:
        """The value with closed hands: the middle of the bounds."""
        return (self.lower + self.upper) / 2


@dataclass(frozen=True)
class SolvedCall:
    """The values of Game and Koi-Koi, for the hand of the player who has the choice, in this player's points."""

    stop: float
    koikoi: float
    """The value of Koi-Koi. Both values are with closed hands, against the other's strategy in the solution, with the
    best play afterwards."""
    often: float
    """The probability of Koi-Koi with this hand in the solution; strictly between 0 and 1 if both values are equal."""
    uncertain: float
    """The difference between the bounds of the value over all hands, divided by the probability of this hand."""


def both_hands(state: Any, excluded: Any) -> NDArray[np.uint64]:
    """Return both hands (n, 2) in every deal of the hidden cards that K14 allows."""
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
    """Solve the ending ``state`` (1,), a record of `agents.search.koikoi.one_round.ROUND_STATE`.

    Args:
        rules: the game's rules.
        state: the position; only its public part is used, and hands are those of each deal.
        deals: see `both_hands`; all are equally likely.
        within: stop when the bounds are at most this many points apart.
        most: stop after this many rounds of regret matching.

    Raises:
        ValueError: there are too many choices.
    """
    matching, written, opened, rounds = matched(rules, state, deals, within, most)
    return Solved(*matching.bounds(), opened, matching.advised(written.opened), len(deals), rounds)


def solve_call(rules: Rules, state: NDArray[Any], deals: NDArray[np.uint64], within: float = 0.001) -> SolvedCall:
    """Return the values of Game and Koi-Koi for the mover's hand in ``state``, which the other does not know.

    The arguments are those of `solve`; the player to move has this choice.
    """
    player = int(state["current_player"][0])
    other_hand = deals[:, player] != state["hand"][0, player]
    deals = deals[np.argsort(other_hand, kind="stable")]  # this hand's choice is then recorded first
    matching, *_ = matched(rules, state, deals, within, most=4000)
    lower, upper = matching.bounds()
    part = 1 - float(other_hand.mean())
    worths, average = matching.first_choice(player)
    stop, koikoi = (worths / part).tolist()
    return SolvedCall(stop, koikoi, float(average[1] / average.sum()), (upper - lower) / part)


def matched(
    rules: Rules, state: NDArray[Any], deals: NDArray[np.uint64], within: float, most: int
) -> tuple["Matching", WrittenGame, float, int]:
    """Run `solve`; return the regret matching, the recorded game, its value with open hands, and the rounds."""
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
        """Run ``rounds`` more rounds after the ``done`` ones."""
        for number in range(done, done + rounds):
            for player in range(2):
                worths(player, self._pairs, self._reach[1 - player], self._worths[player])
                improve()(self._choices[player], self._worths[player], self._regrets[player])
                follow()(self._choices[player], self._regrets[player], self._reach[player])
                self._sums[player] += (number + 1) * self._reach[player]

    def bounds(self) -> tuple[float, float]:
        """Return the values that the average strategies guarantee: a lower bound by player 0, an upper by player 1."""
        averages = [self._average(player) for player in range(2)]
        return self._answer(0, averages[0]), self._answer(1, averages[1])

    def first_choice(self, player: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the values and frequencies of the plans of a player's first choice against the other's average.

        Both are multiplied by the probability of having that choice.
        """
        values, first = np.zeros_like(self._worths[player]), self._choices[player][0]
        worths(player, self._pairs, self._average(1 - player), values)
        best_answer()(self._choices[player], values)
        plans = slice(int(first["first"]), int(first["first"] + first["count"]))
        return values[plans], self._average(player)[plans]

    def advised(self, opened: NDArray[np.float64]) -> tuple[float, float]:
        """Return the values that both players guarantee by following `WrittenGame.opened`."""
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
        """Return the value for player 0 if the other plays a best response to ``player``'s plans."""
        values = np.zeros_like(self._worths[1 - player])
        worths(1 - player, self._pairs, reach, values)
        value = best_answer()(self._choices[1 - player], values)
        return -value if player == 0 else value


def worths(player: int, pairs: tuple[NDArray[Any], ...], reach: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write the value of each plan of a player, for this player, against the other's plans, to ``out``."""
    one, other, value = pairs
    own, theirs = (one, other) if player == 0 else (other, one)
    weigh()(own, theirs, value, 1.0 if player == 0 else -1.0, reach, out)


# --- Compiled ---------------------------------------------------------------------------------------------------------


@cache
def write_down() -> Callable[..., float]:
    """Return the loop ``(rules_array, state (1,), deals, states, ways, written)`` that records all deals.

    It returns their mean value with open hands.
    """
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
    """Return the loop ``(own, theirs, value, sign, reach, out)`` of `worths`."""

    @kernel
    def weigh_pairs(own, theirs, value, sign, reach, out):
        for plan in range(out.shape[0]):
            out[plan] = 0.0
        for k in range(own.shape[0]):
            out[own[k]] += sign * value[k] * reach[theirs[k]]

    return weigh_pairs


@cache
def improve() -> Callable[..., None]:
    """Return the loop ``(choices, worths, regrets)`` that updates regrets, which never fall below 0."""
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
    """Return the loop ``(choices, regrets, reach)`` that computes each plan's frequency from the regrets."""
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
    """Return the loop ``(choices, worths)`` that returns the value of the best plans; ``worths`` is overwritten."""

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
    """Return the probability of an action, given its regret, the sum of regrets and the number of actions."""
    return regret / total if total > 0.0 else 1.0 / count


def solved_openly(rules: Rules, root: NDArray[Any], excluded: Any) -> list[float]:
    """Return the value of each action for the player to move, with open hands, in the order of their numbers.

    Args:
        rules: the game's rules.
        root: the position, a record (1,) of `ROUND_STATE`.
        excluded: the cards that the other cannot hold, as a bit set.
    """
    view, values, hidden = root.copy(), np.zeros(ACTIONS), np.array([0, excluded], np.uint64)
    ending_loop()(rules_array(round_rules(rules)), view, hidden, ending_scratch(), values)
    return values.tolist()
