"""The six bonus tiles of Hanabi (V4), face down in an order that no player knows.

The player who completes a firework reveals the next tile (`reveal_tile`) instead of gaining an information token (H11).
Tiles (a) and (b) are applied at once. The other tiles wait for a choice, which is the same player's next step:
`choosable_cards` and `choices_of_e` list the choices, and `hanabi_env.engine.rules.resolve_tile` applies one.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ONE, ZERO, has_bit
from hanabako.engine.rng import random_below
from hanabi_env.engine.cards import (
    first_copy,
    gain_information_token,
    nameable_colors,
    nameable_ranks,
    others_set,
    playable_set,
    suit_of,
    thermometer_of,
)
from hanabi_env.engine.state import (
    CHOICE_OF_E,
    END_NOT_YET,
    NO_TILE,
    TILE_COLOR_HINT,
    TILE_DRAW,
    TILE_LIFE,
    TILE_PLAY_DISCARD,
    TILE_RANK_HINT,
    TILE_TAKE_BACK,
    TILE_TOKEN,
    TILES,
)


@rule
def shuffle_tiles(s):
    """V4: shuffle all bonus tiles face down."""
    s.tiles_left = TILES
    for k in range(TILES):
        other = random_below(s.key, TILE_DRAW + k, k + 1)
        s.bonus_tiles[k] = s.bonus_tiles[other]
        s.bonus_tiles[other] = k


@rule
def is_tile_pending(rules, s):
    """Whether a tile waits for its player's choice."""
    return rules.flamboyants and s.pending != NO_TILE


@rule
def waits_for(rules, s, tile):
    """Whether the game waits for the choice of ``tile``."""
    return rules.flamboyants and s.end_reason == END_NOT_YET and s.pending == tile


@rule
def reveal_tile(rules, s):
    """V4: turn up the next tile. It is applied at once or waits for a choice; with nothing to choose it is lost."""
    tile = np.int64(s.bonus_tiles[TILES - s.tiles_left])
    s.tiles_left -= 1
    if tile == TILE_LIFE and s.life_tokens < rules.max_life_tokens:
        s.life_tokens += 1
    if tile in (TILE_TOKEN, TILE_LIFE):
        gain_information_token(rules, s)
        return
    if tile == TILE_TAKE_BACK and s.deck_count == 0:
        tile = CHOICE_OF_E
    if has_something_to_choose(rules, s, tile):
        s.pending = tile


@rule
def has_something_to_choose(rules, s, tile):
    """V4, E10, E11: whether the tile has a possible hint, a card in the discard, or a playable card there."""
    if tile in (TILE_COLOR_HINT, TILE_RANK_HINT):
        others = others_set(rules, s)
        if tile == TILE_COLOR_HINT:
            return nameable_colors(rules, others) != ZERO
        return nameable_ranks(rules, others) != ZERO
    cards = discard_set(rules, s)
    if tile == TILE_PLAY_DISCARD:
        cards &= playable_set(rules, s)
    return cards != ZERO


@rule
def discard_set(rules, s):
    """Return the set of cards with a copy in the discard."""
    cards = ZERO
    for suit in range(rules.suits):
        for rank in range(rules.ranks):
            cards |= has_bit(s.discarded[suit], first_copy(rules, suit, rank)) << np.uint64(suit * rules.ranks + rank)
    return cards


@rule
def choosable_cards(rules, s):
    """Return the set of cards to choose for the pending tile: (e) any card of the discard, (f) a playable one."""
    if waits_for(rules, s, TILE_TAKE_BACK):
        return discard_set(rules, s)
    if waits_for(rules, s, TILE_PLAY_DISCARD):
        return discard_set(rules, s) & playable_set(rules, s)
    return ZERO


@rule
def choices_of_e(rules, s):
    """E10: (e) on an empty deck: "shuffle back" (bit 0), "play from discard" (bit 1) if a card there is playable."""
    if not waits_for(rules, s, CHOICE_OF_E):
        return ZERO
    return ONE | (ONE << ONE if discard_set(rules, s) & playable_set(rules, s) != ZERO else ZERO)


@rule
def take_from_discard(rules, s, card):
    """V4: remove the oldest copy of the card from the discard; the newer cards move up."""
    is_behind = False
    for k in range(s.discard_count):
        place = rules.deck_size - 1 - k
        if is_behind:
            s.cards[place + 1] = s.cards[place]
        elif s.cards[place] == card:
            is_behind = True
    s.discard_count -= 1
    suit = suit_of(rules, card)
    own = thermometer_of(rules, card)
    pile = np.uint64(s.discarded[suit])
    s.discarded[suit] = (pile & ~own) | (((pile & own) >> ONE) & own)


@rule
def shuffle_into_deck(s, card):
    """V4: add the card to the deck and shuffle the whole deck (E10)."""
    s.cards[s.deck_count] = card
    s.deck_count += 1
    s.shuffles += 1
