"""What searches of the competitive games share: over whom they search, and decisions up to the end of a round."""

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
    """The bot of a blueprint that can play rounds out which it has not followed from their beginning; None: a network.

    Raises:
        ValueError: it is neither, sees hidden cards, or remembers what it has seen; in words.
    """
    game, bot = game_of(config).name, getattr(blueprint, "bot", None)
    if isinstance(blueprint, BatchedPolicy):
        if blueprint.memory(1) is None:
            return None
        refusal = f"not remember a game as {blueprint.name} does"
    elif not isinstance(blueprint, BotPolicy) or not isinstance(bot, Bot):
        refusal = f"be a bot or a network, and no search, got {shown(getattr(blueprint, 'name', blueprint))}"
    elif bot.cheats:
        refusal = f"not look at hidden cards as {bot.name} does"
    elif bot.begin is not nothing_to_begin or bot.observe is not nothing_to_observe:
        refusal = f"not remember a game as {bot.name} does"
    else:
        return bot
    raise ValueError(f"the blueprint of a search of {game} must {refusal}")


def bot_memory(bot: Bot, rules: Any) -> NDArray[Any]:
    """The memory of such a bot at each seat, (players,): its style and seat."""
    memory = np.zeros(rules.players, bot.memory_dtype(rules))
    memory["style"], memory["player"] = bot.style, range(rules.players)
    return memory


class RoundSeated(SearchSeated):
    """Seats that search each decision by itself, up to the end of the round."""

    def search(self) -> None:
        """See `SearchSeated.search`."""
        games = self._games
        for i in rows_to_move(self.seats, games.tables).tolist():
            check()
            began = time.perf_counter()
            actions = np.flatnonzero(unpack(games.tables["mask"][i], games.game.num_actions))
            games.actions[i] = actions[0] if len(actions) == 1 else self.decide(i, actions, began)

    @abstractmethod
    def decide(self, i: int, actions: NDArray[np.int64], began: float) -> int:
        """The action of the player to move in game i, one of ``actions`` (k,); the values of all go to `values`."""

    def decide_by_rollouts(self, i: int, actions: NDArray[np.int64], began: float, play_out: PlayOut) -> int:
        """`decide` by roll-outs of all actions."""
        blueprint_action = int(self._games.actions[i])
        thought = think(Thought(actions, blueprint_action, self.effort, began, GAMES_AT_ONCE), play_out)
        self.values[i] = thought.values()
        self.counts["rollouts"] += thought.spent
        return thought.verdict()
