"""Makes a study from the file that declares a comparison."""

from functools import partial
from pathlib import Path
from typing import Any

from ..study import Result, Study
from .figures import figures
from .pages import board
from .reading import read
from .rows import Comparison, Pair, Run

__all__ = ["load"]


def load(path: Path, runs: Path) -> Study:
    """Return the study that a file declares. Runs none of the code that it names.

    Args:
        path: the file; its stem is the study's name.
        runs: the folder for its training runs.

    Raises:
        OSError: the file cannot be read.
        ValueError: it declares no comparison; the message names the file and what is allowed.
    """
    whole, stem = read(path, runs), path.stem
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
    """See `agents.studies.comparison.measuring.measure`."""
    from . import measuring  # imports torch, which pages do not need

    return measuring.measure(row, before)


def check(whole: Comparison) -> None:
    """See `agents.studies.comparison.measuring.check`."""
    from . import measuring

    measuring.check(whole)
