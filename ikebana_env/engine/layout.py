"""What the bits of Ikebana's observation and its actions are about: see `hanabako.engine.layout`.

layout(config.rules()).fields          # section, name, place and meaning of all bits
layout(config.rules()).suit_of_bits    # the color that each bit is about (the joker's is the last), or -1
"""

from hanabako.engine.layout import Layout, Part, Repeated, actions_of, fields_of
from ikebana_env.engine.cards import color_of, copies
from ikebana_env.engine.observation import (
    HEIGHT_BINARY,
    HEIGHT_ONES,
    MOST_BURIED,
    PRESTIGE_BINARY,
    PRESTIGE_EIGHTS,
    PRESTIGE_ONES,
    REFUSAL_BINARY,
    REFUSAL_ONES,
    section_index,
)
from ikebana_env.engine.state import BOUQUET_SIZE, COLORS, DECK_SIZE, KINDS, VALUES, Rules

__all__ = ["action_parts", "alike_suits", "layout", "observation_blocks"]

SET = "a bit per card of the box: K1 K1 K1 K2 K2 K3 K3 K4 K4 K5 R1 ... Y5 J1 J2 J3 J4 J5"
KIND = "one-hot over K1 ... K5 R1 ... Y5 J1 ... J5; zeros if there is none"
BOX = tuple(card for card in range(KINDS) for _ in range(copies(card)))
"""The card of each bit of a set of cards: see `ikebana_env.engine.cards.first_copy`."""


def layout(rules: Rules) -> Layout:
    """The layout of a configuration's observation and actions."""
    return Layout(
        fields_of(observation_blocks(rules), section_index(rules)),
        actions_of(action_parts(rules), rules.num_actions),
        alike_suits(rules),
    )


def alike_suits(rules: Rules) -> tuple[int, ...]:  # noqa: ARG001 - as in every game
    """The five colors; the joker's is none of them."""
    return tuple(range(COLORS))


# --- The observation, section by section ------------------------------------------------------------------------------


def observation_blocks(rules: Rules) -> dict[str, list[Repeated]]:
    """Every section as its blocks, whether the observation has it or not."""
    buried = Part("owner", rules.players, "one-hot from the observer"), _cards("card", "one-hot")
    return {
        "players": [Repeated(rules.players, "player from the observer", _player())],
        "turn": [Repeated(1, "", _turn(rules))],
        "derived": [
            Repeated(rules.players, "player from the observer", _bouquet()),
            Repeated(rules.players, "card on offer: the drawn one, then the top of every other discard", _offer()),
        ],
        "buried": [Repeated(MOST_BURIED, "card under a top, pile by pile from the observer's, downwards", buried)],
    }


def _player() -> tuple[Part, ...]:
    return (
        _cards("bouquet", SET, BOX),
        _cards("top of the discard", KIND),
        Part("height of the discard", HEIGHT_ONES, "thermometer to 4"),
        Part("height of the discard", HEIGHT_BINARY, "binary, lowest bit first"),
        Part("prestige", PRESTIGE_ONES, "thermometer to 32"),
        Part("prestige", PRESTIGE_EIGHTS, "thermometer in steps of eight: at least 40, 48 ... 184"),
        Part("prestige", PRESTIGE_BINARY, "binary, lowest bit first"),
    )


def _turn(rules: Rules) -> tuple[Part, ...]:
    return (
        Part("deck", DECK_SIZE, "thermometer: cards left to draw"),
        Part("turn", BOUQUET_SIZE, "thermometer: cards in the bouquet of the player to move"),
        Part("round", rules.rounds, "one-hot"),
        Part("to move", rules.players, "one-hot from the observer"),
        Part("began the round", rules.players, "one-hot from the observer"),
        Part("is drawn", 1, "a drawn card is to be kept or refused"),
        Part("refusals", REFUSAL_ONES, "of this turn, thermometer to 6"),
        Part("refusals", REFUSAL_BINARY, "binary, lowest bit first"),
        _cards("drawn card", "one-hot; zeros for all but the player who drew it"),
    )


def _bouquet() -> tuple[Part, ...]:
    return (
        Part("cards of a value", VALUES * BOUQUET_SIZE, "in the bouquet: a thermometer per value"),
        Part("jokers", BOUQUET_SIZE, "in the bouquet, thermometer"),
        Part("colors", COLORS, "in the bouquet: a bit per color", tuple(range(COLORS))),
    )


def _offer() -> tuple[Part, ...]:
    return (
        Part("value", VALUES, "one-hot; zeros if there is none"),
        Part("color", COLORS + 1, "one-hot, the joker last", tuple(range(COLORS + 1))),
        Part("of that value", BOUQUET_SIZE, "in one's own bouquet, thermometer"),
        Part("of that color", 1, "one's own bouquet has it"),
    )


def _cards(name: str, meaning: str, cards: tuple[int, ...] = tuple(range(KINDS))) -> Part:
    """A bit per card: every kind once, or these."""
    return Part(name, len(cards), meaning, tuple(int(color_of(card)) for card in cards), cards)


# --- The actions ------------------------------------------------------------------------------------------------------


def action_parts(rules: Rules) -> list[Part]:
    """The actions in their order; each part is named by the pattern of its words."""
    return [Part("draw", 1), Part("keep", 1), Part("refuse", 1), Part("buy OFFSET", rules.players - 1)]
