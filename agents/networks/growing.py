"""A trained network continued as a larger one that at first computes the same (Net2Net, Chen et al. 2016).

The larger network may have more units per layer, and may read more of the position, such as a longer history. Weights
from new inputs or new units to old units are 0, so the outputs do not change. Weights to new units are random as in a
new network, so all weights learn.

A network also starts one for another number of players. It sees the same seats from its own on, as far as both games
have them, and the same cards of a hand; actions toward further seats begin with random logits near 0.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hanabako.engine.layout import Field, Layout, by_name
from hanabako.games import config_from_dict, game_of
from hanabako.packing import pack

from ..playing.fitting import check_rules, observed
from .features import Features
from .kinds import BASIC_NETWORKS
from .network import Network
from .packing import to_numbers
from .policy_file import read_metadata, read_network
from .symmetric import SymmetricNetwork

Places = NDArray[np.int64]


def load_grown(path: Path, config: Any, width: int | None = None, opening: Tensor | None = None) -> Network:
    """Load the network of a policy file, which reads what ``config`` observes or less, larger if asked for.

    Arguments are as in `grown`; without ``width`` it keeps its own. Errors are those of `grown` and of
    `agents.networks.neural_policy.load_policy`.
    """
    metadata = read_metadata(path)
    own = config_from_dict(metadata["config"])
    check_rules(str(path), replace(own, players=config.players), config)
    network = read_network(path, metadata["network"], own)
    wide = Features(network.features, own).input_config
    seen = replace(config, **observed(wide)) if own.players == config.players else wide
    for name, needed in observed(wide).items():
        if (there := getattr(config, name)) != needed and not (isinstance(needed, int) and needed < there):
            option = "--features derived" if name == "derived" else f"--config {name}={json.dumps(needed)}"
            raise ValueError(f"{path} reads an observation with {name}={needed!r}, got {there!r}: {option}")
    try:
        return grown(network, seen, config, width or network.settings["width"], opening)
    except ValueError as error:
        raise ValueError(f"{path} cannot grow: {error}") from error


def grown(network: Network, seen: Any, config: Any, width: int, opening: Tensor | None = None) -> Network:
    """Return a larger network with the same outputs, or the network itself if it has this size.

    The network reads observations of ``seen``, which are contained in those of ``config``, of the same rules except for
    the number of players. Of its ``opening``, (words,) int64, the bits are used that the network has not read so far;
    None: none of them is set. Raise ``ValueError`` if it cannot grow this way.
    """
    now = network.settings["width"]
    if seen == config and width == now:
        return network
    if width < now:
        raise ValueError(f"width must be at least the network's, {now}, got {width}")
    if type(network) not in BASIC_NETWORKS:
        kinds = ", ".join(basic.kind for basic in BASIC_NETWORKS)
        raise ValueError(f"its kind must be one of {kinds}, got {network.kind}")
    larger = type(network)(config, width=width, layers=network.settings["layers"])
    larger.set_features(network.features, config)
    before, after = game_of(config).layout(seen), game_of(config).layout(config)
    hands = [getattr(one.rules(), "hand_size", 1) for one in (seen, config)]
    bits, actions = pairs(before.fields, after.fields, hands), pairs(before.actions, after.actions, hands)
    transplant(network, larger, (before, after), bits, actions)
    fresh = to_numbers(larger.opening[None] if opening is None else opening[None, : larger.words], torch.float32)
    fresh[0, bits.new] = to_numbers(network.opening[None], torch.float32)[0, bits.old]
    larger.set_opening(torch.from_numpy(pack(fresh.numpy(), larger.words)[0].view(np.int64)))
    return larger


class Pairs(NamedTuple):
    """Which things of a network become which of the larger one: indices of bits, actions, rows or columns."""

    old: Places
    new: Places

    def among(self, old: Places, new: Places) -> Self:
        """Return the pairs among ``old`` and ``new``, as positions in these; ``new`` is sorted."""
        at = np.full(1 + max(old.max(initial=0), self.old.max(initial=0)), -1)
        at[self.old] = self.new
        there = np.flatnonzero(np.isin(at[old], new))
        return type(self)(there, np.searchsorted(new, at[old[there]]))

    def then(self, following: Self, old: int, new: int) -> Self:
        """Return these pairs and ``following``, whose indices begin at ``old`` and ``new``."""
        return type(self)(np.append(self.old, old + following.old), np.append(self.new, new + following.new))


def pairs(seen: list[Field], wider: list[Field], hands: Sequence[int]) -> Pairs:
    """Return the pairs of bits, or actions, with the same meaning in two layouts, whose hands have these sizes.

    Fields are known by section, name, and number among those of that name; the first repetitions and bits are paired.
    """
    old, new, here, there = [], [], by_name(seen), by_name(wider)
    for key in filter(there.get, here):
        for one, other in zip(hands_of(here[key], hands[0]), hands_of(there[key], hands[1]), strict=False):
            for mine, places in zip(one, other, strict=False):
                count = min(len(mine), len(places))
                old += mine[:count]
                new += places[:count]
    return Pairs(np.array(old), np.array(new))


def hands_of(field: Field, size: int) -> list[list[range]]:
    """Return the indices of a field's bits, by hand if it is about cards of hands, and by repetition."""
    places = [range(place.start, place.stop) for place in field.places()]
    size = size if "hand" in field.per else len(places)
    return [places[k : k + size] for k in range(0, len(places), size)]


