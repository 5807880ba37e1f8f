"""The page of a comparison: a table of algorithms with intervals over training runs, and figures."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing import charts
from hanabako.games import game_of

from ...evaluation import estimates
from ...evaluation.crossplay import heat_map
from ...evaluation.estimates import Estimate
from ...published_scores import reference_lines
from ..study import Draw, Result, Results, key_of
from .rows import Comparison, Pair

__all__ = ["board", "figures"]

LEVELS = 40
"""The number of scores at which a performance profile is drawn."""
MOST_PANELS = 5
"""The largest number of matrices of actions in a figure."""


class Found:
    """The results that belong to the rows of a comparison.

    Args:
        whole: the comparison.
        results: results of its rows, and perhaps of rows that it no longer has.
    """

    def __init__(self, whole: Comparison, results: Results) -> None:
        self.whole = whole
        rows = whole.rows()
        keys = {row.key for row in rows}
        self.rows = [result for result in results if key_of(result) in keys]
        self.asked = {(row.one, row.other) for row in rows if isinstance(row, Pair)}
        """The pairs that play together."""
        pairs = [row for row in self.rows if "one" in row["fields"]]
        self.cells = {(row["one"], row["other"]): float(row["score"]) for row in pairs}
        self.agreements = {(row["one"], row["other"]): float(row["agreement"]) for row in pairs if "agreement" in row}
        self.actions = {row["one"]: np.array(row["actions"]) / 100 for row in pairs if "actions" in row}
        """(A, A): the probability of an action, the column, after another one, for the runs that have it."""
        self.runs: dict[str, list[Result]] = {name: [] for name in whole.algorithms}
        for row in self.rows:
            if "algorithm" in row["fields"]:
                self.runs[row["algorithm"]].append(row)
        self.names = {name: [f"{name}-{run['seed']}" for run in runs] for name, runs in self.runs.items()}
        """The names of the runs by algorithm."""

    @cached_property
    def met(self) -> list[str]:
        """The partners and runs that have played all their pairs with themselves and earlier ones."""
        met: list[str] = []
        for name in (*self.whole.partners, *chain(*self.names.values())):
            pairs = {pair for other in (*met, name) for pair in ((name, other), (other, name))}
            if pairs & self.asked <= self.cells.keys():
                met.append(name)
        return met

    @property
    def partners(self) -> list[str]:
        """The partners among `met`."""
        return [name for name in self.whole.partners if name in self.met]

    @cached_property
    def teams(self) -> dict[str, list[str]]:
        """The runs among `met` by algorithm, without algorithms that have none."""
        found = {name: [run for run in own if run in self.met] for name, own in self.names.items()}
        return {name: own for name, own in found.items() if own}

    def matrix(self, some: Sequence[str], others: Sequence[str]) -> NDArray[np.float64]:
        """Return the scores (n, m) with ``some`` at player 0 and ``others`` at all other seats.

        Those of pairs that do not play together are NaN.
        """
        return np.array([[self.cells.get((one, other), np.nan) for other in others] for one in some])

    def both(self, some: Sequence[str], others: Sequence[str]) -> NDArray[np.float64]:
        """Return the scores (n, m) averaged over seatings; in a competitive game half of the lead of ``some``."""
        first, second = self.matrix(some, others), self.matrix(others, some).T
        return (first + second) / 2 if self.whole.cooperative else (first - second) / 2

    def agreement(self, name: str) -> list[float]:
        """Return the agreement of each pair of an algorithm's runs in both orders, as far as it is measured."""
        own = self.teams.get(name, [])
        return [self.agreements[pair] for pair in permutations(own, 2) if pair in self.agreements]

    def own_scores(self, name: str) -> list[float]:
        """Return the scores of an algorithm's runs in self-play, or in a competitive game those of their evaluation."""
        return [run["score"] for run in self.runs[name]]

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The worst and the best mean score of a pair of runs, self-play included."""
        runs = [run for own in self.teams.values() for run in own]
        both = self.both(runs, runs)
        return float(np.nanmin(both)), float(np.nanmax(both))

    @cached_property
    def together(self) -> dict[str, Estimate]:
        """The cross-play of each algorithm; in a competitive game the lead of its runs over those of all others."""
        if self.whole.cooperative:
            return {name: estimates.among(self.matrix(own, own), self.bounds) for name, own in self.teams.items()}
        found = {}
        for name, own in self.teams.items():
            others = [run for other, runs in self.teams.items() if other != name for run in runs]
            found[name] = estimates.between(self.both(own, others), self.bounds) if others else Estimate(float("nan"))
        return found

    def per_run(self, name: str) -> NDArray[np.float64]:
        """Return the mean score of each run of an algorithm with the other runs of that algorithm, (n,)."""
        both = self.both(self.teams[name], self.teams[name])
        return (both.sum(axis=1) - both.diagonal()) / (len(both) - 1)

    @property
    def ordered(self) -> list[str]:
        """The algorithms that allow inference, by cross-play, best first; then the others, in the order of the file."""
        sure = [name for name in self.teams if self.together[name].inference]
        sure.sort(key=lambda name: -self.together[name].value)
        return [*sure, *(name for name in self.runs if name not in sure)]


# --- The table --------------------------------------------------------------------------------------------------------


def board(whole: Comparison, results: Results) -> str:
    """Return the tables of a comparison in Markdown."""
    found = Found(whole, results)
    if not any(found.runs.values()):
        return "No run has ended yet."
    parts = [introduction(found), scores(found), improvements(found), with_partners(found), notes(found)]
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))


def introduction(found: Found) -> Iterator[str]:
    """Yield a sentence about what was compared."""
    whole = found.whole
    config = whole.make_config()
    budget = f"{whole.steps:,} decisions" if whole.steps else f"{whole.core_minutes:g} core-minutes"
    words = f"`{whole.game}`, `{whole.preset or 'its first preset'}`, {config.players} players; a run has {budget}"
    if not whole.reproduction:
        yield f"No row is a reproduction of its algorithm's paper: {whole.reason}."
        yield ""
    yield f"{words}. Intervals are 95 % over training runs; fewer than {estimates.FEWEST_RUNS} allow no inference."


def scores(found: Found) -> Iterator[str]:
    """Yield a table with one line per algorithm."""
    cooperative = found.whole.cooperative
    alone, together = ("self-play", "cross-play") if cooperative else ("evaluated", "lead over the others")
    head = ["algorithm", "runs", "decisions a run", "core-minutes", alone, "interquartile mean", together, "place"]
    head += ["groups", "two runs understand each other"] if cooperative else []
    head += ["same action"] if found.agreements else []
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    places = estimates.places(found.together)
    for name in found.ordered:
        runs, own = found.runs[name], found.own_scores(name)
        if not runs:
            continue
        cost = [f"{np.mean([run['steps'] for run in runs]) / 1e6:.2f} M"]
        cost.append(f"{np.mean([run['core_seconds'] for run in runs]) / 60:.2f}")
        cells = [found.whole.label(name), str(len(runs)), *cost]
        cells += [estimates.mean(own).words(), estimates.interquartile_mean(own).words()]
        cells += [found.together[name].words() if len(found.teams.get(name, ())) > 1 or not cooperative else "-"]
        cells += [places.get(name, "no inference")]
        if cooperative:
            cells += list(understanding(found, name))
        if found.agreements:
            agreed = found.agreement(name)
            cells.append(f"{np.mean(agreed):.0%}" if agreed else "-")
        yield f"| {' | '.join(cells)} |"


def understanding(found: Found, name: str) -> Iterator[str]:
    """Yield the sizes of an algorithm's groups of compatible runs, and the probability that two runs are compatible."""
    own = found.teams.get(name, [])
    if len(own) < 2:
        yield from ("-", "-")
        return
    matrix = found.matrix(own, own)
    yield " + ".join(str(len(group)) for group in estimates.groups(matrix))
    yield estimates.among(estimates.understanding(matrix), (0.0, 1.0)).words()


