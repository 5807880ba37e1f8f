"""One seat of a card game as a single-agent Gymnasium environment. Given partners or opponents play the other seats."""

from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np

from hanabako.engine.game import Game
from hanabako.envs.aec import CardGameAEC, without_ignored
from hanabako.envs.partners import Partner, Partners, generator_of, random_partner
from hanabako.words.checks import as_bool, as_index, as_seed

__all__ = ["MOST_SKIPPED", "CardGameSeatEnv", "Partner", "no_decision", "random_partner"]

MOST_SKIPPED = 1000
"""The largest number of games in a row that may end before the seat's first decision."""


class CardGameSeatEnv(gymnasium.Env[dict[str, np.ndarray], int]):
    """An environment for one seat. A step is a decision of that seat and all following decisions of the other players.

    The reward is the sum of the seat's rewards over those decisions. Rewards from before the seat's first decision are
    added to its first step. An illegal action ends the game with reward -1. If a game ends before the seat has had a
    decision, `reset` goes on to the next game. Infos hold ``action_mask`` and, at the end, the game's statistics.

    Args:
        game: the configured game.
        seat: the learner's player, 0 to players - 1.
        partners: the agents of the other players. An agent's name (or file), a policy, or a `Partner` function plays
            all of them; a sequence of these has one for each other player, in turn order from the next player on;
            ``{"pool": [...]}`` is drawn from for each other player in each game; ``None`` plays at random. The random
            numbers of policies follow from the seed of `reset`.
        render_mode: as in `hanabako.envs.aec.CardGameAEC`.
        constant_infos: whether every info has the same keys, as Minari requires: ``action_mask``, ``illegal`` and the
            game's statistics as numbers, which are 0 before the end.

    Raises:
        ValueError: ``seat`` is out of range, ``partners`` has the wrong length, or a partner is unknown or cannot play.
    """

    def __init__(
        self,
        game: Game,
        seat: int = 0,
        partners: Any = None,
        render_mode: str | None = None,
        constant_infos: bool = False,
    ) -> None:
        self.table = CardGameAEC(game, render_mode)
        self.constant_infos = as_bool("constant_infos", constant_infos)
        self._owed = 0.0
        self.metadata = dict(self.table.metadata)
        self.render_mode = render_mode
        self.seat = as_index("seat", seat, game.players - 1)
        self.agent = self.table.possible_agents[self.seat]
        self.partners = Partners(partners, self.table, self.seat)
        self.observation_space = self.table.observation_space(self.agent)
        self.action_space = self.table.action_space(self.agent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin a game. The options are those of `hanabako.envs.aec.CardGameAEC.reset`.

        With a seed, the partners' random numbers follow from that seed and ``game_index``. A game that ends before the
        seat's first decision is skipped, unless a state or deal was given: then its rewards come with the next step.

        Raises:
            ValueError: the seed or an option is wrong, or many games in a row end before the seat's first decision.
        """
        seed = None if seed is None else as_seed(seed)
        own = seed
        if seed is None and self.table.agents == [] and not hasattr(self, "_started"):
            seed = int(self.np_random.integers(2**63))
        self.table.reset(seed=seed, options=options)
        super().reset(seed=own)  # only now, because a reset that fails changes nothing
        self._started = True
        given = without_ignored(options or {})
        if seed is not None and "game_index" in given:
            self.np_random = generator_of(seed, int(given["game_index"]))
        for _ in range(MOST_SKIPPED + 1):
            self.partners.begin(self.np_random)
            self._owed = self._play_partners()
            if not self.table.terminations[self.agent] or given.keys() - {"game_index"}:
                return self._observation(), self._info()
            self.table.reset()
        raise no_decision(self.seat)

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Take the seat's action, then let the partners act until the seat is to move or the game ends.

        An error of a partner leaves the game where it stopped.
        """
        owed, self._owed = self._owed, 0.0
        if self.table.terminations[self.agent]:
            return self._observation(), owed, True, False, self._info()
        try:
            self.table.step(action)
        except ValueError:
            self.table.terminations = dict.fromkeys(self.table.agents, True)
            observation = self._observation()
            observation["action_mask"] = np.zeros_like(observation["action_mask"])
            return observation, owed - 1.0, True, False, self._info(illegal=True)
        self.partners.observe()
        reward = owed + self.table.rewards[self.agent] + self._play_partners()
        return self._observation(), reward, self.table.terminations[self.agent], False, self._info()

    def action_masks(self) -> np.ndarray:
        """Return the mask of legal actions, bool (A,), for ``MaskablePPO`` of sb3-contrib."""
        return self._observation()["action_mask"].astype(np.bool_)

    def action_to_str(self, action: int) -> str:
        """Return the text of ``action``: see `hanabako.envs.aec.CardGameAEC.action_to_str`."""
        return self.table.action_to_str(action)

    def str_to_action(self, text: str) -> int:
        """Return the action that ``text`` names: see `hanabako.envs.aec.CardGameAEC.str_to_action`."""
        return self.table.str_to_action(text)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole state, hidden cards included: see `hanabako.envs.aec.CardGameAEC.to_dict`."""
        return self.table.to_dict()

    def _play_partners(self) -> float:
        reward = 0.0
        table = self.table
        while table.agent_selection != self.agent and not table.terminations[self.agent]:
            table.step(self.partners.action(self.np_random))
            self.partners.observe()
            reward += table.rewards[self.agent]
        return reward

    def _observation(self) -> dict[str, np.ndarray]:
        return self.table.observe(self.agent)

    def _info(self, illegal: bool = False) -> dict[str, Any]:
        info = deepcopy(self.table.infos[self.agent])  # callers may keep infos and write to them
        if illegal:
            info |= {"illegal": True, "action_mask": np.zeros_like(info["action_mask"])}
        if not self.constant_infos:
            return info
        row = self.table.tables[0]
        ended = bool(row["ended"])
        numbers = {name: int(row[name]) if ended else 0 for name in ("length", *self.table.game.statistics)}
        return {"action_mask": info["action_mask"], "illegal": int(illegal), **numbers}

    def render(self) -> Any:
        """Draw the table: see `hanabako.envs.aec.CardGameAEC.render`."""
        return self.table.render()


def no_decision(seat: int) -> ValueError:
    """Return the error that more than `MOST_SKIPPED` games in a row ended before the seat's first decision."""
    return ValueError(f"seat must get a decision within {MOST_SKIPPED} games, and {seat} got none")
