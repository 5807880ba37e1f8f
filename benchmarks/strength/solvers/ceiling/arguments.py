"""Why a target is out of reach: arguments that take a moment to find and that a second program can check.

``late``: too much must be played after a card of the deck is drawn. Each play costs a turn, and from there on there are
only a number of turns (H14): one per draw to come and the last round, and after the last draw, whose card is played in
the last turn of all, no other. Beside the name stands the place of that card in the deck.

``crowded``: see `benchmarks.strength.solvers.ceiling.common_hand`.

``out_of_turn``: see `benchmarks.strength.solvers.ceiling.out_of_turn`. Beside the name stands the place of the card
from whose draw on the turns that are left do not come to those who hold the cards.

``searched``: see `benchmarks.strength.solvers.ceiling.beam`.

With bonus tiles (V4) tile (f) may play a card without a turn, so ``late`` leaves time for one more where (f) is among
the tiles that will be turned up. Where tile (e) is, no order is certain, and the argument is

``reshuffled``: at whatever moment (e) is turned up, and whatever card it takes back, the deck is ``late`` from then on
or ``crowded``. (As it was dealt it must be so, too, with time for yet another card, for (e) may be applied as (f).)

What checks all of them is `benchmarks.strength.solvers.ceiling.checking`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import popcount
from hanabi_env.engine.state import TILE_PLAY_DISCARD, TILE_TAKE_BACK, Rules

from .cards import turns_after
from .common_hand import COLUMNS, fills_up
from .orders import FIRST_ORDER, MOST_DECK, SPARE, deck_size, forget_orders, is_turned, lay_shuffled
from .out_of_turn import MOST_DRAWS, is_out_of_turn, waiting_cards

__all__ = ["Arguments"]

MOST_POSITIONS = 1 << 15
"""Positions of a common hand before the search for ``crowded`` gives up."""
MOST_AT_THE_END = 1 << 12
"""Positions at the end of the deck, before the search for ``out_of_turn`` gives up."""
NONE, LATE, CROWDED, OUT_OF_TURN, RESHUFFLED = range(5)
WORDS = (None, "late", "crowded", "out_of_turn", "reshuffled")


@rule
def late_card(rules, orders, order, target, spared):
    """The last place of the order after which too much must be played, or -1; ``spared`` cards take no turn (V4)."""
    size = deck_size(rules, order)
    for k in range(size - rules.players * rules.hand_size):
        at = size - 1 - k
        if popcount(waiting_cards(rules, orders, order, target, at)) > turns_after(rules, k) + spared:
            return at
    return -1


@rule
def out_of_turn_card(rules, orders, target, stack, seen):
    """The last place of the deck for which `is_out_of_turn` holds, or -1."""
    size = rules.deck_size
    for k in range(min(MOST_DRAWS, size - rules.players * rules.hand_size)):
        at = size - 1 - k
        card = np.int64(orders.decks[FIRST_ORDER, at])
        is_first = (target >> card) & 1 and orders.next[FIRST_ORDER, 0, card] == at
        if is_first and is_out_of_turn(rules, orders, target, at, stack, seen) == 1:
            return at
    return -1


@rule
def note_late_shuffles(rules, orders, target, spared, late):
    """V4: into ``late``, by the cards drawn, whether it is too late after a shuffle then, whatever card is taken back.

    All orders but the first are forgotten.
    """
    forget_orders(rules, orders)
    for drawn in range(rules.players * rules.hand_size, rules.deck_size + 1):
        lay_shuffled(rules, orders, drawn, rules.suits * rules.ranks, SPARE)
        late[drawn] = late_card(rules, orders, SPARE, target, spared) >= 0


@cache
def argument_loop() -> Callable[..., Any]:
    """See `Arguments.find`."""
    digest = digest_of(late_card, fills_up, out_of_turn_card, argument_loop)

    @kernel
    def argue(rules, box, target, late, stack, seen, few_seen):
        orders = box[0]
        takes_back = is_turned(rules, orders, target, 0, TILE_TAKE_BACK)
        plays = np.int64(is_turned(rules, orders, target, 0, TILE_PLAY_DISCARD))
        late[:] = 0
        place = keyed(-1, digest)
        if not rules.final_bouquet:
            place = late_card(rules, orders, FIRST_ORDER, target, plays + takes_back)
            late[rules.deck_size + 1] = place >= 0
            if takes_back:
                note_late_shuffles(rules, orders, target, plays, late)
            elif place >= 0:
                return LATE, place
        if fills_up(rules, orders, target, late, stack, seen) == 1:
            return RESHUFFLED if takes_back else CROWDED, -1
        if not (rules.final_bouquet or takes_back or plays):
            place = out_of_turn_card(rules, orders, target, stack, few_seen)
            if place >= 0:
                return OUT_OF_TURN, place
        return NONE, -1

    return argue


class Arguments:
    """Room for the search for arguments, used for one deck after the other."""

    def __init__(self, rules: Rules) -> None:
        cards = rules.suits * rules.ranks
        self.rules = rules
        self.room = (
            np.zeros(MOST_DECK + 1, np.int64),
            np.zeros((64 * cards, COLUMNS), np.int64),
            np.zeros((2 * MOST_POSITIONS, 3), np.int64),
            np.zeros((2 * MOST_AT_THE_END, 3), np.int64),
        )

    def find(self, orders: np.ndarray, target: int) -> str | None:
        """Why the target is out of reach, or None if no argument holds."""
        reason, place = argument_loop()(self.rules, orders, np.int64(target), *self.room)
        if reason in (LATE, OUT_OF_TURN):
            return f"{WORDS[reason]}:{place}"
        return WORDS[reason]
