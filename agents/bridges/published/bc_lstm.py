"""The behaviour clones of AH2AC2 (Dizdarevic et al. 2025), trained on games of people, for 2 and 3 players.

The file is one of https://huggingface.co/ah2ac2/baselines, or that of https://github.com/LARG/jax-aht (safetensors).
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from torch import Tensor, nn
from torch.nn import functional as F
from typing_extensions import override

from hanabako.files import read_text
from hanabi_env.config import HanabiConfig

from .standard import Hidden, PublishedNetwork, standard_game
from .tensors import Tensors, dense_of, filled, flat_names, lstm_of, matrix, read_tensors

__all__ = ["CloneNetwork", "read"]

CELL = "ScanLstmCellWithHiddenStateReset_{}"
EPSILON = 1e-6
"""The constant that flax adds to a variance."""


class CloneNetwork(PublishedNetwork):
    """Dense layers with layer norm, recurrent layers, and dense layers, which end in action logits.

    Args:
        game, width, layers: see `PublishedNetwork`.
        before: units of each dense layer before the recurrent ones; there is at least one.
        after: units of each dense layer after them.
        activation: the activation function of the dense layers.
    """

    def __init__(
        self,
        game: HanabiConfig,
        width: int,
        layers: int,
        before: Sequence[int],
        after: Sequence[int],
        activation: Callable[[Tensor], Tensor],
    ) -> None:
        super().__init__(game, width, layers)
        self.activation = activation
        self.before = nn.ModuleList(nn.Linear(*pair) for pair in pairwise([game.observation_bits, *before]))
        self.norms = nn.ModuleList(nn.LayerNorm(size, EPSILON) for size in before)
        self.lstm = nn.LSTM(before[-1], width, layers)
        self.after = nn.ModuleList(nn.Linear(*pair) for pair in pairwise([width, *after]))
        self.head = nn.Linear([width, *after][-1], self.outputs)

    @override
    def forward(self, seen: Tensor, hidden: Hidden) -> tuple[Tensor, Hidden]:
        x = seen
        for dense, norm in zip(self.before, self.norms, strict=True):
            x = self.activation(norm(dense(x)))
        remembered, hidden = self.lstm(x[None], hidden)
        x = remembered[0]
        for dense in self.after:
            x = self.activation(dense(x))
        return self.head(x), hidden


def read(path: Path) -> CloneNetwork:
    """Read the network in a file; raise ``ValueError`` if it holds none of this kind."""
    tensors = of_flax(path, flat_names(read_tensors(path)))
    sizes = {part: [matrix(path, tensors, name)[0] for name in names_of(tensors, part)] for part in ("before", "after")}
    _, inputs = matrix(path, tensors, "before.0.weight")
    outputs, _ = matrix(path, tensors, "head.weight")
    _, width = matrix(path, tensors, "lstm.weight_hh_l0")
    game, activation = standard_game(path, inputs, outputs, lambda game: [game.observation_bits]), activation_of(path)
    return filled(path, lambda layers: CloneNetwork(game, width, layers, **sizes, activation=activation), tensors)


def names_of(tensors: Tensors, part: str) -> list[str]:
    """Return the names of the weights of a part's layers, in order."""
    return [name for name in tensors if re.fullmatch(rf"{part}\.\d+\.weight", name)]


def of_flax(path: Path, tensors: Tensors) -> Tensors:
    """Return the tensors by our names; there are as many dense layers before the recurrent ones as norms."""
    tensors = {name.replace("OptimizedLSTMCell_", CELL.format("")): value for name, value in tensors.items()}
    norms, dense = (sum(name.startswith(kind) for name in tensors) // 2 for kind in ("LayerNorm_", "Dense_"))
    renamed = lstm_of(path, tensors, CELL)
    for k in range(max(norms, 1)):
        renamed |= dense_of(path, tensors, f"LayerNorm_{k}", f"norms.{k}", kernel="scale")
    for k in range(max(dense, norms + 1)):
        ours = f"before.{k}" if k < norms else f"after.{k - norms}" if k < dense - 1 else "head"
        renamed |= dense_of(path, tensors, f"Dense_{k}", ours)
    return renamed | tensors


def activation_of(path: Path) -> Callable[[Tensor], Tensor]:
    """Return the activation ``act_fn`` of a ``.yaml`` with the same name; without one flax's gelu, as published."""
    settings = path.with_suffix(".yaml")
    text = read_text(settings) if settings.is_file() else ""
    name = re.search(r"^act_fn: *['\"]?(\w+)", text, re.MULTILINE)
    return partial(F.gelu, approximate="tanh") if name is None or name[1] == "gelu" else F.relu
