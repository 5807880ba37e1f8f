"""MAPPO (Yu et al. 2022): masked PPO with a centralized critic, which sees the observations of all players.

    hanabako train --algorithm mappo --preset mini --minutes 1
    hanabako train --algorithm mappo --preset standard --players 4

Everything but the value is as in PPO. Values come from a second network of the same size, and of the same kind
but for memory. It reads the observations of all players: first the player to move, then the others in turn order.
Together they show every card that is dealt. Only the policy is evaluated and saved.

Differences from the paper: both networks share one optimizer and learning rate, values are neither normalized nor
clipped, there is one pass over each rollout, and the critic's state is the observations of all players only. The critic
of a recurrent actor has no memory.
"""

from typing import Any

import torch
from torch import Tensor

from ..networks.kinds import NETWORKS
from ..networks.network import Network
from .common.algorithms import command_line
from .common.selfplay import EveryView
from .ppo import PPO, Args

__all__ = ["MAPPO", "ActorCritic", "Args"]


FORGETFUL = {"recurrent": "dense", "recurrent-symmetric": "symmetric"}
"""The kinds of critics for actors with memory."""


class ActorCritic(Network):
    """An actor that reads the first observation, and a critic that reads the observations of all players."""

    def __init__(self, actor: Network, critic: Network) -> None:
        torch.nn.Module.__init__(self)
        self.actor, self.critic = actor, critic

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.forward`."""
        return self.step(words, None)[:2]

    def own_view(self, words: Tensor) -> Tensor:
        """Return the observations of the players to move, which come first."""
        return words[:, : self.actor.words].contiguous()

    def step(self, words: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        """See `Network.step`; the critic has no memory."""
        logits, _, after = self.actor.step(self.own_view(words), memory)
        return logits, self.critic(words)[1], after

    def read(self, words: Tensor) -> tuple[Tensor, Any]:
        """See `Network.read`."""
        read, seen = self.actor.read(self.own_view(words))
        return read, (seen, self.critic(words)[1])

    def follow(self, read: Tensor, memories: Tensor, players: Tensor, dones: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.follow`."""
        return self.actor.follow(read, memories, players, dones)

    def decide(self, seen: Any, memory: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.decide`."""
        own, values = seen
        return self.actor.decide(own, memory)[0], values

    def initial_memory(self, count: int) -> Tensor | None:
        """See `Network.initial_memory`."""
        return self.actor.initial_memory(count)

    def rounded(self) -> "ActorCritic":
        """See `Network.rounded`."""
        return ActorCritic(self.actor.rounded(), self.critic.rounded())


class MAPPO(PPO):
    """`agents.learning.ppo.PPO` with a separate critic."""

    Envs = EveryView

    def with_critic(self, network: Network) -> Network:
        """Return the actor together with a new critic, which has no memory."""
        kind = FORGETFUL.get(network.kind, network.kind)
        config, width = self.envs.config, network.settings["width"]
        critic = NETWORKS[kind](config, width=width, layers=network.settings["layers"], views=config.players)
        return ActorCritic(network, self.args.ready(critic, config, self.envs.opening_bits(), self.ranks.device))


if __name__ == "__main__":
    command_line(__spec__.name)
