"""The meaning of Ikebana's observation bits and actions: see `hanabako.engine.layout`.

layout(config.rules()).fields          # section, name, index and meaning of all bits
layout(config.rules()).suit_of_bits    # the color that each bit is about (the joker's is the last), or -1
"""

from hanabako.engine.layout import Layout, Part, Repeat, actions_of, fields_of
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

__all__ = ["action_parts", "alike_suits", "layout", "observation_parts"]

SET = "a bit per card of the box: K1 K1 K1 K2 K2 K3 K3 K4 K4 K5 R1 ... Y5 J1 J2 J3 J4 J5"
KIND = "one-hot over K1 ... K5 R1 ... Y5 J1 ... J5; zeros if there is none"
BOX = tuple(card for card in range(KINDS) for _ in range(copies(card)))
"""The card of each bit of a set of cards: see `ikebana_env.engine.cards.first_copy`."""


def layout(rules: Rules) -> Layout:
    """Return the layout of a configuration's observation and actions."""
    return Layout(
        fields_of(observation_parts(rules), section_index(rules)),
        actions_of(action_parts(rules), rules.num_actions),
        alike_suits(rules),
    )


def alike_suits(rules: Rules) -> tuple[int, ...]:  # noqa: ARG001 - the signature of every game
    """Return the five colors, without the joker's."""
    return tuple(range(COLORS))


# --- The observation, section by section ------------------------------------------------------------------------------


def observation_parts(rules: Rules) -> dict[str, list[Repeat]]:
    """Return the parts of every section, including sections that the observation does not have."""
    buried = Part("owner", rules.players, "one-hot from the observer"), _cards("card", "one-hot")
    return {
        "players": [Repeat(rules.players, "player from the observer", _player())],
        "turn": [Repeat(1, "", _turn(rules))],
        "derived": [
            Repeat(rules.players, "player from the observer", _bouquet()),
            Repeat(rules.players, "card on offer: the drawn one, then the top of every other discard", _offer()),
        ],
        "buried": [Repeat(MOST_BURIED, "buried card, pile by pile from the observer's, downwards", buried)],
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
        _cards("drawn card", "one-hot; zeros for the other players"),
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
        Part("of that value", BOUQUET_SIZE, "in the observer's bouquet, thermometer"),
        Part("of that color", 1, "the observer's bouquet has it"),
    )


def _cards(name: str, meaning: str, cards: tuple[int, ...] = tuple(range(KINDS))) -> Part:
    """Return a part with a bit for each of ``cards``; by default every kind once."""
    return Part(name, len(cards), meaning, tuple(int(color_of(card)) for card in cards), cards)


# --- The actions ------------------------------------------------------------------------------------------------------


def action_parts(rules: Rules) -> list[Part]:
    """Return the parts of the actions in order. The name of a part is the text pattern of its actions."""
    return [Part("draw", 1), Part("keep", 1), Part("refuse", 1), Part("buy OFFSET", rules.players - 1)]
