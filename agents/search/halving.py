"""Successive halving by the round: every action meets the same deals, then the worse half goes (Karnin et al. 2013)."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["halve"]

AT_ONCE = 16
"""Deals between two looks at the clock."""


def halve(
    count: int,
    rollouts: int | None,
    budget: float | None,
    began: float,
    play_out: Callable[[int, int, NDArray[np.int64]], NDArray[Any]],
) -> tuple[int, int]:
    """The best of ``count`` actions, by place, and how many roll-outs that took.

    Args:
        count: at least 1.
        rollouts: roll-outs, all actions together (one each at least),
        budget: or milliseconds.
        began: when the decision began, by `time.perf_counter`.
        play_out: plays deals ``first`` to ``first`` + n out for the places that are left, and returns the means so far
            of all places (count,).
    """
    left, rounds = np.arange(count), max(1, (count - 1).bit_length())
    deals, spent, means = 0, 0, np.zeros(count)
    for turn in range(1, rounds + 1):
        if budget is None:
            assert rollouts is not None
            most = max(1, rollouts // rounds // len(left))
            means = play_out(deals, most, left)
            deals, spent = deals + most, spent + most * len(left)
        else:
            while deals == 0 or (time.perf_counter() - began) * 1000 < budget * turn / rounds:
                means = play_out(deals, AT_ONCE, left)
                deals, spent = deals + AT_ONCE, spent + AT_ONCE * len(left)
        left = left[np.sort(np.argsort(-means[left], kind="stable")[: (len(left) + 1) // 2])]
    return int(left[0]), spent
