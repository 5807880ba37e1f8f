"""Conversions of observations between packed 64-bit words, single bits, and floating-point numbers."""

from collections.abc import Callable
from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed
from hanabako.engine.bits import ONE, ZERO, popcount
from hanabako.engine.sections import words_for


def unpacker(dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    """Return `to_numbers` for the CPU, which takes 0.1 us per observation of 768 bits."""
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1  # of each byte, lowest first
    rows_of_bytes = torch.from_numpy(bits).to(dtype).view(torch.int64).numpy()
    width = rows_of_bytes.shape[1]  # a constant of the loop, which is three times as fast with it

    @kernel
    def copy_rows(packed, rows, out):
        for row in range(packed.shape[0]):
            for index in range(packed.shape[1]):
                for k in range(width):
                    out[row, index * width + k] = rows[packed[row, index], k]

    def unpack_words(words: Tensor) -> Tensor:
        numbers = torch.empty((words.shape[0], 64 * words.shape[1]), dtype=dtype)
        copy_rows(words.numpy().view(np.uint8), rows_of_bytes, numbers.view(torch.int64).numpy())
        return numbers

    return unpack_words


UNPACKERS = {dtype: unpacker(dtype) for dtype in (torch.bfloat16, torch.float32)}


def to_numbers(words: Tensor, dtype: torch.dtype) -> Tensor:
    """Unpack observations (rows, words) int64 to numbers 0 and 1, (rows, 64 * words) of ``dtype``, lowest bit first."""
    if words.device.type == "cpu":
        return UNPACKERS[dtype](words)
    shifts = torch.arange(64, device=words.device)
    return ((words[:, :, None] >> shifts) & 1).flatten(1).to(dtype)


class SuitUnpacker:
    """Unpacks observations to numbers sorted by suit, in less than 1 us per observation of 738 bits.

    The result has a page per suit, and on every page a column per bit about the suit, in the same order on all pages.

    Args:
        suit_bits: (suits, bits per suit), indices of the observation bits about each suit.
        other_bits: (others,), indices of the bits that concern no suit. Bits in neither array may not be set.
    """

    def __init__(self, suit_bits: NDArray[np.int64], other_bits: NDArray[np.int64]) -> None:
        self.suits, self.bits, self.others = *suit_bits.shape, len(other_bits)
        size = 64 * words_for(1 + max(array.max(initial=0) for array in (suit_bits, other_bits)))
        page, column, pooled_column = np.zeros((3, size), np.uint64)
        page[:] = self.suits
        for suit, bits in enumerate(suit_bits):
            page[bits] = suit
            column[bits] = pooled_column[bits] = np.arange(self.bits)
        pooled_column[other_bits] = self.bits + np.arange(self.others)
        self._places = page, column, pooled_column
        self._order = torch.from_numpy(np.concatenate([suit_bits.ravel(), other_bits]))

    def __call__(self, words: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Unpack observations (rows, words) int64 to float32 or bfloat16.

        Return the bits about each suit (suits, rows, bits), and (rows, bits + others): their sums over the suits,
        followed by the other bits.
        """
        if words.device.type == "cpu":
            return self._in_one_pass(words, dtype)
        if self._order.device != words.device:
            self._order = self._order.to(words.device)
        numbers, count = to_numbers(words, dtype), self.suits * self.bits
        suits = numbers[:, self._order[:count]].view(len(words), self.suits, self.bits).transpose(0, 1)
        return suits, torch.cat([suits.sum(0), numbers[:, self._order[count:]]], 1)

    def _in_one_pass(self, words: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Unpack observations that are on the CPU, see `__call__`."""
        stored, dropped = STORED[dtype]
        pages = torch.zeros(self.suits + 1, len(words), self.bits, dtype=dtype)
        pooled = torch.empty(len(words), self.bits + self.others, dtype=dtype)
        outputs = pages.view(stored).view(-1).numpy(), pooled.view(stored).numpy()
        sums = np.empty(self.bits + self.others, np.float32)
        bit_placer()(words.numpy().view(np.uint64), *self._places, self.bits, np.uint32(dropped), sums, *outputs)
        return pages[:-1], pooled


STORED = {torch.float32: (torch.uint32, 0), torch.bfloat16: (torch.uint16, 16)}
"""The integer type that stores a number's bits, and how many low bits of a float32 it drops. NumPy has no bfloat16."""


@cache
def bit_placer() -> Callable[..., None]:
    """Return the loop ``(words, page_of, column_of, pooled_column_of, bits, dropped, sums, pages, pooled)``.

    It unpacks the bits that are set in ``words``; see `SuitUnpacker`.

    No branch depends on what a bit concerns, because the processor would often predict it wrongly: bits that concern no
    suit are also written, to a page after those of the suits, which is not used.

    For each bit there are its page, that of its suit, and its columns there and in ``pooled``, uint64 (64 * words,).
    ``sums`` is memory for one row of ``pooled``, float32: small integers are exact in bfloat16. ``pages``, (suits + 1,
    rows, bits) flattened, holds zeros before.
    """
    digest = digest_of(popcount, bit_placer)

    @kernel
    def place_bits(words, page_of, column_of, pooled_column_of, bits, dropped, sums, pages, pooled):
        one = np.float32(1).view(np.uint32) >> dropped
        numbers = sums.view(np.uint32)
        size = np.uint64(words.shape[0] * bits)
        for row in range(keyed(words.shape[0], digest)):
            begin = np.uint64(row * bits)
            for k in range(len(sums)):
                sums[k] = np.float32(0)
            for w in range(words.shape[1]):
                left = words[row, w]
                while left != ZERO:
                    bit = np.uint64(64 * w) + np.uint64(popcount((left - ONE) & ~left))
                    left &= left - ONE
                    pages[page_of[bit] * size + begin + column_of[bit]] = one
                    sums[pooled_column_of[bit]] += np.float32(1)
            out = pooled[row]
            for k in range(len(sums)):
                out[k] = numbers[k] >> dropped

    return place_bits
