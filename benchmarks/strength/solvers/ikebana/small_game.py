"""A small game of Ikebana for two players, and all positions of a round.

Only the box is small: it has few colors, copies and jokers. All rules are those of the booklet: the turn (I5), refusals
and their price (I6), purchases (I7), rebuilt decks (I9, J1), bouquets of five and their gains (I10, I11). Discards are
open (``perfect_recall``, J3), so that only the order of the deck is hidden, from both players.

`turns_of` lists, turn by turn, all positions in which a turn can begin or a card can be drawn, and the positions that
follow if each card is kept or refused. Equivalent positions are merged: colors are interchangeable, and cards that lie
too deep in a discard to be bought, or to be on top of a rebuilt deck's discard, have no order. Prestige is not part of
a position: `benchmarks.strength.solvers.ikebana.exact` computes the probabilities for every division of it.
"""

from collections.abc import Callable
from functools import cache
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.bots.ikebana.odds import multiplier_of_colors, points_of_values
from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import ZERO
from hanabako.engine.rng import mix64
from ikebana_env.engine.state import BOUQUET_SIZE

__all__ = ["TURNS", "SmallGame", "Turn", "empty_position", "turns_of"]

TURNS = 2 * BOUQUET_SIZE
MOST_KINDS, MOST_CARDS = 6, 21
"""Limits by 64-bit words: one word has twice this many counts of three bits, another this many cards in discards."""
COUNT_BITS, CARD_BITS, HEIGHT_BITS = 3, 3, 5
SIZES = (1 << 14, 1 << 18, 1 << 22, 1 << 24)
"""Maximum numbers of positions per turn; arrays of these sizes are tried one after the other."""

POSITION = interned(
    np.dtype(
        [  # player 0 is to move
            ("bouquets", np.int64, (2, MOST_KINDS)),  # number of cards of each kind
            ("discards", np.int64, (2, MOST_CARDS)),  # kinds of the cards, bottom to top
            ("heights", np.int64, (2,)),
            ("deck", np.int64, (MOST_KINDS,)),  # derived from the others
        ]
    )
)


class SmallGame(NamedTuple):
    """The contents of the box. A kind of cards is a color and a value, or a joker and its value."""

    colors: int
    copies: tuple[int, ...]
    """Copies of each value, from 1 on, in every color."""
    jokers: tuple[int, ...] = ()
    """The values of the jokers."""

    @property
    def kinds(self) -> list[tuple[int, int]]:
        """The color of each kind, ``colors`` for jokers, and its value."""
        values = [value for value, copies in enumerate(self.copies, 1) if copies]
        colored = [(color, value) for color in range(self.colors) for value in values]
        return [*colored, *((self.colors, value) for value in self.jokers)]

    @property
    def box(self) -> NDArray[np.int64]:
        """The number of cards of each kind."""
        return np.array([1 if color == self.colors else self.copies[value - 1] for color, value in self.kinds])

    @property
    def prices(self) -> NDArray[np.int64]:
        """The price of each kind (I7)."""
        return np.array([value for _, value in self.kinds])

    @property
    def renamings(self) -> NDArray[np.int64]:
        """For every permutation of the colors, the kind that each kind becomes."""
        kinds = self.kinds
        renamed = [[*colors, self.colors] for colors in permutations(range(self.colors))]
        return np.array([[kinds.index((colors[color], value)) for color, value in kinds] for colors in renamed])

    def gain(self, bouquet: Any) -> int:
        """Return the gain (I10, I11) of a complete bouquet, given by its number of cards of each kind."""
        cards = [kind for kind, count in zip(self.kinds, bouquet, strict=False) for _ in range(count)]
        colors = {color for color, _ in cards if color < self.colors}
        jokers = sum(color == self.colors for color, _ in cards)
        return points_of_values(tuple(sorted(value for _, value in cards))) * multiplier_of_colors(len(colors), jokers)


