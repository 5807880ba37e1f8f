"""A trained network continued as a larger one that at first computes the same (Net2Net, Chen et al. 2016).

The larger network may have more units per layer, and may read more of the position, such as a longer history. A
symmetric network may also get a memory. Weights from new inputs, new units or memory to old units are 0, so the outputs
do not change. Weights to new units are random as in a new network, so all weights learn.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hanabako.engine.layout import Layout
from hanabako.games import config_from_dict, game_of
from hanabako.packing import pack

from ..playing.fitting import check_rules, observed
from .features import Features
from .kinds import BASIC_NETWORKS, NETWORKS
from .network import Network
from .packing import to_numbers
from .policy_file import read_metadata, read_network
from .symmetric import SymmetricNetwork

Places = NDArray[np.int64]


def load_grown(
    path: Path, config: Any, width: int | None = None, opening: Tensor | None = None, kind: str | None = None
) -> Network:
    """Load the network of a policy file, which reads what ``config`` observes or less, larger if asked for.

    Arguments are as in `grown`; without ``width`` it keeps its own. Errors are those of `grown` and of
    `agents.networks.neural_policy.load_policy`.
    """
    metadata = read_metadata(path)
    own = config_from_dict(metadata["config"])
    check_rules(str(path), own, config)
    network = read_network(path, metadata["network"], own)
    wide = Features(network.features, own).input_config
    seen = replace(config, **observed(wide))
    for name, needed in observed(wide).items():
        if (there := getattr(config, name)) != needed and not (isinstance(needed, int) and needed < there):
            option = "--features derived" if name == "derived" else f"--config {name}={json.dumps(needed)}"
            raise ValueError(f"{path} reads an observation with {name}={needed!r}, got {there!r}: {option}")
    try:
        return grown(network, seen, config, width or network.settings["width"], opening, kind)
    except ValueError as error:
        raise ValueError(f"{path} cannot grow: {error}") from error


def grown(
    network: Network, seen: Any, config: Any, width: int, opening: Tensor | None = None, kind: str | None = None
) -> Network:
    """Return a larger network with the same outputs, or the network itself if it has this size.

    The network reads observations of ``seen``, which are contained in those of ``config``, of the same rules. Of its
    ``opening``, (words,) int64, the bits are used that the network has not read so far; None: none of them is set. The
    ``kind`` may change from "symmetric" to "recurrent-symmetric". Raise ``ValueError`` if it cannot grow this way.
    """
    now, kind = network.settings["width"], kind or network.kind
    if seen == config and width == now and kind == network.kind:
        return network
    if width < now:
        raise ValueError(f"width must be at least the network's, {now}, got {width}")
    if type(network) not in BASIC_NETWORKS:
        kinds = ", ".join(basic.kind for basic in BASIC_NETWORKS)
        raise ValueError(f"its kind must be one of {kinds}, got {network.kind}")
    if kind != network.kind and (network.kind, kind) != ("symmetric", "recurrent-symmetric"):
        raise ValueError(f"a {network.kind} network cannot become a {kind} one")
    larger = NETWORKS[kind](config, width=width, layers=network.settings["layers"])
    larger.set_features(network.features, config)
    layout, wider = game_of(config).layout(seen), game_of(config).layout(config)
    places = layout.within(wider)
    transplant(network, larger, layout, wider, places)
    bits = to_numbers(larger.opening[None] if opening is None else opening[None, : larger.words], torch.float32)
    bits[0, places] = to_numbers(network.opening[None], torch.float32)[0, : network.bits]
    larger.set_opening(torch.from_numpy(pack(bits.numpy(), larger.words)[0].view(np.int64)))
    return larger


def transplant(network: Network, larger: Network, seen: Layout, wider: Layout, places: Places) -> None:
    """Copy the weights to those of the larger network with the same meaning; whatever else the same units read gets 0.

    Units are numbered alike in both networks: the old ones come first. The trained network reads ``seen``, the larger
    one ``wider``, in which ``places`` are the indices of the bits of ``seen``.
    """
    units, width = np.arange(network.settings["width"]), larger.settings["width"]
    is_symmetric = isinstance(network, SymmetricNetwork)
    kept, size = (units[: len(units) // 2], width // 2) if is_symmetric else (units, width)  # of a memory
    gates = np.concatenate([kept + gate * size for gate in range(3)])
    written = dict.fromkeys(("cell", "rest_in"), gates)
    read = dict.fromkeys(("suit_recall", "rest_recall"), kept)
    first = {"trunk": places}
    if is_symmetric:
        joined = np.concatenate([units, width + units])  # the mean of the suits' features, then those of the rest
        written["pooled"] = read["pooled"] = read["head"] = read["rest_in"] = joined
        own = np.searchsorted(wider.suit_bits[0], places[seen.suit_bits[0]])
        others = np.searchsorted(wider.other_bits, places[seen.other_bits])
        first = {"own": own, "pooled": np.concatenate([own, wider.suit_bits.shape[1] + others])}
    before = dict(network.named_parameters())
    with torch.no_grad():
        for name, weights in larger.named_parameters():
            layer, part, *_ = name.split(".")
            if name not in before:  # of a memory that is new
                if layer.endswith("recall"):
                    weights.zero_()
                continue
            old = before[name]
            rows = np.arange(len(old)) if "head" in layer else written.get(layer, units)
            weights[rows] = 0.0
            if weights.ndim == 1:
                weights[rows] = old
            else:
                columns = first[layer] if part == "0" else kept if part == "weight_hh" else read.get(layer, units)
                weights[rows[:, None], columns] = old[:, : len(columns)]  # what follows in a row reads padding
