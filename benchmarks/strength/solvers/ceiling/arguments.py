"""Arguments that a target is out of reach: quick to find, and checkable by a second program.

``late``: too many cards must be played after a certain card of the deck is drawn. Each play costs a turn, and the
number of turns after that draw is limited (H14): one per later draw, and the last round. After the last draw there is
only one, the last turn of all, in which that card is played. The argument includes the card's index in the deck.

``crowded``: see `benchmarks.strength.solvers.ceiling.common_hand`.

``out_of_turn``: see `benchmarks.strength.solvers.ceiling.out_of_turn`. The argument includes the index of the card
after whose draw the players who hold the needed cards do not get the remaining turns.

``searched``: see `benchmarks.strength.solvers.ceiling.beam`.

With bonus tiles (V4), tile (f) may play a card without a turn, so ``late`` allows one more card if (f) is among the
tiles that will be turned up. If tile (e) is among them, no order of the deck is certain, and the argument is

``reshuffled``: whenever (e) is turned up, and whichever card it takes back, the deck is then ``late`` or ``crowded``.
(The deck as dealt must be so too, with time for one more card, as (e) may be applied as (f).)

`benchmarks.strength.solvers.ceiling.checking` checks all of them.
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
"""The most positions of a common hand; with more, the search for ``crowded`` gives up."""
MOST_AT_THE_END = 1 << 12
"""The most positions at the end of the deck; with more, the search for ``out_of_turn`` gives up."""
NONE, LATE, CROWDED, OUT_OF_TURN, RESHUFFLED = range(5)
WORDS = (None, "late", "crowded", "out_of_turn", "reshuffled")


@rule
def late_card(rules, orders, order, target, spared):
    """Return the last index in the order after which too many cards must be played, or -1.

    ``spared`` cards need no turn (V4).
    """
    size = deck_size(rules, order)
    for k in range(size - rules.players * rules.hand_size):
        at = size - 1 - k
        if popcount(waiting_cards(rules, orders, order, target, at)) > turns_after(rules, k) + spared:
            return at
    return -1


@rule
def out_of_turn_card(rules, orders, target, stack, seen):
    """Return the last index in the deck for which `is_out_of_turn` holds, or -1."""
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
    """Write to ``late``, by cards drawn, whether the deck is too late after a shuffle (V4), for any card taken back.

    Discards all orders but the first.
    """
    forget_orders(rules, orders)
    for drawn in range(rules.players * rules.hand_size, rules.deck_size + 1):
        lay_shuffled(rules, orders, drawn, rules.suits * rules.ranks, SPARE)
        late[drawn] = late_card(rules, orders, SPARE, target, spared) >= 0


@cache
def argument_loop() -> Callable[..., Any]:
    """Return the loop of `Arguments.find`."""
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
    """A search for arguments, with work arrays that are reused for all decks."""

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
        """Return an argument that the target is out of reach, or None if no argument holds."""
        reason, place = argument_loop()(self.rules, orders, np.int64(target), *self.room)
        if reason in (LATE, OUT_OF_TURN):
            return f"{WORDS[reason]}:{place}"
        return WORDS[reason]