def improvements(found: Found) -> Iterator[str]:
    """Yield a table of the probabilities that a run of one algorithm has better cross-play than one of another."""
    sure = [name for name in found.ordered if name in found.teams and found.together[name].inference]
    if len(sure) < 2 or not found.whole.cooperative:
        return
    yield "Probability that a run of the row's algorithm has the better cross-play:"
    yield ""
    yield f"| | {' | '.join(sure)} |"
    yield "|---" * (len(sure) + 1) + "|"
    own = {name: found.per_run(name) for name in sure}
    for one in sure:
        cells = [
            "" if one == other else estimates.probability_of_improvement(own[one], own[other]).words() for other in sure
        ]
        yield f"| {found.whole.label(one)} | {' | '.join(cells)} |"


def with_partners(found: Found) -> Iterator[str]:
    """Yield a table of scores with each partner: both seatings averaged, and each alone."""
    if not found.partners or not found.teams:
        return
    yield "With partners: both seatings averaged, then the run first, the partner first:"
    yield ""
    yield f"| algorithm | {' | '.join(f'`{name}`' for name in found.partners)} |"
    yield "|---" * (len(found.partners) + 1) + "|"
    for name in found.ordered:
        if name in found.teams:
            cells = [partner_cell(found, name, partner) for partner in found.partners]
            yield f"| {found.whole.label(name)} | {' | '.join(cells)} |"


