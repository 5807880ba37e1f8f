"""Decks and verdicts in words."""

from collections.abc import Sequence

import numpy as np

from hanabi_env import HanabiConfig
from hanabi_env.words.notation import action_to_str, ranks_in_order, suit_letters

from .verdicts import Ceiling, Verdict

__all__ = ["card_words", "deck_in_words", "in_words", "line_of"]


def card_words(config: HanabiConfig) -> list[str]:
    """The word of every card of this package, by its number."""
    return [f"{suit}{rank}" for suit in suit_letters(config) for rank in ranks_in_order(config, suit)]


def deck_in_words(config: HanabiConfig, deck: np.ndarray) -> list[str]:
    """The cards of a deck."""
    words = card_words(config)
    return [words[card] for card in deck]


def in_words(ceiling: Ceiling, seed: int, index: int, verdict: Verdict) -> tuple[list[str], Sequence[str]]:
    """The deck and the moves of the best game."""
    deck = deck_in_words(ceiling.config, ceiling.deck(seed, index))
    return deck, [action_to_str(ceiling.config, action) for action in verdict.actions]


def line_of(preset: str, ceiling: Ceiling, seed: int, index: int, verdict: Verdict) -> str:
    """A deck that allows less, on one line: preset, players, seed, game, best score or bounds, argument: cards."""
    best = str(verdict.lower) if verdict.lower == verdict.upper else f"{verdict.lower}-{verdict.upper}"
    about = f"{preset} {ceiling.config.players} seed {seed} game {index} best {best} {verdict.argument or 'open'}"
    return f"{about}: {' '.join(deck_in_words(ceiling.config, ceiling.deck(seed, index)))}"
