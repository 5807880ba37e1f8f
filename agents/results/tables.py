"""Results of meetings as tables in Markdown."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hanabako.games import config_from_dict, game_in_words, game_named
from hanabako.generated import table as markdown
from hanabako.words.cleaned import as_code

from ..registry import SEARCH
from .ratings import ELO, rated, unit_of
from .study import Result, Results
from .views import gain, plus_minus, short_name

__all__ = ["game_text", "score_text", "table", "training_in_words", "with_error"]


def table(results: Results) -> str:
    """Return a table: of agents alone a matrix of agents and games; of pairs a matrix of agents; else a list."""
    if not results:
        return "Nothing has been played yet."
    if all(len(row["line_up"]) == 1 and not row["search"] for row in results):
        return matrix(results)
    names = list(dict.fromkeys(name for row in results for name in row["line_up"]))
    pairs = {tuple(row["line_up"]) for row in results}
    if len(pairs) == len(results) == len(names) ** 2:
        return crossed(results, names)
    matches = {frozenset(row["line_up"]) for row in results if "lead" in row}
    is_contest = len(matches) == len(results) == len(names) * (len(names) - 1) // 2
    return contest(results) if is_contest else listing(results)


def matrix(results: Results) -> str:
    """Return a table with a line per agent, the best first, and a column per game."""
    games = list(dict.fromkeys(map(game_text, results)))
    cells: dict[str, dict[str, Result]] = {}
    for row in results:
        cells.setdefault(row["line_up"][0], {})[game_text(row)] = row
    best = {game: max(own[game]["score"] for own in cells.values() if game in own) for game in games}
    order = sorted(cells, key=lambda name: -np.mean([row["score"] - best[game] for game, row in cells[name].items()]))
    lines = [[short_name(name), *(score_text(cells[name].get(game), "") for game in games)] for name in order]
    errors = [row["score_error"] for row in results if row["score_error"] is not None]
    below = f"\n\nStandard errors are at most {max(errors):.2g}." if errors else ""
    return markdown(["agent", *games], lines) + below


def crossed(results: Results, names: Sequence[str]) -> str:
    """Return the scores of all ordered pairs, with a line per first agent."""
    met = {tuple(row["line_up"]): row for row in results}
    seats = "seat in turn" if results[0]["seats"] == "turns" else "player 0's seat"
    lines = [[short_name(one), *(score_text(met[one, other]) for other in names)] for one in names]
    return markdown([f"at {seats}, with", *map(short_name, names)], lines)


def contest(results: Results) -> str:
    """Return a table of how often each agent wins against every other; the best comes first.

    The last column is the rating, in the game's unit. A line above says how wide the 95 % intervals are at most.
    """
    config, met = config_from_dict(results[0]["config"]), {tuple(row["line_up"]): row for row in results}
    ratings, form = rated(config, results), ".0f" if unit_of(config) == ELO else ".2f"
    names = [row["name"] for row in ratings]
    lines = []
    for row in ratings:
        won, error = [won_text(met, row["name"], other) for other in names], row["error"]
        lines.append([row["name"], *won, f"{row['rating']:+{form}}{plus_minus(error and 1.96 * error, form)}"])
    errors = [1.96 * row["won_error"] for row in results if row["won_error"]]
    head = f"**{game_in_words(config)}**, {results[0]['games']:,} games a pair"
    head += f"; 95 % intervals of wins are at most ± {max(errors):.1%}." if errors else "."
    return f"{head}\n\n{markdown(['wins against', *map(short_name, names), unit_of(config)], lines)}"


def won_text(met: dict[Any, Result], one: str, other: str) -> str:
    """Return how often one agent wins against another; "" for an agent and itself."""
    if one == other:
        return ""
    row = met.get((one, other)) or met[other, one]
    return f"{row['won'] if (one, other) in met else 1 - row['won'] - row['drawn']:.1%}"


def listing(results: Results) -> str:
    """Return a table with a line per meeting, game by game; columns without a number are left out.

    A blueprint on the deals of its search has no line: the search's says what it gains.
    """
    plain = (row for row in results if len(row["line_up"]) == 1 and not row["search"])
    alone = {(game_text(row), row["line_up"][0]): row for row in plain}
    searched = {(game_text(row), row["line_up"][0].partition(":")[2]) for row in results if gained(alone, row)}
    games = list(dict.fromkeys(map(game_text, results)))
    results = [row for row in results if row["search"] or (game_text(row), row["line_up"][0]) not in searched]
    results.sort(key=lambda row: games.index(game_text(row)))
    several = len({row["game"] for row in results}) > 1
    columns = {
        "game": lambda row: f"{row['game']} {game_text(row)}" if several else game_text(row),
        "agent": lambda row: as_code(",".join(map(short_name, row["line_up"][: 1 if partner(row) else None]))),
        "settings": lambda row: ", ".join(f"{name} {value}" for name, value in (row["search"] or {}).items()),
        "partner" if game_named(results[0]["game"]).cooperative else "rival": partner,
        "score": lambda row: "" if "lead" in row else score_text(row),
        "gain by search": partial(gained, alone),
        "half of the lead": lambda row: (  # it is counted from both sides; with a 95 % interval
            f"{row['lead'] / 2:+.2f} ± {1.96 * row['lead_error'] / 2:.2f}" if "lead" in row else ""
        ),
        "won": lambda row: f"{row['won']:.1%}{plus_minus(1.96 * row['won_error'], '.1%')}" if "won" in row else "",
        "drawn": lambda row: f"{row['drawn']:.1%}" if "drawn" in row else "",
        "ms a decision": spent,
        "deals": lambda row: f"{row['done']:,}",
    }
    cells = {head: [cell(row) for row in results] for head, cell in columns.items()}
    cells = {head: column for head, column in cells.items() if any(column)}
    below = f"\n\n{cells.pop('deals')[0]} deals a line." if len(set(cells["deals"])) == 1 else ""
    pairs = zip(["", *cells["game"]], cells["game"], strict=False)
    cells["game"] = ["" if own == before else own for before, own in pairs]
    return markdown(list(cells), list(zip(*cells.values(), strict=True))) + below


def game_text(row: Result) -> str:
    """Return a meeting's game in words."""
    return f"{row['preset']}, {row['players']} players"


