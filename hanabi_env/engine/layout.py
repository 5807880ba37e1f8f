"""The meaning of Hanabi's observation bits and actions: see `hanabako.engine.layout`.

layout(config.rules()).fields          # section, name, index and meaning of all bits
layout(config.rules()).suit_of_bits    # the suit that each bit is about, or -1
"""

from collections.abc import Iterable

from hanabako.engine.layout import Layout, Part, Repeat, actions_of, fields_of
from hanabi_env.engine.cards import cards_per_suit, rank_at, rank_in_box
from hanabi_env.engine.observation import event_kinds, section_index
from hanabi_env.engine.state import NO_TILE, TILES, Rules

__all__ = ["action_parts", "alike_suits", "layout", "observation_parts"]

EVENT_KINDS = "one-hot: play, discard, color hint, rank hint"
FLAMBOYANT_KINDS = ", chosen card, shuffle back, play from discard"
OTHERS = "card of another hand"
EVERYBODY = "card of any hand"


def layout(rules: Rules) -> Layout:
    """Return the layout of a configuration's observation and actions."""
    return Layout(
        fields_of(observation_parts(rules), section_index(rules)),
        actions_of(action_parts(rules), rules.num_actions),
        alike_suits(rules),
    )


def alike_suits(rules: Rules) -> tuple[int, ...]:
    """Return the ordinary suits: not multicolor (V1, V2), not black (V3)."""
    return tuple(suit for suit in range(rules.suits) if suit not in (rules.multicolor_suit, rules.black_suit))


# --- The observation, section by section ------------------------------------------------------------------------------


def observation_parts(rules: Rules) -> dict[str, list[Repeat]]:
    """Return the parts of every section, including sections that the observation does not have."""
    others, everybody = (rules.players - 1) * rules.hand_size, rules.players * rules.hand_size
    short_hand = Part("short hand", rules.players, "a bit per player from the observer: the hand lacks a card")
    possible = _cards(rules, "possible", "plausible cards, without those that counting excludes")
    return {
        "hands": [
            Repeat(others, OTHERS, (_cards(rules, "card", "one-hot; zeros if there is none"),)),
            Repeat(1, "", (short_hand,)),
        ],
        "board": [Repeat(1, "", _board(rules))],
        "discards": [Repeat(1, "", (_discards(rules),))],
        "last_action": [
            Repeat(rules.history, "step, the last one first" if rules.history > 1 else "", _event(rules)),
        ],
        "card_knowledge": [Repeat(everybody, EVERYBODY, _knowledge(rules))],
        "tiles": [Repeat(1, "", _tiles(rules))],
        "belief": [Repeat(everybody, EVERYBODY, (possible,))],
        "derived": _derived(rules),
    }


def _board(rules: Rules) -> tuple[Part, ...]:
    tops = [suit * rules.ranks + rank_at(rules, suit, k) for suit in range(rules.suits) for k in range(rules.ranks)]
    return (
        Part("deck", rules.deck_size - rules.players * rules.hand_size, "thermometer: cards left to draw"),
        _cards(rules, "fireworks", "per suit the number of cards played, one-hot; zeros for none", tops),
        Part("information tokens", rules.max_information_tokens, "thermometer"),
        Part("lives", rules.max_life_tokens, "thermometer"),
    )


def _discards(rules: Rules) -> Part:
    meaning = "per suit and rank a thermometer of the discarded copies"
    suits = range(rules.suits)
    box = [s * rules.ranks + rank_in_box(rules, s, k) for s in suits for k in range(cards_per_suit(rules, s))]
    return _cards(rules, "discards", meaning, box)


def _event(rules: Rules) -> tuple[Part, ...]:
    return (
        Part("who acted", rules.players, "one-hot from the observer"),
        Part("what", event_kinds(rules), EVENT_KINDS + FLAMBOYANT_KINDS * rules.flamboyants),
        Part("receiver", rules.players, "of a hint, one-hot from the observer"),
        _colors(rules, "of a color hint, one-hot"),
        Part("rank", rules.ranks, "of a rank hint, one-hot"),
        Part("touched", rules.hand_size, "by a hint: a bit per slot of the receiver"),
        Part("slot", rules.hand_size, "of a played or discarded card, one-hot"),
        _cards(rules, "card", "that card, one-hot" + ", or the card chosen for a tile" * rules.flamboyants),
        Part("scored", 1, "the played card joined its firework"),
        Part("gave a token", 1, "the play brought an information token"),
        _suits(rules, "announced", "suit of an announced play, one-hot", rules.choreography),
    )


def _knowledge(rules: Rules) -> tuple[Part, ...]:
    named = "named by hints that touched the card"
    plausible = _cards(rules, "plausible", "the set of cards that hints have not excluded")
    return plausible, _colors(rules, named), Part("rank", rules.ranks, named)


def _tiles(rules: Rules) -> tuple[Part, ...]:
    return (
        Part("face down", TILES, "the set of tiles (a) to (f) that no player has turned over"),
        Part("pending", NO_TILE - 2, "one-hot: tile (c), (d), (e), (f), or the choice of (e)"),
        Part("turns to play", rules.players, "of the last round, thermometer"),
    )


def _derived(rules: Rules) -> list[Repeat]:
    others, everybody = (rules.players - 1) * rules.hand_size, rules.players * rules.hand_size
    seen = _cards(rules, "all copies seen", "set of cards whose copies the observer sees")
    public = _cards(rules, "all copies public", "set of cards whose copies everybody sees")
    flags = Part("playable", 1, "the card fits now"), Part("dead", 1, "the card can never be played")
    surely = (
        Part("surely playable", 1, "every possible card is playable"),
        Part("surely dead", 1, "every possible card is dead"),
    )
    return [
        Repeat(others, OTHERS, flags),
        Repeat(everybody, EVERYBODY, surely),
        Repeat(1, "", (seen,)),
        Repeat(1, "", (public,)),
    ]


# --- The actions, part by part ----------------------------------------------------------------------------------------


def action_parts(rules: Rules) -> list[Part]:
    """Return the parts of the actions in order. The name of a part is the text pattern of its actions."""
    offsets, hand = rules.players - 1, rules.hand_size
    return [
        Part("discard SLOT", hand),
        Part("play SLOT", hand),
        Part("hint OFFSET COLOR", offsets * rules.colors, suits=tuple(range(rules.colors)) * offsets),
        Part("hint OFFSET RANK", offsets * rules.ranks),
        _suits(rules, "play SLOT as SUIT", "V6", hand * rules.choreography),
        *(_choices(rules) if rules.flamboyants else ()),
    ]


def _choices(rules: Rules) -> tuple[Part, ...]:
    return _cards(rules, "choose CARD", "V4"), Part("shuffle back", 1, "V4"), Part("play from discard", 1, "V4")


# --- Kinds of parts ---------------------------------------------------------------------------------------------------


def _cards(rules: Rules, name: str, meaning: str, cards: Iterable[int] | None = None) -> Part:
    """Return a part with a bit for each of ``cards``; by default every card once."""
    found = tuple(map(int, range(rules.suits * rules.ranks) if cards is None else cards))
    return Part(name, len(found), meaning, tuple(card // rules.ranks for card in found), found)


def _colors(rules: Rules, meaning: str) -> Part:
    """Return a part with a bit per color that a hint can name: color c names suit c."""
    return Part("color", rules.colors, meaning, tuple(range(rules.colors)))


def _suits(rules: Rules, name: str, meaning: str, times: int) -> Part:
    """Return a part with a bit per suit, repeated ``times`` times."""
    return Part(name, times * rules.suits, meaning, tuple(range(rules.suits)) * times)
