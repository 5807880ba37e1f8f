"""MAPPO (Yu et al. 2022): masked PPO whose critic, while it learns, sees what all players see.

    hanabako train --algorithm mappo --preset mini --minutes 1
    hanabako train --algorithm mappo --preset standard --players 4

The policy is that of `agents.ppo`, and so is everything but the value: it comes from a second network of the same kind
and size, which reads the observations of all players, the one to move first, then the others in turn order. Between
them they see every card that is dealt. Only the policy is evaluated and kept.

Where it departs from the paper: one optimizer and learning rate for both networks, values neither normalized nor
clipped, one pass over each rollout, and a state made of all observations and nothing more.
"""

import numpy as np
import torch
from torch import Tensor

from ..networks.kinds import NETWORKS
from ..networks.network import Network
from .common.algorithms import command_line
from .common.selfplay import SelfPlayEnvs
from .ppo import PPO, Args

__all__ = ["MAPPO", "ActorCritic", "Args", "EveryView"]


class EveryView(SelfPlayEnvs):
    """Self-play whose ``observations`` (games, players * words) are those of all players, the player to move first."""

    def _show(self) -> None:
        super()._show()
        views = self._env.observe_all()["observation"]
        players = views.shape[1]
        order = (self.players.numpy()[:, None] + np.arange(players)) % players
        turned = np.take_along_axis(views, order[:, :, None], 1)
        self.observations = torch.from_numpy(turned.reshape(self.games, -1).view(np.int64))


class ActorCritic(Network):
    """A network that plays from the first of the views it is given, and one that values the position from them all."""

    def __init__(self, actor: Network, critic: Network) -> None:
        torch.nn.Module.__init__(self)
        self.actor, self.critic = actor, critic

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.forward`."""
        return self.actor(words[:, : self.actor.words].contiguous())[0], self.critic(words)[1]

    def step(self, words: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        """See `Network.step`; the critic has no memory."""
        logits, _, after = self.actor.step(words[:, : self.actor.words].contiguous(), memory)
        return logits, self.critic(words)[1], after

    def initial_memory(self, count: int) -> Tensor | None:
        """See `Network.initial_memory`."""
        return self.actor.initial_memory(count)

    def rounded(self) -> "ActorCritic":
        """See `Network.rounded`."""
        return ActorCritic(self.actor.rounded(), self.critic.rounded())


class MAPPO(PPO):
    """`agents.learning.ppo.PPO` with a critic of its own."""

    Envs = EveryView

    def with_critic(self, network: Network) -> Network:
        """The network that plays, and its critic (for a network with memory a dense one)."""
        kind = network.kind if network.initial_memory(1) is None else "dense"
        config, width = self.envs.config, network.settings["width"]
        critic = NETWORKS[kind](config, width=width, layers=network.settings["layers"], views=config.players)
        return ActorCritic(network, self.args.ready(critic, self.envs.opening_bits(), self.ranks.device))


if __name__ == "__main__":
    command_line(__spec__.name)
