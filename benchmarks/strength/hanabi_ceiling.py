"""The ceiling of Hanabi: the best possible score of decks with all cards known.

    hanabako study run hanabi_ceiling --cores 2
    hanabako study run hanabi_ceiling --where preset=black_powder players=2
    python -m benchmarks.strength.solvers.ceiling.checking --decks 100    # a second program checks games and arguments
    python -m benchmarks.strength.solvers.ceiling.checking --below        # it checks all decks in the results

All random events are known from the first turn: the order of the deck and, with bonus tiles (V4), the order of the
tiles and the deck after a shuffle by tile (e). Deck i is that of game i of the seed, as in `agents.play`. The
results list the decks that allow less than the highest score: all of the standard game, and the first `MOST_BELOW` of
each other setting.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hanabako.agents.results import Row, Study
from hanabako.agents.results.study import Result, Results
from hanabako.generated import table
from hanabi_env import PRESETS

from .solvers.ceiling.verdicts import Ceiling, Verdict

PART_SECONDS, BLOCK = 10.0, 100
"""PART_SECONDS: the time of a part, unless the row ends first. BLOCK: decks between two looks at the clock."""
MOST_BELOW = 40
WHOLE = "standard"
"""The preset for which all decks below the highest score are listed."""
SAME = ("first_edition_2010", "romanian_2013")
"""Presets with the same cards and rules as the standard game."""


@dataclass(frozen=True)
class Decks(Row):
    """The first decks of a seed."""

    preset: str
    players: int
    seed: int = 1


ROWS = [Decks(preset, players, wanted=100_000) for preset in PRESETS if preset not in SAME for players in (2, 3, 4, 5)]
NOTHING: dict[str, Any] = {
    "decks": 0,
    "perfect": 0,
    "open": 0,
    "less": {},
    "lower": 0,
    "upper": 0,
    "best": {},
    "seconds": 0.0,
    "below": [],
}


def solved(row: Decks, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Solve more decks of a row: how many allow the highest score, and what the others allow, added to ``before``.

    Raises:
        ValueError: see `Ceiling`.
    """
    ceiling = Ceiling(replace(PRESETS[row.preset], players=row.players))
    result = {name: (before or NOTHING)[name] for name in NOTHING}
    ceiling.solve(row.seed, 0)  # compiled before the clock starts
    end = time.monotonic() + PART_SECONDS
    while result["decks"] < row.wanted and time.monotonic() < end:
        first, began = result["decks"], time.thread_time()
        verdicts = [ceiling.solve(row.seed, i) for i in range(first, min(first + BLOCK, row.wanted))]
        below = [
            line_of(index, verdict)
            for index, verdict in enumerate(verdicts, first)
            if verdict.lower < ceiling.config.max_score
        ]
        room = None if row.preset == WHOLE else max(0, MOST_BELOW - len(result["below"]))
        result = counted(result, verdicts, ceiling.config.max_score, time.thread_time() - began)
        result["below"] = [*result["below"], *below[:room]]
    return {"done": result["decks"], **result}


def line_of(index: int, verdict: Verdict) -> str:
    """Return a line for a deck below the highest score: the number of its game, its best score, and its argument."""
    best = str(verdict.lower) if verdict.lower == verdict.upper else f"{verdict.lower}-{verdict.upper}"
    return f"game {index} best {best} {verdict.argument or 'open'}"


def counted(result: Mapping[str, Any], verdicts: Sequence[Verdict], most: int, seconds: float) -> dict[str, Any]:
    """Return the counts with more verdicts added.

    Args:
        result: the counts so far.
        verdicts: the verdicts on the next decks.
        most: the highest score.
        seconds: the core-seconds that they took.
    """
    names = Counter(verdict.argument.partition(":")[0] for verdict in verdicts if verdict.argument)
    exact = Counter(str(verdict.lower) for verdict in verdicts if verdict.lower == verdict.upper)
    return {
        "decks": result["decks"] + len(verdicts),
        "perfect": result["perfect"] + sum(verdict.lower == most for verdict in verdicts),
        "open": result["open"] + sum(verdict.is_open for verdict in verdicts),
        "less": dict(sorted((Counter(result["less"]) + names).items())),
        "lower": result["lower"] + sum(verdict.lower for verdict in verdicts),
        "upper": result["upper"] + sum(verdict.upper for verdict in verdicts),
        "best": dict(sorted((Counter(result["best"]) + exact).items(), key=lambda item: -int(item[0]))),
        "seconds": round(result["seconds"] + seconds, 2),
        "below": result["below"],
    }


# --- The table --------------------------------------------------------------------------------------------------------


def board(results: Results) -> str:
    """Return two tables with a line per preset: what is possible by number of players, and why the rest is not."""
    order = list(PRESETS)
    rows = sorted(results, key=lambda row: (order.index(row["preset"]), row["players"]))
    counts = sorted({row["players"] for row in rows})
    cells = {(row["preset"], row["players"]): cell(row) for row in rows}
    presets = list(dict.fromkeys(row["preset"] for row in rows))
    possible = ([name, *(cells.get((name, count), "") for count in counts)] for name in presets)
    fewest = [row for row in rows if row["players"] == counts[0]]
    reasons = sorted({name for row in fewest for name in row["less"]})
    shares = (
        [row["preset"], *(share(row, row["less"].get(name, 0)) for name in reasons), share(row, row["open"])]
        for row in fewest
    )
    return "\n\n".join(
        [
            "Decks that allow a perfect score, and the mean best score or its bounds:",
            table(["game", *(f"{count} players" for count in counts)], possible),
            f"Why not, with {counts[0]} players:",
            table(["game", *reasons, "open"], shares),
        ]
    )


def cell(row: Result) -> str:
    """Return the share of perfect decks, and the mean best score or its bounds."""
    lower, upper = (f"{row[name] / row['decks']:.3f}" for name in ("lower", "upper"))
    return f"**{row['perfect'] / row['decks']:.2%}** {lower}{'' if lower == upper else f' to {upper}'}"


def share(row: Result, number: int) -> str:
    """Return a number of decks as a share; "" for none."""
    return f"{number / row['decks']:.2%}" if number else ""


STUDY = Study("hanabi_ceiling", ROWS, solved, tables={"ceiling": board}, unit="deck")
