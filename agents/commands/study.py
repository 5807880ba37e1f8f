"""List, run, show and merge studies: measurements row by row, with the command and machine behind every number.

    hanabako study list                                     # the studies of a clone
    hanabako study list search_hanabi                       # the rows of a study, with their progress
    hanabako study run search_hanabi --where players=2 --cores 2 --minutes 30
    hanabako study run compare.toml --cores 2               # algorithms side by side: compare.json, .md and figures
    hanabako study run compare.toml --cluster auto          # on all machines of a Ray cluster
    hanabako study page search_hanabi
    hanabako study merge a.json b.json --out both.json

`run` imports a study in Python, or the algorithms that a comparison in TOML names, and runs their code. `page` and
`list` also import a study in Python; with TOML or JSON they run no code, and neither does `merge`. Ctrl-C ends a run
and keeps what is finished; the same command continues it.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hanabako.words.checks import shown
from hanabako.words.cleaned import on_terminal

from ..results.executors import executor_of
from ..results.finding import Place, find, load, names, title_of
from ..results.pages import write_page
from ..results.running import playable
from ..results.running import run as run_study
from ..results.store import is_stale, merge_files, origin_of, read_file, read_results
from ..results.study import Result, Study, chosen, key_of, words_of

Name = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="NAME|FILE.toml|FILE.py")]
Where = Annotated[tuple[str, ...], tyro.conf.arg(metavar="FIELD=VALUE")]


@dataclass(frozen=True)
class List:
    """List the studies, or the rows of one."""

    study: Annotated[tyro.conf.Positional[str | None], tyro.conf.arg(metavar="[NAME|FILE]")] = None
    """A study of the clone by name, its file, or a results file; by default all studies are listed."""
    where: Where = ()
    """Only rows whose fields have these values."""
    out: Path | None = None
    """The folder of its results, if it is not the default."""


@dataclass(frozen=True)
class Run:
    """Play or train the missing parts of a study's rows, then write its page."""

    study: Name
    """A study of the clone by name, or a file."""
    where: Where = ()
    """Only rows whose fields have these values."""
    cores: int = 1
    """Number of parts of rows to play at the same time, each in its own process."""
    cluster: Annotated[str | None, tyro.conf.arg(metavar="auto|HOST:PORT")] = None
    """Play on all machines of this Ray cluster instead; auto is the cluster that this machine belongs to."""
    minutes: float = float("inf")
    """Begin no part after this time."""
    out: Path | None = None
    """The folder for results, page and figures; by default the folder of the file, or of the clone's results."""
    finished: bool = False
    """In a comparison: train nothing, and play only the pairs of runs that have ended."""
    again: bool = False
    """Play the rows again, even those that are complete. The old folder of a training run is renamed. If this is
    interrupted, the same command without ``--again`` continues it."""


@dataclass(frozen=True)
class Page:
    """Write a study's page and figures from its results."""

    study: Annotated[tyro.conf.Positional[str | None], tyro.conf.arg(metavar="[NAME|FILE.toml|FILE.py]")] = None
    """A study of the clone by name, or a file; by default all studies of the clone."""
    out: Path | None = None
    """The folder of results, page and figures; by default as in `run`."""
    check: bool = False
    """Write nothing; exit with status 1 if the page is out of date."""


@dataclass(frozen=True)
class Merge:
    """Merge results files of the same study, keeping the most complete version of each row. Runs no code."""

    files: tyro.conf.Positional[tuple[Path, ...]]
    """Results files in JSON."""
    out: Path
    """The file to write."""


@dataclass(frozen=True)
class Args:
    """List, run, show and merge studies."""

    do: Annotated[List | Run | Page | Merge, tyro.conf.arg(name="")]


def run(args: Args) -> None:
    """Run the chosen sub-command."""
    match args.do:
        case List():
            list_studies(args.do)
        case Run():
            run_rows(args.do)
        case Page():
            show(args.do)
        case Merge(files, out):
            merge_files(files, out, origin_of(["study", "merge", *map(str, files), "--out", str(out)]))


def list_studies(args: List) -> None:
    """Print the studies, or a study's rows with their progress."""
    if args.where and (args.study is None or args.study.endswith(".json")):
        raise ValueError(f"where needs a study, by its name or the file that declares it, got {shown(args.where[0])}")
    if args.study is None:
        width = max(map(len, names()), default=0) + 2
        for name in names():
            print(f"{name:<{width}}{title_of(name)}")
        if not names():
            print("No studies here: the project's are in a clone. Name a study of your own by its file.")
        return
    elif args.study.endswith(".json"):
        for result in read_file(args.study)[1]:
            print(line(result["wanted"], words_of(result), result))
    else:
        place = find(args.study, args.out)
        study = load(place)
        results = {key_of(result): result for result in read_results(place.results, study.name)}
        for row in chosen(study.rows, args.where):
            print(line(row.wanted, row.words, results.get(row.key)))


def line(wanted: int, words: str, result: Result | None) -> str:
    """Return one line about a row: how much of it is done, and its fields."""
    done, stale = (0, False) if result is None else (result["done"], is_stale(result))
    return f"{done:>7} of {wanted:<7}{words}{'  stale' if stale else ''}"


def run_rows(args: Run) -> None:
    """Play the missing parts and write the page."""
    if not args.minutes >= 0:
        raise ValueError(f"minutes must be at least 0, got {args.minutes}")
    place = find(args.study, args.out)
    study = load(place)
    rows = chosen(study.rows, args.where)
    if args.finished:
        rows = playable(study, rows, read_results(place.results))
    if study.check is not None:
        study.check()
    if args.cluster is None:
        executor, cores = executor_of(args.cores), args.cores
    else:
        from ..bridges.ray import Cluster

        executor = Cluster(args.cluster)
        cores = executor.cores
    origin = origin_of(["study", "run", place.words, *(["--where", *args.where] if args.where else [])])
    refused = run_study(study, place.results, origin, rows, executor, cores, args.minutes, args.again)
    print_page(study, place)
    for words, why in refused.items():
        print(on_terminal(f"{words}: {why}"), file=sys.stderr)
    if refused:
        raise SystemExit(f"hanabako study: {len(refused)} of {len(rows)} rows could not be played")


def show(args: Page) -> None:
    """Write a study's page, or check it."""
    for name in names() if args.study is None else [args.study]:
        place = find(name, args.out)
        study = load(place)
        if not args.check:
            print_page(study, place)
        elif old := write_page(study, place, check=True):
            raise SystemExit(f"{old[0]} is out of date: run hanabako study page {place.words}")


def print_page(study: Study, place: Place) -> None:
    """Write a study's page and print the paths of the files."""
    for path in write_page(study, place):
        print(path)
