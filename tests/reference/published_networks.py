"""The published networks in plain torch, written from their formulas, with random weights in every file layout.

Off-belief learning: Hu et al. 2021. SAD: Hu & Foerster 2020; two dense layers and skip connections: Hu et al. 2020. The
behaviour clones: Dizdarevic et al. 2025. The LSTM: Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al.
2000. This module uses nothing from `agents`.
"""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

Step = tuple[Tensor, list[tuple[Tensor, Tensor]]]
GATES = ("i", "f", "g", "o")


class Dense:
    """A dense layer, x W + b."""

    def __init__(self, inputs: int, outputs: int, scale: float = 2.0) -> None:
        self.weight = torch.randn(inputs, outputs) * scale / inputs**0.5
        self.bias = torch.randn(outputs) * 0.1

    def __call__(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias

    def flax(self, name: str) -> dict[str, Tensor]:
        return {f"{name},kernel": self.weight, f"{name},bias": self.bias}

    def torch(self, name: str) -> dict[str, Tensor]:
        return {f"{name}.weight": self.weight.T.contiguous(), f"{name}.bias": self.bias}


class Cell:
    """An LSTM cell: input, forget and output gates and the candidate, each from the input and the last output."""

    def __init__(self, inputs: int, width: int) -> None:
        self.of_input = {gate: torch.randn(inputs, width) * 2 / inputs**0.5 for gate in GATES}
        self.of_state = {gate: Dense(width, width, 1.0) for gate in GATES}
        self.width = width

    def __call__(self, x: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        said, kept = state
        i, f, g, o = (x @ self.of_input[gate] + self.of_state[gate](said) for gate in GATES)
        kept = torch.sigmoid(f) * kept + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(kept), kept

    def flax(self, name: str) -> dict[str, Tensor]:
        found = {f"{name},i{gate},kernel": weight for gate, weight in self.of_input.items()}
        for gate in GATES:
            found |= self.of_state[gate].flax(f"{name},h{gate}")
        return found

    def torch(self, layer: int) -> dict[str, Tensor]:
        bias = torch.cat([self.of_state[gate].bias for gate in GATES])
        part = torch.rand(len(bias))  # torch adds two biases
        return {
            f"lstm.weight_ih_l{layer}": torch.cat([self.of_input[gate].T for gate in GATES]),
            f"lstm.weight_hh_l{layer}": torch.cat([self.of_state[gate].weight.T for gate in GATES]),
            f"lstm.bias_ih_l{layer}": bias * part,
            f"lstm.bias_hh_l{layer}": bias * (1 - part),
        }


class Recurrent:
    """Common parts of the recurrent networks: stacked cells."""

    cells: list[Cell]

    def begin(self, rows: int) -> list[tuple[Tensor, Tensor]]:
        return [(torch.zeros(rows, cell.width), torch.zeros(rows, cell.width)) for cell in self.cells]

    def remember(self, x: Tensor, states: list[tuple[Tensor, Tensor]]) -> Step:
        after = []
        for cell, state in zip(self.cells, states, strict=True):
            after.append(cell(x, state))
            x = after[-1][0]
        return x, after


class OffBelief(Recurrent):
    """Advantages: the product of the private network and the recurrent network of the public observation."""

    def __init__(self, bits: int, hands: int, actions: int, width: int = 32) -> None:
        self.hands = hands
        self.private = [Dense(bits, width), Dense(width, width), Dense(width, width)]
        self.public = Dense(bits - hands, width)
        self.cells = [Cell(width, width), Cell(width, width)]
        self.head = Dense(width, actions + 1)

    def __call__(self, seen: Tensor, states: list[tuple[Tensor, Tensor]]) -> Step:
        x = seen
        for dense in self.private:
            x = torch.relu(dense(x))
        public, states = self.remember(torch.relu(self.public(seen[:, self.hands :])), states)
        return self.head(x * public), states

    def write_jaxmarl(self, path: Path) -> Path:
        found = self.public.flax("params,publ_net_dense_0") | self.head.flax("params,fc_a")
        for k, dense in enumerate(self.private):
            found |= dense.flax(f"params,priv_net_dense_{k}")
        for k, cell in enumerate(self.cells):
            found |= cell.flax(f"params,lstm,l{k}")
        save_file({name: value.contiguous() for name, value in found.items()}, path)
        return path

    def write_torch(self, path: Path, zipped: bool = True, prefix: str = "") -> Path:
        found = self.public.torch("publ_net.0") | self.head.torch("fc_a")
        found |= Dense(self.cells[0].width, 1).torch("fc_v") | Dense(self.cells[0].width, 15).torch("pred_1st")
        for k, dense in enumerate(self.private):
            found |= dense.torch(f"priv_net.{2 * k}")
        for k, cell in enumerate(self.cells):
            found |= cell.torch(k)
        torch.save({prefix + name: value for name, value in found.items()}, path, _use_new_zipfile_serialization=zipped)
        return path


class Sad(Recurrent):
    """Advantages: dense layers, then cells, with an optional skip connection around the cells."""

    def __init__(
        self, bits: int, own: int, last: tuple[int, int], actions: int, dense: int = 1, skips: bool = False
    ) -> None:
        width = 32
        self.own, self.last, self.skips = own, last, skips
        inputs = own + bits + last[1]
        self.dense = [Dense(inputs, width), *(Dense(width, width) for _ in range(dense - 1))]
        self.cells = [Cell(width, width), Cell(width, width)]
        self.head = Dense(width, actions + 1)

    def __call__(self, seen: Tensor, states: list[tuple[Tensor, Tensor]]) -> Step:
        first, bits = self.last
        x = torch.cat([torch.zeros(len(seen), self.own), seen, seen[:, first : first + bits]], dim=1)
        for dense in self.dense:
            x = torch.relu(dense(x))
        said, states = self.remember(x, states)
        return self.head(said + x if self.skips else said), states

    def write_torch(self, path: Path) -> Path:
        width = self.cells[0].width
        found = self.head.torch("fc_a") | Dense(width, 1).torch("fc_v") | Dense(width, 15).torch("pred")
        for k, dense in enumerate(self.dense):
            found |= dense.torch(f"net.{2 * k}")
        for k, cell in enumerate(self.cells):
            found |= cell.torch(k)
        torch.save(found, path)
        return path


class Clone(Recurrent):
    """Logits: dense layers with layer normalization, then cells, then dense layers."""

    def __init__(
        self, bits: int, actions: int, before: tuple[int, ...] = (48,), cells: int = 1, after: tuple[int, ...] = (24,)
    ) -> None:
        width = 32
        sizes, last = [bits, *before], [width, *after, actions + 1]
        self.before = [Dense(a, b) for a, b in pairwise(sizes)]
        self.norms = [(1 + torch.randn(size) * 0.3, torch.randn(size) * 0.3) for size in before]
        self.cells = [Cell(sizes[-1] if k == 0 else width, width) for k in range(cells)]
        self.after = [Dense(a, b) for a, b in pairwise(last)]
        self.activation: Callable[[Tensor], Tensor] = gelu

    def __call__(self, seen: Tensor, states: list[tuple[Tensor, Tensor]]) -> Step:
        x = seen
        for dense, (scale, bias) in zip(self.before, self.norms, strict=True):
            x = dense(x)
            x = (x - x.mean(1, keepdim=True)) / (x.var(1, correction=0, keepdim=True) + 1e-6).sqrt()
            x = self.activation(x * scale + bias)
        x, states = self.remember(x, states)
        for dense in self.after[:-1]:
            x = self.activation(dense(x))
        return self.after[-1](x), states

    def write_flax(self, path: Path, cell_name: str = "ScanLstmCellWithHiddenStateReset", joint: str = ",") -> Path:
        found: dict[str, Tensor] = {}
        for k, dense in enumerate([*self.before, *self.after]):
            found |= dense.flax(f"Dense_{k}")
        for k, (scale, bias) in enumerate(self.norms):
            found |= {f"LayerNorm_{k},scale": scale, f"LayerNorm_{k},bias": bias}
        for k, cell in enumerate(self.cells):
            found |= cell.flax(f"{cell_name}_{k}")
        save_file({name.replace(",", joint): value.contiguous() for name, value in found.items()}, path)
        return path


def gelu(x: Tensor) -> Tensor:
    """Return GELU by the approximation that flax uses."""
    return 0.5 * x * (1 + torch.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))
