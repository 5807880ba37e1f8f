"""A player's belief about its own hand (H20): sampling the hand and the deck again, and listing all possible hands.

A player sees the other hands, the fireworks and the discard, and knows which cards hints have not excluded from each
slot (``plausible``). All arrangements of the unseen cards that agree with this are equally likely here: actions carry
no information, and hints what they say. The belief against level 0 of Off-Belief Learning (Hu et al. 2021) has the same
hands, weighted by `hanabi_env.engine.likelihood`. `draw_hand` samples a hand from this belief. `put_hand` gives the
hand to the player and shuffles the other unseen cards into a new deck. `list_hands` finds all possible hands.

Sampling a hand fills the slots one after another, those with the fewest possible copies first. Each slot gets one of
the remaining copies that fit. A hint is about the whole hand, and an older slot has received every hint that a newer
slot has. So the possible cards of two slots are nested or disjoint, and the number of copies left for a slot does not
depend on the cards of the earlier slots: it is the number of unseen copies that fit, minus one for each earlier slot
whose possible cards all fit, too. Therefore one pass samples every arrangement with exactly equal probability.

This can fail only in a record that did not arise by play (a position with different ``knowledge``). Then the number of
copies is an upper bound. The sample is rejected and repeated if it is beyond the last copy, which is exact, too. After
`TRIES` failures the hand stays unchanged.

One core samples about a million hands and decks of standard Hanabi per second.

Cards that a bonus tile shuffled back (V4) count as unseen cards, because a record does not tell which slots were drawn
before. It does not tell either that a tile was lost because no hint was possible.

Random numbers come from the caller's ``key``, and `put_hand` gives the record new random streams. So neither the record
nor its coming draws and games reveal the true cards.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import ZERO, bit, has_bit, low_bits, nth_set_bit, popcount
from hanabako.engine.loops import reader_of
from hanabako.engine.rng import random_below, random_word
from hanabako.engine.turns import owner
from hanabi_env.engine.cards import hand_set, nameable_colors
from hanabi_env.engine.counting import see
from hanabi_env.engine.state import TILE_COLOR_HINT, TILES, Rules
from hanabi_env.engine.tiles import waits_for

__all__ = ["BeliefLoops", "belief_loops", "draw_hand", "list_hands", "possible_hands", "put_hand", "scratch"]

TRIES = 1000
GAME_WORD, EPISODE_WORD, TILE_WORDS, TRY_WORDS, HAND_WORDS = 0, 1, 2, 16, 1 << 20  # counters of the caller's key


def scratch(hand_size: int) -> np.ndarray:
    """Return working memory (1,) to draw and list hands of up to ``hand_size`` cards."""
    slots = [("fits", np.uint64), ("order", np.int64), ("bound", np.int64), ("hand", np.uint8), ("first", np.int64)]
    fields = [(name, kind, (hand_size,)) for name, kind in slots]
    return np.zeros(1, interned(np.dtype([*fields, ("ways", np.float64, (hand_size + 1,))], align=True)))


# --- Copies of cards: three sets, as in `hanabi_env.engine.counting` --------------------------------------------------


@rule
def unseen_sets(s, player):
    """Return three sets: the cards with at least one, two and three copies that the player does not see.

    These copies are in the deck and in the player's hand. The player knows their numbers, but not where they are.
    """
    sets = (ZERO, ZERO, ZERO)
    for place in range(s.deck_count):
        sets = see(sets, bit(s.cards[place]))
    for slot in range(s.hand_count[player]):
        sets = see(sets, bit(s.hands[player, slot]))
    return sets


@rule
def without(sets, card):
    """Return the three sets after one copy of the card was removed: the inverse of `see`."""
    one, two, three = sets
    others = ~bit(card)
    return one & (others | two), two & (others | three), three & others


@rule
def copies_in(sets, cards):
    """Return the number of copies left of all ``cards`` together."""
    return popcount(sets[0] & cards) + popcount(sets[1] & cards) + popcount(sets[2] & cards)


@rule
def nth_copy(sets, cards, n):
    """Return the card of the ``n``-th copy that `copies_in` counts."""
    first = popcount(sets[0] & cards)
    if n < first:
        return nth_set_bit(sets[0] & cards, n)
    second = popcount(sets[1] & cards)
    if n < first + second:
        return nth_set_bit(sets[1] & cards, n - first)
    return nth_set_bit(sets[2] & cards, n - first - second)


# --- A hand -----------------------------------------------------------------------------------------------------------


@rule
def draw_hand(rules, s, player, key, room):
    """Draw a hand from the player's belief into ``room.hand``; ``room`` is a record of `scratch`."""
    sets = note_slots(s, player, room)
    draw_again(rules, s, player, sets, key, room)


