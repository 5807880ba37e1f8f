"""What every vector environment promises: it plays the same games as single environments, for any batch size."""

import pickle
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numba.core.event import install_recorder

from .games import EVERY_GAME, GAMES, GameUnderTest, in_mid_game, legal_action, legal_actions, short_name
from .interpreted import bits_of

ONE_FOR_ALL = pytest.mark.parametrize(
    "under_test", [GAMES[0], *(pytest.param(game, marks=pytest.mark.slow) for game in GAMES[1:])], ids=short_name
)
"""Loops that are the same for all games; each game must compile them."""
MODES = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)


def copied(value: Any) -> Any:
    """Return a deep copy that later steps cannot change."""
    return pickle.loads(pickle.dumps(value))


def roll(envs: Any, steps: int, seed: int = 0) -> list[Any]:
    """Play random legal steps and return copies of all results."""
    return [copied(result) for result in results_of(envs, steps, seed)]


def results_of(envs: Any, steps: int, seed: int = 0) -> Iterator[Any]:
    """Play random legal steps and yield what `reset` and each `step` return."""
    rng = np.random.default_rng(seed)
    result = envs.reset(seed=seed)
    yield result
    for _ in range(steps):
        result = envs.step(legal_actions(result[0]["action_mask"], rng))
        yield result


def layouts(actions: np.ndarray) -> list[np.ndarray]:
    """Return the same actions as a plain array, read-only, with a stride of two, and with a negative stride."""
    read_only = actions.copy()
    read_only.flags.writeable = False
    return [actions, read_only, np.repeat(actions, 2)[::2], actions[::-1].copy()[::-1]]


def assert_same(left: Any, right: Any) -> None:
    """Check that nested dicts, tuples and arrays are equal, including dtypes.

    In an info, only the rows that its mask marks count.
    """
    assert type(left) is type(right)
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            mask = left.get(f"_{key}", ...)
            assert_same(rows(left[key], mask), rows(right[key], mask))
    elif isinstance(left, (tuple, list)):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same(one, other)
    elif isinstance(left, np.ndarray):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    else:
        assert left == right


def rows(value: Any, mask: Any) -> Any:
    """Return the rows chosen by a mask, of an array or of every array in a dict."""
    if isinstance(value, dict):
        return value if mask is ... else {key: array[mask] for key, array in value.items()}
    return value[mask] if isinstance(value, np.ndarray) else value


# --- The same games --------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_a_vector_of_n_is_n_single_games(under_test: GameUnderTest):
    fields: dict[str, Any] = {**under_test.short, **under_test.wider}
    games = 5
    envs = under_test.vector(games, fields)
    singles = [under_test.raw_env(**fields) for _ in range(games)]
    for index, single in enumerate(singles):
        single.reset(seed=42, options={"game_index": index})
    observation, infos = envs.reset(seed=42)
    rng = np.random.default_rng(42)
    episodes = 0
    for _ in range(120):
        for index, single in enumerate(singles):
            seen = single.observe(single.agent_selection)
            np.testing.assert_array_equal(observation["observation"][index], seen["observation"])
            np.testing.assert_array_equal(observation["action_mask"][index], seen["action_mask"])
            assert single.possible_agents[infos["current_player"][index]] == single.agent_selection
            assert envs.to_dict(index) == single.to_dict()
        actions = legal_actions(observation["action_mask"], rng)
        observation, rewards, terminations, truncations, infos = envs.step(actions)
        assert not truncations.any()
        for index, single in enumerate(singles):
            actor = single.agent_selection
            single.step(int(actions[index]))
            assert rewards[index] == single.rewards[actor]
            assert infos["rewards"][index].tolist() == [single.rewards[agent] for agent in single.possible_agents]
            assert terminations[index] == all(single.terminations.values())
            if terminations[index]:
                episodes += 1
                assert infos["_final_obs"][index] and infos["_score"][index]
                assert infos["score"][index] == single.infos["player_0"]["score"]
                final = infos["final_obs"]["observation"][index].tolist()
                assert final in [single.observe(agent)["observation"].tolist() for agent in single.possible_agents]
                assert not infos["final_obs"]["action_mask"][index].any()
                single.reset()
    assert episodes > games, "the test must see second episodes"


