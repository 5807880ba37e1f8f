"""What plays: one protocol for networks, bots and whatever else takes a seat.

A `Policy` has a name, says two things about how it likes to be played with, and takes seats in many games at once.
`BatchedPolicy` is the base of those that choose actions from observations, with memory or without; a bot's policy is
`agents.bots.bot.BotPolicy`. Any object with an ``act`` will do as well: see `Acting`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.engine.rng import random_word

__all__ = [
    "Acting",
    "Actions",
    "Agent",
    "BatchedPolicy",
    "BatchedSeated",
    "Counting",
    "GamesInPlay",
    "Mask",
    "Noise",
    "Policy",
    "Seated",
    "Weighing",
    "as_policy",
    "chosen_rows",
    "has",
    "line_up",
    "rows_to_move",
    "set_of",
    "uniform",
]


Mask: TypeAlias = NDArray[np.int8]
"""(rows, actions): 1 for a legal action; at least one per row."""
Noise: TypeAlias = NDArray[np.float64]
"""(rows,): uniform in [0, 1)."""
Actions: TypeAlias = NDArray[np.int64]
"""(rows,): one action per row."""


class GamesInPlay(Protocol):
    """Some games of one config that go on step by step, as those who sit there see them."""

    game: Game
    """What is played."""
    specialize: bool
    """The loops are compiled for this config alone."""
    rules_array: NDArray[Any]
    """The rules, the one record of an array (1,)."""
    keys: NDArray[np.uint64]
    """(N,): the random stream of each game's players."""
    actions: NDArray[np.int64]
    """(N,): of the coming step; a finished game takes no notice of its own."""
    step: int
    """Steps so far."""
    tables: NDArray[Any]
    """The games' records (N,), see `hanabako.engine.game.Game.table_dtype`."""

    @property
    def observation(self) -> NDArray[Any]:
        """What each game's player to move observes: packed uint64 (N, words), or single bits of another dtype."""
        ...

    @property
    def mask(self) -> NDArray[np.int8]:
        """The legal actions there, (N, A)."""
        ...


class Seated(ABC):
    """A policy at some seats of some games in play.

    Games may also begin and go on each by itself, with other players in every one: then ``chosen``, bool (N,), says
    which of them begin or have made a step (None: all), and the code that seats the players writes to ``seats``.
    """

    seats: NDArray[np.uint64]
    """(N,): which players it is in each game, as bits of a set. They change, if at all, when that game begins."""

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:  # noqa: B027 (who remembers nothing begins so)
        """The cards are dealt: forget the earlier game."""

    @abstractmethod
    def act(self) -> None:
        """Write to the games' ``actions`` wherever one of these seats is to move."""

    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:  # noqa: B027 (nor has it anything to observe)
        """The games have made a step."""

    def memories(self) -> NDArray[Any] | None:
        """What it remembers, (N, ...): the array itself, to be saved and written back to; None if it is nothing."""
        return None

    def public_knowledge(self) -> NDArray[np.uint64] | None:
        """What the cards may be by public knowledge: sets (N, players, hand_size), or None if it keeps no track."""
        return None


@runtime_checkable
class Weighing(Protocol):
    """A seated policy that says how it valued the actions: a search."""

    values: list[dict[int, float] | None]
    """Per game what each action was thought to bring at the last decision that was searched."""


@runtime_checkable
class Counting(Protocol):
    """A policy that counts what its decisions took: a language model."""

    def counted(self) -> dict[str, Any]:
        """What all games so far took, as JSON types; numbers ``decisions`` and ``illegal`` among them."""
        ...


class Policy(Protocol):
    """A policy that can take any seat of a game: what `agents.load` returns and `agents.evaluate.play` asks for."""

    name: str
    """For results."""
    observes: bool
    """It reads observations; if no policy does, none are computed."""
    specializes: bool
    """Its games may be compiled for their config alone, which pays if there are many."""
    plays_apart: bool
    """Its games may begin and go on each by itself, see `Seated`."""

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> Seated:
        """Take these seats in all the games."""
        ...


class BatchedPolicy(ABC):
    """A policy that is asked once per step for all its decisions in all games.

    What it does is a function of its arguments alone, so that a game is played the same way alone or among thousands.
    What it has to remember of a game it keeps in its memory, see `memory`.
    """

    name: str
    observes: bool = True
    specializes: bool = True
    plays_apart: bool = True

    @abstractmethod
    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise, memory: NDArray[Any] | None = None) -> Actions:
        """Choose one legal action per row.

        Args:
            observation: what the player to move observes: packed bits, uint64 (rows, words), or single bits of any
                other dtype (rows, bits).
            mask: the legal actions.
            noise: the only source of random numbers.
            memory: (rows, ...), what this player remembers of this game, to be overwritten by what it shall remember;
                None for a policy without memory, or for a player who remembers nothing yet.
        """

    def memory(self, count: int) -> NDArray[Any] | None:
        """Memories (count, ...) of ``count`` players whose games begin; None if there is nothing to remember."""
        return None

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> Seated:
        """See `Policy.seat`."""
        return BatchedSeated(self, games, seats)


