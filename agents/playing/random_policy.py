"""The random player, whose legal actions are all equally likely: the floor of every scoreboard."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from .policy import Actions, BatchedPolicy, Mask, Noise


class RandomPolicy(BatchedPolicy):
    """Uniformly random legal actions; plays every config of every game."""

    name = "random"
    observes = False  # the mask is enough

    @override
    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise, memory: NDArray[Any] | None = None) -> Actions:
        legal = mask.cumsum(axis=1, dtype=np.int32)
        rank = np.floor(noise * legal[:, -1]).astype(np.int32)
        return (legal <= rank[:, None]).sum(axis=1)
