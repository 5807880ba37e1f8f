"""Hanabi's observation: the information that a player may know, as a string of bits.

The first five sections are, bit for bit, the canonical encoding of the Hanabi Learning Environment (Bard et al. 2020):
hands, board, discards, last action, card knowledge. ``history`` repeats the last-action section for older steps (with
bonus tiles at least for as many steps as one turn can have). The sections ``tiles``, ``belief`` and ``derived`` follow
if the configuration has them. Each section is a pair of functions, its length and its writer. `SECTIONS` lists them in
order, and `section_index` returns the first bit of each.

Players are counted from the observer, who is 0. Cards are one-hot or sets over ``suit * ranks + rank``. The hidden
cards of the observer's own hand are never read, except with ``observation_type="seer"``, which is meant for research.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ONE, ZERO, bit, end_string, has_bit, low_bits, put
from hanabako.engine.sections import index_of, words_for
from hanabi_env.engine.cards import all_cards, cards_per_suit, playable_set, player_at
from hanabi_env.engine.counting import all_copies_in, dead_set, public_sets, seen_sets
from hanabi_env.engine.state import (
    EVENT_CHOOSE,
    EVENT_DISCARD,
    EVENT_HINT_COLOR,
    EVENT_HINT_RANK,
    EVENT_NONE,
    EVENT_PLAY,
    NO_TILE,
    TILES,
    Rules,
)

MOST_PUT = 63  # bits that one `put` takes
OBSERVE_MINIMAL = 0  # the Learning Environment's numbers
OBSERVE_CARD_KNOWLEDGE = 1
OBSERVE_SEER = 2


@rule
def observe(rules, s, observer, out):
    """Write the observation of ``observer`` to ``out`` (`observation_words` uint64 words), lowest bit first."""
    word, at = write_hands(rules, s, observer, out, ZERO, 0)
    word, at = write_board(rules, s, out, word, at)
    word, at = write_discards(rules, s, out, word, at)
    for age in range(rules.history):
        word, at = write_event(rules, s, observer, age, out, word, at)
    if rules.observation_type != OBSERVE_MINIMAL:
        word, at = write_knowledge(rules, s, observer, out, word, at)
    if rules.flamboyants:
        word, at = write_tiles(rules, s, out, word, at)
    if rules.belief:
        word, at = write_belief(rules, s, observer, out, word, at)
    if rules.derived:
        word, at = write_derived(rules, s, observer, out, word, at)
    end_string(out, word, at)


@rule
def card_bits(rules):
    """Return the number of bits of a card, or of a set of cards."""
    return rules.suits * rules.ranks


# --- Hands: the cards of the other players, then which hands lack a card ----------------------------------------------


@rule
def hands_length(rules):
    """Return the number of bits of the section."""
    return (rules.players - 1) * rules.hand_size * card_bits(rules) + rules.players


@rule
def write_hands(rules, s, observer, out, word, at):
    """Write the card per other player and slot (one-hot, none: zeros); then per player whether the hand lacks one."""
    for offset in range(1, rules.players):
        player = player_at(rules, observer, offset)
        for slot in range(rules.hand_size):
            word, at = put(out, word, at, card_bits(rules), bit(s.hands[player, slot]) & all_cards(rules))
    short = ZERO
    for offset in range(rules.players):
        if s.hand_count[player_at(rules, observer, offset)] < rules.hand_size:
            short |= bit(offset)
    return put(out, word, at, rules.players, short)


# --- Board: deck, fireworks, tokens -----------------------------------------------------------------------------------


@rule
def board_length(rules):
    """Return the number of bits of the section."""
    tokens = rules.max_information_tokens + rules.max_life_tokens
    return rules.deck_size - rules.players * rules.hand_size + card_bits(rules) + tokens


@rule
def write_board(rules, s, out, word, at):
    """Write deck size (thermometer), cards played per suit (one-hot), tokens and lives (thermometers)."""
    longest = rules.deck_size - rules.players * rules.hand_size
    first = min(longest, MOST_PUT)  # seven suits and tiny hands leave a deck that one `put` cannot hold
    count = np.int64(s.deck_count)
    word, at = put(out, word, at, first, low_bits(min(count, first)))
    word, at = put(out, word, at, longest - first, low_bits(max(count - first, 0)))
    for suit in range(rules.suits):
        word, at = put(out, word, at, rules.ranks, bit(s.fireworks[suit]) >> ONE)
    word, at = put(out, word, at, rules.max_information_tokens, low_bits(s.information_tokens))
    return put(out, word, at, rules.max_life_tokens, low_bits(s.life_tokens))


# --- Discards: a thermometer of the discarded copies per card ---------------------------------------------------------


@rule
def discards_length(rules):
    """Return the number of bits of the section."""
    return rules.deck_size


@rule
def write_discards(rules, s, out, word, at):
    """Write each rank's copies suit by suit, from the lowest rank up."""
    for suit in range(rules.suits):
        word, at = put(out, word, at, cards_per_suit(rules, suit), s.discarded[suit])
    return word, at


