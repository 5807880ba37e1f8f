"""Every number measured before there were studies is unchanged in their results, with its origin.

`old_results.json` has a digest of every row of the old files, and of every figure. The modules `old_shapes_*` make the
old rows from the new results. If a row is measured again, its old digest is removed.
"""

import hashlib
import importlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.studies.store import NOT_RECORDED, read_results

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[1] / "benchmarks" / "strength" / "results"
DIGESTS: dict[str, list[str]] = json.loads((HERE / "old_results.json").read_text(encoding="utf-8"))
SHAPES: dict[str, Callable[[], list[Any]]] = {
    name: shape
    for path in sorted(HERE.glob("old_shapes_*.py"))
    for name, shape in importlib.import_module(f"{__package__}.{path.stem}").OLD.items()
}

WITHOUT_ORIGIN = {
    "hanabi_bots.json": 203,
    "hanabi_ceiling.json": 31,
    "koikoi_rounds.json": 14,
    "learning_among_bots.json": 61,
    "make_train.json": 4,
    "ports.json": 18,
    "ppo_settings.json": 26,
    "shipped_networks.json": 16,
}
"""Rows without a recorded command or machine, by file. These numbers may only fall, and no file may be added."""


def digest(row: Any) -> str:
    """Return the digest of a row as JSON, or of a figure's bytes."""
    if isinstance(row, bytes):
        return hashlib.sha256(row).hexdigest()[:8]
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:8]


@pytest.mark.parametrize("name", SHAPES)
def test_no_number_of_an_old_file_has_changed(name: str):
    """The rows are the same, each as often as before."""
    found, old = Counter(map(digest, SHAPES[name]())), Counter(DIGESTS[name])
    lost, others = old - found, found - old
    assert not lost and not others, f"{name}: {lost.total()} old rows are not there, {others.total()} rows are others"


def test_no_old_file_is_gone_without_its_rows():
    assert not SHAPES.keys() - DIGESTS.keys()
    assert not [name for name in DIGESTS.keys() - SHAPES.keys() if not (RESULTS / name).exists()]


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.name)
def test_every_row_says_what_made_it_but_for_those_that_never_did(path: Path):
    content = json.loads(path.read_text(encoding="utf-8"))
    if "study" not in content:
        pytest.skip("no results of a study")
    without = sum(NOT_RECORDED in (row["command"], row["machine"]) for row in read_results(path))
    assert without <= WITHOUT_ORIGIN.get(path.name, 0)


def test_an_altered_number_is_noticed():
    name = "koikoi-long.json"
    row, *_ = SHAPES[name]()
    assert digest(row) in DIGESTS[name]
    assert digest(row | {"won_sum": row["won_sum"] + 0.5}) not in DIGESTS[name]
