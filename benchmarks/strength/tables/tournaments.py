"""Tournaments as tables: how often each agent beats every other, and their ratings."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.evaluation.matches import ELO, points_taken, unit_of
from hanabako.games import config_from_dict, game_in_words
from hanabako.generated import table

from .markdown import agent_name, seen, training_in_words

__all__ = ["rate_of", "ratings_of", "tournaments"]


def ratings_of(result: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """Return the unit and the ratings of a tournament, given as the result of `agents.evaluation.report.evaluate`.

    Older results have Elo for single rounds of Koi-Koi, too; points are found from their matches.
    """
    unit, played = unit_of(config_from_dict(result["config"])), result["tournament"]
    return unit, played["ratings"] if unit == ELO else points_taken(played["matches"])


def tournaments(results: Sequence[Mapping[str, Any]]) -> str:
    """Return one part per tournament, each given as the result of `agents.evaluation.report.evaluate`."""
    return "\n\n".join(map(tournament, results))


def tournament(result: Mapping[str, Any]) -> str:
    """Return one tournament under its title, the best agent first, with 95 % intervals."""
    matches = result["tournament"]["matches"]
    won = {tuple(match["agents"]): match for match in matches}
    ratings = {rating["name"]: rating for rating in result["tournament"]["ratings"]}  # best first
    trained = [f"PPO: {training_in_words(about)}, observation {seen(result)}" for about in result["training"] if about]
    title = game_in_words(config_from_dict(result["config"]))
    head = f"**{title}**, {matches[0]['games']:,} games a pair. {'. '.join(trained)}".rstrip()
    rows = [
        [
            agent_name(name),
            *(won_text(won, name, other) for other in ratings),
            f"{rating['rating']:+.0f} ± {1.96 * rating['error']:.0f}",
        ]
        for name, rating in ratings.items()
    ]
    return f"{head}\n\n{table(['beats', *map(agent_name, ratings), 'rating (Elo)'], rows)}"


def won_text(won: Mapping[tuple[str, ...], Mapping[str, Any]], one: str, other: str) -> str:
    """Format how often one agent beats another, with a 95 % interval; "" for an agent and itself."""
    if one == other:
        return ""
    match = won.get((one, other)) or won[other, one]
    return f"{rate_of(won, one, other):.1%} ± {1.96 * match['won_error']:.1%}"


def rate_of(won: Mapping[tuple[str, ...], Mapping[str, Any]], one: str, other: str) -> float:
    """Return the fraction of games that one agent wins against another."""
    if (one, other) in won:
        return won[one, other]["won"]
    return 1 - won[other, one]["won"] - won[other, one]["drawn"]
