"""A memory of what was played, for algorithms that learn from it more than once: sequences of decisions."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from .selfplay import SelfPlayEnvs

__all__ = ["ReplayMemory", "Sequences"]


class Sequences(NamedTuple):
    """So many decisions in a row of some games: ``horizon`` of each, which may end and begin again on the way.

    The first axes are (horizon, sequences); of what is observed there is one more, after the last decision.
    """

    observations: Tensor
    """(horizon + 1, sequences, words) int64: packed, of the player to move."""
    masks: Tensor
    """(horizon + 1, sequences, actions) int8: 1 for a legal action."""
    players: Tensor
    """(horizon + 1, sequences): who is to move."""
    actions: Tensor
    """(horizon, sequences)."""
    rewards: Tensor
    """(horizon, sequences) float32, the team's."""
    dones: Tensor
    """(horizon, sequences) bool: the decision ended its game."""
    memories: Tensor
    """(sequences, players, numbers): what every player remembered at the beginning; no numbers without memory."""


class ReplayMemory:
    """The last rollouts of all games; each game's part of a rollout is a sequence.

    The newest takes the place of the oldest. Observations stay packed and memories are kept in float16: an observation
    of standard Hanabi for two players takes 0.12 kB, and the memories of a recurrent network as much as eight of them.

    Args:
        rollouts: how many are kept.
        horizon: decisions of a sequence.
        envs: what is played.
        words: of an observation, and what an algorithm notes behind it.
        numbers: of a player's memory.
        device: where it is kept.
    """

    def __init__(
        self, rollouts: int, horizon: int, envs: SelfPlayEnvs, words: int, numbers: int, device: torch.device
    ) -> None:
        self.rollouts, self.games = rollouts, envs.games
        self.count = 0
        """Rollouts noted so far."""
        rows = rollouts * envs.games

        def room(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        self._kept = Sequences(
            observations=room(horizon + 1, rows, words, dtype=torch.int64),
            masks=room(horizon + 1, rows, envs.actions, dtype=torch.int8),
            players=room(horizon + 1, rows, dtype=torch.int8),
            actions=room(horizon, rows, dtype=torch.int16),
            rewards=room(horizon, rows, dtype=torch.float32),
            dones=room(horizon, rows, dtype=torch.bool),
            memories=room(rows, envs.config.players, numbers, dtype=torch.float16),
        )

    def begin(self) -> Sequences:
        """Room for the next rollout, to be written to: a sequence per game."""
        place = self.count % self.rollouts
        self.count += 1
        kept = self._kept._asdict().items()
        return Sequences(**{name: array.narrow(axis(name), place * self.games, self.games) for name, array in kept})

    def sample(self, count: int, generator: torch.Generator) -> Sequences:
        """That many sequences, each as likely as any other."""
        rows = torch.randint(min(self.count, self.rollouts) * self.games, (count,), generator=generator)
        rows = rows.to(self._kept.memories.device)
        kept = self._kept._asdict().items()
        chosen = Sequences(**{name: array.index_select(axis(name), rows) for name, array in kept})
        players, actions = chosen.players.long(), chosen.actions.long()
        return chosen._replace(players=players, actions=actions, memories=chosen.memories.float())

    def state(self) -> dict[str, Any]:
        """Everything needed to go on: tensors and numbers."""
        return {"count": self.count, **self._kept._asdict()}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of `state`."""
        self.count = state["count"]
        for name, array in self._kept._asdict().items():
            if array.shape != state[name].shape:
                raise ValueError(f"its replay memory holds {name} of another shape")
            array.copy_(state[name])


def axis(name: str) -> int:
    """Along which axis of an array of `Sequences` the sequences lie."""
    return 0 if name == "memories" else 1
