"""The scale of the papers, and what our comparisons found.

The papers' numbers are in ``papers.toml``. Ours are read from the comparisons in ``benchmarks/strength`` and their
results.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hanabako.agents.results.comparison.found import Found
from hanabako.agents.results.comparison.reading import read
from hanabako.agents.results.comparison.rows import Comparison
from hanabako.agents.results.declared import contents, filled_in
from hanabako.agents.results.store import read_results
from hanabako.generated import table

__all__ = [
    "MEASURED",
    "Paper",
    "found_in",
    "papers",
    "scale",
]

STUDIES = Path(__file__).resolve().parents[1]
MEASURED = ("small", "small_others")
"""The comparisons of all algorithms."""
NOT_STATED = "not stated"


# --- The papers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Paper:
    """What a paper used, in Hanabi for two players if it has that; a default says that we did not find it stated."""

    name: str
    algorithms: tuple[str, ...]
    """The names of its algorithms in our comparisons."""
    source: str
    """Where its numbers were found."""
    declared: tuple[str, ...] = ()
    """Our comparisons at its scale."""
    game: str = "standard"
    """The preset of Hanabi, or another game."""
    decisions: tuple[int, ...] = ()
    """Decisions of a run: one number, or the least and the most."""
    runs: int | None = None
    network: str = NOT_STATED
    compute: str = NOT_STATED
    """The time or machines of a run."""


@cache
def papers() -> list[Paper]:
    """Return the papers of ``papers.toml``."""
    with contents(Path(__file__).with_name("papers.toml")) as content:
        return [filled_in(Paper, given, "a paper") for given in content["paper"]]


# --- Our numbers ------------------------------------------------------------------------------------------------------


def comparison(name: str) -> Comparison:
    """Return one of our comparisons."""
    return read(STUDIES / f"{name}.toml", Path("runs") / name)


@cache
def found_in(name: str) -> Found:
    """Return what one of our comparisons has found."""
    return Found(comparison(name), read_results(STUDIES / "results" / f"{name}.json"))


# --- The table --------------------------------------------------------------------------------------------------------


def scale() -> str:
    """Return a line for each paper, and their sources."""
    head = ["paper", "game", "decisions a run", "runs", "network", "time or machines"]
    sources = "; ".join(f"{paper.name.partition(' (')[0]}: {paper.source}" for paper in papers())
    return f"{table(head, map(row_of, papers()))}\n\nSources: {sources}.\n"


def row_of(paper: Paper) -> list[str]:
    """Return the line of a paper; numbers of another game are left out."""
    decisions = " to ".join(f"{count / 1e9:g}" for count in paper.decisions)
    budget = f"{decisions} billion" if decisions else NOT_STATED
    cells = [budget, NOT_STATED if paper.runs is None else str(paper.runs), paper.network, paper.compute]
    return [paper.name, paper.game, *("-" if paper.game != "standard" else cell for cell in cells)]
