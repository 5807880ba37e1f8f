"""Impossible positions are refused with the wrong key's name and change nothing; possible ones are accepted.

`tests/test_mutated_positions.py` has values of wrong types and ranges.
"""

import re
from collections.abc import Callable
from contextlib import nullcontext
from functools import reduce
from operator import delitem, getitem, setitem
from typing import Any

import pytest

from hanabi_env.config import HanabiConfig
from hanabi_env.words.positions import REQUIRED_KEYS, load_position, to_dict
from tests.reference.hanabi_plain import identities

from .records import check, do, new_game, stacked

Spoil = Callable[[dict[str, Any]], Any]


def middle() -> tuple[HanabiConfig, dict[str, Any]]:
    """Return a game in the middle: after two hints, a good play and an error."""
    config = HanabiConfig()
    state = stacked(config, "R1 Y3 Y2 R1 B5 Y1 Y2 R3 W1 W1 G2 G4")
    do(config, state, "hint 1 Y", "hint 1 3", "play 0", "play 2")
    return config, to_dict(config, state)


def last_round() -> tuple[HanabiConfig, dict[str, Any]]:
    """Return a position in the last round.

    Player 0 drew the last card, players 1 and 2 had their last turns (a hint, a discard), and player 0 moves last.
    """
    config = HanabiConfig(players=3, colors=2, ranks=3, hand_size=3)
    state = stacked(config, "R1 R1 R1 Y1 Y1 Y1 R2 R2 R3 Y2 Y2 Y3")
    do(config, state, "hint 1 Y", "discard 0", "play 0", "play 0", "hint 1 2", "discard 0")
    return config, to_dict(config, state)


def at(position: Any, path: tuple[Any, ...]) -> Any:
    """Return the value at a path of keys and indices."""
    return reduce(getitem, path, position)


def put(*path: Any, to: Any) -> Spoil:
    """Return a function that replaces the value at a path."""
    return lambda position: setitem(at(position, path[:-1]), path[-1], to)


def drop(*path: Any) -> Spoil:
    """Return a function that removes the value at a path."""
    return lambda position: delitem(at(position, path[:-1]), path[-1])


def move_card(source: tuple[Any, ...], target: tuple[Any, ...]) -> Spoil:
    """Return a function that moves the last card of one pile to another, with what is known of it.

    A card from the deck gets the knowledge of the hand's newest card.
    """

    def spoil(position: Any) -> None:
        at(position, target).append(at(position, source).pop())
        for key in ("knowledge", "hinted"):
            known = position[key][source[1]].pop() if source[0] == "hands" else position[key][target[1]][-1]
            if target[0] == "hands":
                position[key][target[1]].append(known)

    return spoil


def lose_game(position: dict[str, Any]) -> None:
    position.update(life_tokens=0, end_reason="lives", score=0)


IMPOSSIBLE: dict[str, tuple[Spoil, str]] = {
    **{f"no {key}": (drop(key), f"lacks {key}") for key in REQUIRED_KEYS},
    "a second B5": (put("deck", 3, to="B5"), "B5 2 times instead of 1"),
    "a lost card": (drop("deck", -1), "instead of"),
    "a card too many": (lambda position: position["deck"].append("W3"), "W3 3 times instead of 2"),
    "a firework without its cards": (put("fireworks", "B", to=5), "B5 2 times instead of 1"),
    "a firework too few": (drop("fireworks", "G"), "fireworks must be a dict with the keys R, Y, G, W, B"),
    "a firework too many": (put("fireworks", "K", to=0), "fireworks must be a dict with the keys R, Y, G, W, B"),
    "a sixth card": (move_card(("deck",), ("hands", 1)), "hands[1] must have 5 cards"),
    "a fifth card missing": (move_card(("hands", 1), ("deck",)), "hands[1] must have 5 cards"),
    "no life and no end": (put("life_tokens", to=0), "end_reason must be 'lives' with life_tokens 0"),
    "lost with full hands": (lose_game, "the hand whose card ended the game must have 4 cards"),
    "turns with a deck": (put("turns_to_play", to=2), "turns_to_play must be None while the deck has cards, got 2"),
    "an end without a reason": (put("end_reason", to="deck"), "end_reason must be None"),
    "lost with lives left": (put("end_reason", to="lives"), "end_reason must be None"),
    "complete with gaps": (put("end_reason", to="complete"), "end_reason must be None"),
    "an unknown end": (put("end_reason", to="tired"), "end_reason must be one of None, 'lives', 'complete', 'deck'"),
    "another score": (put("score", to=7), "score must be 1, got 7"),
    "a tile": (put("bonus_tiles", to=["a"]), "bonus_tiles must be empty"),
    "a tile's choice": (put("pending", to="e?"), "pending must be None"),
    "knowledge without the true card": (
        put("knowledge", 1, 0, to=["R2"]),
        "knowledge[1][0] must allow the true card Y1",
    ),
    "knowledge of nothing": (put("knowledge", 1, 0, to=[]), "knowledge[1][0] must allow the true card Y1"),
    "knowledge that no hints leave": (
        put("knowledge", 1, 0, to=["Y1", "R2"]),
        "knowledge[1][0] must be what answers to hints",
    ),
    "knowledge of a card too few": (drop("knowledge", 1, 4), "knowledge[1] must be a list of 5"),
    "a mark that no hint makes": (put("hinted", 1, 0, to=["K"]), "hinted[1][0] must hold only 'R', 'Y'"),
    "a mark against knowledge": (put("hinted", 1, 0, to=["R"]), "hinted[1][0] must agree with knowledge"),
    "marks of a card too few": (drop("hinted", 1, 4), "hinted[1] must be a list of 5"),
    "an event of no action": (put("events", 0, "action", to="pass"), "events[0]: action must be one of discard 0"),
    "a play of no card": (put("events", 0, "card", to=None), "events[0] card[0]: card must be one of R1"),
    "a play half good": (put("events", 0, "scored", to=1), "events[0] scored must be True or False"),
    "a play without its tokens": (drop("events", 0, "gave_token"), "events[0] gave_token must be True or False"),
    "a hint at a sixth card": (
        lambda position: position["events"][0].update(action="hint 1 R", touched=[5]),
        "events[0] touched must be an int from 0 to 4",
    ),
    "fewer steps than remembered": (put("length", to=0), "length must be at least the 1 steps of events"),
    "a length that no game has": (put("length", to=180), "length must be an int from 0 to 179, got 180"),
}

