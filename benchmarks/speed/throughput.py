"""Steps per second of the games, inside compiled loops and through every interface.

    python -m benchmarks.speed.throughput                          # everything: results/throughput.json
    python -m benchmarks.speed.throughput --game ikebana --only formats,aec
    python -m benchmarks.speed.throughput --game ikebana --only aec --seconds 0.02 --repeats 1   # does it still run?

A run that takes less time than by default, or measures only a part, is a trial and changes no committed result.

Random games of Hanabi last 13 to 20 steps, so dealing has more weight than in games of trained agents. The policy
``no misplay`` (random, but only playable cards are played) plays longer games. One core is measured in CPU time,
several cores by the wall clock on an otherwise idle machine; see `benchmarks.speed.timing`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.games import GAMES, BenchmarkGame
from benchmarks.speed.loops import aec_loop, rollout_loop
from benchmarks.speed.timing import Case, Output, measure
from hanabako.agents.results.store import read_results
from hanabako.program import run_program
from hanabako.words.ranges import Positive, Size

FORMATS = (None, "packed", "int8", "float32")
SIZES = (64, 1024, 16384)
COMPARED = 1024
"""The number of parallel games where other things are compared."""


@dataclass
class Args:
    """Measure the throughput of a game."""

    game: list[str] = field(default_factory=lambda: list(GAMES))
    """The games' names."""
    players: list[Size] = field(default_factory=list)
    """Numbers of players; by default all of the game's."""
    only: str = ""
    """Measure only groups whose names contain one of these, separated by commas: formats, presets, threads, aec."""
    seconds: Positive = 0.3
    """Seconds per repeat."""
    repeats: Size = 5
    """Repeats per row; the median is reported."""
    sizes: list[Size] = field(default_factory=lambda: list(SIZES))
    """Numbers of parallel games, in group ``threads``."""
    threads: Size = 2
    """The number of threads to compare with one."""
    out: Path | None = None
    """The JSON file, whose rows of other games are kept; by default the committed results, or for a trial
    .cache/benchmarks."""


# --- Groups: rows are compared within a group, so their repeats are interleaved ---------------------------------------


def formats(entry: BenchmarkGame, players: int, _: Args) -> Iterator[Case]:
    """All policies and formats at one size; the acting player's observation, and all players'."""
    for policy in entry.wishes.policies:
        for observation in FORMATS:
            yield rollout(entry, players, COMPARED, observation, policy=policy)
    for observation in ("packed", "int8"):
        yield rollout(entry, players, COMPARED, observation, seats="all")


def presets(entry: BenchmarkGame, players: int, _: Args) -> Iterator[Case]:
    """Random games of all presets, without and with the acting player's packed observation."""
    for preset in entry.presets:
        game = entry.make_preset(preset)
        for observation in (None, "packed"):
            row = columns(entry, players, COMPARED, observation)
            row |= {"path": "roll-out", "policy": "random", "preset": preset}
            row |= {"bits": game.observation_bits, "beside": entry.wishes.beside.get(preset, next(iter(entry.presets)))}
            yield Case(row, rollout_loop(game, COMPARED, observation))


def threads(entry: BenchmarkGame, players: int, args: Args) -> Iterator[Case]:
    """One thread compared with several, by the wall clock."""
    for num_envs in sorted({*args.sizes, 4096}):
        for observation in (None, "packed", "int8"):
            for num_threads in (1, args.threads):
                yield rollout(entry, players, num_envs, observation, num_threads=num_threads, clock="wall")


def aec(entry: BenchmarkGame, players: int, _: Args) -> Iterator[Case]:
    """PettingZoo's loop with ``last()`` and a random legal choice, without and with the standard wrappers."""
    for wrapped in (False, True):
        row = columns(entry, players, 1, "int8")
        environment = entry.make_aec(players, wrapped)
        yield Case({**row, "path": "env" if wrapped else "raw_env"}, aec_loop(environment, games=50))


GROUPS = {"formats": formats, "presets": presets, "threads": threads, "aec": aec}
FOR_ALL_PLAYERS = ("formats", "aec")
"""Groups that are measured for every number of players; the others only for the smallest."""


def columns(entry: BenchmarkGame, players: int, num_envs: int, observation: str | None) -> dict:
    """Return the columns that all rows have."""
    return {"game": entry.name, "players": players, "envs": num_envs, "observation": observation or "none"}


def rollout(
    entry: BenchmarkGame,
    players: int,
    num_envs: int,
    observation: str | None,
    seats: str = "acting",
    policy: str = "random",
    num_threads: int = 1,
    clock: str = "cpu",
) -> Case:
    """Return the case of a compiled roll-out."""
    row = columns(entry, players, num_envs, observation)
    row |= {"path": "roll-out", "policy": policy, "seats": seats, "threads": num_threads}
    play = rollout_loop(entry.make(players), num_envs, observation, seats, policy, num_threads)
    return Case(row, play, "wall" if clock == "wall" else "cpu")


# --- The run ----------------------------------------------------------------------------------------------------------


def run(args: Args, entry: BenchmarkGame) -> list[dict[str, Any]]:
    """Measure the chosen groups and numbers of players of a game, and return the rows."""
    results = []
    for players in args.players or entry.players:
        for name, group in GROUPS.items():
            is_wanted = any(word in name for word in args.only.split(","))
            if not is_wanted or not (name in FOR_ALL_PLAYERS or players == entry.players[0]):
                continue
            title = f"{entry.name}, {players} players, {name}"
            cases = [replace(case, row={"group": name, **case.row}) for case in group(entry, players, args)]
            results += measure(cases, args.seconds, args.repeats, title)
    return results


def print_rows(rows: list[dict[str, Any]]) -> None:
    """Print the results as aligned text, in nanoseconds per step and millions of steps per second."""
    for row in rows:
        words = [f"{row[key]}" for key in ("preset", "path", "policy", "seats", "observation") if key in row]
        cores = f"{row['threads']} threads" if row.get("threads", 1) > 1 else ""
        print(
            f"{row['game']} {row['players']} players  N={row['envs']:<6}{', '.join(words):<52}{cores:<10}"
            f"{1e9 / row['steps_per_second']:>10,.1f} ns{row['steps_per_second'] / 1e6:>10.3f} M/s"
        )


def main(args: Args) -> None:
    """Measure, print and write."""
    unknown = sorted(set(args.game) - set(GAMES))
    if unknown:
        raise SystemExit(f"unknown game {', '.join(unknown)}: known are {', '.join(GAMES)}")
    output = Output("throughput", args, selects="game")
    for name in args.game:
        rows = run(args, GAMES[name])
        print_rows(rows)
        output.write(rows, [row for row in read_results(output.path) if row["game"] != name])
    print(f"written: {output.path}")


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
