"""The parallel games that a rank learns from: self-play, with the learner at every seat."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hanabako.engine.game import Game
from hanabako.games import game_of

from .ranks import Ranks

__all__ = ["EveryView", "SelfPlayEnvs", "paid"]

STATISTICS = ("score", "length", "fireworks_score")
"""Statistics of finished games for the log, if the game has them."""


class SelfPlayEnvs:
    """This rank's games and the observations of the players to move; a finished game is followed by the next at once.

    Args:
        config: the game's config.
        games: number of parallel games, all ranks together.
        seed: seed of the deals; every rank derives its own from it.
        ranks: the ranks, which share the games evenly.
        threads: threads of the simulator on each rank.
    """

    observations: Tensor
    """(games, words) int64: packed observations of the players to move."""
    masks: Tensor
    """(games, actions) int8: 1 for a legal action."""
    players: Tensor
    """(games,) int64: the player to move."""

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, threads: int = 1) -> None:
        self.config = config
        self.ranks = ranks
        self.games = games // ranks.world
        self.cooperative = game_of(config).cooperative
        self.decisions = 0
        """Number of decisions made so far on this rank."""
        self._finished: Any = np.zeros(1 + 2 * len(STATISTICS))
        """The number of games that ended since `statistics`; then a sum and a count for each of `STATISTICS`."""
        streams = np.random.SeedSequence(seed).spawn(ranks.world)
        self._reset(int(streams[ranks.rank].generate_state(1)[0]), threads)

    def _reset(self, seed: int, threads: int) -> None:
        """Deal this rank's first games."""
        self._env = self._make_env(threads)
        self._seen = self._env.reset(seed=seed)
        self._show()

    def _make_env(self, threads: int) -> Any:
        """Return the vector environment of this rank's games."""
        compile_once(self.config, self.games, self.ranks)
        return game_of(self.config).vector_env(
            self.games, config=self.config, observation="packed", num_threads=threads, copy=False
        )

    @property
    def actions(self) -> int:
        """The number of actions."""
        return self.masks.shape[1]

    @property
    def game(self) -> Game:
        """The game's rules and loops."""
        return self._env.game

    @property
    def frozen(self) -> Any:
        """The rules to which loops over `tables` can be specialized; None if only generic loops fit their records."""
        return self.game.rules if self.tables.dtype == self.game.table_dtype(specialize=True) else None

    @property
    def tables(self) -> np.ndarray:
        """The games' records (games,), for reading and copying."""
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

    def priced(self, rewards: Tensor, price: float) -> Tensor:
        """Return the rewards of the last step as they are if losing a cooperative game costs a part of its points.

        Args:
            rewards: (games, n), those of `step`, of all players or of the first n.
            price: the fraction of its points that losing a game costs, 0 to 1.
        """
        return paid(rewards, price)

    def _begin(self, games: np.ndarray) -> None:
        """Called when new games begin where ``games``, bool (games,), is set; a hook for subclasses."""

    def _show(self) -> None:
        """Update observations, masks and players from the environment's buffers, which the next step overwrites."""
        observation, infos = self._seen
        self.observations = torch.from_numpy(observation["observation"].view(np.int64))
        self.masks = torch.from_numpy(observation["action_mask"])
        self.players = torch.from_numpy(np.asarray(infos["current_player"], np.int64))

    def statistics(self) -> dict[str, float]:
        """Return the means of `STATISTICS` over the games of all ranks that ended since the last call, if any did."""
        finished, self._finished = torch.as_tensor(self._finished), 0 * self._finished
        games, *sums = self.ranks.sum(finished).tolist()
        told = zip(STATISTICS, sums[::2], sums[1::2], strict=True)
        return {name: total / games for name, total, count in told if count} if games else {}

    def _end_with(self, numbers: Mapping[str, np.ndarray]) -> None:
        """Count n finished games, given their statistics (n,) by the names in `STATISTICS`."""
        self._finished[0] += len(numbers[STATISTICS[0]])
        for k, name in enumerate(STATISTICS):
            if name in numbers:
                self._finished[1 + 2 * k] += numbers[name].sum()
                self._finished[2 + 2 * k] += len(numbers[name])

    def opening_bits(self) -> Tensor:
        """Return the bits set in every observation of rank 0, (words,) int64, the same on every rank.

        Call it in opening positions.
        """
        common = np.bitwise_and.reduce(self.observations.cpu().numpy(), axis=0)
        return self.ranks.sum(torch.from_numpy(common) * (self.ranks.rank == 0))

    def state(self) -> dict[str, np.ndarray]:
        """Return everything needed to continue, as arrays."""
        return {name: np.asarray(value) for name, value in self._env.get_state().items()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """The inverse of `state`; observations, masks and players are those of the restored games."""
        self._env.set_state({name: value if value.ndim else value.item() for name, value in state.items()})
        self._show()


class EveryView(SelfPlayEnvs):
    """Self-play with ``observations`` (games, players * words) of all players, the player to move first."""

    def _show(self) -> None:
        super()._show()
        views = self._env.observe_all()["observation"]
        players = views.shape[1]
        order = (self.players.numpy()[:, None] + np.arange(players)) % players
        turned = np.take_along_axis(views, order[:, :, None], 1)
        self.observations = torch.from_numpy(turned.reshape(self.games, -1).view(np.int64))


def paid(rewards: Tensor, price: float) -> Tensor:
    """Return rewards of single decisions, those of lost games multiplied by ``price``: only those are negative."""
    return torch.where(rewards < 0, price * rewards, rewards)


def compile_once(config: Any, games: int, ranks: Ranks) -> None:
    """Compile the game on one rank; the others load it from Numba's cache."""
    with ranks.one_first():
        game_of(config).compile(config, games)
