"""A seat of Koi-Koi that searches, over a bot or a network as its *blueprint*.

Over a bot it grows a tree of information sets (`agents.search.koikoi.tree`) and plays the action with the highest
value. Over a network it plays every action out over the same deals of the unseen cards (`agents.search.rollouts`), as a
tree is not better there (``benchmarks/strength/SCORES.md``). In the last turns both solve the end of the round
(`agents.search.koikoi.endings`).

The search maximizes the points of the current round, whatever the score, and also if ``reward`` is not points. It does
not assume that the other follows the blueprint, so any number of seats may search.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.engine.protocol import rules_array
from hanafuda_env.engine.actions import KEEP_HANDS
from hanafuda_env.engine.state import PHASE_SWAP, TURNS

from ...bots.bot import Bot
from ...playing.block import Block
from ...playing.policy import BatchedPolicy, Policy, chosen_rows
from ..choosing import FIRST_BATCH, Halving
from ..policy import Effort, Search
from ..rollouts import by_size
from ..rounds import RoundSeated
from .endings import ending_loop, walk_scratch
from .one_round import ROUND_STATE, Exclusions, KoiKoiRollouts, round_rules, round_state, unseen_loop
from .tree import Scratch, empty_tree, tree_loops

PASSES = 2000
ROLLOUTS = 500
ENDING = TURNS - 2
"""The turn from which on the end is solved."""
PASSES_BY_CLOCK = 4096  # that a tree has room for


class KoiKoiSearch(Search):
    """A policy that searches at all its seats.

    Args:
        blueprint: a bot or a network without memory.
        config: a config of Koi-Koi.
        rollouts: passes through the tree per decision (default 2,000), or for a network, rounds played out per
            decision, all actions together (default 500).
        budget: milliseconds per decision instead: see `agents.search.hanabi.policy.SearchPolicy`. Endings ignore it;
            they take a few milliseconds.
        margin: over a network only: by how many standard errors an action must beat the network's; 2 by default.

    ``counts`` has the number of ``decisions`` with more than one action, how many of them were ``endings``, and the
    number of ``passes`` or ``rollouts``.
    """

    def __init__(
        self,
        blueprint: Policy,
        config: Any,
        rollouts: int | None = None,
        budget: float | None = None,
        margin: float | None = None,
    ) -> None:
        usual = ROLLOUTS if isinstance(blueprint, BatchedPolicy) else PASSES
        super().__init__(blueprint, config, (rollouts, budget, margin), usual)
        if self.bot is not None and margin is not None:
            raise ValueError(f"a margin is for a search over a network, got {margin} over {self.bot.name}")

    def seat(self, games: Block, seats: Sequence[int]) -> "KoiKoiSeated":
        """See `agents.playing.policy.Policy.seat`."""
        return KoiKoiRolloutSeated(self, games, seats) if self.bot is None else TreeSeated(self, games, seats, self.bot)


class KoiKoiSeated(RoundSeated):
    """Seats that search, and solve endings."""

    def __init__(self, policy: KoiKoiSearch, games: Block, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self.exclusions = Exclusions(games.game.rules, games.tables)
        """The public knowledge of hands by K14."""
        self._rules_array = rules_array(round_rules(games.game.rules))
        self._walked = walk_scratch()
        self._root = np.zeros(1, ROUND_STATE)
        self._hidden = np.zeros(2, np.uint64)

    @override
    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        super().begin(chosen)
        self.exclusions.begin(chosen_rows(chosen, len(self.seats)))

    @override
    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:
        self.exclusions.observe(chosen_rows(chosen, len(self.seats)))

    @override
    def decide(self, i: int, actions: NDArray[np.int64], began: float) -> int:
        state = self._games.tables["state"][i]
        if state["phase"] == PHASE_SWAP:
            return KEEP_HANDS
        round_state(self._games.game.rules, state, self._root)
        self._hidden[1] = self.exclusions.excluded[i, 1 - int(state["current_player"])]
        if state["turn"] < ENDING:
            return self.decide_early(i, actions, began)
        self.counts["endings"] += 1
        values = np.zeros(len(actions))
        ending_loop()(self._rules_array, self._root, self._hidden, self._walked, values)
        self.values[i] = dict(zip(actions.tolist(), values.tolist(), strict=True))
        return int(actions[np.argmax(values)])

    @abstractmethod
    def decide_early(self, i: int, actions: NDArray[np.int64], began: float) -> int:
        """Decide before the ending; the root and the hidden cards are already set. See `decide`."""


class TreeSeated(KoiKoiSeated):
    """Seats that grow a tree for each decision, over a bot, which is asked only beyond the tree's leaves."""

    def __init__(self, policy: KoiKoiSearch, games: Block, seats: Sequence[int], bot: Bot) -> None:
        super().__init__(policy, games, seats)
        state, seen, mask = np.zeros(1, ROUND_STATE), np.zeros(1, ROUND_STATE), np.zeros(1, np.uint64)
        memory = np.zeros(2, bot.memory_dtype(round_rules(games.game.rules)))
        memory["style"], memory["player"] = bot.style, range(2)
        self._scratch = Scratch(state, seen, mask, memory)
        self._loops = tree_loops(bot)
        self._tree = empty_tree(PASSES_BY_CLOCK if policy.effort.budget else policy.effort.rollouts)

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`; does not ask the blueprint."""
        self.search()

    @override
    def decide_early(self, i: int, actions: NDArray[np.int64], began: float) -> int:
        self._tree.edges[:] = 0
        self._tree.sums[:] = 0
        passes = Passes(actions, self.effort, began)
        root = self._rules_array, self._root
        for left, n in passes.requests():
            chosen = np.uint64(sum(1 << int(action) for action in left))
            work = *root, self._hidden, self._scratch, self._tree
            self._loops.grow(*work, self._games.keys[i], self._games.step, passes.deals, n, chosen)
            self._loops.read(*root, self._tree, passes.points)
            passes.deals += n
            passes.spent += n * len(left)
        self.counts["passes"] += passes.spent
        self.values[i] = dict(zip(actions.tolist(), passes.points.tolist(), strict=True))
        return int(passes.left[0])


class Passes(Halving):
    """The passes through one decision's tree; unlike with roll-outs, no blueprint action has to be beaten."""

    at_once = 1 << 14  # the most passes between two looks at the clock

    def __init__(self, actions: NDArray[np.int64], effort: Effort, began: float) -> None:
        super().__init__(actions, effort, began)
        self.actions, self.points = actions, np.zeros(len(actions))
        """All actions, in ascending order, and their mean points so far."""

    @override
    def means(self) -> NDArray[np.float64]:
        return self.points[np.searchsorted(self.actions, self.left)]

    def by_count(self, number: int, rounds: int) -> Iterator[int]:
        """See `Halving.by_count`; every round has one batch."""
        yield max(1, self.effort.rollouts // rounds // len(self.left))

    def by_clock(self, number: int, rounds: int) -> Iterator[int]:
        """See `Halving.by_clock`; there is at least one batch."""
        if not self.spent:
            yield FIRST_BATCH
        yield from super().by_clock(number, rounds)


class KoiKoiRolloutSeated(KoiKoiSeated):
    """Seats that search by roll-outs, with a network at both seats."""

    def __init__(self, policy: KoiKoiSearch, games: Block, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self._rollouts = by_size(partial(KoiKoiRollouts, games.game, policy.blueprint, games.specialize))

    @override
    def decide_early(self, i: int, actions: NDArray[np.int64], began: float) -> int:
        return self.decide_by_rollouts(i, actions, began, self.scores)

    def scores(self, i: int, actions: NDArray[np.int64], first: int, n: int) -> NDArray[np.float64]:
        """See `RoundSeated.decide_by_rollouts`; game i is the root."""
        games, deals = self._games, np.zeros(n, ROUND_STATE)
        unseen_loop()(self._rules_array, self._root, self._hidden, games.keys[i], games.step, first, deals)
        return self._rollouts(n * len(actions)).values(games.tables[i : i + 1], deals, actions)
