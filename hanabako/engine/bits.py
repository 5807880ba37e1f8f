"""Operations on unsigned 64-bit words, the same in Python, in compiled loops and on a GPU.

Every literal is wrapped in ``np.uint64``. Otherwise Numba would turn ``uint64 + int`` into a signed number (and NumPy
perhaps into a float), and shifts would extend the sign.
"""

import numpy as np

from hanabako.compiler.jit import rule

ZERO = np.uint64(0)
ONE = np.uint64(1)


@rule
def bit(index):
    """Return a word with only bit ``index`` (0 to 63) set."""
    return ONE << np.uint64(index)


@rule
def low_bits(count):
    """Return a word with its ``count`` lowest bits set (0 to 63). This is also the thermometer code of ``count``."""
    return (ONE << np.uint64(count)) - ONE


@rule
def has_bit(word, index):
    """Return 1 if bit ``index`` of ``word`` is set, else 0."""
    return (np.uint64(word) >> np.uint64(index)) & ONE


@rule
def popcount(word):
    """Return how many bits of ``word`` are set (LLVM turns these lines into one instruction)."""
    x = np.uint64(word)
    x = x - ((x >> ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@rule
def popcount_row(words):
    """Return how many bits of all ``words`` are set."""
    count = 0
    for w in range(words.shape[0]):
        count += popcount(words[w])
    return count


@rule
def nth_set_bit(word, n):
    """Return the index of the ``n``-th (0-based) set bit of ``word``; ``n`` must be below its popcount.

    This is a binary search over halves without branches. As ``n`` is random, the CPU would mispredict branches.
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

    ``word`` holds the bits after the last full word, and ``at`` is the number of bits so far. Both are returned.
    ``put(out, ZERO, 0, ...)`` begins a string, and `end_string` ends it. ``value`` must have no bit above ``length``,
    and no empty value may follow a string that ends with a full word. The unfilled word is stored every time, because
    even a needless store is far cheaper than a branch that may be mispredicted (12 instead of 270 ns for sixteen cards
    of 25 bits).
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
    """Store the bits after the last full word, which the last `put` may have left in ``word``."""
    if at & 63:
        out[at >> 6] = word


@rule
def unpack_row(words, count, out):
    """Write the first ``count`` bits of ``words`` to ``out``, one number (0 or 1) per bit, lowest bit first.

    This works on bytes, because eight shifts of one byte vectorise best (30 instead of 75 ns for 658 bits).
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
    """Copy one row to another of the same length (a slice assignment takes Numba seconds to compile)."""
    for k in range(target.shape[0]):
        target[k] = source[k]


@rule
def clear_row(row):
    """Set a row to zero."""
    for k in range(row.shape[0]):
        row[k] = 0
