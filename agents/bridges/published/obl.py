"""Off-belief learning (Hu et al. 2021), levels 1 to 5: a public memory, multiplied by features of the private view.

The file is one of JaxMARL's (https://huggingface.co/mttga/obl-r2d2-flax, safetensors) or one of the authors'
(https://github.com/facebookresearch/off-belief-learning, ``.pthw``).
"""

from pathlib import Path

from torch import Tensor, nn
from typing_extensions import override

from hanabi_env.config import HanabiConfig

from .standard import Hidden, PublishedNetwork, relu_layers, standard_game
from .tensors import Tensors, dense_of, filled, flat_names, lstm_of, matrix, read_tensors, without

__all__ = ["OffBeliefNetwork", "read"]

OF_LEARNING = ("fc_v", "pred_1st", "pred_2nd", "pred_t", "core_ffn")
"""Modules in the authors' files that are used only in training."""


class OffBeliefNetwork(PublishedNetwork):
    """Three dense layers over the V0 input, multiplied by recurrent layers over its public part; outputs advantages."""

    def __init__(self, game: HanabiConfig, width: int, layers: int) -> None:
        super().__init__(game, width, layers)
        rules = game.rules()
        self.hands = (rules.players - 1) * rules.hand_size * rules.suits * rules.ranks
        self.priv_net = relu_layers(game.observation_bits, width, width, width)
        self.publ_net = relu_layers(game.observation_bits - self.hands, width)
        self.lstm = nn.LSTM(width, width, layers)
        self.fc_a = nn.Linear(width, self.outputs)

    @override
    def forward(self, seen: Tensor, hidden: Hidden) -> tuple[Tensor, Hidden]:
        public, hidden = self.lstm(self.publ_net(seen[:, self.hands :])[None], hidden)
        return self.fc_a(self.priv_net(seen) * public[0]), hidden


def read(path: Path) -> OffBeliefNetwork:
    """Read the network in a file; raise ``ValueError`` if it holds none of this kind."""
    tensors = read_tensors(path)
    tensors = of_flax(path, flat_names(tensors)) if path.suffix == ".safetensors" else without(tensors, *OF_LEARNING)
    width, inputs = matrix(path, tensors, "priv_net.0.weight")
    outputs, _ = matrix(path, tensors, "fc_a.weight")
    game = standard_game(path, inputs, outputs, lambda game: [game.observation_bits])
    return filled(path, lambda layers: OffBeliefNetwork(game, width, layers), tensors)


def of_flax(path: Path, tensors: Tensors) -> Tensors:
    """Return JaxMARL's tensors by the authors' names."""
    names = {f"priv_net_dense_{k}": f"priv_net.{2 * k}" for k in range(3)}
    renamed = lstm_of(path, tensors, "lstm.l{}")
    for name, theirs in {**names, "publ_net_dense_0": "publ_net.0", "fc_a": "fc_a"}.items():
        renamed |= dense_of(path, tensors, name, theirs)
    return renamed | tensors
