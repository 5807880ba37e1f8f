"""The view of one seat: the record of the game without what that player may not know (I8, J3).

Bots (`agents.bots.bot`) are given a view in place of the state. It is the same record, so every
question of `ikebana_env.engine.rules` can be asked of it (``top_of_discard(view, player)``), but for what is face
down: the deck and the decks of later rounds, buried discards (unless ``perfect_recall`` shows them), and a card that
another player has drawn. The random streams, from which these could be worked out, are zero.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO
from ikebana_env.engine.state import DECK_SIZE, NO_CARD, Rules, roomy

__all__ = ["hide", "last_event", "room"]


@rule
def hide(rules, view, player):
    """Turn ``view``, a copy of the state, into what ``player`` may know. Hidden cards become `NO_CARD`."""
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
        for k in range(DECK_SIZE):  # beyond the top lies what was there before a purchase or a reshuffle (I7, I9)
            if k > top or (k < top and not rules.perfect_recall):
                view.discards[other, k] = NO_CARD


@rule
def last_event(rules, view):  # noqa: ARG001 - as every game's
    """Ikebana records no steps: all that a step changes in public is in the view. The number of steps so far."""
    return view.length


def room(rules: Rules, specialize: bool) -> Rules:
    """The numbers that size the records of a loop: the configuration's own, or the roomy ones of generic loops."""
    return rules if specialize else roomy(rules)
