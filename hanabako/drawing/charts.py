"""Charts of scores and curves in one style, on the paper of the drawn tables.

    figure, axes = chart("A small game, PPO", x="decisions (millions)", y="score", ylim=(0, 9))
    axes.plot(steps, scores, label="greedy")
    reference(axes, 9, "the highest score")
    legend(axes)
    save(path, figure)

They need Matplotlib (the extra ``analysis``). Figures are drawn off screen: they need no display and no `pyplot`.
"""

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hanabako.extras import need
from hanabako.files import write_bytes

__all__ = ["COLORS", "INK", "SOFT", "TITLE", "band", "chart", "from_zero", "legend", "panels", "reference", "save"]

PAPER, INK, SOFT, LINE = "#fdfcf9", "#262a34", "#656b79", "#e2ddd0"
COLORS = ("#2350a0", "#cf4520", "#0b8560", "#c99700", "#5b3f8c", "#3f9fc4", "#8a5a2b", "#d3609a", "#777c8a", "#2b2d36")
"""The colors of lines, in the order in which they are taken; then they are taken again, for dashed lines."""
TITLE = {"fontsize": 11, "fontweight": "bold", "color": INK}
"""The style of titles, for Matplotlib."""
DPI = 150
MOST_BESIDE = 16
"""The largest number of names in a column beside the axes."""
SHADES = 128
"""The number of colors of a written figure."""
COLUMN = 1.5
"""The width of such a column, in inches."""
ROOM = 0.05
"""Room above a level line for its name, as a part of the axis."""


def chart(title: str, x: str = "", y: str = "", size: tuple[float, float] = (7.0, 4.0), **settings: Any) -> Any:
    """Return a new figure of a ``size`` in inches and its axes, with labels ``x`` and ``y``, which have the units.

    The ``settings`` are those of Matplotlib's ``Axes.set``, for example ``ylim``.
    """
    figure, (axes,) = panels([title], size)
    axes.set(xlabel=x, ylabel=y, **settings)
    return figure, axes


def panels(titles: list[str], size: tuple[float, float] = (10.0, 3.6), share_y: bool = False) -> Any:
    """Return a new figure of a ``size`` in inches and a list of axes side by side, one per title.

    With ``share_y`` all have the same vertical axis.
    """
    need("a chart", "matplotlib")
    from cycler import cycler
    from matplotlib.figure import Figure  # takes half a second to import

    figure = Figure(figsize=size, dpi=DPI, layout="constrained", facecolor=PAPER)
    row = list(figure.subplots(1, len(titles), squeeze=False, sharey=share_y)[0])
    for axes, title in zip(row, titles, strict=True):
        axes.set_facecolor(PAPER)
        axes.set_prop_cycle(cycler(linestyle=["-", "--"]) * cycler(color=COLORS))
        axes.set_title(title, loc="left", **TITLE)
        axes.grid(color=LINE, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(colors=SOFT, labelcolor=INK, labelsize=9)
        axes.xaxis.label.set(color=INK, fontsize=10)
        axes.yaxis.label.set(color=INK, fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(SOFT)
    return figure, row


def band(axes: Any, x: ArrayLike, low: ArrayLike, high: ArrayLike, color: Any) -> None:
    """Fill the area between two lines: an interval, or the lowest and highest of several runs."""
    axes.fill_between(np.asarray(x), np.asarray(low), np.asarray(high), color=color, alpha=0.15, linewidth=0)


def reference(axes: Any, value: float, text: str, upright: bool = False) -> None:
    """Draw a dashed line at a value that others reached, or that cannot be exceeded, with its name.

    Call it after the data are drawn: a level line makes room for its name above it. The name of an ``upright`` line is
    at the right of its lower end.
    """
    style = {"color": SOFT, "linewidth": 1, "linestyle": (0, (4, 3)), "zorder": 1.5}
    words = {"color": SOFT, "fontsize": 7.5, "textcoords": "offset points"}
    if upright:
        axes.axvline(value, **style)
        place = {"xycoords": ("data", "axes fraction"), "xytext": (3, 4), "ha": "left", "rotation": 90}
        axes.annotate(text, (value, 0), **place, **words)
    else:
        axes.axhline(value, **style)
        axes.annotate(text, (0, value), xycoords=("axes fraction", "data"), xytext=(4, 2), **words)
        bottom, top = axes.get_ylim()
        axes.set_ylim(top=max(top, value + ROOM * (top - bottom)))


def from_zero(axes: Any) -> None:
    """Begin the vertical axis at 0; if more than half of it would then be empty, its label says where it begins.

    Call it when everything is drawn. An axis with negative values stays as it is.
    """
    bottom, top = axes.get_ylim()
    if bottom > top / 2:
        axes.set_ylabel(f"{axes.get_ylabel()}\n(the axis begins at {bottom:.1f}, to show differences)")
    elif bottom > 0:
        axes.set_ylim(bottom=0)


def legend(axes: Any, **settings: Any) -> None:
    """Name the lines beside the axes, where the names cover nothing; ``settings`` are Matplotlib's.

    More names than fit in a column widen the figure.
    """
    columns = max(1, -(-len(axes.get_legend_handles_labels()[1]) // MOST_BESIDE))
    figure = axes.get_figure()
    figure.set_figwidth(figure.get_figwidth() + COLUMN * (columns - 1))
    beside = {"loc": "center left", "bbox_to_anchor": (1, 0.5), "ncols": columns}
    axes.legend(**{"frameon": False, "fontsize": 8.5, "labelcolor": INK} | beside | settings)


def save(path: str | Path, figure: Any) -> Path:
    """Write the figure as PNG of `SHADES` colors and return the path; the file appears whole or not at all.

    Dollar signs are themselves, and begin no formula, because names may come from files of others.
    """
    from PIL import Image

    for text in figure.findobj(lambda artist: hasattr(artist, "set_parse_math")):
        text.set_parse_math(False)
    drawn, picture = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png")
    shades = Image.open(drawn).convert("RGB").quantize(SHADES, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    shades.save(picture, "PNG", optimize=True)
    return write_bytes(path, picture.getbuffer())
