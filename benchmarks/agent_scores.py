"""The scores shown by `hanabako agents`, from the results of two studies; they ship as ``agents/scores.json``."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agents.studies.store import read_results
from hanabako.games import config_from_dict, game_named, game_names, game_of

from .strength import hanabi_bots, shipped_networks

__all__ = ["agent_scores"]


def agent_scores() -> str:
    """Return JSON by game and agent: ``unit`` (points or Elo), ``score``, its standard ``error``, and the setting.

    Bots have their scores in the first preset with the fewest players.
    """
    evaluations: list[Mapping[str, Any]] = [row["evaluation"] for row in read_results(shipped_networks.RESULTS)]
    evaluations += [row for row in read_results(hanabi_bots.RESULTS) if is_of_preset(row)]
    found: dict[str, dict[str, Any]] = {game: {} for game in game_names()}
    for evaluation in sorted(evaluations, key=order):
        about = {name: evaluation[name] for name in ("preset", "players", "observation")}
        for name, score in scores_of(evaluation):
            found[evaluation["config"]["game"]].setdefault(name, about | score)
    return json.dumps({game: dict(sorted(scores.items())) for game, scores in found.items()}, indent=1) + "\n"


def is_of_preset(evaluation: Mapping[str, Any]) -> bool:
    """Whether the config differs from its named preset only in the number of players."""
    config = config_from_dict(evaluation["config"])
    return config == game_of(config).make_config(preset=evaluation["preset"], players=evaluation["players"])


def order(evaluation: Mapping[str, Any]) -> tuple[bool, int]:
    """Return a sort key: the first preset first, then the fewest players."""
    return evaluation["preset"] != game_named(evaluation["config"]["game"]).first_preset, evaluation["players"]


def scores_of(evaluation: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each agent's name with its rating, or a single agent's with its mean score."""
    for row in evaluation["tournament"]["ratings"] if "tournament" in evaluation else ():
        yield row["name"], {"unit": "Elo", "score": round(row["rating"], 1), "error": round(row["error"], 2)}
    if "score" in evaluation:
        score, error = round(evaluation["score"], 5), round(evaluation["score_error"], 5)
        yield evaluation["agents"][0], {"unit": "points", "score": score, "error": error}
