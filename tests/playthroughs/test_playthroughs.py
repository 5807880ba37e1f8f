"""The committed games are the games played today."""

from __future__ import annotations

import pytest

from tests.houses import HOUSES

from .generate import FOLDER, path_of, playthrough

PRESETS = [(house, preset) for house in HOUSES for preset in house.presets]


@pytest.mark.parametrize(("house", "preset"), PRESETS, ids=[f"{house.game}-{preset}" for house, preset in PRESETS])
def test_playthrough_is_unchanged(house, preset):
    committed = path_of(house, preset).read_text(encoding="utf-8")
    assert playthrough(house, preset) == committed, "run `python -m tests.playthroughs` and read the difference"


def test_no_playthrough_is_left_over():
    assert {path.name for path in FOLDER.glob("*.txt")} == {path_of(house, preset).name for house, preset in PRESETS}
