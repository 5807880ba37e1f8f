"""``smart``: play clues, warnings, and silence as information; the conventions of SmartBot (O'Dwyer).

Every seat keeps, for each card of each hand, the set of cards that it may be *by common knowledge*. The following
conventions narrow these sets in the same way at all seats:

1. A color hint says that the newest touched card that may be playable is playable, unless the hint's literal meaning
   already shows that some card is playable.
2. A rank hint says the same. But if it touches the card that the next player would discard next, and that card could be
   the last of its kind, it is a *warning*: the card is the last of its kind and must not be discarded.
3. A player who could warn the next player and does not thereby says that the card to be discarded next is not the last
   of its kind.
4. *Discard finesse*: discarding a card that is commonly known to be playable says that exactly one other hand has the
   same card as its newest card.
5. If all tokens are available and there is nothing to say, a hint about the rank of the oldest card of the player to
   the right has its literal meaning only.

The preferences of the player to move, in order: with an empty deck, play a certainly playable card, or else gamble;
warn the next player (or give that player a play clue, if there is one, who will then play instead of discarding); make
a discard finesse; play a certainly playable card, first those that the others do not know to be playable, then the
lowest; give the play clue that rules out most; gamble near the end of the deck; discard a certainly dead card, then the
next discard, then the highest card.

No hint is given that would be false under 1 or 2. The published bot is SmartBot (Quuxplusone/Hanabi). ``smart_safe`` is
the same without gambles (SmartBot's switch ``UseMulligans``): it is better if a lost game counts as zero, except with
two players. SmartBot's scores in Bard et al. 2020 are those of the gambling bot for two players, and of the other for
three to five. In the variants: a suit runs in its own order (V3); a hint touches what the variant says, and means what
it touches; free hints (V4) are read like others; with ``final_bouquet`` (V5), where the game goes on after the deck is
empty, the bot does not gamble; a card to play is announced if its suit is known (V6).
"""

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, nth_set_bit, popcount
from hanabi_env.engine.cards import player_at, rank_of

from ..bot import Bot
from .knowledge import (
    any_action,
    any_hint,
    card_at,
    choose_for_tile,
    count_unseen,
    is_allowed,
    is_choice_pending,
    known_suit,
    nth_hint,
    play_action,
    rank_hint,
    used_up,
)
from .smart_reading import begin, could_be_warning, is_maybe, is_sure, memory_dtype, newest_card, next_discard, observe

UNKNOWN_PLACE = -1  # the place of a card whose possible cards have different places: if playable, it goes first
GAMBLE_DECK_FULL_LIVES = 3  # with all lives, gamble when at most this many cards are left in the deck
GAMBLE_DECK = 1  # the same with fewer lives
GAMBLES, NEVER_GAMBLES = 0, 1  # styles


@rule
def act(rules, memory, view, mask, key):  # noqa: ARG001 - the protocol of bots
    """Return the action of the player to move: the first preference that is possible."""
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    gone = seen_everywhere(rules, memory, view)
    for preference in range(0 if view.deck_count == 0 else 2, 9):
        action = preferred(rules, memory, view, gone, preference, mask)
        if action >= 0 and is_allowed(mask, action):
            return action
    hint = any_hint(rules, mask)
    return hint if hint >= 0 else any_action(rules, mask)


@rule
def preferred(rules, memory, view, gone, preference, mask):
    """Return the action of a preference, or -1; 0 and 1 are those with an empty deck."""
    if preference in (0, 4):
        return play_sure(rules, memory, gone)
    if preference in (1, 6):
        return gamble(rules, memory, view, gone)
    if preference == 2:
        return warn(rules, memory, view, mask)
    if preference == 3:
        return discard_finesse(rules, memory, view)
    if preference == 5:
        return play_clue(rules, memory, view, mask)
    if preference == 7:
        return filler_hint(rules, view)
    return discard(rules, memory, gone)


@rule
def seen_everywhere(rules, memory, view):
    """Return the cards that this seat's unknown cards cannot be: it sees all copies, or knows them in its own hand."""
    count_unseen(rules, view, memory.player, memory.counts)
    for slot in range(memory.hand_count[memory.player]):
        if popcount(memory.possible[memory.player, slot]) == 1:
            memory.counts[nth_set_bit(memory.possible[memory.player, slot], 0)] -= 1
    return used_up(rules, memory.counts)


@rule
def own_card(memory, slot, gone):
    """Return the set of cards that a card in this seat's own hand may be, given everything that the seat sees."""
    possible = memory.possible[memory.player, slot]
    if popcount(possible) == 1 or possible & ~gone == ZERO:
        return possible
    return possible & ~gone


@rule
def place_of_set(rules, possible):
    """Return the place on their fireworks that all ``possible`` cards share, or `UNKNOWN_PLACE`."""
    for place in range(rules.ranks):
        cards = ZERO
        for suit in range(rules.suits):
            cards |= bit(card_at(rules, suit, place))
        if is_sure(possible, cards):
            return place
    return UNKNOWN_PLACE


@subroutine
def play_sure(rules, memory, gone):
    """Play a certainly playable card: preferably one that the others do not know to be, then the lowest."""
    best, best_value = -1, 0
    for slot in range(memory.hand_count[memory.player]):
        possible = own_card(memory, slot, gone)
        if is_sure(possible, memory.playable):
            value = rules.ranks + 1 - place_of_set(rules, possible)
            if not is_sure(memory.possible[memory.player, slot], memory.playable):
                value += 100
            if value > best_value:
                best, best_value = slot, value
    return play_action(rules, best, known_suit(rules, own_card(memory, best, gone))) if best >= 0 else -1


