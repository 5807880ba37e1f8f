"""Self-play whose games are on the GPU that holds the network, so that a rollout waits for nothing."""

from typing import Any

import torch
from torch import Tensor

from hanabako.games import game_of

from .selfplay import STATISTICS, SelfPlayEnvs

__all__ = ["DeviceSelfPlayEnvs"]


class DeviceSelfPlayEnvs(SelfPlayEnvs):
    """`SelfPlayEnvs` with ``device="cuda"``: observations, masks, players and rewards are tensors on the GPU."""

    def _reset(self, seed: int, threads: int) -> None:
        super()._reset(seed, threads)
        self._finished = torch.as_tensor(self._finished, device=self.observations.device)

    def _make_env(self, threads: int) -> Any:
        return game_of(self.config).vector_env(
            self.games, config=self.config, observation="packed", device="cuda", copy=False
        )

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Make one decision in every game: see `SelfPlayEnvs.step`. The host does not learn whether a game ended."""
        observation, _, terminations, _, infos = self._env.step(actions)
        dones = terminations.clone()
        ended = dones.sum()
        self._finished[0] += ended
        for k, name in enumerate(STATISTICS):
            if name in infos:
                self._finished[1 + 2 * k] += infos[name].where(dones, 0).sum()
                self._finished[2 + 2 * k] += ended
        self._seen = observation, infos
        self._show()
        self.decisions += self.games
        return infos["rewards"].float(), dones

    def _show(self) -> None:
        observation, infos = self._seen
        self.observations = observation["observation"].view(torch.int64)
        self.masks, self.players = observation["action_mask"], infos["current_player"]
