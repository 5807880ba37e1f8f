"""A restored position gives the same observations, deck and future. `test_position_checks` covers impossible positions.

Tile (e) shuffles with the random stream of the restoring table: see E10 in `test_variant_rulings`.
"""

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hanabi_env.config import HanabiConfig
from hanabi_env.engine.layout import layout
from hanabi_env.engine.state import END_ILLEGAL
from hanabi_env.words.positions import load_deal, load_position, to_dict
from tests.reference.hanabi_plain import box

from .records import check, do, new_game, observations, play_on, stacked
from .tables import MANY, name
from .test_position_checks import move_card

# --- Restoring positions ---------------------------------------------------------------------------------------------


def test_a_record_with_room_for_larger_tables_serves_as_well():
    config = HanabiConfig(colors=3, ranks=3, players=3, hand_size=3)
    larger = HanabiConfig(players=5, hand_size=9, history=4)
    state, roomy = new_game(config, seed=7), new_game(config, seed=8, room=larger)
    play_on(config, state, 6, random.Random(7))
    load_position(config, roomy, to_dict(config, state))
    assert to_dict(config, roomy) == to_dict(config, state)
    assert observations(config, roomy) == observations(config, state)
    load_deal(config, roomy, {"deck": box(config)})
    assert to_dict(config, roomy)["hands"] == [["R1", "R1", "R1"], ["R2", "R2", "R3"], ["Y1", "Y1", "Y1"]]


# --- Knowledge and the last steps ------------------------------------------------------------------------------------


def test_hints_are_told_as_knowledge_and_marks():
    config = HanabiConfig(colors=2, ranks=3, hand_size=2)
    state = stacked(config, "R1 R1 Y2 R3")
    do(config, state, "hint 1 Y", "hint 1 1", "hint 1 2")
    position = to_dict(config, state)
    assert position["knowledge"] == [[["R1", "Y1"], ["R1", "Y1"]], [["Y2"], ["R1", "R3"]]]
    assert position["hinted"] == [[[1], [1]], [["Y", 2], []]]


def test_events_tell_the_last_steps_in_words():
    config = HanabiConfig(colors=2, ranks=3, hand_size=2, history=4)
    state = stacked(config, "R1 Y3 Y2 R1 R2")
    do(config, state, "hint 1 Y", "hint 1 3", "play 0", "play 1", "discard 0")
    position = to_dict(config, state)
    assert position["length"] == 5
    assert position["last_move"] == position["events"][-1]
    quiet: dict[str, Any] = {"touched": [], "card": None, "scored": None, "gave_token": False}
    assert position["events"] == [
        quiet | {"player": 1, "action": "hint 1 3", "touched": [1]},
        quiet | {"player": 0, "action": "play 0", "card": "R1", "scored": True},
        quiet | {"player": 1, "action": "play 1", "card": "R1", "scored": False},
        quiet | {"player": 0, "action": "discard 0", "card": "Y3", "gave_token": True},
    ]


@pytest.mark.parametrize("size", [32, 33, 35])
def test_H6_every_slot_of_the_largest_hands_can_be_touched(size: int):
    """Hints reach every slot of hands of up to 35 cards, half of a deck of seventy; the ones are dealt last."""
    config = HanabiConfig(multicolor="all_colors", black_powder=True, hand_size=size)
    state, again = new_game(config), new_game(config, seed=2)
    deck = sorted(box(config), key=lambda card: card[1] == "1")
    load_deal(config, state, {"deck": deck[-2 * size :] + deck[: -2 * size]})
    do(config, state, "hint 1 1")
    position = to_dict(config, state)
    touched = [slot for slot, card in enumerate(position["hands"][1]) if card[1] == "1"]
    assert touched[-1] == size - 1
    assert position["last_move"]["touched"] == touched
    [field] = [field for field in layout(config.rules()).fields if field.name == "touched"]
    words = np.array(observations(config, state)[1], np.uint64)
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits[field.places()[0]]).tolist() == touched
    load_position(config, again, position)
    assert to_dict(config, again) == position


def test_a_shorter_history_keeps_the_newest_steps():
    long, short = HanabiConfig(history=6), HanabiConfig(history=2)
    state, again = new_game(long), new_game(short)
    play_on(long, state, 5, random.Random(2))
    position = to_dict(long, state)
    load_position(short, again, position)
    assert to_dict(short, again) == {**position, "events": position["events"][-2:]}


def test_optional_keys_may_be_missing():
    config = HanabiConfig(history=2)
    state = stacked(config, "R1 R1 R1 R2 R2 Y1")
    do(config, state, "hint 1 Y")
    position = to_dict(config, state)
    short = {key: position[key] for key in position if key not in ("hinted", "events", "last_move", "length", "score")}
    load_position(config, state, short)
    nothing_hinted = [[[] for _ in hand] for hand in position["hands"]]
    forgotten = {"hinted": nothing_hinted, "events": [], "last_move": None, "length": 0}
    assert to_dict(config, state) == {**position, **forgotten}
    del position["length"]
    load_position(config, state, position)
    assert to_dict(config, state)["length"] == len(position["events"])


