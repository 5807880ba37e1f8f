"""Draw a game that bots play: its last position as .svg, or the whole game as .html, to click through.

    python -m agents.commands.draw hanabi table.svg --seed 11 --moves 32 --seat 1
    python -m agents.commands.draw koikoi game.html --preset nintendo --agent counting

`hanabako watch` writes pages of games that are kept, and of training runs.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from hanabako.drawing.replay import Snapshot
from hanabako.files import write_text
from hanabako.games import game_named, game_of, make_config

from ..playing.policy import Policy
from ..playing.seating import OneTable
from ..registry import load, names

__all__ = ["Args", "default_agent", "draw", "main", "sample_game"]

ENDINGS = (".svg", ".html")


@dataclass(frozen=True)
class Args:
    """Draw a game that bots play."""

    game: tyro.conf.Positional[str]
    """The game."""
    out: tyro.conf.Positional[Path]
    """The file to write: .svg is the last position, .html the whole game."""
    preset: str | None = None
    """A preset of the game; its first if none is given."""
    players: int | None = None
    """Players at the table; the preset's number if it is not given."""
    config: tuple[str, ...] = ()
    """More fields of the game's config, as name=value; for a policy file also those of what it observes."""
    agent: str | None = None
    """Who plays at all seats: an agent's name or a policy file; the best that plays fairly if none is given."""
    seed: int = 0
    """Seed of the deal and of the players' randomness."""
    moves: int = 1000
    """Stop after that many moves."""
    seat: int | None = None
    """Whose eyes see the position; every card is shown if none is given."""


def default_agent(config: Any) -> Policy:
    """The last of the game's agents that can play ``config`` and does not look at hidden cards: they improve in order.

    Raises:
        ValueError: ``config`` is no game's config.
    """
    for name in reversed([name for name in names(game_of(config).name) if "cheat" not in name]):
        try:
            return load(name, config)
        except ValueError:  # it cannot play this configuration
            continue
    raise AssertionError("random agents play everything")


def sample_game(config: Any, seed: int = 0, moves: int = 1000, agent: str | Path | None = None) -> list[Snapshot]:
    """A game of up to ``moves`` moves, as snapshots of every position.

    Args:
        config: of any game.
        seed: of the deal and of the players' chance.
        moves: where to stop.
        agent: who plays at all seats, as `agents.load` takes it; None is `default_agent`.

    Raises:
        ValueError: there is no such agent, or it cannot play ``config``.
    """
    policy = default_agent(config) if agent is None else load(agent, config)
    entry = game_of(config)
    env = entry.module(entry.environment).raw_env(config=config)
    env.reset(seed=seed)
    table = OneTable(env, [policy] * len(env.possible_agents), seed)
    snapshots: list[Snapshot] = []
    while len(snapshots) < moves and not all(env.terminations.values()):
        action = table.action()
        snapshots.append(Snapshot(env.to_dict(), env.action_to_str(action)))
        env.step(action)
        table.observe()
    return [*snapshots, Snapshot(env.to_dict())]


def draw(args: Args) -> Path:
    """Write the picture that ``args`` ask for.

    Raises:
        ValueError: an unknown name, a wrong value, an agent that cannot play, or a file of another kind.
    """
    if args.out.suffix not in ENDINGS:
        raise ValueError(f"out must end in {' or '.join(ENDINGS)}, got {args.out}")
    config = make_config(args.game, args.preset, args.players, args.config)
    snapshots = sample_game(config, args.seed, args.moves, args.agent)
    drawing = game_named(args.game).make_game(config).drawing()
    view = drawing.view_of(snapshots[-1].position, config, args.seat)
    if args.out.suffix == ".html":
        return drawing.replay(config, snapshots).save(args.out)
    return write_text(args.out, drawing.table_svg(view))


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    try:
        draw(args)
    except (OSError, ValueError) as error:
        raise SystemExit(f"picture: {error}") from error


if __name__ == "__main__":
    main()
