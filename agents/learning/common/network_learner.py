"""Common parts of algorithms that train one network: the network, its optimizer, and their state in checkpoints."""

from typing import Any

from ...networks.network import Network
from .memories import Memories
from .ranks import Ranks
from .selfplay import SelfPlayEnvs


class NetworkLearner:
    """The training state of a network on one rank: an `Algorithm` without `learn`.

    Args:
        args: the settings, a `agents.learning.common.network_settings.NetworkSettings`.
        envs: the games to learn from.
        ranks: the ranks that train together.
    """

    def __init__(self, args: Any, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        self.args, self.envs, self.ranks = args, envs, ranks
        self.network = args.make_network(envs.config, envs.opening_bits(), ranks.device)
        self.learner = self.with_critic(self.network)
        self.descent = args.descent(self.learner, ranks)
        self.generator = ranks.generator(args.seed)
        self.memories = Memories(self.network, envs)

    def with_critic(self, network: Network) -> Network:
        """Return the module to train: here ``network`` itself, whose last output is the value."""
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