def transplant(network: Network, larger: Network, layouts: tuple[Layout, Layout], bits: Pairs, actions: Pairs) -> None:
    """Copy the weights to those of the larger network with the same meaning; whatever else the same units read gets 0.

    Units are numbered alike in both networks: the old ones come first. ``layouts`` are those of what the networks read.
    """
    widths, is_symmetric = (network.settings["width"], larger.settings["width"]), isinstance(network, SymmetricNetwork)
    units, value = same(widths[0]), same(1)
    sizes = [width // 2 for width in widths] if is_symmetric else widths  # of a memory
    memory = same(sizes[0])
    gates = memory.then(memory, *sizes).then(memory, *(2 * size for size in sizes))
    written = {"cell": gates, "rest_in": gates, "actor_head": actions, "critic_head": value}
    read, first = {"suit_recall": memory, "rest_recall": memory}, {"trunk": bits}
    if is_symmetric:
        joined = units.then(units, *widths)  # the mean of the suits' features, then those of the rest
        written["pooled"] = read["pooled"] = read["head"] = read["rest_in"] = joined
        own = bits.among(*(layout.suit_bits[0] for layout in layouts))
        others = bits.among(*(layout.other_bits for layout in layouts))
        first = {"own": own, "pooled": own.then(others, *(layout.suit_bits.shape[1] for layout in layouts))}
        named = actions.among(*(layout.suit_actions[0] for layout in layouts))
        free = actions.among(*(layout.other_actions for layout in layouts))
        counts = [[layout.suit_actions.shape[1], len(layout.other_actions)] for layout in layouts]
        written["suit_head"] = named
        written["head"] = named.then(free, *(count[0] for count in counts)).then(value, *map(sum, counts))
    else:
        written["head"] = actions.then(value, network.actions, larger.actions)
    before = dict(network.named_parameters())
    with torch.no_grad():
        for name, weights in larger.named_parameters():
            layer, part, *_ = name.split(".")
            old, rows = before[name], written.get(layer, units)
            weights[rows.new] = 0.0
            if weights.ndim == 1:
                weights[rows.new] = old[rows.old]
            else:
                columns = first[layer] if part == "0" else memory if part == "weight_hh" else read.get(layer, units)
                weights[rows.new[:, None], columns.new] = old[rows.old[:, None], columns.old]


def same(count: int) -> Pairs:
    """Return the pairs of the first ``count`` things of both."""
    return Pairs(np.arange(count), np.arange(count))
