"""Common parts of the published networks: their base class, and the game inferred from a file's sizes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from torch import Tensor, nn

from hanabi_env.config import HanabiConfig

__all__ = ["Hidden", "PublishedNetwork", "relu_layers", "standard_game"]

Hidden: TypeAlias = tuple[Tensor, Tensor]
"""The hidden and cell states of an LSTM, (layers, rows, width) each; zero at the beginning of a game."""


class PublishedNetwork(nn.Module, ABC):
    """A recurrent network that updates its memory at every player's turn.

    Args:
        game: the config for which it was trained.
        width: units per recurrent layer.
        layers: number of recurrent layers.
    """

    def __init__(self, game: HanabiConfig, width: int, layers: int) -> None:
        super().__init__()
        self.game, self.width, self.layers = game, width, layers

    @property
    def outputs(self) -> int:
        """The number of outputs: the game's actions, and one for players who are not to move."""
        return self.game.rules().num_actions + 1

    @abstractmethod
    def forward(self, seen: Tensor, hidden: Hidden) -> tuple[Tensor, Hidden]:
        """Make one step.

        Args:
            seen: float32 (rows, bits), see `hanabi_env.v0_belief`.
            hidden: the memories before the step.

        Returns:
            A preference for every action, (rows, `outputs`), the greater the better, and the memories after the step.
        """


def relu_layers(*sizes: int) -> nn.Sequential:
    """Return dense layers with ReLU, of the given sizes; ``sizes[0]`` is the input's."""
    return nn.Sequential(*(module for pair in pairwise(sizes) for module in (nn.Linear(*pair), nn.ReLU())))


def standard_game(
    path: Path, inputs: int, outputs: int, sizes: Callable[[HanabiConfig], Sequence[int]]
) -> HanabiConfig:
    """Return the standard game, 2 to 5 players with 4 or 5 cards each, for which the network in ``path`` was trained.

    The network has ``inputs``, one of the ``sizes`` that its kind may have in that game, and ``outputs``, one more than
    the game's actions. Raise ``ValueError`` if no game has these.
    """
    for players in (2, 3, 4, 5):
        for hand_size in (None, 4, 5):
            game = HanabiConfig(players=players, hand_size=hand_size)
            if inputs in sizes(game) and outputs == game.rules().num_actions + 1:
                return game
    raise ValueError(
        f"{path} takes {inputs} numbers and has {outputs} actions: no standard game for 2 to 5 players has these sizes"
    )
