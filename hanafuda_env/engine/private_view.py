"""The view of one seat: the game record without the information that is hidden from its player.

Bots (`agents.bots.bot`) get a view instead of the state. It has the same record type, so the functions of
`hanafuda_env.engine.rules` work on it. Hidden are: the other hand (except revealed cards, K46), the deck (including the
dealt part, which would reveal the hands), decks given for later rounds, and in the swap phase both hands (K6). The keys
of the random streams are zero, because they would reveal these.
"""

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit
from hanafuda_env.engine.cards import ALL_CARDS, CARDS, NO_CARD
from hanafuda_env.engine.rules import turn_record
from hanafuda_env.engine.state import PHASE_SWAP

__all__ = ["hide", "last_event", "unseen"]


@rule
def hide(rules, view, player):  # noqa: ARG001 - the signature of every game
    """Remove from ``view``, a copy of the state, what ``player`` may not know."""
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
    """Return the public record of the present turn, a `hanafuda_env.engine.state.TURN`."""
    return turn_record(rules, view, 0)


@rule
def unseen(view):
    """Return the set of cards that the player of a view has not seen: those in the deck or in the other hand."""
    seen = view.hand[0] | view.hand[1] | view.field | view.captured[0] | view.captured[1]
    return ALL_CARDS & ~(seen | bit(view.pending))
