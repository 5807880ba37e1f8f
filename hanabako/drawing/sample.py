"""Sample games to look at, and what the commands that draw them (``python -m <game>.render``) share."""

import argparse
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hanabako.drawing.replay import Replay, Snapshot
from hanabako.files import write_text

__all__ = ["play_game", "sample_parser", "write_sample"]


def play_game(
    env: Any, seed: int, moves: int, choose: Callable[[Mapping[str, Any], Sequence[str], random.Random], str]
) -> list[Snapshot]:
    """A game of up to ``moves`` moves, as snapshots of every position.

    Args:
        env: an unwrapped environment of `hanabako.envs.aec`.
        seed: of the deal and of the random numbers that ``choose`` is given.
        moves: where to stop.
        choose: (position, words of the legal actions, random numbers) -> one of those words.
    """
    rng, snapshots = random.Random(seed), []
    env.reset(seed=seed)
    while True:
        position = env.to_dict()
        if all(env.terminations.values()) or len(snapshots) == moves:
            return [*snapshots, Snapshot(position)]
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        action = choose(position, [env.action_to_str(int(action)) for action in legal], rng)
        snapshots.append(Snapshot(position, action))
        env.step(env.str_to_action(action))


def sample_parser(module: str, words: str | None, presets: Iterable[str]) -> argparse.ArgumentParser:
    """What every game's command is asked: ``out``, ``preset`` (if none the first), ``seed``, ``moves``, ``seat``."""
    names = list(presets)
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=words)
    parser.add_argument("out", type=Path, help="file to write: .svg or .html")
    parser.add_argument("--preset", default=names[0], choices=names)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--moves", type=int, default=1000, help="stop after so many moves")
    parser.add_argument("--seat", type=int, help="whose eyes; by default every card is shown")
    return parser


def write_sample(
    parser: argparse.ArgumentParser, out: Path, picture: Callable[[], str], page: Callable[[], Replay]
) -> None:
    """Write the last position as ``.svg`` or the whole game as ``.html``; any other ending is the caller's error."""
    if out.suffix == ".svg":
        write_text(out, picture())
    elif out.suffix == ".html":
        page().save(out)
    else:
        parser.error(f"out must end in .svg or .html, got {out}")
