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
from hanabako.words.checks import as_index, check_options, seed_after

__all__ = ["VectorSeatEnv"]


class VectorSeatEnv(TableVectorEnv):
    """An environment for one seat in each of ``num_envs`` games.

    A step is one decision of the seat in every game, and all following decisions of the other players. Rewards are
    those of `hanabako.envs.seat.CardGameSeatEnv`. Game ``i`` of seed ``s`` is the game that `CardGameSeatEnv` begins by
    ``reset(seed=s, options={"game_index": i})``: with the same partners and actions, that game and all following games
    are the same.

    Observations, modes and the ``infos`` of games that end are those of `hanabako.envs.vector.CardGameVectorEnv`.

    Args:
        game: the configured game.
        num_envs: the number of games that are played at the same time.
        seat: the learner's player.
        partners: as in `hanabako.envs.seat.CardGameSeatEnv`. A partner that is not a function must be a bot, a network
            or have its own ``act``. Functions are called once per game, which is slow.
        seed, observation, autoreset_mode: as in `hanabako.envs.vector.CardGameVectorEnv`.

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
        """Begin games; the options are ``reset_mask`` and ``game_index``: see `CardGameVectorEnv.reset`."""
        options = {} if options is None else options
        check_options(options, ("reset_mask", "game_index"))
        first = first_game(options)
        rows = np.flatnonzero(as_reset_mask(options.get("reset_mask"), self.num_envs))
        if seed is not None or first is not None or not self._was_reset:
            self._seed = seed_after(self._seed, seed)
            if not self._was_reset:
                rows = np.arange(self.num_envs)  # all must begin once
            self._games.seed(self._seed, first or 0, rows)
            self._was_reset = True
        else:
            self._games.tables["state"]["episode"][rows] += 1
        self._games.begin(rows)
        return self._observations(), {}

    def step(self, actions: Any) -> tuple[dict, np.ndarray, np.ndarray, np.ndarray, dict]:
        """Take the seat's action in every game: see `CardGameVectorEnv.step`. Those for finished games are ignored."""
        actions = as_actions(actions, self.num_envs)
        if not self._was_reset:
            raise gymnasium.error.ResetNeeded("call reset before step")
        games, mode = self._games, self.autoreset_mode
        games.step(actions, mode == AutoresetMode.SAME_STEP, mode == AutoresetMode.NEXT_STEP)
        terminations = games.ended.copy()
        if mode == AutoresetMode.DISABLED:
            terminations |= games.tables["terminated"]
        infos = self._ends() if games.ended.any() else {}
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
