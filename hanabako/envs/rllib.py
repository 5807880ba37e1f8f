"""The turn-based environment for RLlib's action-masking networks: ``observations`` and ``action_mask``, both float32.

    register_env("game", lambda config: rllib_env(env(**config)))

Here ``env`` is the factory of a game's module.
"""

from importlib import import_module
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

__all__ = ["RLlibObservations", "rllib_env"]


def rllib_env(env: AECEnv) -> Any:
    """Wrap a turn-based environment in `RLlibObservations` and in RLlib's ``PettingZooEnv``."""
    try:
        wrappers = import_module("ray.rllib.env.wrappers.pettingzoo_env")
    except ImportError as missing:
        raise ImportError(f"rllib_env needs RLlib: pip install 'ray[rllib]' torch ({missing})") from None
    return wrappers.PettingZooEnv(RLlibObservations(env))


class RLlibObservations(BaseWrapper):
    """Wrapper that renames ``observation`` to ``observations`` and converts it and the mask to float32.

    ``ActionMaskingTorchRLModule`` of RLlib's examples expects these two keys and this type. The wrapper itself does not
    need RLlib.
    """

    def __init__(self, env: AECEnv) -> None:
        super().__init__(env)
        self._spaces = {agent: self._space_of(agent) for agent in env.possible_agents}

    def _space_of(self, agent: str) -> spaces.Dict:
        space: Any = self.env.observation_space(agent)
        parts = {"action_mask": space["action_mask"], "observations": space["observation"]}
        return spaces.Dict({name: spaces.Box(0, 1, part.shape, np.float32) for name, part in parts.items()})

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the observation space of an agent: the same object on every call."""
        return self._spaces[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of ``agent``: ``observations`` float32 (n,) and ``action_mask`` float32 (A,)."""
        view: Any = super().observe(agent)
        parts = {"action_mask": view["action_mask"], "observations": view["observation"]}
        return {name: part.astype(np.float32) for name, part in parts.items()}
