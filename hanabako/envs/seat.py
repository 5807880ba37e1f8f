"""One seat of a card game as a single-agent Gymnasium environment; given opponents or partners play the others."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

from hanabako.engine.game import Game
from hanabako.envs.aec import CardGameAEC
from hanabako.words.checks import as_index

__all__ = ["CardGameSeatEnv", "Partner", "random_partner"]

Partner = Callable[[dict[str, np.ndarray], np.random.Generator], int]
"""Chooses an action, given an observation (``observation`` int8 (n,), ``action_mask`` int8 (A,)) and a generator."""


def random_partner(observation: dict[str, np.ndarray], generator: np.random.Generator) -> int:
    """A uniformly random legal action."""
    return int(generator.choice(np.flatnonzero(observation["action_mask"])))


class CardGameSeatEnv(gymnasium.Env[dict[str, np.ndarray], int]):
    """Play one seat. A step is one decision of that seat and all the others' until it is to move again.

    The reward is the sum of the seat's rewards over those steps. An illegal action ends the game with reward -1. Infos
    hold ``action_mask``, and at the end the game's statistics.

    Args:
        game: the configured game.
        seat: the player to be, 0 .. players - 1.
        partners: who plays the others: one `Partner` for all, or one for each other player in turn order from
            the next one; ``None`` plays at random.
        render_mode: as in `hanabako.envs.aec.CardGameAEC`.

    Raises:
        ValueError: ``seat`` is out of range or ``partners`` has a wrong length.
    """

    def __init__(
        self,
        game: Game,
        seat: int = 0,
        partners: Partner | Sequence[Partner] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.table = CardGameAEC(game, render_mode)
        self.metadata = dict(self.table.metadata)
        self.render_mode = render_mode
        self.seat = as_index("seat", seat, game.players - 1)
        self.agent = self.table.possible_agents[self.seat]
        self.partners = self._by_agent(partners)
        self.observation_space = self.table.observation_space(self.agent)
        self.action_space = self.table.action_space(self.agent)

    def _by_agent(self, partners: Partner | Sequence[Partner] | None) -> dict[str, Partner]:
        agents = self.table.possible_agents
        others = agents[self.seat + 1 :] + agents[: self.seat]
        if partners is None:
            partners = random_partner
        choices = [partners] * len(others) if callable(partners) else list(partners)
        if len(choices) != len(others):
            raise ValueError(
                f"partners must be one, or one for each of {len(others)} other players, got {len(choices)}"
            )
        return dict(zip(others, choices, strict=True))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin a game; options as in `hanabako.envs.aec.CardGameAEC.reset`."""
        super().reset(seed=seed)
        if seed is None and self.table.agents == [] and not hasattr(self, "_started"):
            seed = int(self.np_random.integers(2**63))
        self._started = True
        self.table.reset(seed=seed, options=options)
        self._play_partners()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Act, then let the others act until it is this seat's turn or the game is over."""
        if self.table.terminations[self.agent]:
            return self._observation(), 0.0, True, False, self._info()
        before = dict(self.table.infos[self.agent])
        try:
            self.table.step(action)
        except ValueError:
            self.table.terminations = dict.fromkeys(self.table.agents, True)
            return self._observation(), -1.0, True, False, {**before, "illegal": True, "action_mask": self._mask()}
        reward = self.table.rewards[self.agent] + self._play_partners()
        return self._observation(), reward, self.table.terminations[self.agent], False, self._info()

    def _play_partners(self) -> float:
        reward = 0.0
        table = self.table
        while table.agent_selection != self.agent and not table.terminations[self.agent]:
            partner = self.partners[table.agent_selection]
            table.step(partner(table.observe(table.agent_selection), self.np_random))
            reward += table.rewards[self.agent]
        return reward

    def _observation(self) -> dict[str, np.ndarray]:
        return self.table.observe(self.agent)

    def _mask(self) -> np.ndarray:
        return np.zeros(self.table.game.num_actions, np.int8)

    def _info(self) -> dict[str, Any]:
        mask = self._observation()["action_mask"]
        return {**self.table.infos[self.agent], "action_mask": mask}

    def render(self) -> Any:
        """As `hanabako.envs.aec.CardGameAEC.render`."""
        return self.table.render()
