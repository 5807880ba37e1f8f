"""Fixtures for the tests of Hanabi."""

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture
def wrap_around() -> Iterator[None]:
    """Ignore overflow: the rules compute random numbers modulo 2^64, and NumPy's scalars would warn."""
    with np.errstate(over="ignore"):
        yield