@pytest.mark.slow
@EVERY_GAME
@MODES
def test_one_thread_and_two_are_the_same(under_test: GameUnderTest, mode):
    one = roll(under_test.vector(600, num_threads=1, autoreset_mode=mode), 12)
    two = roll(under_test.vector(600, num_threads=2, autoreset_mode=mode), 12)
    assert_same(one, two)


@EVERY_GAME
def test_seeds_make_games(under_test: GameUnderTest):
    envs = under_test.vector(6)
    assert_same(under_test.vector(6, seed=5).reset()[0], envs.reset(seed=5)[0])
    assert_same(roll(envs, 20, seed=5), roll(envs, 20, seed=5))
    first, other = roll(envs, 1, seed=5)[1], roll(envs, 1, seed=6)[1]  # some games show no card before the first step
    assert (first[0]["observation"] != other[0]["observation"]).any()
    assert len({row.tobytes() for row in first[0]["observation"]}) > 1, "games of one batch differ"


@EVERY_GAME
def test_games_begin_from_positions(under_test: GameUnderTest):
    """One position starts all tables, or one position each starts some tables; a wrong one changes nothing."""
    envs = under_test.vector(3)
    envs.reset(seed=9)
    rng = np.random.default_rng(9)
    single = under_test.raw_env(**under_test.short)
    single.reset(seed=10)
    position = in_mid_game(single, 3, rng).to_dict()
    envs.reset(options={"state": position})
    assert [envs.to_dict(game) for game in range(3)] == [position] * 3
    envs.reset(seed=9, options={"state": {1: position}})
    others = under_test.vector(3)
    others.reset(seed=9)
    assert envs.to_dict(1) == position
    assert [envs.to_dict(0), envs.to_dict(2)] == [others.to_dict(0), others.to_dict(2)]
    before = [envs.to_dict(game) for game in range(3)]
    with pytest.raises(ValueError, match="current_player"):
        envs.reset(seed=11, options={"state": {0: position, 2: {**position, "current_player": 99}}})
    assert [envs.to_dict(game) for game in range(3)] == before


@EVERY_GAME
def test_a_first_reset_that_is_refused_leaves_no_games(under_test: GameUnderTest):
    envs = under_test.vector(3)
    with pytest.raises(ValueError, match="lacks"):
        envs.reset(seed=9, options={"state": {"current_player": 0}})
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(3, np.int64))


@EVERY_GAME
def test_a_game_index_shifts_the_whole_batch(under_test: GameUnderTest):
    """Workers that each play a part of the games see the games of one large batch."""
    whole, part = under_test.vector(10), under_test.vector(4)
    whole.reset(seed=12)
    for seed, first in ((12, 6), (None, 2)):  # without a seed, it is the last one
        part.reset(seed=seed, options={"game_index": first})
        assert [part.to_dict(game) for game in range(4)] == [whole.to_dict(first + game) for game in range(4)]


@EVERY_GAME
def test_the_first_reset_begins_all_games_whatever_its_mask(under_test: GameUnderTest):
    whole, part = under_test.vector(3), under_test.vector(3)
    whole.reset(seed=77)
    part.reset(seed=77, options={"reset_mask": np.array([True, False, False])})
    assert [part.to_dict(game) for game in range(3)] == [whole.to_dict(game) for game in range(3)]
    part.reset(options={"reset_mask": np.array([False, True, True])})
    assert part.to_dict(0) == whole.to_dict(0) and part.to_dict(1) != part.to_dict(2)


