"""Other libraries check our interfaces with their own checkers, if they are installed."""

import itertools
import sys
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import hanabako
from hanabako.envs.open_spiel import OpenSpielEnvironment
from hanabako.envs.rllib import RLlibObservations, rllib_env
from hanabako.envs.sb3 import SB3VecEnv

from .conftest import ROOT
from .games import EVERY_GAME, GAMES, GameUnderTest

pytestmark = [
    pytest.mark.filterwarnings("default"),  # their warnings about each other
    pytest.mark.filterwarnings("error:.*share an object"),  # and Gymnasium's about us
]


def make_seat(under_test: GameUnderTest, **options: Any) -> Any:
    """Make one seat among partners by its Gymnasium id."""
    return gymnasium.make(under_test.seat_id, **under_test.short, **options)


def client(module: str) -> Any:
    """Import a module of another library, or skip the test."""
    return pytest.importorskip(module, reason=f"client: {module.partition('.')[0]} is not installed")


@EVERY_GAME
def test_torchrl_makes_a_seat_by_its_id(under_test: GameUnderTest) -> None:
    torchrl = client("torchrl.envs")
    torchrl.utils.check_env_specs(torchrl.GymEnv(f"{under_test.package}:{under_test.seat_id}", **under_test.short))


@EVERY_GAME
def test_torchrl_wraps_all_seats_with_their_masks(under_test: GameUnderTest) -> None:
    torchrl = client("torchrl.envs")
    torchrl.utils.check_env_specs(torchrl.PettingZooWrapper(under_test.env(), use_mask=True))


@EVERY_GAME
def test_stable_baselines_accepts_a_seat_and_finds_its_masks(under_test: GameUnderTest) -> None:
    contrib = client("sb3_contrib")
    client("stable_baselines3.common.env_checker").check_env(make_seat(under_test).unwrapped)
    make_vec_env = client("stable_baselines3.common.env_util").make_vec_env
    envs = make_vec_env(under_test.seat_id, 2, env_kwargs=dict(under_test.short))
    assert client("sb3_contrib.common.maskable.utils").is_masking_supported(envs)
    contrib.MaskablePPO("MultiInputPolicy", envs, n_steps=16, batch_size=16, n_epochs=1, device="cpu").learn(64)


@EVERY_GAME
def test_minari_records_a_seat_with_its_infos(under_test: GameUnderTest, tmp_path: Path, monkeypatch: Any) -> None:
    minari = client("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    collector = minari.DataCollector(make_seat(under_test, constant_infos=True), record_infos=True)
    for seed in range(3):
        observation, _ = collector.reset(seed=seed)
        ended = False
        while not ended:
            action = collector.action_space.sample(observation["action_mask"])
            observation, _, ended, *_ = collector.step(action)
    dataset = collector.create_dataset(f"{under_test.name}/random-v0")
    assert dataset.total_episodes == 3 and all(len(episode.infos) > 1 for episode in dataset.iterate_episodes())


@EVERY_GAME
def test_supersuit_makes_parallel_games_a_vector(under_test: GameUnderTest) -> None:
    supersuit = client("supersuit")
    env = supersuit.pettingzoo_env_to_vec_env_v1(under_test.parallel_env(**under_test.short))
    envs = supersuit.concat_vec_envs_v1(env, 2)
    observation, _ = envs.reset(seed=1)
    for _ in range(20):
        observation, *_ = envs.step(observation["action_mask"].argmax(1))


@pytest.mark.parametrize("make", ["make", "make_vec"])
def test_an_id_is_known_to_workers_that_have_imported_nothing(make: str) -> None:
    """Python 3.14 starts workers so; the part of the id before the colon says what they import."""
    name = f"hanabako:{GAMES[0].seat_id}"
    if make == "make":
        maker = partial(gymnasium.make, name, **GAMES[0].short)
        envs: Any = gymnasium.vector.AsyncVectorEnv([maker, maker], context="forkserver")
    else:
        options = {"context": "forkserver"}
        envs = gymnasium.make_vec(name, 2, vectorization_mode="async", vector_kwargs=options, **GAMES[0].short)
    observation, _ = envs.reset(seed=1)
    envs.close()
    assert observation["action_mask"].any(axis=1).all()


def test_recipes_name_ids_that_every_process_knows() -> None:
    recipes = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "recipes").glob("*.py")}
    assert not [name for name, code in recipes.items() if '"hanabako/' in code]
    assert any('"hanabako:hanabako/' in code for code in recipes.values())


# --- Stable Baselines3, on the vector environment ---------------------------------------------------------------------


