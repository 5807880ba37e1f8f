"""A seat of Koi-Koi that searches, over a bot or a network as its *blueprint*.

Over a bot it grows a tree of what players know until the last turns (`agents.search.koikoi.tree`), in which the
blueprint plays rounds out, and plays the action that was worth most. Over a network every action is played out over the
same deals of the unseen cards by the network at both seats (`agents.search.rollouts`), and the best one played if it
beats the network's own by a margin (a tree there brings nothing: ``benchmarks/strength/SCORES.md``). When few cards are
left either solves the end of the round for every hand that the other may hold (`agents.search.koikoi.endings`). What is
known of the other hand by K14 is kept from the beginning of the round.

Points are what it plays for, also where ``reward`` is another: the points of the round in play alone, whatever the
score. Over `monte_carlo` rounds are played out as that bot does it itself: at random. Nobody's act is expected to be
the blueprint's: any number of seats may search.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.protocol import rules_array
from hanafuda_env.engine.actions import KEEP_HANDS
from hanafuda_env.engine.state import PHASE_SWAP, TURNS

from ...bots.bot import Bot
from ...playing.block import GAMES_AT_ONCE
from ...playing.policy import GamesInPlay, Policy, Seated, rows_to_move, set_of
from ..choosing import think
from ..effort import RoundSearch
from ..halving import halve
from .endings import ending_loop, ending_room
from .one_round import ROUND_STATE, Laid, round_rules, round_state
from .rollouts import Rounds, unseen_loop
from .tree import empty_tree, rooms_of, tree_loops, tree_size

__all__ = ["KoiKoiSearch", "SearchSeated"]

PASSES = 2000
ROLLOUTS = 500
ENDING = TURNS - 2
"""From this turn on the end is solved."""
TREE_BY_CLOCK = 1 << 16


class KoiKoiSearch(RoundSearch):
    """Searching seats, all that it is given.

    Args:
        blueprint: a bot or a network that remembers nothing of a game.
        config: of Koi-Koi.
        rollouts: a decision's passes through the tree (2,000 by default), or rounds that a network plays out, all
            actions together (500).
        budget: milliseconds a decision instead, by the clock: see `agents.search.hanabi.policy.SearchPolicy`. Endings
        take as
            long as they take, some milliseconds.
        margin: over a network: by how many standard errors an action must beat the network's own; 2 by default.

    Raises:
        ValueError: see `RoundSearch`; or there is a margin over a bot.

    ``counts`` are the ``decisions`` with more than one action, of these ``endings``, and ``passes`` or ``rollouts``.
    """

    def __init__(
        self,
        blueprint: Policy,
        config: Any,
        rollouts: int | None = None,
        budget: float | None = None,
        margin: float | None = None,
    ) -> None:
        super().__init__(blueprint, config, rollouts, budget, margin, usual=(PASSES, ROLLOUTS))
        if self.bot is not None and margin is not None:
            raise ValueError(f"a margin is for a search over a network, got {margin} over {self.bot.name}")

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> "SearchSeated":
        """See `agents.playing.policy.Policy.seat`."""
        return OverNetwork(self, games, seats) if self.bot is None else OverBot(self, games, seats, self.bot)


class SearchSeated(Seated):
    """See `KoiKoiSearch`: what is the same over bots and networks."""

    def __init__(self, policy: KoiKoiSearch, games: GamesInPlay, seats: Sequence[int]) -> None:
        self._policy, self._games = policy, games
        self.seats = set_of(seats, len(games.tables))
        self.values: list[dict[int, float] | None] = [None] * len(games.tables)
        """What each action was worth to its player at a game's last searched decision, in points; None before it."""
        self.laid = Laid(games.game.rules, games.tables)
        """What all know of hands by K14."""
        self._rules_array = rules_array(round_rules(games.game.rules))
        self._ending = ending_room()
        self._root = np.zeros(1, ROUND_STATE)
        self._hidden = np.zeros(2, np.uint64)

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.playing.policy.Seated.begin`."""
        self.laid.begin(self._rows(chosen))

    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.playing.policy.Seated.observe`."""
        self.laid.observe(self._rows(chosen))

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`."""
        for i in rows_to_move(self.seats, self._games.tables).tolist():
            self._games.actions[i] = self._search(i, time.perf_counter())

    def _rows(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        return np.arange(len(self._games.tables)) if chosen is None else np.flatnonzero(chosen)

    def _search(self, i: int, began: float) -> int:
        """The action of the player to move in game ``i``."""
        state, mask = self._games.tables["state"][i], self._games.tables["mask"][i, 0]
        if state["phase"] == PHASE_SWAP:
            return KEEP_HANDS
        actions = [action for action in range(64) if int(mask) >> action & 1]
        if len(actions) == 1:
            return actions[0]
        round_state(self._games.game.rules, state, self._root)
        self._hidden[1] = self.laid.excluded[i, 1 - int(state["current_player"])]
        counts = self._policy.counts
        counts["decisions"] += 1
        if state["turn"] >= ENDING:
            counts["endings"] += 1
            values = np.zeros(len(actions))
            ending_loop()(self._rules_array, self._root, self._hidden, self._ending, values)
            self.values[i] = dict(zip(actions, values.tolist(), strict=True))
            return actions[int(np.argmax(values))]
        chosen, self.values[i] = self._weigh(i, np.array(actions), began)
        return chosen

    @abstractmethod
    def _weigh(self, i: int, actions: NDArray[np.int64], began: float) -> tuple[int, dict[int, float]]:
        """The action to play of these, and what they are worth; the root and what is hidden are set."""


class OverBot(SearchSeated):
    """It grows a tree."""

    def __init__(self, policy: KoiKoiSearch, games: GamesInPlay, seats: Sequence[int], bot: Bot) -> None:
        super().__init__(policy, games, seats)
        memory = np.zeros(2, bot.memory_dtype(round_rules(games.game.rules)))
        memory["style"], memory["player"] = bot.style, (0, 1)
        self._rooms, self._loops = rooms_of(memory), tree_loops(bot)
        self._tree = empty_tree(TREE_BY_CLOCK if policy.effort.budget else tree_size(policy.effort.rollouts))
        self._values = np.zeros(64)

    def _weigh(self, i: int, actions: NDArray[np.int64], began: float) -> tuple[int, dict[int, float]]:
        """See `SearchSeated`: a new tree."""
        effort, values = self._policy.effort, self._values[: len(actions)]
        self._tree.branches[:] = 0
        self._tree.sums[:] = 0
        work = self._rules_array, self._root, self._hidden, self._rooms, self._tree

        def play_out(first: int, count: int, left: NDArray[np.int64]) -> NDArray[np.float64]:
            chosen = np.uint64(sum(1 << int(action) for action in actions[left]))
            self._loops.grow(*work, self._games.keys[i], self._games.step, first, count, chosen)
            self._loops.read(self._rules_array, self._root, self._tree, values)
            return values

        best, spent = halve(len(values), effort.rollouts, effort.budget, began, play_out)
        self._policy.counts["passes"] += spent
        return int(actions[best]), dict(zip(actions.tolist(), values.tolist(), strict=True))


class OverNetwork(SearchSeated):
    """It lets the network play rounds out."""

    def __init__(self, policy: KoiKoiSearch, games: GamesInPlay, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self._blueprint = policy.blueprint.seat(games, seats)
        self._rounds = Rounds(games.game, policy.blueprint, games.specialize)

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`."""
        self._blueprint.seats[:] = self.seats
        self._blueprint.act()
        super().act()

    def _weigh(self, i: int, actions: NDArray[np.int64], began: float) -> tuple[int, dict[int, float]]:
        """See `SearchSeated`: what the network chose is in the games' ``actions``."""
        games, done = self._games, 0

        def play_out(left: NDArray[np.int64], n: int) -> NDArray[np.float64]:
            nonlocal done
            deals = np.zeros(n, ROUND_STATE)
            unseen_loop()(self._rules_array, self._root, self._hidden, games.keys[i], games.step, done, deals)
            done += n
            return self._rounds.worths(games.tables[i : i + 1], deals, left)

        thought = think(actions, int(games.actions[i]), play_out, self._policy.effort, began, GAMES_AT_ONCE)
        self._policy.counts["rollouts"] += thought.spent
        return thought.verdict(), thought.values()
