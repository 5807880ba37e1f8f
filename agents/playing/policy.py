"""Policies: one protocol for networks, bots and everything else that takes a seat.

A `Policy` has a name and a few flags, and takes seats in many games at once. `BatchedPolicy` is the base class of
policies that choose actions from observations, with or without memory. The policy of a bot is
`agents.bots.bot.BotPolicy`. Any object with an ``act`` can play too: see `Acting`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from inspect import signature
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.engine.rng import random_word
from hanabako.words.checks import shown
from hanabako.words.notation import counted

from .block import Block
from .fitting import sight

T = TypeVar("T")

Mask: TypeAlias = NDArray[np.int8]
"""(rows, actions): 1 for a legal action; at least one per row."""
Noise: TypeAlias = NDArray[np.float64]
"""(rows,): uniform in [0, 1)."""
Actions: TypeAlias = NDArray[np.int64]
"""(rows,): one action per row."""


class Seated(ABC):
    """A policy at some seats of some games in play.

    Games may also begin and advance independently, with other players in each. Then ``chosen``, bool (N,), marks the
    games that begin or have made a step (None: all), and the code that seats the players writes to ``seats``.
    """

    seats: NDArray[np.uint64]
    """(N,): the players whose seats it has in each game, as bits of a set; they change only when that game begins."""
    values: Any = None
    """A search keeps the action values of each game's last decision here, one dict or None per game."""

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:  # noqa: B027 (without memory, do nothing)
        """Forget the previous game: the cards of a new one are dealt."""

    @abstractmethod
    def act(self) -> None:
        """Write an action to the games' ``actions`` wherever one of these seats is to move.

        Raises:
            ValueError: the agent's answer is not a legal action.
        """

    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:  # noqa: B027 (without memory, do nothing)
        """Take note of a step that the games have made."""

    def memories(self) -> NDArray[Any] | None:
        """Return the memory, (N, ...): the array itself, for saving and restoring; None without memory."""
        return None

    def public_knowledge(self) -> NDArray[np.uint64] | None:
        """Return the possible cards by public knowledge: sets (N, players, hand_size), or None if it keeps no track."""
        return None


@runtime_checkable
class Counting(Protocol):
    """A policy that counts the cost of its decisions: a language model, or a search."""

    def counted(self) -> dict[str, Any]:
        """Return the totals over all games so far, as JSON types, among them ``decisions``."""
        ...

    def cost(self, name: str) -> Iterator[str]:
        """Yield the totals as lines of text about the agent ``name``."""
        ...


class Policy(Protocol):
    """A policy that can take any seat of a game: `agents.load` returns one, and `agents.play` takes them."""

    name: str
    """The name in results."""
    observes: bool
    """Whether it reads observations; if no policy does, none are computed."""
    specializes: bool
    """Whether its games may be compiled for their config only, which is faster for many games."""
    plays_apart: bool
    """Whether its games may begin and advance independently, see `Seated`."""

    def seat(self, games: Block, seats: Sequence[int]) -> Seated:
        """Take these seats in all the games."""
        ...


class BatchedPolicy(ABC):
    """A policy that is called once per step for all its decisions in all games.

    Its actions depend only on its arguments, so that a game is played the same way alone or among thousands. What it
    has to remember about a game goes to its memory, see `memory`.
    """

    name: str
    observes: bool = True
    specializes: bool = True
    plays_apart: bool = True
    config: Any = None
    """See `agents.playing.fitting`."""
    observation: str = "int8"

    @abstractmethod
    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise, memory: NDArray[Any] | None = None) -> Actions:
        """Choose one legal action per row.

        Args:
            observation: the observations of the players to move, in the form and of the config that the policy
                declares: int8 or float32 (rows, bits), or packed uint64 (rows, words).
            mask: the legal actions.
            noise: the only source of random numbers.
            memory: (rows, ...), what each player remembers of its game; the policy overwrites it with the new memory.
                None for a policy without memory.
        """

    def memory(self, count: int) -> NDArray[Any] | None:
        """Return the memories (count, ...) of ``count`` players at the beginning of a game; None for no memory."""
        return None

    def seat(self, games: Block, seats: Sequence[int]) -> Seated:
        """See `Policy.seat`."""
        return BatchedSeated(self, games, seats)


class BatchedSeated(Seated):
    """A batched policy at some seats of some games, with one memory per game and seat."""

    def __init__(self, policy: BatchedPolicy, games: Block, seats: Sequence[int]) -> None:
        self._policy = policy
        self._games = games
        self.sees = sight(policy, games) if policy.observes else lambda rows: games.observation[rows]
        """The function from rows of the games to what the policy reads of them."""
        self._places = np.sort(seats)
        self.seats = set_of(seats, len(games.tables))
        self._memory: NDArray[Any] | None = None

    @override
    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        count, places = len(self._games.tables), len(self._places)
        if self._memory is None:
            memory = self._policy.memory(count * places)
            self._memory = None if memory is None else memory.reshape(count, places, *memory.shape[1:])
        else:  # in place: a search holds the array
            self._memory[slice(None) if chosen is None else chosen] = self._policy.memory(1)

    @override
    def act(self) -> None:
        games = self._games
        rows = rows_to_move(self.seats, games.tables)
        if not len(rows):
            return
        decisions = self.sees(rows), games.mask[rows], uniform(games.keys[rows], games.step)
        mask = decisions[1]
        if self._memory is None:
            games.actions[rows] = legal_actions(self._policy.act(*decisions), mask, self._policy)
            return
        own = rows, np.searchsorted(self._places, games.tables["current_player"][rows])
        memory = self._memory[own]
        games.actions[rows] = legal_actions(self._policy.act(*decisions, memory), mask, self._policy)
        self._memory[own] = memory

    @override
    def memories(self) -> NDArray[Any] | None:
        return self._memory


