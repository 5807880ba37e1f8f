"""Draw a position of a game that bots play, as an .svg picture.

    hanabako draw hanabi table.svg --seed 11 --moves 32 --seat 1
    hanabako draw koikoi table.svg --preset nintendo --agent counting

`hanabako watch` writes a whole game as a page.
"""

from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from pathlib import Path
from typing import Annotated, Any

import tyro

from hanabako.drawing.replay import Snapshot
from hanabako.files import check_writable, write_text
from hanabako.games import game_named
from hanabako.words.ranges import Within

from ..people.session import Session, best_agent
from ..registry import ConfigOptions, load


@dataclass(frozen=True)
class Args(ConfigOptions):
    """Draw a position of a game that bots play."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """hanabi, ikebana or koikoi."""
    out: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE.svg")]
    """The file to write."""
    agent: str | None = None
    """The agent at all seats: an agent's name, a policy file, a run's folder, or FILE.py:NAME, whose code is imported
    and run; by default the best bot that does not look at hidden cards."""
    seed: int = 0
    """Seed of the deal and of the agents' randomness."""
    moves: Annotated[int, Within(0, float("inf"))] = 1000
    """Draw the position after this many moves, or the last one if the game is shorter."""
    seat: int | None = None
    """Draw the position as this seat sees it; by default every card is shown."""


def run(args: Args) -> None:
    """Write the picture."""
    if args.out.suffix != ".svg":
        raise ValueError(f"out must end in .svg, got {args.out}")
    check_writable(args.out)
    config = args.config_for(args.game, [args.agent] if args.agent else [])
    position = sample_game(config, args.seed, args.moves, args.agent)[-1].position
    drawing = game_named(args.game).make_game(config).drawing()
    write_text(args.out, drawing.table_svg(drawing.view_of(position, config, args.seat)))


def sample_game(config: Any, seed: int = 0, moves: int = 1000, agent: str | Path | None = None) -> list[Snapshot]:
    """Play a game of up to ``moves`` moves, and return a snapshot of every position.

    The ``seed`` is that of the deal and of the agents' randomness. The agent at all seats is as `agents.load` takes it,
    with its errors; None is `best_agent`.
    """
    policy = load(best_agent(config) if agent is None else agent, config)
    session = Session(config, [policy] * config.players, seed)
    for _ in islice(session.go_on(), moves):
        pass
    record = replace(session.record, config=config)
    return [Snapshot(env.to_dict(), action) for env, action in zip_longest(record.positions(), record.actions)]
