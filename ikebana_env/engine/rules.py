"""Ikebana, in the order of its booklet. Rule numbers (I1, J1 ...) are those of the card, ``ikebana_env/README.md``.

The players are florists who compete for prestige (I2). In each of four rounds everybody adds one card a turn to a
bouquet, until all bouquets have five (I3). A turn is one of two things (I5): buy the top card of another player's
discard (I7), or draw a card and keep it, or refuse it at a growing price and draw again (I6). A complete bouquet earns
the points of its combinations of values (I10), times a multiplier for its colors (I11). Most prestige wins (I14).

Before this module come `ikebana_env.engine.state`, what is in the box and the record of a game, and
`ikebana_env.engine.cards`, the cards; `ikebana_env.engine.actions` numbers what a player may do.

Functions are plain Python; `hanabako.compiler.jit.rule` lets Numba inline them into the compiled loops. They allocate
nothing, raise nothing and use integers only, so the same source also runs on a GPU. Arguments keep one order and
spelling:

* ``rules``: a `ikebana_env.engine.state.Rules`, the numbers of this configuration;
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
    """Begin the episode ``s.episode`` of the table with ``s.game_key``: I2, and I4."""
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
    """I3, I13: all cards in the deck, no bouquets, no discards."""
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
    """I1: a deck of all cards, in an open order or as it was given for this round."""
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
    """The actions of the current player as bits of ``mask`` (one uint64 word). Nothing is legal after the end (J2)."""
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
    """I6: the next refusal costs one more than the last, and one may refuse only what one can pay."""
    return s.prestige[player] > s.refusals


@rule
def can_buy(rules, s, player, offset):
    """I7: the top card of somebody's discard, for its value."""
    card = top_of_discard(s, player_at(rules, player, offset))
    return card != NO_CARD and s.prestige[player] >= value_of(card)


@rule
def top_of_discard(s, player):
    """I8: the only card of a discard that is seen, or `NO_CARD`."""
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
    """The current player takes a legal action."""
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
    """I6: look at the next card of the deck. I9: an empty one is rebuilt first."""
    if s.deck_count == 0:
        reshuffle(rules, s)
    s.drawn = draw(s, shuffle_of(s.round_index, s.reshuffles))


@rule
def shuffle_of(number, reshuffles):
    """The counters of the random stream that a round's deck draws with: each deck rebuilt (I9) has its own."""
    return ((np.int64(number) << 8) + reshuffles) << 6


@rule
def keep_card(rules, s):
    """I6: the drawn card joins the bouquet."""
    card = s.drawn
    s.drawn = NO_CARD
    add_to_bouquet(rules, s, card)


@rule
def refuse_card(rules, s):
    """I6: the drawn card goes to one's own discard, and the next one is drawn.

    The k-th refusal of a turn costs k and is paid to the k-th player to the left, going round as often as needed.
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
    """Prestige goes from one player to another."""
    s.prestige[player] -= price
    s.prestige[payee] += price


@rule
def reshuffle(rules, s):
    """I9, J1: everybody keeps the top of the discard; all other discarded cards are the new deck."""
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
    """I3: the turn ends with a card more; the round, when all bouquets are complete."""
    player = np.int64(s.current_player)
    s.bouquets[player] = with_card(s.bouquets[player], card)
    s.refusals = 0
    s.current_player = player_at(rules, player, 1)
    if popcount(s.bouquets[s.current_player]) == BOUQUET_SIZE:
        end_round(rules, s)


# --- End of a round ---------------------------------------------------------------------------------------------------


@rule
def end_round(rules, s):
    """I10, I15: prestige for the bouquets. I13: the next round, begun by its best florist. I14: or the end."""
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
    """I13: who gained most in this round; of several, the first in turn order."""
    best = np.int64(s.starter)
    for offset in range(1, rules.players):
        player = player_at(rules, np.int64(s.starter), offset)
        if s.gains[s.round_index, player] > s.gains[s.round_index, best]:
            best = player
    return best


# --- What a bouquet earns ---------------------------------------------------------------------------------------------


@rule
def bouquet_gain(cards):
    """I10, I11: what a complete bouquet earns, before I15."""
    return combination_points(cards) * color_multiplier(cards)


@rule
def combination_points(cards):
    """I10: equal values count their sum, or a straight counts; a straight of four leaves no card for anything else."""
    points = 0
    values = 0  # the values there are, one bit each
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
    """I11: the best colors that the jokers allow: one x4, five x3, two x2."""
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
    """The game is over."""
    return s.end_reason != END_NOT_YET


@rule
def highest_prestige(rules, s):
    """The highest prestige of any player."""
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
