"""Features: what a network works out of an observation, without parameters, before its first weights.

The games that a learner plays show `Features.input_config`, so that the simulator writes the features and a rollout
keeps them. A policy gets the observation of its config, and calls the features itself.
"""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hanabako.games import game_of

__all__ = ["FEATURES", "Derived", "Features", "usual_features"]


class Features:
    """No features: the network reads the observation as it is. Others derive from this class.

    Args:
        config: the config whose observations are given.
    """

    name: ClassVar[str] = "none"

    def __init__(self, config: Any) -> None:
        self.config = self.input_config = config
        """``input_config``: the config whose observations have the bits that the network reads."""

    def __call__(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the network's input, packed (rows, words), for packed observations (rows, words)."""
        return words


class Derived(Features):
    """The flags that the option ``derived`` of an environment adds, worked out unless the observation has them.

    Raises:
        ValueError: the game has no such flags, or this observation does not hold what they need.
    """

    name = "derived"

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        entry = game_of(config)
        if "derived" not in entry.observation_fields:
            raise ValueError(f"features must be none in {entry.name}, got 'derived'")
        if not config.derived:
            self._derive = entry.module("engine.derived").derive(config.rules())
            self.input_config = replace(config, derived=True)

    def __call__(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """See `Features.__call__`."""
        return words if self.config.derived else self._derive(words)


FEATURES: dict[str, type[Features]] = {features.name: features for features in (Features, Derived)}
"""The features by their names in settings and files."""


def usual_features(config: Any) -> str:
    """Return the default features for a config: ``derived`` where they exist."""
    try:
        return Derived(config).name
    except ValueError:
        return Features.name
