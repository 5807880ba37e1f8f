"""Makes a study from the file that declares a comparison."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..study import Result, Study
from .figures import figures
from .pages import board
from .reading import comparison_of
from .rows import Comparison, Pair, Run

__all__ = ["load"]


def load(content: Mapping[str, Any], path: Path, runs: Path) -> Study:
    """Return the study that a file declares. Runs none of the code that it names.

    Args:
        content: what the file holds, without ``study``.
        path: the file; its stem is the study's name.
        runs: the folder for its training runs.

    Raises:
        ValueError: it declares no comparison; the message says what is allowed.
    """
    whole, stem = comparison_of(content, path, runs), path.stem
    return Study(
        stem,
        whole.rows(),
        measure,
        tables={stem: partial(board, whole)},
        figures=figures(whole, stem),
        check=partial(check, whole),
        unit="deal",
        unmeasured=whole.unmeasured,
    )


def measure(row: Run | Pair, before: Result | None) -> dict[str, Any]:
    """See `agents.results.comparison.measuring.measure`."""
    from . import measuring  # imports torch, which pages do not need

    return measuring.measure(row, before)


def check(whole: Comparison) -> None:
    """See `agents.results.comparison.measuring.check`."""
    from . import measuring

    measuring.check(whole)
