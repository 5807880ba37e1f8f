"""Search in Koi-Koi and Ikebana against its blueprints and other players.

    hanabako study run search_matches --cores 2
    hanabako study run search_matches --where game=ikebana --minutes 10

Two players play every deal from both seats; a deal depends only on its number. For every lead the table shows the time
per decision of both players: core time, over decisions with more than one action.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.matches import HeadToHead, head_to_head, one_round
from agents.playing.play import play
from agents.playing.policy import GamesInPlay, Policy, Seated, rows_to_move
from agents.registry import SEARCH, load
from agents.studies import Row, Study
from hanabako.games import make_config

SEED = 1
AT_ONCE = 25
"""The number of deals in a part."""
NOTHING: dict[str, Any] = {"leads": [], "seconds": [0.0, 0.0], "decisions": [0, 0]}


@dataclass(frozen=True)
class Match(Row):
    """Deals of a search against a rival, two players."""

    game: str
    preset: str
    blueprint: str
    rollouts: int
    """Roll-outs per decision; 0 for exact look-ahead, as in Ikebana's search."""
    rival: str

    @property
    def agents(self) -> list[str]:
        """The blueprint and the rival."""
        return [self.blueprint, self.rival]


ROWS = [
    Match("koikoi", "document", "monte_carlo", 1000, "monte_carlo:2000", wanted=20_000),
    Match("koikoi", "koikoi_japan", "monte_carlo", 1000, "monte_carlo:2000", wanted=5000),
    Match("koikoi", "koikoi_japan", "monte_carlo", 4000, "monte_carlo:10000", wanted=1000),
    Match("koikoi", "koikoi_japan", "greedy_stop", 300, "monte_carlo:2000", wanted=1000),
    Match("koikoi", "koikoi_japan", "koikoi-koikoi_japan-2p", 500, "koikoi-koikoi_japan-2p", wanted=1000),
    Match("koikoi", "document", "koikoi-document-2p", 500, "koikoi-document-2p", wanted=1000),
    Match("koikoi", "koikoi_japan", "koikoi-koikoi_japan-2p", 100, "monte_carlo:28000", wanted=5000),  # equal time
    Match("koikoi", "document", "koikoi-document-2p", 100, "monte_carlo:24000", wanted=5000),
    Match("ikebana", "standard", "ikebana-standard-2p", 200, "ikebana-standard-2p", wanted=1000),
    Match("ikebana", "standard", "lookahead", 300, "lookahead", wanted=1000),
    Match("ikebana", "standard", "greedy", 300, "greedy", wanted=1000),
    Match("ikebana", "standard", "lookahead", 0, "lookahead", wanted=5000),
    Match("ikebana", "standard", "lookahead", 0, "ikebana-standard-2p", wanted=5000),
    Match("ikebana", "final_bouquet", "lookahead", 0, "lookahead", wanted=5000),
    Match("ikebana", "single_round", "lookahead", 0, "lookahead", wanted=5000),
]


class Timed:
    """A policy whose decisions are timed."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.name, self.observes, self.specializes = policy.name, policy.observes, policy.specializes
        self.plays_apart = policy.plays_apart
        self.decisions, self.seconds = 0, 0.0  # decisions with several actions; core-seconds of all decisions

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> "TimedSeated":
        """See `agents.playing.policy.Policy.seat`."""
        return TimedSeated(self._policy.seat(games, seats), games, self)


class TimedSeated(Seated):
    """A seated policy whose decisions are counted and timed."""

    def __init__(self, seated: Seated, games: GamesInPlay, timed: Timed) -> None:
        self._seated, self._games, self._timed = seated, games, timed
        self.seats = seated.seats

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `Seated.begin`."""
        self._seated.begin(chosen)

    def act(self) -> None:
        """See `Seated.act`."""
        mask = self._games.mask[rows_to_move(self.seats, self._games.tables)]
        self._timed.decisions += int((mask.sum(axis=1) > 1).sum())
        began = time.thread_time()
        self._seated.act()
        self._timed.seconds += time.thread_time() - began

    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `Seated.observe`."""
        self._seated.observe(chosen)

    def memories(self) -> NDArray[Any] | None:
        """See `Seated.memories`."""
        return self._seated.memories()

    def public_knowledge(self) -> NDArray[np.uint64] | None:
        """See `Seated.public_knowledge`."""
        return self._seated.public_knowledge()


def players_of(row: Match) -> tuple[Any, Policy, Policy]:
    """Return the config, the search and its rival."""
    config = one_round(make_config(row.game, row.preset, None if row.game == "koikoi" else 2))
    search = load(SEARCH + row.blueprint, config, rollouts=row.rollouts or None)
    return config, search, load(row.rival, config)


def played(row: Match, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Play up to `AT_ONCE` more deals than in ``before``; return the row's statistics and each deal's two leads."""
    result = before or NOTHING
    config, search, rival = players_of(row)
    play(config, [search, rival], 1, SEED)  # compiles
    one, other = Timed(search), Timed(rival)
    first = len(result["leads"])
    count = min(AT_ONCE, row.wanted - first)
    leads = [*result["leads"], *head_to_head(config, one, other, count, SEED, first=first).lead.tolist()]
    seconds = [old + new.seconds for old, new in zip(result["seconds"], (one, other), strict=True)]
    decisions = [old + new.decisions for old, new in zip(result["decisions"], (one, other), strict=True)]
    return {
        "done": len(leads),
        **HeadToHead(np.array(leads), np.sign(leads) / 2 + 0.5).summary(),  # in these games the winner has the lead
        "milliseconds": [1000 * own / max(1, count) for own, count in zip(seconds, decisions, strict=True)],
        "seconds": seconds,
        "decisions": decisions,
        "seed": SEED,
        "leads": leads,
    }


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """Return the results in Markdown; leads are in points per round (Koi-Koi) or wins minus losses (Ikebana)."""
    lines = [
        "| game | search over | roll-outs | ms | rival | ms | lead, 95 % | won | drawn | games |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in (row for row in results if row["done"] > 1):
        scale = 0.5  # counted from both sides
        effort = f"{row['rollouts']:,}" if row["rollouts"] else "exactly"
        cells = [
            *(f"{row['game']} {row['preset']}", row["blueprint"], effort),
            *(f"{row['milliseconds'][0]:.1f}", row["rival"], f"{row['milliseconds'][1]:.1f}"),
            f"{scale * row['lead']:+.2f} ± {1.96 * scale * row['lead_error']:.2f}",
            f"{row['won']:.1%} ± {1.96 * row['won_error']:.1%}",
            *(f"{row['drawn']:.1%}", f"{2 * row['done']:,}"),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


STUDY = Study("search_matches", ROWS, played, tables={"search-contests": table}, unit="deal")
