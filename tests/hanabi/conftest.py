"""What tests of Hanabi share."""

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture
def wrap_around() -> Iterator[None]:
    """The random numbers of the rules are made modulo 2^64, of which NumPy's scalars would warn."""
    with np.errstate(over="ignore"):
        yield
