"""The gain of search in Hanabi over its blueprint, on the same deals.

    hanabako study run search_hanabi --cores 2
    hanabako study run search_hanabi --where blueprint=questions players=2 rollouts=300 --minutes 10

One seat, player 0's, searches and the others play the blueprint; or all search (multi-agent search). The blueprint
plays the same deals without search, so that differences are paired. A game's score depends only on its row and number.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.playing.play import play, standard_error
from agents.registry import SEARCH, load
from agents.search.hanabi.policy import SearchPolicy
from agents.studies import Row, Study
from hanabako.games import make_config

from .tables.ceilings import Ceilings, ceiling_text, read_ceilings

SEED = 1
FEWEST, ROLLOUTS_AT_ONCE = 10, 1500
"""The sizes of batches of games: larger batches are faster, but an interruption loses more."""


@dataclass(frozen=True)
class Search(Row):
    """Games with one setting and one number of roll-outs."""

    blueprint: str
    players: int
    rollouts: int
    preset: str = "standard"
    seats: str = "one"
    """The seats that search: ``one`` or ``all``."""

    @property
    def agents(self) -> list[str]:
        """The blueprint."""
        return [self.blueprint]


BLUEPRINTS = ("smart", "piers", "questions")
ROWS = [Search(name, players, 30, wanted=1000) for players in (2, 3, 4, 5) for name in BLUEPRINTS]
ROWS += [Search(f"hanabi-standard-{players}p", players, 30, wanted=1000) for players in (2, 3, 4, 5)]
ROWS += [Search("questions", players, 60, wanted=1000) for players in (2, 3, 4, 5)]  # some have more than 30 actions
ROWS += [Search("questions", players, 300, wanted=400) for players in (2, 3, 4, 5)]
ROWS += [Search("smart", 2, 300, wanted=400)]
ROWS += [Search("questions", players, 800, wanted=400) for players in (2, 3)]
ROWS += [Search("questions", 2, 6000, wanted=200)]
ROWS += [Search(name, 2, 30, seats="all", wanted=50) for name in ("smart", "questions")]
ROWS += [
    Search(name, 2, rollouts, preset, seats, wanted=games)
    for preset, rollouts, games, blueprints in (
        ("very_small", 60, 500, (*BLUEPRINTS, "hanabi-very_small-2p")),
        ("small", 30, 300, ("smart", "piers")),
        ("mini", 30, 200, ("smart", "piers")),
    )
    for name in blueprints
    for seats in ("one", "all")
]

NOTHING: dict[str, Any] = {"scores": [], "blueprint_scores": [], "counts": {}, "core_seconds": 0.0}


def played(row: Search, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Play more games of a row than in ``before``; return its statistics and the scores of all games."""
    result = before or NOTHING
    first = len(result["scores"])
    count = min(max(FEWEST, ROLLOUTS_AT_ONCE // row.rollouts), row.wanted - first)
    config = make_config("hanabi", row.preset, row.players)
    effort = {"rollouts": row.rollouts, "seats": row.seats}
    searching, blueprint = load(SEARCH + row.blueprint, config, **effort), load(row.blueprint, config)
    assert isinstance(searching, SearchPolicy)
    scores = [*result["scores"], *play(config, searching, count, SEED, first=first).score.tolist()]
    plain = [*result["blueprint_scores"], *play(config, blueprint, count, SEED, first=first).score.tolist()]
    counts = Counter(result["counts"])
    counts.update(searching.counts)
    core_seconds = result["core_seconds"] + searching.core_seconds
    gain = np.array(scores) - np.array(plain)
    return {
        "done": len(scores),
        "searched": float(np.mean(scores)),
        "searched_error": standard_error(np.array(scores)),
        "gain": float(gain.mean()),
        "gain_error": standard_error(gain),
        "perfect": float(np.mean(np.array(scores) == config.max_score)),
        "blueprint_perfect": float(np.mean(np.array(plain) == config.max_score)),
        "milliseconds": 1000 * core_seconds / max(1, counts["decisions"]),
        "core_seconds": core_seconds,
        "counts": dict(counts),
        "seed": SEED,
        "scores": scores,
        "blueprint_scores": plain,
    }


# --- The table --------------------------------------------------------------------------------------------------------


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """Return the results in Markdown, with the current ceilings."""
    return board(results, read_ceilings())


def board(results: Sequence[Mapping[str, Any]], ceilings: Ceilings) -> str:
    """Return the results in Markdown: standard games first, by players, blueprints, roll-outs, and searching seats."""
    head = "game, players, blueprint, seats, roll-outs, spent, score, without, gain, ceiling, perfect, without, lost, "
    head += "without, ms a decision, aside, changed, games"
    lines = ["| " + head.replace(", ", " | ") + " |", "|---" * len(head.split(", ")) + "|"]
    for row in sorted(results, key=order):
        counts = row["counts"]
        cells = [
            *(row["preset"], row["players"], row["blueprint"], row["seats"], f"{row['rollouts']:,}"),
            f"{counts.get('rollouts', 0) / counts['decisions']:,.0f}",
            f"{row['searched']:.2f} ± {row['searched_error']:.2f}",
            f"{np.mean(row['blueprint_scores']):.2f}",
            f"{row['gain']:+.3f} ± {row['gain_error']:.3f}",
            ceiling_text(ceilings, row["preset"], row["players"]),
            *(f"{row['perfect']:.1%}", f"{row['blueprint_perfect']:.1%}"),
            *(f"{part_lost(row[name]):.1%}" for name in ("scores", "blueprint_scores")),
            f"{row['milliseconds']:.0f}",
            *(f"{part_of(counts, 'empty', 'large'):.1%}", f"{part_of(counts, 'changed'):.1%}", f"{row['done']:,}"),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the sort key of a row."""
    values = (row[name] for name in ("preset", "players", "blueprint", "rollouts"))
    return (row["preset"] != "standard", *values, row["seats"] != "one")


def part_of(counts: Mapping[str, int], *names: str) -> float:
    """Return the fraction of decisions with these counts."""
    return sum(counts.get(name, 0) for name in names) / counts["decisions"]


def part_lost(scores: Sequence[int]) -> float:
    """Return the fraction of lost games, which score 0."""
    return float(np.mean(np.array(scores) == 0))


STUDY = Study("search_hanabi", ROWS, played, tables={"search": table})
