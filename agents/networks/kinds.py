"""The kinds of networks, by the names that command lines and policies' files call them."""

from typing import Any

from hanabako.games import game_of

from .network import DenseNetwork, Network
from .recurrent import RecurrentNetwork
from .symmetric import SymmetricNetwork

__all__ = ["NETWORKS", "usual_kind"]

NETWORKS: dict[str, type[Network]] = {
    network.kind: network for network in (SymmetricNetwork, DenseNetwork, RecurrentNetwork)
}


def usual_kind(config: Any) -> str:
    """What is trained for a config if nothing else is said: symmetric if suits are alike, else dense."""
    layout = game_of(config).layout(config)
    return SymmetricNetwork.kind if layout.alike_suits else DenseNetwork.kind
