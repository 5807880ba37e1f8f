"""The policy of a published network, which observes every player's turn.

Its memory changes at every step of the game. Our own networks remember only their own decisions
(`agents.playing.policy.BatchedPolicy`), so the seats here make their own observations.
"""

import importlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.engine.sections import words_for
from hanabako.games import game_of
from hanabako.packing import unpack
from hanabi_env.beliefs import v0_belief
from hanabi_env.config import HanabiConfig

from ...networks.network import usual_torch
from ...networks.neural_policy import torch_threads
from ...playing.block import Block
from ...playing.fitting import check_rules
from ...playing.policy import Seated, has, rows_to_move, set_of
from .standard import PublishedNetwork

__all__ = ["PublishedPolicy", "PublishedSeated", "load_published"]


class PublishedPolicy:
    """A published network that plays greedily the game it was trained for.

    Args:
        network: the network.
        config: the game's config.
        name: the name shown in results.
    """

    observes = False  # it makes its own observations
    specializes = True
    plays_apart = True

    def __init__(self, network: PublishedNetwork, config: HanabiConfig, name: str) -> None:
        self.network, self.config, self.name = network, config, name

    def seat(self, games: Block, seats: Sequence[int]) -> "PublishedSeated":
        """See `agents.playing.policy.Policy.seat`."""
        return PublishedSeated(self, games, seats)


class PublishedSeated(Seated):
    """A published network at some seats of some games, with a memory per seat that every step updates."""

    def __init__(self, policy: PublishedPolicy, games: Block, seats: Sequence[int]) -> None:
        torch.get_num_threads()  # a new thread takes over the process's number of threads at this call
        network, count = policy.network, len(games.tables)
        shown = {"observation_type": "card_knowledge", "belief": False, "derived": False}
        self._network, self._games, self._config = network, games, replace(games.game.config, **shown)
        self._game = game_of(self._config).make_game(self._config)
        self._loops = self._game.loops(games.specialize)
        self._words = np.zeros((count, words_for(self._game.observation_bits)), np.uint64)
        self._mask = np.zeros((count, games.game.num_actions), np.int8)
        self.seats = set_of(seats, count)
        hidden = policy.config.players, 2, network.layers, network.width
        self._memories = np.zeros(count, [("hidden", np.float32, hidden), ("action", np.int64)])

    @override
    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        self._memories["hidden"][... if chosen is None else chosen] = 0
        self.observe(chosen)

    @override
    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:
        going = ~self._games.tables["terminated"] & (True if chosen is None else chosen)
        for player in range(self._config.players):
            rows = np.flatnonzero(going & has(self.seats, np.full(len(going), player)))
            if len(rows):
                self._move_memory(player, rows)

    @override
    def act(self) -> None:
        rows = rows_to_move(self.seats, self._games.tables)
        self._games.actions[rows] = self._memories["action"][rows]

    def memories(self) -> NDArray[np.uint8]:
        """See `agents.playing.policy.Seated.memories`; as bytes."""
        return self._memories.view(np.uint8).reshape(len(self._memories), -1)

    @torch.inference_mode()
    def _move_memory(self, player: int, rows: NDArray[np.int64]) -> None:
        """Update a player's memory in the games ``rows``, and choose its action where it is to move."""
        games, hidden = self._games, self._memories["hidden"]
        self._loops.observe(self._game.rules_array, games.tables, player, self._words, self._mask)
        seen = v0_belief(unpack(self._words[rows], self._game.observation_bits), self._config)
        before = torch.from_numpy(hidden[rows, player]).permute(1, 2, 0, 3).contiguous()
        with torch_threads(len(seen)):
            values, after = self._network(torch.from_numpy(seen), (before[0], before[1]))
        hidden[rows, player] = torch.stack(after).permute(2, 0, 1, 3).numpy()
        mask, values = self._mask[rows], values[:, : self._mask.shape[1]].numpy()
        to_move = mask.any(axis=1)
        self._memories["action"][rows[to_move]] = np.where(mask, values, -np.inf)[to_move].argmax(axis=1)


@usual_torch()
def load_published(name: str, config: Any = None) -> PublishedPolicy:
    """Load the policy in a published file.

    Args:
        name: ``obl:FILE``, ``sad:FILE`` or ``bc_lstm:FILE``; the prefix is the module of this folder that reads it.
        config: the config to play; None means the one it was trained for.

    Raises:
        ValueError: the file holds no such network, or the network cannot play ``config``.
    """
    family, path = name.partition(":")[0], Path(name.partition(":")[2])
    network = importlib.import_module(f".{family}", __package__).read(path)
    config = network.game if config is None else config
    check_rules(str(path), network.game, config)
    return PublishedPolicy(network, config, f"{family}:{path.stem}")