class Turn(NamedTuple):
    """The positions of one turn; the first ``starts`` of them are the positions at its beginning."""

    starts: int
    keys: NDArray[np.uint64]
    """(n, 2): the keys of the positions, see `key_of`."""
    deck: NDArray[np.int8]
    """(n, kinds): the cards that may be drawn; an empty deck has been rebuilt (I9)."""
    kept: NDArray[np.int32]
    """(n, kinds): the next turn's position if the card is kept; after the last turn, a pair of bouquets."""
    refused: NDArray[np.int32]
    """(n, kinds): this turn's position for the next draw if the card is refused; -1 if no player can pay for it."""
    bought: NDArray[np.int32]
    """(n,): the next turn's position after a purchase, -1 if there is none."""
    prices: NDArray[np.int8]
    """(n,): the price of the purchase."""
    reached: NDArray[np.uint32]
    """(n,): the numbers of refusals after which a card may be drawn here, as a bit set."""


class Positions(NamedTuple):
    """A growing set of positions."""

    keys: np.ndarray
    """(n, 2): the keys, see `key_of`."""
    index: np.ndarray
    """A hash table of the positions' numbers from 1, 0 if free; its length is 2 n, a power of two."""
    count: np.ndarray
    """(1,): the number of positions."""


def empty_position() -> NDArray[Any]:
    """Return the record (1,) at the beginning of a round."""
    return np.zeros(1, POSITION)


def turns_of(game: SmallGame, most: int, start: NDArray[Any] | None = None) -> tuple[list[Turn], NDArray[np.int64]]:
    """Return the turns of a round from ``start`` (1,) on, by default from the beginning, and the possible ends.

    Args:
        game: the box, with at least 12 cards, so that there is always one to draw (I9).
        most: the most refusals in a turn.
        start: bouquets and discards at the beginning of a turn.

    Returns:
        The turns, and the gains of both bouquets (pairs, 2), first that of the player to move after the last turn.

    Raises:
        ValueError: the box is too small or has too many kinds of cards, or a turn has too many positions.
    """
    if not 2 * BOUQUET_SIZE + 2 <= game.box.sum() <= MOST_CARDS or len(game.box) > MOST_KINDS:
        raise ValueError(
            f"the box of a small game has {2 * BOUQUET_SIZE + 2} to {MOST_CARDS} cards of at most {MOST_KINDS} kinds, "
            f"got {game.box.sum()} of {len(game.box)}"
        )
    start = empty_position() if start is None else start
    sizes = start["bouquets"][0].sum(axis=1).tolist()
    for size in SIZES:
        here = empty_positions(size)
        add_start()(game.renamings, BOUQUET_SIZE - np.array(sizes), start, here)
        found = []
        for turn in range(sum(sizes), TURNS):
            later = empty_positions(size)
            found.append(written(game, turn, most, here, later))
            if max(here.count[0], later.count[0]) >= size:
                break
            here = later
        else:
            bouquets = [counts_of(keys, len(game.box)) for keys in here.keys[: here.count[0], 0]]
            return found, np.array([[game.gain(one) for one in pair] for pair in bouquets])
    raise ValueError(f"a turn of a small game must have fewer than {SIZES[-1]:,} positions")


def empty_positions(size: int) -> Positions:
    """Return an empty set for up to ``size`` positions, a power of two."""
    return Positions(np.zeros((size, 2), np.uint64), np.zeros(2 * size, np.int32), np.zeros(1, np.int64))


def counts_of(word: Any, kinds: int) -> NDArray[np.int64]:
    """Return both bouquets (2, kinds) from the first word of a key."""
    mask = (1 << COUNT_BITS) - 1
    counts = [int(word) >> COUNT_BITS * place & mask for place in range(2 * kinds)]
    return np.array(counts).reshape(2, kinds)


