"""The kinds of networks, by their names on command lines and in policy files."""

from typing import Any

from hanabako.games import game_of

from .greedy_input import GreedyInput
from .network import DenseNetwork, ModellingDenseNetwork, Network, RoundedLayerNorm, TowersNetwork
from .recurrent import RecurrentNetwork, RecurrentSymmetricNetwork
from .symmetric import SymmetricNetwork

BASIC_NETWORKS = (SymmetricNetwork, DenseNetwork, RecurrentNetwork, RecurrentSymmetricNetwork, TowersNetwork)
"""Networks that read an observation and nothing else; any algorithm can train them."""


NETWORKS: dict[str, type[Network]] = {network.kind: network for network in (*BASIC_NETWORKS, ModellingDenseNetwork)}
"""Network classes by their ``kind``, the name in settings and files."""
for network in BASIC_NETWORKS:
    kind = f"greedy-{network.kind}"
    NETWORKS[kind] = type(f"Greedy{network.__name__}", (GreedyInput, network), {"kind": kind})
for network in BASIC_NETWORKS[:2]:
    kind = f"normed-{network.kind}"
    NETWORKS[kind] = type(f"Normed{network.__name__}", (network,), {"kind": kind, "norm": RoundedLayerNorm})


def usual_kind(config: Any) -> str:
    """Return the default kind for a config: symmetric if it has interchangeable suits, else dense."""
    layout = game_of(config).layout(config)
    return SymmetricNetwork.kind if layout.alike_suits else DenseNetwork.kind
