"""Every committed result names its command and its machine, or has none from before they were recorded."""

import json
from pathlib import Path

import pytest

from benchmarks.speed import timing
from benchmarks.speed.throughput import Args
from hanabako.agents.results.store import read_results
from hanabako.agents.results.study import options_of

ROOT = Path(timing.__file__).resolve().parents[1]
FILES = sorted(path.relative_to(ROOT) for path in ROOT.glob("*/results/*.json"))

WITHOUT_COMMAND = {
    "clients/results/clients.json",
    "speed/results/compile_time.json",
    "speed/results/learner.json",
    "speed/results/peers.json",
    "speed/results/throughput.json",
}
"""Results from before commands were recorded. Add no file; measure it again instead."""


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_result_names_its_command_and_its_machine(path: Path) -> None:
    content = json.loads((ROOT / path).read_text(encoding="utf-8"))
    assert read_results(ROOT / path), "it has the shape of every results file"
    if path.parts[0] != "strength":  # rows of studies have a command and a machine each
        assert (not content["command"]) <= (str(path) in WITHOUT_COMMAND)
        assert content["machine"]["processor"]


def test_a_command_is_said_with_what_is_not_usual() -> None:
    assert options_of(Args()) == []
    assert options_of(Args(game=["hanabi", "koikoi"], only="a b", repeats=1)) == [
        *("--game", "hanabi", "koikoi"),
        *("--only", "a b"),
        *("--repeats", "1"),
    ]