def written(game: SmallGame, turn: int, most: int, here: Positions, later: Positions) -> Turn:
    """Return one turn: ``here`` has its beginnings and gets its other positions, ``later`` gets the next beginnings."""
    starts, kinds, size = int(here.count[0]), len(game.box), len(here.keys)
    deck, kept, refused = (np.empty((size, kinds), dtype) for dtype in (np.int8, np.int32, np.int32))
    bought, prices, reached = np.empty(size, np.int32), np.zeros(size, np.int8), np.zeros(size, np.uint32)
    lacks = np.array([BOUQUET_SIZE - turn // 2, BOUQUET_SIZE - turn // 2 - turn % 2])
    out = deck, kept, refused, bought, prices
    states = np.zeros(2, POSITION)  # allocated here: a compiled loop would free them too early
    write_turn()((game.box, game.renamings, game.prices, lacks, most), here, later, states, out)
    if max(here.count[0], later.count[0]) < size:
        note_reached()(starts, most, refused, here.count, reached)
    parts: list[Any] = [part[: here.count[0]].copy() for part in (here.keys, *out, reached)]
    return Turn(starts, *parts)


# --- Compiled ---------------------------------------------------------------------------------------------------------


@rule
def key_of(renamings, lacks, s, round_ends, key):
    """Write a position as two words to ``key`` (2,), the smallest over all permutations of the colors.

    The first word has the counts of both bouquets and the heights of both discards, the second the discards from the
    top down. The other player may buy from player x's discard once per card that it still lacks, so one card more can
    become the top. Below that, cards are sorted.
    """
    kinds = renamings.shape[1]
    for way in range(renamings.shape[0]):
        first, second, shift = ZERO, ZERO, 0
        for x in range(2):
            for kind in range(kinds):
                first |= np.uint64(s.bouquets[x, kind]) << np.uint64(COUNT_BITS * (x * kinds + renamings[way, kind]))
            if round_ends:
                continue
            height = s.heights[x]
            first |= np.uint64(height) << np.uint64(2 * COUNT_BITS * kinds + HEIGHT_BITS * x)
            ordered = min(height, lacks[1 - x] + 1)
            for depth in range(ordered):
                second |= np.uint64(renamings[way, s.discards[x, height - 1 - depth]]) << np.uint64(shift)
                shift += CARD_BITS
            for kind in range(kinds):
                for place in range(height - ordered):
                    if renamings[way, s.discards[x, place]] == kind:
                        second |= np.uint64(kind) << np.uint64(shift)
                        shift += CARD_BITS
        if way == 0 or first < key[0] or (first == key[0] and second < key[1]):
            key[0] = first
            key[1] = second


@rule
def unpack_position(key, kinds, s):
    """Decode ``key`` into the record ``s``."""
    shift = 0
    for x in range(2):
        for kind in range(kinds):
            s.bouquets[x, kind] = np.int64(key[0] >> np.uint64(COUNT_BITS * (x * kinds + kind))) & 7
        s.heights[x] = np.int64(key[0] >> np.uint64(2 * COUNT_BITS * kinds + HEIGHT_BITS * x)) & 31
        for depth in range(s.heights[x]):
            s.discards[x, s.heights[x] - 1 - depth] = np.int64(key[1] >> np.uint64(shift)) & 7
            shift += CARD_BITS


@rule
def number_of(positions, key):
    """Return the number of a position, adding it to the set if it is new; -1 if there is no room."""
    mask = np.uint64(positions.index.shape[0] - 1)
    at = mix64(key[0] ^ mix64(key[1])) & mask
    while positions.index[at] != 0:
        found = np.int64(positions.index[at]) - 1
        if positions.keys[found, 0] == key[0] and positions.keys[found, 1] == key[1]:
            return found
        at = (at + np.uint64(1)) & mask
    new = positions.count[0]
    if new == positions.keys.shape[0]:
        return np.int64(-1)
    positions.keys[new, 0] = key[0]
    positions.keys[new, 1] = key[1]
    positions.count[0] += 1
    positions.index[at] = positions.count[0]
    return new


@rule
def open_deck(box, s):
    """Compute the cards left to draw; if there are none, rebuild the deck from all discards but the tops (I9, J1)."""
    left = 0
    for kind in range(box.shape[0]):
        s.deck[kind] = box[kind] - s.bouquets[0, kind] - s.bouquets[1, kind]
        left += s.deck[kind]
    for x in range(2):
        left -= s.heights[x]
        for place in range(s.heights[x]):
            s.deck[s.discards[x, place]] -= 1
    if left > 0:
        return
    for x in range(2):
        if s.heights[x] > 1:
            for place in range(s.heights[x] - 1):
                s.deck[s.discards[x, place]] += 1
            s.discards[x, 0] = s.discards[x, s.heights[x] - 1]
            s.heights[x] = 1


@rule
def pass_on(s, card, after):
    """I3: write to ``after`` the position with the card in the mover's bouquet and the other player to move."""
    for x in range(2):
        for kind in range(MOST_KINDS):
            after.bouquets[1 - x, kind] = s.bouquets[x, kind]
        after.heights[1 - x] = s.heights[x]
        for place in range(s.heights[x]):
            after.discards[1 - x, place] = s.discards[x, place]
    after.bouquets[1, card] += 1


@cache
def add_start() -> Callable[..., None]:
    """Return the loop ``(renamings, lacks, start (1,), positions)`` that adds the first position."""
    digest = digest_of(key_of, number_of, add_start)

    @kernel
    def add(renamings, lacks, start, positions):
        key = np.zeros(2, np.uint64)
        key_of(keyed(renamings, digest), lacks, start[0], False, key)
        number_of(positions, key)

    return add


@cache
def write_turn() -> Callable[..., None]:
    """Return the loop ``((box, renamings, prices, lacks, most), here, later, states (2,), out)`` of `written`."""
    digest = digest_of(key_of, unpack_position, number_of, open_deck, pass_on, write_turn)

    @kernel
    def write(about, here, later, states, out):
        box, renamings, prices, lacks, most = keyed(about, digest)
        deck, kept, refused, bought, costs = out
        key, kinds, starts = np.zeros(2, np.uint64), box.shape[0], here.count[0]
        s, after = states[0], states[1]
        then = np.array([lacks[1], lacks[0] - 1])
        ends = lacks[0] == 1 and lacks[1] == 0
        times = np.zeros(here.keys.shape[0], np.int8)  # fewest refusals before a draw there
        i = 0
        while i < here.count[0] and later.count[0] < later.keys.shape[0]:
            unpack_position(here.keys[i], kinds, s)
            bought[i] = -1
            if i < starts and s.heights[1] > 0:  # I7
                card = s.discards[1, s.heights[1] - 1]
                s.heights[1] -= 1
                pass_on(s, card, after)
                key_of(renamings, then, after, ends, key)
                bought[i] = number_of(later, key)
                costs[i] = prices[card]
                s.heights[1] += 1
            open_deck(box, s)
            for card in range(kinds):
                deck[i, card] = s.deck[card]
                kept[i, card] = refused[i, card] = -1
                if s.deck[card] == 0:
                    continue
                pass_on(s, card, after)
                key_of(renamings, then, after, ends, key)
                kept[i, card] = number_of(later, key)
                if times[i] < most:  # I6
                    s.discards[0, s.heights[0]] = card
                    s.heights[0] += 1
                    key_of(renamings, lacks, s, False, key)
                    before = here.count[0]
                    refused[i, card] = number_of(here, key)
                    s.heights[0] -= 1
                    if here.count[0] > before:
                        times[before] = times[i] + 1
            i += 1

    return write


@cache
def note_reached() -> Callable[..., None]:
    """Return the loop ``(starts, most, refused, count (1,), reached)``; see `Turn.reached`."""

    @kernel
    def note(starts, most, refused, count, reached):
        for i in range(starts):
            reached[i] = 1
        for refusals in range(most):
            for i in range(count[0]):
                if reached[i] >> np.uint32(refusals) & np.uint32(1):
                    for card in range(refused.shape[1]):
                        if refused[i, card] >= 0:
                            reached[refused[i, card]] |= np.uint32(1) << np.uint32(refusals + 1)

    return note
