"""The notation of cards, actions and endings: ``K1``, ``J4``, ``draw``, ``buy 2``.

A card is the letter of its color and its value. An action is a verb; a purchase also names the seller, as an offset to
the left of the buyer. Case and spaces must match exactly.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple, SupportsIndex

import numpy as np

from hanabako.words.checks import as_index
from hanabako.words.notation import members, number_of, numbered
from ikebana_env.config import IkebanaConfig
from ikebana_env.engine.cards import copies, first_copy
from ikebana_env.engine.rules import color_multiplier, combination_points
from ikebana_env.engine.state import END_COMPLETE, END_ILLEGAL, END_NOT_YET, KINDS, NO_CARD, VALUES

__all__ = [
    "CARD_NAMES",
    "COLOR_LETTERS",
    "END_NAMES",
    "Appraisal",
    "action_to_str",
    "action_words",
    "appraise",
    "card_or_none",
    "cards_of",
    "set_of",
    "str_to_action",
    "str_to_card",
]

COLOR_LETTERS = "KRGBYJ"
"""Black, red, green, blue, yellow (I1), then the joker."""

CARD_NAMES = tuple(f"{COLOR_LETTERS[card // VALUES]}{card % VALUES + 1}" for card in range(KINDS))
"""The names of all cards by number."""

_CARD_NUMBERS = numbered(CARD_NAMES)

END_NAMES: dict[int, str | None] = {END_NOT_YET: None, END_COMPLETE: "complete", END_ILLEGAL: "illegal"}
"""The name of an ending by its ``END_*`` number."""


def str_to_card(text: Any) -> int:
    """Return the number of a card; raise ``ValueError`` if ``text`` is not a card."""
    return number_of("card", _CARD_NUMBERS, text)


def card_or_none(card: Any) -> str | None:
    """Return the name of a card, or None for `NO_CARD`."""
    return None if card == NO_CARD else CARD_NAMES[card]


@lru_cache
def action_words(config: IkebanaConfig) -> tuple[str, ...]:
    """Return the texts of all actions by number."""
    return ("draw", "keep", "refuse", *(f"buy {offset}" for offset in range(1, config.players)))


def action_to_str(config: IkebanaConfig, action: SupportsIndex) -> str:
    """Return the text of an action, legal or not; raise ``ValueError`` if no action has that number."""
    words = action_words(config)
    return words[as_index("action", action, len(words) - 1)]


def str_to_action(config: IkebanaConfig, text: str) -> int:
    """Return the number of an action, legal or not; raise ``ValueError`` if ``text`` is not an action."""
    return number_of("action", numbered(action_words(config)), text)


# --- Sets of cards ----------------------------------------------------------------------------------------------------


_BOX = tuple(CARD_NAMES[card] for card in range(KINDS) for _ in range(copies(card)))


def cards_of(cards: Any) -> list[str]:
    """Return the names of a set of cards (`ikebana_env.engine.cards.first_copy`), by color and value."""
    return members(_BOX, cards)


def set_of(cards: Iterable[int]) -> np.uint64:
    """Return the set of cards with these numbers. No card may appear more often than it has copies."""
    counted = Counter(cards)
    return np.uint64(sum((1 << count) - 1 << int(first_copy(card)) for card, count in counted.items()))


class Appraisal(NamedTuple):
    """The points of a bouquet."""

    points: int
    """The points of its combinations (I10)."""
    multiplier: int
    """The multiplier of its colors (I11)."""
    gain: int
    """The product of points and multiplier, before I15."""


def appraise(cards: Iterable[int]) -> Appraisal:
    """Return the points of five cards, given by their numbers."""
    bouquet = set_of(cards)
    with np.errstate(over="ignore"):  # bits are counted modulo 2^64
        points, multiplier = int(combination_points(bouquet)), int(color_multiplier(bouquet))
    return Appraisal(points, multiplier, points * multiplier)