class BatchedSeated(Seated):
    """A batched policy at some seats of some games: it keeps one memory per game and seat."""

    def __init__(self, policy: BatchedPolicy, games: GamesInPlay, seats: Sequence[int]) -> None:
        self._policy = policy
        self._games = games
        self._places = np.sort(seats)
        self.seats = set_of(seats, len(games.tables))
        self._memory: NDArray[Any] | None = None

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `Seated.begin`."""
        count, places = len(self._games.tables), len(self._places)
        if chosen is None or self._memory is None:
            memory = self._policy.memory(count * places)
            self._memory = None if memory is None else memory.reshape(count, places, *memory.shape[1:])
        elif (fresh := self._policy.memory(1)) is not None:
            self._memory[chosen] = fresh

    def act(self) -> None:
        """See `Seated.act`."""
        games = self._games
        rows = rows_to_move(self.seats, games.tables)
        if not len(rows):
            return
        decisions = games.observation[rows], games.mask[rows], uniform(games.keys[rows], games.step)
        if self._memory is None:
            games.actions[rows] = self._policy.act(*decisions)
            return
        own = rows, np.searchsorted(self._places, games.tables["current_player"][rows])
        memory = self._memory[own]
        games.actions[rows] = self._policy.act(*decisions, memory)
        self._memory[own] = memory

    def memories(self) -> NDArray[Any] | None:
        """See `Seated.memories`."""
        return self._memory


def set_of(seats: Sequence[int], count: int) -> NDArray[np.uint64]:
    """The same seats in each of ``count`` games, see `Seated.seats`."""
    return np.full(count, sum(1 << int(seat) for seat in set(seats)), np.uint64)


def has(sets: NDArray[np.uint64], players: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each set holds the player beside it, (N,)."""
    return (sets >> players.astype(np.uint64)) & np.uint64(1) != 0


def rows_to_move(seats: NDArray[np.uint64], tables: NDArray[Any]) -> NDArray[np.int64]:
    """The games that go on in which one of these seats is to move, see `Seated.seats`."""
    return np.flatnonzero(has(seats, tables["current_player"]) & ~tables["terminated"])


def chosen_rows(chosen: NDArray[np.bool_] | None, count: int) -> NDArray[np.int64]:
    """Which of ``count`` games are chosen, see `Seated`: all if None."""
    return np.arange(count) if chosen is None else np.flatnonzero(chosen)


def uniform(keys: NDArray[np.uint64], step: int | NDArray[np.int64]) -> NDArray[np.float64]:
    """The ``step``-th number in [0, 1) of every stream; or of each its own, (N,)."""
    words = np.asarray(random_word(keys, np.atleast_1d(np.asarray(step, np.uint64))))
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


# --- Objects with an act ----------------------------------------------------------------------------------------------


class Acting(Protocol):
    """The least that can play: an object that chooses actions, and remembers nothing."""

    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise) -> Actions:
        """As `BatchedPolicy.act`."""
        ...


Agent: TypeAlias = Policy | Acting
"""What may be handed over to play."""


class ActingPolicy(BatchedPolicy):
    """The policy of an object that has no more than an ``act``, and perhaps ``name`` and ``observes``."""

    def __init__(self, agent: Acting) -> None:
        self._agent = agent
        self.name = getattr(agent, "name", type(agent).__name__)
        self.observes = getattr(agent, "observes", True)

    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise, memory: NDArray[Any] | None = None) -> Actions:
        """See `BatchedPolicy.act`."""
        return self._agent.act(observation, mask, noise)


def as_policy(agent: Any) -> Policy:
    """``agent`` itself if it can take seats, else the policy of its ``act``."""
    return agent if hasattr(agent, "seat") else ActingPolicy(agent)


def line_up(policies: Agent | Sequence[Agent], players: int) -> list[Policy]:
    """One policy per seat, out of one for all seats or a sequence of one per seat.

    Raises:
        ValueError: it is a sequence of another length.
    """
    seats = list(policies) if isinstance(policies, Sequence) else [policies] * players
    if len(seats) != players:
        raise ValueError(f"policies must be one, or one for each of the {players} seats, got {len(seats)}")
    complete = {id(agent): as_policy(agent) for agent in seats}  # once each: equal ones share their work
    return [complete[id(agent)] for agent in seats]
