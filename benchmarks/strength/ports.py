"""Our bots of Hanabi beside the programs they were ported from: is a port as good as its original?

``benchmarks/strength/results/hanabi-originals.json`` keeps what the original programs scored when they were run by
themselves, outside this project, and what was published of them. So it was done:

* fossgalaxy/hanabi: its sources compiled with ``javac`` (without `org.reflections`, which only finds agents by name),
  ``new GameRunner(id, players, false)`` with `AgentPlayer`s of the factories `IGGIFactory`, `OsawaFactory`,
  `VanDenBerghFactory`, and ``playGame(seed)`` for seeds out of ``new java.util.Random(1)``;
* Quuxplusone/Hanabi: ``g++ -std=c++14 -O3 -DNDEBUG -DHANABI_SERVER_NDEBUG -DBOTNAME=SmartBot main.cc SmartBot.cc
  HanabiServer.cc``, then ``--quiet --seed 1 --games 20000 --players N``, with a counter of games that end by errors;
* rjtobin/HanSim: ``g++ -O2 rec_main.cpp`` and ``info_main.cpp`` with ``num_games`` raised; its game ends with the
  fourth error, and ``mStrikes(2)`` makes that the third.

``python -m benchmarks.strength.scoreboard`` writes the board.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Comparison", "comparisons", "originals_board"]

WITHIN = 0.15  # a port is not farther from its original, or from what was published of it
LOST_GAMES = {"never": "none", "kept": "points kept", "zero": "0", "fourth": "none, of four lives"}


class Comparison(NamedTuple):
    """One of our bots with one number of players."""

    bot: str
    players: int
    lost_games: str
    """A key of `LOST_GAMES`."""
    ours: float
    original: float
    published: float | None


def comparisons(originals: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]) -> Iterator[Comparison]:
    """Every bot of ours with what its original scores.

    Args:
        originals: the rows of ``hanabi-originals.json``.
        results: our own results in standard Hanabi, with three and four lives.
    """
    for row in originals:
        for players, result in our_results(row, results).items():
            original, published = row["original"][players]["score"], row["published"].get(players)
            ours = score_of(result, row["lost_games"])
            yield Comparison(row["bot"], int(players), row["lost_games"], ours, original, published)


def our_results(row: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Our results for a row, by the number of players."""
    lives = 4 if row["lost_games"] == "fourth" else 3
    return {
        str(result["config"]["players"]): result
        for result in results
        if result["agents"] == [row["bot"]]
        and result["config"]["max_life_tokens"] == lives
        and str(result["config"]["players"]) in row["original"]
    }


def score_of(result: Mapping[str, Any], lost_games: str) -> float:
    """The mean score, with lost games counted as said."""
    return result["score"] if lost_games == "zero" else result["fireworks_score"]


def originals_board(originals: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]) -> str:
    """One line per program and way to count lost games, and below it how far apart all are."""
    players = [str(number) for number in range(2, 6)]
    head = ["program", "lost games", "original, run here", *(f"{number} players" for number in players), "notes"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in originals:
        ours = our_results(row, results)
        cells = [cell(row, number, ours.get(number)) for number in players]
        original = "; ".join(filter(None, (row["program"], row["change"], f"{row['games']:,} games")))
        source = f"published: {row['source']}" if row["source"] else None
        notes = "; ".join(filter(None, (source, row["note"])))
        lines.append("| " + " | ".join([row["title"], LOST_GAMES[row["lost_games"]], original, *cells, notes]) + " |")
    return "\n".join([*lines, "", summary(list(comparisons(originals, results)))])


def cell(row: Mapping[str, Any], players: str, result: Mapping[str, Any] | None) -> str:
    """Our mean; the original's and, in a second line, the published one, each with how much more ours is."""
    if players not in row["original"]:
        return ""
    ours = score_of(result, row["lost_games"]) if result else None
    original, published = row["original"][players]["score"], row["published"].get(players)
    text = f"{original:.2f}" if ours is None else f"**{ours:.2f}**; {beside(original, ours)}"
    return text + (f"<br>published {beside(published, ours)}" if published is not None else "")


def beside(score: float, ours: float | None) -> str:
    """Another's mean, and how much more ours is."""
    return f"{score:.2f}" if ours is None else f"{score:.2f} ({signed(ours - score)})"


def signed(number: float) -> str:
    """Two digits and a sign, and no negative zero."""
    return f"{round(number, 2) + 0.0:+.2f}"


def summary(compared: Sequence[Comparison]) -> str:
    """How many are too far from their originals, and the largest differences, in words."""
    far = sum(abs(c.ours - c.original) > WITHIN for c in compared)
    original = max(compared, key=lambda c: abs(c.ours - c.original))
    text = f"Farther than {WITHIN} from their originals: {far} of {len(compared)} means. The largest difference is "
    text += f"{signed(original.ours - original.original)} ({original.bot}, {original.players} players)"
    gaps = [(c.ours - c.published, c) for c in compared if c.published is not None]
    if gaps:
        gap, published = max(gaps, key=lambda pair: abs(pair[0]))
        text += f", and to a published mean {signed(gap)} ({published.bot}, {published.players} players)"
    return text + "."
