"""Self-play against a league of past versions of the learner, for the competitive games.

    hanabako train --algorithm league --game koikoi --minutes 30
    hanabako train --game koikoi --partners runs/NAME/policy.safetensors --minutes 30   # how exploitable is it?

Plain self-play can run in circles, each version beating the one before and losing to an older one. Fictitious play
trains a best response to the average of all past strategies; neural fictitious self-play (Heinrich and Silver 2016,
after Heinrich, Lanctot and Silver 2015) and AlphaStar's league (Vinyals et al. 2019) do so with networks. Here PPO
plays half of its games at every seat, as PPO does. In the other half it has one seat among past versions of
itself, frozen at equal intervals of the run. Unlike the papers, past versions are drawn uniformly: they are neither
averaged into another network nor chosen by how often they win, and there are no exploiters.

What the second command wins is a lower bound of the network's exploitability.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from typing_extensions import override

from hanabako.games import game_named

from ..networks.network import Network
from ..networks.neural_policy import NeuralPolicy
from . import ppo
from .common.partners import PartnersEnvs, one_seat
from .common.ranks import Ranks

SNAPSHOTS = 8
"""Number of equal parts of a run; after each but the last, the network joins the league."""
SELF_PLAY = 50
"""Percentage of games in which the learner has every seat."""


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train one network to play a competitive game against itself and past versions of itself."""

    alone = "they are past versions of the learner"

    game: str = "koikoi"
    """The game to learn; it must be competitive."""

    @override
    def check(self, world: int) -> None:
        super().check(world)
        if game_named(self.game).cooperative:
            raise ValueError(f"game must be a competitive one for a league, got {self.game}")

    @override
    def make_envs(self, config: Any, ranks: Ranks) -> PartnersEnvs:
        return PartnersEnvs(config, self.games, self.seed, ranks, plan=partial(one_seat, self_play=SELF_PLAY))


class League(ppo.PPO):
    """PPO whose past versions join its games: an `agents.learning.common.trainer.Algorithm`."""

    @override
    def learn(self, fraction: float) -> dict[str, float]:
        if len(self.envs.members) < min(int(fraction * SNAPSHOTS), SNAPSHOTS):
            self.admit(self.network)
        return super().learn(fraction) | {"league": len(self.envs.members)}

    def admit(self, network: Network) -> None:
        """Add a frozen copy of the network; it samples its actions, which makes it a mixed strategy."""
        self.envs.admit(NeuralPolicy(network, self.envs.config, greedy=False))

    @override
    def state(self) -> dict[str, Any]:
        return super().state() | {"members": [member.network.state_dict() for member in self.envs.members]}

    @override
    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        for weights in state["members"]:
            self.admit(self.as_saved(weights))
