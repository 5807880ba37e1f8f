"""How good can anyone be? The best score of decks of Hanabi that everybody knows from the top card to the last.

With bonus tiles (V4) their order is known as well, and what a shuffle by tile (e) would make of the deck.

    python -m benchmarks.strength.solvers.ceiling                                       # standard, 2 to 5 players
    python -m benchmarks.strength.solvers.ceiling --players 2 --decks 100000 --cores 2
    python -m benchmarks.strength.solvers.ceiling --preset black_powder --players 2 5
    python -m benchmarks.strength.solvers.ceiling.checking --decks 100                  # a second program checks
    python -m benchmarks.strength.scoreboard                                            # the board in SCORES.md

Deck i is that of game i of the seed, as in `agents.evaluate`. ``results/ceiling.json`` grows block
by block, so that an interrupted command goes on where it was, and a larger ``--decks`` adds to what is there; decks
that allow less than the highest score are listed in ``results/ceiling-below.txt`` (all of the
standard game, and some of each other setting).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import tyro

from hanabi_env import PRESETS

from .measuring import measure


@dataclass(frozen=True)
class Args:
    """Solve decks that everybody knows."""

    players: tuple[int, ...] = (2, 3, 4, 5)
    """Numbers of players, each 2 to 5."""
    preset: tuple[str, ...] = ("standard",)
    """What is played."""
    decks: int = 2000
    """How many, those in the results included."""
    seed: int = 1
    """Of the decks."""
    cores: int = 1
    """Blocks of decks at the same time."""


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog="python -m benchmarks.strength.solvers.ceiling")
    for preset in args.preset:
        if preset not in PRESETS:
            raise SystemExit(f"preset must be one of {', '.join(PRESETS)}, got {preset!r}")
        for players in args.players:
            try:
                measure(preset, players, args.decks, args.seed, args.cores)
            except ValueError as refusal:
                raise SystemExit(str(refusal)) from None


if __name__ == "__main__":
    main()
