"""The kinds of networks, by the names that command lines and policies' files call them."""

from typing import Any

from hanabako.games import game_of

from .greedy_input import GreedyInput
from .network import DenseNetwork, Network
from .recurrent import RecurrentNetwork
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


BASIC_NETWORKS = (SymmetricNetwork, DenseNetwork, RecurrentNetwork)
"""Those that read an observation and nothing else: any algorithm can train them."""

NETWORKS: dict[str, type[Network]] = {
    network.kind: network
    for network in (*BASIC_NETWORKS, GreedySymmetricNetwork, GreedyDenseNetwork, GreedyRecurrentNetwork)
}
"""Every class of networks by its ``kind``, the name in settings and files."""


def usual_kind(config: Any) -> str:
    """What is trained for a config if nothing else is said: symmetric if suits are alike, else dense."""
    layout = game_of(config).layout(config)
    return SymmetricNetwork.kind if layout.alike_suits else DenseNetwork.kind