class RandomPolicy(BatchedPolicy):
    """Uniformly random legal actions in any game: the floor of every scoreboard."""

    name = "random"
    observes = False  # the mask is enough

    @override
    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise, memory: NDArray[Any] | None = None) -> Actions:
        legal = mask.cumsum(axis=1, dtype=np.int32)
        rank = np.floor(noise * legal[:, -1]).astype(np.int32)
        return (legal <= rank[:, None]).sum(axis=1)


def legal_actions(answer: Any, mask: Mask, agent: Any) -> Actions:
    """Return an agent's answer; raise ``ValueError`` unless it is a legal action per row of ``mask``."""
    rows, name = len(mask), getattr(agent, "name", type(agent).__name__)
    try:
        actions = np.asarray(answer)
    except Exception:  # a ragged list, a tensor on a GPU, or whatever else a user's agent returns
        actions = np.empty(0, object)
    if actions.shape != (rows,) or actions.dtype.kind not in "iu":
        kind = f"{actions.dtype} of shape {actions.shape}: " if isinstance(answer, np.ndarray) else ""
        raise ValueError(
            f"{name} must answer with integers of shape ({rows},), a legal action per row, got {kind}{shown(answer)}"
        )
    fits = (actions >= 0) & (actions < mask.shape[1])
    legal = mask[np.arange(rows), np.where(fits, actions, 0)] != 0
    if not (fits & legal).all():
        row = int(np.argmin(fits & legal))
        allowed = shown(np.flatnonzero(mask[row]).tolist())
        raise ValueError(f"{name} must answer with a legal action, in row {row} one of {allowed}, got {actions[row]}")
    return actions.astype(np.int64, copy=False)


def set_of(seats: Sequence[int], count: int) -> NDArray[np.uint64]:
    """Return a set of the same seats for each of ``count`` games, see `Seated.seats`."""
    return np.full(count, sum(1 << int(seat) for seat in set(seats)), np.uint64)


def has(sets: NDArray[np.uint64], players: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether each set contains the player at the same index, bool (N,)."""
    return (sets >> players.astype(np.uint64)) & np.uint64(1) != 0


def rows_to_move(seats: NDArray[np.uint64], tables: NDArray[Any]) -> NDArray[np.int64]:
    """Return the games in progress in which one of these seats is to move, see `Seated.seats`."""
    return np.flatnonzero(has(seats, tables["current_player"]) & ~tables["terminated"])


def chosen_rows(chosen: NDArray[np.bool_] | None, count: int) -> NDArray[np.int64]:
    """Return the indices of the chosen ones of ``count`` games, see `Seated`: all if ``chosen`` is None."""
    return np.arange(count) if chosen is None else np.flatnonzero(chosen)


def uniform(keys: NDArray[np.uint64], step: int | NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the ``step``-th number in [0, 1) of every stream, (N,); ``step`` may differ per stream."""
    words = np.asarray(random_word(keys, np.atleast_1d(np.asarray(step, np.uint64))))
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


# --- Objects with an act ----------------------------------------------------------------------------------------------


class Acting(Protocol):
    """The least that can play: an object that chooses actions, without memory."""

    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise) -> Actions:
        """Choose actions, see `BatchedPolicy.act`."""
        ...


Agent: TypeAlias = Policy | Acting
"""Anything that can be given to functions that play."""


class ActingPolicy(BatchedPolicy):
    """The policy of an object that has only an ``act``, and perhaps other attributes of a `BatchedPolicy`."""

    def __init__(self, agent: Acting) -> None:
        self._agent = agent
        needed = [one for one in signature(agent.act).parameters.values() if one.default is one.empty]
        self._more = (None,) if len(needed) == 4 else ()  # a memory, which it does not have
        self.name = type(agent).__name__
        for name in ("name", "observes", "config", "observation"):
            setattr(self, name, getattr(agent, name, getattr(self, name)))

    @override
    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise, memory: NDArray[Any] | None = None) -> Actions:
        return self._agent.act(observation, mask, noise, *self._more)


def as_policy(agent: Any) -> Policy:
    """Return ``agent`` itself if it can take seats, else a policy that calls its ``act``."""
    return agent if hasattr(agent, "seat") else ActingPolicy(agent)


def filled(agents: Sequence[T], seats: int) -> list[T]:
    """Return an agent, or its name, for each seat; the last one fills the rest. There must be enough seats."""
    if len(agents) > seats:
        many = f"{counted(len(agents), 'agent')} for {counted(seats, 'seat')}"
        raise ValueError(f"agents must be at most one per seat to fill, got {many}: {', '.join(map(str, agents))}")
    return [*agents, *[agents[-1]] * (seats - len(agents))]


def line_up(policies: Agent | Sequence[Agent], players: int) -> list[Policy]:
    """Return one policy per seat, from one policy for all seats or a sequence with exactly one per seat."""
    seats = list(policies) if isinstance(policies, Sequence) else [policies] * players
    if len(seats) != players:
        raise ValueError(f"policies must be one, or one for each of the {players} seats, got {len(seats)}")
    complete = {id(agent): as_policy(agent) for agent in seats}  # one policy per distinct agent, so that seats share it
    return [complete[id(agent)] for agent in seats]
