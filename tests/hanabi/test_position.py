"""A game as a dict and back: same observations, same deck, same future; what cannot be is refused by name.

Games here are single records stepped by the rules as plain Python.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from env_core.rng import game_key
from hanabi_env import rules as hanabi
from hanabi_env.box import END_ILLEGAL, state_dtype
from hanabi_env.config import HanabiConfig
from hanabi_env.notation import action_to_str, str_to_action
from hanabi_env.observation import observation_words, observe
from hanabi_env.position import arrange_deck, load_deck, load_position, parse_position, to_dict
from tests.hanabi.tables import name
from tests.reference.hanabi_plain import box

TABLES: list[dict[str, Any]] = [
    {"players": 2, "max_life_tokens": 50, "history": 3, "belief": True, "derived": True},
    {"players": 3, "random_start_player": True, "history": 2},
    {"players": 4, "empty_hints": True, "observation_type": "seer"},
    {"players": 5, "max_life_tokens": 20, "derived": True},
    {"colors": 2, "hand_size": 2, "max_information_tokens": 3, "max_life_tokens": 1},
    {"colors": 3, "ranks": 3, "hand_size": 3, "max_information_tokens": 5, "max_life_tokens": 9, "history": 32},
    {"colors": 1, "ranks": 1, "hand_size": 1, "max_life_tokens": 3},
    {"colors": 1, "ranks": 5, "hand_size": 5, "score_on_loss": "fireworks"},
    {"players": 5, "hand_size": 1, "max_information_tokens": 0},
    {"colors": 4, "ranks": 2, "players": 4, "hand_size": 2, "max_life_tokens": 10},
]
ON_TABLES = pytest.mark.parametrize("table", TABLES, ids=name)


@pytest.fixture(autouse=True)
def _wrap_around() -> Iterator[None]:
    """The random numbers of the rules are made modulo 2^64, of which NumPy's scalars would warn."""
    with np.errstate(over="ignore"):
        yield


# --- Games -----------------------------------------------------------------------------------------------------------


def new_game(config: HanabiConfig, seed: int = 1, room: HanabiConfig | None = None) -> Any:
    """A dealt game; ``room`` is a table whose sizes its record has."""
    size = (room or config).rules()
    dtype = state_dtype(size.players, size.hand_size, size.suits, size.ranks, size.deck_size, size.history)
    state = np.zeros(1, dtype).view(np.recarray)[0]
    state.game_key = game_key(seed, 0)
    hanabi.init(config.rules(), state)
    return state


