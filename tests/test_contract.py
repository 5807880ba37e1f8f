"""What every game promises to its users, checked for every game and preset."""

import importlib
import json
import pickle
import sys
from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pettingzoo.test as pzt
import pytest
from gymnasium.utils.env_checker import check_env

from hanabako import extras

from .games import EVERY_GAME, GameUnderTest, every_config, in_mid_game, legal_action, short_name

EVERY_CONFIG = pytest.mark.parametrize(("under_test", "fields"), every_config(), ids=short_name)


def observations(env: Any) -> list[dict[str, Any]]:
    return [env.observe(agent) for agent in env.possible_agents]


def assert_same_seats(left: Any, right: Any) -> None:
    """Check that both environments give every seat the same observation and mask."""
    for mine, other in zip(observations(left), observations(right), strict=True):
        np.testing.assert_array_equal(mine["observation"], other["observation"])
        np.testing.assert_array_equal(mine["action_mask"], other["action_mask"])


def assert_same_future(left: Any, right: Any, rng: np.random.Generator, moves: int = 40) -> None:
    """Check that the same moves lead both environments through the same positions, and into the next episode."""
    for _ in range(moves):
        assert left.to_dict() == right.to_dict()
        assert left.agent_selection == right.agent_selection
        assert_same_seats(left, right)
        if all(left.terminations.values()):
            left.reset()
            right.reset()
            continue
        action = legal_action(left.observe(left.agent_selection)["action_mask"], rng)
        left.step(action)
        right.step(action)
        assert left.rewards == right.rewards
        assert left.terminations == right.terminations


# --- PettingZoo's own tests ------------------------------------------------------------------------------------------


@EVERY_CONFIG
def test_pettingzoos_own_tests_pass(under_test: GameUnderTest, fields):
    env, parallel_env = partial(under_test.env, **fields), partial(under_test.parallel_env, **fields)
    pzt.api_test(under_test.raw_env(**fields), num_cycles=60)
    pzt.api_test(env(), num_cycles=60)
    pzt.seed_test(env, num_cycles=30)
    pzt.state_test(env(), parallel_env(), num_cycles=20)
    pzt.parallel_api_test(parallel_env(), num_cycles=40)
    pzt.parallel_seed_test(parallel_env, num_cycles=20)


@EVERY_GAME
def test_human_mode_draws_after_every_reset_and_step(under_test: GameUnderTest, capsys: pytest.CaptureFixture[str]):
    env = under_test.raw_env(**under_test.short, render_mode="human")
    drawn = under_test.raw_env(**under_test.short, render_mode="ansi")
    rng = np.random.default_rng(1)
    for each in (env, drawn):
        each.reset(seed=7)
    for _ in range(2):
        assert capsys.readouterr().out == f"{drawn.render()}\n"
        action = legal_action(drawn.observe(drawn.agent_selection)["action_mask"], rng)
        env.step(action)
        drawn.step(action)


@EVERY_GAME
def test_pettingzoo_render(under_test: GameUnderTest):
    pzt.render_test(lambda **options: under_test.env(**under_test.short, **options))


# --- The AEC environment ---------------------------------------------------------------------------------------------


@EVERY_CONFIG
def test_spaces_are_the_same_objects_and_hold_every_observation(under_test: GameUnderTest, fields):
    env = under_test.raw_env(**fields)
    env.reset(seed=3)
    assert env.possible_agents == [f"player_{seat}" for seat in range(len(env.possible_agents))]
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
    rng = np.random.default_rng(3)
    for moves in (0, 1, 5, 20):
        there = in_mid_game(env, moves, rng)
        for agent in env.possible_agents:
            seen = there.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["action_mask"].dtype == np.int8
            assert seen["action_mask"].shape == (env.action_space(agent).n,)


OBSERVED = {
    "hanabi": {"history": 3, "belief": True, "derived": True},
    "ikebana": {"perfect_recall": True, "derived": True},
    "koikoi": {"history": 9},
}
"""Options that show all that can be observed of a game."""


@EVERY_GAME
def test_an_observation_lies_within_one_of_more(under_test: GameUnderTest):
    for fields in ({}, under_test.short, *under_test.more_configs):
        config = under_test.config(**fields)
        more = replace(config, **OBSERVED[under_test.name])
        layout = under_test.entry.layout
        places = layout(config).within(layout(more))
        assert len(places) < more.observation_bits
        envs = [under_test.raw_env(config=own) for own in (config, more)]
        for env in envs:
            env.reset(seed=5)
        rng = np.random.default_rng(5)
        while not all(envs[0].terminations.values()):
            own, wider = (env.observe(env.agent_selection) for env in envs)
            assert np.array_equal(wider["observation"][places], own["observation"])
            action = legal_action(own["action_mask"], rng)
            for env in envs:
                env.step(action)
        with pytest.raises(ValueError, match="is not observed in the same way"):
            layout(more).within(layout(config))


