"""The look-ahead in a small game of Ikebana, and the cost of its choices.

It uses the code for the real game (`agents.search.ikebana.lookahead`): the player's turn and the reply with the current
odds, and beyond that the round of `agents.search.ikebana.relaxed`, with the odds of the small box. Each choice is
compared with the exact probabilities of all actions.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.ikebana.kinds import MOST_LEFT, Growth
from agents.search.ikebana.lookahead import NORMALLY, SOLVED, Horizon, Lookahead, note_kept, plan_turn
from agents.search.ikebana.relaxed import in_one, solve_round, won
from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed
from ikebana_env.engine.state import BOUQUET_SIZE

from .exact import last_turns, most_refusals, solved_turns
from .small_game import POSITION, TURNS, SmallGame, open_deck, turns_of, unpack_position

__all__ = ["Choice", "SmallPlay", "small_relaxed"]

DRAWING, KEEPING, BUYING = range(3)
"""The actions in the order of their values in `agents.search.ikebana.lookahead.lookahead_loop`; refusing is drawing
again."""


class Choice(NamedTuple):
    """One decision of the look-ahead with more than one action."""

    best: float
    """The exact win probability of the best action."""
    off: float
    """The largest error of the look-ahead over all actions' probabilities."""
    costs: float
    """The exact loss in win probability by the look-ahead's choice."""


def bouquets_of(game: SmallGame) -> list[list[tuple[int, ...]]]:
    """Return all bouquets by size, as kinds in ascending order, if cards are drawn with replacement."""
    kinds = range(len(game.box))
    return [list(combinations_with_replacement(kinds, size)) for size in range(BOUQUET_SIZE + 1)]


def small_relaxed(game: SmallGame, total: int, ended: Callable[[int, int], Any]) -> list[NDArray[np.float32]]:
    """Return `solve_round` of a small game, in which every bouquet is a separate kind."""
    bouquets, odds = bouquets_of(game), game.box / game.box.sum()
    growths = []
    for size in range(BOUQUET_SIZE):
        places = {one: place for place, one in enumerate(bouquets[size + 1])}
        grown = [places[tuple(sorted((*one, card)))] for one in bouquets[size] for card in range(len(odds))]
        begins = len(odds) * np.arange(len(bouquets[size]) + 1)
        growths.append(Growth(begins, np.array(grown), np.tile(odds, len(bouquets[size]))))
    return solve_round(total, ended, growths, gains_of(game))


def gains_of(game: SmallGame) -> NDArray[np.int64]:
    """Return the gains of the complete bouquets in `bouquets_of`."""
    return np.array([game.gain(np.bincount(one, minlength=len(game.box))) for one in bouquets_of(game)[-1]])


def ahead_of(game: SmallGame, total: int) -> tuple[Lookahead, NDArray[np.int64]]:
    """Return the look-ahead's arrays, and the index of each bouquet among those of its size.

    A bouquet is looked up by its numbers of cards of each kind, as digits to the base ``BOUQUET_SIZE + 1``.
    """
    own, kinds = np.arange(total + 1), len(game.box)
    solved, offsets = in_one(small_relaxed(game, total, lambda one, other: won(2 * own - total + one - other)))
    places = np.zeros((BOUQUET_SIZE + 1) ** kinds, np.int64)
    for bouquets in bouquets_of(game):
        for place, one in enumerate(bouquets):
            places[sum((BOUQUET_SIZE + 1) ** card for card in one)] = place
    means = np.repeat(gains_of(game)[None, :, None].astype(np.float64), MOST_LEFT + 1, axis=2)
    ahead = Lookahead(
        turns=np.array([2]),
        solved=solved,
        offsets=offsets,
        widest=total,
        means=means,
        variances=np.zeros_like(means),
        views=np.zeros(1, POSITION),
        prices=game.prices,
        unseen=np.zeros(kinds, np.int64),
        mine=np.zeros(kinds, np.int64),
        theirs=np.zeros(kinds, np.int64),
        kept=np.zeros((kinds, kinds + 1)),
        drawn=np.zeros((2, kinds + 1)),
    )
    return ahead, places


