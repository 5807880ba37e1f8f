"""Seats of Hanabi that search (SPARTA, Lerer et al. 2020) over any bot or network: one per team, or both of two.

The searching seat knows the *blueprint* that its partners play. Before each action it updates its belief about its own
hand (see `agents.search.hanabi.beliefs`), and plays every legal action out under the blueprint, over hands drawn from
the belief (see `agents.search.choosing`). It plays the best action if that beats the blueprint's by a margin.

Only one seat may search, because search assumes that the others follow the blueprint, and they read the searcher's
actions as the blueprint's. If a policy holds several seats, the first one searches and the others play the blueprint:
``--agents search:questions`` and ``--agents search:questions,questions`` are the same for two players. With
``seats="all"`` both players of a two-player game search, see `agents.search.hanabi.both_players`: one policy for both
seats, or two with equal settings.

A search that is stopped by its time budget or by Ctrl-C answers with the result so far. If a partner does what it would
not do under any remaining hand, the set of hands is empty, and the blueprint plays.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.engine.bits import popcount
from hanabako.packing import unpack
from hanabako.words.checks import shown

from ...playing.block import Block
from ...playing.policy import Policy, chosen_rows, rows_to_move
from ..choosing import Request, Thought, drawn, first_moves, think_together
from ..policy import Search, SearchSeated
from .beliefs import Belief
from .both_players import CommonKnowledge
from .rollouts import Simulator, Snapshot, ask_together, memories_by_player

ROLLOUTS = 200
FEWEST_HANDS, MOST_HANDS = 100, 10_000
MOST_SEARCHES = 1_000
ONE, ALL = "one", "all"


class SearchPolicy(Search):
    """A policy that searches at one of its seats, and plays the blueprint at the others; or one that searches at both.

    Args:
        blueprint: a bot or a network.
        config: a config of Hanabi.
        rollouts: roll-outs per decision, all actions together; results are reproducible. The default is 200.
        budget: milliseconds per decision instead; results are then not reproducible, and `name` says so. The belief is
            always updated first.
        margin: by how many standard errors an action must beat the blueprint's; 2 by default.
        threshold: by how many points an action must beat the blueprint's, too; 0 by default. SPARTA's program has 0.1,
            with no margin and 10,000 roll-outs.
        seats: ``"one"``, or ``"all"`` for both players of a two-player game. With ``"all"`` a decision takes several
            searches, each of ``rollouts`` roll-outs, and no ``budget`` is allowed, as both players must reach the same
            choices.

    ``counts`` has the number of ``decisions`` of the searching seats; how many of them had an ``exact``, ``sampled`` or
    ``empty`` belief (empty: the blueprint played; decisions with one legal action are not counted here); how many were
    ``changed`` from the blueprint's; and the ``rollouts``. If both players search, ``large`` counts decisions with too
    many hands to search.
    """

    remembers = True

    def __init__(
        self,
        blueprint: Policy,
        config: Any,
        rollouts: int | None = None,
        budget: float | None = None,
        margin: float | None = None,
        threshold: float | None = None,
        seats: str = ONE,
    ) -> None:
        super().__init__(blueprint, config, (rollouts, budget, margin, threshold), ROLLOUTS)
        if seats not in (ONE, ALL):
            raise ValueError(f"seats must be {ONE!r} or {ALL!r}, got {shown(seats)}")
        self.is_joint = seats == ALL
        """Whether both players search."""
        if self.is_joint and config.players != 2:
            raise ValueError(f'seats="all" is for 2 players, got {config.players}')
        if self.is_joint and budget is not None:
            raise ValueError('seats="all" takes rollouts and no budget: both players must come to the same choices')
        if self.is_joint and config.observation_type == "seer":
            raise ValueError('seats="all" is for players who do not see their own cards, got observation_type "seer"')
        kept = min(max(FEWEST_HANDS, 2 * self.effort.rollouts), MOST_HANDS)
        self.most_hands = MOST_SEARCHES if self.is_joint else kept
        """The most hands that are kept; if both players search, the most searches per decision."""
        self.name += " (all seats)" if self.is_joint else ""
        self.specializes = blueprint.specializes

    def seat(self, games: Block, seats: Sequence[int]) -> "HanabiSeated":
        """See `agents.playing.policy.Policy.seat`."""
        return (JointSeated if self.is_joint else SingleSeated)(self, games, seats)


B = TypeVar("B", Belief, CommonKnowledge)


class HanabiSeated(SearchSeated, Generic[B]):
    """Searching seats, which follow games from the beginning."""

    def __init__(self, policy: SearchPolicy, games: Block, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats, range(games.game.players))  # the blueprint at all seats
        self._policy = policy
        self._simulator = Simulator(games.game, policy.blueprint, games.specialize)
        self.thoughts: list[Thought | None] = [None] * len(games.tables)
        """The last search in each game; None before the first one."""
        self.beliefs: dict[int, B] = {}
        """The belief in each game with a searching seat, as of its last decision."""

    @abstractmethod
    def new_belief(self, i: int) -> B:
        """Return the belief at the beginning of game i."""

    @abstractmethod
    def decide(self, rows: Sequence[int]) -> None:
        """Choose the actions of the searching seats in these games, replacing the blueprint's."""

    @override
    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        super().begin(chosen)
        for i in chosen_rows(chosen, len(self.seats)).tolist():
            if self.seats[i]:
                self.beliefs[i] = self.new_belief(i)
                self._note(i)

    @override
    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:
        self._blueprint.observe(chosen)
        for i in chosen_rows(chosen, len(self.seats)).tolist():
            if self.seats[i] and not self._games.tables["terminated"][i]:
                self._note(i)

    @override
    def search(self) -> None:
        actions = self._games.actions
        searching = self.seats if self._policy.is_joint else self.seats & -self.seats  # the lowest seat of each game
        rows = rows_to_move(searching, self._games.tables).tolist()
        before = actions[rows]
        self.counts["decisions"] += len(rows)
        self.decide(rows)
        self.counts["changed"] += int((actions[rows] != before).sum())

    def _keep(self, i: int, thought: Thought) -> None:
        self.thoughts[i], self.values[i] = thought, thought.values()

    def _note(self, i: int) -> None:
        self.beliefs[i].note(Snapshot(self._games.tables[i : i + 1].copy(), self._games.step))

    @override
    def public_knowledge(self) -> NDArray[np.uint64] | None:
        return self._blueprint.public_knowledge()