@EVERY_CONFIG
def test_only_the_player_to_move_has_a_mask_and_infos_hold_the_same(under_test: GameUnderTest, fields):
    env = under_test.raw_env(**fields)
    rng, is_over = np.random.default_rng(4), False
    env.reset(seed=4)
    while not is_over:
        is_over = all(env.terminations.values())
        for agent in env.possible_agents:
            mask = env.observe(agent)["action_mask"]
            assert mask.any() == (agent == env.agent_selection and not is_over)
            np.testing.assert_array_equal(env.infos[agent]["action_mask"], mask)
        if not is_over:
            env.step(legal_action(env.observe(env.agent_selection)["action_mask"], rng))


@EVERY_CONFIG
def test_ends_are_python_bools_and_rewards_numbers(under_test: GameUnderTest, fields):
    env = under_test.raw_env(**fields)
    rng = np.random.default_rng(5)
    env.reset(seed=5)
    while env.agents:
        for agent in env.agents:
            assert type(env.terminations[agent]) is bool
            assert type(env.truncations[agent]) is bool
            assert isinstance(env.rewards[agent], (int, float)) and not isinstance(env.rewards[agent], bool)
        _, _, terminated, truncated, _ = env.last()
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(None if terminated or truncated else legal_action(mask, rng))


@EVERY_CONFIG
def test_observations_are_not_overwritten_later(under_test: GameUnderTest, fields):
    env = under_test.raw_env(**fields)
    env.reset(seed=6)
    kept = observations(env)
    before = pickle.dumps(kept)
    rng = np.random.default_rng(6)
    for _ in range(3):
        env = in_mid_game(env, 1, rng)
        observations(env)
    env.step(legal_action(env.observe(env.agent_selection)["action_mask"], rng))
    env.reset(seed=7)
    assert pickle.dumps(kept) == before


@EVERY_CONFIG
@pytest.mark.parametrize("moves", [*(pytest.param(moves, marks=pytest.mark.slow) for moves in (0, 7)), 25])
def test_copies_and_pickles_live_the_same_future(under_test: GameUnderTest, fields, moves, full: bool):
    env = under_test.raw_env(**fields)
    env.reset(seed=8, options={"game_index": 3})
    rng = np.random.default_rng(8)
    env = in_mid_game(env, moves, rng)
    twins = [env.copy(), pickle.loads(pickle.dumps(env))]
    for number, twin in enumerate(twins):
        assert_same_future(env.copy(), twin, np.random.default_rng(number), moves=60 if full else 20)


@EVERY_CONFIG
def test_a_copy_is_independent(under_test: GameUnderTest, fields):
    env = under_test.raw_env(**fields)
    env.reset(seed=9)
    before, seen = env.to_dict(), pickle.dumps(observations(env))
    in_mid_game(env.copy(), 10, np.random.default_rng(9))
    other = env.copy()
    other.reset(seed=10)
    assert env.to_dict() == before
    assert pickle.dumps(observations(env)) == seen


@EVERY_CONFIG
def test_wrapped_environments_pickle(under_test: GameUnderTest, fields):
    env = pickle.loads(pickle.dumps(under_test.env(**fields)))
    env.reset(seed=11)
    assert env.agents == env.possible_agents


@EVERY_CONFIG
@pytest.mark.parametrize("moves", [*(pytest.param(moves, marks=pytest.mark.slow) for moves in (0, 3, 12)), 60])
def test_a_position_survives_json(under_test: GameUnderTest, fields, moves):
    env = under_test.raw_env(**fields)
    env.reset(seed=12)
    env = in_mid_game(env, moves, np.random.default_rng(moves))
    position = env.to_dict()
    assert json.loads(json.dumps(position)) == position
    again = under_test.raw_env(**fields)
    again.reset(seed=99, options={"state": json.loads(json.dumps(position))})
    assert again.to_dict() == position
    assert again.agent_selection == env.agent_selection
    rng = np.random.default_rng(moves)
    while not all(env.terminations.values()):
        assert_same_seats(env, again)
        action = legal_action(env.observe(env.agent_selection)["action_mask"], rng)
        env.step(action)
        again.step(action)
        assert (env.to_dict(), env.rewards) == (again.to_dict(), again.rewards)


@EVERY_CONFIG
def test_given_positions_do_not_disturb_the_stream(under_test: GameUnderTest, fields, full: bool):
    """After a game from a given position, the stream continues with the games that it would have dealt anyway."""
    usual, given = under_test.raw_env(**fields), under_test.raw_env(**fields)
    usual.reset(seed=13, options={"game_index": 2})
    position = in_mid_game(usual, 5, np.random.default_rng(13)).to_dict()
    given.reset(seed=13, options={"game_index": 2, "state": position})
    assert given.to_dict() == position
    same = in_mid_game(usual, 5, np.random.default_rng(13))
    assert_same_future(same, given, np.random.default_rng(1), moves=80 if full else 50)


