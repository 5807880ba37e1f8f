"""The turn-based environment as RLlib's masking networks read it: ``observations`` and ``action_mask``, both float32.

    register_env("game", lambda config: rllib_env(env(**config)))

where ``env`` is a game's.
"""

from importlib import import_module
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

__all__ = ["RLlibObservations", "rllib_env"]


def rllib_env(env: AECEnv) -> Any:
    """A turn-based environment in RLlib's ``PettingZooEnv``, with the observations of `RLlibObservations`.

    Raises:
        ImportError: RLlib is not installed.
    """
    try:
        wrappers = import_module("ray.rllib.env.wrappers.pettingzoo_env")
    except ImportError as missing:
        raise ImportError(f"rllib_env needs RLlib: pip install 'ray[rllib]' torch ({missing})") from None
    return wrappers.PettingZooEnv(RLlibObservations(env))


class RLlibObservations(BaseWrapper):
    """Renames ``observation`` to ``observations``, and makes it and the mask float32: nothing else changes.

    ``ActionMaskingTorchRLModule`` of RLlib's examples looks for these two keys, and its networks for such numbers. This
    wrapper needs no RLlib itself.

    Args:
        env: a turn-based environment, ``env(...)`` of a game's module.
    """

    def __init__(self, env: AECEnv) -> None:
        super().__init__(env)
        self._spaces = {agent: self._space_of(agent) for agent in env.possible_agents}

    def _space_of(self, agent: str) -> spaces.Dict:
        space: Any = self.env.observation_space(agent)
        parts = {"action_mask": space["action_mask"], "observations": space["observation"]}
        return spaces.Dict({name: spaces.Box(0, 1, part.shape, np.float32) for name, part in parts.items()})

    def observation_space(self, agent: str) -> spaces.Space:
        """The same object each time."""
        return self._spaces[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What ``agent`` may know now: ``observations`` float32 (n,) and ``action_mask`` float32 (A,)."""
        view: Any = super().observe(agent)
        parts = {"action_mask": view["action_mask"], "observations": view["observation"]}
        return {name: part.astype(np.float32) for name, part in parts.items()}
