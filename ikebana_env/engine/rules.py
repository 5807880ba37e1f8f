"""The rules of Ikebana, in the order of its booklet. Rule numbers (I1, J1 ...) refer to ``ikebana_env/README.md``.

The players are florists who compete for prestige (I2). In each of four rounds every player adds one card per turn to a
bouquet, until all bouquets have five cards (I3). In a turn (I5), the player either buys the top card of another
player's discard (I7), or draws a card and keeps it, or refuses it at a growing price and draws again (I6). A complete
bouquet earns the points of its combinations of values (I10), times a multiplier for its colors (I11). The player with
the most prestige wins (I14).

This module builds on `ikebana_env.engine.state` (the cards in the box and the record of a game),
`ikebana_env.engine.cards` (cards and sets of cards) and `ikebana_env.engine.actions` (the numbers of the actions).

The functions are plain Python; `hanabako.compiler.jit.rule` lets Numba inline them into the compiled loops. They
allocate nothing, raise nothing and use only integers, so a GPU can have the same source. Arguments always have the
same names and order:

* ``rules``: a `ikebana_env.engine.state.Rules`, the configuration as numbers;
* ``s``: one record of `ikebana_env.engine.state.state_dtype`, changed in place;
* ``player``: 0 .. players - 1, ``offset``: seats to the left;
* ``card``: ``color * VALUES + value`` (both from 0; jokers are the sixth color), or ``NO_CARD``;
* ``cards``: a set of cards, see `ikebana_env.engine.cards.first_copy`; ``action``: see `ikebana_env.engine.actions`.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit, popcount
from hanabako.engine.deck import draw
from hanabako.engine.rng import episode_key, random_below
from ikebana_env.engine.actions import BUY, DRAW, KEEP, REFUSE
from ikebana_env.engine.cards import color_set, copies, value_of, value_set, with_card
from ikebana_env.engine.state import (
    BOUQUET_SIZE,
    COLORS,
    DECK_SIZE,
    END_COMPLETE,
    END_NOT_YET,
    JOKER,
    KINDS,
    NO_CARD,
    START_PLAYER_DRAW,
    START_PRESTIGE,
    VALUES,
)

# --- Setup ------------------------------------------------------------------------------------------------------------


@rule
def init(rules, s):
    """I2, I4: begin episode ``s.episode`` of the table with key ``s.game_key``."""
    s.key = episode_key(s.game_key, s.episode)
    for player in range(rules.players):
        s.prestige[player] = START_PRESTIGE
    s.length = 0
    s.end_reason = END_NOT_YET
    s.given_rounds = 0
    starter = 0
    if rules.random_start_player:
        starter = random_below(s.key, START_PLAYER_DRAW, rules.players)
    begin_round(rules, s, 0, starter)


@rule
def begin_round(rules, s, number, starter):
    """I3, I13: all cards are in the deck; there are no bouquets and no discards."""
    s.round_index = number
    s.starter = starter
    s.current_player = starter
    s.drawn = NO_CARD
    s.refusals = 0
    for player in range(rules.players):
        s.bouquets[player] = ZERO
        s.discard_count[player] = 0
    s.reshuffles = 0
    open_box(s)


@rule
def open_box(s):
    """I1: make a deck of all cards, unordered or as it was given for this round."""
    s.deck_count = DECK_SIZE
    if s.round_index < s.given_rounds:
        for place in range(DECK_SIZE):
            s.cards[place] = s.given_decks[s.round_index, place]
        return
    place = 0
    for card in range(KINDS):
        for _ in range(copies(card)):
            s.cards[place] = card
            place += 1


# --- What may I do? ---------------------------------------------------------------------------------------------------


@rule
def legal_action_mask(rules, s, mask):
    """Write the legal actions of the current player to ``mask`` (one uint64 word). None is legal after the end (J2)."""
    player = np.int64(s.current_player)
    actions = ZERO
    if is_terminal(s):
        actions = ZERO
    elif s.drawn != NO_CARD:
        actions = bit(KEEP)
        if can_refuse(s, player):
            actions |= bit(REFUSE)
    else:
        actions = bit(DRAW)
        for offset in range(1, rules.players):
            if can_buy(rules, s, player, offset):
                actions |= bit(BUY + offset)
    mask[0] = actions


@rule
def can_refuse(s, player):
    """I6: whether the player can pay a refusal, which costs one more than the one before."""
    return s.prestige[player] > s.refusals


@rule
def can_buy(rules, s, player, offset):
    """I7: whether the player can buy the top card of another player's discard for its value."""
    card = top_of_discard(s, player_at(rules, player, offset))
    return card != NO_CARD and s.prestige[player] >= value_of(card)


@rule
def top_of_discard(s, player):
    """I8: the only visible card of a discard, or `NO_CARD`."""
    count = np.int64(s.discard_count[player])
    return np.int64(s.discards[player, count - 1]) if count > 0 else NO_CARD


@rule
def player_at(rules, player, offset):
    """I3: the player ``offset`` seats to the left."""
    seat = player + offset
    return seat - rules.players if seat >= rules.players else seat


# --- A turn -----------------------------------------------------------------------------------------------------------


@rule
def step(rules, s, action):
    """Apply a legal action of the current player."""
    s.length += 1
    if action == DRAW:
        draw_card(rules, s)
    elif action == KEEP:
        keep_card(rules, s)
    elif action == REFUSE:
        refuse_card(rules, s)
    else:
        buy_card(rules, s, action - BUY)


