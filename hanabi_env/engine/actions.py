"""The numbers of Hanabi's actions: blocks in the Hanabi Learning Environment's order, and the first action of each.

The blocks are: discard a slot, play a slot, hint a color, hint a rank. Hints are ordered by the receiver's offset (1 =
next clockwise), then by color or rank. The variants add more blocks: announced plays, ordered by slot, then by suit
(V6); choosing a card of the discard, "shuffle back", and "play from discard" (V4).
"""

from hanabako.compiler.jit import rule


@rule
def first_play(rules):
    """Return the first action that plays a card."""
    return rules.hand_size


@rule
def first_color_hint(rules):
    """Return the first action that hints a color."""
    return 2 * rules.hand_size


@rule
def first_rank_hint(rules):
    """Return the first action that hints a rank."""
    return first_color_hint(rules) + (rules.players - 1) * rules.colors


@rule
def first_announced_play(rules):
    """Return the first action that plays a card with an announced suit (V6)."""
    return first_rank_hint(rules) + (rules.players - 1) * rules.ranks


@rule
def first_choice(rules):
    """Return the first action that chooses a card (V4)."""
    return first_announced_play(rules) + rules.choreography * rules.hand_size * rules.suits


@rule
def shuffle_back(rules):
    """Return the action with which tile (e) takes a card back on an empty deck (V4). The next action is (f) instead."""
    return first_choice(rules) + rules.suits * rules.ranks
