"""Who beats whom: head-to-head matches of competitive games with seats rotated, and ratings.

Luck of the deal and of the seat is paid back: every pair of agents plays every deal once with each possible exchange of
their seats, and errors are over deals.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ..bots.policy import Policy
from .playing import play

RATED_GAMES = 500  # per pair: more do not change a rating's place


@dataclass(frozen=True)
class HeadToHead:
    """How one agent did against another."""

    points: NDArray[np.float64]
    """(deals, line-ups): mean return of the first agent's seats, minus that of the second's."""

    def summary(self) -> dict[str, Any]:
        """Mean gain and rate of games won with their standard errors over deals, rate of draws, as JSON types."""
        return {
            "points": float(self.points.mean()),
            "points_error": error_of_deals(self.points),
            "won": float((self.points > 0).mean()),
            "won_error": error_of_deals(self.points > 0),
            "drawn": float((self.points == 0).mean()),
            "deals": len(self.points),
            "games": self.points.size,
        }


def error_of_deals(values: NDArray[Any]) -> float | None:
    """The standard error of the mean of ``values`` (deals, line-ups), whose rows alone are independent."""
    deals = values.mean(axis=1)
    return float(deals.std(ddof=1) / math.sqrt(len(deals))) if len(deals) > 1 else None


def line_ups(players: int) -> list[list[bool]]:
    """Which seats the first of two agents has: every seat alone, then (of more than two) all seats but one."""
    alone = [[seat == k for k in range(players)] for seat in range(players)]
    return alone if players == 2 else [*alone, *([not own for own in seats] for seats in alone)]


def head_to_head(config: Any, first: Policy, second: Policy, deals: int, seed: int, num_threads: int = 1) -> HeadToHead:
    """Play every deal with every line-up of `line_ups`."""
    columns = []
    for own in line_ups(config.players):
        rewards = play(config, [first if mine else second for mine in own], deals, seed, num_threads).rewards
        columns.append(rewards[:, own].mean(axis=1) - rewards[:, np.logical_not(own)].mean(axis=1))
    return HeadToHead(np.stack(columns, axis=1))


def tournament(
    config: Any, agents: Mapping[str, Policy], deals: int, seed: int, num_threads: int = 1, progress: bool = False
) -> dict[str, Any]:
    """Every pair of agents head to head, and everybody's rating.

    Returns:
        JSON types: ``matches``, per pair the names and a `HeadToHead.summary`; ``ratings`` as of `ratings`.
    """
    pairs = list(itertools.combinations(agents, 2))
    matches = {
        (one, other): head_to_head(config, agents[one], agents[other], deals, seed, num_threads)
        for one, other in tqdm(pairs, unit="pair", disable=not progress)
    }
    results = [(*pair, float(gain)) for pair, match in matches.items() for gain in match.points.ravel()[:RATED_GAMES]]
    return {
        "matches": [{"agents": list(pair), **match.summary()} for pair, match in matches.items()],
        "ratings": ratings(results, seed),
    }


def ratings(results: list[tuple[str, str, float]], seed: int) -> list[dict[str, Any]]:
    """Ratings by openskill's Plackett-Luce model (Weng and Lin 2011), best first.

    Args:
        results: (one, other, what one gained over the other) of every game.
        seed: of the order in which the games are rated, which should not matter much.

    Returns:
        Per agent ``name``, ``rating`` (mu), ``uncertainty`` (sigma) and ``ordinal`` (mu - 3 sigma).
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    rated = {name: model.rating(name=name) for one, other, _ in results for name in (one, other)}
    for k in np.random.default_rng(seed).permutation(len(results)).tolist():
        one, other, gain = results[k]
        (rated[one],), (rated[other],) = model.rate([[rated[one]], [rated[other]]], scores=[gain, 0.0])
    order = sorted(rated.items(), key=lambda item: -item[1].mu)
    return [
        {"name": name, "rating": rating.mu, "uncertainty": rating.sigma, "ordinal": rating.ordinal()}
        for name, rating in order
    ]
