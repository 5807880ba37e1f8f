"""A seat of Hanabi that searches (SPARTA's single-agent search, Lerer et al. 2020) over any bot or network.

The searching seat knows the *blueprint* that its partners play. Before each act it brings its belief up to date (which
hands it may hold, see `agents.search.hands`) and plays every legal action out under the blueprint, over hands drawn
from the belief (see `agents.search.choosing`). It plays the best action if that beats the blueprint's own by a margin.

Exactly one seat may search: partners read the searcher's acts as the blueprint's, and it expects the blueprint's acts
of them. So of the seats that one policy is given, the first searches and the others play the blueprint, as it expects:
``--agents search:questions`` and ``--agents search:questions,questions`` are the same for two players. Two searching
policies side by side would each be wrong about the other.

Where partners do what the blueprint would not do under any hand that is left, the set is empty, and the blueprint
plays; `SearchPolicy.counts` says how often.
"""

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.bits import popcount
from hanabako.packing import unpack
from hanabako.words.checks import shown

from ..bots.bot import BotPolicy
from ..bots.policy import BatchedPolicy, GamesInPlay, Policy, Seated, set_of
from .choosing import Effort, choose
from .efforts import check_effort, check_number, name_of_search
from .hands import Hands, Moment, systematic
from .imagined import ROWS, Studio, blocks_of_memory

__all__ = ["SearchPolicy", "SearchSeated"]

ROLLOUTS = 200
MARGIN = 2.0
FEWEST_HANDS, MOST_HANDS = 100, 10_000


class SearchPolicy:
    """A searching seat, and blueprints at the other seats that it is given.

    Args:
        blueprint: a bot or a network.
        config: of Hanabi.
        rollouts: roll-outs a decision, all actions together: then every choice can be repeated. 200 by default.
        budget: milliseconds a decision instead: by the clock, so no choice can be repeated for sure, and `name` says
            so. What the clock stops answers with what it has; the belief is always brought up to date first.
        margin: by how many standard errors an action must beat the blueprint's own.

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
    ) -> None:
        check_searchable(blueprint)
        check_effort(rollouts, budget)
        check_number("margin", margin, whole=False)
        self.blueprint = blueprint
        self.config = config
        self.effort = Effort(rollouts or ROLLOUTS, budget, margin)
        self.hands = min(max(FEWEST_HANDS, 2 * self.effort.rollouts), MOST_HANDS)
        """The most hands that are kept."""
        self.reproducible = budget is None
        """Equal games are played equally; a ``budget`` takes that away."""
        self.name = name_of_search(blueprint, budget)
        self.observes = blueprint.observes
        self.specializes = blueprint.specializes
        self.counts: Counter[str] = Counter()
        """Over all games so far: ``decisions`` of the searching seat; of these ``exact``, ``sampled``, ``empty`` ones
        by its belief (empty: the blueprint played; the rest had one legal action), ``changed`` ones that were not the
        blueprint's, and ``rollouts``."""
        self.core_seconds = 0.0
        """Spent in decisions, with the belief: of a core's work, so that a busy machine measures as an idle one."""

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> "SearchSeated":
        """See `agents.bots.policy.Policy.seat`."""
        return SearchSeated(self, games, seats)


