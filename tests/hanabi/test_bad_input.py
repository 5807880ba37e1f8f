"""Impossible configurations, decks and positions are refused with a clear message."""

import copy
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from hanabako.games import make_config
from hanabi_env import HanabiConfig, HanabiVectorEnv, hanabi_v0
from hanabi_env.declaration import GAME
from hanabi_env.engine.state import NO_CARD
from tests.games import with_tables

from .table import new_env, stacked_deck, start_from, state

# --- Tables ----------------------------------------------------------------------------------------------------------

WRONG_FIELDS: list[tuple[str, Any]] = [
    ("players", 1),
    ("players", 6),
    ("players", 2.0),
    ("players", "2"),
    ("players", True),
    ("players", None),
    ("colors", 0),
    ("colors", 6),
    ("colors", -1),
    ("ranks", 0),
    ("ranks", 6),
    ("hand_size", 0),
    ("hand_size", 26),
    ("hand_size", -1),
    ("hand_size", "five"),
    ("max_information_tokens", -1),
    ("max_information_tokens", 1000),
    ("max_information_tokens", None),
    ("max_life_tokens", 0),
    ("max_life_tokens", -3),
    ("max_life_tokens", 1000),
    ("random_start_player", 1),
    ("multicolor", "rainbow"),
    ("multicolor", True),
    ("black_powder", "yes"),
    ("black_distribution", "random"),
    ("flamboyants", 1),
    ("final_bouquet", None),
    ("choreography", 0),
    ("empty_hints", 1),
    ("score_on_loss", "half"),
    ("score_on_loss", None),
    ("observation_type", "cheating"),
    ("observation_type", 1),
    ("history", 0),
    ("history", -1),
    ("history", True),
    ("belief", 1),
    ("derived", "all"),
]


@pytest.mark.parametrize(("field", "value"), WRONG_FIELDS)
def test_a_wrong_field_is_named_with_its_value(field, value):
    with pytest.raises(ValueError, match=field) as error:
        HanabiConfig(**{field: value})
    assert repr(value).strip("'") in str(error.value)


FLAGS = [name for name, value in vars(HanabiConfig()).items() if isinstance(value, bool)]


@pytest.mark.parametrize("value", ["9" * 5000, f"[1, -{'9' * 5000}]"], ids=["number", "list"])
def test_a_setting_with_more_digits_than_python_reads_is_named(value):
    with pytest.raises(ValueError, match=r"^colors must have numbers of at most [\d,]+ digits, got '") as caught:
        make_config("hanabi", settings=[f"colors={value}"])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("value", ["no", "true", "", 0, 1, 1.0, None, [True], np.int64(1), np.array(True)], ids=repr)
def test_a_flag_is_true_or_false_in_every_interface(flag, value):
    for make in (HanabiConfig, hanabi_v0.raw_env, GAME.make_seat, partial(HanabiVectorEnv, 2)):
        with pytest.raises(ValueError, match=f"{flag} must be true or false, got"):
            make(**{flag: value})


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("value", [True, False])
def test_numpys_flags_are_stored_as_pythons(flag, value):
    changed: dict[str, Any] = {flag: np.bool_(value)}
    config = HanabiConfig(**changed)
    assert getattr(config, flag) is value
    assert config == HanabiConfig(**{flag: value})
    assert json.loads(json.dumps(vars(config))) == vars(config)


NUMBERS: dict[str, Any] = {
    "players": 3,
    "colors": 4,
    "ranks": 4,
    "hand_size": 2,
    "max_information_tokens": 7,
    "max_life_tokens": 2,
    "history": 2,
}


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64])
def test_numpys_integers_are_stored_as_pythons(kind):
    config = HanabiConfig(**{name: kind(value) for name, value in NUMBERS.items()})
    assert config == HanabiConfig(**NUMBERS)
    assert {type(getattr(config, name)) for name in NUMBERS} == {int}