def partner(row: Result) -> str:
    """Return the second agent; "" if there is none, or if one seat of the line-up searches."""
    is_shown = len(row["line_up"]) == 2 and not (row["search"] and row["seats"] == "given")
    return as_code(short_name(row["line_up"][1])) if is_shown else ""


def gained(alone: dict[Any, Result], row: Result) -> str:
    """Return what a search scores more than its blueprint on the same deals; "" if that is not known."""
    blueprint, *others = {name.removeprefix(SEARCH) for name in row["line_up"]}
    found = alone.get((game_text(row), blueprint))
    if not row["search"] or found is None or others:
        return ""
    mean, error = gain(row, found)
    return f"{mean:+.3f}{plus_minus(error)}"


def spent(row: Result) -> str:
    """Return the milliseconds of one core that a decision of each agent took, as far as they were counted."""
    counts = [row.get("answers", {}).get(name, {}) for name in dict.fromkeys(row["line_up"])]
    return ", ".join(f"{1000 * it['core_seconds'] / it['decisions']:.1f}" for it in counts if it.get("core_seconds"))


def score_text(row: Result | None, error: str = "±") -> str:
    """Return the score; if games were lost, also the score with their points; the share of perfect games, if any.

    Without an ``error`` mark the standard error only says how many digits are shown.
    """
    if row is None:
        return ""
    text = with_error(row["score"], row["score_error"])
    text = text if error else text.partition(" ")[0]
    if row.get("lost_rate") and "fireworks_score" in row:
        text += f"; {row['fireworks_score']:.2f}"
    return text + (f" ({row['perfect_rate']:.1%})" if row.get("perfect_rate") else "")


def with_error(value: float, error: float | None, digits: int = 2) -> str:
    """Format a mean with its standard error; an error that would be printed as 0 gets a digit more."""
    digits += 0 < (error or 0) < 0.5 * 10**-digits
    return f"{value:.{digits}f}{plus_minus(error, f'.{digits}f')}"


def training_in_words(about: Mapping[str, Any]) -> str:
    """Describe a network's training from its file's ``about``: decisions, cost, start, and processor."""
    where = f", {about['processor']}" if "processor" in about else ""
    began = f", begun {about['began']}" if "began" in about else ""
    if about.get("processor", "").startswith("a GPU"):
        cost = f"{about['seconds'] / 60:.0f} minutes"
    else:
        seconds = about["core_seconds"] if "core_seconds" in about else about["seconds"] * about["ranks"]
        cost = f"{seconds / 60:.0f} core-minutes"
    return f"{about['steps'] / 1e6:.0f} M decisions in {cost}{began}{where}"