# --- Last action (and older ones, with ``history``) -------------------------------------------------------------------


@rule
def event_length(rules):
    """Return the number of bits of one event."""
    hint = rules.players + rules.colors + rules.ranks + rules.hand_size
    card = rules.hand_size + card_bits(rules) + 2
    return rules.players + event_kinds(rules) + hint + card + rules.choreography * rules.suits


@rule
def event_kinds(rules):
    """Return the number of kinds: play, discard, two kinds of hints; V4 adds choose and the two choices of (e)."""
    return 4 + 3 * rules.flamboyants


@rule
def events_length(rules):
    """Return the number of bits of the section."""
    return rules.history * event_length(rules)


@rule
def write_event(rules, s, observer, age, out, word, at):
    """Write the step ``age`` steps before the last one.

    The bits are: the player (one-hot); the kind (one-hot over `event_kinds`); the receiver, color, rank and touched
    slots of a hint; the slot and card of a play or discard (or the card chosen for a tile); whether it scored and
    whether it brought a token (not for a discard); and with V6 the announced suit.
    """
    event = s.events[(np.int64(s.length) - 1 - age + rules.history) % rules.history]
    is_event = event.kind != EVENT_NONE
    is_hint = event.kind == EVENT_HINT_COLOR or event.kind == EVENT_HINT_RANK
    is_card = event.kind == EVENT_PLAY or event.kind == EVENT_DISCARD
    is_built = event.kind == EVENT_PLAY or event.kind == EVENT_CHOOSE
    won = np.uint64(event.scored) | (np.uint64(event.gave_token) << ONE)
    word, at = put(out, word, at, rules.players, bit(relative(rules, observer, event.player)) if is_event else ZERO)
    word, at = put(out, word, at, event_kinds(rules), bit(event.kind) >> ONE)
    word, at = put(out, word, at, rules.players, bit(relative(rules, observer, event.target)) if is_hint else ZERO)
    word, at = put(out, word, at, rules.colors, bit(event.value) if event.kind == EVENT_HINT_COLOR else ZERO)
    word, at = put(out, word, at, rules.ranks, bit(event.value) if event.kind == EVENT_HINT_RANK else ZERO)
    word, at = put(out, word, at, rules.hand_size, event.touched if is_hint else ZERO)
    word, at = put(out, word, at, rules.hand_size, bit(event.slot) if is_card else ZERO)
    word, at = put(out, word, at, card_bits(rules), bit(event.card) if is_card or is_built else ZERO)
    word, at = put(out, word, at, 2, won if is_built else ZERO)
    if rules.choreography:
        word, at = put(out, word, at, rules.suits, bit(event.announced) >> ONE if is_card else ZERO)
    return word, at


@rule
def relative(rules, observer, player):
    """Return how many seats to the left of the observer a player sits."""
    offset = np.int64(player) - observer
    return offset + rules.players if offset < 0 else offset


# --- Card knowledge: what the hints say about every card in every hand ------------------------------------------------


@rule
def knowledge_length(rules):
    """Return the number of bits of the section."""
    if rules.observation_type == OBSERVE_MINIMAL:
        return 0
    return rules.players * rules.hand_size * (card_bits(rules) + rules.colors + rules.ranks)