@pytest.mark.parametrize(
    "table",
    [
        {"players": 5, "colors": 1, "ranks": 1, "hand_size": 1},
        {"players": 2, "colors": 1, "ranks": 1},
        {"players": 4, "colors": 1, "hand_size": 3},
        {"players": 5, "hand_size": 11},
    ],
)
def test_hands_must_fit_the_deck(table):
    with pytest.raises(ValueError, match="hand_size"):
        HanabiConfig(**table)


# --- Decks -----------------------------------------------------------------------------------------------------------


STANDARD_DECK = stacked_deck(HanabiConfig(), "R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5")

WRONG_DECKS: dict[str, tuple[Any, str]] = {
    "a card too few": (STANDARD_DECK[:-1], STANDARD_DECK[-1]),
    "a card too many": ([*STANDARD_DECK, "R1"], "R1"),
    "a second R5": ([*STANDARD_DECK[:-1], "R5"], "R5"),
    "an unknown suit": (["Z1", *STANDARD_DECK[1:]], "Z1"),
    "an unknown rank": (["R6", *STANDARD_DECK[1:]], "R6"),
    "rank 0": (["R0", *STANDARD_DECK[1:]], "R0"),
    "a suit of a variant": (["K1", *STANDARD_DECK[1:]], "K1"),
    "lower case": (["r1", *STANDARD_DECK[1:]], "r1"),
    "numbers": (list(range(50)), "deck"),
    "None": ([None, *STANDARD_DECK[1:]], "None"),
    "an empty list": ([], "R1"),
    "no list": (50, "deck"),
    "one word": ("".join(STANDARD_DECK), "deck"),
    "nothing": (None, "deck"),
}


@pytest.mark.parametrize("name", WRONG_DECKS)
def test_a_wrong_deck_is_refused(name):
    deck, named = WRONG_DECKS[name]
    env = new_env(HanabiConfig())
    env.reset(seed=1)
    before = env.to_dict()
    with pytest.raises(ValueError, match=named):
        env.reset(seed=2, options={"deck": deck})
    assert env.to_dict() == before, "a refused deck must not change the game"


# --- Positions -------------------------------------------------------------------------------------------------------


def good_position() -> tuple[HanabiConfig, dict[str, Any]]:
    """Return a position in mid-game that is accepted; its spoilt forms below are not."""
    config, position = state(
        "R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5",
        fireworks="G2 B1",
        discards="W1 W1 R1",
        information_tokens=5,
        life_tokens=2,
    )
    return config, position


def late_position() -> tuple[HanabiConfig, dict[str, Any]]:
    """Return a position with an empty deck and two turns left."""
    return state("R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5", fireworks="G2 B1", deck="", turns_to_play=2, information_tokens=5)


