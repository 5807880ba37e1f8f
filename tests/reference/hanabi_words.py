"""Words and action numbers of Hanabi: the Learning Environment's published order, then the actions of the variants."""

from typing import Any

from .hanabi_plain import hand_size_of, hint_colors_of, identities, suits_of


def standard_words(config: Any) -> list[str]:
    """Return the words of the standard actions: discards, plays, colour hints by offset, rank hints by offset."""
    slots = range(hand_size_of(config))
    offsets = range(1, config.players)
    return [
        *(f"discard {slot}" for slot in slots),
        *(f"play {slot}" for slot in slots),
        *(f"hint {offset} {color}" for offset in offsets for color in hint_colors_of(config)),
        *(f"hint {offset} {rank}" for offset in offsets for rank in range(1, config.ranks + 1)),
    ]


def variant_words(config: Any) -> list[str]:
    """Return the words of the variants' actions: announced plays (V6) and the choices of bonus tiles (V4)."""
    words = []
    if config.choreography:
        words += [f"play {slot} as {suit}" for slot in range(hand_size_of(config)) for suit in suits_of(config)]
    if config.flamboyants:
        words += [*(f"choose {card}" for card in identities(config)), "shuffle back", "play from discard"]
    return words


def all_words(config: Any) -> list[str]:
    """Return the word of every action id."""
    return standard_words(config) + variant_words(config)
