"""The games that a rank learns from, side by side: self-play, with the learner at every seat."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hanabako.engine.game import Game
from hanabako.games import game_of

from .ranks import Ranks

__all__ = ["SelfPlayEnvs"]

STATISTICS = ("score", "length", "fireworks_score")
"""What the log tells of finished games, if the game counts it."""


class SelfPlayEnvs:
    """This rank's games and what their players to move observe; a finished game is followed by the next at once.

    Args:
        config: what is played.
        games: how many at a time, all ranks together.
        seed: of the deals; every rank has its own.
        ranks: share the games evenly.
        threads: of the simulator, on each rank.
    """

    observations: Tensor
    """(games, words) int64: packed, of the player to move."""
    masks: Tensor
    """(games, actions) int8: 1 for a legal action."""
    players: Tensor
    """(games,) int64: who is to move."""

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, threads: int = 1) -> None:
        self.config = config
        self.ranks = ranks
        self.games = games // ranks.world
        self.cooperative = game_of(config).cooperative
        self.decisions = 0
        """Made so far, on this rank."""
        self._finished = np.zeros(1 + 2 * len(STATISTICS))
        """Games that ended since `statistics`; of each of these a sum, and of how many games it is."""
        streams = np.random.SeedSequence(seed).spawn(ranks.world)
        self._reset(int(streams[ranks.rank].generate_state(1)[0]), threads)

    def _reset(self, seed: int, threads: int) -> None:
        """Deal this rank's first games."""
        compile_once(self.config, self.games, self.ranks)
        self._env = game_of(self.config).vector_env(
            self.games, config=self.config, observation="packed", num_threads=threads, copy=False
        )
        self._seen = self._env.reset(seed=seed)
        self._show()

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return self.masks.shape[1]

    @property
    def game(self) -> Game:
        """What is played, as the loops know it."""
        return self._env.game

    @property
    def tables(self) -> np.ndarray:
        """The games' records (games,), to be read and copied."""
        return self._env.tables

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Make one decision in every game.

        Returns:
            Every player's reward, float32 (games, players), and whether the decision ended its game, bool (games,).
        """
        observation, _, terminations, truncations, infos = self._env.step(actions.cpu().numpy())
        dones = terminations | truncations
        if dones.any():
            self._end_with({name: infos[name][dones] for name in STATISTICS if name in infos})
            self._begin(dones)
        self._seen = observation, infos
        self._show()
        self.decisions += self.games
        return torch.from_numpy(np.asarray(infos["rewards"], np.float32)), torch.from_numpy(dones)

    def _begin(self, games: np.ndarray) -> None:
        """New games begin where ``games``, bool (games,), are set: for those who show them otherwise."""

    def _show(self) -> None:
        """Take what the environment returned (its own buffers, which the next step overwrites)."""
        observation, infos = self._seen
        self.observations = torch.from_numpy(observation["observation"].view(np.int64))
        self.masks = torch.from_numpy(observation["action_mask"])
        self.players = torch.from_numpy(np.asarray(infos["current_player"], np.int64))

    def statistics(self) -> dict[str, float]:
        """Means of `STATISTICS` over all ranks' games that ended since the last call, if any did."""
        games, *sums = self.ranks.sum(torch.from_numpy(self._finished)).tolist()
        self._finished = np.zeros(1 + 2 * len(STATISTICS))
        told = zip(STATISTICS, sums[::2], sums[1::2], strict=True)
        return {name: total / games for name, total, count in told if count} if games else {}

    def _end_with(self, numbers: Mapping[str, np.ndarray]) -> None:
        """Some games have ended: what is told of each, by names of `STATISTICS`, (n,)."""
        self._finished[0] += len(numbers[STATISTICS[0]])
        for k, name in enumerate(STATISTICS):
            if name in numbers:
                self._finished[1 + 2 * k] += numbers[name].sum()
                self._finished[2 + 2 * k] += len(numbers[name])

    def opening_bits(self) -> Tensor:
        """The bits, (words,) int64, that are set in every observation of rank 0: the same on every rank."""
        common = np.bitwise_and.reduce(self.observations.numpy(), axis=0)
        return self.ranks.sum(torch.from_numpy(common) * (self.ranks.rank == 0))

    def state(self) -> dict[str, np.ndarray]:
        """Everything needed to go on, as arrays."""
        return {name: np.asarray(value) for name, value in self._env.get_state().items()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """The inverse of `state`; the environment's buffers show the restored games at once."""
        self._env.set_state({name: value if value.ndim else value.item() for name, value in state.items()})
        self._show()


def compile_once(config: Any, games: int, ranks: Ranks) -> None:
    """Compile the game on one rank per machine, for the others to find it in Numba's cache."""
    if ranks.is_first:
        game_of(config).compile(config, games)
    ranks.wait()