@EVERY_GAME
def test_stable_baselines_trains_on_the_vector_environment(under_test: GameUnderTest) -> None:
    contrib = client("sb3_contrib")
    vec_env = client("stable_baselines3.common.vec_env")
    envs = vec_env.VecMonitor(SB3VecEnv(under_test.vector(8, seed=1)))
    agent = contrib.MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=64, n_epochs=1, device="cpu")
    agent.learn(512)
    assert len(agent.ep_info_buffer) and agent.num_timesteps == 512


@EVERY_GAME
def test_stable_baselines_trains_at_one_seat_of_many_games(under_test: GameUnderTest) -> None:
    contrib = client("sb3_contrib")
    bridge = SB3VecEnv(vector_of(under_test, 8, seat=True))
    assert bridge.get_images() == [None] * 8
    with pytest.raises(AttributeError, match="action_masks, not to_dict"):
        bridge.env_method("to_dict")
    contrib.MaskablePPO("MultiInputPolicy", bridge, n_steps=16, batch_size=64, n_epochs=1, device="cpu").learn(128)


def vector_of(under_test: GameUnderTest, games: int, seat: bool) -> Any:
    if seat:  # beside partners that act in batches
        return gymnasium.make_vec(under_test.seat_id, games, partners="random", **under_test.short)
    return under_test.vector(games)


@EVERY_GAME
@pytest.mark.parametrize("seat", [False, True])
def test_the_bridge_gives_stable_baselines_what_the_vector_gives(under_test: GameUnderTest, seat: bool) -> None:
    client("stable_baselines3")
    bridge, envs = SB3VecEnv(vector_of(under_test, 4, seat)), vector_of(under_test, 4, seat)
    bridge.seed(7)
    theirs, (ours, _) = bridge.reset(), envs.reset(seed=7)
    ended_games = 0
    for _ in range(150):
        masks = np.stack(bridge.env_method("action_masks"))
        assert masks.dtype == np.bool_ and np.array_equal(masks, ours["action_mask"])
        actions = ours["action_mask"].argmax(axis=1)
        theirs, rewards, ended, found = bridge.step(actions)
        ours, exact, terminated, _, infos = envs.step(actions)
        assert all(np.array_equal(theirs[name], ours[name]) for name in ours)
        assert rewards.dtype == np.float32 and np.array_equal(rewards, exact.astype(np.float32))
        assert np.array_equal(ended, terminated)
        for i in range(4):
            assert bool(found[i]) == terminated[i]
        for i in np.flatnonzero(terminated):
            ended_games += 1
            last = infos["final_obs"]["observation"][i]
            assert np.array_equal(found[i]["terminal_observation"]["observation"], last)
            assert found[i]["length"] == infos["length"][i] and np.array_equal(found[i]["returns"], infos["returns"][i])
    assert ended_games
    assert seat or bridge.env_method("to_dict", indices=[2]) == [envs.to_dict(2)]


def test_the_bridge_refuses_what_would_train_wrongly() -> None:
    client("stable_baselines3")
    under_test = GAMES[0]
    refused: dict[str, Any] = {"copy": False, "autoreset_mode": "NextStep", "observation": "packed"}
    for word, value in refused.items():
        with pytest.raises(ValueError, match=f"envs must have {word}"):
            SB3VecEnv(under_test.vector(2, **{word: value}))
    with pytest.raises(ValueError, match="vector environment"):
        SB3VecEnv(make_seat(under_test))
    bridge = SB3VecEnv(under_test.vector(2))
    with pytest.raises(AttributeError, match="reset_all"):
        bridge.env_method("reset_all")
    with pytest.raises(AttributeError, match="cannot be set"):
        bridge.set_attr("num_envs", 3)
    bridge.set_options([{"game_index": 1}, {}])
    with pytest.raises(ValueError, match="the same for all tables"):
        bridge.reset()


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hanabako.envs.sb3.VecEnv", object)
    for module in ("open_spiel.python.rl_environment", "ray.rllib.env.wrappers.pettingzoo_env"):
        monkeypatch.setitem(sys.modules, module, None)
    game = GAMES[0]
    for make, given, library in (
        (SB3VecEnv, game.vector(2), "sb3-contrib"),
        (OpenSpielEnvironment, game.entry.make_game(), "open-spiel"),
        (rllib_env, game.env(), "'ray"),
    ):
        with pytest.raises(ImportError, match=f"pip install {library}"):
            make(given)