def test_a_position_remembers_steps_across_a_gap_in_the_history():
    config = HanabiConfig(history=4)
    state, again = new_game(config), new_game(config)
    play_on(config, state, 7, random.Random(2))
    position = {**to_dict(config, state), "events": to_dict(config, state)["events"][-1:]}
    load_position(config, again, position)
    assert to_dict(config, again) == position


# --- Ends ------------------------------------------------------------------------------------------------------------


def lost() -> tuple[HanabiConfig, Any]:
    config = HanabiConfig(max_life_tokens=1, score_on_loss="fireworks")
    state = stacked(config, "R1 R3 R4 R4 R5 Y3")
    do(config, state, "play 0", "play 0")
    return config, state


def won() -> tuple[HanabiConfig, Any]:
    config = HanabiConfig(colors=1, ranks=3, hand_size=2)
    state = stacked(config, "R1 R1 R2 R3")
    do(config, state, "play 0", "play 0", "hint 1 2", "play 0")
    return config, state


def test_a_lost_game_scores_nothing_where_the_table_says_so():
    config, state = lost()
    position = to_dict(config, state)
    with pytest.raises(ValueError, match="score must be 0, got 1"):
        check(HanabiConfig(max_life_tokens=1), position)


def test_a_game_cannot_be_lost_and_complete_at_once():
    config, state = won()
    with pytest.raises(ValueError, match="life_tokens must not be 0"):
        check(config, {**to_dict(config, state), "life_tokens": 0, "end_reason": "lives"})


def test_the_turn_that_ends_a_game_leaves_one_hand_short():
    config, state = lost()
    position = to_dict(config, state)
    move_card(("hands", 0), ("deck",))(position)
    with pytest.raises(ValueError, match=r"hands\[1\] must have 5 cards, got 4"):
        check(config, position)


def test_a_game_ended_by_an_illegal_action_can_be_restored():
    config, state = HanabiConfig(), new_game(HanabiConfig())
    state.end_reason = END_ILLEGAL
    position, again = to_dict(config, state), new_game(config)
    assert position["end_reason"] == "illegal"
    load_position(config, again, position)
    assert to_dict(config, again) == position
    with pytest.raises(ValueError, match="end_reason must be 'lives'"):
        check(config, {**position, "life_tokens": 0})


# --- Decks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", MANY, ids=name)
def test_a_given_deck_is_dealt_hand_by_hand(table):
    config = HanabiConfig(**table)
    state, deck, size = new_game(config), box(config), config.cards_in_hand
    play_on(config, state, 5, random.Random(1))
    random.Random(7).shuffle(deck)
    load_deal(config, state, {"deck": deck})
    position = to_dict(config, state)
    assert position["hands"] == [deck[size * player : size * (player + 1)] for player in range(config.players)]
    assert position["deck"] == deck[size * config.players :]
    assert (position["length"], position["discards"], position["events"]) == (0, [], [])


def test_a_random_first_player_is_drawn_as_usual():
    config = HanabiConfig(players=5, random_start_player=True)
    first = set()
    for seed in range(20):
        state = new_game(config, seed)
        usual = int(state.current_player)
        load_deal(config, state, {"deck": box(config)})
        assert state.current_player == usual
        first.add(usual)
    assert len(first) > 1


WRONG_DECKS: dict[str, tuple[Callable[[list[str]], Any], str]] = {
    "a card too few": (lambda deck: deck[:-1], "deck must have the 50 cards of the box, has B5 0 times instead of 1"),
    "a card too many": (lambda deck: [*deck, "R1"], "R1 4 times instead of 3"),
    "a second R5": (lambda deck: [*deck[:-1], "R5"], "R5 2 times instead of 1, B5 0 times instead of 1"),
    "an unknown card": (lambda deck: ["Z1", *deck[1:]], "deck[0]: card must be one of R1"),
    "a card of a variant": (lambda deck: [*deck[1:], "M1"], "deck[49]: card must be one of R1"),
    "numbers": (lambda deck: list(range(len(deck))), "deck[0]: card must be one of R1"),
    "nothing": (lambda _: None, "deck must be a list"),
    "one word": ("".join, "deck must be a list"),
    "no cards": (lambda _: [], "R1 0 times instead of 3"),
}


@pytest.mark.parametrize("name", WRONG_DECKS)
def test_a_wrong_deck_is_refused_by_name(name: str):
    config, (spoil, named) = HanabiConfig(), WRONG_DECKS[name]
    state = new_game(config)
    before = state.tobytes()
    with pytest.raises(ValueError, match=re.escape(named)):
        load_deal(config, state, {"deck": spoil(box(config))})
    assert state.tobytes() == before, "a refused deck must not change the game"
