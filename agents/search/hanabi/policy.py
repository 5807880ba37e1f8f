"""Seats of Hanabi that search (SPARTA, Lerer et al. 2020) over any bot or network: one of a team, or both of two.

The searching seat knows the *blueprint* that its partners play. Before each act it brings its belief up to date (which
hands it may hold, see `agents.search.hanabi.beliefs`) and plays every legal action out under the blueprint, over hands
drawn from the belief (see `agents.search.choosing`). It plays the best action if that beats the blueprint's own by a
margin.

Of these, exactly one seat may search: partners read the searcher's acts as the blueprint's, and it expects the
blueprint's acts of them. So of the seats that one policy is given, the first searches and the others play the
blueprint: ``--agents search:questions`` and ``--agents search:questions,questions`` are the same for two players. Two
searching policies side by side would each be wrong about the other.

With ``seats="all"`` both players of a game of two search, and each replicates what the other's search came to under
every hand (multi-agent search, see `agents.search.hanabi.both_players`): one policy for both seats, or two of equal
settings.

What the clock or an interruption (Ctrl-C) stops answers with what it has; an interruption then goes on to the caller.

Where partners do what the blueprint, or their search, would not do under any hand that is left, the set is empty, and
the blueprint plays; `SearchPolicy.counts` says how often.
"""

import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.bits import has_bit, popcount
from hanabako.packing import unpack
from hanabako.words.checks import shown

from ...bots.bot import BotPolicy
from ...playing.block import GAMES_AT_ONCE
from ...playing.policy import BatchedPolicy, GamesInPlay, Policy, Seated, set_of
from ..choosing import MARGIN, Effort, Request, Thought, drawn, first_moves, think_together
from ..effort import check_effort, check_number, name_of_search
from .asking import ask_together
from .beliefs import Hands, Moment
from .both_players import CommonKnowledge
from .imagined import Imagined, Studio, blocks_of_memory

__all__ = ["Replicating", "SearchPolicy", "SearchSeated"]

ROLLOUTS = 200
FEWEST_HANDS, MOST_HANDS = 100, 10_000
MOST_SEARCHES = 1_000
ONE, ALL = "one", "all"


class SearchPolicy:
    """A searching seat, and blueprints at the other seats that it is given.

    Args:
        blueprint: a bot or a network.
        config: of Hanabi.
        rollouts: roll-outs a decision, all actions together: then every choice can be repeated. 200 by default.
        budget: milliseconds a decision instead: by the clock, so no choice can be repeated for sure, and `name` says
            so. The belief is always brought up to date first.
        margin: by how many standard errors an action must beat the blueprint's own.
        seats: ``"one"``, or ``"all"``: both players of a game of two search. Roll-outs are then those of one of the
            searches that a decision takes, and there is no ``budget``, for both must come to the same choices.

    Raises:
        ValueError: a number is out of range, both efforts are given, or this cannot be searched, in words.
    """

    def __init__(
        self,
        blueprint: Policy,
        config: Any,
        rollouts: int | None = None,
        budget: float | None = None,
        margin: float = MARGIN,
        seats: str = ONE,
    ) -> None:
        check_searchable(blueprint)
        check_effort(rollouts, budget)
        check_number("margin", margin, whole=False)
        check_searchers(seats, config, budget)
        self.blueprint = blueprint
        self.config = config
        self.effort = Effort(rollouts or ROLLOUTS, budget, margin)
        self.everybody = seats == ALL
        """Both players search."""
        kept = min(max(FEWEST_HANDS, 2 * self.effort.rollouts), MOST_HANDS)
        self.hands = MOST_SEARCHES if self.everybody else kept
        """The most hands that are kept; if both players search, the most searches at a decision."""
        self.reproducible = budget is None
        """Equal games are played equally; a ``budget`` takes that away."""
        self.name = name_of_search(blueprint, budget) + (" (all seats)" if self.everybody else "")
        self.observes = blueprint.observes
        self.specializes = blueprint.specializes
        self.plays_apart = False
        self.counts: Counter[str] = Counter()
        """Over all games so far: ``decisions`` of the searching seats; of these ``exact``, ``sampled``, ``empty`` ones
        by their beliefs (empty: the blueprint played; the rest had one legal action), ``changed`` ones that were not
        the blueprint's, and ``rollouts``. If both players search, ``large`` are those with too many hands to do so."""
        self.core_seconds = 0.0
        """Spent in decisions, with the belief: of a core's work, so that a busy machine measures as an idle one."""

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> "Searching":
        """See `agents.playing.policy.Policy.seat`."""
        return (Replicating if self.everybody else SearchSeated)(self, games, seats)


