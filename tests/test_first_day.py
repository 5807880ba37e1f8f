"""What only a script of the tutorials does, as a new user does it, from an install in an empty folder.

`tests/test_docs.py` runs the tutorials' commands and Python blocks from the same install.
"""

import shutil
from pathlib import Path

import pytest

from hanabi_env.hanablive import SAMPLE

from .conftest import ROOT
from .installed import link_libraries, run, unpacked_wheel

pytestmark = pytest.mark.upkeep


def test_a_ppo_of_ones_own_and_a_game_of_hanab_live(tmp_path: Path):
    (tmp_path / "libraries").mkdir()
    path, folder = (unpacked_wheel(), link_libraries(tmp_path / "libraries")), tmp_path / "first"
    folder.mkdir()
    code = (ROOT / "docs" / "recipes" / "own_ppo.py").read_text(encoding="utf-8").replace("256, 32, 120", "64, 32, 3")
    (folder / "own_ppo.py").write_text(code, encoding="utf-8")
    brief = code.replace(">= 2000", ">= 1")
    assert "points per game" in run(["-c", brief], *path, folder=folder, MPLBACKEND="agg")
    assert (folder / "own_ppo.png").stat().st_size > 0
    pair = ["--agents", "own_ppo.py:Agent,hanabi-mini-2p", "--mode", "cross-play", "--games", "20"]
    said = run(["-m", "hanabako", "evaluate", "hanabi", "--preset", "mini", *pair], *path, folder=folder)
    assert said.count("own_ppo.py:Agent") == 2
    shutil.copy(SAMPLE, folder / "game.json")
    run(["-m", "hanabako", "watch", "game.json", "--out", "page.html"], *path, folder=folder)
    assert (folder / "page.html").stat().st_size > 0
