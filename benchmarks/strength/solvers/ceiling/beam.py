"""A beam search for a line of play that reaches a target: it keeps the best positions of each turn.

The moves left out in `benchmarks.strength.solvers.ceiling.positions` lose no solution, except where noted there. So if
the beam runs out of positions without ever being full, there is no line; this is the argument ``searched``.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import popcount
from hanabi_env.engine.state import TILE_TAKE_BACK, Rules

from .cards import playable_cards, turns_after
from .decks import MOST_STEPS
from .orders import MOST_DECK, deck_size, is_turned, tiles_ahead
from .positions import NODE, begin, choices, held_cards, is_possible, rescues, take_turn

__all__ = ["DRY", "FULL", "STYLES", "Beam"]

DRY = -1  # all positions were searched, and none reaches the target
FULL = -2  # positions were left out

WORST = 4096  # values are from 0 to WORST - 1

STYLES = np.array(
    [
        [20, 10, 5, 4, 3, 10, 10, 3, 0],
        [37, 33, 1, 13, 8, 18, 12, 2, 1],
        [23, 4, 4, 3, 4, 11, 13, 1, 1],
        [11, 21, 5, 19, 3, 6, 7, 1, 3],
        [13, 8, 21, 3, 3, 3, 37, 6, 2],
        [22, 5, 32, 2, 2, 4, 7, 2, -1],
        [84, 28, 6, 1, 2, 16, 3, 4, 1],
        [8, 16, 4, 2, 4, 6, 30, 3, 1],
        [90, 16, 3, 0, 3, 10, 3, 1, 2],
        [74, 44, 11, 2, 9, 30, 19, 3, 4],
        [76, 20, 8, 0, 2, 19, 2, 4, 0],
    ],
    np.int64,
)
"""Weights of the values of positions, see `worth`. The first row was guessed. The others are random ones that solved
decks which those before them had not: of the standard game, and the last three of ``grands_feux_all`` for two."""


@rule
def least_slack(rules, orders, target, node, needed, late):
    """Return the number of spare turns at the tightest point of the deck; if negative, the target is out of reach.

    A card can be played when it and all cards before it on its firework are drawn. ``late[at]`` counts the needed cards
    for which this holds only from index ``at`` of the deck on; each takes one of `turns_after`. With V4, tile (f) plays
    a card without a turn, and so does (e) at best. Before (e) has shuffled the deck, it adds a turn, and no index is
    certain.
    """
    size = deck_size(rules, np.int64(node.order))
    drawn, first = np.int64(node.drawn), np.int64(node.tiles)
    takes_back = is_turned(rules, orders, target, first, TILE_TAKE_BACK)
    spared = tiles_ahead(rules, orders, target, first)
    least = spared + (rules.players if node.turns < 0 else np.int64(node.turns)) + size - drawn - popcount(needed)
    if takes_back:
        return least
    held = held_cards(rules, node)
    whole = (np.int64(1) << rules.ranks) - 1
    for at in range(drawn, size):
        late[at] = 0
    for suit in range(rules.suits):
        missing = (needed >> (suit * rules.ranks)) & whole
        unheld = missing & ~(held >> (suit * rules.ranks))
        at = drawn - 1
        while unheld:
            place = popcount((unheld & -unheld) - 1)
            unheld &= unheld - 1
            comes = np.int64(orders.next[node.order, drawn, suit * rules.ranks + place])
            if comes > at:  # this card and all after it wait until then
                waiting = popcount(missing >> place)
                late[at] -= waiting if at >= drawn else 0
                late[comes] += waiting
                at = comes
    count = 0
    for k in range(size - drawn):
        count += late[size - 1 - k]
        least = min(least, turns_after(rules, k) + spared - count)
    return least


@rule
def worth(rules, orders, target, node, player, style, late):
    """Return the value of a position with ``player`` to move, or -1 if the target is out of reach.

    ``style`` has weights for: spare turns, tokens, spare turns at the tightest point; needed cards that must be kept,
    and others; players whose hands are full of cards to keep, or of cards that exist nowhere else; playable cards, in
    all and with copies.
    """
    needed = target & ~node.played
    remaining = orders.rest[node.order, node.drawn]
    held = held_cards(rules, node)
    lost = needed & ~(held | remaining)
    if node.lives == 0 or node.turns == 0 or (lost and popcount(lost) > rescues(rules, orders, target, node)):
        return -1
    spare = least = np.int64(6)
    if rules.final_bouquet:
        if node.sizes[player] == 0 and node.tokens == 0:
            return -1
    else:
        least = least_slack(rules, orders, target, node, needed, late)
        if least < 0:
            return -1
        left = deck_size(rules, np.int64(node.order)) - np.int64(node.drawn)
        turns = left + rules.players if node.turns < 0 else np.int64(node.turns)
        spare = turns - popcount(needed)
    playable = playable_cards(rules, needed)
    once = twice = np.int64(0)
    for other in range(rules.players):
        twice |= once & node.hands[other]
        once |= node.hands[other]
    single = needed & ~twice & ~remaining
    value = 1500 + style[0] * spare + style[1] * np.int64(node.tokens) + style[2] * min(least, 6)
    for other in range(rules.players):
        waiting = node.hands[other] & ~playable
        kept = popcount(waiting & single)
        value -= style[3] * kept + style[4] * popcount(waiting & ~single & ~twice)
        if node.hands[other] & playable == 0:
            value -= style[5] if popcount(waiting & ~twice) >= rules.hand_size else 0
            value -= style[6] if kept >= rules.hand_size else 0
        value += style[8] * popcount(node.hands[other] & playable)
    value += style[7] * popcount(held & playable)
    return min(max(value, 0), WORST - 1)


@rule
def fingerprint(rules, node):
    """Return a 64-bit hash of a position. Any two of a million positions agree with probability below 1e-7."""
    key = np.uint64(node.played) * np.uint64(0x9E3779B97F4A7C15)
    facts = ((np.int64(node.drawn) * 64 + node.tokens) * 64 + node.lives) * 16 + node.turns + 1
    key = (key ^ (key >> np.uint64(29)) ^ np.uint64(facts)) * np.uint64(0xBF58476D1CE4E5B9)
    for player in range(rules.players):
        key = (key ^ (key >> np.uint64(31))) + np.uint64(node.hands[player] * 16 + node.sizes[player])
        key *= np.uint64(0x94D049BB133111EB)
    if rules.flamboyants:
        facts = np.int64(node.order) * 8 + node.tiles + (node.discards << 16)
        key = (key ^ (key >> np.uint64(30))) + np.uint64(facts)
        key *= np.uint64(0xBF58476D1CE4E5B9)
    return (key ^ (key >> np.uint64(32))) | np.uint64(1)


@rule
def is_new(seen, key, turn):
    """Whether the position is new in this turn; if so, add it. ``seen`` (2^n, 2) holds keys and turns."""
    size = len(seen)
    at = np.int64(key >> np.uint64(20)) & (size - 1)
    while seen[at, 1] == np.uint64(turn + 1):
        if seen[at, 0] == key:
            return False
        at = (at + 1) & (size - 1)
    seen[at, 0] = key
    seen[at, 1] = np.uint64(turn + 1)
    return True


@rule
def threshold(found, count, width, histogram):
    """Return the value above which all positions are kept, and how many positions of exactly this value are kept."""
    if count <= width:
        return -1, 0
    histogram[:] = 0
    for k in range(count):
        histogram[found[k, 2]] += 1
    value, total = WORST - 1, 0
    while total + histogram[value] <= width:
        total += histogram[value]
        value -= 1
    return value, width - total


@rule
def expand(rules, orders, target, style, nodes, first, count, player, turn, found, seen, late):
    """Write all positions after one more turn to ``found`` (index, move, value), and return their number.

    If a position reaches the target, return minus its index in ``found``, minus 1.
    """
    moves = 2 * rules.suits * rules.ranks + 2
    scratch = len(nodes) - 1
    following = (player + 1) % rules.players
    total = tried = 0
    for k in range(count):
        playable = playable_cards(rules, target & ~nodes[first + k].played)
        for move in range(moves):
            if not is_possible(rules, orders, target, nodes[first + k], player, playable, move):
                continue
            for choice in range(choices(rules, orders, move, nodes[first + k])):
                nodes[scratch] = nodes[first + k]
                if not take_turn(rules, orders, target, nodes[scratch], player, move, choice):
                    continue
                found[total, 0] = k
                found[total, 1] = move + choice * moves
                if nodes[scratch].played & target == target:
                    return -total - 1
                if tried < len(found) - 1 and is_new(seen, fingerprint(rules, nodes[scratch]), turn):
                    tried += 1
                    found[total, 2] = worth(rules, orders, target, nodes[scratch], following, style, late)
                    total += found[total, 2] >= 0
    return total


@rule
def trace(trail, found, last, turn, moves):
    """Write the moves that lead to position ``last`` of a turn to ``moves``, the first move first."""
    moves[turn] = found[last, 1]
    at = found[last, 0]
    for k in range(turn):
        moves[turn - 1 - k] = trail[turn - 1 - k, at, 1]
        at = trail[turn - 1 - k, at, 0]


@cache
def beam_loop() -> Callable[..., int]:
    """Return the loop of `Beam.search`."""
    digest = digest_of(begin, expand, threshold, trace, beam_loop)

    @kernel
    def beam(rules, box, target, style, nodes, trail, found, seen, late, histogram, moves):
        width = (len(nodes) - keyed(1, digest)) // 2
        orders, steps = box[0], 2 * rules.suits * rules.ranks + 2
        seen[:] = 0
        begin(rules, orders, target, nodes[0])
        if worth(rules, orders, target, nodes[0], 0, style, late) < 0:
            return DRY
        first, count, was_full = 0, 1, False
        for turn in range(len(trail)):
            player = turn % rules.players
            total = expand(rules, orders, target, style, nodes, first, count, player, turn, found, seen, late)
            if total < 0:
                trace(trail, found, -total - 1, turn, moves)
                return turn + 1
            if total == 0:
                return FULL if was_full else DRY
            least, room = threshold(found, total, width, histogram)
            was_full |= total > width
            second, count = width - first, 0
            for k in range(total):
                value = found[k, 2]
                if value > least or (value == least and room > 0):
                    room -= value == least
                    nodes[second + count] = nodes[first + found[k, 0]]
                    move, choice = found[k, 1] % steps, found[k, 1] // steps
                    take_turn(rules, orders, target, nodes[second + count], player, move, choice)
                    trail[turn, count, 0] = found[k, 0]
                    trail[turn, count, 1] = found[k, 1]
                    count += 1
            first = second
        return FULL

    return beam


class Beam:
    """A beam search of some width, with work arrays that are reused for all decks.

    Args:
        rules: the game's rules.
        width: the number of positions kept per turn.
    """

    def __init__(self, rules: Rules, width: int) -> None:
        most = 2 * width * (rules.hand_size + 1) * (1 + rules.flamboyants)  # some tiles allow choices
        self.rules = rules
        self.moves = np.zeros(MOST_STEPS, np.int64)
        self.room: tuple[Any, ...] = (
            np.zeros(2 * width + 1, interned(NODE)),
            np.zeros((MOST_STEPS, width, 2), np.int32),
            np.zeros((most + 1, 3), np.int64),
            np.zeros((1 << (2 * most).bit_length(), 2), np.uint64),
            np.zeros(MOST_DECK + 1, np.int64),
            np.zeros(WORST, np.int64),
            self.moves,
        )

    def search(self, orders: np.ndarray, target: int, style: np.ndarray) -> int:
        """Look for a line of play.

        Returns:
            The number of moves of the line, the first ones in ``moves``; or `DRY` or `FULL` if none was found.
        """
        return beam_loop()(self.rules, orders, np.int64(target), style, *self.room)
