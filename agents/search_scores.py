"""What thought buys: search over bots, paired with the bots themselves on the same deals.

    python -m agents.search_scores                    # the games that are not in the results yet, row by row
    python -m agents.search_scores --minutes 10       # as many as that
    python -m agents.search_scores --list             # what there is to play
    python -m agents.scoreboard                       # the table in agents/SCORES.md

One seat, player 0's, searches; the others play the blueprint. `agents/results/search.json` grows by a few games at a
time, so that what was interrupted goes on where it was; a game's score depends on its row and its number alone.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro

from hanabako.files import read_json, write_rows
from hanabako.games import make_config

from .evaluation.playing import play, standard_error
from .learning.runs import machine
from .registry import SEARCH, load
from .search.policy import SearchPolicy

RESULTS = Path(__file__).resolve().parent / "results" / "search.json"
SEED = 1
AT_ONCE = 10
"""Games between two looks at the clock."""


class Row(NamedTuple):
    """Standard games with one amount of thought."""

    blueprint: str
    players: int
    rollouts: int
    games: int

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from other rows, however many games it shall have."""
        return self.blueprint, self.players, self.rollouts


BLUEPRINTS = ("smart", "piers", "questions")
ROWS = [Row(name, players, 30, 1000) for players in (2, 3, 4, 5) for name in BLUEPRINTS]
ROWS += [Row("hanabi-standard-2p", 2, 30, 1000)]
ROWS += [Row("questions", players, 300, 400) for players in (2, 3, 4, 5)] + [Row("smart", 2, 300, 400)]
ROWS += [Row("questions", 2, 3000, 200)]


@dataclass(frozen=True)
class Args:
    """Play search beside its blueprint."""

    minutes: float = float("inf")
    """Stop after about so long."""
    blueprint: str | None = None
    """Only rows of this one."""
    players: int | None = None
    """Only rows of so many players."""
    rollouts: int | None = None
    """Only rows of so much thought."""
    games: int | None = None
    """At most so many games a row."""
    list: bool = False
    """Only list the rows."""


def played(row: Row, result: Mapping[str, Any]) -> dict[str, Any]:
    """``result`` with up to `AT_ONCE` more games of the row: its numbers, and every game's scores."""
    first = len(result["scores"])
    count = min(AT_ONCE, row.games - first)
    config = make_config("hanabi", "standard", row.players)
    searching, blueprint = load(SEARCH + row.blueprint, config, rollouts=row.rollouts), load(row.blueprint, config)
    assert isinstance(searching, SearchPolicy)
    scores = [*result["scores"], *play(config, searching, count, SEED, first=first).score.tolist()]
    plain = [*result["blueprint_scores"], *play(config, blueprint, count, SEED, first=first).score.tolist()]
    counts = Counter(result["counts"])
    counts.update(searching.counts)
    core_seconds = result["core_seconds"] + searching.core_seconds
    gain = np.array(scores) - np.array(plain)
    return {
        **row._asdict(),
        "games": len(scores),
        "searched": float(np.mean(scores)),
        "searched_error": standard_error(np.array(scores)),
        "gain": float(gain.mean()),
        "gain_error": standard_error(gain),
        "perfect": float(np.mean(np.array(scores) == config.max_score)),
        "blueprint_perfect": float(np.mean(np.array(plain) == config.max_score)),
        "milliseconds": 1000 * core_seconds / max(1, counts["decisions"]),
        "core_seconds": core_seconds,
        "counts": dict(counts),
        "machine": machine(),
        "seed": SEED,
        "scores": scores,
        "blueprint_scores": plain,
    }


def read_results() -> list[dict[str, Any]]:
    """What has been played so far."""
    return read_json(RESULTS) if RESULTS.exists() else []


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """The results in Markdown: by players, then blueprints, then thought."""
    lines = [
        "| players | blueprint | roll-outs | score | gain | perfect | without | ms a decision | changed | games |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for result in sorted(results, key=lambda result: (result["players"], result["blueprint"], result["rollouts"])):
        counts = result["counts"]
        cells = [
            *(result["players"], result["blueprint"], f"{result['rollouts']:,}"),
            f"{result['searched']:.2f} ± {result['searched_error']:.2f}",
            f"{result['gain']:+.2f} ± {result['gain_error']:.2f}",
            *(f"{result['perfect']:.1%}", f"{result['blueprint_perfect']:.1%}", f"{result['milliseconds']:.0f}"),
            *(f"{counts.get('changed', 0) / counts['decisions']:.1%}", f"{result['games']:,}"),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    results = {Row(*(result[name] for name in Row._fields)).key: result for result in read_results()}
    end = time.monotonic() + 60 * args.minutes
    for row in ROWS:
        chosen = args.blueprint, args.players, args.rollouts
        if any(wish not in (None, value) for wish, value in zip(chosen, row.key, strict=True)):
            continue
        nothing = {"scores": [], "blueprint_scores": [], "counts": {}, "core_seconds": 0.0}
        result = results.get(row.key, nothing)
        if args.list:
            print(f"{len(result['scores']):>5} of {row.games:<5}{row.blueprint}, {row.players} players, {row.rollouts}")
            continue
        wanted = row._replace(games=min(row.games, args.games or row.games))
        while len(result["scores"]) < wanted.games and time.monotonic() < end:
            result = results[row.key] = played(wanted, result)
            write_rows(RESULTS, list(results.values()))


if __name__ == "__main__":
    main()
