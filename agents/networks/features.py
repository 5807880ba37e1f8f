"""Features: what a network works out of an observation, without parameters, before its first weights.

The games that a learner plays show `Features.input_config`, so that the simulator writes the features and a rollout
keeps them. A policy gets the observation of its config, and calls the features itself.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.games import game_of

FEATURES = ("none", "derived")
"""The names of features in settings and files: ``derived`` are the flags that this option of an environment adds."""


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
        if "derived" not in entry.observation_fields:
            raise ValueError(f"features must be none in {entry.name}, got 'derived'")
        if not config.derived:
            self._derive = entry.module("engine.derived").derive(config.rules())
            self.input_config = replace(config, derived=True)

    def __call__(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the network's input, packed (rows, words), for packed observations (rows, words)."""
        return words if self._derive is None else self._derive(words)


def usual_features(config: Any) -> str:
    """Return the default features for a config: ``derived`` where they exist."""
    try:
        Features("derived", config)
    except ValueError:
        return "none"
    return "derived"
