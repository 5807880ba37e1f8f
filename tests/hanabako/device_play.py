"""The same games on the CPU and on a GPU, real or simulated, compared step by step."""

from typing import Any

import numpy as np
import torch

from hanabako.compiler.cuda import IS_SIMULATED
from hanabako.games import game_named, game_names

PRESETS = [(game, preset) for game in game_names() for preset in game_named(game).presets]
FIRST = [(game, game_named(game).first_preset) for game in game_names()]


def pair(game: str, preset: str, tables: int, **keywords: Any) -> tuple[Any, Any]:
    here, there = (game_named(game).make_vector(tables, preset=preset, device=d, **keywords) for d in ("cpu", "cuda"))
    return here, there


def assert_same(here: Any, there: Any, name: str = "") -> None:
    """Check that arrays of the CPU, nested in dicts and tuples, are equal to tensors, dtypes included.

    On a real GPU rewards may differ in their last bits: Koi-Koi's squashed ones use a logarithm.
    """
    if isinstance(here, dict):
        for key in here:
            assert_same(here[key], there[key], f"{name} {key}")
    elif isinstance(here, tuple):
        for k, (left, right) in enumerate(zip(here, there, strict=True)):
            assert_same(left, right, f"{name} {k}")
    else:
        assert isinstance(there, torch.Tensor), name
        copied = there.cpu().numpy()
        if IS_SIMULATED or here.dtype != np.float64:
            np.testing.assert_array_equal(here, copied, name)
        else:
            np.testing.assert_allclose(copied, here, rtol=0, atol=1e-14, err_msg=name)
        assert here.dtype == copied.dtype, name


def play(here: Any, there: Any, steps: int) -> int:
    """Play the same random actions in both, a few of them illegal, and return how many games ended."""
    rng, ends = np.random.default_rng(1), 0
    results = here.reset(seed=5), there.reset(seed=5)
    assert_same(*results)
    for _ in range(steps):
        masks = results[0][0]["action_mask"]
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        if rng.random() < 0.03:
            actions[rng.integers(len(actions))] = rng.integers(-2, 100)
        results = here.step(actions), there.step(torch.from_numpy(actions))
        assert_same(*results)
        ends += int(here.tables["ended"].sum())
    assert_same(here.observe_all(), there.observe_all())
    return ends
