"""The protocol of bots, and the compiled loops in which a bot plays many games at once.

A *bot* is four plain functions over records, marked `hanabako.compiler.jit.rule` like the rules of the games. The same
source runs as plain Python and compiled. With ``rules`` (the game's named tuple, or a record of the same fields) they
are

* ``memory_dtype(rules)``: the dtype of one seat's memory of one game (called from Python, once). A bot may keep nothing
  else; sizes taken from ``rules`` may be larger than the game's;
* ``begin(rules, memory, view, player, style)``: called after the deal; ``player`` is the bot's seat, and ``memory`` is
  all zero. ``style`` is the bot's field of that name, so the same four functions can make several bots;
* ``observe(rules, memory, view, event)``: called for every seat after every step but the last, also for the seat that
  acted. ``event`` is the public part of the step (the game's own record);
* ``act(rules, memory, view, mask, key)``: returns the action of the seat, which is to move. ``mask`` holds the legal
  actions as bits of uint64 words; ``key`` is the random key of this decision, for ``random_below(key, 0, n)`` and so
  on. There is no other source of random numbers.

``view`` is the game's record without anything that the seat may not know (``hide`` in the game's module
``engine.private_view``). The functions of the rules work on it, and no bot sees more than a person at its seat could.
The one exception is a bot with ``cheats``, which gets the whole record. A view is a copy, made for one call.

The loops over games are defined here, once for all bots and games. They close over the bot's plain functions, which
Numba's disk cache recognizes in a new process, unlike compiled ones. They run a block of games in lock-step, so that
every bot is compiled separately and any mix of bots, networks and people can share a table. Blocks are spread over
Python threads (`agents.playing.play`), as the loops release the GIL. That takes half the compile time of a ``prange``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import ZERO, has_bit
from hanabako.engine.loops import reader_of
from hanabako.engine.rng import random_word
from hanabako.engine.turns import is_legal
from hanabako.games import game_of
from hanabako.packing import unpack

from ..playing.block import Block
from ..playing.policy import Seated, legal_actions, set_of

__all__ = ["Bot", "BotLoops", "BotPolicy", "BotsSeated", "bot_loops", "is_without_memory"]


@rule
def nothing_to_begin(rules, memory, view, player, style):
    """``begin`` for a bot that remembers only its style and seat."""
    memory.style = style
    memory.player = player


@rule
def nothing_to_observe(rules, memory, view, event):
    """``observe`` for a bot that remembers nothing."""


def plain_memory_dtype(rules: Any) -> np.dtype:
    """``memory_dtype`` for a bot that remembers only its style and seat."""
    return np.dtype([("style", np.int64), ("player", np.int64)])


@dataclass(frozen=True, kw_only=True)
class Bot:
    """A bot: four functions, see the module's docstring. All but ``act`` have defaults for a bot without memory."""

    name: str
    memory_dtype: Callable[[Any], np.dtype] = plain_memory_dtype
    begin: Callable[..., None] = nothing_to_begin
    observe: Callable[..., None] = nothing_to_observe
    act: Callable[..., Any]
    style: int = 0
    """A number given to ``begin``, which selects one of several behaviours."""
    cheats: bool = False
    """Whether the bot sees the whole record."""
    counts: str | None = None
    """The meaning of ``style`` if users may set it after the bot's name, as in ``monte_carlo:2000``; else None."""


def is_without_memory(bot: Bot) -> bool:
    """Whether a bot remembers only its style and seat, so that it can play on from any position."""
    return bot.begin is nothing_to_begin and bot.observe is nothing_to_observe


class BotLoops(NamedTuple):
    """The compiled loops of one bot over a block of games.

    ``rules_array`` holds the game's rules (see `hanabako.engine.protocol.rules_array`), ``tables`` (N,) the games'
    records, ``seats`` (N,) the players that the bot plays in each game, as bits of a uint64; a game without any is
    skipped. ``memories`` (N, P) are the bot's memories, ``views`` (1,) is scratch space for one view.
    """

    begin: Callable[..., None]  # (rules_array, tables, seats, memories, views, style)
    observe: Callable[..., None]  # (rules_array, tables, seats, memories, views)
    act: Callable[..., int]
    """``(rules_array, tables, seats, memories, views, keys uint64 (N,), step, actions (N,))``; returns the last table
    with an illegal action, or -1."""


def viewer(hide: Callable[..., None], cheats: bool) -> Callable[..., None]:
    """Return a function that writes a player's view of a table to ``views[0]``."""

    @rule
    def show(rules, table, player, views):
        views[0] = table.state
        if not cheats:
            hide(rules, views[0], player)

    return show


