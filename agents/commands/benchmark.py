"""Time a game on this machine: steps per second inside compiled loops, and from Python. Writes nothing.

    hanabako benchmark
    hanabako benchmark ikebana --players 4 --games 4096

Random games on one core, in CPU time: the median of the repeats. In a clone, `python -m benchmarks.speed.peers`
measures other implementations of Hanabi for comparison.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import tyro

from hanabako.engine.game import Game
from hanabako.games import game_in_words, game_named
from hanabako.timing import Play, rollout_loop, steps_per_second, vector_loop
from hanabako.words.notation import counted
from hanabako.words.ranges import Positive, Size

from ..registry import ConfigOptions


@dataclass(frozen=True)
class Args(ConfigOptions):
    """Time a game on this machine."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")] = "hanabi"
    """hanabi, ikebana or koikoi."""
    games: Size = 1024
    """Number of games played at a time."""
    seconds: Positive = 0.3
    """Seconds per repeat."""
    repeats: Size = 5
    """Number of repeats per row."""


def run(args: Args) -> None:
    """Measure and print."""
    entry, config = game_named(args.game), args.config_for(args.game)
    game, many = entry.make_game(config), counted(args.games, "game")
    print(f"{game_in_words(config)}, {many} side by side, random legal actions")
    for words, prepare in ROWS.items():
        started = time.perf_counter()
        play = prepare(game, args.games)
        play()
        compiled = time.perf_counter() - started
        rate = statistics.median(steps_per_second(play, args.seconds) for _ in range(args.repeats))
        note = f"   (compiling took {compiled:.0f} s, only the first time)" if compiled > 2 else ""
        print(f"  {words:<44}{rate / 1e6:>9.3f} M steps/s{1e9 / rate:>10,.0f} ns{note}", flush=True)


ROWS: dict[str, Callable[[Game, int], Play]] = {
    "roll-out": lambda game, games: rollout_loop(game, games, 0),
    "roll-out, the acting player's observation": lambda game, games: rollout_loop(game, games, 1),
    "roll-out, every player's observation": lambda game, games: rollout_loop(game, games, game.players),
    "vector environment from Python": lambda game, games: vector_loop(game, games, "packed", False, 16 + 4000 // games),
}
