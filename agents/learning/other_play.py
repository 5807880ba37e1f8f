"""Other-Play (Hu et al. 2020): self-play in which every player sees the suits under different names.

    hanabako train --algorithm other_play --preset small --minutes 5
    hanabako train --algorithm other_play --preset small --minutes 5 --auxiliary

At the start of a game each seat draws a random order of the interchangeable suits. Until the end of the game its
observations and actions name suits in that order. A convention tied to one particular suit is then useless, so the
policies do not depend on conventions that independently trained players could not share. All else is as in PPO
with a dense network: a network that is symmetric in the suits (`agents.networks.symmetric`) has this property by
construction and needs no such training.

With ``--auxiliary``, as in the paper's runs with the highest cross-play, the network also predicts during training
whether each own card is playable, played already, or neither (`agents.learning.common.own_cards`).

Differences from the paper: PPO without memory (``--network recurrent`` has memory) instead of recurrent Q-learning,
which in the authors' program sums the players' values (VDN). Their twelve runs have four kinds of networks, so their
cross-play is mostly between different networks; ours is between runs with one kind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed
from hanabako.engine.bits import ONE, ZERO, popcount
from hanabako.games import game_of
from hanabako.words.ranges import Part, Positive

from ..networks.network import Network
from . import ppo
from .common.algorithms import command_line
from .common.network_settings import NetworkKind
from .common.own_cards import OwnCards, Predicting, prediction_loss
from .common.ranks import Ranks
from .common.selfplay import SelfPlayEnvs
from .ppo import PPO, Batch

__all__ = ["Args", "OtherPlay", "RenamedSuits"]


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train one network to play every seat; each seat sees the suits under different names."""

    network: NetworkKind = "dense"
    """The kind of network; for one that is symmetric in the suits this training changes nothing."""
    last_action_ramp: Part | None = 0.0
    """As in `agents.learning.ppo.Args.last_action_ramp`. The paper has no such ramp."""
    auxiliary: bool = False
    """Also learn to predict the status of each own card, in Hanabi; the policy does not contain the prediction."""
    auxiliary_weight: Positive = 0.25
    """Weight of the prediction's loss; 0.25 is that of the paper's authors."""

    def check(self, world: int) -> None:
        """See `agents.learning.common.settings.Settings.check`."""
        super().check(world)
        if self.auxiliary and self.game != "hanabi":
            raise ValueError(f"auxiliary must be false in {self.game}: only in Hanabi players do not see their cards")


class RenamedSuits(SelfPlayEnvs):
    """Self-play in which each seat of each game has its own order of the interchangeable suits.

    Raises:
        ValueError: the game has fewer than two suits that are interchangeable under the rules.
    """

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, threads: int = 1) -> None:
        layout = game_of(config).layout(config)
        if len(layout.alike_suits) < 2:
            raise ValueError(f"Other-Play needs interchangeable suits; {game_of(config).name} has none here")
        renamings = [layout.renaming(order) for order in permutations(range(len(layout.alike_suits)))]
        self._bits = np.array([np.argsort(bits) for bits, _ in renamings])
        self._real_actions = torch.from_numpy(np.array([actions for _, actions in renamings]))
        self._generator = ranks.generator(seed)
        self._renaming = self._drawn(games // ranks.world, config.players)
        super().__init__(config, games, seed, ranks, threads)

    def _drawn(self, games: int, players: int) -> Tensor:
        """Return new renamings, (games, players) int64."""
        return torch.randint(len(self._bits), (games, players), generator=self._generator)

    def _begin(self, games: NDArray[np.bool_]) -> None:
        drawn = self._drawn(*self._renaming.shape)
        self._renaming = torch.where(torch.from_numpy(games)[:, None], drawn, self._renaming)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """See `SelfPlayEnvs.step`; actions name suits as their player sees them."""
        return super().step(self._real_actions[self._own_renaming(), actions.cpu()])

    def _own_renaming(self) -> Tensor:
        """Return the renaming of each game's player to move, (games,) int64."""
        return self._renaming[torch.arange(self.games), self.players]

    def _show(self) -> None:
        super()._show()
        own = self._own_renaming()
        words = self.observations.numpy().view(np.uint64)
        renamed = np.zeros_like(words)
        bit_mover()(words, self._bits, own.numpy(), renamed)
        self.observations = torch.from_numpy(renamed.view(np.int64))
        self.masks = self.masks.gather(1, self._real_actions[own])

    def state(self) -> dict[str, NDArray[Any]]:
        """See `SelfPlayEnvs.state`."""
        own = {"renaming": self._renaming.numpy(), "renaming_generator": self._generator.get_state().numpy()}
        return super().state() | own

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """See `SelfPlayEnvs.restore`."""
        games = dict(state)
        self._generator.set_state(torch.from_numpy(games.pop("renaming_generator")))
        self._renaming = torch.from_numpy(games.pop("renaming"))
        super().restore(games)


@cache
def bit_mover() -> Callable[..., None]:
    """Return the loop ``(words, places, which, out)``.

    For each bit b set in row r of ``words``, it sets bit ``places[which[r], b]`` in row r of ``out``, (rows, words).
    """
    digest = digest_of(popcount, bit_mover)

    @kernel
    def move_bits(words, places, which, out):
        for row in range(keyed(words.shape[0], digest)):
            for w in range(words.shape[1]):
                left = words[row, w]
                while left != ZERO:
                    bit = 64 * w + np.int64(popcount((left - ONE) & ~left))
                    left &= left - ONE
                    place = places[which[row], bit]
                    out[row, place >> 6] |= ONE << np.uint64(place & 63)

    return move_bits


class OtherPlay(PPO):
    """`agents.learning.ppo.PPO` in games whose seats see the suits under different names."""

    Envs = RenamedSuits
    own_cards: OwnCards | None = None

    def with_critic(self, network: Network) -> Network:
        """See `NetworkLearner.with_critic`: with the auxiliary task, the network and its prediction."""
        if not self.args.auxiliary:
            return network
        self.own_cards = OwnCards(self.envs)
        return Predicting(network, self.own_cards.slots).to(self.ranks.device)

    def labels(self) -> Tensor:
        """See `PPO.labels`: the statuses of own cards."""
        return super().labels() if self.own_cards is None else self.own_cards.statuses()

    def loss(
        self, logits: Tensor, values: Tensor, batch: Batch, entropy_weight: float
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """See `PPO.loss`."""
        own, predictions = logits.tensor_split([self.network.actions], 1)
        loss, statistics = super().loss(own, values, batch, entropy_weight)
        if self.own_cards is None:
            return loss, statistics
        auxiliary = prediction_loss(predictions, batch.labels)
        return loss + self.args.auxiliary_weight * auxiliary, {**statistics, "auxiliary_loss": auxiliary}


if __name__ == "__main__":
    command_line(__spec__.name)