@cache
def weigh_loop() -> Callable[..., None]:
    """Return the loop ``(box, key, turn, (drawn, refusals), (own, other), ahead, places, sizes, worths)``.

    It writes the values of drawing (again), keeping and buying to ``worths`` (3,), for the player to move in the
    position of ``key``, who has ``own`` prestige and has drawn the card ``drawn``, or -1. ``sizes`` are the numbers of
    bouquets of each size.
    """
    digest = digest_of(unpack_position, open_deck, note_kept, plan_turn, weigh_loop)

    @kernel
    def weigh(box, key, turn, drawing, prestige, ahead, places, sizes, worths):
        kinds = keyed(box.shape[0], digest)
        s, (drawn, refusals), (own, other) = ahead.views[0], drawing, prestige
        unpack_position(key, kinds, s)
        offered = s.discards[1, s.heights[1] - 1] if s.heights[1] > 0 else -1
        top = s.discards[0, s.heights[0] - 1] if s.heights[0] > 0 else kinds
        open_deck(box, s)
        codes, unit = np.zeros(2, np.int64), 1
        for card in range(kinds):
            for x in range(2):
                codes[x] += unit * s.bouquets[x, card]
            unit *= BOUQUET_SIZE + 1
        replies, unit = turn < TURNS - 1, 1
        for card in range(kinds):
            ahead.unseen[card] = s.deck[card] - (1 if card == drawn else 0)
            ahead.mine[card] = places[codes[0] + unit]
            ahead.theirs[card] = places[codes[1] + unit] if replies else -1
            unit *= BOUQUET_SIZE + 1
        if ahead.unseen.sum() == 0:  # the last card was drawn: the next one comes from the discards
            for card in range(kinds):
                placed = s.bouquets[0, card] + s.bouquets[1, card] + (1 if card == drawn else 0)
                ahead.unseen[card] = box[card] - placed
        horizon = min(turn + 2, TURNS)
        mode = SOLVED if horizon < TURNS else NORMALLY
        others = sizes[min((horizon + 1) // 2, BOUQUET_SIZE)]
        begin = ahead.offsets[horizon]
        position = Horizon(mode, 0, begin, 0, 0, others, 0.0, places[codes[1]], replies)
        if drawn >= 0:
            note_kept(ahead, position, drawn, own, other)
            worths[1] = ahead.kept[drawn, top]
            price = refusals + 1
            if price <= own:
                plan_turn(ahead, position, price, own - price, other + price)
                worths[0] = ahead.drawn[0, drawn]
            return
        if offered >= 0 and ahead.prices[offered] <= own:
            price = ahead.prices[offered]
            note_kept(ahead, position, offered, own - price, other + price)
            worths[2] = ahead.kept[offered, top]
        plan_turn(ahead, position, 0, own, other)
        worths[0] = ahead.drawn[0, top]

    return weigh


class SmallPlay:
    """One-round games of the look-ahead against a player who knows the exact probabilities.

    Args:
        game: the box.
        total: the sum of the players' prestige at the beginning, half for each (I2).
        start: bouquets and discards at which play starts; by default the beginning of the round.
    """

    def __init__(self, game: SmallGame, total: int, start: NDArray[Any] | None = None) -> None:
        self.game, self.total = game, total
        self.turns, gains = turns_of(game, most_refusals(total), start)
        probabilities = [last_turns(total, gains), *solved_turns(self.turns, total, last_turns(total, gains))]
        self.probabilities = probabilities[::-1]
        """The win probability of the player to move, by turn: (starts, total + 1)."""
        self._ahead, self._places = ahead_of(game, total)
        self._sizes = np.array([len(bouquets) for bouquets in bouquets_of(game)])

    def choices(self, number: int, seed: int) -> Iterator[Choice]:
        """Yield the look-ahead's choices in a game; it moves first if ``number`` is even."""
        rng, own, i = np.random.default_rng([seed, number]), self.total // 2, 0
        for m, turn in enumerate(self.turns):
            searches, drawn, refusals = m % 2 == number % 2, -1, 0
            while True:
                exact = self.exact(m, i, drawn, refusals, own)
                action = max(exact, key=lambda one: exact[one])
                if searches and len(exact) > 1:
                    seen = self.seen(m, i, drawn, refusals, own)
                    best, action = exact[action], max(exact, key=lambda one: seen[one])
                    yield Choice(best, max(abs(seen[one] - exact[one]) for one in exact), best - exact[action])
                if action == BUYING:
                    i, own = int(turn.bought[i]), own - int(turn.prices[i])
                    break
                if action == KEEPING:
                    i = int(turn.kept[i, drawn])
                    break
                if drawn >= 0:
                    refusals += 1
                    i, own = int(turn.refused[i, drawn]), own - refusals
                drawn = int(rng.choice(len(self.game.box), p=turn.deck[i] / turn.deck[i].sum()))
            own = self.total - own

    def exact(self, m: int, i: int, drawn: int, refusals: int, own: int) -> dict[int, float]:
        """Return the exact probabilities of the actions at turn ``m``, after drawing ``drawn``, or -1 before a draw."""
        turn = self.turns[m]
        if drawn < 0:
            found = {DRAWING: self.drawing(m, i, 0, own)}
            if turn.bought[i] >= 0 and (price := int(turn.prices[i])) <= own:
                found[BUYING] = self.after(m, int(turn.bought[i]), own - price)
            return found
        found = {KEEPING: self.after(m, int(turn.kept[i, drawn]), own)}
        if own > refusals:
            found[DRAWING] = self.drawing(m, int(turn.refused[i, drawn]), refusals + 1, own - refusals - 1)
        return found

    def drawing(self, m: int, i: int, refusals: int, own: int) -> float:
        """Return the win probability of a draw after ``refusals`` refusals."""
        deck, total = self.turns[m].deck[i], 0.0
        for card in np.flatnonzero(deck).tolist():
            total += int(deck[card]) * max(self.exact(m, i, card, refusals, own).values())
        return total / int(deck.sum())

    def after(self, m: int, i: int, own: int) -> float:
        """Return the win probability of turn ``m``'s player when the other is to move in position ``i``."""
        return 1 - float(self.probabilities[m + 1][i, self.total - own])

    def seen(self, m: int, i: int, drawn: int, refusals: int, own: int) -> list[float]:
        """Return the look-ahead's probabilities of the same actions; ``nan`` for impossible ones."""
        worths, key = np.full(3, np.nan), self.turns[m].keys[i]
        prestige, places = (own, self.total - own), (self._places, self._sizes)
        turn = TURNS - len(self.turns) + m
        weigh_loop()(self.game.box, key, turn, (drawn, refusals), prestige, self._ahead, *places, worths)
        return worths.tolist()
