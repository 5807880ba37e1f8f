"""Cross-play, one guest in a team, and ad-hoc teams drawn from a pool.

All agents play the same deals (*paired decks*). So two cells of a matrix differ by their players only, and `difference`
returns that difference with its standard error, which is the smaller the more alike the two play.

All functions take policies by name: ``agents`` is a dict from names to the results of `agents.load`.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing import charts
from hanabako.progress import ProgressBar

from ..playing.play import Games, play, standard_error
from ..playing.policy import Policy
from ..playing.seating import line_ups

Agents = Mapping[str, Policy]
TEAMS = 20
"""The default number of line-ups that `ad_hoc` draws."""


def cross_play(
    config: Any, agents: Agents, games: int, seed: int, num_threads: int = 1, progress: bool = False
) -> dict[tuple[str, str], Games]:
    """Play every ordered pair of agents: the first at player 0's seat, the second at all others.

    The order matters: player 0 moves first, and in teams of three or more is the only one of its kind. The diagonal is
    self-play.

    Returns:
        The games of every pair (first, second), all on the same deals.
    """
    pairs = list(itertools.product(agents, repeat=2))
    others = config.players - 1
    return {
        (first, second): play(config, [agents[first], *[agents[second]] * others], games, seed, num_threads)
        for first, second in ProgressBar(pairs, unit="pair", disable=not progress)
    }


def one_guest(
    config: Any, agents: Agents, games: int, seed: int, num_threads: int = 1, progress: bool = False
) -> dict[tuple[str, str], list[Games]]:
    """Play every ordered pair (team, guest) with the guest at each seat in turn, on the same deals.

    Returns:
        For every (team, guest) the games with the guest at each seat, player 0 first.
    """
    pairs = list(itertools.product(agents, repeat=2))
    result = {}
    for team, guest in ProgressBar(pairs, unit="pair", disable=not progress):
        seats = line_ups(agents[guest], [agents[team]], config.players)
        result[team, guest] = [play(config, line_up, games, seed, num_threads) for _, line_up in seats]
    return result


def ad_hoc(
    config: Any, agents: Agents, newcomer: str, games: int, seed: int, teams: int | None = None, num_threads: int = 1
) -> dict[str, Any]:
    """Play the newcomer at a random seat with partners drawn at random from all other agents.

    This is the ad-hoc setting of Stone et al. 2010. Deals are the same for every newcomer, and so are the line-ups for
    newcomers that are not in the pool; those can be compared in pairs. The standard error is over line-ups, which vary
    far more than deals.

    Args:
        config: the config of the games.
        agents: the pool of partners, and the newcomer.
        newcomer: the newcomer's name.
        games: total number of games, each on a different deal, divided among the line-ups as evenly as possible.
        seed: seed of line-ups and deals.
        teams: number of line-ups; None is `TEAMS`, or the number of games if that is smaller.
        num_threads: see `agents.playing.play.play`.

    Returns:
        ``score``, ``score_error`` and the ``line_ups`` with their scores.

    Raises:
        ValueError: there is no such newcomer or no other agent; or fewer than two line-ups, or fewer games than
            line-ups.
    """
    if newcomer not in agents or len(agents) < 2:
        raise ValueError(f"newcomer must be one of several agents ({', '.join(agents)}), got {newcomer!r}")
    if games < 2:
        raise ValueError(f"games must be at least 2, for two line-ups, got {games}")
    teams = min(TEAMS, games) if teams is None else teams
    if not 2 <= teams <= games:
        raise ValueError(f"teams must be from 2 to the number of games ({games}), got {teams}")
    draw = np.random.default_rng(seed)
    pool = [name for name in agents if name != newcomer]
    firsts = [team * games // teams for team in range(teams + 1)]
    rows = []
    for team in range(teams):
        seat = int(draw.integers(config.players))
        places = draw.random(config.players)  # one per seat, so that pools of one size get the same partners
        line_up = [newcomer if k == seat else pool[int(place * len(pool))] for k, place in enumerate(places)]
        first, share = firsts[team], firsts[team + 1] - firsts[team]
        played = play(config, [agents[name] for name in line_up], share, seed, num_threads, first=first)
        rows.append({"line_up": line_up, "score": float(played.score.mean())})
    scores = np.array([row["score"] for row in rows])
    found = {"score": float(scores.mean()), "score_error": standard_error(scores)}
    return {"newcomer": newcomer, **found, "line_ups": rows}


# --- Means and their errors -------------------------------------------------------------------------------------------


def difference(some: Games, others: Games) -> dict[str, float | None]:
    """Return the mean difference of scores of games on the same deals, with its standard error.

    Raises:
        ValueError: the numbers of games differ, or are below two.
    """
    if len(some.score) != len(others.score) or len(some.score) < 2:
        raise ValueError(
            f"both must have the same number of games, at least 2, got {len(some.score)} and {len(others.score)}"
        )
    gaps = (some.score - others.score).astype(np.float64)
    return {"difference": float(gaps.mean()), "difference_error": standard_error(gaps)}


def score_matrix(cells: Mapping[tuple[str, str], Games | Sequence[Games]], names: Sequence[str]) -> NDArray[np.float64]:
    """Return the mean scores of cells of `cross_play` or `one_guest`, (n, n); rows are the first names of the pairs."""
    return np.array([[mean_score(cells[first, second]) for second in names] for first in names])


def mean_score(games: Games | Sequence[Games]) -> float:
    """Return the mean score of games, or of several lots of games."""
    lots = [games] if isinstance(games, Games) else games
    return float(np.mean([lot.score.mean() for lot in lots]))


def self_and_cross_play(matrix: NDArray[np.float64]) -> dict[str, Any]:
    """Return self-play and cross-play of runs that differ only in their training seed.

    The intervals are those of `agents.evaluation.estimates`.

    Args:
        matrix: mean scores (n, n) of ordered pairs of runs.

    Returns:
        JSON types: ``self_play`` and ``cross_play``, each with its 95 % ``_interval`` over runs (None for fewer than
        five; it allows for a run that scores 0 with all others), and ``groups`` of compatible runs, by number.

    Raises:
        ValueError: the matrix is not square, or has fewer than two runs.
    """
    if matrix.ndim != 2 or len(matrix) != matrix.shape[-1] or len(matrix) < 2:
        raise ValueError(f"matrix must be square, with at least 2 runs, got shape {matrix.shape}")
    from . import estimates  # imports SciPy, which bots do not need

    alone = estimates.mean(matrix.diagonal())
    together = estimates.among(matrix, (min(0.0, float(matrix.min())), float(matrix.max())))
    return {
        "self_play": alone.value,
        "self_play_interval": alone.ends,
        "cross_play": together.value,
        "cross_play_interval": together.ends,
        "groups": estimates.groups(matrix),
    }


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
    width = max(CELL * len(others) + letters + 1.4, LETTER * 1.4 * len(title))
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
    bar = figure.colorbar(image, ax=axes, shrink=0.8, label=label)
    bar.outline.set_visible(False)
    return figure
