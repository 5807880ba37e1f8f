"""Common parts of the searches in competitive games: which blueprints they accept, and decisions within a round."""

import time
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.games import game_of
from hanabako.interrupts import check
from hanabako.packing import unpack
from hanabako.words.checks import shown

from ..bots.bot import Bot, BotPolicy, nothing_to_begin, nothing_to_observe
from ..playing.block import GAMES_AT_ONCE
from ..playing.policy import BatchedPolicy, rows_to_move
from .choosing import PlayOut, Thought, think
from .policy import SearchSeated

__all__ = ["RoundSeated", "bot_memory", "plain_bot"]


def plain_bot(blueprint: Any, config: Any) -> Bot | None:
    """Return the blueprint's bot, or None if it is a network, after checking that it can play from any position.

    Raises:
        ValueError: the blueprint is neither a bot nor a network, sees hidden cards, or has a memory.
    """
    game, bot = game_of(config).name, getattr(blueprint, "bot", None)
    if isinstance(blueprint, BatchedPolicy):
        if blueprint.memory(1) is None:
            return None
        refusal = f"have no memory, got {blueprint.name}"
    elif not isinstance(blueprint, BotPolicy) or not isinstance(bot, Bot):
        refusal = f"be a bot or a network but not a search, got {shown(getattr(blueprint, 'name', blueprint))}"
    elif bot.cheats:
        refusal = f"not look at hidden cards, got {bot.name}"
    elif bot.begin is not nothing_to_begin or bot.observe is not nothing_to_observe:
        refusal = f"have no memory, got {bot.name}"
    else:
        return bot
    raise ValueError(f"the blueprint of a search of {game} must {refusal}")


def bot_memory(bot: Bot, rules: Any) -> NDArray[Any]:
    """Return such a bot's memory at each seat, (players,): its style and seat."""
    memory = np.zeros(rules.players, bot.memory_dtype(rules))
    memory["style"], memory["player"] = bot.style, range(rules.players)
    return memory


class RoundSeated(SearchSeated):
    """Seats that search each decision separately, up to the end of the round."""

    def search(self) -> None:
        """See `SearchSeated.search`."""
        games = self._games
        for i in rows_to_move(self.seats, games.tables).tolist():
            check()
            began = time.perf_counter()
            actions = np.flatnonzero(unpack(games.tables["mask"][i], games.game.num_actions))
            games.actions[i] = actions[0] if len(actions) == 1 else self.decide(i, actions, began)
            self.counts["decisions"] += len(actions) > 1

    @abstractmethod
    def decide(self, i: int, actions: NDArray[np.int64], began: float) -> int:
        """Choose one of ``actions`` (k,) for the player to move in game i, and write the values of all to `values`."""

    def decide_by_rollouts(self, i: int, actions: NDArray[np.int64], began: float, play_out: PlayOut) -> int:
        """Decide by roll-outs of all actions; see `decide`."""
        blueprint_action = int(self._games.actions[i])
        thought = think(Thought(actions, blueprint_action, self.effort, began, GAMES_AT_ONCE), play_out)
        self.values[i] = thought.values()
        self.counts["rollouts"] += thought.spent
        return thought.verdict()
