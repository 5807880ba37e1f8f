"""The view of one seat: the record of the game without what that player may not know (H20).

Bots (`hanabako.agents.bots.bot`) are given a view in place of the state. It is the same record, so every question of
`hanabi_env.engine.rules` can be asked of it (``is_playable(rules, view, card)``), but for the three things that its
player cannot see: the hand, the deck, and the face-down bonus tiles. The random streams, from which these could be
worked out, are zero. What hints have said of the hand (``plausible``, ``hinted``) is public and stays.
"""

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO
from hanabi_env.engine.state import NO_CARD, NO_TILE, Rules, roomy

__all__ = ["hide", "last_event", "room"]


@rule
def hide(rules, view, player):
    """Turn ``view``, a copy of the state, into what ``player`` may know. Hidden cards become `NO_CARD`."""
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
    """What everybody saw of the last step, an event of `hanabi_env.engine.state`. There must have been one."""
    return view.events[(view.length - 1) % rules.history]


def room(rules: Rules, specialize: bool) -> Rules:
    """The numbers that size the records of a loop: the configuration's, or those of the generic loop."""
    return rules if specialize else roomy(rules)
