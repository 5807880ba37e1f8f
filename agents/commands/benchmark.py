"""Time a game on this machine: steps per second inside compiled loops, and from Python. Writes nothing.

    hanabako benchmark
    hanabako benchmark ikebana --players 4 --games 4096

Random games, new ones dealt as they end, on one core and its CPU time; the median of the repeats. What else there is
to play the same games is compared in a clone, by `python -m benchmarks.speed.peers`.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import tyro

from hanabako.engine.sections import words_for
from hanabako.games import game_named, make_config
from hanabako.words.ranges import Positive, Size

__all__ = ["Args", "measure", "run"]

STEPS_PER_CALL = 200_000


@dataclass(frozen=True)
class Args:
    """Time a game on this machine."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")] = "hanabi"
    """hanabi, ikebana or koikoi."""
    preset: str | None = None
    """A preset of the game; by default its first."""
    players: int | None = None
    """Number of players; by default the preset's."""
    config: tuple[str, ...] = ()
    """More fields of the game's config, as name=value."""
    games: Size = 1024
    """Games side by side."""
    seconds: Positive = 0.3
    """Seconds of every repeat."""
    repeats: Size = 5
    """Repeats of every row."""


def run(args: Args) -> None:
    """Measure and print.

    Raises:
        ValueError: an unknown name or a wrong value.
    """
    config = make_config(args.game, args.preset, args.players, args.config)
    preset = args.preset or game_named(args.game).first_preset
    print(f"{args.game} {preset}, {config.players} players, {args.games} games side by side, random legal actions")
    for words, prepare in ROWS.items():
        started = time.perf_counter()
        play = prepare(config, args)
        play()
        compiled = time.perf_counter() - started
        rate = measure(play, args.seconds, args.repeats)
        note = f"   (compiling took {compiled:.0f} s, the next time none)" if compiled > 2 else ""
        print(f"  {words:<44}{rate / 1e6:>9.3f} M steps/s{1e9 / rate:>10,.0f} ns{note}", flush=True)


def measure(play: Callable[[], int], seconds: float, repeats: int) -> float:
    """Steps per CPU second: the median of repeats that each last at least ``seconds``."""
    rates = []
    for _ in range(repeats):
        steps, spent, started = 0, 0.0, time.process_time()
        while spent <= 0 or spent < seconds:
            steps += play()
            spent = time.process_time() - started
        rates.append(steps / spent)
    return statistics.median(rates)


def rollout(config: Any, args: Args, views: int) -> Callable[[], int]:
    """Whole steps inside one compiled call, with packed observations of so many players."""
    game = game_named(args.game).make_game(config)
    loops = game.loops(specialize=True)
    tables = np.zeros(args.games, game.table_dtype(specialize=True))
    loops.seed(tables, np.zeros(2, np.uint64))
    loops.reset(game.rules_array, tables, np.ones(args.games, np.bool_))
    out = np.zeros((args.games, views, words_for(game.observation_bits)), np.uint64)
    steps = max(1, STEPS_PER_CALL // args.games)
    played = 0

    def play() -> int:
        nonlocal played
        loops.rollout(game.rules_array, tables, out, np.uint64(1), played, steps)
        played += steps
        return args.games * steps

    return play


def vector(config: Any, args: Args) -> Callable[[], int]:
    """The vector environment from Python; actions that were chosen beforehand and are legal from the reset on."""
    env = game_named(args.game).make_vector(args.games, config=config, observation="packed", copy=False)
    generator = np.random.default_rng(0)
    actions = []
    observation, _ = env.reset(seed=0)
    for _ in range(max(16, STEPS_PER_CALL // 50 // args.games)):
        mask = observation["action_mask"]
        actions.append(np.where(mask, generator.random(mask.shape), -1).argmax(axis=1))
        observation, *_ = env.step(actions[-1])

    def play() -> int:
        env.reset(seed=0)
        for row in actions:
            env.step(row)
        return args.games * len(actions)

    return play


ROWS: dict[str, Callable[[Any, Args], Callable[[], int]]] = {
    "roll-out": lambda config, args: rollout(config, args, 0),
    "roll-out, the acting player's observation": lambda config, args: rollout(config, args, 1),
    "roll-out, every player's observation": lambda config, args: rollout(config, args, config.players),
    "vector environment from Python": vector,
}