def put(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda position: position.update(changes)


def change(path: list[Any], value: Any) -> Callable[[dict[str, Any]], None]:
    """Return a function that replaces the value at a path of keys and indices."""

    def spoil(position: dict[str, Any]) -> None:
        for key in path[:-1]:
            position = position[key]
        position[path[-1]] = value

    return spoil


def drop(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda position: position.pop(key)


def move_card_to_deck(position: dict[str, Any]) -> None:
    """Leave player 1 short of a card although the deck is not empty."""
    position["deck"].append(position["hands"][1].pop())
    position["knowledge"][1].pop()


def give_sixth_card(position: dict[str, Any]) -> None:
    position["hands"][1].append(position["deck"].pop())
    position["knowledge"][1].append(list(position["knowledge"][1][0]))


def swap_hand_for_unknown(position: dict[str, Any]) -> None:
    """Make the hints say that the first card is no R1, although it is."""
    position["knowledge"][0][0] = [card for card in position["knowledge"][0][0] if card != "R1"]


WRONG_POSITIONS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a missing key": (drop("hands"), "hands"),
    "no deck": (drop("deck"), "deck"),
    "an unknown card in a hand": (change(["hands", 0, 0], "R7"), "R7"),
    "an unknown card in the deck": (change(["deck", 0], "X1"), "X1"),
    "an unknown card in the discard": (change(["discards", 0], "M1"), "M1"),
    "a card twice": (change(["hands", 0, 0], "R5"), "R5"),
    "a card lost": (lambda position: position["discards"].pop(), "R1"),
    "a card too many": (lambda position: position["discards"].append("R1"), "R1"),
    "a hand too few": (lambda position: position["hands"].pop(), "hands"),
    "a hand too many": (lambda position: position["hands"].append([]), "hands"),
    "a hand too large": (give_sixth_card, "hand"),
    "a hand too small": (move_card_to_deck, "hand"),
    "the player to move does not exist": (put(current_player=2), "current_player"),
    "the player to move is negative": (put(current_player=-1), "current_player"),
    "the player to move is a name": (put(current_player="player_0"), "current_player"),
    "too many information tokens": (put(information_tokens=9), "information_tokens"),
    "negative information tokens": (put(information_tokens=-1), "information_tokens"),
    "half an information token": (put(information_tokens=2.5), "information_tokens"),
    "too many lives": (put(life_tokens=4), "life_tokens"),
    "negative lives": (put(life_tokens=-1), "life_tokens"),
    "no life in a running game": (put(life_tokens=0), "life_tokens|end_reason"),
    "a firework too high": (change(["fireworks", "G"], 6), "fireworks|G"),
    "a firework too low": (change(["fireworks", "G"], -1), "fireworks|G"),
    "a firework of another number of cards": (change(["fireworks", "G"], 3), "G3"),
    "a firework that does not exist": (change(["fireworks", "K"], 0), "K|fireworks"),
    "a firework is missing": (lambda position: position["fireworks"].pop("R"), "R|fireworks"),
    "turns to play with cards in the deck": (put(turns_to_play=2), "turns_to_play"),
    "another score": (put(score=7), "score"),
    "an end that has not come": (put(end_reason="deck"), "end_reason|turns_to_play|deck"),
    "lost with lives left": (put(end_reason="lives"), "end_reason|life"),
    "complete with gaps": (put(end_reason="complete"), "end_reason|complete|fireworks"),
    "an unknown end": (put(end_reason="tired"), "tired|end_reason"),
    "a tile in the standard game": (put(bonus_tiles=["a"]), "bonus_tiles|tile"),
    "a choice in the standard game": (put(pending="e"), "pending"),
    "knowledge that excludes the true card": (swap_hand_for_unknown, "R1"),
    "knowledge of an unknown card": (change(["knowledge", 0, 0], ["R1", "K5"]), "K5"),
    "knowledge of nothing": (change(["knowledge", 0, 0], []), "R1|knowledge"),
    "knowledge of too few cards": (lambda position: position["knowledge"][0].pop(), "knowledge"),
    "knowledge of too few hands": (lambda position: position["knowledge"].pop(), "knowledge"),
    "no hints say this": (change(["knowledge", 0, 0], ["R1", "Y2"]), "knowledge|R1|Y2"),
    "hands that are no list": (put(hands=5), "hands"),
    "a deck that is no list": (put(deck=None), "deck"),
    "fireworks that are no mapping": (put(fireworks=[0, 0, 0, 0, 0]), "fireworks"),
}

WRONG_LATE_POSITIONS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no turns to play on an empty deck": (put(turns_to_play=None), "turns_to_play"),
    "too many turns to play": (put(turns_to_play=3), "turns_to_play"),
    "no turn left in a running game": (put(turns_to_play=0), "turns_to_play|end_reason"),
    "negative turns": (put(turns_to_play=-1), "turns_to_play"),
}


@pytest.mark.parametrize("position", [good_position, late_position])
def test_the_good_positions_are_accepted(position):
    config, good = position()
    table = start_from(config, good)
    for key in good:
        assert getattr(table, key) == good[key], key


