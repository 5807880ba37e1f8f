"""The scratch record: a copy on which a record is set from what a caller wrote, and which the rules can judge."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["scratch_record"]


@contextmanager
def scratch_record(state: Any) -> Iterator[Any]:
    """A copy of a record, to be set and checked by the block; it replaces the record when the block ends well.

    Whatever is raised instead, the record stays as it was to the bit. Random streams and what else the block leaves
    alone stay too. Inside, unsigned numbers wrap silently, as the rules expect.

    Raises:
        ValueError: the block met a value of a kind that no position has, such as a number in place of a list.
    """
    new = state.copy()
    try:
        with np.errstate(over="ignore"):
            yield new
    except (TypeError, LookupError, AttributeError, OverflowError) as error:
        raise ValueError(f"a position must be as to_dict() gives it: {error}") from error
    state.setfield(new, state.dtype)  # in one piece, so that nothing can come between
