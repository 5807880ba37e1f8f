"""Conversions of observations between packed 64-bit words, single bits, and floating-point numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hanabako.compiler.jit import kernel
from hanabako.engine.bits import ONE, ZERO, popcount
from hanabako.engine.sections import words_for

__all__ = ["SuitUnpacker", "pack", "to_numbers"]


def row_copier(width: int) -> Callable[..., None]:
    """Return a compiled loop that writes one of 256 rows, ``width`` 64-bit words each, per byte of ``packed``.

    It is three times as fast with ``width`` as a constant.
    """

    @kernel
    def copy_rows(packed, rows, out):
        for row in range(packed.shape[0]):
            for place in range(packed.shape[1]):
                for k in range(width):
                    out[row, place * width + k] = rows[packed[row, place], k]

    return copy_rows


def unpacker(dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    """Return `to_numbers` for the CPU, which takes 0.1 us per observation of 768 bits."""
    bits = (torch.arange(256)[:, None] >> torch.arange(8)) & 1  # of each byte, lowest first
    rows = bits.to(dtype).view(torch.int64).numpy()
    copy_rows = row_copier(rows.shape[1])

    def unpack_words(words: Tensor) -> Tensor:
        numbers = torch.empty((words.shape[0], 64 * words.shape[1]), dtype=dtype)
        copy_rows(words.numpy().view(np.uint8), rows, numbers.view(torch.int64).numpy())
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

    Args:
        suit_bits: (suits, bits per suit), indices of the observation bits about each suit.
        other_bits: (others,), indices of the bits that concern no suit.
    """

    def __init__(self, suit_bits: NDArray[np.int64], other_bits: NDArray[np.int64]) -> None:
        self.suits, self.bits, self.others = *suit_bits.shape, len(other_bits)
        size = 64 * words_for(1 + max(array.max(initial=0) for array in (suit_bits, other_bits)))
        self._suit = np.full(size, self.suits + 1, np.int64)
        self._place = np.zeros(size, np.int64)
        for suit, bits in enumerate(suit_bits):
            self._suit[bits], self._place[bits] = suit, np.arange(self.bits)
        self._suit[other_bits], self._place[other_bits] = self.suits, np.arange(self.others)

        self._order = torch.from_numpy(np.argsort(self._suit * size + self._place, kind="stable"))

    def __call__(self, words: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Unpack observations (rows, words) int64 to float32 or bfloat16.

        Returns:
            The bits about each suit (suits, rows, bits), and (rows, bits + others): their sums over the suits, followed
            by the other bits.
        """
        device, rows = words.device, len(words)
        if device.type != "cpu":
            numbers = to_numbers(words, dtype)
            if self._order.device != device:
                self._order = self._order.to(device)
            order = self._order
            suits = numbers[:, order[: self.suits * self.bits]].view(rows, self.suits, self.bits).transpose(0, 1)
            others = numbers[:, order[self.suits * self.bits :][: self.others]]
        else:
            suits = torch.zeros(self.suits, rows, self.bits, dtype=dtype)
            others = torch.zeros(rows, self.others, dtype=dtype)
            one = torch.ones(1, dtype=dtype)
            outputs = (tensor.view(INTEGERS[dtype]).numpy() for tensor in (one, suits, others))
            place_ones(words.numpy().view(np.uint64), self._suit, self._place, *outputs)
        return suits, torch.cat([suits.sum(0), others], 1)


INTEGERS = {torch.float32: torch.int32, torch.bfloat16: torch.int16}
"""Integer types of the same size, for views in NumPy, which has no bfloat16."""


@kernel
def place_ones(words, suit_of, place_of, one, suits, others):
    """Write ``one[0]`` for every bit that is set in ``words``; see `SuitUnpacker`."""
    for row in range(words.shape[0]):
        for w in range(words.shape[1]):
            left = words[row, w]
            while left != ZERO:
                below = (left - ONE) & ~left
                bit = 64 * w + np.int64(popcount(below))
                left &= left - ONE
                if suit_of[bit] < suits.shape[0]:
                    suits[suit_of[bit], row, place_of[bit]] = one[0]
                else:
                    others[row, place_of[bit]] = one[0]


def pack(bits: NDArray[Any], words: int) -> NDArray[np.uint64]:
    """Pack observations of single bits (rows, bits), of any dtype, into words (rows, words)."""
    packed = np.zeros((len(bits), 8 * words), np.uint8)
    some = np.packbits(bits.astype(bool), axis=1, bitorder="little")
    packed[:, : some.shape[1]] = some
    return packed.view(np.uint64)
