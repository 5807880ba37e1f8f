"""The auxiliary task of SAD and Other-Play: predict the status of each own card (Hu and Foerster 2020, Hu et al. 2020).

A card is playable, played already, or neither; the last is "unknown" in the papers, whose agents may discard a card
that is played already. The prediction is linear in what the network's head reads, and its loss trains the layers below
too. The policy does not contain it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hanabi_env.engine.statuses import EMPTY, NEITHER, status_loop

from ...networks.network import Network
from .selfplay import SelfPlayEnvs

__all__ = ["OwnCards", "Predicting", "prediction_loss"]

STATUSES = NEITHER + 1


class OwnCards:
    """The statuses of the cards that the players to move hold in the learner's games of Hanabi.

    Args:
        envs: the games.
    """

    def __init__(self, envs: SelfPlayEnvs) -> None:
        self._envs, game = envs, envs.game
        self._rules = game.rules_array
        self._loop = status_loop(envs.frozen)
        self.slots = game.rules.hand_size

    def statuses(self) -> Tensor:
        """Return the statuses now, int8 (games, slots); see `hanabi_env.engine.statuses`."""
        out = np.empty((self._envs.games, self.slots), np.int8)
        self._loop(self._rules, self._envs.tables, out)
        return torch.from_numpy(out)


class Predicting(Network):
    """A network in training, whose logits (rows, actions + slots * 3) also predict the statuses of own cards.

    Args:
        network: the network of the policy; its module ``head`` is linear.
        slots: cards in a hand.
    """

    def __init__(self, network: Network, slots: int) -> None:
        nn.Module.__init__(self)
        self.network = network
        head = network.get_submodule("head")
        assert isinstance(head, nn.Linear)
        self.predictor = nn.Linear(head.in_features, slots * STATUSES)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.forward`."""
        return self.step(words, None)[:2]

    def step(self, words: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        """See `Network.step`."""
        with self.predicting() as predict:
            logits, values, after = self.network.step(words, memory)
            return predict(logits), values, after

    def read(self, words: Tensor) -> tuple[Tensor, Any]:
        """See `Network.read`."""
        return self.network.read(words)

    def follow(self, read: Tensor, memories: Tensor, players: Tensor, dones: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.follow`."""
        return self.network.follow(read, memories, players, dones)

    def decide(self, seen: Any, memory: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.decide`."""
        with self.predicting() as predict:
            logits, values = self.network.decide(seen, memory)
            return predict(logits), values

    @contextmanager
    def predicting(self) -> Iterator[Callable[[Tensor], Tensor]]:
        """Yield a function that adds predictions to logits, made from what the head has read within the block."""
        read: list[Tensor] = []
        head = self.network.get_submodule("head")
        with head.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0])):
            yield lambda logits: torch.cat([logits, self.predictor(read[0])], 1)

    def initial_memory(self, count: int) -> Tensor | None:
        """See `Network.initial_memory`."""
        return self.network.initial_memory(count)

    def rounded(self) -> Network:  # type: ignore[override]
        """Return a copy of the network of the policy for playing, see `Network.rounded`."""
        return self.network.rounded()


def prediction_loss(predictions: Tensor, statuses: Tensor) -> Tensor:
    """Return the mean over decisions of the mean cross-entropy of the cards in hand.

    Args:
        predictions: logits (rows, slots * 3).
        statuses: int8 (rows, slots).
    """
    wanted = statuses.long()
    logits = predictions.unflatten(1, (wanted.shape[1], STATUSES)).transpose(1, 2)
    errors = F.cross_entropy(logits, wanted, ignore_index=EMPTY, reduction="none")  # 0 in an empty slot
    return (errors.sum(1) / (wanted != EMPTY).sum(1).clamp(min=1)).mean()
