"""Exact values of the last turns of Ikebana for two players, to measure the cost of the look-ahead's simplifications.

The player to move lacks one card, and the other lacks one or none. With ``perfect_recall`` only the order of the deck
is hidden, so a draw is one of its cards, all equally likely, without replacement. Both players have the same
information and play to win. This is plain Python: a position with few affordable refusals takes a second.
"""

from functools import cache
from typing import Any

import numpy as np

from agents.search.ikebana.relaxed import won
from ikebana_env.engine.actions import BUY, DRAW, KEEP, REFUSE
from ikebana_env.engine.cards import value_of, with_card
from ikebana_env.engine.rules import bouquet_gain, gain_factor
from ikebana_env.engine.state import BOUQUET_SIZE, KINDS, NO_CARD

__all__ = ["exact_ending"]

Counts = tuple[int, ...]


def exact_ending(rules: Any, state: Any) -> dict[int, float]:
    """Return the win probability of the player to move, by its legal actions.

    Args:
        rules: rules for two players.
        state: a record in the last round, whose deck has more cards than refusals that can still be paid.

    Raises:
        ValueError: the player to move does not lack exactly one card, or it is not the last round.
    """
    player = int(state["current_player"])
    mine, theirs = (int(state["bouquets"][seat]) for seat in (player, 1 - player))
    sizes = mine.bit_count(), theirs.bit_count()
    if state["round_index"] != rules.rounds - 1 or sizes[0] != BOUQUET_SIZE - 1 or sizes[1] < sizes[0]:
        raise ValueError(f"an ending is the last turn or the last but one of a game, got bouquets of {sizes}")
    with np.errstate(over="ignore"):  # 64-bit words in plain Python
        game = Ending(rules, state, mine, theirs)
    own, other = (int(state["prestige"][seat]) for seat in (player, 1 - player))
    deck = tuple(np.bincount(state["cards"][: int(state["deck_count"])], minlength=KINDS).tolist())
    top, offered = (top_of(state, seat) for seat in (player, 1 - player))
    if state["drawn"] == NO_CARD:
        values = {DRAW: game.draw(deck, 0, own, other, top)}
        if offered != NO_CARD and (price := int(value_of(offered))) <= own:
            values[BUY + 1] = game.reply(deck, own - price + game.gains[offered], other + price, top)
        return values
    drawn, refusals = int(state["drawn"]), int(state["refusals"])
    values = {KEEP: game.reply(deck, own + game.gains[drawn], other, top)}
    if own > refusals:
        price = refusals + 1
        values[REFUSE] = game.draw(deck, price, own - price, other + price, drawn)
    return values


def top_of(state: Any, player: int) -> int:
    """I8: return the card on top of a discard, or `NO_CARD`."""
    count = int(state["discard_count"][player])
    return int(state["discards"][player, count - 1]) if count else NO_CARD


class Ending:
    """An ending, given by the gains of both players by the card that they take."""

    def __init__(self, rules: Any, state: Any, mine: int, theirs: int) -> None:
        factor = int(gain_factor(rules, int(state["round_index"])))

        def gain(cards: int) -> int:
            return factor * int(bouquet_gain(np.uint64(cards)))

        self.gains = [gain(int(with_card(np.uint64(mine), card))) for card in range(KINDS)]
        self.replies = theirs.bit_count() < BOUQUET_SIZE
        grown = [int(with_card(np.uint64(theirs), card)) if self.replies else theirs for card in range(KINDS)]
        self.answers = [gain(cards) if cards.bit_count() == BOUQUET_SIZE else 0 for cards in grown]
        self.kinds = sorted(set(self.answers))
        self.draw, self.drawn_by_other = cache(self.draw), cache(self.drawn_by_other)

    def draw(self, deck: Counts, refusals: int, own: int, other: int, top: int) -> float:
        """Return the win probability of a draw after ``refusals`` refusals; ``top`` is the player's top discard."""
        price, total = refusals + 1, 0.0
        for card, number in enumerate(deck):
            if number:
                left = (*deck[:card], number - 1, *deck[card + 1 :])
                worth = self.reply(left, own + self.gains[card], other, top)
                if own >= price:
                    worth = max(worth, self.draw(left, price, own - price, other + price, card))
                total += number * worth
        return total / sum(deck)

    def reply(self, deck: Counts, own: int, other: int, top: int) -> float:
        """Return the win probability of a player with a complete bouquet, its gain in ``own``; the other replies."""
        if not self.replies:
            return won(own - other - self.answers[0])
        counts = [0] * len(self.kinds)
        for card, number in enumerate(deck):
            counts[self.kinds.index(self.answers[card])] += number
        probability = self.drawn_by_other(tuple(counts), 0, own - other, other)
        if top != NO_CARD and (price := int(value_of(top))) <= other:
            probability = min(probability, won(own - other + 2 * price - self.answers[top]))
        return probability

    def drawn_by_other(self, counts: Counts, refusals: int, lead: int, other: int) -> float:
        """Return the same probability if the other draws; the deck is counted by gains, ``lead`` is without them."""
        price, total = refusals + 1, 0.0
        for kind, number in enumerate(counts):
            if number:
                worth = won(lead - self.kinds[kind])
                if other >= price and worth:
                    left = (*counts[:kind], number - 1, *counts[kind + 1 :])
                    worth = min(worth, self.drawn_by_other(left, price, lead + 2 * price, other - price))
                total += number * worth
        return total / sum(counts)
