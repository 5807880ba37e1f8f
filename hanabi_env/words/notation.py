"""The notation of cards, actions, tiles and endings: ``R1``, ``play 0``, ``hint 1 R``, ``play 2 as M``, ``choose K5``.

A card is the letter of its suit and its rank. An action is a verb and its numbers. Slots count from 0, the oldest card.
The receiver of a hint is an offset to the left of the acting player. Case and spaces must match exactly.
"""

from functools import lru_cache
from typing import SupportsIndex

from hanabako.words.checks import as_index
from hanabako.words.notation import number_of, numbered
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.cards import rank_at
from hanabi_env.engine.state import (
    END_COMPLETED,
    END_ILLEGAL,
    END_INDISPENSABLE,
    END_NOT_YET,
    END_OUT_OF_CARDS,
    END_OUT_OF_LIVES,
    END_STUCK,
)

__all__ = [
    "CHOICE_NAMES",
    "END_NAMES",
    "PLAY_FROM_DISCARD",
    "SHUFFLE_BACK",
    "TILE_LETTERS",
    "action_to_str",
    "action_words",
    "card_names",
    "color_letters",
    "hint_marks",
    "ranks_in_order",
    "str_to_action",
    "str_to_card",
    "suit_letters",
]

COLORED_SUITS = "RYGWB"  # the Hanabi Learning Environment's order (H1)
MULTICOLOR_SUIT = "M"  # V1, V2
BLACK_SUIT = "K"  # V3: always black powder (N7)

TILE_LETTERS = "abcdef"
"""The bonus tiles (V4), in the order of the rules' ``TILE_*``."""

CHOICE_NAMES = (*TILE_LETTERS, "e?", None)
"""The name of a pending choice by its number: a tile, the use of (e) on an empty deck (``e?``), or none."""

SHUFFLE_BACK = "shuffle back"
PLAY_FROM_DISCARD = "play from discard"

END_NAMES: dict[int, str | None] = {
    END_NOT_YET: None,
    END_OUT_OF_LIVES: "lives",
    END_COMPLETED: "complete",
    END_OUT_OF_CARDS: "deck",
    END_INDISPENSABLE: "indispensable",
    END_STUCK: "stuck",
    END_ILLEGAL: "illegal",
}
"""The name of an ending by its ``END_*`` number."""


# --- Suits and hints --------------------------------------------------------------------------------------------------


def suit_letters(config: HanabiConfig) -> str:
    """Return the letters of all suits in their order: colors, multicolor (V1, V2), black (V3)."""
    multicolor = MULTICOLOR_SUIT if config.multicolor else ""
    black = BLACK_SUIT if config.black_powder else ""
    return COLORED_SUITS[: config.colors] + multicolor + black


def color_letters(config: HanabiConfig) -> str:
    """Return the letters of the colors that a hint can name, including V1's multicolor, but not V2's or black."""
    return suit_letters(config)[: config.hint_colors]


@lru_cache
def ranks_in_order(config: HanabiConfig, letter: str) -> tuple[int, ...]:
    """Return the ranks of a firework, from 1, in the order of play (H10, V3)."""
    rules, suit = config.rules(), suit_letters(config).index(letter)
    return tuple(1 + rank_at(rules, suit, place) for place in range(rules.ranks))


def hint_marks(config: HanabiConfig) -> tuple[str | int, ...]:
    """Return what a hint can name: color letters, then ranks (from 1), in the order of the bits of ``hinted``."""
    return (*color_letters(config), *range(1, config.ranks + 1))


# --- Cards ------------------------------------------------------------------------------------------------------------


@lru_cache
def card_names(config: HanabiConfig) -> tuple[str, ...]:
    """Return the names of all cards by number."""
    return tuple(f"{suit}{rank}" for suit in suit_letters(config) for rank in range(1, config.ranks + 1))


@lru_cache
def _card_numbers(config: HanabiConfig) -> dict[str, int]:
    return numbered(card_names(config))


def str_to_card(config: HanabiConfig, text: str) -> int:
    """Return the number of a card, ``suit * ranks + rank``; ``ValueError`` if ``text`` is no card of this game."""
    return number_of("card", _card_numbers(config), text)


# --- Moves ------------------------------------------------------------------------------------------------------------


@lru_cache
def action_words(config: HanabiConfig) -> tuple[str, ...]:
    """Return the texts of all actions by number: the action blocks of the rules in order."""
    slots = range(config.cards_in_hand)
    offsets = range(1, config.players)
    ranks = range(1, config.ranks + 1)
    return (
        *(f"discard {slot}" for slot in slots),
        *(f"play {slot}" for slot in slots),
        *(f"hint {offset} {color}" for offset in offsets for color in color_letters(config)),
        *(f"hint {offset} {rank}" for offset in offsets for rank in ranks),
        *(f"play {slot} as {suit}" for slot in slots for suit in suit_letters(config) if config.choreography),
        *(_tile_words(config) if config.flamboyants else ()),
    )


def _tile_words(config: HanabiConfig) -> tuple[str, ...]:
    """V4: the texts for choosing a card of the discard, and for the use of tile (e) on an empty deck."""
    return (*(f"choose {card}" for card in card_names(config)), SHUFFLE_BACK, PLAY_FROM_DISCARD)


@lru_cache
def _action_numbers(config: HanabiConfig) -> dict[str, int]:
    return numbered(action_words(config))


def action_to_str(config: HanabiConfig, action: SupportsIndex) -> str:
    """Return the text of an action, legal or not; raise ``ValueError`` if no action has that number."""
    words = action_words(config)
    return words[as_index("action", action, len(words) - 1)]


def str_to_action(config: HanabiConfig, text: str) -> int:
    """Return the number of an action, legal or not; raise ``ValueError`` if ``text`` is not an action."""
    return number_of("action", _action_numbers(config), text)
