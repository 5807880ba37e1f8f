"""The scores of our algorithms alone and together, in each comparison."""

from hanabako.agents.results import estimates
from hanabako.agents.results.comparison.found import Found
from hanabako.games import nearest_preset
from hanabako.generated import table

from .scale import MEASURED, found_in

__all__ = ["summary"]


def summary() -> str:
    """Return a table with a line for each algorithm, and a column for each comparison."""
    found = [found_in(name) for name in MEASURED]
    names = dict.fromkeys(name for one in found for name, runs in one.runs.items() if runs)
    head = ["algorithm"]
    for one in found:
        game = " ".join(nearest_preset(one.comparison.make_config()))
        head.append(f"{game}, {one.comparison.budget}, features {one.comparison.features_of()}")
    rows = [[name, *(cell(one, name) for one in found)] for name in names]
    return table(head, rows) + "\n"


def cell(found: Found, name: str) -> str:
    """Return an algorithm's self-play, cross-play, number of runs, and share of the budget if that is not all."""
    if not found.runs.get(name):
        return "-"
    alone = f"{estimates.mean(found.own_scores(name)).value:.2f}"
    together = f"{found.cross_play(name).mean():.2f}" if name in found.several else "-"
    count, share = len(found.runs[name]), found.comparison.algorithms[name].share
    runs = str(count)
    if name in found.several and len(found.teams[name]) < count:
        runs += f", {len(found.teams[name])} together"
    return f"{alone} / {together}; {runs}" + (f", {share} of the budget" if share != 1 else "")
