"""The scratch record: a copy of a record that is filled from users' input and checked before it replaces the record."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["scratch_record"]


@contextmanager
def scratch_record(state: Any) -> Iterator[Any]:
    """Yield a copy of a record for the block to fill and check. If the block succeeds, the copy replaces the record.

    If the block raises anything, the record stays unchanged. Fields that the block does not set, such as random
    streams, keep their values. Inside the block unsigned numbers wrap silently, as the rules expect, and errors due to
    values of the wrong type, such as a number instead of a list, become a ``ValueError``.
    """
    new = state.copy()
    try:
        with np.errstate(over="ignore"):
            yield new
    except (TypeError, LookupError, AttributeError, OverflowError) as error:
        raise ValueError(f"a position must be as to_dict() gives it: {error}") from error
    state.setfield(new, state.dtype)  # one assignment, which cannot be interrupted half-way
