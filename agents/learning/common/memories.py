"""The memories of a recurrent network while it learns: one for every player of every game."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor

from ...networks.network import Network
from .selfplay import SelfPlayEnvs

__all__ = ["Memories", "Steps"]


class Steps(Protocol):
    """Some steps of some games; each array is (horizon, games)."""

    players: Tensor
    """Who decided."""
    dones: Tensor
    """The decision ended its game."""


Parts = TypeVar("Parts", bound=Any)


class Memories:
    """What every player of every game remembers between decisions: nothing, if the network has no memory.

    Args:
        network: see `agents.networks.network.Network.step`.
        envs: whose games begin now.
    """

    def __init__(self, network: Network, envs: SelfPlayEnvs) -> None:
        self.games = torch.arange(envs.games)
        self.fresh = network.initial_memory(1)
        self.now: Tensor | None = None
        """(games, players, numbers), or None."""
        if self.fresh is not None:
            self.now = self.fresh[None].repeat(envs.games, envs.config.players, 1)
        self.at_begin: Tensor | None = None

    def begin_rollout(self) -> None:
        """Note the memories with which a rollout begins, for `replayed`."""
        self.at_begin = None if self.now is None else self.now.clone()

    def of(self, players: Tensor) -> Tensor | None:
        """The memories (games, numbers) of one player of each game, (games,) int64."""
        return None if self.now is None else self.now[self.games, players]

    def keep(self, players: Tensor, memories: Tensor | None) -> None:
        """Replace the memories of these players."""
        if self.now is not None and memories is not None:
            self.now[self.games, players] = memories

    def forget(self, dones: Tensor) -> None:
        """Games that ended, bool (games,), begin again with fresh memories."""
        if self.now is not None and self.fresh is not None:
            self.now[dones] = self.fresh

    def minibatches(
        self, network: Network, steps: Steps, decisions: Parts, order: Tensor, size: int
    ) -> Iterator[tuple[Parts, tuple[Tensor, Tensor]]]:
        """The decisions ``size`` at a time, with the logits and values that the network gives them.

        Args:
            network: as it is now.
            steps: where the decisions were made.
            decisions: a named tuple of arrays (horizon, games, ...), ``observations`` among them.
            order: their numbers, shuffled; of a network with memory those of the games, all decisions of which make a
                minibatch, in their order.
            size: of a minibatch.
        """
        kind = type(decisions)
        if self.now is None:
            parts = [part.flatten(0, 1) for part in decisions]
            for rows in order.split(size):
                batch = kind(*(part.index_select(0, rows) for part in parts))
                yield batch, network(batch.observations)
        else:
            assert self.at_begin is not None
            for some in order.split(max(size // len(steps.players), 1)):
                batch = kind(*(part.index_select(1, some) for part in decisions))
                players, dones = steps.players[:, some], steps.dones[:, some]
                outputs = self.replayed(network, batch.observations, players, dones, self.at_begin[some])
                yield kind(*(part.flatten(0, 1) for part in batch)), outputs

    def replayed(
        self, network: Network, observations: Tensor, players: Tensor, dones: Tensor, memories: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits and values of all decisions of some games in a rollout.

        Every memory grows again from the beginning of the rollout, so that gradients flow back through it.

        Args:
            network: as it is now.
            observations: (horizon, some, words) int64.
            players: (horizon, some) int64, who decided.
            dones: (horizon, some) bool, that decision ended the game.
            memories: (some, players, numbers), with which the rollout began.

        Returns:
            Logits (horizon * some, actions) and values (horizon * some,).
        """
        assert self.fresh is not None
        outputs = []
        for seen, player, done in zip(observations, players, dones, strict=True):
            chosen = player[:, None, None].expand(-1, 1, memories.shape[2])
            logits, values, after = network.step(seen, memories.gather(1, chosen).squeeze(1))
            assert after is not None
            memories = memories.scatter(1, chosen, after[:, None])
            memories = torch.where(done[:, None, None], self.fresh, memories)
            outputs.append((logits, values))
        return torch.cat([logits for logits, _ in outputs]), torch.cat([values for _, values in outputs])
