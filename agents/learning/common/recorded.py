"""Recorded games from `agents.datasets`, shown decision by decision like live games."""

from os import PathLike
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...datasets import Dataset
from .ranks import Ranks
from .selfplay import SelfPlayEnvs

__all__ = ["RecordedEnvs"]


class RecordedEnvs(SelfPlayEnvs):
    """This rank's games, read in parallel from a dataset; each is followed by another when it ends.

    Every pass shows all games of the file once, in a new random order per rank. The games are held in memory: a
    decision of standard Hanabi takes about 150 bytes.

    Args:
        config: the config that was played, with the observation to use.
        games: number of parallel games, all ranks together.
        seed: seed of the order.
        ranks: the ranks, which share the games evenly.
        dataset: the file, in which some game has a decision.

    Raises:
        ValueError: the games have other rules; see `agents.datasets.Dataset`.
        OSError: the file cannot be read.
    """

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, dataset: str | PathLike[str]) -> None:
        parts = list(Dataset(dataset).decisions(config))
        self._decisions = type(parts[0])(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
        self._starts = np.flatnonzero(self._decisions.turns == 0)
        self._ends = np.append(self._starts[1:], len(self._decisions.turns))
        """The decisions of game g are those from ``_starts[g]`` up to ``_ends[g]``."""
        super().__init__(config, games, seed, ranks)

    def _reset(self, seed: int, threads: int) -> None:
        """See `SelfPlayEnvs._reset`."""
        self._seed, self._begun, self._time = seed, 0, -1
        self._game, self._at = np.zeros(self.games, np.int64), np.zeros(self.games, np.int64)
        self._begin(np.ones(self.games, np.bool_))
        self._show()

    def advice(self) -> Tensor:
        """Return the recorded actions at the current decisions, (games,) int64."""
        return torch.from_numpy(self._decisions.actions[self._at])

    def targets(self, temperature: float) -> Tensor:
        """Return target probabilities of the actions at the current decisions, (games, actions) float32.

        They are the softmax of the recorded search values divided by ``temperature`` points. A decision without values
        has probability 1 for the recorded action.
        """
        values, actions = self._decisions.values[self._at], self._decisions.actions[self._at]
        known = ~np.isnan(values[np.arange(self.games), actions])
        scaled = torch.from_numpy(np.where(np.isnan(values), -np.inf, values / temperature))
        done = torch.from_numpy(np.eye(values.shape[1], dtype=np.float32)[actions])
        return torch.where(torch.from_numpy(known)[:, None], scaled.softmax(1), done)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Go to the next recorded decision of every game, ignoring ``actions``; see `SelfPlayEnvs.step`."""
        rewards = torch.from_numpy(self._decisions.rewards[self._at])
        self._at += 1
        dones = self._at == self._ends[self._game]
        if dones.any():
            own = self._starts[self._game[dones]]
            scores, lengths = self._decisions.returns[own], self._at[dones] - own
            self._end_with({"score": scores, "length": lengths})
            self._begin(dones)
        self._show()
        self.decisions += self.games
        return rewards, torch.from_numpy(dones)

    def _begin(self, games: np.ndarray) -> None:
        """Begin the next games in the order where ``games``, bool (games,), is set."""
        numbers = self._begun + np.arange(int(games.sum()))
        self._begun += len(numbers)
        count = len(self._starts)
        for place, number in zip(np.flatnonzero(games), numbers, strict=True):
            self._game[place] = self._order(int(number) // count)[number % count]
        self._at[games] = self._starts[self._game[games]]

    def _order(self, time: int) -> np.ndarray:
        """Return the order of the games in pass ``time``."""
        if self._time != time:
            self._time, self._now = time, np.random.default_rng([self._seed, time]).permutation(len(self._starts))
        return self._now

    def _show(self) -> None:
        decisions, at = self._decisions, self._at
        self.observations = torch.from_numpy(decisions.observations[at].view(np.int64))
        self.masks, self.players = torch.from_numpy(decisions.masks[at]), torch.from_numpy(decisions.players[at])

    def opening_bits(self) -> Tensor:
        """See `SelfPlayEnvs.opening_bits`; taken from all games of the file."""
        common = np.bitwise_and.reduce(self._decisions.observations[self._starts], axis=0)
        return torch.from_numpy(common.view(np.int64))

    def state(self) -> dict[str, np.ndarray]:
        """See `SelfPlayEnvs.state`: the games being read, and the position in each."""
        return {"game": self._game.copy(), "at": self._at.copy(), "begun": np.array(self._begun)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """See `SelfPlayEnvs.restore`."""
        self._game, self._at, self._begun = state["game"].copy(), state["at"].copy(), int(state["begun"])
        self._show()