@cache
def bot_loops(hide: Callable[..., None], last_event: Callable[..., Any], bot: Bot, kind: type, frozen: Any) -> BotLoops:
    """Return the loops of a bot, specialized to the rules ``frozen``, or generic if that is None.

    ``hide`` and ``last_event`` are those of the game's module ``engine.private_view``.
    """
    show = viewer(hide, bot.cheats)
    bot_begins, bot_observes, bot_acts = bot.begin, bot.observe, bot.act
    rules_of = reader_of(kind, frozen)
    digest = digest_of(hide, last_event, bot_begins, bot_observes, bot_acts, bot_loops)

    @kernel
    def begin_games(rules_array, tables, seats, memories, views, style):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            for player in range(rules.players):
                if has_bit(seats[i], player):
                    show(rules, tables[i], player, views)
                    bot_begins(rules, memories[i, player], views[0], player, style)

    @kernel
    def observe_games(rules_array, tables, seats, memories, views):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            for player in range(rules.players):
                if not tables[i].terminated and has_bit(seats[i], player):
                    show(rules, tables[i], player, views)
                    bot_observes(rules, memories[i, player], views[0], last_event(rules, views[0]))

    @kernel
    def act_games(rules_array, tables, seats, memories, views, keys, step, actions):
        rules = keyed(rules_of(rules_array), digest)
        wrong = -1
        for i in range(tables.shape[0]):
            player = tables[i].current_player
            if not tables[i].terminated and has_bit(seats[i], player) != ZERO:
                show(rules, tables[i], player, views)
                key = random_word(keys[i], step)
                actions[i] = bot_acts(rules, memories[i, player], views[0], tables[i].mask, key)
                wrong = wrong if is_legal(rules, tables[i], actions[i]) else i
        return wrong

    return BotLoops(begin_games, observe_games, act_games)


class BotPolicy:
    """A bot that plays games of one config; `agents.load` returns it for a bot's name."""

    observes = False  # it looks at views of the game's record
    specializes = False  # its generic loops, compiled once for all configs, are nearly as fast
    plays_apart = True

    def __init__(self, bot: Bot, config: Any) -> None:
        self.bot = bot
        self.name = bot.name
        self.config = config

    def seat(self, games: Block, seats: Sequence[int]) -> "BotsSeated":
        """See `agents.playing.policy.Policy.seat`."""
        return BotsSeated(games, self, seats)


class BotsSeated(Seated):
    """A bot at some seats of some games in play."""

    def __init__(self, games: Block, policy: BotPolicy, seats: Sequence[int]) -> None:
        self._games, self._bot, rules = games, policy.bot, policy.config.rules()
        view, state = map(game_of(policy.config).module, ("engine.private_view", "engine.state"))
        frozen = rules if games.specialize else None
        self._loops = bot_loops(view.hide, view.last_event, self._bot, type(rules), frozen)
        dtype = interned(self._bot.memory_dtype(rules if games.specialize else state.roomy(rules)))
        self._memories = np.zeros((len(games.tables), rules.players), dtype)
        self._views = np.zeros(1, games.tables.dtype["state"])
        self.seats = set_of(seats, len(games.tables))

    @override
    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        self.memories()[... if chosen is None else chosen] = 0
        self._loops.begin(*self._in(chosen), self._bot.style)

    @override
    def act(self) -> None:
        games = self._games
        wrong = self._loops.act(*self._in(None), games.keys, games.step, games.actions)
        if wrong >= 0:
            mask = unpack(games.tables["mask"][wrong : wrong + 1], games.game.num_actions)
            legal_actions(games.actions[wrong : wrong + 1], mask, self._bot)

    @override
    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:
        self._loops.observe(*self._in(chosen))

    @override
    def memories(self) -> NDArray[np.uint8]:
        return self._memories.view(np.uint8).reshape(len(self._memories), -1)

    def _in(self, chosen: NDArray[np.bool_] | None) -> tuple[NDArray[Any], ...]:
        """Return the first arguments of all loops; in games that are not ``chosen`` the bot has no seat."""
        seats = self.seats if chosen is None else np.where(chosen, self.seats, ZERO)
        return self._games.rules_array, self._games.tables, seats, self._memories, self._views

    def public_knowledge(self) -> NDArray[np.uint64] | None:
        """Return a copy of the field ``possible`` in player 0's memory, equal at all seats; None without this field."""
        if "possible" not in (self._memories.dtype.names or ()):
            return None
        return self._memories["possible"][:, 0].copy()
