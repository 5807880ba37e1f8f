"""Play an agent with a fixed set of held-out partners, and compare it with other agents.

    hanabako challenge run hanabi-2p-v1 --agent runs/NAME --cores 2
    hanabako challenge page hanabi-2p-v1 hanabi-2p-v1.json --png agents.png
    hanabako verify hanabi-2p-v1.json

The agent sits at each seat in turn and its partner at all others. Results go to a file: an interrupted run continues,
more agents can be added, and `hanabako verify` replays the games. `docs/challenge.md` says what the score means.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hanabako.files import check_writable, write_text
from hanabako.words.cleaned import on_terminal

from ..registry import check_honest, effort_of, load_to_play
from ..results.challenge.suite import entries, figure, lines, named, page, read, unfinished
from ..results.executors import executor_of
from ..results.meeting import play_meeting
from ..results.running import run as run_study
from ..results.store import origin_of
from ..results.study import Study, key_of

SuiteName = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="SUITE")]


@dataclass(frozen=True)
class Run:
    """Play an agent with all partners of a suite, and print its scores."""

    suite: SuiteName
    """The set of partners, such as hanabi-2p-v1."""
    agent: str
    """An agent's name, policy file or run's folder; or FILE.py:NAME, whose code is imported and run. {preset} in it
    stands for the preset of each partner, where a suite has several."""
    search: tuple[str, ...] = ()
    """Settings of an agent search:NAME, as name=value: see ``agents.load``."""
    games: int | None = None
    """Play only the first deals of the suite, for slow agents; by default all."""
    cores: int = 1
    """Number of partners to play with at the same time, each in its own process."""
    out: Path | None = None
    """The results file to add to; by default SUITE.json in this folder."""
    again: bool = False
    """Play everything again, even what is complete."""


@dataclass(frozen=True)
class Page:
    """Write a page with the scores of all agents in results files."""

    suite: SuiteName
    """The set of partners."""
    files: tyro.conf.Positional[tuple[Path, ...]]
    """Files that `run` wrote."""
    out: Path | None = None
    """The page, in Markdown; by default it is printed."""
    png: Path | None = None
    """Also draw a picture of each agent's scores with each partner."""


@dataclass(frozen=True)
class Args:
    """Play agents with fixed sets of partners."""

    do: Annotated[Run | Page, tyro.conf.arg(name="")]


def run(args: Args) -> None:
    """Run the chosen sub-command."""
    match args.do:
        case Run():
            play(args.do)
        case Page():
            show(args.do)


def play(args: Run) -> None:
    """Play what is missing and print the agent's scores."""
    suite = named(args.suite)
    suite.check()
    effort, path = effort_of(args.search, [args.agent]), args.out or Path(f"{suite.name}.json")
    rows = list(suite.meetings(args.agent, args.games, effort).values())
    for row in {row.preset: row for row in rows}.values():
        check_honest(row.line_up[0], load_to_play(row.line_up[0], row.config, effort), row.config)
    searching = ["--search", *args.search] if args.search else []
    some = [] if args.games is None else ["--games", str(args.games)]
    words = ["challenge", "run", suite.name, "--agent", args.agent, *some, *searching]
    study, executor = Study(suite.name, rows, play_meeting, unit="deal"), executor_of(args.cores)
    read([path] if path.exists() else [])  # refuses a damaged file before hours of play
    refused = run_study(study, path, origin_of(words), None, executor, args.cores, again=args.again)
    if refused:
        row, why = next(iter(refused.items()))
        raise SystemExit(f"hanabako challenge: {row}: {why}")
    keys = {row.key for row in rows}
    (entry,) = entries(suite, [result for result in read([path]) if key_of(result) in keys])
    print("\n".join(lines(suite, entry)))


def show(args: Page) -> None:
    """Write the page of scores, and the picture if asked for."""
    suite = named(args.suite)
    check_writable(args.out, args.png)
    if {args.out, args.png} & set(args.files) or (args.out is not None and args.out == args.png):
        raise ValueError(f"out, png and the results must be different files, got {args.out} and {args.png}")
    results = read(args.files)
    found = entries(suite, results)
    for line in unfinished(suite.name, results):
        print(on_terminal(line), file=sys.stderr)
    if not found:
        raise ValueError(f"no agent in these files has played with all partners of {suite.name}")
    if args.out is None:
        print(page(suite, found), end="")
    else:
        write_text(args.out, page(suite, found))
    if args.png is not None:
        figure(suite, found, args.png)
