"""Observations as packed bits and as single ones."""

import sys
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hanabako.words.checks import as_index

__all__ = ["pack", "unpack"]

Array = TypeVar("Array")


def unpack(words: Array, bits: int) -> Array:
    """Return packed observations as one number, 0 or 1, per bit.

    Args:
        words: uint64 or int64 (..., words), a NumPy array or a torch tensor on any device; lowest bit first.
        bits: the number of bits of an observation.

    Returns:
        int8 (..., bits): an array, or a tensor on the same device.

    Raises:
        ValueError: ``words`` is neither an array nor a tensor, has another dtype, or has fewer than ``bits`` bits.
    """
    packed: Any = words
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(packed, torch.Tensor)
    if not is_tensor and not isinstance(packed, np.ndarray):
        raise ValueError(f"words must be a NumPy array or a torch tensor, got {type(words).__name__}")
    if str(packed.dtype).removeprefix("torch.") not in ("uint64", "int64"):
        raise ValueError(f"words must be uint64 or int64, got {packed.dtype}")
    if packed.ndim == 0:
        raise ValueError("words must be an array of at least one dimension, got none")
    bits = as_index("bits", bits, 64 * packed.shape[-1])
    if not is_tensor:
        octets = np.ascontiguousarray(packed).view(np.uint8)
        return np.unpackbits(octets, axis=-1, count=bits, bitorder="little").view(np.int8)  # type: ignore[return-value]
    octets = packed.contiguous().view(torch.uint8)
    shifts = torch.arange(8, dtype=torch.uint8, device=packed.device)
    spread = (octets[..., None] >> shifts) & 1
    return spread.flatten(-2)[..., :bits].to(torch.int8)


def pack(bits: NDArray[Any], words: int) -> NDArray[np.uint64]:
    """Pack observations of single bits (rows, bits), of any dtype, into words (rows, words)."""
    packed = np.zeros((len(bits), 8 * words), np.uint8)
    some = np.packbits(bits.astype(bool), axis=1, bitorder="little")
    packed[:, : some.shape[1]] = some
    return packed.view(np.uint64)
