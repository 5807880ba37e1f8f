"""Other-Play (Hu et al. 2020): self-play in which every player sees the suits under different names.

    hanabako train --algorithm other_play --preset small --minutes 5 --auxiliary

At the start of a game each seat draws a random order of the interchangeable suits. Until the end of the game its
observations and actions name suits in that order. A convention tied to one particular suit is then useless, so the
policies do not depend on conventions that independently trained players could not share. All else is as in PPO
with a dense network: a network that is symmetric in the suits (`agents.networks.symmetric`) has this property by
construction and needs no such training.

With ``--auxiliary``, as in the paper's runs with the highest cross-play, a linear layer also predicts in training, from
what the network's head reads, whether each own card is playable, played already, or neither ("unknown" in the paper).

Differences from the paper: PPO without memory (``--network recurrent`` has memory) instead of recurrent Q-learning,
which in the authors' program sums the players' values (VDN). Their twelve runs have four kinds of networks, so their
cross-play is mostly between different networks; ours is between runs with one kind.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from typing_extensions import override

from hanabako.words.ranges import Part
from hanabi_env.engine.statuses import EMPTY, NEITHER, status_loop

from ..networks.network import Outputs
from . import ppo
from .common.network_settings import NetworkKind
from .common.ranks import Ranks
from .common.renamed_suits import RenamedSuits
from .common.selfplay import SelfPlayEnvs

AUXILIARY_WEIGHT = 0.25
"""Weight of the prediction's loss, that of the paper's authors."""
STATUSES = NEITHER + 1
"""The number of statuses of a card in `hanabi_env.engine.statuses`."""


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train one network to play every seat; each seat sees the suits under different names."""

    games_class = RenamedSuits
    alone = "the network plays every seat"

    network: NetworkKind = "dense"
    """The kind of network; for one that is symmetric in the suits this training changes nothing."""
    last_action_ramp: Part | None = 0.0
    """As in `agents.learning.ppo.Args.last_action_ramp`. The paper has no such ramp."""
    auxiliary: bool = False
    """Also learn to predict the status of each own card, in Hanabi; the policy does not contain the prediction."""

    @override
    def check(self, world: int) -> None:
        super().check(world)
        if self.auxiliary and self.game != "hanabi":
            raise ValueError(f"auxiliary must be false in {self.game}: only in Hanabi players do not see their cards")


class OtherPlay(ppo.PPO):
    """`agents.learning.ppo.PPO` in games whose seats see the suits under different names."""

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        if args.auxiliary:
            head, slots = self.network.get_submodule("head"), envs.game.rules.hand_size
            assert isinstance(head, nn.Linear)
            self.predictor = nn.Linear(head.in_features, slots * STATUSES).to(ranks.device)
            self.descent = args.descent(nn.ModuleList([self.network, self.predictor]), ranks)
            shape = args.horizon, envs.games, slots
            self.rollout["statuses"] = torch.zeros(shape, dtype=torch.int8, device=ranks.device)

    @override
    def play(self, t: int, actions: Tensor) -> tuple[Tensor, Tensor]:
        if self.args.auxiliary:
            self.rollout["statuses"][t].copy_(own_statuses(self.envs))
        return super().play(t, actions)

    @override
    def loss(self, outputs: Outputs, batch: dict[str, Tensor], entropy_weight: float) -> ppo.Loss:
        loss, statistics = super().loss(outputs, batch, entropy_weight)
        if not self.args.auxiliary:
            return loss, statistics
        auxiliary = prediction_loss(self.predictor(outputs.features), batch["statuses"])
        return loss + AUXILIARY_WEIGHT * auxiliary, {**statistics, "auxiliary_loss": auxiliary}


def own_statuses(envs: SelfPlayEnvs) -> Tensor:
    """Return the statuses of the cards of the players to move, int8 (games, slots): `hanabi_env.engine.statuses`."""
    out = np.empty((envs.games, envs.game.rules.hand_size), np.int8)
    status_loop(envs.frozen)(envs.game.rules_array, envs.tables, out)
    return torch.from_numpy(out)


def prediction_loss(predictions: Tensor, statuses: Tensor) -> Tensor:
    """Return the mean over decisions of the mean cross-entropy of the cards in hand.

    ``predictions`` are logits (rows, slots * 3), ``statuses`` int8 (rows, slots).
    """
    wanted = statuses.long()
    logits = predictions.unflatten(1, (wanted.shape[1], STATUSES)).transpose(1, 2)
    errors = F.cross_entropy(logits, wanted, ignore_index=EMPTY, reduction="none")  # 0 in an empty slot
    return (errors.sum(1) / (wanted != EMPTY).sum(1).clamp(min=1)).mean()
