"""Random legal actions as the compiled roll-out chooses them, for environments that need actions given."""

from typing import Any

import numba
import numpy as np

from hanabako.engine.rng import random_below, random_word


@numba.njit
def random_actions(masks: Any, seed: int, first: int, t: int) -> Any:
    """Return the action of step ``t`` at every table.

    Args:
        masks: int8 (N, A). Rows without a legal action get action 0.
        seed: Seed of the roll-out.
        first: Index of the first table.
        t: Number of earlier steps at the same tables.

    Returns:
        int64 (N,).
    """
    actions = np.zeros(masks.shape[0], np.int64)
    for i in range(masks.shape[0]):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[i, action]
        if count == 0:
            continue
        wanted = random_below(random_word(np.uint64(seed), first + i), t, count)
        for action in range(masks.shape[1]):
            wanted -= masks[i, action]
            if wanted < 0:
                actions[i] = action
                break
    return actions
