"""Cards and moves are written as words and read from words."""

from typing import Any

import numpy as np
import pytest

from hanabi_env.config import HanabiConfig
from hanabi_env.words import notation
from tests.hanabi.tables import MANY, name
from tests.reference.hanabi_plain import identities
from tests.reference.hanabi_words import standard_words

STANDARD = HanabiConfig()
TABLES = pytest.mark.parametrize("table", MANY, ids=name)


@TABLES
def test_every_card_has_its_word(table):
    config = HanabiConfig(**table)
    words = list(notation.card_names(config))
    assert words == identities(config)
    assert [notation.str_to_card(config, word) for word in words] == list(range(len(words)))


@TABLES
def test_every_action_has_its_word_in_the_learning_environments_order(table):
    config = HanabiConfig(**table)
    words = [notation.action_to_str(config, action) for action in range(config.rules().num_actions)]
    assert words == standard_words(config)
    assert [notation.str_to_action(config, word) for word in words] == list(range(len(words)))


def test_words_of_the_contract():
    config = HanabiConfig(players=3)
    for words in ("play 0", "discard 2", "hint 1 R", "hint 2 3"):
        assert notation.action_to_str(config, notation.str_to_action(config, words)) == words


def test_numpy_integers_are_numbers_of_actions():
    assert notation.action_to_str(STANDARD, np.int64(5)) == "play 0"


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
