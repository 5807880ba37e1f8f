"""A seat of Ikebana that searches, over a bot as its *blueprint*.

There are two ways. Two players who search over ``lookahead`` look ahead exactly, through their own turn and the reply,
see `agents.search.ikebana.ahead`. All others roll out: every action is played out to the end of the round, over the
same decks, with the blueprint at all seats: so replies of the others count too, what a refusal lays open to them and
what a price gives them. What a round is worth in the end is the probability to win the game with the prestige that
everybody then has, if the rounds to come are worth about as much to all (`worth_of`); with another ``reward`` than
``"win"`` it is one's own prestige less the mean of the others'.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import ZERO, has_bit, nth_set_bit, popcount
from hanabako.engine.loops import reader_of
from hanabako.engine.rng import random_below, random_word
from hanabako.words.checks import shown
from ikebana_env.engine.cards import copies, first_copy
from ikebana_env.engine.private_view import hide
from ikebana_env.engine.rules import is_terminal, legal_action_mask, step
from ikebana_env.engine.state import DECK_SIZE, KINDS, NO_CARD, REWARD_WIN, Rules

from ...bots.bot import Bot
from ...bots.ikebana import LOOKAHEAD_FLORIST
from ...bots.policy import GamesInPlay, Policy, Seated, rows_to_move, set_of
from ..choosing import Effort, think
from ..efforts import check_effort, check_number, check_plain_bot, name_of_search
from .ahead import SPREAD, WORTH_OF, ahead_loop, room_for
from .relaxed import won

__all__ = ["IkebanaSearch", "SearchSeated"]

ROLLOUTS = 200
MARGIN = 2.0
AT_ONCE = 1000
"""Roll-outs in a batch, at most."""


class IkebanaSearch:
    """Searching seats, all that it is given.

    Args:
        blueprint: a bot that remembers nothing of a game.
        config: of Ikebana.
        rollouts: rounds that are played out for a decision, all actions together; 200 by default.
        budget: milliseconds a decision instead, by the clock: see `agents.search.policy.SearchPolicy`.
        margin: of roll-outs: by how many standard errors an action must beat the blueprint's own; 2 by default.
        turns: look ahead exactly instead: 1 is one's own turn, 2 also the reply. Two players over ``lookahead`` do so
            (2) if nothing else is said.

    Raises:
        ValueError: a number is out of range, two efforts are given, or this cannot be searched, in words.
    """

    observes = False
    specializes = False

    def __init__(
        self,
        blueprint: Policy,
        config: Any,
        rollouts: int | None = None,
        budget: float | None = None,
        margin: float | None = None,
        turns: int | None = None,
    ) -> None:
        check_effort(rollouts, budget)
        check_number("margin", margin, whole=False)
        self.bot = check_plain_bot(blueprint, config)
        self.config = config
        self.blueprint = blueprint
        self.turns = turns_of(self.bot, config, turns, told=(rollouts, budget, margin) != (None, None, None))
        self.effort = Effort(rollouts or ROLLOUTS, budget, MARGIN if margin is None else margin)
        self.reproducible = budget is None
        self.name = name_of_search(blueprint, budget)
        self.counts: Counter[str] = Counter()
        """Over all games so far: ``decisions`` with more than one action, ``changed`` ones that were not the
        blueprint's, and ``rollouts``."""

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> "OverBlueprint":
        """See `agents.bots.policy.Policy.seat`."""
        return SearchSeated(self, games, seats) if self.turns is None else AheadSeated(self, games, seats)


def turns_of(bot: Bot, config: Any, turns: Any, told: bool) -> int | None:
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
        raise ValueError(
            f"turns are looked through by two players over lookahead, got {config.players} over {bot.name}"
        )
    return int(turns)


