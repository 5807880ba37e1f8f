"""The committed playthroughs equal those generated now."""

import pytest

from tests.games import GAMES

from .generate import FOLDER, path_of, playthrough

PRESETS = [(under_test, preset) for under_test in GAMES for preset in under_test.presets]


@pytest.mark.parametrize(
    ("under_test", "preset"), PRESETS, ids=[f"{under_test.name}-{preset}" for under_test, preset in PRESETS]
)
def test_playthrough_is_unchanged(under_test, preset):
    committed = path_of(under_test, preset).read_text(encoding="utf-8")
    assert playthrough(under_test, preset) == committed, "run `python -m tests.playthroughs` and read the difference"


def test_no_playthrough_is_left_over():
    assert {path.name for path in FOLDER.glob("*.txt")} == {
        path_of(under_test, preset).name for under_test, preset in PRESETS
    }
