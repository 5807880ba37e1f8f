"""Every committed result names its command and its machine, or has none from before they were recorded."""

import json
from pathlib import Path

import pytest

from benchmarks.speed import timing
from benchmarks.speed.compile_time import Args

ROOT = Path(timing.__file__).resolve().parents[1]
FILES = sorted(path.relative_to(ROOT) for path in ROOT.glob("*/results/*.json"))

WITHOUT_COMMAND = {
    "clients/results/clients.json",
    "speed/results/compile_time.json",
    "speed/results/learner.json",
    "speed/results/peers.json",
    "speed/results/throughput_hanabi.json",
    "speed/results/throughput_ikebana.json",
    "speed/results/throughput_koikoi.json",
}
"""Results from before commands were recorded. Add no file; measure it again instead."""


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_result_names_its_command_and_its_machine(path: Path) -> None:
    content = json.loads((ROOT / path).read_text(encoding="utf-8"))
    assert {"command", "machine"} <= set(content)
    if path.parts[0] != "strength":  # rows of studies have a command and a machine each
        assert (not content["command"]) <= (str(path) in WITHOUT_COMMAND)
        assert content["machine"]["processor"]


def test_a_command_is_said_with_what_is_not_usual() -> None:
    assert timing.command_of("benchmarks.speed.x", Args()) == "python -m benchmarks.speed.x"
    words = timing.command_of("benchmarks.clients", Args(only="a b", repeats=1), "sb3")
    assert words == "python -m benchmarks.clients sb3 --repeats 1 --only 'a b'"
