"""Play a game with agents or friends, in this terminal or in the browser.

    hanabako play hanabi --with smart
    hanabako play hanabi --with smart,piers --players 3
    hanabako play ikebana --with lookahead --seat 1
    hanabako play koikoi --with counting --config rounds=3
    hanabako play hanabi --with person
    hanabako play hanabi --with questions --web

A `person` is somebody else at this terminal or browser. Every game is kept under games/ as it goes, for hanab.live too
if that has such games; `hanabako watch FILE` shows it.
"""

import shutil
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Annotated

import tyro

from hanabako.games import game_of
from hanabako.words.checks import as_index, as_seed

from ..people.server import Host, serving
from ..people.session import PERSON, Adviser, Session, best_agent, config_for, line_up_of
from ..people.terminal import Terminal, said_if_slow

__all__ = ["Args", "run"]


@dataclass(frozen=True)
class Args:
    """Play a game with agents or friends."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """hanabi, ikebana or koikoi."""
    partners: Annotated[str, tyro.conf.arg(name="with")] = "random"
    """NAME[,NAME...]: who takes the other seats, in turn order after you; the last name stands for all that follow.
    Names of agents, policy files, or `person`."""
    seat: int = 0
    """Your seat: 0 is player_0, who usually begins."""
    preset: str | None = None
    """A preset of the game; by default its first, or what a network was trained for."""
    players: int | None = None
    """Number of players; by default the preset's."""
    config: tuple[str, ...] = ()
    """More fields of the game's config, as name=value."""
    seed: int | None = None
    """Seed of the deal and of the agents' chance; by default a fresh one, which is shown."""
    adviser: str | None = None
    """The agent whose advice can be asked for; by default the game's best bot."""
    web: bool = False
    """Play in the browser: serves a page on this machine's loopback address, until Ctrl-C."""
    port: int = 0
    """Of that page; 0 is any free one."""
    open: bool = True
    """Open that page in the browser."""
    out: Path | None = None
    """Where the game is kept; by default a name with the time under games/."""


def run(args: Args) -> None:
    """Play.

    Raises:
        ValueError: an unknown name or a wrong value.
        OSError: the game cannot be kept.
    """
    session = make_session(args)
    adviser = cache(lambda: Adviser(args.adviser or best_agent(session.config), session.config))
    if args.web:
        in_browser(args, session, adviser)
        return
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if is_terminal:
        import readline  # noqa: F401 - lines can be edited then
    width = min(shutil.get_terminal_size().columns, 120)
    Terminal(session, adviser, width, color=is_terminal, interactive=is_terminal).play()
    if session.record.actions:
        print(f"Kept: {session.file}\nTo watch it: hanabako watch {session.file}")


def in_browser(args: Args, first: Session, adviser: Callable[[], Adviser]) -> None:
    """Serve the page until somebody interrupts it; the first game is ``first``, those after it are like it."""
    games = chain([first], (make_session(replace(args, seed=None, out=None)) for _ in count()))
    with said_if_slow("The agents think; the first time on a machine they are compiled ..."):
        host = Host(lambda: next(games), adviser)
    with serving(host, as_index("port", args.port, 2**16 - 1)) as url:
        print(f"Play at {url}\nCtrl-C ends; every game is kept, the first in {first.file}", flush=True)
        if args.open:
            webbrowser.open(url)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
    print()


def make_session(args: Args) -> Session:
    """The game that ``args`` ask for, dealt and compiled."""
    partners = args.partners.split(",")
    config = config_for(args.game, args.preset, args.players, args.config, [PERSON, *partners])
    seat = as_index("seat", args.seat, config.players - 1)
    others = line_up_of(partners, config, config.players - 1)
    seats = [None, *others]
    seats = seats[-seat:] + seats[:-seat] if seat else seats
    seed = None if args.seed is None else as_seed(args.seed)
    return Session(config, seats, seed, args.out or usual_file(config))


def usual_file(config: object) -> Path:
    """A name with the time that is not taken."""
    stem = Path("games") / f"{game_of(config).name}-{time.strftime('%Y%m%d-%H%M%S')}"
    file, number = stem.with_suffix(".json"), 1
    while file.exists():
        number += 1
        file = Path(f"{stem}-{number}.json")
    return file
