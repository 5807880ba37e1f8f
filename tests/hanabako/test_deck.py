"""A deck that is shuffled while it is drawn: looking ahead, and arranging cards for a given order."""

import random

import numpy as np
import pytest

from hanabako.engine.deck import arrange_deck, coming_cards, draw

KEY = np.uint64(0x5EED)


def drawn(cards: list[int], shuffle: int) -> list[int]:
    """Return the cards that the rules draw, in order."""
    record = np.zeros(1, [("key", np.uint64), ("cards", np.uint8, (len(cards),)), ("deck_count", np.uint8)])
    s = record.view(np.recarray)[0]
    s.key, s.cards, s.deck_count = KEY, cards, len(cards)
    with np.errstate(over="ignore"):
        return [int(draw(s, shuffle)) for _ in cards]


@pytest.mark.parametrize("count", [1, 2, 3, 10, 55])
@pytest.mark.parametrize("shuffle", [0, 1 << 8, 7 << 14])
def test_the_coming_cards_are_those_that_will_be_drawn(count, shuffle):
    cards = list(range(count))
    assert coming_cards(KEY, shuffle, np.array(cards)) == drawn(cards, shuffle)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 55])
def test_an_arranged_deck_is_drawn_in_the_given_order(count):
    deck = random.Random(count).choices(range(30), k=count)
    assert drawn(arrange_deck(KEY, 64, deck), 64) == deck
