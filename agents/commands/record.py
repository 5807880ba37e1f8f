"""Write games that agents play to a file: JSON, one game a line, each as `hanabako play` keeps it.

    hanabako record hanabi --agents smart --games 1000 --out games.jsonl
    hanabako record koikoi --agents counting,greedy_stop --games 100 --out games.jsonl

A game is its config, seed and actions in words: everything else follows from them.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hanabako.files import write_text
from hanabako.words.checks import as_seed

from ..people.session import Session, config_for, line_up_of
from ..people.terminal import said_if_slow

__all__ = ["Args", "run"]


@dataclass(frozen=True)
class Args:
    """Write games that agents play to a file."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """hanabi, ikebana or koikoi."""
    agents: str = "random"
    """NAME[,NAME...]: names of agents or policy files, one per seat; the last name stands for all that follow."""
    games: int = 100
    """Number of games."""
    out: Path = Path("games.jsonl")
    """The file."""
    preset: str | None = None
    """A preset of the game; by default its first, or what a network was trained for."""
    players: int | None = None
    """Number of players; by default the preset's."""
    config: tuple[str, ...] = ()
    """More fields of the game's config, as name=value."""
    seed: int = 1
    """Seed of the first game; each next game has the next seed."""


def run(args: Args) -> None:
    """Play and write.

    Raises:
        ValueError: an unknown name or a wrong value.
        OSError: the file cannot be written.
    """
    if args.games < 1:
        raise ValueError(f"games must be at least 1, got {args.games}")
    as_seed(args.seed + args.games - 1)
    agents = args.agents.split(",")
    config = config_for(args.game, args.preset, args.players, args.config, agents)
    seats = line_up_of(agents, config, config.players)
    lines = []
    with said_if_slow("Compiling the game and its bots, once on a machine ..."):
        for seed in range(as_seed(args.seed), args.seed + args.games):
            session = Session(config, seats, seed)
            if session.persons:
                raise ValueError("persons play with 'hanabako play'")
            for _ in session.go_on():
                pass
            lines.append(json.dumps(session.record.to_json()))
    print(f"{write_text(args.out, chr(10).join(lines) + chr(10))}: {args.games} games")