@rule
def draw_again(rules, s, player, sets, key, room):
    """Draw a hand as `draw_hand` does, with the ``sets`` that `note_slots` returned."""
    for k in range(TRIES):
        if fill_slots(rules, s, player, sets, random_word(key, TRY_WORDS + k), room):
            return
    for slot in range(s.hand_count[player]):
        room.hand[slot] = s.hands[player, slot]


@rule
def note_slots(s, player, room):
    """Write to ``room`` each slot's possible cards and copies left, and the slots ordered by possible copies.

    Returns `unseen_sets`.
    """
    sets = unseen_sets(s, player)
    count = np.int64(s.hand_count[player])
    for slot in range(count):
        room.fits[slot] = np.uint64(s.plausible[player, slot]) & sets[0]
        room.bound[slot] = copies_in(sets, room.fits[slot])
        place = slot
        while place > 0 and room.bound[room.order[place - 1]] > room.bound[slot]:
            room.order[place] = room.order[place - 1]
            place -= 1
        room.order[place] = slot
    for place in range(count):
        slot = room.order[place]
        for earlier in range(place):
            if room.fits[room.order[earlier]] & ~room.fits[slot] == ZERO:
                room.bound[slot] -= 1
    return sets


@rule
def fill_slots(rules, s, player, sets, key, room):
    """Try once to fill all slots. Returns whether this succeeded."""
    for place in range(s.hand_count[player]):
        slot = room.order[place]
        wanted = random_below(key, place, room.bound[slot])
        if wanted >= copies_in(sets, room.fits[slot]):
            return False
        card = nth_copy(sets, room.fits[slot], wanted)
        room.hand[slot] = card
        sets = without(sets, card)
    return leaves_a_choice(rules, s, player, room)


@rule
def leaves_a_choice(rules, s, player, room):
    """V4: whether the hand allows a pending tile (c) of another player, which waits only if some hint is possible."""
    if player == s.current_player or not waits_for(rules, s, TILE_COLOR_HINT):
        return True
    cards = ZERO
    for other in range(rules.players):
        if other != player and other != np.int64(s.current_player):
            cards |= hand_set(rules, s, other)
    for slot in range(s.hand_count[player]):
        cards |= bit(room.hand[slot])
    return nameable_colors(rules, cards) != ZERO


@rule
def put_hand(rules, s, player, hand, key):
    """Give ``hand`` to the player. The other unseen cards become the deck, which is shuffled with ``key``.

    The player's observation does not change. V4: the face-down tiles are shuffled.
    """
    sets = unseen_sets(s, player)
    for slot in range(s.hand_count[player]):
        s.hands[player, slot] = hand[slot]
        sets = without(sets, hand[slot])
    place = 0
    for card in range(rules.suits * rules.ranks):
        for k in range(3):
            if has_bit(sets[k], card):
                s.cards[place] = card
                place += 1
    s.game_key = random_word(key, GAME_WORD)
    s.key = random_word(key, EPISODE_WORD)
    if rules.flamboyants:
        shuffle_face_down(s, key)


@rule
def shuffle_face_down(s, key):
    """V4: shuffle the tiles that no player has turned over."""
    first = TILES - np.int64(s.tiles_left)
    revealed = ZERO
    for place in range(first):
        revealed |= bit(s.bonus_tiles[place])
    place = first
    for tile in range(TILES):
        if not has_bit(revealed, tile):
            other = first + random_below(key, TILE_WORDS + tile, place - first + 1)
            s.bonus_tiles[place] = s.bonus_tiles[other]
            s.bonus_tiles[other] = tile
            place += 1


# --- All hands --------------------------------------------------------------------------------------------------------


