"""The scores shown by `hanabako agents`, from the results of studies; they ship as ``agents/scores.json``."""

import json
from collections.abc import Iterator
from typing import Any

from hanabako.agents.results.ratings import rated, unit_of
from hanabako.agents.results.store import read_results
from hanabako.agents.results.study import Result
from hanabako.games import config_from_dict, game_named, game_names

from .strength.shipped_networks import RESULTS

__all__ = ["agent_scores"]


def agent_scores() -> str:
    """Return JSON by game and agent: ``unit``, ``score``, its standard ``error``, and the setting.

    Bots have their scores in the first preset with the fewest players.
    """
    rows = [row for name in ("shipped_networks", "hanabi_bots") for row in results_of(name) if len(row["line_up"]) == 1]
    scored: list[tuple[Result, Any]] = [(row, score_of(row)) for row in rows if " " not in row["preset"]]
    scored.extend(ratings())
    found: dict[str, dict[str, Any]] = {game: {} for game in game_names()}
    for row, (name, score) in sorted(scored, key=lambda one: order(one[0])):
        about = {"preset": row["preset"], "players": row["players"]}
        found[row["game"]].setdefault(name, about | score)
    return json.dumps({game: dict(sorted(scores.items())) for game, scores in found.items()}, indent=1) + "\n"


def results_of(name: str) -> list[dict[str, Any]]:
    """Return the results of a study."""
    return read_results(RESULTS.with_name(f"{name}.json"))


def order(row: Result) -> tuple[bool, int]:
    """Return a sort key: the first preset first, then the fewest players."""
    return row["preset"].split(" ")[0] != game_named(row["game"]).first_preset, row["players"]


def score_of(row: Result) -> tuple[str, dict[str, Any]]:
    """Return an agent's name, and its mean score alone."""
    numbers = {"score": round(row["score"], 5), "error": round(row["score_error"], 5)}
    return row["line_up"][0], {"unit": "points", **numbers}


def ratings() -> Iterator[tuple[Result, tuple[str, dict[str, Any]]]]:
    """Yield a meeting of each tournament with the name and the rating of each of its agents."""
    tournaments: dict[tuple[str, int], list[Result]] = {}
    for row in results_of("tournaments"):
        tournaments.setdefault((row["preset"], row["players"]), []).append(row)
    for rows in tournaments.values():
        config = config_from_dict(rows[0]["config"])
        for one in rated(config, rows):
            numbers = {"score": round(one["rating"], 4), "error": round(one["error"], 4)}
            yield rows[0], (one["name"], {"unit": unit_of(config), **numbers})