def partner_cell(found: Found, name: str, partner: str) -> str:
    """Return the score of an algorithm's runs with a partner, as text."""
    own = found.teams[name]
    mean = estimates.mean(found.both(own, [partner])[:, 0])
    first, second = found.matrix(own, [partner]).mean(), found.matrix([partner], own).mean()
    return f"{mean.words()}; {first:.2f}, {second:.2f}"


def notes(found: Found) -> Iterator[str]:
    """Yield the notes of runs that were made differently or under another name, with their algorithms."""
    said: dict[str, dict[str, None]] = {}
    for name, runs in found.runs.items():
        for run in runs:
            if "note" in run:
                said.setdefault(str(run["note"]), {})[name] = None
            if "formerly" in run:
                said.setdefault(f"trained under the name {run['formerly']}", {})[name] = None
    for note, names in said.items():
        yield f"{note.capitalize()}: {', '.join(names)}."


# --- Figures ----------------------------------------------------------------------------------------------------------


def figures(whole: Comparison, stem: str) -> dict[str, Draw]:
    """Return the figures of a comparison by file name."""
    drawn = {"curves": curves, "scores": intervals, "matrix": matrix, "profiles": profiles, "actions": actions}
    return {f"{stem}-{name}.png": partial(draw, whole, how) for name, how in drawn.items()}


def draw(whole: Comparison, how: Any, results: Results, path: Path) -> None:
    """Write a figure, if it has anything to show."""
    figure = how(Found(whole, results))
    if figure is not None:
        charts.save(path, figure)


def curves(found: Found) -> Any:
    """Draw the greedy score during training: the mean over runs, and a band from the worst to the best run."""
    drawn = {name: [run["curve"] for run in runs if run.get("curve")] for name, runs in found.runs.items()}
    if not any(drawn.values()):
        return None
    title = f"{title_of(found.whole)}; band: all runs"
    figure, axes = charts.chart(title, "decisions (millions)", "greedy score, unseen deals")
    for name, own in drawn.items():
        if own:
            steps = np.linspace(max(c[0][0] for c in own), min(c[-1][0] for c in own), 60)
            values = np.array([np.interp(steps, *np.transpose(c)) for c in own])
            (line,) = axes.plot(steps / 1e6, values.mean(axis=0), label=name)
            charts.band(axes, steps / 1e6, values.min(axis=0), values.max(axis=0), line.get_color())
    for one in reference_lines(found.whole.make_config()):
        charts.reference(axes, one.score, one.name)
    charts.from_zero(axes)
    charts.legend(axes)
    return figure


