"""Words and action numbers of standard Hanabi, worked out from the Learning Environment's published order."""

from __future__ import annotations

from typing import Any

from .hanabi_plain import hand_size_of, hint_colors_of


def standard_words(config: Any) -> list[str]:
    """The word of every action id: discards, plays, colour hints by offset, rank hints by offset."""
    slots = range(hand_size_of(config))
    offsets = range(1, config.players)
    return [
        *(f"discard {slot}" for slot in slots),
        *(f"play {slot}" for slot in slots),
        *(f"hint {offset} {color}" for offset in offsets for color in hint_colors_of(config)),
        *(f"hint {offset} {rank}" for offset in offsets for rank in range(1, config.ranks + 1)),
    ]
