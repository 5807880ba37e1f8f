"""Bad input, saved states and other libraries: the promises for every game, in every interface."""

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import hanabako

from .games import EVERY_GAME, GameUnderTest, every_config, legal_action, legal_actions, short_name, with_tables
from .mutations import DEEP

ONE_LINE = r"\A(?=[^\n]{1,2000}\Z)"
"""A message of one line; the rest of a pattern may follow."""


WRONG = [DEEP, ["R1"] * 100_000, np.zeros((300, 300)), object(), float("nan")]
"""Values that no field of a configuration can have."""
NO_FLAGS: list[Any] = [*WRONG, "no", "true", "", 0, 1, 1.0, None, np.int64(1), [True], np.array(True)]
NO_INTS: list[Any] = [*WRONG, "3", 2.0, True, np.True_, np.float64(2), [2], -1, 10**30]


def assert_equal_states(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    np.testing.assert_array_equal(one["tables"], other["tables"])
    assert [one[key] for key in one if key != "tables"] == [other[key] for key in other if key != "tables"]


def started(under_test: GameUnderTest) -> tuple[Any, Any, Callable[[], None]]:
    """Return a single game after one move, four games, and a function that checks that neither has changed since."""
    env, envs = under_test.raw_env(**under_test.short), under_test.vector(4)
    env.reset(seed=3)
    envs.reset(seed=3)
    env.step(legal_action(env.infos[env.agent_selection]["action_mask"], np.random.default_rng(0)))
    before, state = pickle.dumps(env), envs.get_state()

    def check() -> None:
        assert pickle.dumps(env) == before
        assert_equal_states(envs.get_state(), state)

    return env, envs, check


# --- Making environments ----------------------------------------------------------------------------------------------


@EVERY_GAME
def test_an_unknown_keyword_is_a_type_error_and_a_value_error(under_test: GameUnderTest) -> None:
    for make in (under_test.raw_env, under_test.env, under_test.parallel_env):
        for error in (TypeError, ValueError):
            with pytest.raises(error, match="unexpected keyword argument 'frameskip'"):
                make(frameskip=1)
    with pytest.raises(ValueError, match="unexpected keyword argument 'colours'"):
        under_test.raw_env(config={"colours": 3})
    with pytest.raises(ValueError, match="arguments of the environment are num_envs, seed, observation, num_threads,"):
        under_test.entry.vector_env(1, num_thread=2)


@EVERY_GAME
def test_every_field_refuses_what_it_cannot_be_in_one_line(under_test: GameUnderTest) -> None:
    for name, default in vars(under_test.config()).items():
        for value in {bool: NO_FLAGS, int: NO_INTS}.get(type(default), WRONG):
            with pytest.raises(ValueError, match=f"{ONE_LINE}.*{name}"):
                under_test.raw_env(**{name: value})
    for name in ("config", "render_mode"):
        with pytest.raises(ValueError, match=f"{name} must be"):
            under_test.raw_env(**{name: 3})
    for preset in ([], 5, DEEP, "nonsense"):
        with pytest.raises(ValueError, match="preset must be one of"):
            under_test.raw_env(preset=preset)


WRONG_ARGUMENTS: dict[str, list[Any]] = {
    "num_envs": [0, -1, 2**63, 10**30, True, 2.0, "4", None, [4], DEEP],
    "seed": [-1, 2**64, 1.5, "x", [1], DEEP],
    "observation": [[], None, "int16", b"int8", DEEP],
    "num_threads": [0, 10**9, "1", True, DEEP],
    "autoreset_mode": [[], None, "sometimes", DEEP],
    "copy": ["no", None, 1, DEEP],
    "specialize": ["no", 1, DEEP],
}


@EVERY_GAME
@pytest.mark.parametrize("name", WRONG_ARGUMENTS)
def test_every_argument_of_a_vector_environment_is_checked(under_test: GameUnderTest, name: str) -> None:
    for value in WRONG_ARGUMENTS[name]:
        with pytest.raises(ValueError, match=f"{ONE_LINE}{name} must be"):
            under_test.entry.make_vector(**{"num_envs": 2, **under_test.short, name: value})


@EVERY_GAME
def test_numbers_of_numpy_serve_wherever_ints_do(under_test: GameUnderTest) -> None:
    make = under_test.entry.make_vector
    arguments: dict[str, Any] = {
        "num_envs": np.int32(2),
        "seed": np.uint64(7),
        "num_threads": np.int8(1),
        "copy": np.bool_(True),
    }
    for name, value in vars(under_test.config()).items():
        if isinstance(value, int):
            stored = getattr(under_test.config(**{name: np.array(value)[()]}), name)
            assert (type(stored), stored) == (type(value), value)
    envs, same = make(**arguments, **under_test.short), make(2, seed=7, **under_test.short)
    index = {"game_index": np.int64(3)}
    assert_equal_states(envs.get_state(), same.get_state())
    envs.reset(seed=np.int64(5), options=index)
    same.reset(seed=5, options={"game_index": 3})
    assert_equal_states(envs.get_state(), same.get_state())
    envs.step([np.int16(0)] * 2)
    seat = gymnasium.make(under_test.seat_id, seat=np.int64(1), **under_test.short)
    seat.reset(seed=np.int64(5))  # type: ignore[arg-type]
    env = under_test.raw_env(**under_test.short)
    env.reset(seed=np.uint8(5), options=index)
    env.step(np.int64(np.flatnonzero(env.last()[0]["action_mask"])[0]))


# --- Before a reset, and resets ---------------------------------------------------------------------------------------


@EVERY_GAME
def test_before_a_reset_there_is_nothing_to_observe_or_step(under_test: GameUnderTest) -> None:
    env = under_test.raw_env(**under_test.short)
    for look in (lambda: env.observe(env.possible_agents[0]), lambda: env.observe(""), env.state):
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset before observe"):
            look()
    with pytest.raises(AttributeError, match="agent_selection does not exist before reset: call reset first"):
        env.step(0)
    with pytest.raises(AttributeError, match="has no attribute 'agent_selecton'"):
        env.agent_selecton  # noqa: B018 - that it is not there is the point
    for twin in (env, env.copy(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        twin.reset(seed=3)
        assert env.to_dict() == twin.to_dict()
    for name in ("", "player_99", 0, None, [], ["player_0"], {}, DEEP):
        with pytest.raises(ValueError, match=r"^agent must be one of player_0, player_1"):
            env.observe(name)


@EVERY_GAME
def test_a_refused_reset_or_step_leaves_everything_as_it_was(under_test: GameUnderTest) -> None:
    env, envs, check = started(under_test)
    for options in ([1], True, {"nonsense": 1}, {"state": {}}, {"state": DEEP}, {"game_index": -1}):
        for reset in (env.reset, envs.reset):
            with pytest.raises(ValueError, match=ONE_LINE):
                reset(options=options)
    for action in (np.array([1, 2]), True, np.True_, 10**30, "0", None, -1, 0.0):
        with pytest.raises(ValueError, match="action must be an int from 0 to"):
            env.step(action)
    no_actions: list[Any] = [np.zeros(2, np.int64), np.zeros((4, 1), np.int64), np.zeros(4), np.zeros(4, bool)]
    for actions in (*no_actions, ["0"] * 4, [0, 1], 0, None, "abcd"):
        with pytest.raises(ValueError, match="actions must be integers of shape"):
            envs.step(actions)
    position, some = envs.to_dict(0), np.array([False, True, True, True])
    for table, more in ((4, {}), (-1, {}), (True, {}), (0, {"reset_mask": some})):
        with pytest.raises(ValueError, match=f"state is given for table {table}"):
            envs.reset(options={"state": {table: position}, **more})
    check()


@EVERY_GAME
@pytest.mark.parametrize("failure", [KeyboardInterrupt, RecursionError, MemoryError])
def test_an_exception_in_the_middle_of_a_reset_leaves_everything_as_it_was(
    under_test: GameUnderTest, failure: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    env, envs, check = started(under_test)
    position = env.to_dict()

    def fail(*_: Any) -> None:
        raise failure

    monkeypatch.setattr(type(env.game), "load_position", fail)
    for reset in (env.reset, envs.reset):
        with pytest.raises(failure):
            reset(seed=9, options={"state": position})
    check()


@EVERY_GAME
def test_an_exception_after_the_deal_leaves_everything_as_it_was(
    under_test: GameUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables and the observations in the buffers are those of before, and the next reset deals what it would have."""
    envs, same = (under_test.vector(4, copy=False) for _ in range(2))
    observe, failures = type(envs)._observe, [KeyboardInterrupt()]

    def fail_once(self: Any) -> None:
        observe(self)
        if failures:
            raise failures.pop()

    for one in (envs, same):
        one.reset(seed=3)
    seen, state = {name: part.copy() for name, part in envs._buffers.items()}, envs.get_state()
    with monkeypatch.context() as patch:
        patch.setattr(type(envs), "_observe", fail_once)
        with pytest.raises(KeyboardInterrupt):
            envs.reset()
    assert_equal_states(envs.get_state(), state)
    for name, part in seen.items():
        np.testing.assert_array_equal(envs._buffers[name], part)
    envs.reset()
    same.reset()
    assert_equal_states(envs.get_state(), same.get_state())


# --- Saved states -----------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_set_state_refuses_what_is_not_its_own(under_test: GameUnderTest) -> None:
    envs = under_test.vector(4)
    envs.reset(seed=1)
    state = envs.get_state()
    damaged = state["tables"].copy()
    damaged[2, 7] ^= 1
    undealt = state["tables"] * np.array([[1], [1], [0], [1]], np.uint8)
    wrong = {
        "must be a dict": [None, {}, [1]],
        "belongs to": [{**state, "config": "another"}],
        "damaged": [{**state, "tables": damaged}],
        "seed must be": [{**state, "seed": -1}, {**state, "seed": "x"}],
        "was_reset must be a bool": [{**state, "was_reset": 1}, {**state, "was_reset": "no"}],
        "was_reset must be whether all tables were dealt to": [
            {**state, "was_reset": False},
            {**under_test.vector(4).get_state(), "was_reset": True},
            with_tables(state, undealt),
        ],
        "tables must be": [{**state, "tables": state["tables"][:2]}, {**state, "tables": 5}],
    }
    things = (7.5, "x", b"x", {}, [[]], np.array("x"), np.array([1.5]), DEEP)
    wrong[""] = [{**state, name: thing} for name in state for thing in things]
    for words, states in wrong.items():
        for other in states:
            with pytest.raises(ValueError, match=f"{ONE_LINE}.*{words}"):
                envs.set_state(other)
    assert_equal_states(envs.get_state(), state)


@pytest.mark.parametrize(("under_test", "fields"), every_config(), ids=short_name)
def test_every_state_that_a_game_leads_to_is_taken_back(under_test: GameUnderTest, fields: dict[str, Any]) -> None:
    envs, rng = under_test.vector(32, fields, autoreset_mode="Disabled"), np.random.default_rng(0)
    observation, _ = envs.reset(seed=1)
    for t in range(60):
        if t % 5 == 0:
            envs.set_state(envs.get_state())
        observation, *_ = envs.step(legal_actions(observation["action_mask"], rng))


@EVERY_GAME
def test_a_forged_state_is_refused_or_harmless(under_test: GameUnderTest) -> None:
    """A state with overwritten bytes and a new checksum is refused with a ValueError, or its games can be played on."""
    envs, rng = under_test.vector(16, under_test.wider), np.random.default_rng(0)
    observation, _ = envs.reset(seed=1)
    for _ in range(10):
        observation, *_ = envs.step(legal_actions(observation["action_mask"], rng))
    state, refused = envs.get_state(), 0
    for _ in range(200):
        tables = state["tables"].copy()
        tables[rng.integers(16), rng.integers(tables.shape[1], size=3)] = rng.choice([0, 1, 63, 128, 255], 3)
        forged = with_tables(state, tables)
        try:
            envs.set_state(forged)
        except ValueError:
            refused += 1
            assert_equal_states(envs.get_state(), state)
            continue
        for _ in range(20):
            observation, *_ = envs.step(rng.integers(envs.single_action_space.n, size=16))
        envs.set_state(state)
    assert refused > 50


@EVERY_GAME
def test_every_number_of_a_state_has_its_bounds(under_test: GameUnderTest) -> None:
    """The largest value of a bounded field's dtype, in all tables at once, is refused with the field's name."""
    envs = under_test.vector(4, under_test.wider)
    envs.reset(seed=1)
    state, dtype = envs.get_state(), envs.game.table_dtype(specialize=False)
    for name, (_, most, *_) in envs.game.state_bounds().items():
        tables = state["tables"].copy()
        values = tables.view(dtype)[:, 0]["state"]
        for part in name.split("."):
            values = values[part]
        if most == np.iinfo(values.dtype).max:
            continue
        values[...] = np.iinfo(values.dtype).max
        with pytest.raises(ValueError, match=f"^{name} must be from"):
            envs.set_state(with_tables(state, tables))
        assert_equal_states(envs.get_state(), state)


@EVERY_GAME
def test_no_deal_repeats_after_four_billion_games(under_test: GameUnderTest) -> None:
    envs = under_test.vector(2)
    envs.reset(seed=1)
    state, dtype = envs.get_state(), envs.game.table_dtype(specialize=False)
    first = state["tables"].view(dtype)[:, 0]["state"]["key"].copy()
    tables = state["tables"].copy()
    tables.view(dtype)[:, 0]["state"]["episode"] = 2**32 - 1
    envs.set_state(with_tables(state, tables))
    envs.reset(options={"reset_mask": np.ones(2, np.bool_)})
    assert (envs.get_state()["tables"].view(dtype)[:, 0]["state"]["key"] != first).all()


@EVERY_GAME
def test_a_damaged_pickle_of_a_single_game_is_refused(under_test: GameUnderTest) -> None:
    env = under_test.raw_env()
    env.reset(seed=1)
    parts = env.__getstate__()
    octets = parts["saved"]["tables"].copy()
    octets[0, 40] ^= 1
    with pytest.raises(ValueError, match="damaged"):
        env.__setstate__({**parts, "saved": {**parts["saved"], "tables": octets}})


# --- Other libraries --------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_returns_are_what_every_player_earned_in_the_game(under_test: GameUnderTest) -> None:
    envs, rng = under_test.vector(16), np.random.default_rng(0)
    observation, infos = envs.reset(seed=5)
    earned, ends = np.zeros_like(infos["rewards"]), 0
    for _ in range(200):
        observation, _, terminated, _, infos = envs.step(legal_actions(observation["action_mask"], rng))
        earned += infos["rewards"]
        if terminated.any():
            np.testing.assert_allclose(infos["returns"][terminated], earned[terminated])
            np.testing.assert_array_equal(infos["_returns"], terminated)
            ends += terminated.sum()
            earned[terminated] = 0
    assert ends > 16


@EVERY_GAME
def test_the_seat_has_an_id_of_its_own_in_make_and_make_vec(under_test: GameUnderTest) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(under_test.seat_id, **under_test.short)
        envs = gymnasium.make_vec(under_test.seat_id, num_envs=2, **under_test.short)
    assert envs.num_envs == 2 and envs.single_action_space == env.action_space
    assert envs.single_observation_space == env.observation_space
    assert type(gymnasium.make(under_test.gymnasium_id, **under_test.short).unwrapped) is type(env.unwrapped)


@EVERY_GAME
def test_the_seat_tells_its_masks_and_keeps_its_keys(under_test: GameUnderTest) -> None:
    env = under_test.entry.make_seat(**under_test.short, seat=1, constant_infos=True)
    rng = np.random.default_rng(1)
    keys, ends = set(), 0
    for episode in range(20):
        observation, info = env.reset(seed=episode)
        keys.add(frozenset(info))
        terminated = False
        assert info["action_mask"].any()
        while not terminated:
            masks = env.action_masks()
            assert masks.dtype == np.bool_
            np.testing.assert_array_equal(masks, observation["action_mask"])
            observation, _, terminated, _, info = env.step(legal_action(masks, rng))
            keys.add(frozenset(info))
        ends += info["length"] > 0
    assert len(keys) == 1
    assert ends == 20


@EVERY_GAME
def test_the_seat_earns_what_happens_before_its_first_decision(under_test: GameUnderTest) -> None:
    options: dict[str, Any] = {"reward": "dense"} if under_test.name == "ikebana" else {}
    env = under_test.entry.make_seat(**under_test.short, **options, seat=1)
    rng = np.random.default_rng(2)
    for episode in range(30):
        env.reset(seed=episode)
        earned, terminated = 0.0, False
        while not terminated:
            _, reward, terminated, _, _ = env.step(legal_action(env.action_masks(), rng))
            earned += float(reward)
        assert earned == pytest.approx(env.table.tables["returns"][0, 1])


@EVERY_GAME
def test_packed_observations_unpack_to_single_bits(under_test: GameUnderTest) -> None:
    torch = pytest.importorskip("torch")
    packed, single = under_test.vector(5, observation="packed"), under_test.vector(5)
    words, bits = packed.reset(seed=3)[0]["observation"], single.reset(seed=3)[0]["observation"]
    count = packed.game.observation_bits
    unpacked = hanabako.unpack(words, count)
    assert unpacked.dtype == np.int8
    np.testing.assert_array_equal(unpacked, bits)
    for tensor in (torch.from_numpy(words), torch.from_numpy(words.view(np.int64))):
        spread = hanabako.unpack(tensor, count)
        assert spread.dtype == torch.int8
        np.testing.assert_array_equal(spread.numpy(), bits)
    for wrong in (words.tolist(), words.astype(np.int32), words[:, :0]):
        with pytest.raises(ValueError, match="must be"):
            hanabako.unpack(wrong, count)
    for wrong in (None, 1.5, "3", True):
        with pytest.raises(ValueError, match="bits must be an int"):
            hanabako.unpack(words, wrong)  # pyrefly: ignore[bad-argument-type]