@rule
def list_hands(rules, s, player, room, hands, ways):
    """Write all possible hands of the player to ``hands`` (N, slots), and the arrangements of each to ``ways`` (N,).

    Copies of a card count as different, so the probability of a hand is proportional to its ``ways``. Returns the
    number of hands, or N + 1 if there are more than N.
    """
    sets = note_slots(s, player, room)
    count = np.int64(s.hand_count[player])
    found, place = 0, 0
    room.ways[0] = 1.0
    room.first[0] = 0
    while place >= 0:
        cards = ZERO
        if place < count:
            cards = sets[0] & room.fits[room.order[place]] & ~low_bits(room.first[place])
        elif leaves_a_choice(rules, s, player, room):
            if found == hands.shape[0]:
                return found + 1
            for slot in range(count):
                hands[found, slot] = room.hand[slot]
            ways[found] = room.ways[count]
            found += 1
        if cards != ZERO:
            card = nth_set_bit(cards, 0)
            room.hand[room.order[place]] = card
            room.ways[place + 1] = room.ways[place] * copies_in(sets, bit(card))
            sets = without(sets, card)
            room.first[place] = card + 1
            place += 1
            if place < count:
                room.first[place] = 0
        else:
            place -= 1
            if place >= 0:
                sets = see(sets, bit(room.hand[room.order[place]]))
    return found


# --- Many tables ------------------------------------------------------------------------------------------------------


class BeliefLoops(NamedTuple):
    """The compiled loops. ``player`` is the owner of the hand; below 0 it is the player to move at each table.

    ``rules_array`` is the game's (see `hanabako.engine.protocol.rules_array`), ``tables`` (N,) are its records,
    ``keys`` uint64 (N,) has one random key per table, and ``room`` is `scratch`.

    The loops that change hands update only states. A caller that changes the hand of a player who is not to move must
    call `Loops.refresh` afterwards.
    """

    redeal: Callable[..., Any]  # (rules_array, tables, player, keys, room): new hands and decks
    draw: Callable[..., Any]  # (rules_array, tables, player, keys, room, hands uint8 (N, K, H)): K hands per table
    put: Callable[..., Any]  # (rules_array, tables, player, keys, hands uint8 (N, H)): these hands and new decks
    list: Callable[..., Any]  # (rules_array, tables, table, player, room, hands uint8 (M, H), ways (M,)): `list_hands`


@cache
def belief_loops(frozen: Rules | None) -> BeliefLoops:
    """Return the loops, specialized to ``frozen`` rules, or generic if ``None``."""
    rules_of = reader_of(Rules, frozen)
    digest = digest_of(draw_hand, put_hand, list_hands, belief_loops)

    @kernel
    def redeal_hands(rules_array, tables, player, keys, room):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            s = tables[i].state
            whose = owner(s, player)
            draw_hand(rules, s, whose, keys[i], room[0])
            put_hand(rules, s, whose, room[0].hand, keys[i])

    @kernel
    def draw_hands(rules_array, tables, player, keys, room, hands):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            s = tables[i].state
            whose = owner(s, player)
            sets = note_slots(s, whose, room[0])
            for k in range(hands.shape[1]):
                draw_again(rules, s, whose, sets, random_word(keys[i], HAND_WORDS + k), room[0])
                for slot in range(s.hand_count[whose]):
                    hands[i, k, slot] = room[0].hand[slot]

    @kernel
    def put_hands(rules_array, tables, player, keys, hands):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            s = tables[i].state
            put_hand(rules, s, owner(s, player), hands[i], keys[i])

    @kernel
    def list_all_hands(rules_array, tables, table, player, room, hands, ways):
        rules, s = keyed(rules_of(rules_array), digest), tables[table].state
        whose = owner(s, player)
        return list_hands(rules, s, whose, room[0], hands, ways)

    return BeliefLoops(redeal_hands, draw_hands, put_hands, list_all_hands)


def possible_hands(game: Any, tables: np.ndarray, table: int, player: int, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all possible hands of a player, uint8 (M, H), and their ``ways``, float64 (M,). See `list_hands`.

    Args:
        game: the configured game.
        tables: records (N,) of `hanabi_env.game.HanabiGame.table_dtype`.
        table: the index of the record.
        player: the owner of the hand.
        limit: the largest allowed number of hands.

    Raises:
        ValueError: there are more hands than ``limit``.
    """
    held = int(tables["state"]["hand_count"][table, player])
    hands, ways = np.zeros((limit, held), np.uint8), np.zeros(limit)
    room = scratch(game.rules.hand_size)
    found = belief_loops(None).list(game.rules_array, tables, table, player, room, hands, ways)
    if found > limit:
        raise ValueError(f"player {player} may hold more than {limit} hands")
    return hands[:found], ways[:found]