@EVERY_GAME
@pytest.mark.parametrize("given", [False, True])
def test_a_given_state_leaves_the_other_games_returns_alone(under_test: GameUnderTest, given: bool):
    """The returns at a game's end are the sum of its rewards, though another table was reset to a state meanwhile."""
    envs = under_test.vector(2, autoreset_mode=AutoresetMode.DISABLED)
    rng, total = np.random.default_rng(5), 0.0
    observation, infos = envs.reset(seed=5)
    for turn in range(10_000):
        player = infos["current_player"][1]
        if turn and turn % 3 == 0:
            options = {"reset_mask": np.array([True, False])} | ({"state": {0: envs.to_dict(0)}} if given else {})
            observation, _ = envs.reset(options=options)
        observation, _, ends, _, infos = envs.step(legal_actions(observation["action_mask"], rng))
        total += infos["rewards"][1]
        if ends[1]:
            break
    assert player >= 0 and np.allclose(infos["returns"][1], total)


# --- Shapes, types, formats ------------------------------------------------------------------------------------------


@EVERY_GAME
@pytest.mark.parametrize("format_", ["int8", "packed", pytest.param("float32", marks=pytest.mark.slow)])
def test_spaces_hold_what_comes(under_test: GameUnderTest, format_):
    envs = under_test.vector(4, observation=format_)
    rng = np.random.default_rng(9)
    observation, infos = envs.reset(seed=9)
    dtype = {"int8": np.int8, "packed": np.uint64, "float32": np.float32}[format_]
    for _ in range(40):
        assert envs.observation_space.contains(observation)
        assert observation["observation"].dtype == dtype
        assert observation["action_mask"].dtype == np.int8
        actions = legal_actions(observation["action_mask"], rng)
        assert envs.action_space.contains(actions)
        observation, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards.shape == terminations.shape == truncations.shape == infos["current_player"].shape == (4,)
        assert terminations.dtype == truncations.dtype == bool
        assert infos["rewards"].shape[0] == 4


@ONE_FOR_ALL
def test_observation_formats_hold_the_same_bits(under_test: GameUnderTest):
    traces = {name: roll(under_test.vector(5, observation=name), 40) for name in ("int8", "packed", "float32")}
    bits = under_test.vector(1).single_observation_space["observation"].shape[0]
    for int8, packed, float32 in zip(traces["int8"], traces["packed"], traces["float32"], strict=True):
        np.testing.assert_array_equal(int8[0]["observation"], bits_of(packed[0]["observation"], bits))
        np.testing.assert_array_equal(int8[0]["observation"], float32[0]["observation"])
        assert_same(int8[0]["action_mask"], packed[0]["action_mask"])
        if "final_obs" in int8[-1]:
            ended = int8[-1]["_final_obs"]
            finals = [trace[-1]["final_obs"]["observation"][ended] for trace in (int8, packed, float32)]
            np.testing.assert_array_equal(finals[0], bits_of(finals[1], bits))
            np.testing.assert_array_equal(finals[0], finals[2])


@EVERY_GAME
@pytest.mark.parametrize("format_", ["int8", "packed"])
def test_observe_all_is_every_seats_view(under_test: GameUnderTest, format_):
    fields = {**under_test.short, **under_test.wider}
    players = under_test.config(**fields).players
    envs = under_test.vector(4, fields, observation=format_)
    rng = np.random.default_rng(10)
    observation, infos = envs.reset(seed=10)
    for _ in range(25):
        everybody = envs.observe_all()
        assert everybody["observation"].shape == (4, players, observation["observation"].shape[1])
        every, current = np.arange(4), infos["current_player"]
        assert_same(everybody["observation"][every, current], observation["observation"])
        assert_same(everybody["action_mask"][every, current], observation["action_mask"])
        others = np.ones((4, players), bool)
        others[every, current] = False
        assert not everybody["action_mask"][others].any()
        observation, _, _, _, infos = envs.step(legal_actions(observation["action_mask"], rng))
    single = under_test.raw_env(**fields)
    single.reset(seed=10, options={"game_index": 1})
    envs.reset(seed=10)
    everybody = under_test.vector(4, fields)
    everybody.reset(seed=10)
    for seat, agent in enumerate(single.possible_agents):
        np.testing.assert_array_equal(
            everybody.observe_all()["observation"][1, seat], single.observe(agent)["observation"]
        )


