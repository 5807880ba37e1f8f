"""Self-play against a league of past versions of the learner, for the competitive games.

    hanabako train --algorithm league --game koikoi --minutes 30
    hanabako train --game koikoi --partners runs/NAME/policy.safetensors --minutes 30   # how exploitable is it?

Plain self-play can run in circles, each version beating the one before and losing to an older one. Fictitious play
trains a best response to the average of all past strategies; neural fictitious self-play (Heinrich and Silver 2016,
after Heinrich, Lanctot and Silver 2015) and AlphaStar's league (Vinyals et al. 2019) do so with networks. Here PPO
plays half of its games at every seat, as PPO does. In the other half it has one seat among past versions of
itself, frozen at equal intervals of the run. Unlike the papers, past versions are drawn uniformly: they are neither
averaged into another network nor chosen by how often they win, and there are no exploiters.

To measure how exploitable a result is, train an approximate best response against the frozen network (the second
command). What it wins is a lower bound of the network's exploitability.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.games import game_named

from ..networks.network import Network
from ..networks.neural_policy import NeuralPolicy
from ..playing.seating import sit_down
from . import ppo
from .common.algorithms import command_line
from .common.partners import PartnersEnvs, drawn
from .common.ranks import Ranks
from .common.selfplay import SelfPlayEnvs

SNAPSHOTS = 8
"""Number of equal parts of a run; after each but the last, the network joins the league."""
SELF_PLAY = 50
"""Percentage of games in which the learner has every seat."""
COIN = 64
"""Counter of the random draw that decides whether a game is self-play; seats and members use smaller counters."""


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train one network to play a competitive game against itself and past versions of itself."""

    game: str = "koikoi"
    """The game to learn; it must be competitive."""

    def check(self, world: int) -> None:
        """See `agents.learning.common.settings.Settings.check`."""
        super().check(world)
        if game_named(self.game).cooperative:
            raise ValueError(f"game must be a competitive one for a league, got {self.game}")
        if self.pool:
            raise ValueError(f"a league's partners are its own past versions, got {', '.join(self.pool)}")


class LeagueEnvs(PartnersEnvs):
    """Games of pure self-play, and games at one seat among the members, which join over time.

    The arguments are those of `SelfPlayEnvs`; the simulator uses one thread.
    """

    self_play = SELF_PLAY
    """Percentage of self-play once there are members."""

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, threads: int = 1) -> None:
        del threads
        super().__init__(config, games, seed, ranks, [])

    def draw(self, rows: NDArray[np.int64], streams: NDArray[np.uint64]) -> None:
        """See `PartnersEnvs.draw`."""
        super().draw(rows, streams)
        alone = rows if not self.members else rows[drawn(streams, COIN, 100) < self.self_play]
        self.learners[alone] = np.uint64(2**self.config.players - 1)
        for seated in self._seated:
            seated.seats[alone] = 0

    def admit(self, member: NeuralPolicy) -> None:
        """Add a member; it may be drawn for games that begin from now on."""
        seated = sit_down(member, self.block, range(self.config.players))
        seated.begin()
        seated.seats[:] = 0
        self.members.append(member)
        self._seated.append(seated)


class League(ppo.PPO):
    """PPO whose past versions join its games: an `agents.learning.common.trainer.Algorithm`."""

    Envs = LeagueEnvs

    def __init__(self, args: ppo.Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        assert isinstance(envs, LeagueEnvs)
        super().__init__(args, envs, ranks)
        self.league = envs
        self.networks: list[Network] = []
        """The members' networks."""

    def learn(self, fraction: float) -> dict[str, float]:
        """See `agents.learning.ppo.PPO.learn`; first adds the network to the league if it is time."""
        if len(self.league.members) < min(int(fraction * SNAPSHOTS), SNAPSHOTS):
            self.admit(self.network)
        return super().learn(fraction) | {"league": len(self.league.members)}

    def admit(self, network: Network) -> None:
        """Add a frozen copy of the network; it samples its actions, which makes it a mixed strategy."""
        member = NeuralPolicy(network, self.league.config, greedy=False)
        self.networks.append(member.network)
        self.league.admit(member)

    def state(self) -> dict[str, Any]:
        """See `agents.learning.common.trainer.Algorithm.state`."""
        return super().state() | {"members": [network.state_dict() for network in self.networks]}

    def restore(self, state: dict[str, Any]) -> None:
        """See `agents.learning.common.trainer.Algorithm.restore`."""
        super().restore(state)
        for weights in state["members"]:
            network = self.network.rounded()
            network.load_state_dict(weights)
            self.admit(network)


if __name__ == "__main__":
    command_line(__spec__.name)
