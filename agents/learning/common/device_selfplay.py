"""Self-play whose games are on the GPU that holds the network, so that a rollout waits for nothing."""

import torch
from torch import Tensor

from hanabako.games import game_of

from .selfplay import STATISTICS, SelfPlayEnvs

__all__ = ["DeviceSelfPlayEnvs"]


class DeviceSelfPlayEnvs(SelfPlayEnvs):
    """`SelfPlayEnvs` with ``device="cuda"``: observations, masks, players and rewards are tensors on the GPU.

    A run may be resumed with its games on the CPU, and the other way round.
    """

    def _reset(self, seed: int, threads: int) -> None:
        self._env = game_of(self.config).vector_env(
            self.games, config=self.config, observation="packed", device="cuda", copy=False
        )
        self._seen = self._env.reset(seed=seed)
        self._show()
        self._finished = torch.zeros(1 + 2 * len(STATISTICS), dtype=torch.float64, device=self.observations.device)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Make one decision in every game: see `SelfPlayEnvs.step`. The host does not learn whether a game ended."""
        observation, _, terminations, _, infos = self._env.step(actions)
        dones = terminations.clone()
        self._finished[0] += dones.sum()
        for k, name in enumerate(STATISTICS):
            if name in infos:
                self._finished[1 + 2 * k] += infos[name].where(dones, 0).sum()
                self._finished[2 + 2 * k] += dones.sum()
        self._seen = observation, infos
        self._show()
        self.decisions += self.games
        return infos["rewards"].float(), dones

    def _show(self) -> None:
        observation, infos = self._seen
        self.observations = observation["observation"].view(torch.int64)
        self.masks, self.players = observation["action_mask"], infos["current_player"]

    def statistics(self) -> dict[str, float]:
        """See `SelfPlayEnvs.statistics`. This waits for the GPU."""
        finished, self._finished = self._finished, torch.zeros_like(self._finished)
        return self._means(finished)
