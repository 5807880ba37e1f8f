"""The actions of Hanabi by their numbers: blocks in the Learning Environment's order, and where each begins.

They are: discard slot, play slot, hint a color, hint a rank. Hints are ordered by the receiver's offset (1 = next
clockwise), then by color or rank. Then, if the variant is played: announced plays, slot by slot and suit by suit
(V6); choosing a card of the discard, "shuffle back", "play from discard" (V4).
"""

from hanabako.compiler.jit import rule


@rule
def first_play(rules):
    """Where the block of plays begins."""
    return rules.hand_size


@rule
def first_color_hint(rules):
    """Where the block of color hints begins."""
    return 2 * rules.hand_size


@rule
def first_rank_hint(rules):
    """Where the block of rank hints begins."""
    return first_color_hint(rules) + (rules.players - 1) * rules.colors


@rule
def first_announced_play(rules):
    """Where the block of announced plays begins (V6)."""
    return first_rank_hint(rules) + (rules.players - 1) * rules.ranks


@rule
def first_choice(rules):
    """Where the block of cards to choose begins (V4)."""
    return first_announced_play(rules) + rules.choreography * rules.hand_size * rules.suits


@rule
def shuffle_back(rules):
    """The action that lets tile (e) take a card back though the deck is empty (V4); the next one is (f) instead."""
    return first_choice(rules) + rules.suits * rules.ranks
