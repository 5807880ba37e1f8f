"""Ratings of agents from their matches in competitive games.

To cancel the luck of deal and seat, every pair of agents plays each deal once per exchange of their seats, and errors
are over deals. Who won is said by the rules of the game, whatever its rewards.

Ratings are in the `unit_of` what the game is won by. A game of several rounds whose points add up is won by points, so
who wins more of its rounds may lose. Matches of all rounds are rated by Elo; single rounds by the points of each.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.games import game_of

from .meeting import BLOCK, FEWEST
from .study import Result, Results

__all__ = ["ELO", "POINTS", "in_points", "one_round", "points_taken", "rated", "ratings", "unit_of"]

Floats = NDArray[np.float64]

SCALE = 400 / math.log(10)
"""Elo points per unit of log-odds: 400 points are odds of ten to one, as in chess."""
ELO, POINTS = "Elo", "points a round"
"""The units of ratings, see `unit_of`."""


def adds_rounds(config: Any) -> bool:
    """Whether the game is a number of rounds whose points add up."""
    return "rounds" in game_of(config).neutral_fields


def one_round(config: Any) -> Any:
    """Return the config for one round, rewarded in points, if rounds add up in the game; else the config itself."""
    return replace(config, rounds=1, reward="points") if adds_rounds(config) else config


def in_points(config: Any) -> Any:
    """Return the config, rewarded in points if rounds add up in the game."""
    return replace(config, reward="points") if adds_rounds(config) else config


def unit_of(config: Any) -> str:
    """Return the unit of ratings of a tournament: `POINTS` if single rounds of several are played, or `ELO`."""
    return POINTS if adds_rounds(config) and config.rounds == 1 else ELO


def rated(config: Any, matches: Results) -> list[dict[str, Any]]:
    """Return the ratings of all agents in a game's `unit_of`, best first: see `ratings` and `points_taken`."""
    return points_taken(matches) if unit_of(config) == POINTS else ratings(matches, covariance_of(matches))


def covariance_of(matches: Results) -> Floats | None:
    """Return (matches, matches): the covariance of the matches' results, in which a draw is half a win.

    All pairs play the same deals, so their results are not independent. Without blocks they are taken as independent;
    None if an error is not known.
    """
    wins = [match.get("wins", []) for match in matches]
    count = min(match["done"] for match in matches) // BLOCK
    if min(map(len, wins)) < max(count, FEWEST):
        errors = [match.get("won_error") for match in matches]
        return None if None in errors else np.diag(np.square(np.array(errors, np.float64)))
    blocks = np.array([np.mean(lines[:count], axis=1) / BLOCK for lines in wins])
    return np.atleast_2d(np.cov(blocks, ddof=1)) / count


def points_taken(matches: Results) -> list[dict[str, Any]]:
    """Return the points that each agent takes from its opponents in a round, on average over opponents, best first.

    The ``matches`` have ``line_up`` (two names), ``lead`` (counted from both sides, so twice the points) and
    ``lead_error``. The result has per agent the ``name``, ``rating`` and ``error``, the mean of the matches' errors:
    that is the largest that it can be, as all pairs play the same deals. It is None if a match has none.
    """
    own: dict[str, list[tuple[float, float | None]]] = {}
    for match in matches:
        for name, side in zip(match["line_up"], (1, -1), strict=True):
            own.setdefault(name, []).append((side * match["lead"] / 2, match["lead_error"]))
    rows = []
    for name, found in own.items():
        errors = [error / 2 for _, error in found if error is not None]
        error = float(np.mean(errors)) if len(errors) == len(found) else None
        rows.append({"name": name, "rating": float(np.mean([points for points, _ in found])), "error": error})
    return sorted(rows, key=lambda row: -row["rating"])


def ratings(matches: Sequence[Result], covariance: Floats | None = None) -> list[dict[str, Any]]:
    """Return ratings by the model of Bradley and Terry (1952), fitted to all matches at once, best first.

    An agent rated 400 points above another is expected to win ten of eleven games; the mean rating is 0. A draw counts
    as half a win. One extra draw per pair keeps the rating of an agent that never loses finite. If all pairs play
    equally many games, the order of ratings is the order of wins. The ``matches`` have ``line_up`` (two names),
    ``won``, ``drawn`` and ``games``; the result has per agent the ``name``, ``rating`` and its standard ``error``, None
    without the covariance of `covariance_of`.
    """
    names = list(dict.fromkeys(name for match in matches for name in match["line_up"]))
    one, other = (np.array([names.index(match["line_up"][k]) for match in matches]) for k in (0, 1))
    games = np.array([match["games"] for match in matches], np.float64)
    won = np.array([match["won"] + match["drawn"] / 2 for match in matches])
    expected = (won * games + 0.5) / (games + 1)
    sides = np.eye(len(names))[one] - np.eye(len(names))[other]
    strength = fitted(sides, games + 1, expected)
    errors = None if covariance is None else errors_of(strength, sides, games, covariance)
    rows = [
        {"name": name, "rating": float(SCALE * own), "error": None if errors is None else float(SCALE * errors[k])}
        for k, (name, own) in enumerate(zip(names, strength, strict=True))
    ]
    return sorted(rows, key=lambda row: -row["rating"])


def fitted(sides: Floats, games: Floats, won: Floats) -> Floats:
    """Fit strengths (agents,) of mean 0 that make the rates ``won`` (matches,) most likely, by Newton's method.

    The rates are of each match's first agent, above 0 and below 1; ``games`` (matches,) are how many it is based on.
    ``sides`` (matches, agents) has 1 for the first agent of a match, and -1 for the second.
    """
    strength = np.zeros(sides.shape[1])
    for _ in range(1000):
        probability, inverse = curvature(sides, games, strength)
        step = inverse @ ((games * (probability - won)) @ sides)
        strength -= step / max(1, abs(step).max())  # at most one unit: far from the optimum, full steps overshoot
        if abs(step).max() < 1e-9:
            break
    return strength - strength.mean()


def curvature(sides: Floats, games: Floats, strength: Floats) -> tuple[Floats, Floats]:
    """Return the expected rates (matches,), and the pseudo-inverse of the likelihood's curvature (agents, agents)."""
    rates = 1 / (1 + np.exp(-(sides @ strength)))
    return rates, np.asarray(np.linalg.pinv(sides.T * (games * rates * (1 - rates)) @ sides), np.float64)


def errors_of(strength: Floats, sides: Floats, games: Floats, covariance: Floats) -> Floats:
    """Return the standard errors of fitted strengths from the ``covariance`` of the results (a sandwich estimate)."""
    _, bread = curvature(sides, games, strength)
    spread = np.outer(games, games) * covariance
    return np.sqrt(np.diag(bread @ sides.T @ spread @ sides @ bread))