class SingleSeated(HanabiSeated[Belief]):
    """One seat of a team searches: the lowest seat that the policy has in a game. See `SearchPolicy`."""

    @override
    def new_belief(self, i: int) -> Belief:
        player = int(popcount(~self.seats[i] & (self.seats[i] - np.uint64(1))))
        return Belief(self._simulator, player, self._policy.most_hands, self._games.keys[i])

    @override
    def decide(self, rows: Sequence[int]) -> None:
        for some in [rows] if self.effort.budget is None else [[i] for i in rows]:  # under a time budget, one by one
            thoughts = self._begin_thoughts(some)
            try:
                think_together(thoughts, self.play_out)
            finally:  # an interrupted search answers with the result so far
                for i, thought in thoughts.items():
                    self.counts["rollouts"] += thought.spent
                    self._keep(i, thought)
                    self._games.actions[i] = thought.verdict()

    def _begin_thoughts(self, rows: Sequence[int]) -> dict[int, Thought]:
        """Update the beliefs and return new searches, by game, except where the blueprint's action is played."""
        began, counts, legal = time.perf_counter(), self.counts, {}
        self._generators: dict[int, np.random.Generator] = {}
        for i in rows:
            belief = self.beliefs[i]
            actions = np.flatnonzero(unpack(belief.history[-1].table["mask"], self._games.game.num_actions)[0])
            if len(actions) > 1:
                legal[i] = actions
                self._generators[i] = np.random.default_rng([int(belief.key), belief.history[-1].step])
        ask_together(self._simulator, [self.beliefs[i].following(self._generators[i]) for i in legal])
        thoughts = {}
        for i, actions in legal.items():
            belief = self.beliefs[i]
            counts["empty" if not len(belief.hands) else "exact" if belief.exact else "sampled"] += 1
            if len(belief.hands):
                thoughts[i] = Thought(actions, int(self._games.actions[i]), self.effort, began)
        return thoughts

    def play_out(self, batch: list[Request]) -> NDArray[Any]:
        """Return the scores of requests, whose keys are games, over hands of the belief and random decks."""
        copies, first = self._simulator.rollouts(sum(request.rollouts for request in batch)), 0
        real = memories_by_player(self._blueprint, self._games.game.players)
        for request in batch:
            belief = self.beliefs[request.key]
            held, keys = drawn(request, belief.weights, self._generators[request.key])
            rows = copies.deal_hands(belief.history[-1], belief.player, belief.hands[held], keys, belief.key, first)
            copies.memories[rows] = belief.memories[held]
            copies.memories[rows, belief.player] = real[request.key, belief.player]
            first = rows.stop
        return copies.play_out(first_moves(batch))


class JointSeated(HanabiSeated[CommonKnowledge]):
    """Seats of a two-player game in which both players search. See `SearchPolicy`."""

    @override
    def new_belief(self, i: int) -> CommonKnowledge:
        return CommonKnowledge(self._simulator, self._games.keys[i], self.effort, self._policy.most_hands)

    @override
    def decide(self, rows: Sequence[int]) -> None:
        for i in rows:
            common, state = self.beliefs[i], self._games.tables["state"][i]
            other = 1 - int(state["current_player"])
            hand = state["hands"][other, : int(state["hand_count"][other])].tobytes()
            before = common.spent
            decided = common.decisions()
            self.counts["rollouts"] += common.spent - before
            self.counts["large" if decided is None else "exact" if hand in decided else "empty"] += 1
            if (thought := common.thoughts.get(hand)) is not None:
                self._keep(i, thought)
            if decided is not None and hand in decided:
                self._games.actions[i] = decided[hand]
