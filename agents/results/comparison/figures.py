"""The figures of a comparison."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing import charts
from hanabako.games import game_in_words

from ...learning.common.published_scores import reference_lines
from .. import estimates
from ..communication import action_maps
from ..estimates import Estimate
from ..study import Draw, Results
from ..views import heat_map
from .found import Found
from .rows import Comparison

Curve = NDArray[np.float64]
"""(4, N): N places of the horizontal axis, and what an algorithm has there: its value, and a band from low to high."""

LEVELS = 100
"""The number of scores at which a performance profile is drawn."""
MOST_PANELS = 5
"""The largest number of matrices of actions in a figure."""
MOST_BANDS = 3
"""The largest number of performance profiles that have bands."""


def figures(comparison: Comparison, stem: str) -> dict[str, Draw]:
    """Return the figures of a comparison by file name."""
    drawn = {"curves": curves, "scores": intervals, "matrix": matrix, "profiles": profiles, "actions": actions}
    return {f"{stem}-{name}.png": partial(draw, comparison, how) for name, how in drawn.items()}


def draw(comparison: Comparison, how: Any, results: Results, path: Path) -> None:
    """Write a figure if it has anything to show; otherwise remove an old one."""
    figure = how(Found(comparison, results))
    if figure is None:
        path.unlink(missing_ok=True)
    else:
        charts.save(path, figure)


def curve_of(runs: Results) -> Curve | None:
    """Return the mean, worst and best greedy score by millions of decisions, or None if no run has a curve."""
    own = [np.array(run["curve"]).T for run in runs if run.get("curve")]
    if not own:
        return None
    steps = np.linspace(max(counts[0] for counts, _ in own), min(counts[-1] for counts, _ in own), 60)
    values = np.array([np.interp(steps, counts, scores) for counts, scores in own])
    return np.stack([steps / 1e6, values.mean(axis=0), values.min(axis=0), values.max(axis=0)])


def curves(found: Found) -> Any:
    """Draw the greedy score during training: the mean over runs, and a band from the worst to the best run."""
    made = {name: curve_of(runs) for name, runs in found.runs.items()}
    drawn = {name: curve for name, curve in made.items() if curve is not None}
    if not drawn:
        return None
    title, y = f"{title_of(found.comparison)}; band: all runs", "greedy score, unseen deals"
    figure, axes = plotted(drawn, title, "decisions (millions)", y)
    for one in reference_lines(found.comparison.make_config()):
        charts.reference(axes, one.score, one.name)
    charts.from_zero(axes)
    return figure


def plotted(drawn: Mapping[str, Curve], title: str, x: str, y: str) -> tuple[Any, Any]:
    """Draw curves with their bands in one chart; return the figure and its axes."""
    figure, axes = charts.chart(title, x, y)
    for name, (places, value, low, high) in drawn.items():
        marker = "o" if places[0] == places[-1] else None  # one evaluation would be no line
        (line,) = axes.plot(places, value, marker=marker, label=name)
        charts.band(axes, places, low, high, line.get_color())
    charts.legend(axes)
    return figure, axes


def title_of(comparison: Comparison) -> str:
    """Return the title of a comparison's charts: the name of its game."""
    note = "" if comparison.reproduction else " (not reproductions)"
    return game_in_words(comparison.make_config()) + note


def intervals(found: Found) -> Any:
    """Draw self-play with its interval, and cross-play from the worst pair to the best; or leads with theirs."""
    is_cooperative = found.comparison.cooperative
    rows: dict[str, dict[str, Estimate]] = {}
    for name in found.ordered:
        if name in found.teams:
            alone = estimates.mean(found.own_scores(name))
            if not is_cooperative:
                lead = found.leads[name]
                rows[name] = {"evaluated": alone} | ({"lead": lead} if np.isfinite(lead.value) else {})
                continue
            rows[name] = {"self-play, 95 % over runs": alone}
            if name in found.several:
                scores = found.cross_play(name)
                together = Estimate(scores.mean(), scores.min(), scores.max())
                rows[name]["cross-play, worst to best pair"] = together
    if not rows:
        return None
    figure = estimates.interval_figure(rows, title_of(found.comparison), "score")
    best = getattr(found.comparison.make_config(), "max_score", None)
    if best is not None:
        charts.reference(figure.axes[0], best, "highest score", upright=True)
        figure.axes[0].set_xlim(right=1.04 * best)  # room for the name
    return figure


def matrix(found: Found) -> Any:
    """Draw mean scores of algorithms and partners in pairs: rows at player 0; the diagonal is cross-play."""
    teams = {**found.teams, **{name: [name] for name in found.partners}}
    if not found.teams:
        return None
    cells = np.array([[mean_of_pairs(found, one, other) for other in teams.values()] for one in teams.values()])
    if np.isnan(cells).all():
        return None
    best = getattr(found.comparison.make_config(), "max_score", float(np.nanmax(cells)))
    return heat_map(cells, list(teams), best, f"{title_of(found.comparison)}: pairs that did not train together")


def mean_of_pairs(found: Found, some: Sequence[str], others: Sequence[str]) -> float:
    """Return the mean score of ``some`` at player 0 with ``others``, in different runs; NaN if no two have played."""
    scores = found.matrix(some, others)
    if some is others and some[0] not in found.partners:
        scores = scores[~np.eye(len(some), dtype=bool)]
    played = scores[~np.isnan(scores)]
    return float(played.mean()) if len(played) else np.nan


def profiles(found: Found) -> Any:
    """Draw the performance profiles of cross-play, with bands if they do not hide each other."""
    if not found.several or not found.comparison.cooperative:
        return None
    lowest, highest = found.bounds(found.everyone)
    levels = np.linspace(min(0, lowest), highest, LEVELS)
    has_bands = len(found.several) <= MOST_BANDS
    drawn = {}
    for name in found.several:
        value, low, high = np.array(estimates.profile(found.own_matrix(name), levels), np.float64).T
        drawn[name] = np.stack([levels, value, *((low, high) if has_bands else (value, value))])
    title = f"{title_of(found.comparison)}: cross-play{'; band: 95 %' if has_bands else ''}"
    return plotted(drawn, title, "score of a pair of runs", "fraction of pairs with at least that score")[0]


def actions(found: Found) -> Any:
    """Draw which actions follow which, for one run each of the best algorithm, the worst and some between."""
    firsts = {name: run for name in found.ordered for run in found.names[name][::-1] if run in found.actions}
    places = np.linspace(0, len(firsts) - 1, min(MOST_PANELS, len(firsts))).round().astype(int)
    names = list(firsts)
    shown = {names[place]: found.actions[firsts[names[place]]] for place in places}
    return action_maps(shown, found.comparison.make_config(), title_of(found.comparison)) if shown else None
