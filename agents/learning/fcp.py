"""Fictitious Co-Play (Strouse et al. 2021): a best response to several players and to their past versions.

    hanabako train --algorithm fcp --preset standard --minutes 60 --population 8

First some players are trained in self-play, one after the other, as in PPO. Each has weights of its own, and
so its own conventions. Three versions of each are frozen: the untrained one, one with half of the final score, and the
last. Then a new network learns with them as partners: it has one seat in every game, and a version is drawn for each of
the others. Some partners are skilled and have different conventions, others are not, and the network must do well with
all of them. Partners sample their actions, which do not count in a budget of decisions. Only the new network is the
result; evaluations before it begins are those of the population's players, one by one.

Differences from the paper, whose game is Overcooked: the population is trained within the run's own budget, so that the
algorithm's cost is compared as a whole. It therefore has 4 players by default instead of 32. PPO replaces V-MPO. The
version with half of the score is chosen by its score in training, with the last action still hidden, of 16 versions.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from typing_extensions import override

from hanabako.games import game_named
from hanabako.words.checks import shown
from hanabako.words.ranges import Size, Within

from ..networks.network import Network
from ..networks.neural_policy import NeuralPolicy
from . import ppo
from .common.network_learner import Memories
from .common.partners import PartnersEnvs
from .common.ranks import Ranks

VERSIONS = 16
"""Number of versions of a player among which the one with half of the final score is chosen."""


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train a population in self-play, then one network to play a cooperative game with all of its members."""

    alone = "the population is trained in the run"

    population: Size = 4
    """Number of players that are first trained in self-play, each with an equal share of their part of the budget."""
    population_part: Annotated[float, Within(0.01, 0.99)] = 0.5
    """The part of the budget that trains the population; the rest trains the network that is the result."""

    @override
    def check(self, world: int) -> None:
        super().check(world)
        if not game_named(self.game).cooperative:
            raise ValueError(f"game must be a cooperative one for fictitious co-play, got {self.game}")
        if self.start is not None:
            raise ValueError(f"start must be empty: every player begins with its own weights, got {shown(self.start)}")

    @override
    def make_envs(self, config: Any, ranks: Ranks) -> PartnersEnvs:
        return PartnersEnvs(config, self.games, self.seed, ranks)


class FCP(ppo.PPO):
    """PPO of one player after the other, then among them: an `agents.learning.common.trainer.Algorithm`."""

    def __init__(self, args: Args, envs: PartnersEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        opening = envs.opening_bits()
        more = (args.make_network(envs.config, opening, ranks.device) for _ in range(args.population))
        self.players = [self.network, *more]
        """The networks that learn, one after the other; the last one is the result."""
        self.population: list[Network] = []
        """The frozen versions of the players that are trained so far."""
        self.begin(0)

    def begin(self, stage: int) -> None:
        """Let the next player learn: that of ``stage``, 0 to ``population``. The last one meets the population."""
        self.stage = stage
        self.network = self.learner = self.players[stage]
        self.descent = self.args.descent(self.learner, self.ranks)
        self.memories = Memories(self.network, self.envs)
        self.past = [(0.0, self.network.rounded())]
        """Versions of the player and their scores in training; the first one is untrained."""
        for network in self.population if self.is_last else ():
            self.envs.admit(NeuralPolicy(network, self.envs.config, greedy=False))

    @property
    def is_last(self) -> bool:
        """Whether the network that learns is the result."""
        return self.stage == self.args.population

    @override
    def learn(self, fraction: float) -> dict[str, float]:
        stage, own = stage_of(fraction, self.args.population, self.args.population_part)  # schedules follow ``own``
        while self.stage < stage:
            self.population += self.versions()
            self.begin(self.stage + 1)
        row = super().learn(own) | self.envs.statistics()
        if not self.is_last and "score" in row and own * VERSIONS >= len(self.past):
            self.past.append((row["score"], self.network.rounded()))
        return row | {"players_trained": self.stage}

    def versions(self) -> list[Network]:
        """Return the versions of the player that the population gets: untrained, with half of the score, and now."""
        half = self.past[-1][0] / 2
        middle = min(self.past, key=lambda version: abs(version[0] - half))
        return [self.past[0][1], middle[1], self.network.rounded()]

    @override
    def visible(self, fraction: float) -> float:
        return 1.0 if self.is_last else super().visible(fraction)

    @override
    def state(self) -> dict[str, Any]:
        past = [{"score": score, "network": network.state_dict()} for score, network in self.past]
        population = [network.state_dict() for network in self.population]
        return super().state() | {"stage": self.stage, "past": past, "population": population}

    @override
    def restore(self, state: dict[str, Any]) -> None:
        self.population = [self.as_saved(weights) for weights in state["population"]]
        self.begin(state["stage"])
        self.past = [(version["score"], self.as_saved(version["network"])) for version in state["past"]]
        super().restore(state)


def stage_of(fraction: float, population: int, part: float) -> tuple[int, float]:
    """Return which player learns after ``fraction`` of the budget, and which fraction of its own budget is spent.

    Players 0 to ``population - 1`` share the first ``part`` of the budget equally; the last one has the rest.
    """
    if fraction >= part:
        return population, (fraction - part) / (1 - part)
    player, own = divmod(fraction / part * population, 1)
    return int(player), own