@pytest.mark.parametrize("name", WRONG_POSITIONS)
def test_an_impossible_position_is_refused(name):
    assert_refused(good_position, *WRONG_POSITIONS[name])


@pytest.mark.parametrize("name", WRONG_LATE_POSITIONS)
def test_an_impossible_last_round_is_refused(name):
    assert_refused(late_position, *WRONG_LATE_POSITIONS[name])


def assert_refused(good: Callable[[], Any], spoil: Callable[[dict[str, Any]], Any], named: str) -> None:
    config, position = good()
    position = copy.deepcopy(position)
    spoil(position)
    env = new_env(config)
    env.reset(seed=1)
    before = env.to_dict()
    with pytest.raises(ValueError, match=named):
        env.reset(seed=2, options={"state": position})
    assert env.to_dict() == before, "a refused position must not change the game"


@pytest.mark.parametrize("position", [[], 7, "R1", {}])
def test_a_position_must_be_a_mapping_with_its_keys(position):
    env = new_env(HanabiConfig())
    with pytest.raises(ValueError, match=r"state|position|hands"):
        env.reset(seed=1, options={"state": position})


def test_deck_and_state_exclude_each_other():
    config, position = good_position()
    env = new_env(config)
    with pytest.raises(ValueError, match="deck"):
        env.reset(seed=1, options={"state": position, "deck": STANDARD_DECK})


@pytest.mark.parametrize("index", [-1, 2.5, "first", True, 2**64])
def test_a_wrong_game_index_is_named(index):
    env = new_env(HanabiConfig())
    with pytest.raises(ValueError, match="game_index"):
        env.reset(seed=1, options={"game_index": index})


@pytest.mark.parametrize("seed", [-1, 2.5, "first"])
def test_a_wrong_seed_is_named(seed):
    env = new_env(HanabiConfig())
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)


# --- Vector environment ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_envs", [0, -1, 2.5, "four", True])
def test_a_wrong_number_of_games_is_named(num_envs):
    with pytest.raises(ValueError, match="num_envs"):
        HanabiVectorEnv(num_envs)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("observation", "int16"),
        ("observation", None),
        ("num_threads", 0),
        ("num_threads", -1),
        ("num_threads", 1.5),
        ("num_threads", 10_000),
        ("autoreset_mode", "sometimes"),
        ("seed", -1),
        ("seed", "x"),
    ],
)
def test_a_wrong_option_is_named(option, value):
    with pytest.raises(ValueError, match=option):
        HanabiVectorEnv(2, **{option: value})


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(2, np.int64),
        np.zeros(4, np.int64),
        np.zeros((3, 1), np.int64),
        np.zeros(3, np.float64),
        np.zeros(3, bool),
        np.array(["play 0"] * 3),
        [0, 1],
        [0.5, 1, 2],
        0,
        None,
        "abc",
    ],
)
def test_actions_of_a_wrong_kind_are_refused_and_change_nothing(actions):
    envs = HanabiVectorEnv(3, seed=5)
    envs.reset(seed=5)
    before = [envs.to_dict(game) for game in range(3)]
    with pytest.raises(ValueError, match="actions"):
        envs.step(actions)
    assert [envs.to_dict(game) for game in range(3)] == before


@pytest.mark.parametrize("game", [3, -4, "first", 1.5])
def test_a_wrong_game_is_named(game):
    envs = HanabiVectorEnv(3)
    envs.reset(seed=5)
    with pytest.raises(ValueError, match="index"):
        envs.to_dict(game)


def test_stepping_after_the_end_of_the_wrapped_environment_needs_none():
    env = hanabi_v0.raw_env(preset="very_small")
    env.reset(seed=1)
    while not all(env.terminations.values()):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    with pytest.raises(ValueError, match="None"):
        env.step(0)


# --- Saved states -----------------------------------------------------------------------------------------------------


