"""A network that treats interchangeable suits alike.

The bits about each suit have the same meaning in the same column (`hanabako.engine.layout.Layout.suit_bits`), so one
set of weights reads all suits. Their pooled features are joined with the bits that concern no suit (Zaheer et al. 2017,
"Deep Sets"). An action that names a suit gets its logit from that suit's features. If the suits of a position are
renamed, the probabilities are renamed with them, for any weights. So independently trained networks cannot settle on
different private meanings of the suits; Other-Play (Hu et al. 2020) needs training for this property.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from typing_extensions import override

from hanabako.engine.layout import Layout
from hanabako.games import game_of
from hanabako.packing import pack

from .fused import can_fuse, fused_heads, fused_layer
from .network import Network, Outputs, RoundedLinear, start_head
from .packing import SuitUnpacker, to_numbers

OF_A_SUM = 0.7
"""Scale of the initial weights of two layers whose outputs are added, so that the sum has the usual size."""
UNCHANGED = nn.Identity()


class SymmetricNetwork(Network):
    """A network with features for every suit ``s`` and for the rest of the position.

    In each layer ``p`` is the mean of the suits' features ``h_s``, joined with the rest's features ``g``. In the first
    layer it is the sum of the suits' bits, joined with the other bits:

        h_s = relu(A h_s + B p),   g = relu(C p)

    The logit of an action that names suit ``s`` is linear in ``h_s`` and ``p``; all others, and the value, in ``p``.
    Hidden layers compute in ``trunk_dtype``, heads in float32. As in `agents.networks.network.DenseNetwork`, bits that
    are set in every opening are inverted. The game's layout, which must have interchangeable suits, says which bits and
    actions concern which suit; ``width`` is the number of features per suit, and of the rest.
    """

    kind = "symmetric"
    usual_width = 64

    def __init__(self, config: Any, width: int, layers: int, views: int = 1) -> None:
        super().__init__(config, views, width=width, layers=layers)
        layout = self.input_layout(config)
        if not layout.alike_suits:
            raise ValueError(f"a symmetric network needs interchangeable suits; {game_of(config).name} has none")
        begins = [64 * view * (self.words // views) for view in range(views)]
        self.suit_bits = np.concatenate([layout.suit_bits + begin for begin in begins], axis=1)
        self.unpack = SuitUnpacker(self.suit_bits, np.concatenate([layout.other_bits + begin for begin in begins]))
        named, others = layout.suit_actions, layout.other_actions
        self.named = named.shape[1]
        self.register_buffer("order", torch.from_numpy(np.concatenate([named.ravel(), others])), persistent=False)
        bits = self.unpack.bits
        sizes = [(bits, bits + self.unpack.others)] + [(width, 2 * width)] * (layers - 1)
        self.own = nn.ModuleList(RoundedLinear(own, width, bias=False, scale=OF_A_SUM) for own, _ in sizes)
        self.pooled = nn.ModuleList(RoundedLinear(pooled, 2 * width, scale=OF_A_SUM) for _, pooled in sizes)
        self.norms = nn.ModuleList(self.norm(width) for _ in sizes)
        self.rest_norms = nn.ModuleList(self.norm(width) for _ in sizes)
        self.suit_head = nn.Linear(width, self.named, bias=False) if self.named else None
        self.head = nn.Linear(2 * width, self.named + len(others) + 1)
        start_head(self.head)
        if self.suit_head is not None:
            nn.init.orthogonal_(self.suit_head.weight, 0.01)

    @classmethod
    def input_layout(cls, config: Any) -> Layout:
        """Return the layout of the input bits."""
        return game_of(config).layout(config)

    @override
    def set_features(self, name: str, config: Any) -> None:
        if name == "v0":
            raise ValueError(f"features must be none or derived for a {self.kind} network, which reads bits, got v0")
        super().set_features(name, config)

    @override
    def set_opening(self, words: Tensor) -> None:
        bits = to_numbers(words.cpu()[None], torch.float32)[0].numpy().astype(np.int8)
        bits[self.suit_bits] = bits[self.suit_bits].min(0)  # a suit's bit counts only if it is set for every suit
        super().set_opening(torch.from_numpy(pack(bits[None], self.words)[0].view(np.int64)))

    @override
    def step(self, words: Tensor, memory: Tensor | None = None) -> Outputs:
        suits, pooled = self.unpack(self.changed(words), self.trunk_dtype)
        for k in range(len(self.own)):
            suits, pooled = self.layer(k, suits, pooled)
        return self.heads(suits, pooled)

    def layer(self, k: int, suits: Tensor, pooled: Tensor) -> tuple[Tensor, Tensor]:
        """Return ``h_s`` (suits, rows, width) and ``p`` (rows, width and rest) after layer ``k``."""
        shared, norm = self.pooled[k], self.norms[k]
        assert isinstance(shared, RoundedLinear)
        products = self.own[k](suits), F.linear(pooled, shared.weight.to(pooled.dtype))
        if can_fuse(suits) and isinstance(norm, nn.Identity):
            return fused_layer(*products, shared.bias)
        return plain_layer(*products, shared.bias, norm, self.rest_norms[k])

    def heads(self, suits: Tensor, pooled: Tensor, memory: Tensor | None = None) -> Outputs:
        """Return the outputs after the last layer."""
        features = pooled.float()
        out = self.head(features)
        if self.suit_head is None:
            return Outputs(out[:, :-1], out[:, -1], memory, features)
        heads = fused_heads if can_fuse(suits) else plain_heads
        return Outputs(*heads(suits, out, self.suit_head.weight, self.order), memory, features)


def plain_layer(
    suit_products: Tensor, pooled_products: Tensor, bias: Tensor, norm: Any = UNCHANGED, rest_norm: Any = UNCHANGED
) -> tuple[Tensor, Tensor]:
    """Return ``h_s`` and ``p`` of `SymmetricNetwork`: as `fused_layer`, whose memory for the results is new here.

    ``norm`` and ``rest_norm`` change the features of a suit, and those of the rest, before their ReLU.
    """
    width = suit_products.shape[2]
    sums = pooled_products + bias.to(pooled_products.dtype)
    suits = F.relu(norm(suit_products + sums[:, :width]))
    return suits, torch.cat([suits.mean(0), F.relu(rest_norm(sums[:, width:]))], 1)


def plain_heads(suits: Tensor, out: Tensor, weight: Tensor, order: Tensor) -> tuple[Tensor, Tensor]:
    """Return logits and values of `SymmetricNetwork`; arguments and results are those of `fused_heads`."""
    count = len(weight)
    named = F.linear(suits.to(weight.dtype), weight) + out[:, :count]
    logits = torch.cat([named.transpose(0, 1).flatten(1), out[:, count:-1]], 1)
    return torch.empty_like(logits).index_copy(1, order, logits), out[:, -1]
