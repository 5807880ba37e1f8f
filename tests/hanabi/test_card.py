"""The layout of observation and actions agrees with its meaning, and cards and moves have their words."""

import re
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from hanabako.engine.layout import Field
from hanabi_env import PRESETS, HanabiConfig, HanabiVectorEnv, hanabi_v0
from hanabi_env.engine import state
from hanabi_env.engine.layout import layout
from hanabi_env.words import notation
from hanabi_env.words.notation import END_NAMES, action_words, card_names, hint_marks, suit_letters
from tests.hanabi.tables import MANY, name
from tests.reference.hanabi_plain import identities
from tests.reference.hanabi_words import standard_words
from tests.test_architecture import ROOT
from tests.test_cards import assert_every_bit_has_one_field

TABLES = [replace(preset, players=players) for preset in PRESETS.values() for players in range(2, 6)]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"observation_type": "minimal"},
    {"history": 3, "belief": True, "derived": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_bit_belongs_to_one_field(options):
    for table in TABLES:
        assert_every_bit_has_one_field(replace(table, **options))


def test_every_action_belongs_to_one_block():
    for config in TABLES:
        actions = layout(config.rules()).actions
        numbers = [action for block in actions for action in range(block.first, block.first + block.bits)]
        assert numbers == list(range(len(action_words(config))))


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


def test_a_field_that_comes_back_lies_at_equal_distances():
    assert Field("hands", "card", first=4, bits=2, times=3, stride=5).places() == [
        slice(4, 6),
        slice(9, 11),
        slice(14, 16),
    ]


def test_the_card_knows_the_game_of_the_most_actions():
    """V7: the limit covers all variants, options and numbers of players with the booklets' hands."""
    switches: dict[str, Any] = {
        "players": range(2, 6),
        "multicolor": (None, "own_color", "all_colors"),
        "black_powder": (False, True),
        "black_distribution": ("mirrored", "standard"),
        "flamboyants": (False, True),
        "final_bouquet": (False, True),
        "choreography": (False, True),
        "empty_hints": (False, True),
    }
    games = [HanabiConfig(**dict(zip(switches, values, strict=True))) for values in product(*switches.values())]
    most = max(config.rules().num_actions for config in games)
    assert most == max(len(action_words(config)) for config in games) == 117
    assert f"up to {most} with extensions" in (ROOT / "hanabi_env" / "README.md").read_text(encoding="utf-8")


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


@pytest.mark.parametrize(
    "text", ["", "R", "R0", "R6", "K1", "M1", "Z1", "r1", " R1", "R1 ", "1R", "R11", None, 1, ["R1"]]
)
def test_what_is_no_card_is_named_with_what_is_allowed(text: Any):
    with pytest.raises(ValueError, match=r"card must be one of R1, .*B5, got ") as error:
        notation.str_to_card(STANDARD, text)
    assert repr(text) in str(error.value)


NO_ACTIONS: list[Any] = [
    *("", "pass", "play", "play 5", "play -1", "play R", "Play 0", "play  0", "hint 0 R", "hint 2 R", "hint 1 K"),
    *("hint 1 6", "hint 1 0", "hint 1", "hint R 1", "play 0 as R", "choose R3", "shuffle back", "7"),
    *(7, None, ["play 0"]),
]


@pytest.mark.parametrize("text", NO_ACTIONS)
def test_what_is_no_action_is_named_with_what_is_allowed(text: Any):
    with pytest.raises(ValueError, match=r"action must be one of discard 0, .*hint 1 5, got ") as error:
        notation.str_to_action(STANDARD, text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("action", [-1, 20, 2.5, "play 0", None, True])
def test_what_is_no_number_of_an_action_is_named(action: Any):
    with pytest.raises(ValueError, match="action must be an int from 0 to 19, got ") as error:
        notation.action_to_str(STANDARD, action)
    assert repr(action) in str(error.value)


def test_a_card_of_a_larger_table_is_no_card_of_a_smaller():
    small = HanabiConfig(colors=2, ranks=3)
    assert notation.suit_letters(small) == notation.color_letters(small) == "RY"
    for card in ("G1", "R4"):
        with pytest.raises(ValueError, match=card):
            notation.str_to_card(small, card)
