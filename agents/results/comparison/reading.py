"""Reading and checking the file of a comparison, without running the code that it names."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from hanabako.words.checks import shown

from ..declared import as_fields, contents, filled_in
from ..study import Result, Study
from .figures import figures
from .pages import board
from .rows import Algorithm, Comparison, Pair, Run

NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.+-]{0,98}[A-Za-z0-9_+])?")
MOST_RUNS = 500
"""The most runs of a comparison, in which each pair of runs is a row."""
LONGEST = 1000
"""The most characters of a partner's name."""


def read(path: Path, runs: Path) -> Comparison:
    """Return the comparison that a file declares, with the folder for its runs; errors as in `contents`."""
    with contents(path) as content:
        if content.pop("study", None) != "comparison":
            raise ValueError('study must be "comparison"')
        return comparison_of(content, path, runs)


def load(content: Mapping[str, Any], path: Path, runs: Path) -> Study:
    """Return the study that a file declares; the arguments and errors are those of `comparison_of`."""
    comparison, stem = comparison_of(content, path, runs), path.stem
    unmeasured = ""
    if comparison.core_hours is not None:
        count = len(comparison.all_runs())
        unmeasured = f"Declared, not run: {count} training runs, estimated at {comparison.core_hours:,.0f} core-hours."
    return Study(
        stem,
        comparison.rows(),
        measure,
        tables={stem: partial(board, comparison)},
        figures=figures(comparison, stem),
        check=partial(check, comparison),
        unit="deal",
        unmeasured=unmeasured,
    )


def measure(row: Run | Pair, _before: Result | None) -> dict[str, Any]:
    """Train or continue a run to its end, or play a pair's games; return the measurements."""
    from .measuring import play_pair, train  # imports torch, which pages do not need

    return train(row) if isinstance(row, Run) else play_pair(row)


def check(comparison: Comparison) -> None:
    """See `agents.results.comparison.measuring.check`."""
    from . import measuring

    measuring.check(comparison)


def comparison_of(content: Mapping[str, Any], path: Path, runs: Path) -> Comparison:
    """Return the comparison that a file declares, with the folder for its runs; no code is run.

    ``content`` is what the file holds, without ``study``. Errors say what is allowed.
    """
    tables = {name: content.get(name, {}) for name in ("config", "settings", "algorithms")}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ValueError(f"{name} must be a table [{name}], got {shown(table)}")  # noqa: TRY004 - of the file
    shared = tables["settings"]
    algorithms = {name: algorithm_of(name, table, shared) for name, table in tables["algorithms"].items()}
    comparison = filled_in(
        Comparison,
        {name: content[name] for name in content if name not in tables},
        "a comparison",
        config=tuple(as_fields(tables["config"])),
        features=str(shared.get("features", "auto")),
        algorithms=algorithms,
        folder=path.parent,
        runs=runs,
    )
    for wrong in faults(comparison):
        raise ValueError(wrong)
    comparison.make_config()
    return comparison


def algorithm_of(name: str, table: Any, shared: Mapping[str, Any]) -> Algorithm:
    """Return the algorithm that a table ``[algorithms.NAME]`` declares; its settings override the ``shared`` ones."""
    what = f"algorithms.{name}"
    if not NAME.fullmatch(name):
        kinds = "letters, digits and any of _.+-"
        raise ValueError(f"the name of an algorithm must be at most 100 {kinds}, got {shown(name)}")
    if not isinstance(table, dict) or not all(isinstance(table.get(key, {}), dict) for key in ("settings", "config")):
        raise ValueError(f"{what} must be a table, with tables of settings and config, got {shown(table)}")
    tables = {key: table.get(key, {}) for key in ("settings", "config")}
    settings = {**shared, **tables["settings"]}
    if "ranks" in table and "ranks" in tables["settings"]:
        raise ValueError(f"{what}: ranks must be given once, in the table or in its settings")
    ranks = {"ranks": settings.pop("ranks")} if "ranks" in settings else {}
    plain = ranks | {key: value for key, value in table.items() if key not in tables}
    try:
        return filled_in(Algorithm, plain, "it", settings=settings, config=tuple(as_fields(tables["config"])))
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from error


def faults(comparison: Comparison) -> Iterator[str]:
    """Yield an error message for each thing that is wrong with a comparison."""
    if (comparison.steps is None) == (comparison.core_minutes is None):
        yield "exactly one budget must be given: steps or core_minutes"
    if comparison.reproduction == bool(comparison.reason):
        yield "reason must say why the rows are not reproductions, and be given only with reproduction = false"
    if not comparison.algorithms:
        yield "at least one table [algorithms.NAME] must be given"
    seeds = comparison.seeds
    if not 0 < len(seeds) == len(set(seeds)) or min(seeds) < 0 or max(seeds) >= 2**63:
        yield f"seeds must be different integers from 0 to 2^63 - 1, at least one, got {shown(list(seeds))}"
    if (runs := len(seeds) * len(comparison.algorithms)) > MOST_RUNS:
        yield f"runs must be at most {MOST_RUNS:,}, seeds times algorithms, got {runs:,}"
        return
    runs = {run.name: run for run in comparison.all_runs()}
    yield from faults_of_runs(comparison, runs)
    if comparison.pairs != "all" and not comparison.cooperative:
        yield f'pairs must be "all" in a competitive game such as {comparison.game}, got {shown(comparison.pairs)}'
    may_be_against = (None, *comparison.algorithms) if comparison.cooperative else (None,)
    if comparison.against not in may_be_against:
        yield f"against must be an algorithm of a comparison in a cooperative game, got {shown(comparison.against)}"
    if len(set(comparison.guests)) < len(comparison.guests):
        yield f"partners and references must differ from each other, got {list(comparison.guests)}"
    for partner in comparison.guests:
        if not partner.isprintable() or not 0 < len(partner) <= LONGEST:
            yield f"partners must be names of 1 to {LONGEST:,} printable characters, got {shown(partner)}"
        if partner in runs:
            yield f"partners must not have the name of a run, got {shown(partner)}"


def faults_of_runs(comparison: Comparison, runs: Mapping[str, Run]) -> Iterator[str]:
    """Yield an error message for each algorithm with wrong seeds, and for each run that needs one with other seeds."""
    for name in comparison.algorithms:
        own = comparison.seeds_of(name)
        if not own or len(set(own)) < len(own) or not set(own) <= set(comparison.seeds):
            yield f"algorithms.{name}: seeds must be some of {list(comparison.seeds)}, each once, got {list(own)}"
    needs = {name: [run.algorithm for run in comparison.run(name, 0).needs] for name in comparison.algorithms}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        yield f"algorithms must not need each other in a circle, got {' -> '.join(error.args[1][::-1])}"
    for run in runs.values():
        for needed in run.needs:
            if needed.name not in runs:
                yield f"algorithms.{run.algorithm}: run {run.name} needs {needed.name}, which is no run: see seeds"
