"""The memories of a recurrent network while it learns: one for every player of every game."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor

from ...networks.network import Network
from .selfplay import SelfPlayEnvs

__all__ = ["Memories", "Steps"]


class Steps(Protocol):
    """Steps of several games; each array is (horizon, games)."""

    players: Tensor
    """The player who decided."""
    dones: Tensor
    """Whether the decision ended its game."""


Parts = TypeVar("Parts", bound=Any)


class Memories:
    """The memory of every player of every game between decisions; none if the network has no memory.

    Args:
        network: the network, see `agents.networks.network.Network.step`.
        envs: the games, which begin now.
    """

    def __init__(self, network: Network, envs: SelfPlayEnvs) -> None:
        self.fresh = network.initial_memory(1)
        self.now: Tensor | None = None
        """(games, players, numbers), or None without memory."""
        if self.fresh is not None:
            self.now = self.fresh[None].repeat(envs.games, envs.config.players, 1)
            self.games = torch.arange(envs.games, device=self.now.device)
        self.at_begin: Tensor | None = None

    def begin_rollout(self) -> None:
        """Keep a copy of the memories at the beginning of a rollout, for `replayed`."""
        self.at_begin = None if self.now is None else self.now.clone()

    def of(self, players: Tensor) -> Tensor | None:
        """Return the memories (games, numbers) of one player per game; ``players`` is (games,) int64."""
        return None if self.now is None else self.now[self.games, players]

    def keep(self, players: Tensor, memories: Tensor | None) -> None:
        """Replace the memories of these players."""
        if self.now is not None and memories is not None:
            self.now[self.games, players] = memories

    def forget(self, dones: Tensor) -> None:
        """Reset the memories of games that ended; ``dones`` is bool (games,)."""
        if self.now is not None and self.fresh is not None:
            self.now[dones] = self.fresh

    def minibatches(
        self, network: Network, steps: Steps, decisions: Parts, order: Tensor, parts: int
    ) -> Iterator[tuple[Parts, tuple[Tensor, Tensor]]]:
        """Yield the decisions in ``parts`` of equal sizes, give or take one, with the network's logits and values.

        Args:
            network: the network with its current weights.
            steps: the players and ends of the decisions.
            decisions: a named tuple of arrays (horizon, games, ...), including ``observations``.
            order: the decisions' indices, shuffled; for a network with memory, the games' indices, as a minibatch then
                holds all decisions of some games in order.
            parts: number of minibatches; fewer if there are fewer decisions, or with memory fewer games.
        """
        kind, each = type(decisions), order.tensor_split(min(parts, len(order)))
        if self.now is None:
            flat = [part.flatten(0, 1) for part in decisions]
            for rows in each:
                batch = kind(*(part.index_select(0, rows) for part in flat))
                yield batch, network(batch.observations)
        else:
            assert self.at_begin is not None
            for some in each:
                batch = kind(*(part.index_select(1, some) for part in decisions))
                players, dones = steps.players[:, some], steps.dones[:, some]
                outputs = self.replayed(network, batch.observations, players, dones, self.at_begin[some])
                yield kind(*(part.flatten(0, 1) for part in batch)), outputs

    def replayed(
        self, network: Network, observations: Tensor, players: Tensor, dones: Tensor, memories: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the logits and values of all decisions of some games in a rollout.

        Memories are recomputed from the beginning of the rollout, so that gradients flow back through them.

        Args:
            network: the network with its current weights.
            observations: (horizon, some, words) int64.
            players: (horizon, some) int64, the player who decided.
            dones: (horizon, some) bool, whether that decision ended the game.
            memories: (some, players, numbers), at the beginning of the rollout.

        Returns:
            Logits (horizon * some, actions) and values (horizon * some,).
        """
        read, seen = network.read(observations.flatten(0, 1))
        after, _ = network.follow(read.unflatten(0, players.shape), memories, players, dones)
        return network.decide(seen, after.flatten(0, 1))

    @torch.no_grad()
    def after(self, network: Network, observations: Tensor, players: Tensor, dones: Tensor, memories: Tensor) -> Tensor:
        """Return the memories (some, players, numbers) after the decisions; arguments as in `replayed`."""
        read, _ = network.read(observations.flatten(0, 1))
        return network.follow(read.unflatten(0, players.shape), memories, players, dones)[1]
