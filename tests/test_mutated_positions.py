"""Mutated positions are refused with a message and no change, or can be played to the end without an overflow."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabako.games import game_of, games
from hanabi_env.engine.bounds import most_steps
from hanafuda_env.engine.actions import KOIKOI
from hanafuda_env.engine.limits import most_base, most_points, most_score
from ikebana_env.engine.actions import REFUSE
from tests.games import GAMES
from tests.mutations import THINGS, mutated, positions_of

RICH = {
    "rounds": 3,
    "points": (100,) * 12,
    "extra": (100,) * 12,
    "lucky_points": 1000,
    "red_and_blue_bonus": 1000,
    "start_score": 1000,
    "opponent_koi_factor": 10,
    "seven_factor": 10,
    "loser_pays": True,
    "gaji": True,
    "reward": "points",
}
"""The largest numbers that a configuration of Koi-Koi allows."""
CONFIGS: dict[str, list[dict[str, Any]]] = {
    "hanabi": [{"players": 3, "history": 3}, {"preset": "all_extensions"}],
    "ikebana": [{}, {"players": 5, "rounds": 2, "final_bouquet": True, "perfect_recall": True}],
    "koikoi": [{"rounds": 2}, RICH, {"rounds": 2, "koikoi_limit": 1, "history": 3}],
}
ENVS = {f"{game.name}-{n}": game.raw_env(**some) for game in GAMES for n, some in enumerate(CONFIGS[game.name])}
LONG = {"ikebana": REFUSE, "koikoi": KOIKOI}
"""The action that makes the numbers of a game grow."""


def is_taken(env: Any, state: dict[str, Any]) -> bool:
    """Return whether a reset accepts the position.

    If not, the error must be a ``ValueError`` of one line that names a key, and nothing may have changed.
    """
    env.reset(seed=3)
    keys = (*env.to_dict(), "position")
    before = env._tables.tobytes()
    try:
        env.reset(seed=5, options={"state": state})
    except ValueError as error:
        words = str(error)
    else:
        return True
    assert any(key in words for key in keys) and "\n" not in words, words
    assert env._tables.tobytes() == before
    return False


def assert_adds_up(game: str, rules: Any, begun: dict[str, Any], end: dict[str, Any]) -> None:
    """Check a position at the end of a game against sums in Python's ints."""
    if game == "ikebana":
        assert sum(end["prestige"]) == 6 * rules.players + sum(map(sum, end["gains"]))
        assert min(end["prestige"]) >= 0
        assert end["round"] > begun["round"] or end["reshuffles"] >= begun["reshuffles"]
    elif game == "koikoi":
        scores = list(begun["scores"])
        for result in end["round_results"][len(begun["round_results"]) :]:
            assert 0 <= result["points"] <= most_points(rules)
            if result["winner"] is not None:
                scores[result["winner"]] += result["points"]
                scores[1 - result["winner"]] -= result["points"] * rules.loser_pays
        assert end["scores"] == scores
    else:
        assert end["end_reason"] is not None


@pytest.mark.parametrize("name", ENVS)
@settings(max_examples=4 * settings().max_examples)
@given(data=st.data())
def test_a_mutated_position_is_refused_or_played_on_without_an_overflow(name: str, data: st.DataObject):
    env, rng = ENVS[name], random.Random(1)
    state = data.draw(st.sampled_from(positions_of(env)))
    if not is_taken(env, mutated(state, data.draw(st.randoms()), THINGS)):
        return
    game, begun, steps = game_of(env.config).name, env.to_dict(), 0
    while not all(env.terminations.values()):
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        env.step(LONG[game] if LONG.get(game) in legal else rng.choice(legal))
        steps += 1
    assert env.to_dict()["length"] == begun["length"] + steps
    assert_adds_up(game, env.config.rules(), begun, env.to_dict())


@pytest.mark.parametrize("name", ENVS)
def test_numpys_numbers_are_numbers_in_positions(name: str):
    env = ENVS[name]
    for state in positions_of(env):
        env.reset(options={"state": {key: numpys(value) for key, value in state.items()}})
        assert env.to_dict() == state


def numpys(value: Any) -> Any:
    """Return the value with its integers as NumPy's."""
    if isinstance(value, list):
        return [numpys(element) for element in value]
    return np.array(value)[()] if type(value) is int else value


@pytest.mark.parametrize("name", ["hanabi-0", "hanabi-1"])
def test_the_longest_games_are_not_too_long_for_a_position(name: str):
    """Games of players who hint if they may, and else discard, stay below the limit of steps in a position."""
    env = ENVS[name]
    for seed in range(10):
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            legal = np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist()
            words = {env.action_to_str(action): action for action in legal}
            quiet = sorted(words, key=lambda word: ("hint", "disc", "shuf", "choo", "play").index(word[:4]))
            env.step(words[quiet[0]])
        assert env.to_dict()["length"] < most_steps(env.config.rules())


@pytest.mark.parametrize("fields", [*({"preset": name} for name in games()["koikoi"].presets), {**RICH, "rounds": 100}])
def test_no_game_of_koikoi_overflows_its_record(fields: dict[str, Any]):
    """The bounds of positions fit their fields, and so does twice the largest score: the rest may add as much."""
    rules = games()["koikoi"].make_config(**fields).rules()
    assert most_base(rules) < 2**15
    assert rules.start_score < most_score(rules) < 2**30
    assert most_points(rules) < 2**31