@rule
def draw_card(rules, s):
    """I6: draw the next card of the deck. I9: an empty deck is rebuilt first."""
    if s.deck_count == 0:
        reshuffle(rules, s)
    s.drawn = draw(s, shuffle_of(s.round_index, s.reshuffles))


@rule
def shuffle_of(number, reshuffles):
    """Return the first random counter of a round's deck; every rebuilt deck (I9) has its own range of counters."""
    return ((np.int64(number) << 8) + reshuffles) << 6


@rule
def keep_card(rules, s):
    """I6: the drawn card joins the bouquet."""
    card = s.drawn
    s.drawn = NO_CARD
    add_to_bouquet(rules, s, card)


@rule
def refuse_card(rules, s):
    """I6: the drawn card goes to the player's own discard, and the next card is drawn.

    The k-th refusal of a turn costs k, paid to the k-th other player to the left, counted around the table.
    """
    player = np.int64(s.current_player)
    payee = player_at(rules, player, 1 + s.refusals % (rules.players - 1))
    s.refusals += 1
    pay(s, player, payee, s.refusals)
    s.discards[player, s.discard_count[player]] = s.drawn
    s.discard_count[player] += 1
    draw_card(rules, s)


@rule
def buy_card(rules, s, offset):
    """I7: the top card of another player's discard joins the bouquet for its value."""
    player = np.int64(s.current_player)
    seller = player_at(rules, player, offset)
    card = top_of_discard(s, seller)
    pay(s, player, seller, value_of(card))
    s.discard_count[seller] -= 1
    add_to_bouquet(rules, s, card)


@rule
def pay(s, player, payee, price):
    """Move prestige from one player to another."""
    s.prestige[player] -= price
    s.prestige[payee] += price


@rule
def reshuffle(rules, s):
    """I9, J1: every player keeps the top card of the discard; all other discarded cards are the new deck."""
    s.reshuffles += 1
    for player in range(rules.players):
        count = np.int64(s.discard_count[player])
        for k in range(count - 1):
            s.cards[s.deck_count] = s.discards[player, k]
            s.deck_count += 1
        if count > 1:
            s.discards[player, 0] = s.discards[player, count - 1]
            s.discard_count[player] = 1


@rule
def add_to_bouquet(rules, s, card):
    """I3: add a card, which ends the turn. The round ends when all bouquets are complete."""
    player = np.int64(s.current_player)
    s.bouquets[player] = with_card(s.bouquets[player], card)
    s.refusals = 0
    s.current_player = player_at(rules, player, 1)
    if popcount(s.bouquets[s.current_player]) == BOUQUET_SIZE:
        end_round(rules, s)


# --- End of a round ---------------------------------------------------------------------------------------------------


@rule
def end_round(rules, s):
    """I10, I15: pay for the bouquets. I13: the player who gained most starts the next round. I14: or the game ends."""
    for player in range(rules.players):
        gain = bouquet_gain(s.bouquets[player]) * gain_factor(rules, s.round_index)
        s.gains[s.round_index, player] = gain
        s.prestige[player] += gain
    if s.round_index == rules.rounds - 1:
        s.end_reason = END_COMPLETE
    else:
        begin_round(rules, s, s.round_index + 1, best_of_round(rules, s))


@rule
def gain_factor(rules, number):
    """I15: the gains of the last round are doubled."""
    return 2 if rules.final_bouquet and number == rules.rounds - 1 else 1


@rule
def best_of_round(rules, s):
    """I13: the player who gained most in this round; in a tie, the first one in turn order."""
    best = np.int64(s.starter)
    for offset in range(1, rules.players):
        player = player_at(rules, np.int64(s.starter), offset)
        if s.gains[s.round_index, player] > s.gains[s.round_index, best]:
            best = player
    return best


# --- What a bouquet earns ---------------------------------------------------------------------------------------------


@rule
def bouquet_gain(cards):
    """I10, I11: the points of a complete bouquet, before I15."""
    return combination_points(cards) * color_multiplier(cards)


@rule
def combination_points(cards):
    """I10: equal values count their sum, or a straight counts; with a straight of four no other card counts."""
    points = 0
    values = 0  # the values of the bouquet, one bit each
    for value in range(1, VALUES + 1):
        count = popcount(cards & value_set(value))
        values |= np.int64(count > 0) << value
        if count > 1:
            points += count * value
    if values & 0b011110 == 0b011110:
        points = max(points, 8)
    if values & 0b111100 == 0b111100:
        points = max(points, 12)
    if values == 0b111110:
        points = 15
    return points


@rule
def color_multiplier(cards):
    """I11: the best multiplier that the jokers allow: one color x4, five x3, two x2."""
    colors = 0
    for color in range(COLORS):
        colors += np.int64(cards & color_set(color) != ZERO)
    if colors <= 1:
        return 4
    if colors + popcount(cards & color_set(JOKER)) == COLORS:
        return 3
    return 2 if colors == 2 else 1


# --- End of the game --------------------------------------------------------------------------------------------------


@rule
def is_terminal(s):
    """Whether the game is over."""
    return s.end_reason != END_NOT_YET


@rule
def highest_prestige(rules, s):
    """Return the highest prestige of any player."""
    highest = np.int64(s.prestige[0])
    for player in range(1, rules.players):
        highest = max(highest, np.int64(s.prestige[player]))
    return highest


@rule
def winners(rules, s):
    """I14: the set of players with the most prestige, one bit each."""
    highest = highest_prestige(rules, s)
    best = ZERO
    for player in range(rules.players):
        if s.prestige[player] == highest:
            best |= bit(player)
    return best
