"""SAD (Hu & Foerster 2020), also with Other-Play (Hu et al. 2020) and with the auxiliary task: one recurrent network.

The file is one of https://github.com/facebookresearch/hanabi_SAD (``.pthw``).
"""

import re
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hanabi_env.config import HanabiConfig
from hanabi_env.engine.observation import section_index

from .standard import Hidden, PublishedNetwork, relu_layers, standard_game
from .tensors import filled, matrix, read_tensors, without

__all__ = ["SadNetwork", "read"]

OF_LEARNING = ("fc_v", "pred", "pred_1st")
"""Modules that serve learning alone."""
SKIPS = re.compile(r"M([345]|9|10|11)\.pthw")
"""The twelve runs of a method of Other-Play's paper are ``M0.pthw`` to ``M11.pthw``; these have a skip connection."""


class SadNetwork(PublishedNetwork):
    """Dense layers over its input, then recurrent ones; the advantages of the actions.

    Its input is an empty section for the player's own hand, the V0 input, and the last mover's greedy action, encoded
    like the last action. Players here play greedily, so this repeats the last action.

    Args:
        game: see `PublishedNetwork`.
        width: units of every layer.
        layers: see `PublishedNetwork`.
        inputs: numbers that it takes; without the greedy action there are fewer.
        dense: dense layers.
        skips: what the dense layers say is added to what the recurrent ones say.
    """

    def __init__(self, game: HanabiConfig, width: int, layers: int, inputs: int, dense: int, skips: bool) -> None:
        super().__init__(game, width, layers)
        self.skips = skips
        self.own, self.first, self.bits = sizes(game)
        self.told = inputs > self.own + game.observation_bits
        self.net = relu_layers(inputs, *[width] * dense)
        self.lstm = nn.LSTM(width, width, layers)
        self.fc_a = nn.Linear(width, self.outputs)

    def forward(self, seen: Tensor, hidden: Hidden) -> tuple[Tensor, Hidden]:
        """See `PublishedNetwork.forward`."""
        last_action = seen[:, self.first : self.first + self.bits * self.told]
        x = self.net(torch.cat([F.pad(seen, (self.own, 0)), last_action], 1))
        remembered, hidden = self.lstm(x[None], hidden)
        return self.fc_a(remembered[0] + x if self.skips else remembered[0]), hidden


def sizes(game: HanabiConfig) -> tuple[int, int, int]:
    """Numbers of a hand; the first bit of the last action, and how many there are."""
    rules = game.rules()
    ((first, bits),) = ((at, length) for name, at, length in section_index(rules) if name == "last_action")
    return rules.hand_size * rules.suits * rules.ranks, first, bits


def inputs_of(game: HanabiConfig) -> list[int]:
    """How many numbers such a network takes, without and with a greedy action."""
    own, _, bits = sizes(game)
    return [own + game.observation_bits, own + game.observation_bits + bits]


def read(path: Path) -> SadNetwork:
    """The network in a file, whose name tells whether it has a skip connection (`SKIPS`): its tensors do not.

    Raises:
        ValueError: it holds none.
    """
    tensors = without(read_tensors(path), *OF_LEARNING)
    width, inputs = matrix(path, tensors, "net.0.weight")
    outputs, _ = matrix(path, tensors, "fc_a.weight")
    game, skips = standard_game(path, inputs, outputs, inputs_of), SKIPS.fullmatch(path.name) is not None
    dense = sum(re.fullmatch(r"net\.\d+\.weight", name) is not None for name in tensors)
    return filled(path, lambda layers: SadNetwork(game, width, layers, inputs, dense, skips), tensors)
