"""Every agent gets the observation that it declares, and sits down only where its rules are played."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.datasets import record
from hanabako.agents.networks import kinds
from hanabako.agents.networks.neural_policy import NeuralPolicy
from hanabako.agents.people.session import Session
from hanabako.agents.playing.policy import as_policy
from hanabako.agents.playing.seating import OneTable
from hanabako.agents.registry import searcher
from hanabako.agents.search.hanabi.policy import SearchPolicy
from hanabako.engine.sections import words_for
from hanabako.games import game_of
from hanabi_env import PRESETS

NETWORKS = {"hanabi": "hanabi-mini-2p", "ikebana": "ikebana-standard-2p", "koikoi": "koikoi-document-2p"}
OTHER_RULES = {"hanabi": {"ranks": 4}, "ikebana": {"final_bouquet": True}, "koikoi": {"gaji": True}}
SHOWN: dict[str, dict[str, Any]] = {
    "hanabi": {"derived": True, "belief": True, "history": 4},
    "ikebana": {"derived": True, "perfect_recall": True},
    "koikoi": {"history": 3},
}
"""What the players of a game may be shown otherwise."""


def at_one_table(config: Any, policy: Any) -> Any:
    env = game_of(config).make_aec(config=config)
    env.reset(seed=3)
    table = OneTable(env, [policy, policy], seed=3)
    while not all(env.terminations.values()):
        env.step(table.action())
        table.observe()
    return env.unwrapped.tables["score"]


def beside_a_seat(config: Any, policy: Any) -> Any:
    env = game_of(config).make_seat(config=config, partners=policy)
    env.reset(seed=3)
    total, over = 0.0, False
    while not over:
        _, reward, over, *_ = env.step(int(np.flatnonzero(env.unwrapped.action_masks())[0]))
        total += reward
    return total


def beside_many_seats(config: Any, policy: Any) -> Any:
    envs = game_of(config).make_vector_seat(8, config=config, partners=policy)
    seen, _ = envs.reset(seed=3)
    rewards = []
    for _ in range(40):
        seen, reward, *_ = envs.step(seen["action_mask"].argmax(1))
        rewards.append(reward)
    return np.array(rewards)


def in_a_search(config: Any, policy: Any) -> Any:
    search = searcher(game_of(config).name)(policy, config, rollouts=8)
    return play(config, [search, policy], 1, seed=3).score


def on_the_page(config: Any, policy: Any) -> Any:
    session = Session(config, [policy, policy], seed=3)
    list(session.go_on())
    return session.record.actions


def recorded(config: Any, policy: Any, path: Path) -> Any:
    return record(path / "games.npz", config, policy, games=2, seed=3).one(0).actions.tolist()


DOORS: dict[str, Callable[..., Any]] = {
    "agents.play": lambda config, policy: agents.play(config, policy, 4, seed=3).score,
    "OneTable": at_one_table,
    "a seat": beside_a_seat,
    "vector seats": beside_many_seats,
    "a search": in_a_search,
    "a dataset": recorded,
    "the web page": on_the_page,
}


@pytest.mark.parametrize("game", NETWORKS)
@pytest.mark.parametrize("door", DOORS)
def test_a_network_plays_alike_whatever_is_shown_and_nowhere_by_other_rules(game: str, door: str, tmp_path: Path):
    policy: Any = agents.load(NETWORKS[game])
    config = replace(policy.config, **({"rounds": 1} if game == "koikoi" else {}))
    more = {"path": tmp_path} if door == "a dataset" else {}
    with pytest.raises(ValueError, match="rules"):
        DOORS[door](replace(config, **OTHER_RULES[game]), policy, **more)
    own, wider = (DOORS[door](shown, policy, **more) for shown in (config, replace(config, **SHOWN[game])))
    np.testing.assert_array_equal(own, wider)


class Watching:
    """It notes what it is given, and plays the first legal action."""

    def __init__(self, **declared: Any) -> None:
        self.seen: set[tuple[str, int]] = set()
        vars(self).update(declared)

    def act(self, observation: np.ndarray, mask: np.ndarray, noise: np.ndarray) -> np.ndarray:
        self.seen.add((str(observation.dtype), observation.shape[1]))
        return mask.argmax(1)


MINI = PRESETS["mini"]
LONG, FLAGS = replace(MINI, history=4), replace(MINI, derived=True)
NO_HINTS = replace(MINI, observation_type="minimal")
DECLARED: dict[str, tuple[dict[str, Any], tuple[str, int]]] = {
    "nothing": ({}, ("int8", MINI.observation_bits)),
    "a form": ({"observation": "float32"}, ("float32", MINI.observation_bits)),
    "flags": ({"config": FLAGS, "observation": "packed"}, ("uint64", words_for(FLAGS.observation_bits))),
    "no hints": ({"config": NO_HINTS}, ("int8", NO_HINTS.observation_bits)),
    "more steps": ({"config": LONG}, ("int8", LONG.observation_bits)),
}


def long_sighted() -> NeuralPolicy:
    return NeuralPolicy(kinds.NETWORKS[kinds.usual_kind(LONG)](LONG, width=8, layers=1), LONG, "long")


@pytest.mark.parametrize("name", DECLARED)
def test_a_user_s_policy_is_given_what_it_declares_whoever_sits_beside_it(name: str):
    declared, expected = DECLARED[name]
    for other in (agents.load("hanabi-mini-2p"), long_sighted(), agents.load("smart", MINI)):
        watching = Watching(**declared)
        play(MINI, [watching, other], 8, seed=1)
        assert watching.seen == {expected}
    watching = Watching(**declared)
    table = MINI if name != "more steps" else LONG
    envs = gymnasium.make_vec("hanabako:hanabako/HanabiSeat-v0", 8, config=table, partners=watching)
    seen, _ = envs.reset(seed=1)
    for _ in range(6):
        seen, *_ = envs.step(seen["action_mask"].argmax(1))
    assert watching.seen == {expected}


def test_a_searched_policy_is_given_what_its_game_shows():
    watching = Watching()
    play(MINI, [SearchPolicy(as_policy(watching), MINI, rollouts=20), long_sighted()], 1, seed=1)
    assert watching.seen == {("int8", MINI.observation_bits)}


def test_a_table_that_keeps_too_few_steps_is_refused():
    with pytest.raises(ValueError, match="observation with history=4, and the tables keep 1: the rules are the same"):
        at_one_table(MINI, long_sighted())


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="observation of Watching must be one of int8, float32, packed, got 'bits'"):
        play(MINI, Watching(observation="bits"), 1, seed=1)
