"""A seat of Ikebana that searches, over a bot or a network as its *blueprint*.

There are two ways. Two players who search over ``lookahead`` look ahead exactly, through their own turn and the reply,
see `agents.search.ikebana.lookahead`. All others roll out: every action is played out to the end of the round, over the
same decks, with the blueprint at all seats: so replies of the others count too, what a refusal lays open to them and
what a price gives them. What a round is worth in the end is the probability to win the game with the prestige that
everybody then has, if the rounds to come are worth about as much to all (`worth_of`); with another ``reward`` than
``"win"`` it is one's own prestige less the mean of the others'.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.words.checks import shown
from ikebana_env.engine.state import DECK_SIZE

from ...bots.bot import Bot
from ...bots.ikebana import LOOKAHEAD_FLORIST
from ...playing.block import GAMES_AT_ONCE
from ...playing.policy import GamesInPlay, Policy, Seated, rows_to_move, set_of
from ..choosing import think
from ..effort import RoundSearch
from .lookahead import WORTH_OF, ahead_loop, room_for
from .rollouts import Rounds, unseen_loop
from .rounds import play_out_loop

__all__ = ["IkebanaSearch", "SearchSeated"]

ROLLOUTS = 200


class IkebanaSearch(RoundSearch):
    """Searching seats, all that it is given.

    Args:
        blueprint: a bot or a network that remembers nothing of a game.
        config: of Ikebana.
        rollouts: rounds that are played out for a decision, all actions together; 200 by default.
        budget: milliseconds a decision instead, by the clock: see `agents.search.hanabi.policy.SearchPolicy`.
        margin: of roll-outs: by how many standard errors an action must beat the blueprint's own; 2 by default.
        turns: look ahead exactly instead: 1 is one's own turn, 2 also the reply. Two players over ``lookahead`` do so
            (2) if nothing else is said.

    Raises:
        ValueError: see `RoundSearch` and `turns_of`.

    ``counts`` are the ``decisions`` with more than one action, ``changed`` ones that were not the blueprint's, and
    ``rollouts``.
    """

    def __init__(
        self,
        blueprint: Policy,
        config: Any,
        rollouts: int | None = None,
        budget: float | None = None,
        margin: float | None = None,
        turns: int | None = None,
    ) -> None:
        super().__init__(blueprint, config, rollouts, budget, margin, usual=(ROLLOUTS, ROLLOUTS))
        self.turns = turns_of(self.bot, config, turns, told=(rollouts, budget, margin) != (None, None, None))

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> "OverBlueprint":
        """See `agents.playing.policy.Policy.seat`."""
        if self.bot is None:
            return OverNetwork(self, games, seats)
        return OverBot(self, games, seats, self.bot) if self.turns is None else AheadSeated(self, games, seats)


def turns_of(bot: Bot | None, config: Any, turns: Any, told: bool) -> int | None:
    """How many turns a search looks ahead; None: it plays rounds out, as it was ``told`` or because it must.

    Raises:
        ValueError: the number is none of 1 and 2, another effort is ``told`` too, or this is not looked ahead in.
    """
    fits = bot is LOOKAHEAD_FLORIST and config.players == 2
    if turns is None:
        return 2 if fits and not told else None
    if isinstance(turns, bool) or not isinstance(turns, (int, np.integer)) or turns not in (1, 2):
        raise ValueError(f"turns must be 1 or 2, got {shown(turns)}")
    if told:
        raise ValueError("a search takes turns, or rollouts or budget with a margin, not both")
    if not fits:
        name = "a network" if bot is None else bot.name
        raise ValueError(f"turns are looked through by two players over lookahead, got {config.players} over {name}")
    return int(turns)


class OverBlueprint(Seated):
    """A seat that searches: the blueprint's seat lies below it."""

    def __init__(self, policy: IkebanaSearch, games: GamesInPlay, seats: Sequence[int]) -> None:
        self._policy, self._games = policy, games
        self.seats = set_of(seats, len(games.tables))
        self._blueprint = policy.blueprint.seat(games, seats)
        self.values: list[dict[int, float] | None] = [None] * len(games.tables)
        """See `agents.playing.policy.Weighing`: chances to win, or prestige."""

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.playing.policy.Seated.begin`."""
        self._blueprint.seats[:] = self.seats
        self._blueprint.begin(chosen)


class AheadSeated(OverBlueprint):
    """See `agents.search.ikebana.lookahead`."""

    def __init__(self, policy: IkebanaSearch, games: GamesInPlay, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        assert policy.turns is not None
        self._room = room_for(policy.config, games.tables.dtype["state"], policy.turns)
        self._worths = np.full((len(games.tables), 3), np.nan)
        """(N, 3): what drawing (again), keeping and buying were worth at each game's last decision."""

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`."""
        games = self._games
        self._blueprint.seats[:] = self.seats
        self._blueprint.act()
        own = games.actions.copy()
        ahead_loop()(games.rules_array, games.tables, self.seats, self._room, games.actions, self._worths)
        rows = rows_to_move(self.seats, games.tables)
        chosen = rows[games.mask[rows].sum(axis=1) > 1]
        for i in chosen.tolist():
            actions, worths = np.flatnonzero(games.mask[i]).tolist(), self._worths[i].tolist()
            self.values[i] = {action: worths[WORTH_OF.get(action, 2)] for action in actions}
        self._policy.counts["decisions"] += len(chosen)
        self._policy.counts["changed"] += int((games.actions[chosen] != own[chosen]).sum())


class SearchSeated(OverBlueprint):
    """It plays rounds out. See `IkebanaSearch`."""

    def __init__(self, policy: IkebanaSearch, games: GamesInPlay, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self._unseen = np.zeros(DECK_SIZE, np.int64)

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`."""
        self._blueprint.seats[:] = self.seats
        self._blueprint.act()
        for i in rows_to_move(self.seats, self._games.tables).tolist():
            self._games.actions[i] = self._search(i, int(self._games.actions[i]), time.perf_counter())

    def _search(self, i: int, own: int, began: float) -> int:
        """The action of the player to move in game ``i``; ``own`` is the blueprint's."""
        policy, done = self._policy, 0
        mask = int(self._games.tables["mask"][i, 0])
        actions = [action for action in range(64) if mask >> action & 1]
        if len(actions) == 1:
            return actions[0]

        def play_out(left: NDArray[np.int64], n: int) -> NDArray[np.float64]:
            nonlocal done
            found = self.worths(i, left, n, done)
            done += n
            return found

        thought = think(np.array(actions), own, play_out, policy.effort, began, GAMES_AT_ONCE)
        self.values[i] = thought.values()
        policy.counts["decisions"] += 1
        policy.counts["changed"] += thought.verdict() != own
        policy.counts["rollouts"] += thought.spent
        return thought.verdict()

    @abstractmethod
    def worths(self, i: int, actions: NDArray[np.int64], n: int, first: int) -> NDArray[np.float64]:
        """What the actions (k,) are worth in game i with deals ``first`` to ``first`` + n: (n, k)."""


