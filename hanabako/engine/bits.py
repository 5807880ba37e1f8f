"""Bit tricks on unsigned 64-bit words, the same in Python, in compiled loops and on a GPU.

Every literal is wrapped in ``np.uint64``: Numba turns ``uint64 + int`` into a signed number (and NumPy may make it a
float), after which shifts would drag the sign along.
"""

import numpy as np

from hanabako.compiler.jit import rule

ZERO = np.uint64(0)
ONE = np.uint64(1)


@rule
def bit(index):
    """A word with only bit ``index`` (0 to 63) set."""
    return ONE << np.uint64(index)


@rule
def low_bits(count):
    """A word with its ``count`` lowest bits set (0 to 63): also the thermometer of a count."""
    return (ONE << np.uint64(count)) - ONE


@rule
def has_bit(word, index):
    """1 where bit ``index`` of ``word`` is set, else 0."""
    return (np.uint64(word) >> np.uint64(index)) & ONE


@rule
def popcount(word):
    """How many bits of ``word`` are set (LLVM turns these lines into one instruction)."""
    x = np.uint64(word)
    x = x - ((x >> ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@rule
def nth_set_bit(word, n):
    """Position of the ``n``-th (0-based) set bit of ``word``; ``n`` must be below its popcount.

    A binary search over halves without a branch: which bit is wanted is random, so a loop would be mispredicted.
    """
    rest = np.uint64(word)
    place = np.int64(0)
    wanted = np.int64(n)
    for level in range(6):
        half = 32 >> level
        below = popcount(rest & low_bits(half))
        go_up = np.int64(wanted >= below)
        wanted -= below * go_up
        place += half * go_up
        rest = rest >> np.uint64(half * go_up)
    return place


@rule
def put(out, word, at, length, value):
    """Append the ``length`` (0 to 63) low bits of ``value`` to a bit string that is being written to ``out``.

    ``word`` holds the bits behind the last full word, ``at`` is the number of bits so far; both are returned.
    ``put(out, ZERO, 0, ...)`` begins a string, `end_string` ends it. ``value`` must have no bit above ``length``, and a
    string that ends with a full word must not be continued by an empty value. The unfilled word is stored every time: a
    store that may be needless is far cheaper than a branch that may be mispredicted (12 against 270 ns for sixteen
    cards of 25 bits).
    """
    shift = np.uint64(at & 63)
    value = np.uint64(value)
    word |= value << shift
    out[at >> 6] = word
    if (at & 63) + length >= 64:
        word = (value >> ONE) >> (np.uint64(63) - shift)
    return word, at + length


@rule
def end_string(out, word, at):
    """Store the bits behind the last full word: a last `put` that ran over a word's end has left them in ``word``."""
    if at & 63:
        out[at >> 6] = word


@rule
def unpack_row(words, count, out):
    """Spread the first ``count`` bits of ``words`` over ``out``, one number (0 or 1) per bit, lowest bit first.

    It works on the bytes of the words, because eight shifts of one byte vectorise best (30 against 75 ns for 658 bits).
    """
    octets = words.view(np.uint8)
    full = count >> 3
    for j in range(full):
        octet = octets[j]
        for k in range(8):
            out[8 * j + k] = (octet >> k) & 1
    for k in range(count - 8 * full):
        out[8 * full + k] = (octets[full] >> k) & 1


@rule
def copy_row(source, target):
    """Copy one row to another of the same length (a slice assignment takes Numba seconds: it compiles its messages)."""
    for k in range(target.shape[0]):
        target[k] = source[k]


@rule
def clear_row(row):
    """Set a row to zero."""
    for k in range(row.shape[0]):
        row[k] = 0
