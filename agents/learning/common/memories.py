"""The memories of a recurrent network while it learns: one for every player of every game."""

from collections.abc import Iterator

import torch
from torch import Tensor

from ...networks.network import Network, Outputs
from .selfplay import SelfPlayEnvs


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
        """Store a copy of the memories at the beginning of a rollout, for `minibatches`."""
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
        self, network: Network, decisions: dict[str, Tensor], parts: int, generator: torch.Generator
    ) -> Iterator[tuple[dict[str, Tensor], Outputs]]:
        """Yield the decisions of a rollout in random order, with the network's outputs.

        For a network without memory a minibatch is any decisions; for one with memory, all decisions of some games in
        order.

        Args:
            network: the network with its current weights.
            decisions: arrays (horizon, games, ...) by name, among them ``observations``, ``players`` and ``dones``.
            parts: number of minibatches, of equal sizes, give or take one decision, or with memory one game; fewer if
                there are fewer of these.
            generator: the source of the order.
        """
        players = decisions["players"]
        count = players.numel() if self.now is None else players.shape[1]
        order = torch.randperm(count, generator=generator, device=generator.device).to(players.device)
        flat = {name: part.flatten(0, 1) for name, part in decisions.items()}
        for some in order.tensor_split(min(parts, count)):
            if self.at_begin is None:
                batch = {name: part.index_select(0, some) for name, part in flat.items()}
                yield batch, network.step(batch["observations"])
            else:
                batch = {name: part.index_select(1, some) for name, part in decisions.items()}
                views = batch["observations"][:, :, None]
                outputs = network.replay(views, self.at_begin[some], batch["players"], batch["dones"])
                yield {name: part.flatten(0, 1) for name, part in batch.items()}, outputs
