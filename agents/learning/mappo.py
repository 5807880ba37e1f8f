"""MAPPO (Yu et al. 2022): masked PPO with a centralized critic, which sees the observations of all players.

    hanabako train --algorithm mappo --preset mini --minutes 1
    hanabako train --algorithm mappo --preset standard --players 4

Everything but the value is as in PPO. Values come from a second network of the same size, and of the same kind
but for memory. It reads the observations of all players: first the player to move, then the others in turn order.
Together they show every card that is dealt. Only the policy is evaluated and saved. Differences from the paper: both
networks share one optimizer and learning rate, and the critic's state is the observations of all players only.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from typing_extensions import override

from ..networks.kinds import NETWORKS
from ..networks.network import Network, Outputs
from . import ppo
from .common.selfplay import EveryView

FORGETFUL = {"recurrent": "dense", "recurrent-symmetric": "symmetric"}
"""The kinds of critics for actors with memory."""


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train one network to play every seat, with a critic that sees all views."""

    games_class = EveryView
    alone = "the network plays every seat"


class ActorCritic(Network):
    """An actor that reads the first observation, and a critic that reads the observations of all players."""

    def __init__(self, actor: Network, critic: Network) -> None:
        torch.nn.Module.__init__(self)
        self.actor, self.critic = actor, critic

    @override
    def step(self, words: Tensor, memory: Tensor | None = None) -> Outputs:
        own = words[:, : self.actor.words].contiguous()
        return self.actor.step(own, memory)._replace(values=self.critic.step(words).values)

    @override
    def replay(self, words: Tensor, memory: Tensor, players: Tensor, dones: Tensor) -> Outputs:
        own, values = words[..., : self.actor.words].contiguous(), self.critic.step(words.flatten(0, 2)).values
        return self.actor.replay(own, memory, players, dones)._replace(values=values)

    @override
    def rounded(self) -> "ActorCritic":
        return ActorCritic(self.actor.rounded(), self.critic.rounded())


class MAPPO(ppo.PPO):
    """`agents.learning.ppo.PPO` with a separate critic, which has no memory."""

    @override
    def with_critic(self, network: Network) -> Network:
        kind = FORGETFUL.get(network.kind, network.kind)
        config, width = self.envs.config, network.settings["width"]
        critic = NETWORKS[kind](config, width=width, layers=network.settings["layers"], views=config.players)
        return ActorCritic(network, self.args.ready(critic, config, self.envs.opening_bits(), self.ranks.device))
