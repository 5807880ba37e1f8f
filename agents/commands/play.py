"""Play a game with agents or friends, in this terminal or in the browser.

    hanabako play hanabi --with smart
    hanabako play hanabi --with smart,piers --players 3
    hanabako play ikebana --with lookahead --seat 1
    hanabako play koikoi --with counting --config rounds=3
    hanabako play hanabi --with person
    hanabako play hanabi --with search:questions --search budget=500
    hanabako play hanabi --with questions --web
    hanabako play hanabi --with mine.py:Timid      # a bot of your own: its file is imported and run

A `person` is another human at this terminal or browser. In the browser, players can be changed at any time.
Every game is saved under games/ while it is played, and also in hanab.live's format if that site has the game;
`hanabako watch FILE` shows it.
"""

import os
import secrets
import shutil
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import tyro

from hanabako.files import check_writable
from hanabako.games import game_of
from hanabako.words.checks import as_index, as_seed
from hanabako.words.ranges import Within

from ..people.server import Host, serving, signpost
from ..people.session import PERSON, Adviser, Session, best_agent, line_up_of
from ..people.terminal import Terminal, can_show_shapes, said_if_slow
from ..playing.policy import filled
from ..registry import ConfigOptions, effort_of, names


@dataclass(frozen=True)
class Args(ConfigOptions):
    """Play a game with agents or friends."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """hanabi, ikebana or koikoi."""
    partners: Annotated[str, tyro.conf.arg(name="with")] = "random"
    """NAME[,NAME...]: the agents at the other seats, in turn order after you; the last name fills the remaining seats.
    Names of agents, policy files, runs' folders, FILE.py:NAME and package.module:NAME, whose code is imported and run,
    or `person`."""
    seat: int = 0
    """Your seat: 0 is player_0, who usually begins."""
    search: tuple[str, ...] = ()
    """Settings of agents search:NAME, including the adviser, as name=value: see ``agents.load``."""
    seed: int | None = None
    """Seed of the deal and of the agents' randomness; by default a random one, which is shown."""
    adviser: str | None = None
    """The agent that gives advice when asked, named as in --with; by default the game's best bot."""
    web: bool = False
    """Play in the browser: serve a page on this machine's loopback address until Ctrl-C."""
    port: Annotated[int, Within(0, 2**16 - 1)] = 0
    """The port of the page; 0 takes any free one."""
    open: bool = True
    """Open that page in the browser."""
    out: Path | None = None
    """The file to save the game to; by default a name with the time under games/."""

    @property
    def effort(self) -> dict[str, Any]:
        """The settings in ``search``."""
        return effort_of(self.search, [*self.partners.split(","), *filter(None, [self.adviser])])


def run(args: Args) -> None:
    """Play a game."""
    check_writable(args.out)
    config = args.config_for(args.game, [PERSON, *args.partners.split(",")])
    adviser = cache(lambda: Adviser(args.adviser or best_agent(config), config, args.effort))
    if args.adviser is not None:
        adviser()
    seed = None if args.seed is None else as_seed(args.seed)
    session = session_of(seats_of(args, config), config, args.effort, seed, args.out)
    if args.web:
        in_browser(args, session, adviser)
        return
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if is_terminal:
        import readline  # noqa: F401 - it makes input lines editable
    width = min(shutil.get_terminal_size().columns, 120)
    color = is_terminal and not os.environ.get("NO_COLOR")  # https://no-color.org
    shapes = is_terminal and can_show_shapes(sys.stdout.encoding)
    Terminal(session, adviser, width, color, shapes, interactive=is_terminal).play()
    if session.record.actions:
        print(f"Saved: {session.file}\nTo watch it: hanabako watch {session.file}")


def in_browser(args: Args, first: Session, adviser: Callable[[], Adviser]) -> None:
    """Serve the page until Ctrl-C, beginning with the game ``first``; later games have its config."""
    waiting = [first]

    def begin(seats: Sequence[str]) -> Session:
        return waiting.pop() if waiting else session_of(seats, first.config, args.effort)

    offered = [PERSON, *names(first.entry.name)]
    with said_if_slow("The agents think; the first time on a machine they are compiled ..."):
        host = Host(begin, adviser, seats_of(args, first.config), offered)
    with serving(host, args.port) as url, ExitStack() as stack:
        print(f"Play at {url}\nCtrl-C ends; every game is saved, the first in {first.file}", flush=True)
        with suppress(KeyboardInterrupt):
            if args.open:
                webbrowser.open(stack.enter_context(signpost(url)))  # some browsers keep the caller waiting
            threading.Event().wait()
    print(flush=True)
    if host.is_busy:
        os._exit(0)  # if the interpreter ended normally, a thread busy in torch would abort it; the game is saved


def seats_of(args: Args, config: Any) -> list[str]:
    """Return the name of the agent or person at each seat."""
    seat = as_index("seat", args.seat, config.players - 1)
    others = filled(args.partners.split(","), config.players - 1)
    return [*others[len(others) - seat :], PERSON, *others[: len(others) - seat]]


def session_of(
    seats: Sequence[str], config: Any, effort: Mapping[str, Any], seed: int | None = None, file: Path | None = None
) -> Session:
    """Make a game with the named agents and persons at its seats, which is saved; by default under games/."""
    policies = line_up_of(seats, config, config.players, effort)
    if file is None:  # games that begin in the same second have names of their own
        file = Path("games") / f"{game_of(config).name}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}.json"
    return Session(config, policies, seed, file)