class SearchSeated(Seated):
    """See `SearchPolicy`. Of its seats in a game the lowest searches."""

    def __init__(self, policy: SearchPolicy, games: GamesInPlay, seats: Sequence[int]) -> None:
        self._policy, self._games = policy, games
        self._blueprint = policy.blueprint.seat(games, range(games.game.players))  # at all: so it remembers by player
        self._studio = Studio(games.game, policy.blueprint, games.specialize)
        self.beliefs: list[Hands | None] = [None] * len(games.tables)
        """What the searching seat believes in each game, as of its last decision; None where it has no seat."""
        self.seats = set_of(seats, len(games.tables))

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.bots.policy.Seated.begin`."""
        self._blueprint.seats[:] = self.seats
        self._blueprint.begin(chosen)
        for i in rows_of(chosen, len(self.beliefs)):
            self.beliefs[i] = None
            if self.seats[i]:
                player = int(popcount(~self.seats[i] & (self.seats[i] - np.uint64(1))))
                self.beliefs[i] = Hands(self._studio, player, self._policy.hands, self._games.keys[i])
                self._note(i)

    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.bots.policy.Seated.observe`."""
        self._blueprint.observe(chosen)
        for i in rows_of(chosen, len(self.beliefs)):
            if self.beliefs[i] is not None and not self._games.tables["terminated"][i]:
                self._note(i)

    def act(self) -> None:
        """See `agents.bots.policy.Seated.act`."""
        self._blueprint.act()
        tables = self._games.tables
        for i, belief in enumerate(self.beliefs):
            if belief is not None and not tables["terminated"][i] and tables["current_player"][i] == belief.player:
                began = time.thread_time()
                self._games.actions[i] = self._search(i, belief, int(self._games.actions[i]), time.perf_counter())
                self._policy.core_seconds += time.thread_time() - began

    def memories(self) -> NDArray[Any] | None:
        """See `agents.bots.policy.Seated.memories`: the blueprint's. The belief is not among it."""
        return self._blueprint.memories()

    def public_knowledge(self) -> NDArray[np.uint64] | None:
        """See `agents.bots.policy.Seated.public_knowledge`."""
        return self._blueprint.public_knowledge()

    def _note(self, i: int) -> None:
        belief = self.beliefs[i]
        assert belief is not None
        belief.moments.append(Moment(self._games.tables[i : i + 1].copy(), self._games.step))

    def _search(self, i: int, belief: Hands, own: int, began: float) -> int:
        """The action of the searching seat; ``own`` is the blueprint's."""
        policy, counts = self._policy, self._policy.counts
        moment = belief.moments[-1]
        actions = np.flatnonzero(unpack(moment.table["mask"], self._games.game.num_actions)[0])
        rng = np.random.default_rng([int(belief.chance), moment.step])
        counts["decisions"] += 1
        if len(actions) == 1:
            return own
        belief.catch_up(rng)
        counts["empty" if not len(belief.hands) else "exact" if belief.exact else "sampled"] += 1
        if not len(belief.hands):
            return own

        def play_out(left: NDArray[np.int64], n: int) -> NDArray[Any]:
            return self.play_out(i, left, n, rng)

        action, rollouts = choose(actions, own, play_out, policy.effort, began, ROWS)
        counts["rollouts"] += rollouts
        counts["changed"] += action != own
        return action

    def play_out(self, i: int, actions: NDArray[np.int64], n: int, rng: np.random.Generator) -> NDArray[Any]:
        """Scores (n, k) of these k actions in game i, each over the same n hands of the belief and orders of the deck.

        The belief must be that of the present position, and not empty.
        """
        belief = self.beliefs[i]
        assert belief is not None
        k, moment = len(actions), belief.moments[-1]
        rows = np.repeat(systematic(belief.weights, n, rng), k)
        keys = np.repeat(rng.integers(0, 2**64, n, np.uint64), k)
        room = self._studio.room(n * k)
        room.lay(moment.table, belief.player, belief.hands[rows], keys, belief.chance, moment.step)
        real = self._blueprint.memories()
        if room.memories is not None and belief.memories is not None and real is not None:
            room.memories[: n * k] = belief.memories[rows]
            players = self._games.game.players
            own = blocks_of_memory(real, players)[i, belief.player]
            blocks_of_memory(room.memories, players)[: n * k, belief.player] = own
        return room.play_out(np.tile(actions, n)).reshape(n, k)


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


def rows_of(chosen: NDArray[np.bool_] | None, count: int) -> Sequence[int]:
    """The games that are meant."""
    return range(count) if chosen is None else np.flatnonzero(chosen).tolist()
