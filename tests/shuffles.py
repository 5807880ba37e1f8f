"""Whether a pile of cards is well shuffled: every card must come in every position equally often."""

from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

FALSE_ALARM = 1e-6


def assert_evenly_mixed(orders: Sequence[Sequence[Any]] | np.ndarray) -> None:
    """Check cards by positions over many orders of a pile of n cards: a chi-square test with a false alarm in 10^6.

    Scaled by (n - 1) / n, the statistic has (kinds - 1)(n - 1) degrees of freedom, because no position holds two cards
    and no card has two positions. Cards of one kind count together.
    """
    found, places = np.array(orders), len(orders[0])
    kinds = Counter(found[0].tolist())
    counts = np.array([(found == kind).sum(axis=0) for kind in kinds])
    expected = len(orders) * np.array(list(kinds.values()))[:, None] / places
    statistic = ((counts - expected) ** 2 / expected).sum() * (places - 1) / places
    assert statistic < chi_square_bound((len(kinds) - 1) * (places - 1))


def chi_square_bound(freedom: int) -> float:
    """Return the value that chi-square exceeds with probability `FALSE_ALARM`.

    The approximation is for many degrees of freedom (Wilson and Hilferty).
    """
    part = 2 / (9 * freedom)
    return freedom * (1 - part + NormalDist().inv_cdf(1 - FALSE_ALARM) * part**0.5) ** 3
