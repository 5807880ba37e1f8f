"""Games of Other-Play: self-play in which every seat sees the suits under different names."""

from collections.abc import Callable
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed
from hanabako.engine.bits import ONE, ZERO, popcount
from hanabako.games import game_of

from .ranks import Ranks
from .selfplay import SelfPlayEnvs


class RenamedSuits(SelfPlayEnvs):
    """Self-play in which each seat of each game has its own order of the two or more interchangeable suits."""

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, threads: int = 1) -> None:
        layout = game_of(config).layout(config)
        if len(layout.alike_suits) < 2:
            raise ValueError(f"Other-Play needs interchangeable suits; {game_of(config).name} has none here")
        renamings = [layout.renaming(order) for order in permutations(range(len(layout.alike_suits)))]
        self._bits = np.array([np.argsort(bits) for bits, _ in renamings])
        self._real_actions = torch.from_numpy(np.array([actions for _, actions in renamings]))
        self._generator = ranks.generator(seed)
        self._renaming = self._drawn(games // ranks.world, config.players)
        super().__init__(config, games, seed, ranks, threads)

    def _drawn(self, games: int, players: int) -> Tensor:
        """Return new renamings, (games, players) int64."""
        return torch.randint(len(self._bits), (games, players), generator=self._generator)

    @override
    def _begin(self, dones: Tensor) -> None:
        if dones.any():
            drawn = self._drawn(*self._renaming.shape)
            self._renaming = torch.where(dones[:, None], drawn, self._renaming)

    @override
    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        return super().step(self._real_actions[self._own_renaming(), actions.cpu()])

    def _own_renaming(self) -> Tensor:
        """Return the renaming of each game's player to move, (games,) int64."""
        return self._renaming[torch.arange(self.games), self.players]

    @override
    def _show(self) -> None:
        super()._show()
        own = self._own_renaming()
        words = self.observations.numpy().view(np.uint64)
        renamed = np.zeros_like(words)
        bit_mover()(words, self._bits, own.numpy(), renamed)
        self.observations = torch.from_numpy(renamed.view(np.int64))
        self.masks = self.masks.gather(1, self._real_actions[own])

    @override
    def state(self) -> dict[str, NDArray[Any]]:
        own = {"renaming": self._renaming.numpy(), "renaming_generator": self._generator.get_state().numpy()}
        return super().state() | own

    @override
    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        games = dict(state)
        self._generator.set_state(torch.from_numpy(games.pop("renaming_generator")))
        self._renaming = torch.from_numpy(games.pop("renaming"))
        super().restore(games)


@cache
def bit_mover() -> Callable[..., None]:
    """Return a loop: a bit b that is set in row r of ``words`` sets bit ``places[which[r], b]`` in row r of ``out``."""
    digest = digest_of(popcount, bit_mover)

    @kernel
    def move_bits(words, places, which, out):
        for row in range(keyed(words.shape[0], digest)):
            for w in range(words.shape[1]):
                left = words[row, w]
                while left != ZERO:
                    bit = 64 * w + np.int64(popcount((left - ONE) & ~left))
                    left &= left - ONE
                    place = places[which[row], bit]
                    out[row, place >> 6] |= ONE << np.uint64(place & 63)

    return move_bits