def forged(envs: HanabiVectorEnv, step: int, fields: dict[str, int]) -> dict[str, Any]:
    """Return the state of an environment with other fields in the event of a step, and a right checksum."""
    saved = envs.get_state()
    tables = saved["tables"].copy()
    events = tables.view(envs.game.table_dtype(specialize=False))[0, 0]["state"]["events"]
    for name, value in fields.items():
        events[step % envs.game.rules.history][name] = value
    return with_tables(saved, tables)


SEED = 0
"""A deal in which player 0 and then player 1 may each hint a 1."""


def after(*moves: str, **fields: Any) -> HanabiVectorEnv:
    """Return a game of the default deal after these moves, all of which its events hold."""
    envs = HanabiVectorEnv(1, history=len(moves), **fields)
    envs.reset(seed=SEED)
    for move in moves:
        envs.step(np.array([envs.str_to_action(0, move)]))
        assert not envs.tables["terminated"][0], "the move is legal"
    return envs


@pytest.mark.parametrize(
    ("move", "fields"),
    [
        ("play 0", {"card": NO_CARD}),
        ("play 0", {"card": 25}),
        ("discard 0", {"card": NO_CARD}),
        ("play 0", {"kind": 7}),
        ("play 0", {"kind": 5}),
        ("play 0", {"announced": 1}),
        ("hint 1 1", {"target": 1}),
        ("hint 1 1", {"value": 5}),
        ("hint 1 1", {"kind": 1, "card": NO_CARD}),
    ],
)
def test_a_saved_state_with_an_impossible_event_is_refused(move: str, fields: dict[str, int]):
    envs = after("hint 1 1", move, players=2)
    state = forged(envs, 1, fields)
    before = envs.to_dict(0)
    with pytest.raises(ValueError, match=r"^events\.|table 0 holds no position"):
        envs.set_state(state)
    assert envs.to_dict(0) == before


@pytest.mark.parametrize("preset", ["standard", "all_extensions"])
def test_a_saved_state_with_an_open_choice_and_a_full_hand_is_refused(preset: str):
    """V4: the choice comes before the draw, so tile (e) has room in the hand for a card from the discard."""
    envs = HanabiVectorEnv(1, preset=preset)
    envs.reset(seed=SEED)
    saved = envs.get_state()
    tables = saved["tables"].copy()
    table = tables.view(envs.game.table_dtype(specialize=False))[:, 0]
    table["state"]["pending"] = 2
    envs._loops.refresh(envs.game.rules_array, table)  # the mask is that of the choice
    with pytest.raises(ValueError, match="table 0 holds no position"):
        envs.set_state(with_tables(saved, tables))


def test_a_hint_of_a_given_position_has_no_card_and_is_taken_back():
    envs = after("hint 1 1", "hint 1 1", players=2)
    position = envs.to_dict(0)
    envs.reset(options={"state": {0: position}})
    envs.set_state(envs.get_state())
    assert envs.to_dict(0) == position


@pytest.mark.parametrize(
    "fields",
    [{}, {"hand_size": 1, "ranks": 2}, {"colors": 2, "ranks": 5}, {"preset": "all_extensions"}],
    ids=["standard", "few ranks", "few colors", "all extensions"],
)
def test_every_saved_state_that_is_taken_can_be_shown(fields: dict[str, Any]):
    envs, rng = after("play 0", "play 0", **{"players": 3, **fields}), np.random.default_rng(1)
    taken, dtype = 0, envs.game.table_dtype(specialize=False)["state"]["events"].base
    for _ in range(1000):
        names = rng.choice(dtype.names or (), size=rng.integers(1, 4), replace=False)
        try:
            envs.set_state(
                forged(envs, int(rng.integers(2)), {name: rng.choice([*range(8), NO_CARD]) for name in names})
            )
        except ValueError:
            continue
        taken += 1
        envs.to_dict(0)
    assert taken > 20


