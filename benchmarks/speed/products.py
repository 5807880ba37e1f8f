"""The matrix products of a torch program: recorded while it runs, and each timed alone at its best, as a peak.

A program whose matrix products all ran at this peak, and which did nothing else, would have a share of 1.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from hanabako.timing import steps_per_second

__all__ = ["Product", "RecordedProducts", "best_seconds", "wait_for"]

FACTORS = {torch.ops.aten.mm.default: 0, torch.ops.aten.addmm.default: 1}
"""The operations that multiply two matrices, and the index of the first matrix among their arguments."""
REPEATS = 8
"""Repeats of the timing of a product; the best one counts."""


class Matrix(NamedTuple):
    """A matrix without its numbers."""

    shape: torch.Size
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    @classmethod
    def like(cls, tensor: Tensor) -> Self:
        """Return the shape, layout, type and device of a tensor."""
        return cls(tensor.shape, tensor.stride(), tensor.dtype, tensor.device)

    def filled(self) -> Tensor:
        """Return such a matrix of ones."""
        return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device=self.device).fill_(1)


class Product(NamedTuple):
    """A product of two matrices."""

    left: Matrix
    right: Matrix

    @property
    def flops(self) -> int:
        """The number of floating-point operations: a multiplication and an addition per pair of numbers."""
        return 2 * self.left.shape[0] * self.left.shape[1] * self.right.shape[1]


class RecordedProducts(TorchDispatchMode):
    """A context in which the products of two matrices that torch computes are counted, those of gradients included."""

    def __init__(self) -> None:
        super().__init__()
        self.times: Counter[Product] = Counter()
        """How often each product was computed."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count the operation if it is a product, and execute it."""
        if func in FACTORS:
            left, right = args[FACTORS[func] :][:2]
            self.times[Product(Matrix.like(left), Matrix.like(right))] += 1
        return func(*args, **(kwargs or {}))


def best_seconds(product: Product, seconds: float, clock: Callable[[], float]) -> float:
    """Return the seconds of ``clock`` that the product takes at its best, with the same matrices each time.

    Args:
        product: the product.
        seconds: seconds per repeat, at least.
        clock: a function that returns seconds.
    """
    left, right = product.left.filled(), product.right.filled()

    def multiply() -> int:
        torch.mm(left, right)
        wait_for(left.device)
        return 1

    return 1 / max(steps_per_second(multiply, seconds, clock) for _ in range(REPEATS))


def wait_for(device: torch.device) -> None:
    """Wait until a GPU has done everything that was started on it."""
    if device.type == "cuda":
        torch.cuda.synchronize()