class Searching(Seated):
    """What both kinds of search have in common: the blueprint, and when a game is to be followed."""

    def __init__(self, policy: SearchPolicy, games: GamesInPlay, seats: Sequence[int]) -> None:
        self._policy, self._games = policy, games
        self._blueprint = policy.blueprint.seat(games, range(games.game.players))  # at all: so it remembers by player
        self._studio = Studio(games.game, policy.blueprint, games.specialize)
        self.seats = set_of(seats, len(games.tables))
        self.values: list[dict[int, float] | None] = [None] * len(games.tables)
        """See `agents.playing.policy.Weighing`: the scores to be expected if the blueprint plays on."""
        self.thoughts: list[Thought | None] = [None] * len(games.tables)
        """The last search of each game, with the blueprint's own action; None before it."""

    @abstractmethod
    def begin_game(self, i: int) -> None:
        """The cards of game i are dealt, in which there is a seat."""

    @abstractmethod
    def note(self, i: int, moment: Moment) -> None:
        """Game i has come to this moment."""

    @abstractmethod
    def searches(self, i: int, player: int) -> bool:
        """Whether the seat of ``player`` in game i is one that searches here."""

    @abstractmethod
    def search(self, rows: Sequence[int]) -> None:
        """Choose the actions of the searching seats in these games; the blueprint's are there."""

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.playing.policy.Seated.begin`."""
        self._blueprint.seats[:] = self.seats
        self._blueprint.begin(chosen)
        for i in rows_of(chosen, len(self.seats)):
            if self.seats[i]:
                self.begin_game(i)
                self.note(i, self._moment(i))

    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.playing.policy.Seated.observe`."""
        self._blueprint.observe(chosen)
        for i in rows_of(chosen, len(self.seats)):
            if self.seats[i] and not self._games.tables["terminated"][i]:
                self.note(i, self._moment(i))

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`."""
        self._blueprint.act()
        tables, actions = self._games.tables, self._games.actions
        going = np.flatnonzero((self.seats != 0) & ~tables["terminated"]).tolist()
        rows = [i for i in going if self.searches(i, int(tables["current_player"][i]))]
        began, own = time.thread_time(), actions[rows]
        self._policy.counts["decisions"] += len(rows)
        self.search(rows)
        self._policy.counts["changed"] += int((actions[rows] != own).sum())
        self._policy.core_seconds += time.thread_time() - began

    def _keep(self, i: int, thought: Thought) -> None:
        self.thoughts[i], self.values[i] = thought, thought.values()

    def _moment(self, i: int) -> Moment:
        return Moment(self._games.tables[i : i + 1].copy(), self._games.step)

    def memories(self) -> NDArray[Any] | None:
        """See `agents.playing.policy.Seated.memories`: the blueprint's. The belief is not among it."""
        return self._blueprint.memories()

    def public_knowledge(self) -> NDArray[np.uint64] | None:
        """See `agents.playing.policy.Seated.public_knowledge`."""
        return self._blueprint.public_knowledge()


