"""The scores of our algorithms alone and together, in each comparison."""

from agents.evaluation import estimates
from agents.studies.comparison.found import Found
from hanabako.generated import table

from .scale import MEASURED, found_in

__all__ = ["summary"]


def summary() -> str:
    """Return a table with a line for each algorithm, and runs, self-play and cross-play in each comparison."""
    found = [found_in(name) for name in MEASURED]
    names = dict.fromkeys(name for one in found for name, runs in one.runs.items() if runs)
    head = ["algorithm"]
    for one in found:
        head += [f"{one.whole.preset}, {one.whole.budget}: runs", "self-play", "cross-play"]
    rows = [[found[0].whole.label(name), *(cell for one in found for cell in cells(one, name))] for name in names]
    return table(head, rows) + "\n"


def cells(found: Found, name: str) -> list[str]:
    """Return the number of an algorithm's runs, its self-play and its cross-play, or lines without them.

    Its share of the comparison's budget follows the number of runs, if that is not the whole budget.
    """
    if not found.runs.get(name):
        return ["-"] * 3
    share = found.whole.algorithms[name].share
    runs = f"{len(found.runs[name])}" + (f", of {share} of the budget" if share != 1 else "")
    together = found.together[name].words() if name in found.several else "-"
    return [runs, estimates.mean(found.own_scores(name)).words(), together]