@EVERY_GAME
def test_copy_false_reuses_data(under_test: GameUnderTest):
    envs = under_test.vector(3, copy=False)
    first, _ = envs.reset(seed=11)
    later = envs.step(legal_actions(first["action_mask"], np.random.default_rng(11)))[0]
    assert first["observation"] is later["observation"] or np.shares_memory(first["observation"], later["observation"])


@EVERY_GAME
def test_everything_returned_is_kept_with_copy_true(under_test: GameUnderTest):
    envs = under_test.vector(8)
    rng = np.random.default_rng(12)
    observation, infos = envs.reset(seed=12)
    kept, before = [(observation, infos)], [copied((observation, infos))]
    for _ in range(40):
        result = envs.step(legal_actions(observation["action_mask"], rng))
        observation = result[0]
        kept.append(result)
        before.append(copied(result))
    envs.observe_all()
    assert_same(kept, before)


@EVERY_GAME
def test_final_masks_are_the_callers_own_with_copy_true(under_test: GameUnderTest):
    ends = [result[-1] for result in results_of(under_test.vector(6), 60) if "final_obs" in result[-1]]
    ends[0]["final_obs"]["action_mask"][:] = 1
    assert len(ends) > 1 and not any(infos["final_obs"]["action_mask"].any() for infos in ends[1:])


@EVERY_GAME
def test_actions_of_any_layout_are_the_same_and_compile_nothing(under_test: GameUnderTest):
    envs = under_test.vector(8)
    mask = roll(envs, 1)[0][0]["action_mask"]  # a step compiles all that is not compiled yet
    results = []
    with install_recorder("numba:compile") as compiled:
        for actions in layouts(legal_actions(mask, np.random.default_rng(13))):
            envs.reset(seed=0)
            results.append(envs.step(actions))
    assert not compiled.buffer
    for result in results[1:]:
        assert_same(results[0], result)


# --- Ends ------------------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_same_step_brings_the_end_and_the_next_game_at_once(under_test: GameUnderTest):
    envs = under_test.vector(6, autoreset_mode=AutoresetMode.SAME_STEP)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    ends = 0
    steps = np.zeros(6, int)
    for _, _, terminations, _, infos in roll(envs, 80)[1:]:
        steps += 1
        if not terminations.any():
            assert "final_obs" not in infos and "score" not in infos
            continue
        ends += int(terminations.sum())
        np.testing.assert_array_equal(infos["_final_obs"], terminations)
        for name in ("score", "length"):
            np.testing.assert_array_equal(infos[f"_{name}"], terminations)
            assert infos[name].shape == (6,)
        np.testing.assert_array_equal(infos["length"][terminations], steps[terminations])
        steps[terminations] = 0
        final = infos["final_obs"]
        assert final["observation"].shape[0] == final["action_mask"].shape[0] == 6
        assert not final["action_mask"][terminations].any()
    assert ends > 6


@EVERY_GAME
def test_next_step_spends_a_step_on_the_reset(under_test: GameUnderTest):
    envs = under_test.vector(6, autoreset_mode=AutoresetMode.NEXT_STEP)
    ended = np.zeros(6, bool)
    for observation, rewards, terminations, _, infos in roll(envs, 80)[1:]:
        assert not (terminations & ended).any(), "the step after an end is the reset"
        assert not rewards[ended].any() and not infos["rewards"][ended].any()
        assert observation["action_mask"][ended].any(axis=1).all()
        assert not observation["action_mask"][terminations].any()
        assert ("score" in infos) == terminations.any()
        ended = terminations