class SearchSeated(Searching):
    """One seat of a team that searches. See `SearchPolicy`; of its seats in a game the lowest searches."""

    def __init__(self, policy: SearchPolicy, games: GamesInPlay, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self.beliefs: list[Hands | None] = [None] * len(games.tables)
        """What the searching seat believes in each game, as of its last decision; None where it has no seat."""
        self._dice: dict[int, np.random.Generator] = {}
        """Of each game's last decision."""

    def begin_game(self, i: int) -> None:
        """See `Searching`."""
        player = int(popcount(~self.seats[i] & (self.seats[i] - np.uint64(1))))
        self.beliefs[i] = Hands(self._studio, player, self._policy.hands, self._games.keys[i])

    def note(self, i: int, moment: Moment) -> None:
        """See `Searching`."""
        self._belief(i).moments.append(moment)

    def searches(self, i: int, player: int) -> bool:
        """See `Searching`."""
        return self._belief(i).player == player

    def search(self, rows: Sequence[int]) -> None:
        """See `Searching`: the games together, but by the clock one after the other."""
        for some in [rows] if self._policy.effort.budget is None else [[i] for i in rows]:
            thoughts = self._begin_thoughts(some)
            try:
                think_together(thoughts, self.play_out, GAMES_AT_ONCE)
            finally:  # what is interrupted answers with what it has
                for i, thought in thoughts.items():
                    self._policy.counts["rollouts"] += thought.spent
                    self._keep(i, thought)
                    self._games.actions[i] = thought.verdict()

    def _begin_thoughts(self, rows: Sequence[int]) -> dict[int, Thought]:
        """Searches, with beliefs brought up to date; none where the blueprint's action is played."""
        began, counts, legal = time.perf_counter(), self._policy.counts, {}
        for i in rows:
            mask = self._belief(i).moments[-1].table["mask"]
            actions = np.flatnonzero(unpack(mask, self._games.game.num_actions)[0])
            if len(actions) > 1:
                legal[i] = actions
        for i in legal:
            belief = self._belief(i)
            self._dice[i] = np.random.default_rng([int(belief.chance), belief.moments[-1].step])
        ask_together(self._studio, [self._belief(i).following(self._dice[i]) for i in legal])
        thoughts = {}
        for i, actions in legal.items():
            belief = self._belief(i)
            counts["empty" if not len(belief.hands) else "exact" if belief.exact else "sampled"] += 1
            if len(belief.hands):
                thoughts[i] = Thought(actions, int(self._games.actions[i]), self._policy.effort, began, GAMES_AT_ONCE)
        return thoughts

    def _belief(self, i: int) -> Hands:
        belief = self.beliefs[i]
        assert belief is not None
        return belief

    def play_out(self, batch: list[Request]) -> NDArray[Any]:
        """The scores of requests, whose keys are games: over hands of the belief and orders of the deck.

        The beliefs must be those of the present positions, and not empty.
        """
        room, first = self._studio.room(sum(request.rollouts for request in batch)), 0
        for request in batch:
            first = self._imagine(room, request, first)
        return room.play_out(first_moves(batch))

    def _imagine(self, room: Imagined, request: Request, first: int) -> int:
        """Lay the games of a request into a room from ``first`` on; where they end."""
        belief = self._belief(request.key)
        moment = belief.moments[-1]
        held, keys = drawn(request, belief.weights, self._dice[request.key])
        rows = room.imagine(
            moment.table, belief.player, belief.hands[held], keys, belief.chance, moment.step, first=first
        )
        real = self._blueprint.memories()
        if room.memories is not None and belief.memories is not None and real is not None:
            room.memories[rows] = belief.memories[held]
            players = self._games.game.players
            own = blocks_of_memory(real, players)[request.key, belief.player]
            blocks_of_memory(room.memories, players)[rows, belief.player] = own
        return rows.stop


class Replicating(Searching):
    """Seats of a game of two whose players both search. See `SearchPolicy`."""

    def __init__(self, policy: SearchPolicy, games: GamesInPlay, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self.common: list[CommonKnowledge | None] = [None] * len(games.tables)
        """What both players know of each game, as of its last decision here; None where there is no seat."""

    def begin_game(self, i: int) -> None:
        """See `Searching`."""
        effort, most = self._policy.effort, self._policy.hands
        self.common[i] = CommonKnowledge(self._studio, self._games.keys[i], effort, most)

    def note(self, i: int, moment: Moment) -> None:
        """See `Searching`."""
        self._common(i).coming.append(moment)

    def searches(self, i: int, player: int) -> bool:
        """See `Searching`."""
        return bool(has_bit(self.seats[i], player))

    def search(self, rows: Sequence[int]) -> None:
        """See `Searching`."""
        for i in rows:
            self._games.actions[i] = self._search(i, int(self._games.actions[i]))

    def _search(self, i: int, own: int) -> int:
        """The action in game i; ``own`` is the blueprint's."""
        common, counts = self._common(i), self._policy.counts
        state = self._games.tables["state"][i]
        other = 1 - int(state["current_player"])
        hand = state["hands"][other, : int(state["hand_count"][other])].tobytes()
        before = common.spent
        decided = common.decisions()
        counts["rollouts"] += common.spent - before
        counts["large" if decided is None else "exact" if hand in decided else "empty"] += 1
        if (thought := common.thoughts.get(hand)) is not None:
            self._keep(i, thought)
        return own if decided is None else decided.get(hand, own)

    def _common(self, i: int) -> CommonKnowledge:
        common = self.common[i]
        assert common is not None
        return common


# --- What can be searched ---------------------------------------------------------------------------------------------


def check_searchable(blueprint: Any) -> None:
    """Refuse what cannot be searched, in words.

    Raises:
        ValueError: a blueprint that sees hidden cards, or one whose memory cannot be copied.
    """
    refusal = None
    if isinstance(blueprint, SearchPolicy):
        refusal = f"not search itself, got {shown(blueprint.name)}"
    elif not isinstance(blueprint, BotPolicy | BatchedPolicy):
        refusal = f"be a bot or a network, got {shown(blueprint)}"
    if refusal:
        raise ValueError(f"the blueprint of a search must {refusal}")
    if isinstance(blueprint, BotPolicy) and blueprint.bot.cheats:
        raise ValueError(f"{blueprint.name} looks at hidden cards: a search over it would too")


def check_searchers(seats: Any, config: Any, budget: float | None) -> None:
    """Refuse what ``seats`` cannot be, or all of them where they cannot search.

    Raises:
        ValueError: no such choice; or it is all, and there are more than two players, the clock decides, or what is
            observed shows the own cards.
    """
    if seats not in (ONE, ALL):
        raise ValueError(f"seats must be {ONE!r} or {ALL!r}, got {shown(seats)}")
    if seats == ONE:
        return
    if config.players != 2:
        raise ValueError(f'seats="all" is for 2 players, got {config.players}')
    if budget is not None:
        raise ValueError('seats="all" takes rollouts and no budget: both players must come to the same choices')
    if config.observation_type == "seer":
        raise ValueError('seats="all" is for players who do not see their own cards, got observation_type "seer"')


def rows_of(chosen: NDArray[np.bool_] | None, count: int) -> Sequence[int]:
    """The games that are meant."""
    return range(count) if chosen is None else np.flatnonzero(chosen).tolist()
