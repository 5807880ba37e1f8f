"""The scores shown by `hanabako agents`, from the results of two studies; they ship as ``agents/scores.json``."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agents.studies.store import read_results
from hanabako.games import config_from_dict, game_names, game_of, nearest_preset

from .strength import hanabi_bots, shipped_networks
from .strength.tables.tournaments import ratings_of

__all__ = ["agent_scores"]


def agent_scores() -> str:
    """Return JSON by game and agent: ``unit``, ``score``, its standard ``error``, and the setting.

    Bots have their scores in the first preset with the fewest players.
    """
    evaluations: list[Mapping[str, Any]] = [row["evaluation"] for row in read_results(shipped_networks.RESULTS)]
    evaluations += [row for row in read_results(hanabi_bots.RESULTS) if is_of_preset(row)]
    found: dict[str, dict[str, Any]] = {game: {} for game in game_names()}
    for evaluation in sorted(evaluations, key=order):
        preset = " ".join(nearest_preset(config_from_dict(evaluation["config"])))
        about = {"preset": preset, "players": evaluation["players"]}
        for name, score in scores_of(evaluation):
            found[evaluation["config"]["game"]].setdefault(name, about | score)
    return json.dumps({game: dict(sorted(scores.items())) for game, scores in found.items()}, indent=1) + "\n"


def is_of_preset(evaluation: Mapping[str, Any]) -> bool:
    """Whether the config differs from its named preset only in the number of players."""
    config = config_from_dict(evaluation["config"])
    return config == game_of(config).make_config(preset=evaluation["preset"], players=evaluation["players"])


def order(evaluation: Mapping[str, Any]) -> tuple[bool, int]:
    """Return a sort key: the first preset first, then the fewest players."""
    config = config_from_dict(evaluation["config"])
    return nearest_preset(config)[0] != game_of(config).first_preset, config.players


def scores_of(evaluation: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each agent's name with its rating, or a single agent's with its mean score."""
    unit, ratings = ratings_of(evaluation) if "tournament" in evaluation else ("points", [])
    for row in ratings:
        yield row["name"], {"unit": unit, "score": round(row["rating"], 4), "error": round(row["error"], 4)}
    if "score" in evaluation:
        score, error = round(evaluation["score"], 5), round(evaluation["score_error"], 5)
        yield evaluation["agents"][0], {"unit": unit, "score": score, "error": error}
