"""E3T, end-to-end training with a mixed partner (Yan et al. 2023): one network learns with a noisy copy of itself.

    hanabako train --algorithm e3t --preset mini --minutes 5 --epsilon 0.3

The learner has one seat in every game. At the others sit partners with its current policy, who with probability
``epsilon`` take a random legal action instead. There is no population to train, yet partners are as skilled as the
learner and differ from it. The network predicts the next player's action from its observation, and reads its own
prediction (`agents.networks.network`), so that it can adapt to what the partner does.

All else is as in PPO with a dense network. Only the learner's own decisions are learned from, and only they
count in a budget of decisions.

Differences from the paper, whose game is Overcooked: the model of the partner reads the observation, which has the last
action in it, and not a sequence of recent positions and actions (``--config history=5`` adds actions). In Hanabi three
wrong plays lose the game, so by default few of the partner's actions are random.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from typing_extensions import override

from hanabako.games import game_named
from hanabako.words.ranges import Part

from ..networks.network import Outputs
from ..networks.neural_policy import NeuralPolicy
from . import ppo
from .common.network_settings import NetworkKind
from .common.partners import NO_REPLY, PartnersEnvs
from .common.ranks import Ranks


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train one network to play a cooperative game with noisy copies of itself."""

    alone = "they are copies of the learner"
    variant = "modelling-"  # the network also has a model of the partner

    network: NetworkKind = "dense"
    """The kind of network, which must be ``dense``; it has a model of the partner."""
    last_action_ramp: Part | None = 0.0
    """As in `agents.learning.ppo.Args.last_action_ramp`. The paper has no such ramp."""
    epsilon: Part = 0.1
    """Probability that a partner takes a random legal action."""

    @override
    def check(self, world: int) -> None:
        super().check(world)
        if not game_named(self.game).cooperative:
            raise ValueError(f"game must be a cooperative one for a mixed partner, got {self.game}")
        if self.network != "dense":
            raise ValueError(f"network must be dense, the only kind with a model of the partner, got {self.network}")

    @override
    def make_envs(self, config: Any, ranks: Ranks) -> PartnersEnvs:
        return PartnersEnvs(config, self.games, self.seed, ranks)


class E3T(ppo.PPO):
    """PPO at one seat among noisy copies: an `agents.learning.common.trainer.Algorithm`."""

    def __init__(self, args: Args, envs: PartnersEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        self.rollout["replies"] = torch.zeros_like(self.rollout["actions"])
        """(horizon, games): the next player's action after each decision of the rollout, or `NO_REPLY`."""
        self.partner = NeuralPolicy(self.network, envs.config, greedy=False, epsilon=args.epsilon)
        envs.admit(self.partner)

    @override
    def learn(self, fraction: float) -> dict[str, float]:
        self.partner.network = self.network.rounded()
        return super().learn(fraction)

    @override
    def play(self, t: int, actions: Tensor) -> tuple[Tensor, Tensor]:
        after = super().play(t, actions)
        self.rollout["replies"][t].copy_(torch.from_numpy(self.envs.replies))
        return after

    @override
    def loss(self, outputs: Outputs, batch: dict[str, Tensor], entropy_weight: float) -> ppo.Loss:
        loss, statistics = super().loss(outputs, batch, entropy_weight)
        predicted, replies = outputs.features, batch["replies"]
        errors = F.cross_entropy(predicted, replies, ignore_index=NO_REPLY, reduction="sum")
        model_loss = errors / (replies != NO_REPLY).sum().clamp(min=1)
        return loss + model_loss, {**statistics, "model_loss": model_loss}
