"""The view of one seat: the game record without the information that is hidden from its player (H20).

Bots (`hanabako.agents.bots.bot`) get a view instead of the state. It has the same record type, so the functions of
`hanabi_env.engine.rules` work on it (``is_playable(rules, view, card)``). Three things are hidden: the player's hand,
the deck, and the face-down bonus tiles. The keys of the random streams are zero, because they would reveal these. The
hints about the hand (``plausible``, ``hinted``) are public and stay.
"""

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO
from hanabi_env.engine.state import NO_CARD, NO_TILE

__all__ = ["hide", "last_event"]


@rule
def hide(rules, view, player):
    """Remove from ``view``, a copy of the state, what ``player`` may not know. Hidden cards become `NO_CARD`."""
    view.game_key = ZERO
    view.key = ZERO
    view.episode = 0
    for slot in range(rules.hand_size):
        view.hands[player, slot] = NO_CARD
    for place in range(rules.deck_size - view.discard_count):
        view.cards[place] = NO_CARD
    if rules.flamboyants:
        for k in range(view.bonus_tiles.shape[0] - view.tiles_left, view.bonus_tiles.shape[0]):
            view.bonus_tiles[k] = NO_TILE


@rule
def last_event(rules, view):
    """Return the public event of the last step, see `hanabi_env.engine.state`. There must have been a step."""
    return view.events[(view.length - 1) % rules.history]
