"""Who plays well with whom: cross-play, a guest in a team, and teams drawn from a pool.

All agents meet the same deals (*paired decks*): a difference between two cells of a matrix is then a difference between
players, and `difference` gives it with an error several times smaller than those of the cells.

All functions take policies by name: ``agents`` is a dict from names to what `agents.load` gives.
"""

import io
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.files import write_bytes
from hanabako.progress import ProgressBar

from ..playing.play import Games, play, standard_error
from ..playing.policy import Policy

Agents = Mapping[str, Policy]
TEAMS = 20
"""Line-ups that `ad_hoc` draws."""


def cross_play(
    config: Any, agents: Agents, games: int, seed: int, num_threads: int = 1, progress: bool = False
) -> dict[tuple[str, str], Games]:
    """Every ordered pair of agents: the first at player 0's seat, the second at all others.

    Seats matter: player 0 moves first, and in larger teams is alone among the others. The diagonal is self-play.

    Returns:
        For (first, second) the games they played, all on the same deals.
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
    """A guest in a team: (team, guest) with the guest at every seat in turn, on the same deals.

    Returns:
        For (team, guest) the games of every seat of the guest, player 0 first.
    """
    pairs = list(itertools.product(agents, repeat=2))
    result = {}
    for team, guest in ProgressBar(pairs, unit="pair", disable=not progress):
        seats = line_ups(agents[team], agents[guest], config.players)
        result[team, guest] = [play(config, line_up, games, seed, num_threads) for line_up in seats]
    return result


def line_ups(team: Policy, guest: Policy, players: int) -> list[list[Policy]]:
    """The guest at every seat in turn, player 0's first, and the team at all others."""
    return [[guest if k == seat else team for k in range(players)] for seat in range(players)]


def ad_hoc(
    config: Any, agents: Agents, newcomer: str, games: int, seed: int, teams: int | None = None, num_threads: int = 1
) -> dict[str, Any]:
    """The newcomer among partners that are drawn from the pool of all others, at a seat that is drawn too.

    This is the ad-hoc setting of Stone et al. 2010: the same line-ups and deals for every newcomer, so that two
    newcomers compare pairwise. The standard error is over line-ups, which differ far more than deals do.

    Args:
        config: what is played.
        agents: the pool, and the newcomer.
        newcomer: its name.
        games: in all; every line-up plays an equal share, on deals of its own.
        seed: of line-ups and deals.
        teams: how many line-ups; None is `TEAMS`, or as many as there are games.
        num_threads: see `agents.playing.play.play`.

    Returns:
        ``score``, ``score_error`` and the ``line_ups`` with their scores.

    Raises:
        ValueError: there is no such newcomer, no one else, fewer than two line-ups, or fewer games than line-ups.
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
    share = games // teams
    rows = []
    for team in range(teams):
        seat = int(draw.integers(config.players))
        places = draw.random(config.players)  # as many as there are seats, so that pools of one size share them
        line_up = [newcomer if k == seat else pool[int(place * len(pool))] for k, place in enumerate(places)]
        played = play(config, [agents[name] for name in line_up], share, seed, num_threads, first=team * share)
        rows.append({"line_up": line_up, "score": float(played.score.mean())})
    scores = np.array([row["score"] for row in rows])
    found = {"score": float(scores.mean()), "score_error": standard_error(scores)}
    return {"newcomer": newcomer, **found, "line_ups": rows}


# --- Means and their errors -------------------------------------------------------------------------------------------


def difference(some: Games, others: Games) -> dict[str, float | None]:
    """Mean of the scores' differences of games on the same deals, with its standard error.

    Raises:
        ValueError: there are not as many of both, or fewer than two.
    """
    if len(some.score) != len(others.score) or len(some.score) < 2:
        raise ValueError(
            f"both must be the same number of games, at least 2, got {len(some.score)}, {len(others.score)}"
        )
    gaps = (some.score - others.score).astype(np.float64)
    return {"difference": float(gaps.mean()), "difference_error": standard_error(gaps)}


def score_matrix(cells: Mapping[tuple[str, str], Games | Sequence[Games]], names: Sequence[str]) -> NDArray[np.float64]:
    """Mean scores of cells as of `cross_play` or `one_guest`: (n, n), rows are the first of a pair."""
    return np.array([[mean_score(cells[first, second]) for second in names] for first in names])


def mean_score(games: Games | Sequence[Games]) -> float:
    """The mean score of games, or of several lots of games."""
    lots = [games] if isinstance(games, Games) else games
    return float(np.mean([lot.score.mean() for lot in lots]))


def self_and_cross_play(matrix: NDArray[np.float64]) -> dict[str, Any]:
    """Self-play and cross-play of runs that differ in their training seed alone, see `agents.evaluation.estimates`.

    Args:
        matrix: mean scores (n, n) of ordered pairs of runs.

    Returns:
        JSON types: ``self_play`` and ``cross_play``, each with its ``_interval`` at 95 % over runs (None for fewer than
        five; a run that agrees with none scores 0), and ``groups`` of runs that understand each other, by number.

    Raises:
        ValueError: the matrix is not square, or of fewer than two runs.
    """
    if matrix.ndim != 2 or len(matrix) != matrix.shape[-1] or len(matrix) < 2:
        raise ValueError(f"matrix must be square, of at least 2 runs, got {matrix.shape}")
    from . import estimates  # and with it SciPy, which bots do not need

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

CELL, LETTER = 0.55, 0.085  # inches


def heat_map(
    matrix: NDArray[np.float64],
    names: Sequence[str],
    best: float,
    title: str,
    rows: str = "player 0",
    columns: str = "others",
    others: Sequence[str] | None = None,
) -> Any:
    """A figure of mean scores (n, m), every cell with its number; colors run from 0 to ``best``.

    It is as large as cells, labels and title need. Columns are named as rows are, or by ``others``.
    """
    from matplotlib.figure import Figure

    others = names if others is None else others
    letters, above = (LETTER * max(map(len, labels)) for labels in (names, others))
    width = max(CELL * len(others) + letters + 1.5, LETTER * 1.3 * len(title))
    size = width, CELL * len(names) + 0.75 * above + 1.2
    figure = Figure(figsize=size, dpi=150, layout="constrained")
    figure.suptitle(title)
    axes = figure.subplots()
    image = axes.imshow(matrix, vmin=min(0.0, float(matrix.min())), vmax=best, cmap="viridis")
    axes.set_xticks(range(len(others)), others, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel=columns, ylabel=rows)
    for i, j in np.ndindex(matrix.shape):
        shade = "black" if matrix[i, j] > 0.6 * best else "white"
        axes.text(j, i, f"{matrix[i, j]:.{2 if best <= 1 else 1}f}", ha="center", va="center", color=shade, fontsize=7)
    figure.colorbar(image, ax=axes, shrink=0.8, label="mean score")
    return figure


def save_figure(path: Path, figure: Any) -> None:
    """Write the figure as PNG; the file appears whole or not at all."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_bytes(path, picture.getbuffer())
