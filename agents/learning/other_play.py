"""Other-Play (Hu et al. 2020): self-play in which every player knows the suits by other names.

    hanabako train --algorithm other_play --preset small --minutes 5

At the start of a game each seat draws a new order of the alike suits, and until the end sees the game, and names suits
in its actions, in that order. No private meaning of a single suit can then help, so what players learn does not depend
on names that players who never met could not agree on. All else is `agents.ppo`, with a dense network: one that is
symmetric in the suits (`agents.networks.symmetric`) has this property by its form, and needs no such training.

Where it departs from the paper: PPO without memory in place of recurrent Q-learning, and no auxiliary task.
"""

from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hanabako.compiler.jit import kernel
from hanabako.engine.bits import ONE, ZERO, popcount
from hanabako.games import game_of

from . import ppo
from .common.algorithms import command_line
from .common.ranks import Ranks
from .common.selfplay import SelfPlayEnvs
from .ppo import PPO

__all__ = ["Args", "OtherPlay", "RenamedSuits"]


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train one network to play every seat, each of which knows the suits by other names."""

    network: Literal["auto", "symmetric", "dense", "recurrent"] = "dense"
    """The kind of network; to one that is symmetric in the suits this training is no different."""


class RenamedSuits(SelfPlayEnvs):
    """Self-play in which each seat of each game has its own order of the alike suits.

    Raises:
        ValueError: the game has fewer than two suits that the rules cannot tell apart.
    """

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, threads: int = 1) -> None:
        layout = game_of(config).layout(config)
        if len(layout.alike_suits) < 2:
            raise ValueError(f"Other-Play needs suits that are alike; {game_of(config).name} has none here")
        renamings = [layout.renaming(order) for order in permutations(range(len(layout.alike_suits)))]
        self._bits = np.array([np.argsort(bits) for bits, _ in renamings])
        self._real_actions = torch.from_numpy(np.array([actions for _, actions in renamings]))
        self._generator = ranks.generator(seed)
        self._renaming = self._drawn(games // ranks.world, config.players)
        super().__init__(config, games, seed, ranks, threads)

    def _drawn(self, games: int, players: int) -> Tensor:
        """New renamings, (games, players) int64."""
        return torch.randint(len(self._bits), (games, players), generator=self._generator)

    def _begin(self, games: NDArray[np.bool_]) -> None:
        drawn = self._drawn(*self._renaming.shape)
        self._renaming = torch.where(torch.from_numpy(games)[:, None], drawn, self._renaming)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """See `SelfPlayEnvs.step`; actions name suits as their player knows them."""
        return super().step(self._real_actions[self._own_renaming(), actions.cpu()])

    def _own_renaming(self) -> Tensor:
        """The renaming of each game's player to move, (games,) int64."""
        return self._renaming[torch.arange(self.games), self.players]

    def _show(self) -> None:
        super()._show()
        own = self._own_renaming()
        words = self.observations.numpy().view(np.uint64)
        renamed = np.zeros_like(words)
        move_bits(words, self._bits, own.numpy(), renamed)
        self.observations = torch.from_numpy(renamed.view(np.int64))
        self.masks = self.masks.gather(1, self._real_actions[own])

    def state(self) -> dict[str, NDArray[Any]]:
        """See `SelfPlayEnvs.state`."""
        own = {"renaming": self._renaming.numpy(), "renaming_generator": self._generator.get_state().numpy()}
        return super().state() | own

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """See `SelfPlayEnvs.restore`."""
        games = dict(state)
        self._generator.set_state(torch.from_numpy(games.pop("renaming_generator")))
        self._renaming = torch.from_numpy(games.pop("renaming"))
        super().restore(games)


@kernel
def move_bits(words, places, which, out):
    """Set in row r of ``out``, (rows, words), bit ``places[which[r], b]`` for every bit b set in that of ``words``."""
    for row in range(words.shape[0]):
        for w in range(words.shape[1]):
            left = words[row, w]
            while left != ZERO:
                bit = 64 * w + np.int64(popcount((left - ONE) & ~left))
                left &= left - ONE
                place = places[which[row], bit]
                out[row, place >> 6] |= ONE << np.uint64(place & 63)


class OtherPlay(PPO):
    """`agents.learning.ppo.PPO` in games whose seats know the suits by other names."""

    Envs = RenamedSuits


if __name__ == "__main__":
    command_line(__spec__.name)