@EVERY_GAME
def test_next_step_plays_the_same_games_as_same_step(under_test: GameUnderTest):
    same = under_test.vector(1, autoreset_mode=AutoresetMode.SAME_STEP)
    later = under_test.vector(1, autoreset_mode=AutoresetMode.NEXT_STEP)
    rng = np.random.default_rng(13)
    observation, _ = same.reset(seed=13)
    later.reset(seed=13)
    for _ in range(80):
        actions = legal_actions(observation["action_mask"], rng)
        observation, rewards, ends, _, _ = same.step(actions)
        late, late_rewards, late_ends, _, _ = later.step(actions)
        assert_same((rewards, ends), (late_rewards, late_ends))
        if ends[0]:
            late = later.step(actions)[0]
        assert_same(observation, late)


@EVERY_GAME
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_a_given_position_of_a_finished_game_is_followed_by_the_next_game(under_test: GameUnderTest, mode):
    envs = under_test.vector(2, autoreset_mode=AutoresetMode.DISABLED)
    rng = np.random.default_rng(14)
    observation, _ = envs.reset(seed=14)
    terminations = np.zeros(2, bool)
    while not terminations[0]:
        observation, _, terminations, *_ = envs.step(legal_actions(observation["action_mask"], rng))
    later = under_test.vector(2, autoreset_mode=mode)
    observation, _ = later.reset(seed=3, options={"state": {0: envs.to_dict(0)}})
    assert not observation["action_mask"][0].any()
    observation, _, terminations, _, infos = later.step(legal_actions(observation["action_mask"], rng))
    assert not terminations[0] and not infos["rewards"][0].any() and "final_obs" not in infos
    fresh = under_test.vector(1)
    fresh.reset(seed=3)
    expected, _ = fresh.reset()
    np.testing.assert_array_equal(observation["observation"][0], expected["observation"][0])
    np.testing.assert_array_equal(observation["action_mask"][0], expected["action_mask"][0])


@EVERY_GAME
def test_disabled_waits_for_a_reset_mask(under_test: GameUnderTest):
    envs = under_test.vector(6, autoreset_mode=AutoresetMode.DISABLED)
    rng = np.random.default_rng(14)
    observation, _ = envs.reset(seed=14)
    ends = 0
    for _ in range(80):
        observation, _, terminations, _, _ = envs.step(legal_actions(observation["action_mask"], rng))
        if not terminations.any():
            continue
        ends += 1
        assert not observation["action_mask"][terminations].any()
        before = [envs.to_dict(game) for game in np.flatnonzero(terminations)]
        observation, rewards, others, *_ = envs.step(legal_actions(observation["action_mask"], rng))
        assert [envs.to_dict(game) for game in np.flatnonzero(terminations)] == before
        assert not rewards[terminations].any(), "an ended game stays as it is"
        terminations |= others
        running = [envs.to_dict(game) for game in range(6)]
        observation, infos = envs.reset(options={"reset_mask": terminations})
        for game in range(6):
            assert (envs.to_dict(game) == running[game]) != terminations[game]
        assert observation["action_mask"].any(axis=1).all()
        assert infos["current_player"].shape == (6,)
    assert ends > 3


@EVERY_GAME
@pytest.mark.parametrize("mask", [[True, False], np.ones(4, np.int8), np.ones((4, 1), bool), "all", 1])
def test_a_wrong_reset_mask_is_named(under_test: GameUnderTest, mask):
    envs = under_test.vector(4, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=16)
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})


# --- Illegal actions -------------------------------------------------------------------------------------------------


