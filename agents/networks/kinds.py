"""The kinds of networks, by their names on command lines and in policy files."""

from typing import Any

from hanabako.games import game_of

from .greedy_input import GreedyInput
from .modelling import ModellingDenseNetwork
from .network import DenseNetwork, Network, NormedHidden
from .recurrent import RecurrentNetwork, RecurrentSymmetricNetwork
from .symmetric import SymmetricNetwork

__all__ = ["BASIC_NETWORKS", "NETWORKS", "usual_kind"]


class GreedySymmetricNetwork(GreedyInput, SymmetricNetwork):
    """A symmetric network that reads the greedy action."""

    kind = "greedy-symmetric"


class GreedyDenseNetwork(GreedyInput, DenseNetwork):
    """A dense network that reads the greedy action."""

    kind = "greedy-dense"


class GreedyRecurrentNetwork(GreedyInput, RecurrentNetwork):
    """A recurrent network that reads the greedy action."""

    kind = "greedy-recurrent"


class GreedyRecurrentSymmetricNetwork(GreedyInput, RecurrentSymmetricNetwork):
    """A symmetric network with memory that reads the greedy action."""

    kind = "greedy-recurrent-symmetric"


class NormedSymmetricNetwork(NormedHidden, SymmetricNetwork):
    """A symmetric network with normalized hidden layers."""

    kind = "normed-symmetric"


class NormedDenseNetwork(NormedHidden, DenseNetwork):
    """A dense network with normalized hidden layers."""

    kind = "normed-dense"


BASIC_NETWORKS = (SymmetricNetwork, DenseNetwork, RecurrentNetwork, RecurrentSymmetricNetwork)
"""Networks that read an observation and nothing else; any algorithm can train them."""

NETWORKS: dict[str, type[Network]] = {
    network.kind: network
    for network in (
        *BASIC_NETWORKS,
        *(GreedySymmetricNetwork, GreedyDenseNetwork, GreedyRecurrentNetwork, GreedyRecurrentSymmetricNetwork),
        *(NormedSymmetricNetwork, NormedDenseNetwork, ModellingDenseNetwork),
    )
}
"""Network classes by their ``kind``, the name in settings and files."""


def usual_kind(config: Any) -> str:
    """Return the default kind for a config: symmetric if it has interchangeable suits, else dense."""
    layout = game_of(config).layout(config)
    return SymmetricNetwork.kind if layout.alike_suits else DenseNetwork.kind
