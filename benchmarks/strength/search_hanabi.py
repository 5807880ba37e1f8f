"""What thought buys: search over bots and networks, paired with themselves on the same deals.

    python -m benchmarks.strength.search_hanabi --cores 2     # the games that are not in the results yet
    python -m benchmarks.strength.search_hanabi --minutes 10  # as many as that
    python -m benchmarks.strength.search_hanabi --list        # what there is to play
    python -m benchmarks.strength.scoreboard                  # the table in benchmarks/strength/SCORES.md

One seat, player 0's, searches, and the others play the blueprint; or all do (multi-agent search).
`benchmarks/strength/results/search.json` grows by a few games at a time, so that what was interrupted goes on where it
was; a game's score depends on its row and its number alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro

from agents.playing.play import play, standard_error
from agents.registry import SEARCH, fingerprints, load, rows_still_true, with_observation_of
from agents.search.hanabi.policy import SearchPolicy
from agents.studies.growing import chosen, grow, listed, made_by
from hanabako.games import make_config
from hanabako.machine import in_words

from .tables.ceilings import Ceilings, ceiling_text

RESULTS = Path(__file__).resolve().parent / "results" / "search.json"
SEED = 1
FEWEST, ROLLOUTS_AT_ONCE = 10, 1500
"""Games that are played side by side: a search of many at a time is faster, and an interruption loses more."""


class Row(NamedTuple):
    """Games of one kind with one amount of thought."""

    blueprint: str
    players: int
    rollouts: int
    games: int
    preset: str = "standard"
    seats: str = "one"

    @property
    def key(self) -> "Row":
        """What tells it from other rows, however many games it shall have."""
        return self._replace(games=0)

    @property
    def wanted(self) -> int:
        """How many games it shall have."""
        return self.games

    @property
    def words(self) -> str:
        """What is played."""
        return f"{self.preset}, {self.players} players, {self.blueprint}, {self.rollouts}, {self.seats}"

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> "Row":
        """The row of a result."""
        return cls(**{name: result[name] for name in cls._fields if name in result})


BLUEPRINTS = ("smart", "piers", "questions")
ROWS = [Row(name, players, 30, 1000) for players in (2, 3, 4, 5) for name in BLUEPRINTS]
ROWS += [Row(f"hanabi-standard-{players}p", players, 30, 1000) for players in (2, 3, 4, 5)]
ROWS += [Row("questions", players, 60, 1000) for players in (2, 3, 4, 5)]  # some have more than 30 actions
ROWS += [Row("questions", players, 300, 400) for players in (2, 3, 4, 5)] + [Row("smart", 2, 300, 400)]
ROWS += [Row("questions", players, 800, 400) for players in (2, 3)]
ROWS += [Row("questions", 2, 6000, 200)] + [Row(name, 2, 30, 50, seats="all") for name in ("smart", "questions")]
ROWS += [
    Row(name, 2, rollouts, games, preset, seats)
    for preset, rollouts, games, blueprints in (
        ("very_small", 60, 500, (*BLUEPRINTS, "hanabi-very_small-2p")),
        ("small", 30, 300, ("smart", "piers")),
        ("mini", 30, 200, ("smart", "piers")),
    )
    for name in blueprints
    for seats in ("one", "all")
]


CHOSEN = ("blueprint", "players", "rollouts", "preset", "seats")
"""What may be chosen among."""


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
    preset: str | None = None
    """Only rows of this one."""
    seats: str | None = None
    """Only rows where one seat searches, or where all do."""
    games: int | None = None
    """At most so many games a row."""
    cores: int = 1
    """Rows that are played at the same time."""
    list: bool = False
    """Only list the rows."""


NOTHING: dict[str, Any] = {"scores": [], "blueprint_scores": [], "counts": {}, "core_seconds": 0.0}


def played(row: Row, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The result ``before`` with some more games of the row: its numbers, and every game's scores."""
    result = before or NOTHING
    first = len(result["scores"])
    count = min(max(FEWEST, ROLLOUTS_AT_ONCE // row.rollouts), row.games - first)
    config = with_observation_of(make_config("hanabi", row.preset, row.players), [row.blueprint])
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
        **made_by("benchmarks.strength.search_hanabi", {name: getattr(row, name) for name in CHOSEN}),
        "seed": SEED,
        "networks": fingerprints(row.blueprint),
        "scores": scores,
        "blueprint_scores": plain,
    }


def read_results() -> list[dict[str, Any]]:
    """What has been played so far, by the networks that ship now."""
    return rows_still_true(RESULTS, "blueprint")


def table(results: Sequence[Mapping[str, Any]], ceilings: Ceilings) -> str:
    """The results in Markdown: standard games first, by players, blueprints, thought, and who searches."""
    head = "game, players, blueprint, seats, roll-outs, spent, score, without, gain, ceiling, perfect, without, lost, "
    head += "without, ms a decision, aside, changed, games"
    lines = ["| " + head.replace(", ", " | ") + " |", "|---" * len(head.split(", ")) + "|"]

    def place(result: Mapping[str, Any]) -> tuple[Any, ...]:
        row = Row.of(result)
        return row.preset != "standard", row.preset, row.players, row.blueprint, row.rollouts, row.seats != "one"

    for result in sorted(results, key=place):
        counts, row = result["counts"], Row.of(result)
        cells = [
            *(row.preset, row.players, row.blueprint, row.seats, f"{row.rollouts:,}"),
            f"{counts.get('rollouts', 0) / counts['decisions']:,.0f}",
            f"{result['searched']:.2f} ± {result['searched_error']:.2f}",
            f"{np.mean(result['blueprint_scores']):.2f}",
            f"{result['gain']:+.3f} ± {result['gain_error']:.3f}",
            ceiling_text(ceilings, row.preset, row.players),
            *(f"{result['perfect']:.1%}", f"{result['blueprint_perfect']:.1%}"),
            *(f"{part_lost(result[name]):.1%}" for name in ("scores", "blueprint_scores")),
            f"{result['milliseconds']:.0f}",
            *(f"{part_of(counts, 'empty', 'large'):.1%}", f"{part_of(counts, 'changed'):.1%}", f"{result['games']:,}"),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, "", in_words([result["machine"] for result in results])]).rstrip()


def part_of(counts: Mapping[str, int], *names: str) -> float:
    """How many of the decisions are among these."""
    return sum(counts.get(name, 0) for name in names) / counts["decisions"]


def part_lost(scores: Sequence[int]) -> float:
    """How many games were lost; each of these scores 0."""
    return float(np.mean(np.array(scores) == 0))


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    results = {Row.of(result).key: result for result in read_results()}
    rows = chosen(ROWS, {name: getattr(args, name) for name in CHOSEN})
    if args.list:
        print(listed(rows, results, size_of))
        return
    wanted = [row._replace(games=min(row.games, args.games or row.games)) for row in rows]
    grow(RESULTS, results, wanted, played, size_of, args.cores, args.minutes)


def size_of(result: Mapping[str, Any]) -> int:
    """Games of a result."""
    return len(result["scores"])


if __name__ == "__main__":
    main()