@EVERY_GAME
@pytest.mark.parametrize("illegal", [-1, 10**6, None], ids=["below", "above", "masked"])
def test_an_illegal_action_ends_that_game_only(under_test: GameUnderTest, illegal):
    games, offenders = 300, np.arange(0, 300, 7)
    good, bad = under_test.vector(games, {}), under_test.vector(games, {})
    rng = np.random.default_rng(17)
    observation, infos = good.reset(seed=17)
    bad.reset(seed=17)
    for _ in range(2):
        actions = legal_actions(observation["action_mask"], rng)
        observation, _, _, _, infos = good.step(actions)
        bad.step(actions)
    actors = infos["current_player"].copy()
    actions = legal_actions(observation["action_mask"], rng)
    spoilt = actions.copy()
    for game in offenders:
        spoilt[game] = [*np.flatnonzero(observation["action_mask"][game] == 0), -1][0] if illegal is None else illegal
    expected = good.step(actions)
    _, rewards, terminations, _, infos = bad.step(spoilt)
    fine = np.setdiff1d(np.arange(games), offenders)
    assert terminations[offenders].all()
    assert (rewards[offenders] == -1).all()
    assert (infos["rewards"][offenders, actors[offenders]] == -1).all()
    assert (infos["rewards"][offenders].sum(axis=1) == -1).all()
    assert infos["illegal"][offenders].all() and not infos["illegal"][fine].any()
    np.testing.assert_array_equal(rewards[fine], expected[1][fine])
    np.testing.assert_array_equal(terminations[fine], expected[2][fine])
    for game in fine[:40]:
        assert bad.to_dict(game) == good.to_dict(game)


@EVERY_GAME
def test_illegal_actions_for_ever_do_no_harm(under_test: GameUnderTest):
    envs = under_test.vector(50)
    rng = np.random.default_rng(18)
    envs.reset(seed=18)
    actions_space = envs.single_action_space.n
    for _ in range(200):
        envs.step(rng.integers(-3, actions_space + 3, 50))
    assert_same(roll(envs, 10, seed=19), roll(under_test.vector(50), 10, seed=19))


# --- The rest ----------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_words_take_a_game_first(under_test: GameUnderTest):
    envs = under_test.vector(3)
    observation, _ = envs.reset(seed=20)
    action = legal_action(observation["action_mask"][1], np.random.default_rng(20))
    assert envs.str_to_action(1, envs.action_to_str(1, action)) == action


@EVERY_GAME
def test_every_table_is_rendered_as_it_is_alone(under_test: GameUnderTest):
    envs = under_test.vector(3, render_mode="ansi")
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.render()
    for _ in results_of(envs, 12):
        assert envs.render() == tuple(envs.game.render(envs.copy(i).to_dict(), "ansi") for i in range(3))
    assert len(set(envs.render())) == 3
    assert envs.copy().render() == pickle.loads(pickle.dumps(envs)).render() == envs.render()


@EVERY_GAME
def test_pixels_of_all_tables_have_one_shape(under_test: GameUnderTest):
    pytest.importorskip("resvg_py", reason="render: resvg-py is not installed")
    envs = gymnasium.make_vec(under_test.gymnasium_id, 2, render_mode="rgb_array", **under_test.short)
    assert "rgb_array" in envs.metadata["render_modes"] and envs.metadata["render_fps"]
    envs.reset(seed=1)
    pictures: Any = envs.render()
    assert len({picture.shape for picture in pictures}) == 1
    assert pictures[0].dtype == np.uint8 and pictures[0].ndim == 3


def test_rendering_is_asked_for_beforehand():
    (under_test, *_) = GAMES
    for mode in ("human", "svg", 1, [], True):
        with pytest.raises(ValueError, match="render_mode must be None or one of"):
            under_test.vector(2, render_mode=mode)
    envs = under_test.vector(2)
    envs.reset(seed=1)
    with pytest.warns(UserWarning, match="needs a render_mode"):
        assert envs.render() is None


@EVERY_GAME
def test_copies_and_pickles_play_on_alike(under_test: GameUnderTest):
    envs = under_test.vector(4, num_threads=1)
    rng = np.random.default_rng(21)
    observation, _ = envs.reset(seed=21)
    for _ in range(5):
        observation = envs.step(legal_actions(observation["action_mask"], rng))[0]
    twins = [pickle.loads(pickle.dumps(envs)), envs.copy()]
    for _ in range(60):
        actions = legal_actions(observation["action_mask"], rng)
        expected = copied(envs.step(actions))
        for twin in twins:
            assert_same(copied(twin.step(actions)), expected)
        observation = expected[0]