@EVERY_CONFIG
def test_seed_game_index_and_episode_name_a_game(under_test: GameUnderTest, fields):
    env = under_test.raw_env(**fields)

    def deal(**reset: Any) -> dict[str, Any]:
        env.reset(**reset)
        return env.to_dict()

    first = deal(seed=15, options={"game_index": 0})
    second_episode = deal()
    assert first == deal(seed=15)
    assert second_episode == deal()
    others = [deal(seed=16), deal(seed=15, options={"game_index": 1}), second_episode]
    assert all(other != first for other in others)
    index_1 = deal(seed=15, options={"game_index": 1})
    deal()
    assert index_1 == deal(seed=15, options={"game_index": 1})


@EVERY_CONFIG
def test_every_action_has_a_word_and_other_words_are_refused(under_test: GameUnderTest, fields):
    env = under_test.raw_env(**fields).unwrapped
    env.reset(seed=18)
    actions = range(env.action_space("player_0").n)
    words = [env.action_to_str(action) for action in actions]
    assert len(set(words)) == len(words)
    assert [env.str_to_action(word) for word in words] == list(actions)
    assert all(type(env.str_to_action(word)) is int for word in words)
    for text in ("", "pass", "play", "play 99", "hint 0 R", "hint 1 Z", "play 0 0", "7", "Buy 1"):
        with pytest.raises(ValueError, match=repr(text)):
            env.str_to_action(text)


@EVERY_CONFIG
def test_raw_refuses_illegal_actions_and_stays_playable(under_test: GameUnderTest, fields):
    env = under_test.raw_env(**fields)
    env.reset(seed=21)
    rng = np.random.default_rng(21)
    for _ in range(10):
        mask = env.observe(env.agent_selection)["action_mask"]
        before = env.to_dict()
        for action in np.flatnonzero(mask == 0):
            with pytest.raises(ValueError, match="legal"):
                env.step(int(action))
        assert env.to_dict() == before
        env = in_mid_game(env, 1, rng)


@EVERY_CONFIG
def test_an_illegal_action_ends_a_wrapped_game_at_the_offenders_cost(under_test: GameUnderTest, fields):
    env = under_test.env(**fields)
    env.reset(seed=22)
    rng = np.random.default_rng(22)
    while env.observe(env.agent_selection)["action_mask"].all():
        env.step(legal_action(env.observe(env.agent_selection)["action_mask"], rng))
    offender = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(offender)["action_mask"] == 0)[0]))
    assert all(env.terminations.values())
    assert env.rewards == {agent: -1 if agent == offender else 0 for agent in env.possible_agents}


# --- Construction ----------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_every_factory_takes_a_config_a_preset_or_fields(under_test: GameUnderTest):
    config = under_test.config(**under_test.short)
    for factory in (under_test.raw_env, under_test.env, under_test.parallel_env):
        by_config, by_fields = factory(config=config), factory(**under_test.short)
        assert by_config.observation_space("player_0") == by_fields.observation_space("player_0")
        wider = factory(**{**under_test.short, **under_test.wider})
        assert wider.observation_space("player_0") != by_fields.observation_space("player_0")
        players = under_test.config(**{**under_test.short, **under_test.wider}).players
        assert len(wider.possible_agents) == players


# --- Registration ----------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_without_the_packages_for_pixels_every_render_mode_works(
    under_test: GameUnderTest, monkeypatch: pytest.MonkeyPatch
):
    """`rgb_array` is declared only where it can be drawn, so checkers draw in all modes that are declared."""
    monkeypatch.setattr(extras, "can_draw_pixels", lambda: False)
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    seat = gymnasium.make(under_test.seat_id, **under_test.short)
    check_env(seat.unwrapped)
    pzt.render_test(lambda **options: under_test.env(**under_test.short, **options))
    for env in (seat, under_test.env(**under_test.short), under_test.vector(2)):
        assert "ansi" in env.metadata["render_modes"] and "rgb_array" not in env.metadata["render_modes"]
    env = under_test.raw_env(**under_test.short, render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(ImportError, match="drawing pixels needs resvg_py: pip install"):
        env.render()


@EVERY_GAME
@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
def test_pettingzoo_makes_the_environment(under_test: GameUnderTest):
    importlib.import_module(under_test.package)
    env = pettingzoo.make("aec", under_test.gymnasium_id, **under_test.short)
    env.reset(seed=1)
    assert env.agents == env.possible_agents
