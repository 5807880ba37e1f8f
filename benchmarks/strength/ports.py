"""Hanabi bots compared with the programs from which they were ported.

The results hold the scores of the original programs, run outside this project, and published scores. So
`hanabako study run ports` refuses every row. The programs were run as follows:

* fossgalaxy/hanabi: its sources compiled with ``javac`` (without `org.reflections`, which only finds agents by name),
  ``new GameRunner(id, players, false)`` with `AgentPlayer`s of the factories `IGGIFactory`, `OsawaFactory`,
  `VanDenBerghFactory`, and ``playGame(seed)`` for seeds from ``new java.util.Random(1)``;
* Quuxplusone/Hanabi: ``g++ -std=c++14 -O3 -DNDEBUG -DHANABI_SERVER_NDEBUG -DBOTNAME=SmartBot main.cc SmartBot.cc
  HanabiServer.cc``, then ``--quiet --seed 1 --games 20000 --players N``, with a counter of games lost by errors;
* rjtobin/HanSim: ``g++ -O2 rec_main.cpp`` and ``info_main.cpp`` with ``num_games`` increased; its game ends with the
  fourth error, or with ``mStrikes(2)`` with the third.

Our own bots' scores are those of the study `hanabi_bots`; `hanabako study page ports` writes the table of both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from agents.studies import Row, Study
from agents.studies.store import read_results
from agents.studies.study import Result, Results
from hanabako.generated import table

from . import hanabi_bots

__all__ = ["RESULTS", "STUDY", "WITHIN", "Comparison", "Original", "beside_originals", "comparisons"]

RESULTS = Path(__file__).resolve().parent / "results" / "ports.json"
WITHIN = 0.15
"""The largest accepted difference between a port's mean score and its original's, or a published one."""
LOST_GAMES = {"never": "none", "kept": "points kept", "zero": "0", "fourth": "none, of four lives"}
"""How lost games count, as shown in the table."""
RULE_LISTS, OLDER_LISTS = "fossgalaxy/hanabi a99d205", "fossgalaxy/hanabi 2889d4e"
SMART_BOT, CHEAT_BOT = (f"Quuxplusone/Hanabi daef9de, {name}" for name in ("SmartBot", "CheatBot"))
REC_PLAYER, INFO_PLAYER = (f"rjtobin/HanSim 24f0871, {name}" for name in ("rec_player", "info_player"))


@dataclass(frozen=True)
class Original(Row):
    """Self-play games of an original program, for each number of players with which it was run."""

    title: str
    bot: str | None
    """Our port; None for an older version without a port."""
    lost_games: str
    """A key of `LOST_GAMES`."""
    program: str
    """Repository, commit and player."""
    change: str | None = None
    """The change made to the program, if any."""


def rows() -> list[Original]:
    """Return the rows of the original programs."""
    lists = ("internal", "outer", "cautious", "iggi", "piers", "vdb")
    older = ("internal", "outer", "cautious")
    return [
        *(Original(name, name, "never", RULE_LISTS, wanted=20_000) for name in lists),
        *(Original(name, name, "kept", RULE_LISTS, wanted=20_000) for name in ("flawed", "random")),
        *(Original(f"({name} of August 2016)", None, "kept", OLDER_LISTS, wanted=10_000) for name in older),
        Original("smart", "smart", "kept", SMART_BOT, wanted=20_000),
        Original("smart", "smart", "zero", SMART_BOT, wanted=20_000),
        Original("smart_safe", "smart_safe", "never", SMART_BOT, "`UseMulligans` off", wanted=20_000),
        Original("cheat", "cheat", "never", CHEAT_BOT, wanted=20_000),
        Original("recommendation", "recommendation", "fourth", REC_PLAYER, wanted=100_000),
        Original("recommendation", "recommendation", "never", REC_PLAYER, "`mStrikes(2)`", wanted=100_000),
        Original("information", "information", "never", INFO_PLAYER, wanted=20_000),
    ]


def play(row: Original, _before: Result | None) -> dict[str, Any]:
    """Refuse to run, as the original programs run outside this project.

    Raises:
        ValueError: always; the message says where the procedure is described.
    """
    raise ValueError(f"{row.program} is run outside this project: see the docstring of {__name__}")


# --- Comparison -------------------------------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """One of our bots with one number of players."""

    bot: str
    players: int
    lost_games: str
    """A key of `LOST_GAMES`."""
    ours: float
    original: float
    published: float | None


def comparisons(originals: Results, bots: Results) -> Iterator[Comparison]:
    """Yield the comparisons of all our ports with their originals.

    Args:
        originals: the results of this study.
        bots: the results of `hanabi_bots`.
    """
    for row in originals:
        for players, result in our_results(row, bots).items():
            original, published = row["original"][players]["score"], row["published"].get(players)
            ours = score_of(result, row["lost_games"])
            yield Comparison(row["bot"], int(players), row["lost_games"], ours, original, published)


def our_results(row: Result, bots: Results) -> dict[str, Result]:
    """Return our bot's results for an original, by the number of players as text."""
    lives = 4 if row["lost_games"] == "fourth" else 3
    return {
        str(result["players"]): result
        for result in bots
        if (result["agent"], result["preset"], result["max_life_tokens"]) == (row["bot"], "standard", lives)
        and str(result["players"]) in row["original"]
    }


def score_of(result: Result, lost_games: str) -> float:
    """Return the mean score, with lost games counted according to ``lost_games``."""
    return result["score"] if lost_games == "zero" else result["fireworks_score"]


# --- Table ------------------------------------------------------------------------------------------------------------


def beside_originals(originals: Results, bots: Results) -> str:
    """Return a table with a line per original and way to count lost games, followed by a summary of the differences.

    The arguments are those of `comparisons`.
    """
    players = [str(number) for number in range(2, 6)]
    head = ["program", "lost games", "original, run here", *(f"{number} players" for number in players), "notes"]
    lines = []
    for row in originals:
        ours = our_results(row, bots)
        cells = [cell(row, number, ours.get(number)) for number in players]
        original = "; ".join(filter(None, (row["program"], row["change"], f"{row['done']:,} games")))
        source = f"published: {row['source']}" if row["source"] else None
        notes = "; ".join(filter(None, (source, row["note"])))
        lines.append([row["title"], LOST_GAMES[row["lost_games"]], original, *cells, notes])
    return f"{table(head, lines)}\n\n{summary(list(comparisons(originals, bots)))}"


def cell(row: Result, players: str, result: Result | None) -> str:
    """Return our mean, the original's and, on a second line, the published one, each with the difference to ours."""
    if players not in row["original"]:
        return ""
    ours = score_of(result, row["lost_games"]) if result else None
    original, published = row["original"][players]["score"], row["published"].get(players)
    text = f"{original:.2f}" if ours is None else f"**{ours:.2f}**; {beside(original, ours)}"
    return text + (f"<br>published {beside(published, ours)}" if published is not None else "")


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


STUDY = Study(
    "ports",
    rows(),
    play,
    tables={"originals": lambda results: beside_originals(results, read_results(hanabi_bots.RESULTS))},
)