IMPOSSIBLE_LAST_ROUND: dict[str, tuple[Spoil, str]] = {
    "no turns": (
        put("turns_to_play", to=None),
        "turns_to_play must be the number of turns left when the deck is empty",
    ),
    "no turn left": (put("turns_to_play", to=0), "end_reason must be 'deck' with"),
    "a turn too many": (put("turns_to_play", to=3), "hands[2] must have 3 cards, got 2"),
    "another player's turn": (put("current_player", to=2), "hands[2] must have 3 cards, got 2"),
    "the wrong hand is short": (move_card(("hands", 0), ("hands", 2)), "hands[0] must have 3 cards, got 2"),
    "a hand two short": (
        move_card(("hands", 2), ("discards",)),
        "hands[2] must have 3 cards (or one less at the end), got 1",
    ),
}


@pytest.mark.parametrize("name", [*IMPOSSIBLE, *IMPOSSIBLE_LAST_ROUND])
def test_what_cannot_be_is_refused_by_name(name: str):
    config, position = middle() if name in IMPOSSIBLE else last_round()
    spoil, named = (IMPOSSIBLE | IMPOSSIBLE_LAST_ROUND)[name]
    state = new_game(config)
    load_position(config, state, position)
    before = state.tobytes()
    spoil(position)
    with pytest.raises(ValueError, match=re.escape(named)):
        load_position(config, state, position)
    assert state.tobytes() == before, "a refused position must not change the game"


def test_a_position_of_another_table_is_refused():
    small: dict[str, Any] = {"colors": 2, "ranks": 3, "hand_size": 2}
    position = to_dict(HanabiConfig(**small), new_game(HanabiConfig(**small)))
    others: list[tuple[dict[str, Any], str]] = [
        ({}, "fireworks"),
        ({**small, "players": 3}, "hands must be a list of 3"),
        ({**small, "hand_size": 3}, "hands.0. must have 3 cards"),
        ({**small, "max_information_tokens": 7}, "information_tokens"),
    ]
    for table, named in others:
        with pytest.raises(ValueError, match=named):
            check(HanabiConfig(**table), position)


@pytest.mark.parametrize(("turns_to_play", "current_player"), [(1, 0), (1, 1), (2, 0)])
def test_a_hand_may_be_short_once_its_last_turn_is_over(turns_to_play: int, current_player: int):
    config, position = last_round()
    assert [len(hand) for hand in position["hands"]] == [3, 3, 2]
    position.update(turns_to_play=turns_to_play, current_player=current_player)
    check(config, position)


def test_knowledge_is_any_set_that_hints_can_leave():
    config, position = middle()
    for remaining, complaint in (
        (["G2"], None),
        (["Y2", "G2", "W2", "B2"], None),
        (["G1", "G2", "G4"], None),
        ([f"{color}{rank}" for color in "RY" for rank in range(1, 6)], "must allow the true card G2"),
        ([card for card in identities(config) if card != "R1"], "answers to hints"),
        (["G2", "G3", "W2"], "answers to hints"),
    ):
        position["knowledge"][0][4] = remaining
        with pytest.raises(ValueError, match=complaint) if complaint else nullcontext():
            check(config, position)