# --- OpenSpiel --------------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_time_steps_are_those_of_openspiel(under_test: GameUnderTest) -> None:
    """The fields are those of OpenSpiel's own environment, the values those of our turn-based environment."""
    shapes = client("open_spiel.python.rl_environment")
    own = shapes.Environment("kuhn_poker")
    env = OpenSpielEnvironment(under_test.entry.make_game(**under_test.short), discount=0.9)
    assert env.observation_spec().keys() == own.observation_spec().keys()
    assert env.action_spec().keys() == own.action_spec().keys()
    assert env.is_turn_based == own.is_turn_based and env.num_actions_per_step == own.num_actions_per_step
    twin = under_test.raw_env(**under_test.short)
    env.seed(3)
    time_step, returns = env.reset(), np.zeros(env.num_players)
    twin.reset(seed=3)
    assert time_step.first() and time_step.rewards is None and time_step.discounts is None
    while not time_step.last():
        seen = time_step.observations
        assert seen.keys() == own.reset().observations.keys() and not time_step.is_simultaneous_move()
        assert twin.possible_agents[time_step.current_player()] == twin.agent_selection
        for player, agent in enumerate(twin.possible_agents):
            view = twin.observe(agent)
            assert seen["info_state"][player] == view["observation"].tolist()
            assert seen["legal_actions"][player] == np.flatnonzero(view["action_mask"]).tolist()
        action = seen["legal_actions"][time_step.current_player()][0]
        time_step = env.step([action])
        twin.step(action)
        returns += time_step.rewards
        assert time_step.rewards == list(twin.rewards.values())
        assert time_step.discounts == [0.0 if time_step.last() else 0.9] * env.num_players
    assert np.array_equal(returns, twin.tables["returns"][0, : env.num_players])
    assert time_step.observations["legal_actions"] == [[]] * env.num_players and time_step.current_player() < 0
    second = env.step([0])
    twin.reset()  # the next game of that seed
    assert second.first() and second.observations["info_state"] == [
        twin.observe(agent)["observation"].tolist() for agent in twin.possible_agents
    ]


@EVERY_GAME
@pytest.mark.parametrize("learner", ["tabular", "network"])
def test_openspiels_algorithms_play(under_test: GameUnderTest, learner: str) -> None:
    env = OpenSpielEnvironment(under_test.entry.make_game(**under_test.short), seed=1)
    if learner == "tabular":
        kind = client("open_spiel.python.algorithms.tabular_qlearner").QLearner
        agents = [kind(player, env.action_spec()["num_actions"]) for player in range(env.num_players)]
    else:
        (size,), actions = env.observation_spec()["info_state"], env.action_spec()["num_actions"]
        client("tree")  # OpenSpiel's networks import it, but its package does not install it
        kind = client("open_spiel.python.pytorch.dqn").DQN
        small = {"hidden_layers_sizes": [8], "batch_size": 4, "min_buffer_size_to_learn": 8, "learn_every": 4}
        agents = [kind(player, size, actions, **small) for player in range(env.num_players)]
    for _ in range(2):
        time_step, to_move = env.reset(), set()
        while not time_step.last():
            to_move.add(player := time_step.current_player())
            time_step = env.step([agents[player].step(time_step).action])
        for player in to_move:  # OpenSpiel's tabular learner fails in a game if it did not act in the one before
            agents[player].step(time_step)
    assert any(agent.loss is not None for agent in agents)


def test_an_openspiel_environment_refuses_and_stays_as_it_is() -> None:
    client("open_spiel.python.rl_environment")
    game = GAMES[0].entry.make_game(**GAMES[0].short)
    refused: list[tuple[str, Any]] = [("discount", 2.0), ("discount", "1"), ("discount", True), ("seed", -1)]
    for name, value in refused:
        with pytest.raises(ValueError, match=name):
            OpenSpielEnvironment(game, **{name: value})
    with pytest.raises(ValueError, match="game must be"):
        OpenSpielEnvironment("chess")  # type: ignore[bad-argument-type]
    env = OpenSpielEnvironment(game, seed=1)
    before = env.reset()
    illegal = next(a for a in range(99) if a not in before.observations["legal_actions"][before.current_player()])
    for actions in ([illegal], [0, 1], 0, None, ["0"]):
        with pytest.raises(ValueError, match="action"):
            env.step(actions)  # type: ignore[bad-argument-type]
    assert env.get_time_step().observations == before.observations


# --- RLlib ------------------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_rllibs_observations_are_ours_under_its_names(under_test: GameUnderTest) -> None:
    env, twin = RLlibObservations(under_test.env(**under_test.short)), under_test.env(**under_test.short)
    env.reset(seed=2)
    twin.reset(seed=2)
    for agent in env.agent_iter(max_iter=30):
        theirs, _, ended, *_ = env.last()
        ours: Any = twin.last()[0]
        assert theirs is not None
        assert env.observation_space(agent).contains(theirs)
        assert theirs.keys() == {"observations", "action_mask"}
        assert np.array_equal(theirs["observations"], ours["observation"])
        assert np.array_equal(theirs["action_mask"], ours["action_mask"])
        action = None if ended else int(ours["action_mask"].argmax())
        env.step(action)
        twin.step(action)


