"""Impossible positions are refused with a message, and nothing changes."""

from typing import Any

import pytest

from hanafuda_env import koikoi_v0
from hanafuda_env.engine.state import PHASE_PICK_HAND, PHASE_PLAY
from hanafuda_env.words.notation import action_to_str, card_to_str, str_to_action, str_to_card

from .table import position


def at_turn_9() -> dict[str, Any]:
    return position("1-1 2-1 3-1 4-1 | ", field="5-3 6-3", deck="8-3").env.to_dict()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"current_player": 1}, "current_player must be 0"),
        ({"dealer": 2}, "dealer"),
        ({"round": 0}, "round and turn count from 1"),
        ({"round": 13}, "round"),
        ({"round": 2}, "round_results must be a list of 1"),
        ({"phase": "lunch"}, "phase must be one of"),
        ({"phase": "koi"}, "deck must have 15"),
        ({"phase": "swap"}, "turn must be 1"),
        ({"phase": "pick_hand"}, "must have 3 cards"),
        ({"hands": [["1-1"]]}, "hands must be a list of 2"),
        ({"hands": [["1-1", "2-1", "3-1"], ["4-1", "4-2", "4-3", "4-4"]]}, "every card once"),
        ({"field": ["5-3", "6-3", "6-3"]}, "field holds 6-3 twice"),
        ({"field": ["5-3", "13-1"]}, r"field\[1\]: card must be one of"),
        ({"deck": []}, "every card once"),
        ({"pending": "1-1"}, "every card once"),
        ({"chain": [9, 0]}, r"chain\[0\]"),
        ({"koikoi_called": [0, -1]}, r"koikoi_called\[1\]"),
        ({"scores": ["much", 0]}, r"scores\[0\]"),
        ({"turn": 10}, "current_player must be 1"),
        ({"turn": 17}, "turn"),
        ({"joker": {"holder": 0, "month": 6}}, "joker must be None without gaji"),
        ({"refused": ["5-3"]}, "refused must be empty"),
        ({"revealed": ["5-3"]}, "revealed must hold cards of a hand"),
        ({"yaku_before": [["royal flush"], []]}, "royal flush"),
        ({"next_decks": [["1-1"]]}, "next_decks|decks"),
    ],
)
def test_a_wrong_position_is_refused_in_words(change, words):
    env = koikoi_v0.raw_env()
    env.reset(seed=4)
    before = env.to_dict()
    with pytest.raises(ValueError, match=words):
        env.reset(seed=5, options={"state": {**at_turn_9(), **change}})
    assert env.to_dict() == before


@pytest.mark.parametrize(
    "change",
    [
        {"joker": "6"},
        {"turns": [3]},
        {"turns": None},
        {"november": None},
        {"november": [[[]], []]},
        {"phase": ["play"]},
        {"base_before": [40_000, 0]},
        {"round": 2, "round_results": [{"reason": "stop"}]},
        {"round": 2, "round_results": [{"winner": 0, "points": 5, "reason": "stop", "koikoi_called": [300, 0]}]},
    ],
)
def test_whatever_is_wrong_is_a_value_error_and_the_record_stays_to_the_bit(change):
    env = koikoi_v0.raw_env(preset="document_options")
    env.reset(seed=4)
    before = env._tables.tobytes()
    with pytest.raises(ValueError):  # noqa: PT011 - any words
        env.game.load_position(env._state, {**at_turn_9(), **change})
    assert env._tables.tobytes() == before


def test_a_position_lacking_a_key_or_no_dict_is_refused():
    env = koikoi_v0.raw_env()
    state = at_turn_9()
    state.pop("field")
    with pytest.raises(ValueError, match="lacks field"):
        env.reset(seed=5, options={"state": state})
    with pytest.raises(ValueError, match="must be a dict"):
        env.reset(seed=5, options={"state": []})


def test_a_round_does_not_begin_with_a_lucky_hand_or_a_void_field():
    env = koikoi_v0.raw_env(hand_swap=False)
    env.reset(seed=6)
    state = env.to_dict()
    cards = [card for month in range(1, 13) for card in (f"{month}-1", f"{month}-2", f"{month}-3", f"{month}-4")]
    lucky = {"hands": [cards[:8], cards[8:16]], "field": cards[16:24], "deck": cards[24:]}
    with pytest.raises(ValueError, match="void"):
        env.reset(options={"state": {**state, **lucky}})
    calm = [cards[24 + 3 * k] for k in range(8)]
    rest = [card for card in cards[16:] if card not in calm]
    with pytest.raises(ValueError, match="lucky hand"):
        env.reset(options={"state": {**state, **lucky, "field": calm, "deck": rest}})


def test_words_of_cards_and_moves():
    assert [card_to_str(card) for card in (0, 28, 32, 43)] == ["1-1", "8-1", "9-1", "11-4"]
    assert str_to_card("11-4") == 43
    assert action_to_str(PHASE_PLAY, 8) == "play 3-1"
    assert action_to_str(PHASE_PICK_HAND, 9) == "take 3-2"
    words = ["stop", "koikoi", "hiki", "keep hands", "swap hands", "joker"]
    assert [action_to_str(PHASE_PLAY, action) for action in range(48, 54)] == words
    assert [str_to_action(PHASE_PLAY, word) for word in words] == list(range(48, 54))
    for wrong in ("play 13-1", "take 3-1", "Play 3-1", "play  3-1", 7):
        with pytest.raises(ValueError, match="action must be one of"):
            str_to_action(PHASE_PLAY, wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("source", "played", "drawn"), [("drawn", "1-1", "2-3"), ("played", "2-3", "1-1")])
def test_a_drawn_card_that_waits_for_a_choice_was_not_played(source: str, played: str, drawn: str):
    """Without ``turns``, the present turn has the pending card: drawn in ``pick_draw``, played in ``pick_hand``."""
    table = position(f"{played} 3-1 4-1 5-1 | ", field="2-1 2-2", deck=drawn)
    table.do(f"play {played}")
    state = table.env.to_dict()
    assert state["pending"] == "2-3" and state["phase"] == ("pick_draw" if source == "drawn" else "pick_hand")
    table.env.reset(options={"state": {key: value for key, value in state.items() if key != "turns"}})
    (turn,) = table.env.to_dict()["turns"]
    assert turn[source] == "2-3" and turn["played" if source == "drawn" else "drawn"] is None