@subroutine
def gamble(rules, memory, view, gone):
    """With few cards in the deck, play the card that is most likely to be playable, the newest of equals."""
    limit = GAMBLE_DECK_FULL_LIVES if view.life_tokens >= 3 else GAMBLE_DECK
    if memory.style == NEVER_GAMBLES or rules.final_bouquet or view.deck_count > limit:
        return -1
    best, best_hits, best_all = -1, 0, 1
    for k in range(memory.hand_count[memory.player]):
        slot = memory.hand_count[memory.player] - 1 - k
        possible = own_card(memory, slot, gone)
        hits, total = popcount(possible & memory.playable), popcount(possible)
        if hits * best_all > best_hits * total:
            best, best_hits, best_all = slot, hits, total
    return play_action(rules, best, known_suit(rules, own_card(memory, best, gone))) if best >= 0 else -1


@rule
def warn(rules, memory, view, mask):
    """Prevent the next player from discarding the last copy of a card, by a play clue or a warning (2)."""
    target = player_at(rules, view.current_player, 1)
    slot = next_discard(memory, target)
    if slot < 0:
        return -1
    card = view.hands[target, slot]
    if has_bit(memory.critical, card) == ZERO:
        return -1
    value, action = best_clue(rules, memory, view, 1, mask)
    return action if value > 0 else rank_hint(rules, 1, rank_of(rules, card))


@rule
def discard_finesse(rules, memory, view):
    """Discard a commonly known playable card that is the newest card of exactly one other player (4)."""
    for slot in range(memory.hand_count[memory.player]):
        possible = memory.possible[memory.player, slot]
        if popcount(possible) == 1 and is_sure(possible, memory.playable & ~memory.critical):
            holders = 0
            for offset in range(1, rules.players):
                if newest_card(memory, view, player_at(rules, view.current_player, offset)) == nth_set_bit(possible, 0):
                    holders += 1
            if holders == 1:
                return slot
    return -1


@rule
def play_clue(rules, memory, view, mask):
    """Return the play clue that rules out most (1), or -1."""
    best, best_value = -1, 0
    for offset in range(1, rules.players):
        value, action = best_clue(rules, memory, view, offset, mask)
        if value > best_value:
            best, best_value = action, value
    return best


@subroutine
def best_clue(rules, memory, view, offset, mask):
    """Return the play clue for one player that rules out most: the number of cards, and the action; or -1, -1."""
    target = player_at(rules, view.current_player, offset)
    slot = next_discard(memory, target) if offset == 1 else -1
    best, best_value = -1, -1
    for k in range(rules.colors + rules.ranks):
        action, meant = nth_hint(rules, offset, k)
        if not is_allowed(mask, action):
            continue
        touches_discard = k >= rules.colors and slot >= 0 and has_bit(meant, view.hands[target, slot]) != ZERO
        if touches_discard and could_be_warning(memory, target, slot, meant):
            continue
        value = value_of_clue(memory, view, target, meant)
        if value > best_value:
            best, best_value = action, value
    return best_value, best


@rule
def value_of_clue(memory, view, target, meant):
    """Return how many possible cards a hint rules out; -1 if it is no play clue, or false."""
    shown, clue, ruled_out = False, -1, 0
    for k in range(memory.hand_count[target]):
        slot = memory.hand_count[target] - 1 - k
        is_touched = has_bit(meant, view.hands[target, slot]) != ZERO
        before = memory.possible[target, slot]
        after = before & (meant if is_touched else ~meant)
        ruled_out += popcount(before) - popcount(after)
        if is_maybe(before, memory.playable):
            if is_sure(after, memory.playable):
                shown = True
            elif is_touched and clue < 0 and is_maybe(after, memory.playable):
                clue = slot
    is_true = clue >= 0 and has_bit(memory.playable, view.hands[target, clue]) != ZERO
    return ruled_out if shown or is_true else -1


@rule
def filler_hint(rules, view):
    """If all tokens are available, return the hint about the rank of the oldest card to the right (5); else -1."""
    right = rules.players - 1
    player = player_at(rules, view.current_player, right)
    if view.information_tokens < rules.max_information_tokens or view.hand_count[player] == 0:
        return -1
    return rank_hint(rules, right, rank_of(rules, view.hands[player, 0]))


@rule
def discard(rules, memory, gone):
    """Discard a certainly dead card, preferably one not commonly known to be dead; the next discard; the highest."""
    best, best_dead, best_all = -1, 2, 1
    for slot in range(memory.hand_count[memory.player]):
        if is_sure(own_card(memory, slot, gone), ~memory.needed):
            possible = memory.possible[memory.player, slot]
            dead, total = popcount(possible & ~memory.needed), popcount(possible)
            if dead * best_all < best_dead * total:
                best, best_dead, best_all = slot, dead, total
    if best < 0:
        best = next_discard(memory, memory.player)
    if best < 0:
        last_place = UNKNOWN_PLACE - 1
        for slot in range(memory.hand_count[memory.player]):
            place = place_of_set(rules, memory.possible[memory.player, slot])
            if place > last_place:  # the card that comes last on its firework, the oldest of equals
                best, last_place = slot, place
    return best


SMART, SMART_SAFE = (
    Bot(name=name, memory_dtype=memory_dtype, begin=begin, observe=observe, act=act, style=style)
    for name, style in (("smart", GAMBLES), ("smart_safe", NEVER_GAMBLES))
)