@rule
def write_knowledge(rules, s, observer, out, word, at):
    """Write plausible cards, then hinted colors and ranks, per player and slot. ``seer`` writes the true card."""
    for offset in range(rules.players):
        player = player_at(rules, observer, offset)
        for slot in range(rules.hand_size):
            known = np.uint64(s.plausible[player, slot])
            hinted = np.uint64(s.hinted[player, slot])
            if rules.observation_type == OBSERVE_SEER:
                card = np.int64(s.hands[player, slot])
                known = bit(card) & all_cards(rules)
                if slot < s.hand_count[player]:
                    hinted = bit(card // rules.ranks) & low_bits(rules.colors)
                    hinted |= bit(rules.colors + card % rules.ranks)
            length = card_bits(rules) + rules.colors + rules.ranks
            word, at = put(out, word, at, length, known | (hinted << np.uint64(card_bits(rules))))
    return word, at


# --- Tiles (V4): face-down tiles, pending tile, turns left in the last round ------------------------------------------


@rule
def tiles_length(rules):
    """Return the number of bits of the section."""
    return rules.flamboyants * (TILES + NO_TILE - 2 + rules.players)


@rule
def write_tiles(rules, s, out, word, at):
    """Write the face-down tiles (a) to (f), the pending one (c, d, e, f, choice of e: one-hot), and turns to play."""
    face_down = low_bits(TILES)
    for k in range(TILES):
        if k < TILES - s.tiles_left:
            face_down &= ~bit(s.bonus_tiles[k])
    word, at = put(out, word, at, TILES, face_down)
    word, at = put(out, word, at, NO_TILE - 2, (bit(s.pending) & low_bits(NO_TILE)) >> np.uint64(2))
    return put(out, word, at, rules.players, low_bits(max(s.turns_to_play, 0)))


# --- Belief (option): possible cards, from hints and from counting ----------------------------------------------------


@rule
def belief_length(rules):
    """Return the number of bits of the section."""
    return rules.belief * rules.players * rules.hand_size * card_bits(rules)


@rule
def write_belief(rules, s, observer, out, word, at):
    """Write the possible cards per player and slot: plausible cards whose copies have not all been seen elsewhere.

    All cards that the observer sees count for the observer's hand; only public cards count for the other hands.
    """
    mine = all_copies_in(rules, seen_sets(rules, s, observer))
    public = all_copies_in(rules, public_sets(rules, s))
    for offset in range(rules.players):
        player = player_at(rules, observer, offset)
        for slot in range(rules.hand_size):
            gone = mine if offset == 0 else public
            word, at = put(out, word, at, card_bits(rules), np.uint64(s.plausible[player, slot]) & ~gone)
    return word, at


# --- Derived (option): flags that a careful player would work out -----------------------------------------------------


@rule
def derived_length(rules):
    """Return the number of bits of the section."""
    flags = 2 * (rules.players - 1) * rules.hand_size + 2 * rules.players * rules.hand_size
    return rules.derived * (flags + 2 * card_bits(rules))


@rule
def write_derived(rules, s, observer, out, word, at):
    """Write two bits per card, then two sets of cards.

    Per card of the other hands: playable, dead. Per card of every hand: surely playable, surely dead, judged by its
    possible cards (see `write_belief`). Then the set of cards whose copies the observer has all seen, and the set of
    cards whose copies are all public.
    """
    playable = playable_set(rules, s)
    dead = dead_set(rules, s)
    mine = all_copies_in(rules, seen_sets(rules, s, observer))
    public = all_copies_in(rules, public_sets(rules, s))
    for offset in range(1, rules.players):
        player = player_at(rules, observer, offset)
        for slot in range(rules.hand_size):
            card = s.hands[player, slot]
            word, at = put(out, word, at, 2, has_bit(playable, card) | (has_bit(dead, card) << ONE))
    for offset in range(rules.players):
        player = player_at(rules, observer, offset)
        for slot in range(rules.hand_size):
            gone = mine if offset == 0 else public
            possible = np.uint64(s.plausible[player, slot]) & ~gone
            word, at = put(out, word, at, 2, is_within(possible, playable) | (is_within(possible, dead) << ONE))
    word, at = put(out, word, at, card_bits(rules), mine)
    return put(out, word, at, card_bits(rules), public)


@rule
def is_within(cards, others):
    """Return 1 if the set ``cards`` is a nonempty subset of ``others``, else 0."""
    return np.uint64(cards != ZERO and cards & ~others == ZERO)


# --- Lengths ----------------------------------------------------------------------------------------------------------

SECTIONS = (
    ("hands", hands_length),
    ("board", board_length),
    ("discards", discards_length),
    ("last_action", events_length),
    ("card_knowledge", knowledge_length),
    ("tiles", tiles_length),
    ("belief", belief_length),
    ("derived", derived_length),
)


def observation_bits(rules: Rules) -> int:
    """Return the number of bits of an observation."""
    return sum(length(rules) for _, length in SECTIONS)


def observation_words(rules: Rules) -> int:
    """Return the number of 64-bit words of an observation."""
    return words_for(observation_bits(rules))


def section_index(rules: Rules) -> list[tuple[str, int, int]]:
    """Return the name, first bit and length of every section that is not empty."""
    return index_of((name, length(rules)) for name, length in SECTIONS)
