"""The kinds of networks, by their names on command lines and in policy files."""

from typing import Any

from hanabako.games import game_of

from .greedy_input import GreedyInput
from .network import DenseNetwork, ModellingDenseNetwork, Network, NormedHidden, TowersNetwork
from .recurrent import RecurrentNetwork, RecurrentSymmetricNetwork
from .symmetric import SymmetricNetwork

BASIC_NETWORKS = (SymmetricNetwork, DenseNetwork, RecurrentNetwork, RecurrentSymmetricNetwork, TowersNetwork)
"""Networks that read an observation and nothing else; any algorithm can train them."""


NETWORKS: dict[str, type[Network]] = {network.kind: network for network in (*BASIC_NETWORKS, ModellingDenseNetwork)}
"""Network classes by their ``kind``, the name in settings and files."""
for prefix, mixin, basic in (("greedy", GreedyInput, BASIC_NETWORKS), ("normed", NormedHidden, BASIC_NETWORKS[:2])):
    for network in basic:
        kind = f"{prefix}-{network.kind}"
        NETWORKS[kind] = type(f"{mixin.__name__}{network.__name__}", (mixin, network), {"kind": kind})


def usual_kind(config: Any) -> str:
    """Return the default kind for a config: symmetric if it has interchangeable suits, else dense."""
    layout = game_of(config).layout(config)
    return SymmetricNetwork.kind if layout.alike_suits else DenseNetwork.kind
