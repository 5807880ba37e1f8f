"""Hanabi bots compared with the programs from which they were ported.

The results hold the scores of the original programs, run outside this project, and published scores; so there are no
rows to play. The programs were run as follows:

* fossgalaxy/hanabi: its sources compiled with ``javac`` (without `org.reflections`, which only finds agents by name),
  ``new GameRunner(id, players, false)`` with `AgentPlayer`s of the factories `IGGIFactory`, `OsawaFactory`,
  `VanDenBerghFactory`, and ``playGame(seed)`` for seeds from ``new java.util.Random(1)``; so also two rule lists
  together, for 5000 seeds in each of the two seatings;
* Quuxplusone/Hanabi: ``g++ -std=c++14 -O3 -DNDEBUG -DHANABI_SERVER_NDEBUG -DBOTNAME=SmartBot main.cc SmartBot.cc
  HanabiServer.cc``, then ``--quiet --seed 1 --games 20000 --players N``, with a counter of games lost by errors;
* rjtobin/HanSim: ``g++ -O2 rec_main.cpp`` and ``info_main.cpp`` with ``num_games`` increased; its game ends with the
  fourth error, or with ``mStrikes(2)`` with the third;
* facebookresearch/Hanabi_SPARTA: `SearchBot` over `SmartBot` with its defaults, in the last seat, on our first deals.

Our own bots' scores are those of the studies `hanabi_bots` and `search_hanabi`. It is Python for its table.
"""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hanabako.agents.results import Row, Study
from hanabako.agents.results.meeting import BLOCK
from hanabako.agents.results.store import read_results
from hanabako.agents.results.study import Result, Results
from hanabako.generated import table

__all__ = ["RESULTS", "STUDY", "WITHIN", "Comparison", "beside_originals", "comparisons", "together"]

RESULTS = Path(__file__).resolve().parent / "results" / "ports.json"
BOTS, SEARCH = (RESULTS.with_name(f"{name}.json") for name in ("hanabi_bots", "search_hanabi"))
WITHIN = 0.15
"""The largest accepted difference between a port's mean score and its original's, or a published one."""
LOST_GAMES = {"never": "none", "kept": "points kept", "zero": "0", "fourth": "none, of four lives"}
"""How lost games count, as shown in the table."""


# --- Comparison -------------------------------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """One of our bots, or two together, with one number of players."""

    bot: str
    """Two are joined by a comma."""
    players: int
    lost_games: str
    """A key of `LOST_GAMES`."""
    ours: float
    original: float
    published: float | None


def comparisons(originals: Results, bots: Results) -> Iterator[Comparison]:
    """Yield the comparisons of our ports with originals that played enough games: not of a search on our first deals.

    Args:
        originals: the results of this study.
        bots: the results of `hanabi_bots`, and of `search_hanabi` for searches.
    """
    for row in (row for row in originals if "deals" not in row):
        for players, result in our_results(row, bots).items():
            original, published = row["original"][players]["score"], row["published"].get(players)
            ours = score_of(result, row["lost_games"])
            yield Comparison(row["bot"], int(players), row["lost_games"], ours, original, published)


def our_results(row: Result, bots: Results) -> dict[str, Result]:
    """Return our bot's results for an original, by the number of players as text."""
    preset = "standard max_life_tokens=4" if row["lost_games"] == "fourth" else "standard"
    return {
        str(result["players"]): result
        for result in bots
        if (",".join(result["line_up"]), result["preset"]) == (row["bot"], preset)
        and str(result["players"]) in row["original"]
    }