class OverBot(SearchSeated):
    """A bot plays them, in one loop."""

    def __init__(self, policy: IkebanaSearch, games: GamesInPlay, seats: Sequence[int], bot: Bot) -> None:
        super().__init__(policy, games, seats)
        memory = np.zeros(games.game.players, bot.memory_dtype(games.game.rules))
        memory["style"], memory["player"] = bot.style, range(games.game.players)
        self._states = np.zeros(3, games.tables.dtype["state"])
        self._room = memory, self._states, np.zeros(1, np.uint64), self._unseen
        self._loop = play_out_loop(bot)

    def worths(self, i: int, actions: NDArray[np.int64], n: int, first: int) -> NDArray[np.float64]:
        """See `SearchSeated`."""
        games, found = self._games, np.zeros((n, len(actions)))
        self._states[0] = games.tables["state"][i]
        self._loop(games.rules_array, *self._room, games.keys[i], games.step, first, actions, found)
        return found


class OverNetwork(SearchSeated):
    """A network plays them, many at once."""

    def __init__(self, policy: IkebanaSearch, games: GamesInPlay, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self._rounds = Rounds(games.game, policy.blueprint, games.specialize)

    def worths(self, i: int, actions: NDArray[np.int64], n: int, first: int) -> NDArray[np.float64]:
        """See `SearchSeated`."""
        games, table = self._games, self._games.tables[i : i + 1]
        root, deals = table["state"].copy(), np.zeros(n, table.dtype["state"])
        unseen_loop()(games.rules_array, root, self._unseen, games.keys[i], games.step, first, deals)
        return self._rounds.worths(table, deals, actions)
