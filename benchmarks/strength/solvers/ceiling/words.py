"""The cards of a game in words: what the second program is told, and what people read."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hanabi_env import HanabiConfig
from hanabi_env.words.notation import ranks_in_order, suit_letters

from .decks import deck_loops, empty_states
from .orders import FIRST_ORDER, TAKEN_BACK, empty_orders

__all__ = ["Known", "deck_in_words", "known_in_words", "known_of"]

UNKNOWN = "?"
"""Stands for the card that tile (e) takes back."""


class Known(NamedTuple):
    """All of chance in one game."""

    deck: Sequence[str]
    """Top first."""
    tiles: str = ""
    """V4: the letters of the bonus tiles, next first."""
    shuffled: Mapping[int, Sequence[str]] = {}
    """V4: by the cards that are drawn when tile (e) shuffles the deck, what comes then, `UNKNOWN` among it."""
    seed: int = 0
    index: int = 0
    """Which game it is; only with bonus tiles does the rest not say all."""

    def after(self, drawn: int, card: str) -> list[str]:
        """The deck, from the top card of the deal on, if tile (e) took ``card`` back after ``drawn`` draws."""
        rest = [card if word == UNKNOWN else word for word in self.shuffled[drawn]]
        return [*self.deck[:drawn], *rest]


def deck_in_words(config: HanabiConfig, deck: np.ndarray) -> list[str]:
    """The cards of a deck, see `benchmarks.strength.solvers.ceiling.decks`."""
    words = [f"{suit}{rank}" for suit in suit_letters(config) for rank in ranks_in_order(config, suit)]
    words.append(UNKNOWN)
    return [words[card] for card in deck]  # the last word is that of `TAKEN_BACK`


def known_in_words(config: HanabiConfig, orders: np.ndarray, seed: int, index: int) -> Known:
    """What lies in ``orders``, see `benchmarks.strength.solvers.ceiling.orders`."""
    assert TAKEN_BACK == -1
    box, rules = orders[0], config.rules()
    deck = deck_in_words(config, box["decks"][FIRST_ORDER, : rules.deck_size])
    if not config.flamboyants:
        return Known(deck, seed=seed, index=index)
    shuffled = {
        drawn: deck_in_words(config, box["shuffled"][drawn, : rules.deck_size + 1 - drawn][::-1])
        for drawn in range(rules.players * rules.hand_size, rules.deck_size + 1)
    }
    return Known(deck, "".join("abcdef"[tile] for tile in box["tiles"]), shuffled, seed, index)


def known_of(config: HanabiConfig, seed: int, index: int) -> Known:
    """Game ``index`` of ``seed``."""
    orders, rules = empty_orders(), config.rules()
    deck_loops().deal(rules, empty_states(rules), np.uint64(seed), np.uint64(index), orders)
    return known_in_words(config, orders, seed, index)