def late_game(is_over: bool) -> HanabiVectorEnv:
    """Return a game in `mini` whose deck is empty, so that a hand lacks a card: in its last turn, or over."""
    envs = HanabiVectorEnv(1, preset="mini", history=3, autoreset_mode="Disabled")
    observation, _ = envs.reset(seed=SEED)
    discard, play, first_hint = 0, 3, 6
    while len(envs.to_dict(0)["deck"]) > 0:
        legal = np.flatnonzero(observation["action_mask"][0])
        hint = legal[legal >= first_hint][0]
        observation, *_ = envs.step(np.array([hint if envs.to_dict(0)["length"] % 2 == 0 else discard]))
    for _ in range(1 + is_over):
        envs.step(np.array([play]))
    assert envs.tables["terminated"][0] == is_over
    return envs


@pytest.mark.parametrize("is_over", [False, True], ids=["last turn", "over"])
@pytest.mark.parametrize(
    ("field", "value"), [("hand_count", 3), ("deck_count", 1), ("fireworks", 3), ("hands", NO_CARD), ("hands", 0)]
)
def test_a_late_state_with_a_card_too_many_or_none_is_refused(is_over: bool, field: str, value: int):
    envs = late_game(is_over)
    saved, before = envs.get_state(), envs.to_dict(0)
    tables = saved["tables"].copy()
    tables.view(envs.game.table_dtype(specialize=False))[:, 0]["state"][field][...] = value
    with pytest.raises(ValueError, match=r"table 0 holds no position|mask is not what follows"):
        envs.set_state(with_tables(saved, tables))
    assert envs.to_dict(0) == before
    envs.set_state(saved)


@pytest.mark.parametrize(
    ("preset", "field", "value"),
    [
        ("standard", "life_tokens", 0),
        ("standard", "turns_to_play", 0),
        ("standard", "turns_to_play", 2),
        ("final_bouquet", "turns_to_play", 2),
        ("flamboyants", "tiles_left", 0),
        ("flamboyants", "tiles_left", 5),
    ],
)
def test_a_state_whose_counts_belong_to_no_running_game_is_refused(preset: str, field: str, value: int):
    """H12: a life is left. H14, E5: the last round begins with the empty deck. V4: tiles follow completed fireworks."""
    envs = HanabiVectorEnv(1, preset=preset)
    envs.reset(seed=SEED)
    saved = envs.get_state()
    tables = saved["tables"].copy()
    tables.view(envs.game.table_dtype(specialize=False))[:, 0]["state"][field] = value
    with pytest.raises(ValueError, match=r"table 0 holds no position|mask is not what follows"):
        envs.set_state(with_tables(saved, tables))


def test_a_state_in_the_last_round_has_turns_left():
    envs = late_game(is_over=False)
    saved = envs.get_state()
    tables = saved["tables"].copy()
    tables.view(envs.game.table_dtype(specialize=False))[:, 0]["state"]["turns_to_play"] = -1
    with pytest.raises(ValueError, match="table 0 holds no position"):
        envs.set_state(with_tables(saved, tables))
    envs.set_state(saved)


def test_a_finished_state_with_an_impossible_event_is_refused():
    envs = late_game(is_over=True)
    for step in range(3):
        with pytest.raises(ValueError, match="table 0 holds no position"):
            envs.set_state(forged(envs, step, {"kind": 1, "card": NO_CARD}))


def test_a_card_that_is_none_is_refused_in_the_deck():
    envs = after("play 0", "play 0", players=2)
    saved = envs.get_state()
    tables = saved["tables"].copy()
    state = tables.view(envs.game.table_dtype(specialize=False))[0, 0]["state"]
    state["cards"][state["deck_count"]] = NO_CARD
    state["deck_count"] += 1
    with pytest.raises(ValueError, match=f"cards must be from 0 to 24, got {NO_CARD} in table 0"):
        envs.set_state(with_tables(saved, tables))
