"""A player that chooses a legal action at random, all equally likely: the lowest score to compare with."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class RandomPolicy:
    """Uniformly random legal actions; plays every config of every game."""

    name = "random"
    observes = False  # the mask is enough

    def __init__(self, config: Any) -> None:
        self.config = config

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """See `Policy.act` in `policy.py`."""
        legal = mask.cumsum(axis=1, dtype=np.int32)
        rank = np.floor(noise * legal[:, -1]).astype(np.int32)
        return (legal <= rank[:, None]).sum(axis=1)
