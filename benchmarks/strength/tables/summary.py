"""The scores of our algorithms alone and together."""

from hanabako.agents.results import estimates
from hanabako.generated import table

from .scale import MEASURED, found_in

__all__ = ["summary"]


def summary() -> str:
    """Return a table with a line for each algorithm that the comparisons of `MEASURED` have found."""
    lines: list[tuple[str, float, float, int]] = []
    for found in map(found_in, MEASURED):
        for name in found.several:
            alone, together = estimates.mean(found.own_scores(name)).value, float(found.cross_play(name).mean())
            lines.append((name, alone, together, len(found.runs[name])))
    lines.sort(key=lambda line: -line[2])
    rows = [[name, f"{alone:.2f}", f"{together:.2f}", str(runs)] for name, alone, together, runs in lines]
    return table(["algorithm", "self-play", "cross-play", "runs"], rows) + "\n"
