"""The vector environment with ``device="cuda"`` on Numba's simulator, run by `test_device.py` in processes of its own.

    NUMBA_ENABLE_CUDASIM=1 pytest tests/hanabako/simulated_gpu.py

The simulator runs every thread as plain Python, and must be chosen before Numba is imported.
"""

import pickle
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from torch.utils._python_dispatch import TorchDispatchMode

from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.ranks import joined_ranks, processor_settings
from hanabako.compiler.cuda import IS_SIMULATED
from tests.hanabako import device_play
from tests.hanabako.device_play import FIRST, PRESETS, assert_same, play

assert IS_SIMULATED, "set NUMBA_ENABLE_CUDASIM=1"
sys.setswitchinterval(1e-6)  # threads of a block take turns so often that a race between them shows

TABLES, STEPS = 2, 150


def pair(game: str, preset: str, **keywords: Any) -> tuple[Any, Any]:
    return device_play.pair(game, preset, TABLES, **keywords)


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_every_preset_is_played_as_on_the_cpu(game: str, preset: str) -> None:
    assert play(*pair(game, preset, observation="packed"), STEPS) > 0


@pytest.mark.parametrize(("game", "preset"), FIRST)
@pytest.mark.parametrize("observation", ["int8", "float32"])
def test_other_formats_are_those_of_the_cpu(game: str, preset: str, observation: str) -> None:
    play(*pair(game, preset, observation=observation), 20)


@pytest.mark.parametrize(("game", "preset"), FIRST)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_other_autoreset_modes_are_those_of_the_cpu(game: str, preset: str, mode: AutoresetMode) -> None:
    here, there = pair(game, preset, observation="packed", autoreset_mode=mode)
    assert play(here, there, 60) > 0
    ended = there.step([0] * TABLES)[2]
    mask = torch.ones_like(ended)
    here.step(np.zeros(TABLES, np.int64))
    assert_same(here.reset(options={"reset_mask": mask.numpy()}), there.reset(options={"reset_mask": mask}))


def test_a_mask_on_the_gpu_resets_only_its_tables() -> None:
    here, there = pair("hanabi", "mini")
    here.reset(seed=1)
    before = there.reset(seed=1)[0]["observation"]
    after = there.reset(options={"reset_mask": torch.tensor([False, True])})
    assert torch.equal(after[0]["observation"][0], before[0])
    assert not torch.equal(after[0]["observation"][1], before[1])
    assert_same(here.reset(options={"reset_mask": np.array([False, True])}), after)
    with pytest.raises(ValueError, match=r"reset_mask must be a bool array of shape \(2,\), got torch.int64"):
        there.reset(options={"reset_mask": torch.tensor([0, 1])})


def test_states_given_from_outside_are_placed_and_impossible_ones_change_nothing() -> None:
    here, there = pair("hanabi", "mini")
    here.reset(seed=1)
    there.reset(seed=1)
    here.step([0, 0])
    position = here.to_dict(0)
    there.reset(options={"state": {1: position}})
    assert there.to_dict(1) == position
    before = there.get_state()
    with pytest.raises(ValueError, match="life_tokens"):
        there.reset(options={"state": {0: position | {"life_tokens": 99}}})
    assert there.get_state()["checksum"] == before["checksum"]


def test_copies_and_checkpoints_go_on_as_the_original() -> None:
    _, there = pair("hanabi", "mini", observation="packed")
    actions = there.reset(seed=3)[0]["action_mask"].argmax(1)
    actions = there.step(actions)[0]["action_mask"].argmax(1)
    others = [there.copy(), pickle.loads(pickle.dumps(there)), pair("hanabi", "mini", observation="packed")[1]]
    others[2].set_state(there.get_state())
    alone = there.copy(1)
    expected = there.step(actions)[0]["observation"]
    for other in others:
        assert torch.equal(other.step(actions)[0]["observation"], expected)
    alone.step(int(actions[1]))
    assert alone.unwrapped.to_dict() == there.to_dict(1)


def test_tensors_are_shared_without_a_copy() -> None:
    _, there = pair("hanabi", "mini", copy=False)
    observation, infos = there.reset(seed=1)
    shared, reward = np.from_dlpack(observation["observation"]), np.from_dlpack(infos["rewards"])
    there.step([0, 0])
    np.testing.assert_array_equal(shared, observation["observation"].numpy())
    assert shared.any()
    assert reward.shape == (TABLES, 2)
    assert there.step([0, 0])[0]["observation"] is observation["observation"]


@pytest.mark.parametrize("actions", [[0], [0.0, 1.0], [True, False]])
def test_actions_that_are_no_integers_are_refused(actions: list[Any]) -> None:
    _, there = pair("hanabi", "mini")
    there.reset(seed=1)
    with pytest.raises(ValueError, match=r"actions must be integers of shape \(2,\), got"):
        there.step(actions)


def test_a_learner_learns_the_same_from_the_gpu() -> None:
    weights = []
    with joined_ranks("cpu") as ranks, processor_settings():
        for simulator in ("cpu", "cuda"):
            args = ppo.Args(preset="mini", games=4, horizon=8, minibatch=16, width=16, steps=9, simulator=simulator)
            envs = args.make_envs(args.learned(args.make_config()), ranks)
            torch.manual_seed(1)
            learner = ppo.PPO(args, envs, ranks)
            for k in range(4):
                learner.learn(k / 4)
            weights.append([*learner.network.state_dict().values(), envs.statistics(), envs.decisions])
    for here, there in zip(*weights, strict=True):
        assert torch.equal(here, there) if isinstance(here, torch.Tensor) else here == there


class Waits(TorchDispatchMode):
    """A context that counts the operations after which the CPU would wait for a GPU."""

    NAMES = ("_local_scalar_dense", "nonzero", "masked_select", "_unique2", "repeat_interleave", "equal")

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.counts[func.overloadpacket.__name__] += 1
        return func(*args, **(kwargs or {}))


def test_an_update_waits_only_for_the_numbers_of_the_log() -> None:
    with joined_ranks("cpu") as ranks, processor_settings():
        args = ppo.Args(preset="mini", games=4, horizon=8, minibatch=16, width=16, steps=9, simulator="cuda")
        envs = args.make_envs(args.learned(args.make_config()), ranks)
        learner = ppo.PPO(args, envs, ranks)
        learner.learn(0.1)
        with Waits() as waits:
            row = learner.learn(0.2)
    found = {name: waits.counts[name] for name in Waits.NAMES if waits.counts[name]}
    logged = len(row) - len({"learning_rate", "entropy_weight", "price_of_losing"})
    assert found == {"_local_scalar_dense": logged}
