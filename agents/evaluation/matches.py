"""Head-to-head matches in competitive games with seats rotated, and ratings.

To cancel the luck of deal and seat, every pair of agents plays each deal once per exchange of their seats, and errors
are over deals. Who won is said by the rules of the game, whatever its rewards.

Ratings are in the `unit_of` what the game is won by. A game of several rounds whose points add up is won by points, so
who wins more of its rounds may lose. Matches of all rounds are rated by Elo; single rounds by the points of each.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.games import game_of
from hanabako.progress import ProgressBar

from ..playing.play import play, standard_error
from ..playing.policy import Policy

SCALE = 400 / math.log(10)
"""Elo points per unit of log-odds: 400 points are odds of ten to one, as in chess."""
ELO, POINTS = "Elo", "points a round"
"""The units of ratings, see `unit_of`."""


@dataclass(frozen=True)
class HeadToHead:
    """The results of one agent against another."""

    lead: NDArray[np.float64]
    """(deals, line-ups): the mean return of the first agent's seats minus that of the second agent's."""
    won: NDArray[np.float64]
    """(deals, line-ups): 1 if a larger part of the first agent's seats won the game, 0 if of the second's, 0.5 if equal
    parts did."""

    def summary(self) -> dict[str, Any]:
        """Return mean lead and win rate with standard errors over deals, and the rate of draws, as JSON types."""
        won = self.won == 1
        return {
            "lead": float(self.lead.mean()),
            "lead_error": standard_error(self.lead.mean(axis=1)),
            "won": float(won.mean()),
            "won_error": standard_error(won.mean(axis=1)),
            "drawn": float((self.won == 0.5).mean()),
            "deals": len(self.lead),
            "games": self.lead.size,
        }


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


def line_ups(players: int) -> list[list[bool]]:
    """Return the seats of the first of two agents: each seat alone, then (for three or more players) all but one."""
    alone = [[seat == k for k in range(players)] for seat in range(players)]
    return alone if players == 2 else [*alone, *([not own for own in seats] for seats in alone)]


def head_to_head(
    config: Any, one: Policy, other: Policy, deals: int, seed: int, num_threads: int = 1, first: int = 0
) -> HeadToHead:
    """Play every deal, from number ``first``, with every line-up of `line_ups`."""
    leads, won = [], []
    for own in line_ups(config.players):
        seats = [one if mine else other for mine in own]
        games, others = play(config, seats, deals, seed, num_threads, first=first), np.logical_not(own)
        leads.append(games.rewards[:, own].mean(axis=1) - games.rewards[:, others].mean(axis=1))
        ahead = games.winners[:, own].mean(axis=1) - games.winners[:, others].mean(axis=1)
        won.append(np.sign(ahead) / 2 + 0.5)
    return HeadToHead(np.stack(leads, axis=1), np.stack(won, axis=1))


def tournament(
    config: Any, agents: Mapping[str, Policy], deals: int, seed: int, num_threads: int = 1, progress: bool = False
) -> dict[str, Any]:
    """Play every pair of agents head to head, and rate all agents. See `in_points` for the rewards.

    Returns:
        JSON types: ``matches``, with the names and a `HeadToHead.summary` per pair; ``unit``, see `unit_of`;
        ``ratings``, see `ratings` and `points_taken`.
    """
    config = in_points(config)
    pairs = list(itertools.combinations(agents, 2))
    matches = {
        (one, other): head_to_head(config, agents[one], agents[other], deals, seed, num_threads)
        for one, other in ProgressBar(pairs, unit="pair", disable=not progress)
    }
    rows = [{"agents": list(pair), **match.summary()} for pair, match in matches.items()]
    if unit_of(config) == POINTS:
        return {"matches": rows, "unit": POINTS, "ratings": points_taken(rows)}
    results = np.stack([match.won.mean(axis=1) for match in matches.values()])
    rated = ratings(rows, np.cov(results, ddof=1) / deals if deals > 1 else None)
    return {"matches": rows, "unit": ELO, "ratings": rated}


def points_taken(matches: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the points that each agent takes from its opponents in a round, on average over opponents, best first.

    Args:
        matches: ``agents`` (two names), ``lead`` and ``lead_error``, as in `HeadToHead.summary`. A lead is counted from
            both sides, so it is twice the points.

    Returns:
        Per agent the ``name``, ``rating`` and ``error``, None if a match has none. The error is the mean of the
        matches' errors, which is the largest that it can be, as all pairs play the same deals.
    """
    own: dict[str, list[tuple[float, float | None]]] = {}
    for match in matches:
        for name, side in zip(match["agents"], (1, -1), strict=True):
            own.setdefault(name, []).append((side * match["lead"] / 2, match["lead_error"]))
    rows = []
    for name, found in own.items():
        errors = [error / 2 for _, error in found if error is not None]
        error = float(np.mean(errors)) if len(errors) == len(found) else None
        rows.append({"name": name, "rating": float(np.mean([points for points, _ in found])), "error": error})
    return sorted(rows, key=lambda row: -row["rating"])


