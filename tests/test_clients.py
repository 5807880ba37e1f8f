"""Other people's libraries judge our interfaces by their own checks, each where it is installed."""

from pathlib import Path
from typing import Any

import gymnasium
import pytest

import hanabako  # noqa: F401 - registers the ids

from .games import GAMES, GameUnderTest, short_name

pytestmark = [
    pytest.mark.filterwarnings("default"),  # theirs, about each other
    pytest.mark.filterwarnings("error:.*share an object"),  # and Gymnasium's, about us
]
EVERY_GAME = pytest.mark.parametrize("under_test", GAMES, ids=short_name)


def make_seat(under_test: GameUnderTest, **options: Any) -> Any:
    """One seat among partners, as Gymnasium's users get it."""
    return gymnasium.make(seat_id(under_test), **under_test.short, **options)


def seat_id(under_test: GameUnderTest) -> str:
    return under_test.gymnasium_id.replace("-v0", "Seat-v0")


def client(module: str) -> Any:
    """A module of theirs."""
    return pytest.importorskip(module, reason=f"client: {module.partition('.')[0]} is not installed")


@EVERY_GAME
def test_torchrl_makes_a_seat_by_its_id(under_test: GameUnderTest) -> None:
    torchrl = client("torchrl.envs")
    torchrl.utils.check_env_specs(torchrl.GymEnv(f"{under_test.package}:{seat_id(under_test)}", **under_test.short))


@EVERY_GAME
def test_torchrl_wraps_all_seats_with_their_masks(under_test: GameUnderTest) -> None:
    torchrl = client("torchrl.envs")
    torchrl.utils.check_env_specs(torchrl.PettingZooWrapper(under_test.env(), use_mask=True))


@EVERY_GAME
def test_stable_baselines_accepts_a_seat_and_finds_its_masks(under_test: GameUnderTest) -> None:
    contrib = client("sb3_contrib")
    client("stable_baselines3.common.env_checker").check_env(make_seat(under_test).unwrapped)
    make_vec_env = client("stable_baselines3.common.env_util").make_vec_env
    envs = make_vec_env(seat_id(under_test), 2, env_kwargs=dict(under_test.short))
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
    envs = supersuit.concat_vec_envs_v1(
        supersuit.pettingzoo_env_to_vec_env_v1(under_test.parallel_env(**under_test.short)), 2
    )
    observation, _ = envs.reset(seed=1)
    for _ in range(20):
        observation, *_ = envs.step(observation["action_mask"].argmax(1))
