"""A replay memory of sequences of decisions, for off-policy algorithms."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from .selfplay import SelfPlayEnvs


class Sequences(NamedTuple):
    """Sequences of ``horizon`` consecutive decisions; a game may end within a sequence, and the next one begins.

    The first axes are (horizon, sequences). Observations have one entry more: the one after the last decision.
    """

    observations: Tensor
    """(horizon + 1, sequences, words) int64: packed, for the player to move."""
    masks: Tensor
    """(horizon + 1, sequences, actions) int8: 1 for a legal action."""
    players: Tensor
    """(horizon + 1, sequences): the player to move."""
    actions: Tensor
    """(horizon, sequences): the actions taken."""
    rewards: Tensor
    """(horizon, sequences) float32: the team's rewards."""
    dones: Tensor
    """(horizon, sequences) bool: whether the decision ended its game."""
    memories: Tensor
    """(sequences, players, numbers): every player's memory at the beginning; the last axis is empty without memory."""


class ReplayMemory:
    """The last rollouts of all games; each game's part of a rollout is a sequence, and has a row.

    The newest rollout replaces the oldest. Observations stay packed and memories are kept in float16: an observation of
    standard two-player Hanabi takes 0.12 kB, and the memories of a recurrent network as much as eight observations.
    ``words`` are those of an observation, including what the algorithm appends; ``numbers`` those of a player's memory.
    """

    def __init__(
        self, rollouts: int, horizon: int, envs: SelfPlayEnvs, words: int, numbers: int, device: torch.device
    ) -> None:
        self.rollouts, self.games = rollouts, envs.games
        self.count = 0
        """Number of rollouts begun so far."""
        rows = rollouts * envs.games
        self.priorities = torch.ones(rows)
        """(rows,) float32: how much each sequence is to be replayed, see `draw`; new ones have the highest priority."""

        def room(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        self._kept = Sequences(
            observations=room(horizon + 1, rows, words, dtype=torch.int64),
            masks=room(horizon + 1, rows, envs.masks.shape[1], dtype=torch.int8),
            players=room(horizon + 1, rows, dtype=torch.int8),
            actions=room(horizon, rows, dtype=torch.int16),
            rewards=room(horizon, rows, dtype=torch.float32),
            dones=room(horizon, rows, dtype=torch.bool),
            memories=room(rows, envs.config.players, numbers, dtype=torch.float16),
        )

    def begin(self) -> Sequences:
        """Return views of the arrays for the next rollout, one sequence per game, to be written to."""
        place = self.count % self.rollouts
        self.count += 1
        self.priorities[place * self.games :][: self.games] = self.priorities.max()
        kept = self._kept._asdict().items()
        return Sequences(**{name: array.narrow(axis(name), place * self.games, self.games) for name, array in kept})

    def draw(self, count: int, generator: torch.Generator, exponent: float = 0.0) -> tuple[Tensor, Tensor]:
        """Draw sequences with replacement, in proportion to ``priorities ** exponent`` (Schaul et al. 2016).

        Return their rows (count,) int64, and their probabilities relative to a uniform draw, (count,) float32.
        """
        filled = min(self.count, self.rollouts) * self.games
        if exponent == 0:
            return torch.randint(filled, (count,), generator=generator), torch.ones(count)
        odds = self.priorities[:filled] ** exponent
        rows = torch.multinomial(odds, count, replacement=True, generator=generator)
        return rows, odds[rows] / odds.mean()

    def at(self, rows: Tensor) -> Sequences:
        """Return the sequences in the rows (count,) int64."""
        rows = rows.to(self._kept.memories.device)
        kept = self._kept._asdict().items()
        chosen = Sequences(**{name: array.index_select(axis(name), rows) for name, array in kept})
        players, actions = chosen.players.long(), chosen.actions.long()
        return chosen._replace(players=players, actions=actions, memories=chosen.memories.float())

    def state(self) -> dict[str, Any]:
        """Return everything needed to continue, as tensors and numbers."""
        return {"count": self.count, "priorities": self.priorities, **self._kept._asdict()}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of `state`."""
        self.count = state["count"]
        for name, array in self._kept._asdict().items():
            if array.shape != state[name].shape:
                raise ValueError(f"its replay memory holds {name} of another shape")
            array.copy_(state[name])
        self.priorities.copy_(state["priorities"])


def axis(name: str) -> int:
    """Return the axis of sequences in the array ``name`` of `Sequences`."""
    return 0 if name == "memories" else 1
