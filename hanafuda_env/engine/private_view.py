"""The view of one seat: the record of the game without what that player may not know.

Bots (`agents.bots.bot`) are given a view in place of the state. It is the same record, so every question of
`hanafuda_env.engine.rules` can be asked of it, but for what its player cannot see: the other hand (revealed cards stay,
K46), the deck (the dealt part too, which tells the hands), decks given for later rounds, and in the phase of the swap
both hands (K6). The random streams, from which these could be worked out, are zero.
"""

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit
from hanafuda_env.engine.cards import ALL_CARDS, CARDS, NO_CARD
from hanafuda_env.engine.rules import turn_record
from hanafuda_env.engine.state import PHASE_SWAP, Rules, roomy

__all__ = ["hide", "last_event", "room", "unseen"]


@rule
def hide(rules, view, player):  # noqa: ARG001 - as every game's
    """Turn ``view``, a copy of the state, into what ``player`` may know."""
    view.game_key = ZERO
    view.key = ZERO
    view.episode = 0
    view.hand[1 - player] &= view.revealed
    if view.phase == PHASE_SWAP:
        view.hand[player] = ZERO
    for place in range(CARDS):
        view.deck[place] = NO_CARD
    for k in range(view.given_rounds):
        for place in range(CARDS):
            view.given_decks[k, place] = NO_CARD
    view.given_rounds = 0


@rule
def last_event(rules, view):
    """What everybody saw of the present turn: a record of `hanafuda_env.engine.state.TURN`."""
    return turn_record(rules, view, 0)


@rule
def unseen(view):
    """The cards that the player of a view cannot place: they are in the deck or in the other hand."""
    seen = view.hand[0] | view.hand[1] | view.field | view.captured[0] | view.captured[1]
    return ALL_CARDS & ~(seen | bit(view.pending))


def room(rules: Rules, specialize: bool) -> Rules:
    """The numbers that size the records of a loop: the configuration's own, or the roomy ones of generic loops."""
    return rules if specialize else roomy(rules)
