"""A seat of Ikebana that searches, over a bot or a network as its *blueprint*.

A search over the bot ``lookahead`` in a two-player game looks ahead exactly (`agents.search.ikebana.lookahead`), unless
an option of roll-outs is given. All others use roll-outs: every action is played out to the end of the round, over the
same decks, with the blueprint at all seats. The end is valued by the probability to win the game, see
`agents.search.ikebana.rollouts.round_value`.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ikebana_env.engine.state import DECK_SIZE

from ...bots.ikebana import LOOKAHEAD_FLORIST
from ...playing.block import Block
from ...playing.policy import Policy, rows_to_move
from ..policy import Search, SearchSeated
from ..rollouts import by_size
from ..rounds import RoundSeated
from .lookahead import VALUE_INDEX, lookahead_loop, new_lookahead
from .rollouts import IkebanaRollouts, unseen_loop

ROLLOUTS = 200


class IkebanaSearch(Search):
    """A policy that searches at all its seats.

    Args:
        blueprint: a bot or a network without memory.
        config: a config of Ikebana.
        rollouts: rounds played out per decision, all actions together; 200 by default.
        budget: milliseconds per decision instead: see `agents.search.hanabi.policy.SearchPolicy`.
        margin: for roll-outs: by how many standard errors an action must beat the blueprint's; 2 by default.

    ``counts`` has the number of ``decisions`` with more than one action, of those ``changed`` from the blueprint's, and
    of ``rollouts``.
    """

    def __init__(
        self,
        blueprint: Policy,
        config: Any,
        rollouts: int | None = None,
        budget: float | None = None,
        margin: float | None = None,
    ) -> None:
        effort = rollouts, budget, margin
        super().__init__(blueprint, config, effort, ROLLOUTS)
        fits = self.bot is LOOKAHEAD_FLORIST and config.players == 2
        self.looks_ahead = fits and effort == (None, None, None)

    def seat(self, games: Block, seats: Sequence[int]) -> SearchSeated:
        """See `agents.playing.policy.Policy.seat`."""
        return (LookaheadSeated if self.looks_ahead else RolloutSeated)(self, games, seats)


class LookaheadSeated(SearchSeated):
    """Seats that look ahead, see `agents.search.ikebana.lookahead`."""

    def __init__(self, policy: IkebanaSearch, games: Block, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self._lookahead = new_lookahead(policy.config, games.tables.dtype["state"])
        self._values = np.full((len(games.tables), 3), np.nan)
        """(N, 3): the values of drawing (again), keeping and buying, at each game's last decision."""

    def search(self) -> None:
        """See `SearchSeated.search`; one loop searches all games."""
        games = self._games
        before = games.actions.copy()
        lookahead_loop()(games.rules_array, games.tables, self.seats, self._lookahead, games.actions, self._values)
        rows = rows_to_move(self.seats, games.tables)
        chosen = rows[games.mask[rows].sum(axis=1) > 1]
        for i in chosen.tolist():
            actions, values = np.flatnonzero(games.mask[i]).tolist(), self._values[i].tolist()
            self.values[i] = {action: values[VALUE_INDEX.get(action, 2)] for action in actions}
        self.counts["decisions"] += len(chosen)
        self.counts["changed"] += int((games.actions[chosen] != before[chosen]).sum())


class RolloutSeated(RoundSeated):
    """Seats that search by roll-outs, with the blueprint at all seats."""

    def __init__(self, policy: IkebanaSearch, games: Block, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self._unseen = np.zeros(DECK_SIZE, np.int64)
        self._rollouts = by_size(partial(IkebanaRollouts, games.game, policy.blueprint, games.specialize))

    @override
    def decide(self, i: int, actions: NDArray[np.int64], began: float) -> int:
        blueprint_action = int(self._games.actions[i])
        action = self.decide_by_rollouts(i, actions, began, self.scores)
        self.counts["changed"] += action != blueprint_action
        return action

    def scores(self, i: int, actions: NDArray[np.int64], first: int, n: int) -> NDArray[np.float64]:
        """See `RoundSeated.decide_by_rollouts`."""
        games, table = self._games, self._games.tables[i : i + 1]
        root, deals = table["state"].copy(), np.zeros(n, table.dtype["state"])
        unseen_loop()(games.rules_array, root, self._unseen, games.keys[i], games.step, first, deals)
        return self._rollouts(n * len(actions)).values(table, deals, actions)