def title_of(whole: Comparison) -> str:
    """Return the title of a comparison's charts: its game and preset."""
    note = "" if whole.reproduction else " (no reproductions)"
    return f"{whole.game} {whole.preset or ''}".strip() + f", {whole.make_config().players} players{note}"


def intervals(found: Found) -> Any:
    """Draw self-play and cross-play with their intervals."""
    alone, together = ("self-play", "cross-play") if found.whole.cooperative else ("evaluated", "lead")
    rows: Mapping[str, dict[str, Estimate]] = {
        name: {alone: estimates.mean(found.own_scores(name))}
        | ({together: found.together[name]} if np.isfinite(found.together[name].value) else {})
        for name in found.ordered
        if name in found.teams
    }
    if not rows:
        return None
    figure = estimates.interval_figure(rows, f"{title_of(found.whole)}, 95 % over training runs", "score")
    best = getattr(found.whole.make_config(), "max_score", None)
    if best is not None:
        charts.reference(figure.axes[0], best, "highest score", upright=True)
        figure.axes[0].set_xlim(right=1.02 * best)
    return figure


def matrix(found: Found) -> Any:
    """Draw mean scores of algorithms and partners in pairs: rows at player 0; the diagonal is cross-play."""
    teams = {**found.teams, **{name: [name] for name in found.partners}}
    if not found.teams:
        return None
    cells = np.array([[mean_of_pairs(found, one, other) for other in teams.values()] for one in teams.values()])
    best = getattr(found.whole.make_config(), "max_score", float(np.nanmax(cells)))
    return heat_map(cells, list(teams), best, f"{title_of(found.whole)}: partners that never met")


def mean_of_pairs(found: Found, some: Sequence[str], others: Sequence[str]) -> float:
    """Return the mean score of ``some`` at player 0 with ``others``; for one algorithm, that of its different runs.

    It is NaN if no two of them have played together.
    """
    scores = found.matrix(some, others)
    if some is others and len(some) > 1:
        scores = scores[~np.eye(len(some), dtype=bool)]
    played = scores[~np.isnan(scores)]
    return float(played.mean()) if len(played) else np.nan


def profiles(found: Found) -> Any:
    """Draw the performance profiles of cross-play."""
    several = {name: own for name, own in found.teams.items() if len(own) > 1}
    if not several or not found.whole.cooperative:
        return None
    levels = np.linspace(*found.bounds, LEVELS)
    parts = {name: estimates.profile(found.matrix(own, own), levels) for name, own in several.items()}
    return estimates.profile_figure(parts, levels, f"{title_of(found.whole)}: cross-play", "score of a pair of runs")


def actions(found: Found) -> Any:
    """Draw how probable each action is after each other one, for the first run of up to `MOST_PANELS` algorithms."""
    firsts = {name: own[0] for name in found.ordered if (own := found.names[name]) and own[0] in found.actions}
    shown = dict(list(firsts.items())[:MOST_PANELS])
    if not shown:
        return None
    figure, row = charts.panels(list(shown), (3.6 * len(shown) + 0.6, 4.4))
    config = found.whole.make_config()
    game = game_of(config).make_game(config)
    words = [game.action_to_str(None, action) for action in range(game.num_actions)]
    for axes, run in zip(row, shown.values(), strict=True):
        image = axes.imshow(found.actions[run], vmin=0, vmax=1, cmap="magma")
        axes.grid(visible=False)
        axes.set_xticks(range(len(words)), words, rotation=90, fontsize=6)
        axes.set_yticks(range(len(words)), words if axes is row[0] else [], fontsize=6)
        axes.set_xlabel("the next player's action")
    row[0].set_ylabel("action")
    figure.suptitle(title_of(found.whole), **charts.TITLE)
    figure.colorbar(image, ax=row, shrink=0.8, label="probability").outline.set_visible(False)
    return figure
