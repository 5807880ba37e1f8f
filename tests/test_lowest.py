"""The lowest allowed versions of the libraries keep the games' contracts, and other libraries learn with them."""

import sys
from pathlib import Path

import pytest

from .conftest import ROOT
from .release import LOWEST, UNREACHABLE, FailedError, installed, run

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(sys.version_info >= (3, 13), reason="lowest: NumPy 2.0 is not built for this Python"),
]
PLACE = ROOT / ".cache" / "lowest"
TORCH = next(line for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if line.startswith("torch=="))
TESTED_WITH = ("pytest", "hypothesis", "filelock", "resvg-py", "pillow", "sb3-contrib", "ray[rllib]", TORCH)
CONTRACT = ("tests/test_contract.py", "tests/test_vector_contract.py", "tests/test_clients.py")
ONE_PRESET = "mini or single_round or koikoi-document] or [hanabi] or [ikebana] or [koikoi]"


@pytest.fixture(scope="module")
def lowest() -> Path:
    """The Python of an environment with these versions. It is kept in `.cache` and made again when they change."""
    stamp, wanted = PLACE / "versions.txt", LOWEST.read_text(encoding="utf-8") + " ".join(TESTED_WITH)
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        try:
            installed(PLACE, ROOT, "--constraint", str(LOWEST), *TESTED_WITH, "--editable")
        except FailedError as error:
            if UNREACHABLE.search(str(error)):
                pytest.skip("lowest: no package index can be reached")
            raise
        stamp.write_text(wanted, encoding="utf-8")
    return PLACE / "bin" / "python"


def test_one_preset_of_every_game_keeps_its_contract(lowest: Path):
    told = run(str(lowest), "-m", "pytest", "--quiet", *CONTRACT, "-k", ONE_PRESET, cwd=ROOT)
    assert " passed" in told.splitlines()[-1]


@pytest.mark.parametrize("recipe", ["maskable_ppo", "sb3_vector", "rllib_ppo"])
def test_a_recipe_learns(recipe: str, lowest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # torch's threads wait for each other if the cores are busy
    run(str(lowest), str(ROOT / "docs" / "recipes" / f"{recipe}.py"), cwd=tmp_path)
