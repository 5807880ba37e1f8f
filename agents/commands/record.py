"""Record games as a dataset, from agents, hanab.live or AH2AC2; or convert a dataset.

    hanabako record hanabi --agents smart --games 100000 --out smart.npz
    hanabako record koikoi --agents counting,greedy_stop --games 1000 --seed 7
    hanabako record hanabi --preset very_small --agents search:piers --search rollouts=60 seats=all    # to learn from
    hanabako record hanabi --source exports/ --out people.npz     # a folder of hanab.live's exports
    hanabako record --source smart.npz --hanablive exports/       # one file per game, which the site opens
    hanabako record hanabi --source 2_players_games.safetensors --out people.npz     # AH2AC2's games of people
    hanabako record --source smart.npz --ah2ac2 smart.safetensors # the standard game, in AH2AC2's arrays
    hanabako record --source smart.npz --minari hanabako/smart-v0

A file holds seeds and actions, some 50 bytes per game of Hanabi; `agents.datasets` reads it and returns every decision
in any observation, and `hanabako watch FILE --number N` shows a game. The file appears only when it is complete.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from hanabako.files import check_writable
from hanabako.words.checks import as_seed, check_not_given, shown
from hanabako.words.cleaned import on_terminal
from hanabako.words.notation import counted
from hanabako.words.ranges import Size

from ..people.session import line_up_of
from ..registry import ConfigOptions, effort_of

PLAYING = ("agents", "games", "preset", "players", "config", "search", "seed")
"""The settings of games that agents play."""
SHOWN = 5
"""The number of left-out files that are named; the rest are only counted."""


@dataclass(frozen=True)
class Args(ConfigOptions):
    """Write a dataset of games."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")] = "hanabi"
    """hanabi, ikebana or koikoi."""
    agents: str = "random"
    """NAME[,NAME...]: names of agents, policy files, runs' folders, or FILE.py:NAME and package.module:NAME, whose code
    is imported and run; one per seat, and the last name fills the remaining seats."""
    games: Size = 100
    """Number of games."""
    out: Path = Path("games.npz")
    """The file to write; a dataset that is converted writes none."""
    search: tuple[str, ...] = ()
    """Settings of agents search:NAME, as name=value: see ``agents.load``."""
    seed: int = 2
    """Seed of the deals and of the agents' randomness. ``hanabako evaluate`` plays the same games with the same seed
    (by default 1), so give both different seeds if an agent learns from the recorded games."""
    source: Path | None = None
    """Instead of playing: a folder of hanab.live's exports or a .safetensors file of AH2AC2, which are read into --out,
    or a dataset to convert."""
    hanablive: Path | None = None
    """Also write the games to this folder, in hanab.live's format."""
    ah2ac2: Path | None = None
    """Also write the games to this file, in AH2AC2's format."""
    minari: str | None = None
    """Also write the games to the Minari dataset of this name, with one episode per seat of a game."""


def run(args: Args) -> None:
    """Play or read games, and write them."""
    check_writable(args.hanablive and args.hanablive / "0.json", args.ah2ac2)
    if args.minari is not None:
        from ..bridges.minari import installed_minari

        installed_minari()
    for dataset in datasets_of(args):
        if args.hanablive is not None:
            from ..bridges.hanab_live import write_exports

            print(f"{write_exports(dataset, args.hanablive)}: {counted(len(dataset), 'game')} for hanab.live")
        if args.ah2ac2 is not None:
            from ..bridges.ah2ac2.arrays import write_arrays

            print(f"{write_arrays(dataset, args.ah2ac2)}: {counted(len(dataset), 'game')} for AH2AC2")
        if args.minari is not None:
            from ..bridges.minari import to_minari

            print(f"{args.minari}: {counted(to_minari(dataset, args.minari).total_episodes, 'episode')} in Minari")


def datasets_of(args: Args) -> list[Any]:
    """Return the datasets that were asked for, one per config; those that are new are written to files first."""
    from ..datasets import Dataset

    if args.out.suffix != ".npz":
        raise ValueError(f"out must end in .npz, got {shown(str(args.out))}")
    source = args.source
    if source is not None:
        check_not_given(args, PLAYING, "agents that play, and with --source no agent plays")
        source.stat()  # raises if the file is missing, with its name
        if not source.is_dir() and source.suffix != ".safetensors":
            if not is_converting(args):
                raise ValueError(f"{source} is a file: say where its games go with --hanablive, --ah2ac2 or --minari")
            if args.out != Args.out:
                raise ValueError(f"out must not be given with a dataset as --source, got {shown(str(args.out))}")
            return [Dataset(source)]
    if args.out.exists():
        print(f"{args.out} exists, and will be replaced when the games are there", file=sys.stderr)
    datasets = [played(args)] if source is None else read(args, source)
    for dataset in datasets:
        size = dataset.file.path.stat().st_size
        print(f"{dataset.file.path}: {counted(len(dataset), 'game')}, {size / 1e3:,.0f} kB")
    if len(datasets) > 1 and is_converting(args):
        raise ValueError(f"{source} has games of {len(datasets)} configs: convert these datasets one by one")
    return datasets


def is_converting(args: Args) -> bool:
    """Whether games are to be written in a format of others."""
    return any(place is not None for place in (args.hanablive, args.ah2ac2, args.minari))


def played(args: Args) -> Any:
    """Record the agents' games and return the dataset."""
    from ..datasets import record

    as_seed(args.seed)
    agents = args.agents.split(",")
    config = args.config_for(args.game, agents)
    effort = effort_of(args.search, agents)
    seats = [policy for policy in line_up_of(agents, config, config.players, effort) if policy is not None]
    if len(seats) < config.players:
        raise ValueError("'person' is only for 'hanabako play'")
    shows = sys.stderr.isatty()
    return record(args.out, config, seats, args.games, args.seed, progress=shows, search=effort)


def read(args: Args, source: Path) -> list[Any]:
    """Read games of hanab.live or AH2AC2 and return the datasets; print which were left out."""
    if source.is_dir():
        from ..bridges.hanab_live import read_exports

        datasets, refused = read_exports(source, args.out)
    else:
        from ..bridges.ah2ac2.arrays import read_arrays

        dataset, refused = read_arrays(source, args.out)
        datasets = [dataset]
    for path, reason in list(refused.items())[:SHOWN]:
        print(on_terminal(f"left out: {path}: {reason}"), file=sys.stderr)
    if len(refused) > SHOWN:
        print(f"left out: {len(refused) - SHOWN} more", file=sys.stderr)
    return datasets
