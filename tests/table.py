"""A game that is read and played in words: the base of each game's short notation for tests."""

from typing import Any, Self

import numpy as np


class Table:
    """A raw AEC environment; the keys of ``to_dict()`` are attributes.

    ``rewards`` holds the result of `reward` after every move.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self.rewards: list[Any] = []

    def __getattr__(self, key: str) -> Any:
        state = self.env.to_dict()
        if key not in state:
            raise AttributeError(key)
        return state[key]

    def do(self, *moves: str) -> Self:
        for words in moves:
            assert words in self.legal, f"{words!r} is not legal; legal are {sorted(self.legal)}"
            self.env.step(self.env.str_to_action(words))
            self.rewards.append(self.reward())
        return self

    def reward(self) -> Any:
        return self.env.rewards["player_0"]

    @property
    def legal(self) -> set[str]:
        """The legal actions of the player to move, in words."""
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return {self.env.action_to_str(int(action)) for action in np.flatnonzero(mask)}

    @property
    def is_over(self) -> bool:
        return all(self.env.terminations.values())

    def bits(self, player: int) -> list[int]:
        return self.env.observe(f"player_{player}")["observation"].tolist()