def score_of(result: Result, lost_games: str, deals: int | None = None) -> float:
    """Return the mean score, with lost games counted according to ``lost_games``; or as 0, of the first ``deals``."""
    if deals is not None:
        return sum(sums[0] for sums in result["sums"][: deals // BLOCK]) / deals
    return result["score"] if lost_games == "zero" else result["fireworks_score"]


# --- Table ------------------------------------------------------------------------------------------------------------


def beside_originals(originals: Results, bots: Results) -> str:
    """Return a table with a line per original and way to count lost games, followed by a summary of the differences.

    Two bots together are in the summary only. The arguments are those of `comparisons`.
    """
    players = [str(number) for number in range(2, 6)]
    head = ["program", "lost games", "original, run here", *(f"{number} players" for number in players), "notes"]
    lines, before = [], ""
    for row in (row for row in originals if "," not in row["title"]):
        ours = our_results(row, bots)
        cells = [cell(row, number, ours.get(number)) for number in players]
        original = "; ".join(filter(None, (row["program"], row["change"], f"{row['done']:,} games")))
        source = f"published: {row['source']}" if row["source"] else None
        notes = "; ".join(filter(None, (source, row["note"])))
        lines.append(
            [row["title"], LOST_GAMES[row["lost_games"]], "same" if original == before else original, *cells, notes]
        )
        before = original
    return f"{table(head, lines)}\n\n{summary(list(comparisons(originals, bots)))}"


def cell(row: Result, players: str, result: Result | None) -> str:
    """Return our mean, the original's and, on a second line, the published one, each with the difference to ours."""
    if players not in row["original"]:
        return ""
    ours = score_of(result, row["lost_games"], row.get("deals")) if result else None
    original, published = row["original"][players]["score"], row["published"].get(players)
    text = f"{original:.2f}" if ours is None else f"**{ours:.2f}**; {beside(original, ours)}"
    return text + (f"<br>published {beside(published, ours)}" if published is not None else "")


def together(originals: Results, bots: Results) -> str:
    """Return a matrix of two bots together: our mean and the original's, with a difference above `WITHIN`.

    The arguments are those of `comparisons`.
    """
    met = {tuple(case.bot.split(",")): case for case in comparisons(originals, bots) if "," in case.bot}
    names = list(dict.fromkeys(itertools.chain(*met)))
    lines = [[one, *(pair_cell(met.get((other, one))) for other in names[:-1])] for one in names[1:]]
    return table(["2 players: ours; original", *names[:-1]], lines)


def pair_cell(case: Comparison | None) -> str:
    """Return our mean and the original's; "" if there is none."""
    if case is None:
        return ""
    is_near = abs(case.ours - case.original) <= WITHIN
    return f"{case.ours:.2f}; {f'{case.original:.2f}' if is_near else beside(case.original, case.ours)}"


def beside(score: float, ours: float | None) -> str:
    """Format another program's mean, and the difference to ours."""
    return f"{score:.2f}" if ours is None else f"{score:.2f} ({signed(ours - score)})"


def signed(number: float) -> str:
    """Format a number with a sign and two digits, and without negative zero."""
    return f"{round(number, 2) + 0.0:+.2f}"


def summary(compared: Sequence[Comparison]) -> str:
    """Return a sentence about how many means are too far from their originals, and the largest differences."""
    far = sum(abs(c.ours - c.original) > WITHIN for c in compared)
    original = max(compared, key=lambda c: abs(c.ours - c.original))
    text = f"Farther than {WITHIN} from their originals: {far} of {len(compared)} means. The largest difference is "
    text += f"{signed(original.ours - original.original)} ({original.bot}, {original.players} players)"
    gaps = [(c.ours - c.published, c) for c in compared if c.published is not None]
    if gaps:
        gap, published = max(gaps, key=lambda pair: abs(pair[0]))
        text += f", and to a published mean {signed(gap)} ({published.bot}, {published.players} players)"
    return text + "."


def play(row: Row, _before: Result | None) -> dict[str, Any]:
    """There are no rows."""
    raise NotImplementedError(row)


STUDY = Study(
    "ports",
    [],
    play,
    tables={
        "ports": lambda results: beside_originals(
            results, [*read_results(BOTS), *(row for row in read_results(SEARCH) if row["search"])]
        ),
        "pairs": lambda results: together(results, read_results(BOTS)),
    },
)
