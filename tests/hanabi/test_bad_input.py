"""Impossible configurations and saved states are refused with a clear message."""

from typing import Any

import numpy as np
import pytest

from hanabako.games import make_config
from hanabi_env import HanabiConfig, HanabiVectorEnv
from hanabi_env.engine.state import NO_CARD
from tests.games import with_tables

WRONG_FIELDS: dict[str, tuple[Any, ...]] = {
    "players": (1, 6),
    "colors": (0, 6),
    "ranks": (0, 6),
    "hand_size": (0, 26),
    "max_information_tokens": (-1, 1000),
    "max_life_tokens": (0, 1000),
    "multicolor": ("rainbow",),
    "black_distribution": ("random",),
    "score_on_loss": ("half",),
    "observation_type": ("cheating",),
    "history": (0,),
}


@pytest.mark.parametrize("field", WRONG_FIELDS)
def test_a_wrong_field_is_named_with_its_value(field):
    for value in WRONG_FIELDS[field]:
        with pytest.raises(ValueError, match=f"{field}.*{value}"):
            HanabiConfig(**{field: value})


@pytest.mark.parametrize("value", ["9" * 5000, f"[1, -{'9' * 5000}]"], ids=["number", "list"])
def test_a_setting_with_more_digits_than_python_reads_is_named(value):
    with pytest.raises(ValueError, match=r"^colors must have numbers of at most [\d,]+ digits, got '") as caught:
        make_config("hanabi", settings=[f"colors={value}"])
    assert len(str(caught.value)) < 300


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


A_CARD_TOO_MANY_OR_NONE = [("hand_count", 3), ("deck_count", 1), ("fireworks", 3), ("hands", NO_CARD), ("hands", 0)]


@pytest.mark.parametrize(
    ("is_over", "field", "value"),
    [(False, "turns_to_play", -1), *((over, *row) for over in (False, True) for row in A_CARD_TOO_MANY_OR_NONE)],
)
def test_a_late_state_that_cannot_be_is_refused(is_over: bool, field: str, value: int):
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