class OverBlueprint(Seated):
    """A seat that searches: the blueprint's seat lies below it."""

    def __init__(self, policy: IkebanaSearch, games: GamesInPlay, seats: Sequence[int]) -> None:
        self._policy, self._games = policy, games
        self.seats = set_of(seats, len(games.tables))
        self._blueprint = policy.blueprint.seat(games, seats)
        self.values: list[dict[int, float] | None] = [None] * len(games.tables)
        """See `agents.bots.policy.Weighing`: chances to win, or prestige."""

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.bots.policy.Seated.begin`."""
        self._blueprint.seats[:] = self.seats
        self._blueprint.begin(chosen)


class AheadSeated(OverBlueprint):
    """See `agents.search.ikebana.ahead`."""

    def __init__(self, policy: IkebanaSearch, games: GamesInPlay, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        assert policy.turns is not None
        self._room = room_for(policy.config, games.tables.dtype["state"], policy.turns)
        self._worths = np.full((len(games.tables), 3), np.nan)
        """(N, 3): what drawing (again), keeping and buying were worth at each game's last decision."""

    def act(self) -> None:
        """See `agents.bots.policy.Seated.act`."""
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
    """See `IkebanaSearch`."""

    def __init__(self, policy: IkebanaSearch, games: GamesInPlay, seats: Sequence[int]) -> None:
        super().__init__(policy, games, seats)
        self._memory = np.zeros(games.game.players, policy.bot.memory_dtype(games.game.rules))
        self._memory["style"], self._memory["player"] = policy.bot.style, range(games.game.players)
        self._states = np.zeros(3, games.tables.dtype["state"])
        self._words, self._unseen = np.zeros(1, np.uint64), np.zeros(DECK_SIZE, np.int64)

    def act(self) -> None:
        """See `agents.bots.policy.Seated.act`."""
        self._blueprint.seats[:] = self.seats
        self._blueprint.act()
        for i in rows_to_move(self.seats, self._games.tables).tolist():
            self._games.actions[i] = self._search(i, int(self._games.actions[i]), time.perf_counter())

    def _search(self, i: int, own: int, began: float) -> int:
        """The action of the player to move in game ``i``; ``own`` is the blueprint's."""
        games, policy = self._games, self._policy
        mask = int(games.tables["mask"][i, 0])
        actions = [action for action in range(64) if mask >> action & 1]
        if len(actions) == 1:
            return actions[0]
        self._states[0] = games.tables["state"][i]
        room = self._memory, self._states, self._words, self._unseen
        loop, done = play_out_loop(policy.bot), 0

        def play_out(left: NDArray[np.int64], n: int) -> NDArray[np.float64]:
            nonlocal done
            found = np.zeros((n, len(left)))
            loop(games.rules_array, *room, games.keys[i], games.step, done, left, found)
            done += n
            return found

        thought = think(np.array(actions), own, play_out, policy.effort, began, AT_ONCE)
        self.values[i] = thought.values()
        policy.counts["decisions"] += 1
        policy.counts["changed"] += thought.verdict() != own
        policy.counts["rollouts"] += thought.spent
        return thought.verdict()


@cache
def play_out_loop(bot: Bot) -> Callable[..., None]:
    """The loop: ``(rules_array, memory, states (3,), words (1,), unseen, key, step, first, actions, found)``.

    The position is ``states[0]``; to ``found`` (n, actions) goes what the actions are worth to its player with deals
    ``first`` to ``first`` + n.
    """
    rules_of, bot_acts = reader_of(Rules, None), bot.act
    digest = digest_of(bot_acts, deal_unseen, hide, legal_action_mask, step, worth_of, play_out_loop)

    @kernel
    def play_out(rules_array, memory, states, words, unseen, key, number, first, actions, found):
        rules = keyed(rules_of(rules_array), digest)
        root, player = states[0], np.int64(states[0].current_player)
        hide(rules, root, player)
        stream = random_word(key, number)
        for k in range(found.shape[0]):
            chance = random_word(stream, first + k)
            for place in range(actions.shape[0]):
                states[1] = root
                s = states[1]
                deal_unseen(rules, s, unseen, list_unseen(rules, root, unseen), chance)  # listed anew: it is shuffled
                action, moves = actions[place], 0
                while True:
                    step(rules, s, action)
                    moves += 1
                    if is_terminal(s) or s.round_index != root.round_index:
                        break
                    legal_action_mask(rules, s, words)
                    actor = np.int64(s.current_player)
                    action = np.int64(nth_set_bit(words[0], 0))
                    if popcount(words[0]) > 1:
                        states[2] = s
                        hide(rules, states[2], actor)
                        action = np.int64(
                            bot_acts(rules, memory[actor], states[2], words, random_word(chance, 64 + moves))
                        )
                found[k, place] = worth_of(rules, s, player)

    return play_out


@rule
def list_unseen(rules, view, unseen):
    """List the cards that the player of a view cannot place, to ``unseen``; how many they are."""
    found = 0
    for card in range(KINDS):
        left = np.int64(copies(card))
        for player in range(rules.players):
            for k in range(copies(card)):
                left -= np.int64(has_bit(view.bouquets[player], first_copy(card) + k) != ZERO)
            for k in range(view.discard_count[player]):
                left -= np.int64(view.discards[player, k] == card)
        left -= np.int64(view.drawn == card)
        for _ in range(left):
            unseen[found] = card
            found += 1
    return found


@rule
def deal_unseen(rules, s, unseen, count, key):
    """Deal the unseen cards anew: some are buried in discards, the others are the deck, drawn as ``key`` has it."""
    s.key = key
    left = count
    for player in range(rules.players):
        for k in range(s.discard_count[player]):
            if s.discards[player, k] == NO_CARD:
                place = random_below(key, left, left)
                left -= 1
                unseen[place], unseen[left] = unseen[left], unseen[place]
                s.discards[player, k] = unseen[left]
    s.deck_count = left
    for place in range(left):
        s.cards[place] = unseen[place]


@rule
def worth_of(rules, s, player):
    """What the prestige of all is worth to ``player`` once a round is over, see the module's docstring.

    The lead that a round to come will bring over each of the others is taken to be normal, with mean 0 and the standard
    deviation `SPREAD`.
    """
    own, others, chance = np.float64(s.prestige[player]), 0.0, 1.0
    left = 0 if is_terminal(s) else rules.rounds - np.int64(s.round_index)
    for other in range(rules.players):
        if other != player:
            lead = own - s.prestige[other]
            others += s.prestige[other]
            if left > 0:
                chance *= 0.5 * (1.0 + math.erf(lead / (SPREAD * math.sqrt(2.0 * left))))
            else:
                chance *= won(lead)
    if rules.reward == REWARD_WIN:
        return chance
    return own - others / (rules.players - 1)