def legal_actions(config: HanabiConfig, state: Any) -> list[int]:
    mask = np.zeros(-(-config.rules().num_actions // 64), np.uint64)
    hanabi.legal_action_mask(config.rules(), state, mask)
    return [action for action in range(config.rules().num_actions) if int(mask[action >> 6]) >> (action & 63) & 1]


def do(config: HanabiConfig, state: Any, *moves: str) -> None:
    for words in moves:
        action = str_to_action(config, words)
        assert action in legal_actions(config, state), words
        hanabi.step(config.rules(), state, action)


def play_on(config: HanabiConfig, state: Any, moves: int, rng: random.Random) -> None:
    """Up to ``moves`` random legal moves."""
    for _ in range(moves):
        if state.end_reason:
            return
        hanabi.step(config.rules(), state, rng.choice(legal_actions(config, state)))


def observations(config: HanabiConfig, state: Any) -> list[list[int]]:
    rules, seen = config.rules(), []
    for player in range(config.players):
        out = np.zeros(observation_words(rules), np.uint64)
        observe(rules, state, player, out)
        seen.append(out.tolist())
    return seen


def some_positions(config: HanabiConfig) -> Iterator[Any]:
    """A few positions of random games, their ends included."""
    for seed in range(2):
        rng, state = random.Random(seed), new_game(config, seed)
        yield state
        for moves in (1, 4, 9, 30):
            play_on(config, state, moves, rng)
            yield state
        play_on(config, state, 1000, rng)
        yield state


# --- There and back --------------------------------------------------------------------------------------------------


@ON_TABLES
def test_a_restored_game_is_the_same_for_everybody(table):
    config = HanabiConfig(**table)
    for state in some_positions(config):
        position = to_dict(config, state)
        again = new_game(config, seed=99)
        play_on(config, again, 5, random.Random(5))
        load_position(config, again, json.loads(json.dumps(position)))
        assert to_dict(config, again) == position
        assert observations(config, again) == observations(config, state)
        assert legal_actions(config, again) == legal_actions(config, state)


@ON_TABLES
def test_a_restored_game_has_the_same_future(table):
    config = HanabiConfig(**table)
    state, again = new_game(config, seed=3), new_game(config, seed=4)
    play_on(config, state, 7, random.Random(3))
    load_position(config, again, to_dict(config, state))
    for _ in range(4):
        play_on(config, state, 12, random.Random(8))
        play_on(config, again, 12, random.Random(8))
        assert to_dict(config, again) == to_dict(config, state)
        assert observations(config, again) == observations(config, state)


@ON_TABLES
def test_every_card_of_the_box_is_somewhere_exactly_once(table):
    config = HanabiConfig(**table)
    for state in some_positions(config):
        position = to_dict(config, state)
        played = [f"{suit}{rank}" for suit, top in position["fireworks"].items() for rank in range(1, top + 1)]
        held = [card for hand in position["hands"] for card in hand]
        assert Counter(position["deck"] + position["discards"] + played + held) == Counter(box(config))


def test_the_deck_of_the_dict_is_the_order_of_the_coming_draws():
    config = HanabiConfig(max_life_tokens=50)
    state = new_game(config, seed=6)
    do(config, state, "hint 1 1" if "hint 1 1" in words(config, state) else "play 0")
    coming, drawn = to_dict(config, state)["deck"], []
    while state.deck_count:
        player = int(state.current_player)
        do(config, state, "play 2")
        drawn.append(to_dict(config, state)["hands"][player][-1])
    assert drawn == coming


def words(config: HanabiConfig, state: Any) -> list[str]:
    return [action_to_str(config, action) for action in legal_actions(config, state)]


def test_any_deck_can_be_arranged_for_any_places():
    rng = random.Random(1)
    for size in (0, 1, 2, 7, 50):
        deck = [rng.randrange(25) for _ in range(size)]
        places = [rng.randrange(left) for left in range(size, 0, -1)]
        cards, drawn = arrange_deck(deck, places), []
        for place in places:
            drawn.append(cards[place])
            cards[place] = cards[-1]
            cards.pop()
        assert drawn == deck


@ON_TABLES
def test_a_position_is_plain_json(table):
    config = HanabiConfig(**table)
    for state in some_positions(config):
        position = to_dict(config, state)
        assert json.loads(json.dumps(position)) == position
        assert set(types_in(position)) <= {dict, list, str, int, bool, type(None)}


def types_in(value: Any) -> Iterator[type]:
    yield type(value)
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from types_in(entry)


def test_the_random_stream_stays_that_of_the_table():
    config = HanabiConfig(random_start_player=True)
    state, undisturbed = new_game(config, seed=5), new_game(config, seed=5)
    before = (int(state.game_key), int(state.key), int(state.episode))
    load_position(config, state, to_dict(config, new_game(config, seed=6)))
    assert (int(state.game_key), int(state.key), int(state.episode)) == before
    for game in (state, undisturbed):
        game.episode += 1
        hanabi.init(config.rules(), game)
    assert to_dict(config, state) == to_dict(config, undisturbed)


def test_a_record_with_room_for_larger_tables_serves_as_well():
    config, room = (
        HanabiConfig(colors=3, ranks=3, players=3, hand_size=3),
        HanabiConfig(players=5, hand_size=9, history=4),
    )
    state, roomy = new_game(config, seed=7), new_game(config, seed=8, room=room)
    play_on(config, state, 6, random.Random(7))
    load_position(config, roomy, to_dict(config, state))
    assert to_dict(config, roomy) == to_dict(config, state)
    assert observations(config, roomy) == observations(config, state)
    load_deck(config, roomy, box(config))
    assert to_dict(config, roomy)["hands"] == [["R1", "R1", "R1"], ["R2", "R2", "R3"], ["Y1", "Y1", "Y1"]]


# --- What hints said, what happened last -----------------------------------------------------------------------------


def stacked(config: HanabiConfig, start: str) -> Any:
    """A game whose deck begins with these cards."""
    rest = Counter(box(config))
    rest.subtract(start.split())
    state = new_game(config)
    load_deck(config, state, start.split() + list(rest.elements()))
    return state


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
    assert position["events"] == [
        event(1, "hint 1 3", touched=[1]),
        event(0, "play 0", card="R1", scored=True),
        event(1, "play 1", card="R1", scored=False),
        event(0, "discard 0", card="Y3", gave_token=True),
    ]


def event(
    player: int, action: str, touched: Any = (), card: Any = None, scored: Any = None, gave_token: bool = False
) -> Any:
    return {
        "player": player,
        "action": action,
        "touched": list(touched),
        "card": card,
        "scored": scored,
        "gave_token": gave_token,
    }


def test_a_new_game_has_no_last_move():
    position = to_dict(HanabiConfig(), new_game(HanabiConfig()))
    assert (position["events"], position["last_move"], position["length"]) == ([], None, 0)


def test_a_shorter_history_keeps_the_newest_steps():
    long, short = HanabiConfig(history=6), HanabiConfig(history=2)
    state, again = new_game(long), new_game(short)
    play_on(long, state, 5, random.Random(2))
    position = to_dict(long, state)
    load_position(short, again, position)
    assert to_dict(short, again) == {**position, "events": position["events"][-2:]}


def test_optional_keys_may_be_missing():
    config = HanabiConfig(history=2)
    state = new_game(config)
    do(config, state, words(config, state)[-1])
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


def test_hidden_cards_may_be_exchanged_and_nothing_else_changes():
    config = HanabiConfig(players=3, history=3, max_life_tokens=50, belief=True)
    state, again = new_game(config, seed=11), new_game(config, seed=12)
    play_on(config, state, 12, random.Random(11))
    position = to_dict(config, state)
    exchanged = copy.deepcopy(position)
    for slot, plausible in enumerate(position["knowledge"][0]):
        for k, card in enumerate(exchanged["deck"]):
            if card in plausible and card != exchanged["hands"][0][slot]:
                exchanged["deck"][k], exchanged["hands"][0][slot] = exchanged["hands"][0][slot], card
                break
    assert exchanged["hands"][0] != position["hands"][0]
    load_position(config, again, exchanged)
    assert to_dict(config, again) == exchanged
    assert observations(config, again)[0] == observations(config, state)[0]
    assert observations(config, again)[1] != observations(config, state)[1]


# --- What cannot be --------------------------------------------------------------------------------------------------

Spoil = Callable[[dict[str, Any]], Any]


def middle() -> tuple[HanabiConfig, dict[str, Any]]:
    """A game in the middle: two hints, a good play and an error."""
    config = HanabiConfig()
    state = stacked(config, "R1 Y3 Y2 R1 B5 Y1 Y2 R3 W1 W1 G2 G4")
    do(config, state, "hint 1 Y", "hint 1 3", "play 0", "play 2")
    return config, to_dict(config, state)


def last_round() -> tuple[HanabiConfig, dict[str, Any]]:
    """Player 0 drew the last card; players 1 and 2 had their last turns (a hint, a discard); player 0 comes last."""
    config = HanabiConfig(players=3, colors=2, ranks=3, hand_size=3)
    state = stacked(config, "R1 R1 R1 Y1 Y1 Y1 R2 R2 R3 Y2 Y2 Y3")
    do(config, state, "hint 1 Y", "discard 0", "play 0", "play 0", "hint 1 2", "discard 0")
    return config, to_dict(config, state)


def put(*path: Any, to: Any) -> Spoil:
    """Replace what lies at a path of keys and indices."""

    def spoil(position: Any) -> None:
        for key in path[:-1]:
            position = position[key]
        position[path[-1]] = to

    return spoil


def drop(*path: Any) -> Spoil:
    """Remove what lies at a path of keys and indices."""

    def spoil(position: Any) -> None:
        for key in path[:-1]:
            position = position[key]
        del position[path[-1]]

    return spoil


def move_card(source: tuple[Any, ...], target: tuple[Any, ...]) -> Spoil:
    """The last card of one place goes to another, and what is known of it (of the deck's: as of the hand's newest)."""

    def pile(position: Any, path: tuple[Any, ...]) -> Any:
        return position[path[0]] if len(path) == 1 else position[path[0]][path[1]]

    def spoil(position: Any) -> None:
        pile(position, target).append(pile(position, source).pop())
        for key in ("knowledge", "hinted"):
            known = position[key][source[1]].pop() if source[0] == "hands" else position[key][target[1]][-1]
            if target[0] == "hands":
                position[key][target[1]].append(known)

    return spoil


def lose_game(position: dict[str, Any]) -> None:
    position.update(life_tokens=0, end_reason="lives", score=0)


NEEDED_KEYS = [
    *("current_player", "hands", "deck", "discards", "fireworks", "information_tokens", "life_tokens"),
    *("turns_to_play", "end_reason", "bonus_tiles", "pending", "knowledge"),
]

IMPOSSIBLE: dict[str, tuple[Spoil, str]] = {
    **{f"no {key}": (drop(key), f"lacks {key}") for key in NEEDED_KEYS},
    "an unknown card": (put("deck", 3, to="R6"), "deck[3]: card must be one of R1"),
    "a card of a variant": (put("hands", 1, 0, to="K1"), "hands[1][0]: card must be one of R1"),
    "a card that is a number": (put("discards", 0, to=3), "discards[0]: card must be one of R1"),
    "a second B5": (put("deck", 3, to="B5"), "B5 2 times instead of 1"),
    "a lost card": (drop("deck", -1), "instead of"),
    "a card too many": (lambda position: position["deck"].append("W3"), "W3 3 times instead of 2"),
    "a firework without its cards": (put("fireworks", "B", to=5), "B5 2 times instead of 1"),
    "a firework too high": (put("fireworks", "B", to=6), "fireworks['B'] must be an int from 0 to 5, got 6"),
    "a firework below nothing": (put("fireworks", "B", to=-1), "fireworks['B'] must be an int from 0 to 5, got -1"),
    "a firework in words": (put("fireworks", "B", to="B1"), "fireworks['B'] must be an int"),
    "a firework too few": (drop("fireworks", "G"), "fireworks must be a dict with the keys R, Y, G, W, B"),
    "a firework too many": (put("fireworks", "K", to=0), "fireworks must be a dict with the keys R, Y, G, W, B"),
    "fireworks in a list": (put("fireworks", to=[0] * 5), "fireworks must be a dict"),
    "a hand too many": (lambda position: position["hands"].append([]), "hands must be a list of 2"),
    "a hand too few": (drop("hands", 1), "hands must be a list of 2"),
    "a hand in words": (put("hands", 0, to="R1 R2"), "hands[0] must be a list"),
    "a sixth card": (move_card(("deck",), ("hands", 1)), "hands[1] must have 5 cards"),
    "a fifth card missing": (move_card(("hands", 1), ("deck",)), "hands[1] must have 5 cards"),
    "a deck in words": (put("deck", to="R1"), "deck must be a list"),
    "discards that are nothing": (put("discards", to=None), "discards must be a list"),
    "a player too many": (put("current_player", to=2), "current_player must be an int from 0 to 1, got 2"),
    "a player before the first": (put("current_player", to=-1), "current_player must be an int from 0 to 1"),
    "a player by name": (put("current_player", to="player_0"), "current_player must be an int"),
    "a player that is a truth": (put("current_player", to=True), "current_player must be an int"),
    "too many information tokens": (put("information_tokens", to=9), "information_tokens must be an int from 0 to 8"),
    "information tokens below nothing": (put("information_tokens", to=-1), "information_tokens must be an int"),
    "half an information token": (put("information_tokens", to=2.5), "information_tokens must be an int"),
    "too many lives": (put("life_tokens", to=4), "life_tokens must be an int from 0 to 3, got 4"),
    "lives below nothing": (put("life_tokens", to=-1), "life_tokens must be an int from 0 to 3"),
    "no life and no end": (put("life_tokens", to=0), "end_reason must be 'lives' with life_tokens 0"),
    "lost with full hands": (lose_game, "the one whose card ended the game must have 4 cards"),
    "turns with a deck": (put("turns_to_play", to=2), "turns_to_play must be None while the deck has cards, got 2"),
    "turns in words": (put("turns_to_play", to="two"), "turns_to_play must be an int from 0 to 2"),
    "an end without a reason": (put("end_reason", to="deck"), "end_reason must be None"),
    "lost with lives left": (put("end_reason", to="lives"), "end_reason must be None"),
    "complete with gaps": (put("end_reason", to="complete"), "end_reason must be None"),
    "an unknown end": (put("end_reason", to="tired"), "end_reason must be one of None, 'lives', 'complete', 'deck'"),
    "an end by number": (put("end_reason", to=0), "end_reason must be one of None, 'lives'"),
    "another score": (put("score", to=7), "score must be 1, got 7"),
    "a score in words": (put("score", to="1"), "score must be 1, got '1'"),
    "a tile": (put("bonus_tiles", to=["a"]), "bonus_tiles must be empty"),
    "tiles that are nothing": (put("bonus_tiles", to=None), "bonus_tiles must be a list"),
    "a tile's choice": (put("pending", to="e?"), "pending must be None"),
    "knowledge without the true card": (
        put("knowledge", 1, 0, to=["R2"]),
        "knowledge[1][0] must allow the true card Y1",
    ),
    "knowledge of nothing": (put("knowledge", 1, 0, to=[]), "knowledge[1][0] must allow the true card Y1"),
    "knowledge of an unknown card": (
        put("knowledge", 1, 0, to=["R1", "K5"]),
        "knowledge[1][0][1]: card must be one of",
    ),
    "knowledge that no hints leave": (
        put("knowledge", 1, 0, to=["Y1", "R2"]),
        "knowledge[1][0] must be what answers to hints",
    ),
    "knowledge of a hand too few": (drop("knowledge", 1), "knowledge must be a list of 2"),
    "knowledge of a card too few": (drop("knowledge", 1, 4), "knowledge[1] must be a list of 5"),
    "knowledge in words": (put("knowledge", 1, 0, to="Y1"), "knowledge[1][0] must be a list"),
    "a mark that no hint makes": (put("hinted", 1, 0, to=["K"]), "hinted[1][0] must hold only 'R', 'Y'"),
    "a mark of rank 0": (put("hinted", 1, 0, to=[0]), "hinted[1][0] must hold only 'R', 'Y'"),
    "a mark that is a truth": (put("hinted", 1, 0, to=[True]), "hinted[1][0] must hold only 'R', 'Y'"),
    "a mark against knowledge": (put("hinted", 1, 0, to=["R"]), "hinted[1][0] must agree with knowledge"),
    "marks of a card too few": (drop("hinted", 1, 4), "hinted[1] must be a list of 5"),
    "events that are no list": (put("events", to={}), "events must be a list"),
    "an event that is no dict": (put("events", 0, to="play 0"), "events[0] must be a dict with player and action"),
    "an event of nobody": (put("events", 0, "player", to=2), "events[0] player must be an int from 0 to 1"),
    "an event of no action": (put("events", 0, "action", to="pass"), "events[0]: action must be one of discard 0"),
    "a play of no card": (put("events", 0, "card", to=None), "events[0] card[0]: card must be one of R1"),
    "a play half good": (put("events", 0, "scored", to=1), "events[0] scored must be True or False"),
    "a play without its tokens": (drop("events", 0, "gave_token"), "events[0] gave_token must be True or False"),
    "a hint at a sixth card": (
        lambda position: position["events"][0].update(action="hint 1 R", touched=[5]),
        "events[0] touched must be an int from 0 to 4",
    ),
    "fewer steps than remembered": (put("length", to=0), "length must be at least the 1 steps of events"),
    "a length below nothing": (put("length", to=-1), "length must be an int"),
}

IMPOSSIBLE_LAST_ROUND: dict[str, tuple[Spoil, str]] = {
    "no turns": (
        put("turns_to_play", to=None),
        "turns_to_play must be the number of turns left when the deck is empty",
    ),
    "no turn left": (put("turns_to_play", to=0), "end_reason must be 'deck' with"),
    "too many turns": (put("turns_to_play", to=4), "turns_to_play must be an int from 0 to 3"),
    "a turn too many": (put("turns_to_play", to=3), "hands[2] must have 3 cards, got 2"),
    "another player's turn": (put("current_player", to=2), "hands[2] must have 3 cards, got 2"),
    "the wrong hand is short": (move_card(("hands", 0), ("hands", 2)), "hands[0] must have 3 cards, got 2"),
    "a hand two short": (
        move_card(("hands", 2), ("discards",)),
        "hands[2] must have 3 cards (or one less at the end), got 1",
    ),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_is_refused_by_name(name: str):
    assert_refused(middle, *IMPOSSIBLE[name])


@pytest.mark.parametrize("name", IMPOSSIBLE_LAST_ROUND)
def test_a_last_round_that_cannot_be_is_refused_by_name(name: str):
    assert_refused(last_round, *IMPOSSIBLE_LAST_ROUND[name])


def assert_refused(good: Callable[[], tuple[HanabiConfig, dict[str, Any]]], spoil: Spoil, named: str) -> None:
    config, position = good()
    state = new_game(config)
    load_position(config, state, position)
    before = state.tobytes()
    spoil(position)
    with pytest.raises(ValueError, match=re.escape(named)):
        load_position(config, state, position)
    assert state.tobytes() == before, "a refused position must not change the game"


@pytest.mark.parametrize("position", [None, [], 7, "R1", [("hands", [])]])
def test_what_is_no_dict_is_refused(position: Any):
    with pytest.raises(ValueError, match="a position must be a dict"):
        parse_position(HanabiConfig(), position)


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
            parse_position(HanabiConfig(**table), position)


@pytest.mark.parametrize(
    ("turns_to_play", "current_player"),
    [(1, 0), (1, 1), (2, 0)],
)
def test_a_hand_may_be_short_once_its_last_turn_is_over(turns_to_play: int, current_player: int):
    config, position = last_round()
    assert [len(hand) for hand in position["hands"]] == [3, 3, 2]
    position.update(turns_to_play=turns_to_play, current_player=current_player)
    parse_position(config, position)


def test_knowledge_is_any_set_that_hints_can_leave():
    config, position = middle()
    newest = box(config)
    for remaining in ("R1 R2 R3 R4 R5 Y1 Y2 Y3 Y4 Y5", "G2", "Y2 G2 W2 B2", "G1 G2 G4"):
        position["knowledge"][0][4] = remaining.split()
        if "G2" in remaining.split():
            parse_position(config, position)
        else:
            with pytest.raises(ValueError, match="must allow the true card G2"):
                parse_position(config, position)
    for remaining in ([card for card in set(newest) if card != "R1"], ["G2", "G3", "W2"]):
        position["knowledge"][0][4] = remaining
        with pytest.raises(ValueError, match="answers to hints"):
            parse_position(config, position)


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


def played_out() -> tuple[HanabiConfig, Any]:
    config = HanabiConfig(colors=1, ranks=3, hand_size=3)
    state = stacked(config, "R1 R1 R1 R2 R2 R3")
    do(config, state, "play 0", "hint 1 1")
    return config, state


@pytest.mark.parametrize(
    ("end", "reason", "score"), [(lost, "lives", 1), (won, "complete", 3), (played_out, "deck", 1)]
)
def test_a_finished_game_can_be_restored(end: Callable[[], tuple[HanabiConfig, Any]], reason: str, score: int):
    config, state = end()
    position, again = to_dict(config, state), new_game(config)
    assert (position["end_reason"], position["score"]) == (reason, score)
    load_position(config, again, position)
    assert to_dict(config, again) == position
    assert observations(config, again) == observations(config, state)
    assert legal_actions(config, again) == []


def test_a_lost_game_scores_nothing_where_the_table_says_so():
    config, state = lost()
    position = to_dict(config, state)
    with pytest.raises(ValueError, match="score must be 0, got 1"):
        parse_position(HanabiConfig(max_life_tokens=1), position)


def test_a_game_cannot_be_lost_and_complete_at_once():
    config, state = won()
    with pytest.raises(ValueError, match="life_tokens must not be 0"):
        parse_position(config, {**to_dict(config, state), "life_tokens": 0, "end_reason": "lives"})


def test_the_turn_that_ends_a_game_leaves_one_hand_short():
    config, state = lost()
    position = to_dict(config, state)
    move_card(("hands", 0), ("deck",))(position)
    with pytest.raises(ValueError, match=r"hands\[1\] must have 5 cards, got 4"):
        parse_position(config, position)


def test_a_game_ended_by_an_illegal_action_can_be_restored():
    config, state = HanabiConfig(), new_game(HanabiConfig())
    state.end_reason = END_ILLEGAL
    position, again = to_dict(config, state), new_game(config)
    assert position["end_reason"] == "illegal"
    load_position(config, again, position)
    assert to_dict(config, again) == position
    with pytest.raises(ValueError, match="end_reason must be 'lives'"):
        parse_position(config, {**position, "life_tokens": 0})


# --- Decks -----------------------------------------------------------------------------------------------------------


@ON_TABLES
def test_a_given_deck_is_dealt_hand_by_hand(table):
    config = HanabiConfig(**table)
    state, deck, size = new_game(config), box(config), config.cards_in_hand
    play_on(config, state, 5, random.Random(1))
    random.Random(7).shuffle(deck)
    load_deck(config, state, deck)
    position = to_dict(config, state)
    assert position["hands"] == [deck[size * player : size * (player + 1)] for player in range(config.players)]
    assert position["deck"] == deck[size * config.players :]
    assert (position["length"], position["discards"], position["events"]) == (0, [], [])


@ON_TABLES
def test_a_dealt_game_is_the_game_of_its_own_deck(table):
    config = HanabiConfig(**table)
    state, again = new_game(config, seed=9), new_game(config, seed=9)
    position = to_dict(config, state)
    load_deck(config, again, [card for hand in position["hands"] for card in hand] + position["deck"])
    assert to_dict(config, again) == position
    assert observations(config, again) == observations(config, state)


def test_a_random_first_player_is_drawn_as_usual():
    config = HanabiConfig(players=5, random_start_player=True)
    first = set()
    for seed in range(20):
        state = new_game(config, seed)
        usual = int(state.current_player)
        load_deck(config, state, box(config))
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
        load_deck(config, state, spoil(box(config)))
    assert state.tobytes() == before, "a refused deck must not change the game"