def ratings(
    matches: Sequence[Mapping[str, Any]], covariance: NDArray[np.float64] | None = None
) -> list[dict[str, Any]]:
    """Return ratings by the model of Bradley and Terry (1952), fitted to all matches at once, best first.

    An agent rated 400 points above another is expected to win ten of eleven games; the mean rating is 0. A draw counts
    as half a win. One extra draw per pair keeps the rating of an agent that never loses finite. If all pairs play
    equally many games, the order of ratings is the order of wins.

    Args:
        matches: ``agents`` (two names), ``won``, ``drawn`` and ``games``, as in `HeadToHead.summary`.
        covariance: (matches, matches), of the matches' results, in which a draw is half a win. All pairs play the same
            deals, so their results are not independent.

    Returns:
        Per agent the ``name``, ``rating`` and its standard ``error``, None without a ``covariance``.
    """
    names = list(dict.fromkeys(name for match in matches for name in match["agents"]))
    one, other = (np.array([names.index(match["agents"][k]) for match in matches]) for k in (0, 1))
    games = np.array([match["games"] for match in matches], np.float64)
    won = np.array([match["won"] + match["drawn"] / 2 for match in matches])
    expected = (won * games + 0.5) / (games + 1)

    sides = sides_of(one, other, len(names))
    strength = fitted(sides, games + 1, expected)
    errors = None if covariance is None else errors_of(strength, sides, games, np.atleast_2d(covariance))
    rows = [
        {"name": name, "rating": float(SCALE * own), "error": None if errors is None else float(SCALE * errors[k])}
        for k, (name, own) in enumerate(zip(names, strength, strict=True))
    ]
    return sorted(rows, key=lambda row: -row["rating"])


def fitted(sides: NDArray[np.float64], games: NDArray[np.float64], won: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit strengths (agents,) of mean 0 that make the rates ``won`` (matches,) most likely, by Newton's method.

    Args:
        sides: see `sides_of`.
        games: number of games per match (matches,).
        won: share of games that the first agent won (matches,), strictly between 0 and 1.
    """
    strength = np.zeros(sides.shape[1])
    for _ in range(1000):
        probability = expit(sides @ strength)
        slope = (games * (probability - won)) @ sides
        step = curvature_inverse(sides, games, probability) @ slope
        strength -= step / max(1, abs(step).max())  # at most one unit: far from the optimum, full steps overshoot
        if abs(step).max() < 1e-9:
            break
    return strength - strength.mean()


def curvature_inverse(
    sides: NDArray[np.float64], games: NDArray[np.float64], probability: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (agents, agents): the pseudo-inverse of the negative log-likelihood's second derivative."""
    return np.asarray(np.linalg.pinv(sides.T * (games * probability * (1 - probability)) @ sides), np.float64)


def expit(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logistic function of ``x``."""
    return 1 / (1 + np.exp(-x))


def sides_of(one: NDArray[np.int64], other: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Return (matches, agents): 1 for the first agent of a match, -1 for the second."""
    return np.eye(count)[one] - np.eye(count)[other]


def errors_of(
    strength: NDArray[np.float64],
    sides: NDArray[np.float64],
    games: NDArray[np.float64],
    covariance: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the standard errors of fitted strengths from the ``covariance`` of the results (a sandwich estimate)."""
    bread = curvature_inverse(sides, games, expit(sides @ strength))
    spread = np.outer(games, games) * covariance
    return np.sqrt(np.diag(bread @ sides.T @ spread @ sides @ bread))
