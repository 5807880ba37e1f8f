"""Search in Koi-Koi and Ikebana against the players it searches over, every deal from both seats.

    python -m benchmarks.strength.search_matches --cores 2       # the deals that are not in the results yet
    python -m benchmarks.strength.search_matches --minutes 10    # as many as that
    python -m benchmarks.strength.search_matches --game ikebana  # of one game
    python -m benchmarks.strength.scoreboard                     # the board in benchmarks/strength/SCORES.md

`benchmarks/strength/results/search-contests.json` grows by some deals at a time, so that what was interrupted goes on
where it was; a deal depends on its number alone. Beside every lead stands the time of a decision of both: of a core's
work, counted where there was more than one action.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro

from agents.evaluation.matches import HeadToHead, head_to_head, one_round
from agents.playing.play import play
from agents.playing.policy import GamesInPlay, Policy, Seated, rows_to_move
from agents.registry import SEARCH, fingerprints, load, rows_still_true, with_observation_of
from agents.studies.growing import chosen, grow, listed, made_by
from hanabako.games import make_config
from hanabako.machine import in_words

RESULTS = Path(__file__).resolve().parent / "results" / "search-contests.json"
SEED = 1
AT_ONCE = 25
"""Deals between two looks at the clock."""
NOTHING: dict[str, Any] = {"leads": [], "seconds": [0.0, 0.0], "decisions": [0, 0]}


class Row(NamedTuple):
    """A search against a rival, two players."""

    game: str
    preset: str
    blueprint: str
    rollouts: int
    """0: it looks ahead exactly, as Ikebana's search does."""
    rival: str
    deals: int

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from other rows, however many deals it shall have."""
        return self[:-1]

    @property
    def wanted(self) -> int:
        """How many deals it shall have."""
        return self.deals

    @property
    def words(self) -> str:
        """What is played."""
        return f"{self.game} {self.preset}, {self.blueprint}, {self.rollouts or 'exactly'}, against {self.rival}"


ROWS = [
    Row("koikoi", "document", "monte_carlo", 1000, "monte_carlo:2000", 20_000),
    Row("koikoi", "koikoi_japan", "monte_carlo", 1000, "monte_carlo:2000", 5000),
    Row("koikoi", "koikoi_japan", "monte_carlo", 4000, "monte_carlo:10000", 1000),
    Row("koikoi", "koikoi_japan", "greedy_stop", 300, "monte_carlo:2000", 1000),
    Row("koikoi", "koikoi_japan", "koikoi-koikoi_japan-2p", 500, "koikoi-koikoi_japan-2p", 1000),
    Row("koikoi", "document", "koikoi-document-2p", 500, "koikoi-document-2p", 1000),
    Row("koikoi", "koikoi_japan", "koikoi-koikoi_japan-2p", 100, "monte_carlo:28000", 5000),  # in as much time
    Row("koikoi", "document", "koikoi-document-2p", 100, "monte_carlo:24000", 5000),
    Row("ikebana", "standard", "ikebana-standard-2p", 200, "ikebana-standard-2p", 1000),
    Row("ikebana", "standard", "lookahead", 300, "lookahead", 1000),
    Row("ikebana", "standard", "greedy", 300, "greedy", 1000),
    Row("ikebana", "standard", "lookahead", 0, "lookahead", 5000),
    Row("ikebana", "standard", "lookahead", 0, "ikebana-standard-2p", 5000),
    Row("ikebana", "final_bouquet", "lookahead", 0, "lookahead", 5000),
    Row("ikebana", "single_round", "lookahead", 0, "lookahead", 5000),
]


CHOSEN = ("game", "preset", "blueprint", "rollouts", "rival")
"""What may be chosen among."""


@dataclass(frozen=True)
class Args:
    """Play searches against their rivals."""

    minutes: float = float("inf")
    """Stop after about so long."""
    game: str | None = None
    """Only rows of this one."""
    preset: str | None = None
    """Only rows of this one."""
    blueprint: str | None = None
    """Only searches over this one."""
    rollouts: int | None = None
    """Only searches of so much thought; 0: those that look ahead exactly."""
    rival: str | None = None
    """Only rows against this one."""
    deals: int | None = None
    """At most so many deals a row."""
    cores: int = 1
    """Rows that are played at the same time."""
    list: bool = False
    """Only list the rows."""


class Timed:
    """A policy, and how long its decisions take."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.name, self.observes, self.specializes = policy.name, policy.observes, policy.specializes
        self.plays_apart = policy.plays_apart
        self.decisions, self.seconds = 0, 0.0

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> Seated:
        """See `agents.playing.policy.Policy.seat`."""
        seated = self._policy.seat(games, seats)
        act = seated.act

        def timed() -> None:
            self.decisions += int((games.mask[rows_to_move(seated.seats, games.tables)].sum(axis=1) > 1).sum())
            began = time.thread_time()
            act()
            self.seconds += time.thread_time() - began

        seated.act = timed  # pyrefly: ignore[bad-assignment] - it does the same
        return seated


