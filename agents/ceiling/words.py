"""Decks in words."""

import numpy as np

from hanabi_env import HanabiConfig
from hanabi_env.words.notation import ranks_in_order, suit_letters

__all__ = ["deck_in_words"]


def deck_in_words(config: HanabiConfig, deck: np.ndarray) -> list[str]:
    """The cards of a deck, see `agents.ceiling.decks`."""
    words = [f"{suit}{rank}" for suit in suit_letters(config) for rank in ranks_in_order(config, suit)]
    return [words[card] for card in deck]
