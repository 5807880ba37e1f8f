"""The view of one seat: the game record without the information that is hidden from its player (I8, J3).

Bots (`agents.bots.bot`) get a view instead of the state. It has the same record type, so the functions of
`ikebana_env.engine.rules` work on it (``top_of_discard(view, player)``). Face-down cards are hidden: the deck and the
decks of later rounds, buried discards (unless ``perfect_recall`` shows them), and a card that another player has drawn.
The keys of the random streams are zero, because they would reveal these.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO
from ikebana_env.engine.state import DECK_SIZE, NO_CARD

__all__ = ["hide", "last_event"]


@rule
def hide(rules, view, player):
    """Remove from ``view``, a copy of the state, what ``player`` may not know. Hidden cards become `NO_CARD`."""
    view.game_key = ZERO
    view.key = ZERO
    view.episode = 0
    view.given_rounds = 0
    for place in range(DECK_SIZE):
        view.cards[place] = NO_CARD
        for number in range(rules.rounds):
            view.given_decks[number, place] = NO_CARD
    if player != view.current_player:
        view.drawn = NO_CARD
    for other in range(rules.players):
        top = np.int64(view.discard_count[other]) - 1
        for k in range(DECK_SIZE):  # above the top are old cards, from before a purchase or a reshuffle (I7, I9)
            if k > top or (k < top and not rules.perfect_recall):
                view.discards[other, k] = NO_CARD


@rule
def last_event(rules, view):  # noqa: ARG001 - the signature of every game
    """Return the number of steps so far. Ikebana records no events, because the view shows all public changes."""
    return view.length
