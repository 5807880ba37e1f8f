"""Features: what a network works out of an observation, without parameters, before its first weights.

The games that a learner plays show `Features.input_config`, so that the simulator writes the features and a rollout
keeps them. A policy gets the observation of its config, and calls the features itself.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from hanabako.engine.sections import words_for
from hanabako.games import game_of

FEATURES = ("none", "derived", "v0")
"""The names of features in settings and files: ``derived`` are the flags that this option of an environment adds, and
``v0`` is the input of published networks of Hanabi, see `hanabi_env.beliefs`, which a `V0Belief` works out."""


class Features:
    """The features ``name`` of the observations of ``config``, worked out unless the observation has them.

    Raises:
        ValueError: the game has no such features, or this observation does not hold what they need.
    """

    def __init__(self, name: str, config: Any) -> None:
        self.input_config, self._derive = config, None
        """``input_config``: the config whose observations have the bits that the network reads."""
        if name == "none":
            return
        entry = game_of(config)
        if name == "v0":
            if entry.name != "hanabi":
                raise ValueError(f"features must be none or derived in {entry.name}, got 'v0'")
            if config != (plain := entry.module("beliefs").plain_observation(config)):
                wanted, got = plain.observation_name, config.observation_name
                raise ValueError(f"features v0 need the observation {wanted}, got {got}")
            return
        if "derived" not in entry.observation_fields:
            raise ValueError(f"features must be none in {entry.name}, got 'derived'")
        if not config.derived:
            self._derive = entry.module("engine.derived").derive(config.rules())
            self.input_config = replace(config, derived=True)

    def __call__(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the network's input, packed (rows, words), for packed observations (rows, words)."""
        return words if self._derive is None else self._derive(words)


class V0Belief(nn.Module):
    """Replaces the plausible cards among a network's input by the V0 belief, see `hanabi_env.beliefs`.

    It has no parameters. ``views`` is the number of observations that the network reads at once.
    """

    plausible: Tensor
    """(views, cards of all hands, cards) int64: where the plausible cards are in the input."""
    counted: Tensor
    """(views, bits) int64: where the discard pile and the fireworks are."""
    gone: Tensor
    """(bits, cards) float32, and ``box`` (cards,) float32: see `hanabi_env.beliefs.Places`."""
    box: Tensor

    def __init__(self, config: Any, views: int) -> None:
        super().__init__()
        places = game_of(config).module("beliefs").places_of(config)
        begins = 64 * words_for(config.observation_bits) * np.arange(views)
        buffers = {"plausible": places.plausible + begins[:, None, None], "counted": places.counted + begins[:, None]}
        for name, array in (buffers | {"gone": places.gone, "box": places.box}).items():
            self.register_buffer(name, torch.from_numpy(array), persistent=False)

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the input (rows, numbers) with the belief, which is computed in float32."""
        left = self.box - numbers[:, self.counted].float() @ self.gone  # (rows, views, cards)
        weights = numbers[:, self.plausible] * left[:, :, None]
        total = weights.sum(-1, keepdim=True)
        numbers[:, self.plausible] = (weights / total.where(total > 0, 1.0)).to(numbers.dtype)
        return numbers


def usual_features(config: Any) -> str:
    """Return the default features for a config: ``derived`` where they exist."""
    return "derived" if "derived" in game_of(config).observation_fields else "none"
