"""What the published networks share: a step of all of them, and the game that a file's sizes tell."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from torch import Tensor, nn

from hanabi_env.config import HanabiConfig

__all__ = ["Hidden", "PublishedNetwork", "relu_layers", "standard_game"]

Hidden: TypeAlias = tuple[Tensor, Tensor]
"""The hidden and the cell states of an LSTM, (layers, rows, width) each; zeros when a game begins."""


class PublishedNetwork(nn.Module, ABC):
    """A recurrent network that moves its memory at every player's turn.

    Args:
        game: what it was trained for.
        width: units of its recurrent layers.
        layers: how many of them there are.
    """

    def __init__(self, game: HanabiConfig, width: int, layers: int) -> None:
        super().__init__()
        self.game, self.width, self.layers = game, width, layers

    @property
    def outputs(self) -> int:
        """Outputs of the last layer: the game's actions, and one more for players who are not to move."""
        return self.game.rules().num_actions + 1

    @abstractmethod
    def forward(self, seen: Tensor, hidden: Hidden) -> tuple[Tensor, Hidden]:
        """A step.

        Args:
            seen: float32 (rows, bits), see `hanabi_env.v0_belief`.
            hidden: what is remembered.

        Returns:
            What is thought of every action, (rows, `outputs`), the greater the better, and what is remembered now.
        """


def relu_layers(*sizes: int) -> nn.Sequential:
    """Dense layers of rectified units, from ``sizes[0]`` numbers on."""
    return nn.Sequential(*(module for pair in pairwise(sizes) for module in (nn.Linear(*pair), nn.ReLU())))


def standard_game(
    path: Path, inputs: int, outputs: int, sizes: Callable[[HanabiConfig], Sequence[int]]
) -> HanabiConfig:
    """The standard game, of 2 to 5 players with 4 or 5 cards each, that a network of a file was trained for.

    Args:
        path: the file, for messages.
        inputs: numbers that the network takes.
        outputs: its actions, one more than the game's.
        sizes: how many numbers a network of this kind takes in a game.

    Raises:
        ValueError: no game has these sizes.
    """
    for players in (2, 3, 4, 5):
        for hand_size in (None, 4, 5):
            game = HanabiConfig(players=players, hand_size=hand_size)
            if inputs in sizes(game) and outputs == game.rules().num_actions + 1:
                return game
    raise ValueError(
        f"{path} takes {inputs} numbers and has {outputs} actions: no standard game for 2 to 5 players has these sizes"
    )
