"""The games that a rank of `agents.ppo` learns from, side by side."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from hanabako.games import game_of

from .ranks import Ranks


class Tables:
    """This rank's games and what their players to move observe."""

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks) -> None:
        streams = np.random.SeedSequence(seed).spawn(ranks.world)
        self.games = games // ranks.world
        compile_once(config, self.games, ranks)
        self.env = game_of(config).vector_env(self.games, config=config, observation="packed", copy=False)
        self.observe(*self.env.reset(seed=int(streams[ranks.rank].generate_state(1)[0])))

    def observe(self, observation: dict[str, np.ndarray], infos: dict[str, Any]) -> None:
        """Take what the environment returned (its own buffers, which the next step overwrites)."""
        self.words = torch.from_numpy(observation["observation"].view(np.int64))
        self.masks = torch.from_numpy(observation["action_mask"])
        self.seats = torch.from_numpy(np.asarray(infos["current_player"], np.int64))

    def state(self) -> dict[str, np.ndarray]:
        """Everything needed to go on, as arrays."""
        return {name: np.asarray(value) for name, value in self.env.get_state().items()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """The inverse of `state`; the environment's buffers show the restored games at once."""
        self.env.set_state({name: value if value.ndim else value.item() for name, value in state.items()})


def compile_once(config: Any, games: int, ranks: Ranks) -> None:
    """Compile the game on rank 0, so that the others find it in Numba's cache."""
    if ranks.rank == 0:
        game_of(config).compile(config, games)
    ranks.wait()


def common_bits(words: Tensor) -> Tensor:
    """The bits (words,) that are set in every row of ``words`` (rows, words)."""
    return torch.from_numpy(np.bitwise_and.reduce(words.numpy(), axis=0))
