"""Views of the results of meetings: matrices, differences on the same deals, heat maps."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing import charts

from ..registry import AgentName
from .meeting import BLOCK, errors_of
from .study import Result, Results


def matrix(results: Results, names: Sequence[str]) -> NDArray[np.float64]:
    """Return the scores (n, n) of meetings of pairs: rows are first in the line-up. Pairs that did not meet are NaN."""
    scores = {(result["line_up"][0], result["line_up"][-1]): result["score"] for result in results}
    return np.array([[scores.get((one, other), np.nan) for other in names] for one in names])


def gain(one: Result, other: Result) -> tuple[float, float | None]:
    """Return the mean difference of two results on the deals in common, with its standard error over blocks."""
    count = min(one["done"], other["done"]) // BLOCK
    if not count or any(one[name] != other[name] for name in ("game", "players", "seed", "first")):
        raise ValueError(f"both results must be of the same deals, at least {BLOCK} of them")
    some, others = (np.mean(np.array(result["sums"][:count]), axis=1) / BLOCK for result in (one, other))
    return float((some - others).mean()), errors_of(some - others)


# --- As text ----------------------------------------------------------------------------------------------------------


def plus_minus(error: float | None, form: str = ".3f") -> str:
    """Return an error as text to follow its number; empty if there is none, as for one game."""
    return "" if error is None else f" ± {error:{form}}"


def short_name(name: str) -> str:
    """Return a short name: a run's folder, or an imported agent's file and name; prefixes are kept."""
    parts = AgentName.parse(name)
    prefix, path = name.removesuffix(parts.base), Path(parts.base)
    if parts.source is not None:
        return f"{prefix}{Path(parts.source.place).name}:{parts.source.name}"
    if not parts.is_file:
        return name
    if parts.bridge is not None:
        return f"{path.parent.name}/{path.stem[-9:]}".lstrip("/")  # the parts in which a paper's runs differ
    return prefix + (path.name if path.suffix != ".safetensors" else path.parent.name or path.stem)


# --- A picture --------------------------------------------------------------------------------------------------------

CELL, LETTER = 0.55, 0.078  # inches


def heat_map(
    matrix: NDArray[np.float64],
    names: Sequence[str],
    best: float,
    title: str,
    rows: str = "player 0",
    columns: str = "others",
    others: Sequence[str] | None = None,
    label: str = "mean score",
) -> Any:
    """Make a heat map of a matrix (n, m); ``label`` names its values, and colors run from 0 to ``best``.

    Every cell has its number, unless it is NaN. The size follows from cells, labels and title. Columns are labelled by
    ``others``, or as the rows if it is None.
    """
    others = names if others is None else others
    letters, above = (LETTER * max(map(len, labels)) for labels in (names, others))
    width = max(CELL * len(others) + letters + 2.0, LETTER * 1.4 * len(title))
    figure, axes = charts.chart("", columns, rows, (width, CELL * len(names) + 0.75 * above + 1.1))
    figure.suptitle(title, **charts.TITLE)
    image = axes.imshow(matrix, vmin=min(0.0, float(np.nanmin(matrix))), vmax=best, cmap="viridis")
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_xticks(range(len(others)), others, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    for i, j in np.argwhere(~np.isnan(matrix)):
        shade = "black" if matrix[i, j] > 0.6 * best else "white"
        axes.text(j, i, f"{matrix[i, j]:z.{2 if best <= 1 else 1}f}", ha="center", va="center", color=shade, fontsize=7)
    figure.colorbar(image, ax=axes, shrink=0.8, label=label).outline.set_visible(False)
    return figure
