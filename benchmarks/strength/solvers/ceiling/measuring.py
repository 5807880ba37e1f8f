"""Ceilings of many decks: counted block by block, kept in JSON, and as a part of ``benchmarks/strength/SCORES.md``."""

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from agents.studies.growing import made_by
from hanabako.files import read_json, write_rows, write_text
from hanabako.machine import in_words
from hanabi_env import PRESETS

from .verdicts import Ceiling, Verdict

__all__ = [
    "BELOW",
    "BLOCK",
    "RESULTS",
    "ceiling_board",
    "measure",
    "read_results",
]

HERE = Path(__file__).resolve().parents[2] / "results"
RESULTS = HERE / "ceiling.json"
BELOW = HERE / "ceiling-below.txt"
BLOCK = 500
MOST_LINES = 40
"""Decks of one setting in the file of decks below; of `WHOLE` all are there."""
WHOLE = "standard"
HEAD = (
    "# Decks that do not allow the highest score: preset, players, seed, game, best score, argument: cards, top first."
)


def read_results() -> list[dict[str, Any]]:
    """A row per preset, number of players and seed."""
    return read_json(RESULTS) if RESULTS.exists() else []


def row_of(results: list[dict[str, Any]], preset: str, players: int, seed: int) -> dict[str, Any]:
    """The row of a setting in the results, a new one if there is none."""
    for row in results:
        if (row["preset"], row["players"], row["seed"]) == (preset, players, seed):
            return row
    counts = {"decks": 0, "perfect": 0, "open": 0, "less": {}, "lower": 0, "upper": 0, "best": {}, "seconds": 0.0}
    results.append({"preset": preset, "players": players, "seed": seed, **counts})
    return results[-1]


def measure(preset: str, players: int, decks: int, seed: int, cores: int) -> None:
    """Solve the first ``decks`` decks of a seed, and keep what they allow; those that are in the results stay.

    Raises:
        ValueError: see `benchmarks.strength.solvers.ceiling.verdicts.Ceiling`.
    """
    config = replace(PRESETS[preset], players=players)
    Ceiling(config)
    results, rooms = read_results(), threading.local()
    row = row_of(results, preset, players, seed)
    done = row["decks"]
    blocks = [range(begin, min(begin + BLOCK, decks)) for begin in range(done, decks, BLOCK)]

    def solve(block: range) -> tuple[list[Verdict], list[str], float]:
        if not hasattr(rooms, "ceiling"):
            rooms.ceiling = Ceiling(config)
            rooms.ceiling.solve(seed, 0)  # compiled before the clock starts
        ceiling, begin = rooms.ceiling, time.thread_time()
        verdicts = [ceiling.solve(seed, index) for index in block]
        below = [
            line_of(preset, ceiling, seed, index, verdict)
            for index, verdict in zip(block, verdicts, strict=True)
            if verdict.lower < config.max_score
        ]
        return verdicts, below, time.thread_time() - begin

    with ThreadPoolExecutor(cores) as threads, tqdm(total=decks, initial=done, unit="deck") as bar:
        bar.set_description(f"{preset} {players}")
        for block, (verdicts, below, seconds) in zip(blocks, threads.map(solve, blocks), strict=True):
            count(row, verdicts, config.max_score, seconds)
            row |= command_of(row)
            add_lines(below, preset, players, seed)
            write_rows(RESULTS, results)
            bar.update(len(block))


def command_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """What made a row, and where."""
    return made_by(
        "benchmarks.strength.solvers.ceiling", {name: row[name] for name in ("preset", "players", "decks", "seed")}
    )


def line_of(preset: str, ceiling: Ceiling, seed: int, index: int, verdict: Verdict) -> str:
    """A deck that allows less, as `HEAD` says."""
    best = str(verdict.lower) if verdict.lower == verdict.upper else f"{verdict.lower}-{verdict.upper}"
    about = f"{preset} {ceiling.config.players} seed {seed} game {index} best {best} {verdict.argument or 'open'}"
    return f"{about}: {' '.join(ceiling.in_words(seed, index, verdict)[0].deck)}"


def count(row: dict[str, Any], verdicts: Sequence[Verdict], most: int, seconds: float) -> None:
    """Add verdicts to a row."""
    row["decks"] += len(verdicts)
    row["perfect"] += sum(verdict.lower == most for verdict in verdicts)
    row["open"] += sum(verdict.is_open for verdict in verdicts)
    names = Counter(verdict.argument.partition(":")[0] for verdict in verdicts if verdict.argument)
    row["less"] = dict(sorted((Counter(row["less"]) + names).items()))
    row["lower"] += sum(verdict.lower for verdict in verdicts)
    row["upper"] += sum(verdict.upper for verdict in verdicts)
    exact = Counter(str(verdict.lower) for verdict in verdicts if verdict.lower == verdict.upper)
    row["best"] = dict(sorted((Counter(row["best"]) + exact).items(), key=lambda item: -int(item[0])))
    row["seconds"] = round(row["seconds"] + seconds, 2)


def add_lines(lines: Sequence[str], preset: str, players: int, seed: int) -> None:
    """Add decks to the file of decks below, as long as there is room for their setting, and each once."""
    old = BELOW.read_text(encoding="utf-8").splitlines() if BELOW.exists() else [HEAD]
    own = f"{preset} {players} seed {seed} game "
    there = {line for line in old if line.startswith(own)}
    room = len(lines) if preset == WHOLE else max(0, MOST_LINES - len(there))
    new = [line for line in lines if line not in there][:room]
    if new:
        write_text(BELOW, "\n".join([*old, *new]) + "\n")


def ceiling_board(results: Sequence[Mapping[str, Any]]) -> str:
    """One line per setting, in Markdown."""
    head = "| game | players | of | decks | perfect is possible | out of reach | open | best score | decks a second |"
    lines = [head, "|---" * 9 + "|", *map("".join, map(cells, sorted(results, key=place)))]
    return "\n".join([*lines, "", in_words([row.get("machine", {}) for row in results])]).rstrip()


def place(row: Mapping[str, Any]) -> tuple[int, int, int]:
    """Where a setting stands on the board."""
    return list(PRESETS).index(row["preset"]), row["players"], row["seed"]


def cells(row: Mapping[str, Any]) -> Iterator[str]:
    """One line of `ceiling_board`."""
    decks = row["decks"]
    less = "; ".join(f"{name} {number / decks:.2%}" for name, number in row["less"].items()) or "none"
    lower, upper = row["lower"] / decks, row["upper"] / decks
    best = f"{lower:.4f}" if row["lower"] == row["upper"] else f"{lower:.4f} to {upper:.4f}"
    yield f"| {row['preset']} | {row['players']} | {PRESETS[row['preset']].max_score} | {decks:,} "
    yield f"| **{row['perfect'] / decks:.2%}** | {less} | {row['open'] / decks:.2%} | {best} "
    yield f"| {decks / max(row['seconds'], 0.01):,.0f} |"
