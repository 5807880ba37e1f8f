"""The vector environment as a ``VecEnv`` of Stable Baselines3. Needs ``pip install sb3-contrib``.

    agent = MaskablePPO("MultiInputPolicy", SB3VecEnv(envs))

Here ``envs`` is a game's vector environment, or a vector environment of one seat (``gymnasium.make_vec`` with an id
that ends with ``Seat-v0``). A step is one compiled call, instead of one Python call per game.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from hanabako.envs.vector import CardGameVectorEnv
from hanabako.envs.vector_seat import VectorSeatEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:  # the class can then be imported, but not instantiated
    VecEnv = object

__all__ = ["SB3VecEnv"]

BY_INDEX = ("to_dict", "action_to_str", "str_to_action")
"""Methods of the vector environment whose first argument is a table's index."""


class SB3VecEnv(VecEnv):
    """A vector environment for SB3's algorithms.

    Each row is the observation of the player to move or, in a single-seat environment, of that seat.

    Rewards are float32 (N,), and ``env_method("action_masks")`` returns bool masks, as ``MaskablePPO`` expects. Infos
    are one dict per table, empty until a game ends there. Then the dict holds ``terminal_observation``, ``returns``
    (of every player, float64 (P,)), ``illegal``, ``length`` and the game's statistics. ``VecMonitor`` can wrap it.

    In self-play, consecutive rows of a table belong to different players. SB3's algorithms treat them as one player's
    trajectory. That is right in cooperative games and wrong in competitive ones: train the latter on one seat.

    Args:
        envs: a game's vector environment, for self-play or for one seat. It must have ``autoreset_mode`` SAME_STEP
            (SB3's own mode), ``copy=True`` (SB3 keeps an observation during the next step) and observations ``"int8"``
            or ``"float32"``.

    Raises:
        ImportError: Stable Baselines3 is not installed.
        ValueError: ``envs`` is not such an environment.
    """

    def __init__(self, envs: CardGameVectorEnv | VectorSeatEnv | VectorEnv) -> None:
        if VecEnv is object:
            raise ImportError("SB3VecEnv needs Stable Baselines3: pip install sb3-contrib")
        envs = envs.unwrapped if isinstance(envs, VectorEnv) else envs
        if not isinstance(envs, (CardGameVectorEnv, VectorSeatEnv)):
            raise ValueError(f"envs must be a vector environment of one of our games, got {type(envs).__name__}")  # noqa: TRY004 - as for every wrong argument
        if envs.autoreset_mode != AutoresetMode.SAME_STEP:
            raise ValueError(f"envs must have autoreset_mode SameStep, got {envs.autoreset_mode.value}")
        if envs.observation_format == "packed":
            raise ValueError("envs must have observation 'int8' or 'float32', got 'packed'")
        if isinstance(envs, CardGameVectorEnv) and not envs.copy_buffers:
            raise ValueError("envs must have copy=True, got False: SB3 keeps observations over the next step")
        self.envs = envs
        self._actions: Any = None
        self._legal = np.zeros((envs.num_envs, envs.game.num_actions), np.bool_)
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> dict[str, np.ndarray]:
        """Begin games with the seed and options that were set before, which must be the same for all tables.

        The first seed serves all of them.
        """
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ValueError("options must be the same for all tables: give a dict from table to value in one of them")
        observation, _ = self.envs.reset(seed=self._seeds[0], options=options or None)
        self._reset_seeds()
        self._reset_options()
        self._legal = observation["action_mask"] != 0
        return observation

    def step_async(self, actions: Any) -> None:
        """Store the actions (N,) for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Return the next observations, rewards float32 (N,), ended games bool (N,), and infos."""
        observation, rewards, ended, _, infos = self.envs.step(self._actions)
        self._legal = observation["action_mask"] != 0
        per_table: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            final = infos["final_obs"]
            statistics = {name[1:] for name in infos if name[0] == "_"} - {"final_obs"}
            for i in np.flatnonzero(ended):
                per_table[i] = {name: infos[name][i] for name in statistics}
                per_table[i]["terminal_observation"] = {name: rows[i] for name, rows in final.items()}
        return observation, rewards.astype(np.float32), ended, per_table

    def close(self) -> None:
        """Close the vector environment."""
        self.envs.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return the pixels of every table; ``envs`` needs ``render_mode="rgb_array"``."""
        pixels: Any = self.envs.render() if self.envs.render_mode else None
        return pixels or [None] * self.num_envs

    # --- Methods for single tables ------------------------------------------------------------------------------------

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method for every requested table: ``action_masks`` or, in self-play only, one of `BY_INDEX`."""
        if method_name == "action_masks":
            return [self._legal[i] for i in self._get_indices(indices)]
        known = [name for name in BY_INDEX if hasattr(self.envs, name)]
        if method_name not in known:
            raise AttributeError(f"tables have the methods {', '.join(['action_masks', *known])}, not {method_name}")
        call = getattr(self.envs, method_name)
        return [call(i, *method_args, **method_kwargs) for i in self._get_indices(indices)]

    def action_masks(self) -> np.ndarray:
        """Return the mask of legal actions, bool (N, A)."""
        return self._legal

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the vector environment, repeated for every requested table."""
        owner = self if attr_name == "action_masks" else self.envs
        return [getattr(owner, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise AttributeError, because tables share their attributes."""
        raise AttributeError(f"tables share their attributes: {attr_name} cannot be set at some of them")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return ``False`` for every requested table: single tables have no Gymnasium wrappers."""
        return [False for _ in self._get_indices(indices)]

    def _get_indices(self, indices: Any) -> Any:
        """Return the indices that SB3 means: ``None`` for all tables, one number, or several."""
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, (int, np.integer)) else indices
