"""The tables of a comparison in Markdown, with intervals over training runs."""

from collections.abc import Iterator

import numpy as np

from hanabako.games import game_in_words, returns_in_words
from hanabako.generated import table
from hanabako.words.cleaned import as_code, in_markdown

from .. import estimates
from ..study import Results
from .found import Found
from .rows import Comparison

__all__ = ["board"]

MILLION = 10**6


def board(comparison: Comparison, results: Results) -> str:
    """Return the tables of a comparison in Markdown."""
    found = Found(comparison, results)
    if not any(found.runs.values()):
        return "No run has ended yet."
    parts = [introduction(found), scores(found), improvements(found), with_partners(found), notes(found)]
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))


def introduction(found: Found) -> Iterator[str]:
    """Yield a sentence about what was compared."""
    comparison = found.comparison
    config = comparison.make_config()
    features = " or ".join(dict.fromkeys(map(comparison.features_of, comparison.algorithms)))
    words = f"{game_in_words(config)}, observation {config.observation_name}, features {features}; a run has "
    words += f"{comparison.budget}, and a pair plays {comparison.deals:,} deals"
    words += "" if comparison.cooperative else f"; numbers are a player's {returns_in_words(config)}"
    if not comparison.reproduction:
        yield f"No row is a reproduction of its algorithm's paper: {in_markdown(comparison.reason)}."
        yield ""
    yield f"{words}. Intervals are 95 % over training runs; fewer than {estimates.FEWEST_RUNS} allow no inference."


def scores(found: Found) -> Iterator[str]:
    """Yield a table with one line per algorithm."""
    cooperative = found.comparison.cooperative
    alone, together = ("self-play", "cross-play") if cooperative else ("evaluated", "lead over the others")
    head = ["algorithm", "runs", "decisions a run", "core-minutes", alone, "interquartile mean", together, "place"]
    head += ["groups", "two runs understand each other"] if cooperative else []
    head += ["same action"] if found.agreements else []
    lines = []
    places = estimates.places(found.together)
    told = found.several if cooperative else found.teams
    for name in found.ordered:
        runs, own = found.runs[name], found.own_scores(name)
        if not runs:
            continue
        decisions = millions(float(np.mean([run["steps"] for run in runs])))
        cells = [name, str(len(runs)), decisions, f"{np.mean([run['core_seconds'] for run in runs]) / 60:.2f}"]
        cells += [estimates.mean(own).words(), estimates.interquartile_mean(own).words()]
        cells += [found.together[name].words() if name in told else "-"]
        cells += [places.get(name, "no inference")]
        if cooperative:
            cells += list(understanding(found, name))
        if found.agreements:
            agreed = found.agreement(name)
            cells.append(f"{np.mean(agreed):.0%}" if agreed else "-")
        lines.append(cells)
    yield table(head, lines)


def understanding(found: Found, name: str) -> Iterator[str]:
    """Yield the sizes of an algorithm's groups of compatible runs, and the probability that two runs are compatible."""
    if name not in found.several:
        yield from ("-", "-")
        return
    matrix = found.own_matrix(name)
    yield " + ".join(str(len(group)) for group in estimates.groups(matrix))
    yield estimates.among(estimates.understanding(matrix), (0.0, 1.0)).words()


def improvements(found: Found) -> Iterator[str]:
    """Yield a table of the probabilities that two runs of one algorithm score more together than two of another.

    Each pair of algorithms has one cell: the other way around it is the rest to 1.
    """
    sure = [name for name in found.ordered if name in found.teams and found.together[name].inference]
    if len(sure) < 2 or not found.comparison.cooperative:
        return
    yield "Probability that two runs of the row's algorithm score more together than two of the column's:"
    yield ""
    own = {name: found.own_matrix(name) for name in sure}
    lines = []
    for k, one in enumerate(sure[:-1]):
        cells = [estimates.probability_of_improvement(own[one], own[other]).words() for other in sure[k + 1 :]]
        lines.append([one, *[""] * k, *cells])
    yield table(["", *sure[1:]], lines)


def with_partners(found: Found) -> Iterator[str]:
    """Yield a table of scores with each partner, averaged over both seatings."""
    if not found.partners or not found.teams:
        return
    yield "With partners, both seatings averaged:"
    yield ""
    named = [as_code(name).replace("|", r"\|") for name in found.partners]
    teams = [name for name in found.ordered if name in found.teams]
    both = {name: found.both(found.teams[name], found.partners).T for name in teams}
    yield table(["algorithm", *named], ([name, *(estimates.mean(own).words() for own in both[name])] for name in teams))


def over_budget(found: Found) -> Iterator[str]:
    """Yield a sentence on algorithms with a run of more than a twentieth above its budget of decisions."""
    comparison, told = found.comparison, []
    for name, runs in found.runs.items():
        steps = [run["steps"] for run in runs]
        if comparison.steps and max(steps, default=0) > 1.05 * comparison.steps * comparison.algorithms[name].share:
            told.append(f"{name} {int(np.mean(steps)):,}")
    if told:
        yield f"A run ends after a whole update, so some made more decisions than their budget: {', '.join(told)}."


def uneven(found: Found) -> Iterator[str]:
    """Yield a sentence on algorithms with a run that made a quarter more decisions than another in the same minutes."""
    told = []
    for name, runs in found.runs.items():
        steps = [run["steps"] for run in runs]
        if found.comparison.steps is None and runs and max(steps) > 1.25 * min(steps):
            told.append(f"{name} {millions(min(steps))} to {millions(max(steps))}")
    if told:
        yield f"In the same minutes some runs made more decisions than others: {', '.join(told)}."


def millions(decisions: float) -> str:
    """Return a number of decisions as text, in millions if it reaches one."""
    return f"{decisions / MILLION:.2f} M" if decisions >= MILLION else f"{decisions:,.0f}"


def notes(found: Found) -> Iterator[str]:
    """Yield the shares of the budget, and the notes of runs that were made differently, with their algorithms."""
    shares = {
        name: own.share for name, own in found.comparison.algorithms.items() if own.share < 1 and found.runs[name]
    }
    if shares:
        yield f"Shares of the budget: {', '.join(f'{name} {share:.3g}' for name, share in shares.items())}."
    yield from over_budget(found)
    yield from uneven(found)
    said: dict[str, dict[str, None]] = {}
    for name, runs in found.runs.items():
        for run in runs:
            if "note" in run:
                said.setdefault(str(run["note"]), {})[name] = None
    for note, names in said.items():
        yield f"{in_markdown(note.capitalize())}: {', '.join(names)}."