@EVERY_GAME
def test_rllib_wraps_them(under_test: GameUnderTest) -> None:
    client("ray.rllib")
    env = rllib_env(under_test.env(**under_test.short))
    observation, _ = env.reset(seed=1)
    ended = {"__all__": False}
    while not ended["__all__"]:
        ((agent, view),) = observation.items()
        observation, _, ended, *_ = env.step({agent: int(view["action_mask"].argmax())})
    assert observation.keys() == set(env.possible_agents)


# --- Gymnasium's vector wrappers, and torch ---------------------------------------------------------------------------


@EVERY_GAME
def test_gymnasiums_transforms_want_next_step_and_then_work(under_test: GameUnderTest) -> None:
    wrappers = client("gymnasium.wrappers.vector")
    with pytest.raises((AssertionError, ValueError), match=r"NEXT_STEP|^$"):  # older versions give no reason
        wrappers.FlattenObservation(under_test.vector(3))
    envs = under_test.vector(3, autoreset_mode="NextStep")
    flat = wrappers.FlattenObservation(envs)
    wanted = envs.game.observation_bits + envs.game.num_actions
    assert flat.reset(seed=1)[0].shape == (3, wanted)
    assert wrappers.FilterObservation(envs, ["observation"]).reset(seed=1)[0].keys() == {"observation"}


@EVERY_GAME
def test_gymnasiums_statistics_and_rewards_work_in_every_mode(under_test: GameUnderTest) -> None:
    """Over many games of each table: before Gymnasium 1.4 its counts are wrong from the second game on."""
    wrappers = client("gymnasium.wrappers.vector")
    is_mended = tuple(map(int, gymnasium.__version__.split(".")[:2])) >= (1, 4)
    vector_seat = partial(gymnasium.make_vec, under_test.seat_id, **under_test.short)
    for mode, make in itertools.product(("SameStep", "NextStep"), (under_test.vector, vector_seat)):
        envs = wrappers.RecordEpisodeStatistics(wrappers.ClipReward(make(4, autoreset_mode=mode), -1, 1))
        is_wrong = mode == "SameStep" and not is_mended
        observation, _ = envs.reset(seed=1)
        lengths, returns, right = np.zeros(4), np.zeros(4), []
        begins = np.zeros(4, bool)  # in NEXT_STEP, the step after a game's end only deals the next one
        while len(right) < 44:
            actions = observation["action_mask"].argmax(axis=1)
            observation, rewards, ended, _, infos = envs.step(actions)
            assert abs(rewards).max() <= 1
            lengths, returns = lengths + ~begins, returns + rewards
            if ended.any():
                assert np.array_equal(ended, infos["_episode"])
                same = (infos["episode"]["l"] == lengths) & np.isclose(infos["episode"]["r"], returns)
                right += list(same[ended])
            lengths[ended] = returns[ended] = 0
            begins = ended & (mode == "NextStep")
        assert all(right) != is_wrong


@EVERY_GAME
def test_gymnasium_records_videos_of_the_tables(under_test: GameUnderTest, tmp_path: Path) -> None:
    client("moviepy")
    client("resvg_py")
    record = client("gymnasium.wrappers.vector").RecordVideo
    envs = gymnasium.make_vec(under_test.gymnasium_id, 2, render_mode="rgb_array", **under_test.short)
    envs = record(envs, str(tmp_path / "videos"), video_length=3, episode_trigger=lambda episode: episode == 0)
    observation, _ = envs.reset(seed=1)
    for _ in range(4):
        observation, *_ = envs.step(observation["action_mask"].argmax(axis=1))
    envs.close()
    assert list((tmp_path / "videos").glob("*.mp4"))


@pytest.mark.slow
@EVERY_GAME
@pytest.mark.parametrize("form", ["packed", "int8", "float32"])
def test_observations_become_tensors_without_a_copy(under_test: GameUnderTest, form: str) -> None:
    torch = client("torch")
    envs = under_test.vector(5, observation=form, copy=False)
    observation, _ = envs.reset(seed=1)
    array = observation["observation"]
    for tensor in (torch.from_dlpack(array), torch.from_numpy(array)):
        assert tensor.data_ptr() == array.ctypes.data and tuple(tensor.shape) == array.shape
    before = tensor.clone()
    envs.step(observation["action_mask"].argmax(axis=1))
    assert not torch.equal(tensor, before) and np.array_equal(tensor.numpy(), array)  # the next step wrote into it
    if form == "packed":
        bits = under_test.vector(5)
        first, _ = bits.reset(seed=1)
        wanted, *_ = bits.step(first["action_mask"].argmax(axis=1))
        assert np.array_equal(hanabako.unpack(tensor, envs.game.observation_bits).numpy(), wanted["observation"])
