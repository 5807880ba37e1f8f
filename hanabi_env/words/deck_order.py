"""The order of the deck: which cards the coming draws take, and how a deck is laid so that they take wanted ones.

A deck is shuffled as it is drawn. Which *place* of ``cards`` a draw takes is fixed by the record's random stream and by
the number of cards left, whatever the cards are; so a wanted order is reached by laying every card at the place where
its draw will look for it (`arrange_deck`).
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from hanabi_env.engine.rules import draw_place
from hanabi_env.engine.state import Rules

__all__ = ["arrange_deck", "coming_cards", "lay_deck"]


def coming_cards(rules: Rules, s: Any) -> list[int]:
    """The cards of the deck, next first: every draw of `hanabi_env.engine.rules.draw_card`, without drawing."""
    cards = s.cards[: s.deck_count].tolist()
    deck = []
    for place in _draw_places(rules, s, len(cards)):
        deck.append(cards[place])
        cards[place] = cards[-1]
        cards.pop()
    return deck


def lay_deck(rules: Rules, s: Any, deck: Sequence[int]) -> None:
    """Make ``deck`` the cards of the coming draws, next first."""
    s.deck_count = len(deck)
    s.cards[: len(deck)] = arrange_deck(deck, _draw_places(rules, s, len(deck)))


def arrange_deck(deck: Sequence[int], places: Sequence[int]) -> list[int]:
    """The front of ``cards`` from which draws at ``places`` take the cards of ``deck`` in order.

    The draws are taken back, the last one first. A draw filled its place with the last card, which returns to the end.
    """
    cards: list[int] = []
    for card, place in zip(reversed(deck), reversed(places), strict=True):
        cards.append(cards[place] if place < len(cards) else card)
        cards[place] = card
    return cards


def _draw_places(rules: Rules, s: Any, count: int) -> list[int]:
    """Where in ``cards`` the draws from a deck of ``count`` cards take theirs, next first, by the record's stream."""
    ahead = SimpleNamespace(key=s.key, shuffles=s.shuffles)
    places = []
    with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
        for left in range(count, 0, -1):
            ahead.deck_count = left
            places.append(int(draw_place(rules, ahead)))
    return places
