"""The kinds of networks, by their names on command lines and in policy files."""

from collections.abc import Sequence
from typing import Any

from hanabako.games import game_of

from .greedy_input import GreedyInput
from .modelling import ModellingDenseNetwork
from .network import DenseNetwork, Network, NormedHidden
from .recurrent import RecurrentNetwork, RecurrentSymmetricNetwork
from .symmetric import SymmetricNetwork

__all__ = ["BASIC_NETWORKS", "NETWORKS", "usual_kind"]

BASIC_NETWORKS = (SymmetricNetwork, DenseNetwork, RecurrentNetwork, RecurrentSymmetricNetwork)
"""Networks that read an observation and nothing else; any algorithm can train them."""


def with_mixin(prefix: str, mixin: type[Network], networks: Sequence[type[Network]]) -> list[type[Network]]:
    """Return classes of the networks with a mixin; their kinds begin with the prefix."""
    return [
        type(f"{mixin.__name__}{network.__name__}", (mixin, network), {"kind": f"{prefix}-{network.kind}"})
        for network in networks
    ]


NETWORKS: dict[str, type[Network]] = {
    network.kind: network
    for network in (
        *BASIC_NETWORKS,
        *with_mixin("greedy", GreedyInput, BASIC_NETWORKS),
        *with_mixin("normed", NormedHidden, (SymmetricNetwork, DenseNetwork)),
        ModellingDenseNetwork,
    )
}
"""Network classes by their ``kind``, the name in settings and files."""


def usual_kind(config: Any) -> str:
    """Return the default kind for a config: symmetric if it has interchangeable suits, else dense."""
    layout = game_of(config).layout(config)
    return SymmetricNetwork.kind if layout.alike_suits else DenseNetwork.kind
