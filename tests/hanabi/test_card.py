"""The layout of observation and actions agrees with its meaning, and cards and moves have their words."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hanabi_env import PRESETS, HanabiConfig, HanabiVectorEnv, hanabi_v0
from hanabi_env.engine import state
from hanabi_env.engine.layout import layout
from hanabi_env.words import notation
from hanabi_env.words.notation import END_NAMES, action_words, card_names, hint_marks, suit_letters
from tests.hanabi.tables import MANY, name
from tests.reference.hanabi_plain import identities
from tests.reference.hanabi_words import standard_words

TABLES = [replace(preset, players=players) for preset in PRESETS.values() for players in range(2, 6)]


def test_actions_are_of_the_kind_suit_and_card_that_their_words_say():
    kinds = {
        "SLOT": r"\d+",
        "OFFSET": r"\d",
        "COLOR": "([RYGWBM])",
        "RANK": r"\d",
        "SUIT": "([A-Z])",
        "CARD": r"(([A-Z])\d)",
    }
    for config in TABLES:
        found, words = layout(config.rules()), action_words(config)
        assert len(words) == config.rules().num_actions
        for block in found.actions:
            pattern = " ".join(kinds.get(word, word) for word in block.name.split())
            for action in range(block.first, block.first + block.bits):
                named = re.fullmatch(pattern, words[action])
                assert named, f"{words[action]} is no {block.name}"
                letter = named.groups()[-1] if named.groups() else None
                suit, card = found.suit_of_actions[action], found.card_of_actions[action]
                assert letter == (suit_letters(config)[suit] if suit >= 0 else None)
                assert card == (card_names(config).index(named[1]) if block.name == "choose CARD" else -1)


def test_the_fields_say_what_the_position_says():
    """Decoding an observation by the layout gives the position that `to_dict` shows."""
    config = HanabiConfig(players=3, history=2)
    env = hanabi_v0.raw_env(config=config)
    env.reset(seed=3)
    for words in ("hint 1 1", "discard 2", "play 0", "hint 2 R"):
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        action = env.str_to_action(words)
        env.step(action if action in legal else int(legal[0]))
    position, observer = env.to_dict(), env.possible_agents.index(env.agent_selection)
    seen = env.observe(env.agent_selection)["observation"]
    fields = {(field.section, field.name): field for field in layout(config.rules()).fields}
    seats = [(observer + offset) % config.players for offset in range(config.players)]

    def bits(section: str, name: str) -> list[np.ndarray]:
        return [seen[place] for place in fields[section, name].places()]

    def members(names: Any, row: np.ndarray) -> list[Any]:
        return [names[k] for k in np.flatnonzero(row)]

    cards = card_names(config)
    assert [members(cards, row) for row in bits("hands", "card")] == [
        [card] for seat in seats[1:] for card in position["hands"][seat]
    ]
    assert bits("board", "deck")[0].sum() == len(position["deck"])
    assert bits("board", "information tokens")[0].sum() == position["information_tokens"]
    assert bits("board", "lives")[0].sum() == position["life_tokens"]
    assert bits("discards", "discards")[0].sum() == len(position["discards"])
    assert [members(cards, row) for row in bits("card_knowledge", "plausible")] == [
        slot for seat in seats for slot in position["knowledge"][seat]
    ]
    marks = [*bits("card_knowledge", "color")], [*bits("card_knowledge", "rank")]
    assert [members(hint_marks(config), np.concatenate(pair)) for pair in zip(*marks, strict=True)] == [
        slot for seat in seats for slot in position["hinted"][seat]
    ]
    who = [seats[int(np.flatnonzero(row)[0])] for row in bits("last_action", "who acted")]
    assert who == [event["player"] for event in reversed(position["events"])]


def test_the_vector_environment_names_every_end():
    assert HanabiVectorEnv.__doc__
    ends = [name for name in vars(state) if name.startswith("END_") and name != "END_NOT_YET"]
    assert len(ends) == len(END_NAMES) - 1
    assert all(f"``{name}``" in HanabiVectorEnv.__doc__ for name in ends)


STANDARD = HanabiConfig()
EVERY_TABLE = pytest.mark.parametrize("table", MANY, ids=name)


@EVERY_TABLE
def test_every_card_has_its_word(table):
    config = HanabiConfig(**table)
    words = list(notation.card_names(config))
    assert words == identities(config)
    assert [notation.str_to_card(config, word) for word in words] == list(range(len(words)))


@EVERY_TABLE
def test_every_action_has_its_word_in_the_learning_environments_order(table):
    config = HanabiConfig(**table)
    words = [notation.action_to_str(config, action) for action in range(config.rules().num_actions)]
    assert words == standard_words(config)
    assert [notation.str_to_action(config, word) for word in words] == list(range(len(words)))


NO_CARDS = ["", "R", "R0", "R6", "K1", "M1", "Z1", "r1", " R1", "R1 ", "1R", "R11", None, 1, ["R1"]]
NO_ACTIONS = [
    *("", "pass", "play", "play 5", "play -1", "play R", "Play 0", "play  0", "hint 0 R", "hint 2 R", "hint 1 K"),
    *("hint 1 6", "hint 1 0", "hint 1", "hint R 1", "play 0 as R", "choose R3", "shuffle back", "7"),
    *(7, None, ["play 0"]),
]
NO_NUMBERS = [-1, 20, 2.5, "play 0", None, True]


@pytest.mark.parametrize(
    ("read", "given", "allowed"),
    [
        *((notation.str_to_card, text, "one of R1, .*B5") for text in NO_CARDS),
        *((notation.str_to_action, text, "one of discard 0, .*hint 1 5") for text in NO_ACTIONS),
        *((notation.action_to_str, number, "an int from 0 to 19") for number in NO_NUMBERS),
    ],
)
def test_what_is_no_card_or_action_is_named_with_what_is_allowed(read: Any, given: Any, allowed: str):
    with pytest.raises(ValueError, match=f"^(card|action) must be {allowed}, got ") as error:
        read(STANDARD, given)
    assert repr(given) in str(error.value)


def test_a_card_of_a_larger_table_is_no_card_of_a_smaller():
    small = HanabiConfig(colors=2, ranks=3)
    assert notation.suit_letters(small) == notation.color_letters(small) == "RY"
    for card in ("G1", "R4"):
        with pytest.raises(ValueError, match=card):
            notation.str_to_card(small, card)