def players_of(row: Row) -> tuple[Any, Policy, Policy]:
    """The config, the search and its rival."""
    config = one_round(make_config(row.game, row.preset, None if row.game == "koikoi" else 2))
    config = with_observation_of(config, [row.rival])
    search = load(SEARCH + row.blueprint, config, rollouts=row.rollouts or None)
    return config, search, load(row.rival, config)


def played(row: Row, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The result ``before`` with up to `AT_ONCE` more deals: its numbers, and what each deal's two games brought."""
    result = before or NOTHING
    config, search, rival = players_of(row)
    play(config, [search, rival], 1, SEED)  # what is to be compiled is compiled
    one, other = Timed(search), Timed(rival)
    first = len(result["leads"])
    count = min(AT_ONCE, row.deals - first)
    leads = [*result["leads"], *head_to_head(config, one, other, count, SEED, first=first).lead.tolist()]
    seconds = [old + new.seconds for old, new in zip(result["seconds"], (one, other), strict=True)]
    decisions = [old + new.decisions for old, new in zip(result["decisions"], (one, other), strict=True)]
    return {
        **row._asdict(),
        **HeadToHead(np.array(leads)).summary(),
        "milliseconds": [1000 * own / max(1, count) for own, count in zip(seconds, decisions, strict=True)],
        "seconds": seconds,
        "decisions": decisions,
        **made_by("benchmarks.strength.search_matches", {name: getattr(row, name) for name in CHOSEN}),
        "seed": SEED,
        "networks": fingerprints(row.blueprint, row.rival),
        "leads": leads,
    }


def read_results() -> list[dict[str, Any]]:
    """What has been played so far, by the networks that ship now."""
    return rows_still_true(RESULTS, "blueprint", "rival")


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """The results in Markdown; a lead is in points a round (Koi-Koi) or in games won less games lost (Ikebana)."""
    lines = [
        "| game | search over | roll-outs | ms | rival | ms | lead, 95 % | won | drawn | games |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for result in (result for result in results if result["deals"] > 1):
        scale = 0.5  # counted from both sides
        effort = f"{result['rollouts']:,}" if result["rollouts"] else "exactly"
        cells = [
            *(f"{result['game']} {result['preset']}", result["blueprint"], effort),
            *(f"{result['milliseconds'][0]:.1f}", result["rival"], f"{result['milliseconds'][1]:.1f}"),
            f"{scale * result['lead']:+.2f} ± {1.96 * scale * result['lead_error']:.2f}",
            f"{result['won']:.1%} ± {1.96 * result['won_error']:.1%}",
            *(f"{result['drawn']:.1%}", f"{2 * result['deals']:,}"),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, "", in_words([result["machine"] for result in results])]).rstrip()


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    results = {Row(*(result[name] for name in Row._fields)).key: result for result in read_results()}
    rows = chosen(ROWS, {name: getattr(args, name) for name in CHOSEN})
    if args.list:
        print(listed(rows, results, size_of))
        return
    wanted = [row._replace(deals=min(row.deals, args.deals or row.deals)) for row in rows]
    grow(RESULTS, results, wanted, played, size_of, args.cores, args.minutes)


def size_of(result: Mapping[str, Any]) -> int:
    """Deals of a result."""
    return len(result["leads"])


if __name__ == "__main__":
    main()
