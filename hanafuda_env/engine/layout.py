"""The meaning of Koi-Koi's observation bits and actions: see `hanabako.engine.layout`.

layout(config.rules()).fields          # section, name, index and meaning of all bits
layout(config.rules()).suit_of_bits    # the month that each bit is about, from 0, or -1
"""

from hanabako.engine.layout import Layout, Part, Repeat, actions_of, fields_of
from hanafuda_env.engine.cards import CARDS, month_of
from hanafuda_env.engine.observation import (
    BASE_BITS,
    CALLS_BITS,
    LEAD_BITS,
    MONTHS,
    ROUNDS_BITS,
    SCORE_BITS,
    section_index,
)
from hanafuda_env.engine.state import PHASE_END, TURNS, Rules
from hanafuda_env.engine.yaku import YAKU, YAKU_NAMES, YAKU_NEED

__all__ = ["action_parts", "alike_suits", "layout", "observation_parts"]

SET = "a bit per card"
PHASES = "one-hot over swap, play, joker_target, pick_hand, pick_draw, koi; zeros at the end"


def layout(rules: Rules) -> Layout:
    """Return the layout of a configuration's observation and actions."""
    return Layout(
        fields_of(observation_parts(rules), section_index(rules)),
        actions_of(action_parts(rules), rules.num_actions),
        alike_suits(rules),
    )


def alike_suits(rules: Rules) -> tuple[int, ...]:  # noqa: ARG001 - the signature of every game
    """Return no months, because every month has different cards."""
    return ()


# --- The observation, section by section ------------------------------------------------------------------------------


def observation_parts(rules: Rules) -> dict[str, list[Repeat]]:
    """Return the parts of every section."""
    described = {
        "cards": _planes(),
        "round": _round(),
        "my yaku": _player(),
        "their yaku": _player(),
        "scores": _scores(),
    }
    turns = {name: _turn() for name, _, _ in section_index(rules) if name not in described}
    return {name: [Repeat(1, "", parts)] for name, parts in (described | turns).items()}


def _planes() -> tuple[Part, ...]:
    return (
        _cards("my hand", "zeros in the swap phase"),
        _cards("field"),
        _cards("my captured cards"),
        _cards("their captured cards"),
        _cards("unseen", "in the deck or in a hand that I do not know"),
        _cards("their revealed cards", "K46"),
        _cards("pending", "has left the hand or the deck and waits for a choice"),
        _cards("choices", "legal actions that are cards"),
    )


def _round() -> tuple[Part, ...]:
    return (
        Part("phase", PHASE_END, PHASES),
        Part("to move", 1, "I am"),
        Part("dealer", 1, "I am"),
        Part("turn", TURNS, "thermometer, 1 to 16"),
        Part("joker", 2, "the holder of the Gaji's claim: I, they (K45)"),
        Part("claimed month", MONTHS, "one-hot", tuple(range(MONTHS))),
    )


def _player() -> tuple[Part, ...]:
    counted = "captured cards that count, thermometer"
    return (
        *(Part(f"towards {YAKU_NAMES[k]}", int(YAKU_NEED[k]), counted) for k in range(YAKU)),
        Part("within reach", YAKU, "a bit per yaku: the other player has not captured cards that it needs"),
        Part("base", BASE_BITS, "points of the pile after the last turn, thermometer to 20"),
        Part("chain", CALLS_BITS, "K31, thermometer to 4"),
        Part("Koi-Koi", CALLS_BITS, "calls in this round, thermometer to 4"),
        Part("November", 2, "has played a November card from the hand; has turned one up from the deck (K44)"),
    )


def _scores() -> tuple[Part, ...]:
    return (
        Part("rounds left", ROUNDS_BITS, "including the present one, thermometer to 12"),
        Part("my lead", LEAD_BITS, "at least 1, 2, 4, 8 ... 128 points"),
        Part("their lead", LEAD_BITS, "likewise"),
        Part("my score", SCORE_BITS, "binary, lowest bit first, two's complement"),
        Part("their score", SCORE_BITS, "likewise"),
    )


def _turn() -> tuple[Part, ...]:
    return (
        _cards("played"),
        _cards("drawn"),
        _cards("captured"),
        Part("whose", 2, "mine, theirs"),
        Part("joker", 1, "the Gaji was played as a joker"),
        Part("Koi-Koi", 1, "was called"),
    )


def _cards(name: str, meaning: str = "") -> Part:
    """Return a part with a bit per card."""
    months = tuple(int(month_of(card)) for card in range(CARDS))
    return Part(name, CARDS, "; ".join(filter(None, (SET, meaning))), months, tuple(range(CARDS)))


# --- The actions ------------------------------------------------------------------------------------------------------


def action_parts(rules: Rules) -> list[Part]:  # noqa: ARG001 - the signature of every game
    """Return the parts of the actions in order: 48 cards, then the other actions by their texts."""
    words = ("stop", "koikoi", "hiki", "keep hands", "swap hands", "joker")
    return [_cards("CARD"), *(Part(word, 1) for word in words)]
