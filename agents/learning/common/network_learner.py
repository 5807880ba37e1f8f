"""Common parts of algorithms that train one network: the network, its optimizer, and their state in checkpoints."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from ...networks.network import Network, Outputs
from .ranks import Ranks
from .selfplay import SelfPlayEnvs


class Memories:
    """The memories of all players of all games between decisions; none if the network has no memory."""

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
        """Yield the decisions of a rollout in random order, in ``parts`` of equal sizes, with the network's outputs.

        For a network without memory a minibatch is any decisions; for one with memory, all decisions of some games in
        order. Sizes may differ by one decision or game, of which there may be fewer than ``parts``. ``decisions`` are
        arrays (horizon, games, ...) by name, among them ``observations``, ``players`` and ``dones``.
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


class NetworkLearner:
    """The training state of a network on one rank: an `agents.learning.common.trainer.Algorithm` without ``learn``.

    Its settings are `agents.learning.common.network_settings.NetworkSettings`.
    """

    def __init__(self, args: Any, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        self.args, self.ranks = args, ranks
        self.envs: Any = envs  # of the class that the algorithm's settings make
        self.network = args.make_network(envs.config, envs.opening_bits(), ranks.device)
        self.learner = self.with_critic(self.network)
        self.descent = args.descent(self.learner, ranks)
        self.generator = ranks.generator(args.seed)
        self.memories = Memories(self.network, envs)

    def empty_rollout(self, **more: Tensor) -> dict[str, Tensor]:
        """Return zeros for ``horizon`` decisions of every game, by name, (horizon, games, ...).

        They are for observations, masks, players, actions and dones, and for ``more``: shapes (games, ...) and types.
        """
        envs, number = self.envs, torch.zeros(self.envs.games, dtype=torch.int64)
        one = {"observations": envs.observations, "masks": envs.masks, "players": number, "actions": number}
        one |= {"dones": number.bool(), **more}
        horizon, device = self.args.horizon, self.ranks.device
        return {name: torch.zeros(horizon, *like.shape, dtype=like.dtype, device=device) for name, like in one.items()}

    def with_critic(self, network: Network) -> Network:
        """Return the module to train: here ``network`` itself, whose last output is the value."""
        return network

    def as_saved(self, weights: dict[str, Any]) -> Network:
        """Return a frozen network with these weights."""
        network = self.network.rounded()
        network.load_state_dict(weights)
        return network

    def state(self) -> dict[str, Any]:
        """See `agents.learning.common.trainer.Algorithm.state`."""
        generator, memories = self.generator.get_state(), self.memories.now
        return {**self.descent.state(), "generator": generator, "memories": memories}

    def restore(self, state: dict[str, Any]) -> None:
        """See `agents.learning.common.trainer.Algorithm.restore`."""
        self.descent.restore(state)
        self.generator.set_state(state["generator"].cpu())
        self.memories.now = state["memories"]
