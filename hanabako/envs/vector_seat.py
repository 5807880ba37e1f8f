"""One seat in each of many games as a Gymnasium vector environment: the partners act in batches, too.

`agents.playing.seat_games` computes the partners' actions. It is imported when the first such environment is made.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from hanabako.engine.game import Game
from hanabako.envs.partners import Choice, agents_module
from hanabako.envs.vector import FORMATS, TableVectorEnv, as_actions, as_reset_mask, first_game
from hanabako.packing import unpack
from hanabako.words.checks import as_index, as_seed, check_options, fresh_seed

__all__ = ["VectorSeatEnv"]


class VectorSeatEnv(TableVectorEnv):
    """An environment for one seat in each of ``num_envs`` games.

    A step is one decision of the seat in every game, and all following decisions of the other players. Rewards are
    those of `hanabako.envs.seat.CardGameSeatEnv`. Game ``i`` of seed ``s`` is the game that `CardGameSeatEnv` begins by
    ``reset(seed=s, options={"game_index": i})``: with the same partners and actions, that game and all following games
    are the same.

    Observations are dicts of ``observation`` (N, n) and ``action_mask`` int8 (N, A). When games end, ``infos`` holds
    dense arrays with Gymnasium's ``_name`` masks: ``final_obs`` (SAME_STEP only), ``returns`` float64 (N, P),
    ``illegal`` and the game's statistics. In mode DISABLED a step leaves finished games as they are.

    Args:
        game: the configured game.
        num_envs: the number of games that are played at the same time.
        seat: the learner's player.
        partners: as in `hanabako.envs.seat.CardGameSeatEnv`. A partner that is not a function must be a bot, a network
            or have its own ``act``. Functions are called once per game, which is slow.
        seed: seed of the first `reset` that is called without one; ``None`` draws one.
        observation: ``"int8"``, ``"float32"`` or ``"packed"``, as in `hanabako.envs.vector.CardGameVectorEnv`.
        autoreset_mode: Gymnasium's mode or its value.

    Raises:
        ValueError: an argument is wrong; the message has its name and value.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        seat: int = 0,
        partners: Any = None,
        seed: int | None = None,
        observation: str = "int8",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        super().__init__(game, num_envs, seed, observation, autoreset_mode)
        self.seat = as_index("seat", seat, game.players - 1)
        self.render_mode = None
        self.metadata = {"name": game.name, "autoreset_mode": self.autoreset_mode, "render_modes": []}
        choice = Choice(partners, game, self.seat)
        self._games = agents_module("playing.seat_games").SeatGames(game, self.num_envs, self.seat, choice)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        """Begin games; without a seed, the next game of every row.

        Args:
            seed: an int from 0 to 2^64 - 1.
            options: ``reset_mask`` bool (N,), the games to reset, of which the first reset takes all; ``game_index``,
                the index of game 0 for this seed, or for the last one.

        Raises:
            ValueError: an option is unknown or wrong.
        """
        options = {} if options is None else options
        check_options(options, ("reset_mask", "game_index"))
        first = first_game(options)
        rows = np.flatnonzero(as_reset_mask(options.get("reset_mask"), self.num_envs))
        if seed is not None or first is not None or not self._was_reset:
            if seed is None:
                seed = fresh_seed() if self._seed is None else self._seed
            self._seed = as_seed(seed)
            if not self._was_reset:
                rows = np.arange(self.num_envs)  # all must begin once
            self._games.seed(self._seed, first or 0, rows)
            self._was_reset = True
        else:
            self._games.tables["state"]["episode"][rows] += 1
        self._games.begin(rows)
        return self._observations(), {}

    def step(self, actions: Any) -> tuple[dict, np.ndarray, np.ndarray, np.ndarray, dict]:
        """Take the seat's action in every game.

        Args:
            actions: integers (N,). Actions for finished games are ignored.

        Returns:
            Observations, rewards float64 (N,), terminations and truncations bool (N,), infos.

        Raises:
            ValueError: the actions are not integers of shape (N,).
            gymnasium.error.ResetNeeded: `reset` was never called.
        """
        actions = as_actions(actions, self.num_envs)
        if not self._was_reset:
            raise gymnasium.error.ResetNeeded("call reset before step")
        games, mode = self._games, self.autoreset_mode
        games.step(actions, mode == AutoresetMode.SAME_STEP, mode == AutoresetMode.NEXT_STEP)
        terminations = games.ended.copy()
        if mode == AutoresetMode.DISABLED:
            terminations |= games.tables["terminated"]
        infos: dict[str, Any] = {}
        if games.ended.any():
            infos = self._ends()
        return self._observations(), games.reward.copy(), terminations, np.zeros(self.num_envs, np.bool_), infos

    def _observations(self) -> dict[str, np.ndarray]:
        block = self._games.block
        return {"observation": self._formed(block.observation), "action_mask": block.mask.copy()}

    def _formed(self, words: np.ndarray) -> np.ndarray:
        """Return packed observations in the chosen format."""
        if self.observation_format == "packed":
            return words.copy()
        return unpack(words, self.game.observation_bits).astype(FORMATS[self.observation_format], copy=False)

    def _ends(self) -> dict[str, Any]:
        """Return the infos of the games that have just ended."""
        games, infos = self._games, {}
        for name, numbers in games.ending.items():
            infos[name], infos[f"_{name}"] = numbers.copy(), games.ended.copy()
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            final = {"observation": self._formed(games.final), "action_mask": np.zeros_like(games.block.mask)}
            infos |= {"final_obs": final, "_final_obs": games.ended.copy()}
        return infos
