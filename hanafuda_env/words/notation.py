"""The notation of cards, actions, phases and endings: ``8-1``, ``play 3-1``, ``take 3-2``, ``hiki``, ``koikoi``.

A card is its month and its number in the month's row of the rule card, both from 1: ``1-1`` is the crane, ``9-1`` the
sake cup, ``11-4`` the lightning. An action that is a card means "play" or "take", depending on the phase. Case and
spaces must match exactly.
"""

from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np

from hanabako.words.checks import as_each, as_index, as_list
from hanabako.words.notation import members, number_of, numbered
from hanafuda_env.engine.actions import HIKI, KEEP_HANDS, KOIKOI, NUM_ACTIONS, STOP, SWAP_HANDS, USE_JOKER
from hanafuda_env.engine.cards import CARDS, NO_CARD
from hanafuda_env.engine.state import (
    FROM_DECK,
    FROM_HAND,
    NOBODY,
    PHASE_END,
    PHASE_JOKER_TARGET,
    PHASE_KOI,
    PHASE_PICK_DRAW,
    PHASE_PICK_HAND,
    PHASE_PLAY,
    PHASE_SWAP,
    REASON_BOTH_LUCKY,
    REASON_EXHAUSTED,
    REASON_KUTTSUKI,
    REASON_STOP,
    REASON_TESHI,
)
from hanafuda_env.engine.yaku import YAKU_NAMES

__all__ = [
    "CARD_NAMES",
    "NOVEMBER_NAMES",
    "PHASES",
    "PHASE_NAMES",
    "REASON_NAMES",
    "action_to_str",
    "as_cards",
    "as_yaku",
    "card_or_none",
    "names_of",
    "player_or_none",
    "set_of",
    "str_to_action",
    "str_to_card",
    "yaku_names",
]

CARD_NAMES = tuple(f"{card // 4 + 1}-{card % 4 + 1}" for card in range(CARDS))
"""The names of all cards by number."""

PHASE_NAMES = {
    PHASE_SWAP: "swap",
    PHASE_PLAY: "play",
    PHASE_JOKER_TARGET: "joker_target",
    PHASE_PICK_HAND: "pick_hand",
    PHASE_PICK_DRAW: "pick_draw",
    PHASE_KOI: "koi",
    PHASE_END: "end",
}
PHASES = {name: phase for phase, name in PHASE_NAMES.items()}

REASON_NAMES = {
    REASON_STOP: "stop",
    REASON_EXHAUSTED: "exhausted",
    REASON_TESHI: "teshi",
    REASON_KUTTSUKI: "kuttsuki",
    REASON_BOTH_LUCKY: "both_lucky",
}
"""The names of the ways in which a round ends, by their ``REASON_*`` numbers."""

NOVEMBER_NAMES = {int(FROM_HAND): "hand", int(FROM_DECK): "deck"}
"""The names of the places from which November cards come (K44)."""

_TAKING = (PHASE_PICK_HAND, PHASE_PICK_DRAW, PHASE_JOKER_TARGET)
_CARD_NUMBERS = numbered(CARD_NAMES)
_YAKU_NUMBERS = numbered(YAKU_NAMES)
_OTHER_WORDS = {
    STOP: "stop",
    KOIKOI: "koikoi",
    HIKI: "hiki",
    KEEP_HANDS: "keep hands",
    SWAP_HANDS: "swap hands",
    USE_JOKER: "joker",
}


def _words(verb: str) -> tuple[str, ...]:
    return (*(f"{verb} {name}" for name in CARD_NAMES), *(_OTHER_WORDS[action] for action in range(CARDS, NUM_ACTIONS)))


_WORDS = {verb: _words(verb) for verb in ("play", "take")}
_NUMBERS = {verb: numbered(words) for verb, words in _WORDS.items()}


def _verb(phase: SupportsIndex) -> str:
    return "take" if phase in _TAKING else "play"


def action_to_str(phase: SupportsIndex, action: SupportsIndex) -> str:
    """Return the text of an action in a phase, legal or not; raise ``ValueError`` if no action has that number."""
    return _WORDS[_verb(phase)][as_index("action", action, NUM_ACTIONS - 1)]


def str_to_action(phase: SupportsIndex, text: str) -> int:
    """Return the number of an action in a phase, legal or not; raise ``ValueError`` if ``text`` is no such action."""
    return number_of("action", _NUMBERS[_verb(phase)], text)


def str_to_card(text: str, name: str = "card") -> int:
    """Return the number of a card, or raise ``ValueError`` with a message that begins with ``name``."""
    return number_of(name, _CARD_NUMBERS, text)


def names_of(cards: SupportsIndex) -> list[str]:
    """Return the names of a set of cards, in the order of the year."""
    return members(CARD_NAMES, cards)


def set_of(cards: Iterable[int]) -> np.uint64:
    """Return the set of the cards with these numbers, which must be different."""
    return np.uint64(sum(1 << card for card in cards))


def card_or_none(card: SupportsIndex) -> str | None:
    """Return the name of a card, or None for `NO_CARD`."""
    return None if card == NO_CARD else CARD_NAMES[card]


def as_cards(name: str, value: Any) -> list[int]:
    """Return the numbers of a list of card names; raise ``ValueError`` if they are not cards, or one comes twice."""
    cards = as_each(name, value, str_to_card)
    for k, card in enumerate(cards):
        if card in cards[:k]:
            raise ValueError(f"{name} holds {CARD_NAMES[card]} twice")
    return cards


def yaku_names(held: SupportsIndex) -> list[str]:
    """Return the names of a set of yaku, in their order."""
    return members(YAKU_NAMES, held)


def as_yaku(name: str, value: Iterable[str]) -> int:
    """Return the set of yaku with these names, the inverse of `yaku_names`; raise ``ValueError`` if they are none."""
    held = 0
    for text in as_list(name, value):
        held |= 1 << number_of(f"{name}: a yaku", _YAKU_NUMBERS, text)
    return held


def player_or_none(player: SupportsIndex) -> int | None:
    """Return a player, or None for `NOBODY`."""
    return None if int(player) == NOBODY else int(player)
