"""The cards of a game as text, for the second program and for people."""

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
    """All random events of one game."""

    deck: Sequence[str]
    """The cards, top first."""
    tiles: str = ""
    """The letters of the bonus tiles (V4), next first."""
    shuffled: Mapping[int, Sequence[str]] = {}
    """By the number of cards drawn when tile (e) shuffles the deck (V4): the cards that come then, with `UNKNOWN`."""
    seed: int = 0
    index: int = 0
    """The number of the game; needed only with bonus tiles."""

    def after(self, drawn: int, card: str) -> list[str]:
        """Return the deck, from the top card of the deal on, if tile (e) took ``card`` back after ``drawn`` draws."""
        rest = [card if word == UNKNOWN else word for word in self.shuffled[drawn]]
        return [*self.deck[:drawn], *rest]


def deck_in_words(config: HanabiConfig, deck: np.ndarray) -> list[str]:
    """Return the cards of a deck as text; see `benchmarks.strength.solvers.ceiling.decks`."""
    words = [f"{suit}{rank}" for suit in suit_letters(config) for rank in ranks_in_order(config, suit)]
    words.append(UNKNOWN)
    return [words[card] for card in deck]  # the last word is that of `TAKEN_BACK`


def known_in_words(config: HanabiConfig, orders: np.ndarray, seed: int, index: int) -> Known:
    """Return the contents of ``orders`` as text; see `benchmarks.strength.solvers.ceiling.orders`."""
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
    """Return the random events of game ``index`` of ``seed``."""
    orders, rules = empty_orders(), config.rules()
    deck_loops().deal(rules, empty_states(rules), np.uint64(seed), np.uint64(index), orders)
    return known_in_words(config, orders, seed, index)
