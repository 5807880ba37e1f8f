"""The tutorials' tasks, done as a new user does them on the first day, from an install in an empty folder.

Each task uses the commands and files of one tutorial, with budgets of seconds. The tenth tutorial, a comparison, is run
from its page by `tests/test_docs.py`.
"""

import re
import shutil
from pathlib import Path

import pytest

from .conftest import ROOT
from .installed import link_libraries, run, unpacked_wheel

pytestmark = pytest.mark.upkeep

RECIPES = ROOT / "docs" / "recipes"
BRIEF = (
    "--steps 64 --games 8 --horizon 4 --width 16 --layers 1 --ranks 1 "
    "--evaluations 1 --evaluation-games 2 --final-games 2"
)
PPO = f"{BRIEF} --minibatch 32"


class Folder:
    """An empty folder of a user who has installed the wheel."""

    def __init__(self, place: Path, libraries: Path) -> None:
        self.place = place
        self._path = (unpacked_wheel(), libraries)

    def hanabako(self, command: str) -> str:
        return run(["-m", "hanabako", *command.split()], *self._path, folder=self.place)

    def python(self, code: str) -> str:
        return run(["-c", code], *self._path, folder=self.place, MPLBACKEND="agg")

    def save(self, name: str, text: str) -> None:
        (self.place / name).write_text(text, encoding="utf-8")

    def holds(self, *names: str) -> bool:
        return all((self.place / name).stat().st_size > 0 for name in names)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return link_libraries(tmp_path_factory.mktemp("libraries"))


@pytest.fixture
def folder(tmp_path: Path, libraries: Path) -> Folder:
    return Folder(tmp_path, libraries)


def recipe(name: str) -> str:
    return (RECIPES / f"{name}.py").read_text(encoding="utf-8")


def block(page: str, word: str) -> str:
    """Return the one Python block of a page that contains a word."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (found,) = [code for code in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE) if word in code]
    return found


def test_a_ppo_of_ones_own(folder: Folder):
    code = recipe("own_ppo").replace("256, 32, 120", "64, 32, 3")
    folder.save("own_ppo.py", code)
    said = folder.python(code.replace(">= 2000", ">= 1"))
    assert "points per game" in said and folder.holds("own_ppo.png")
    pair = "own_ppo.py:Agent,hanabi-mini-2p"
    said = folder.hanabako(f"evaluate hanabi --preset mini --agents {pair} --mode cross-play --games 20")
    assert said.count("own_ppo.py:Agent") == 2


def test_a_bot_of_ones_own_in_play(folder: Folder):
    folder.save("careful_bot.py", recipe("careful_bot"))
    assert "careful" in folder.hanabako("play hanabi --preset mini --with careful_bot.py:Careful --seed 1")
    folder.hanabako("evaluate hanabi --preset mini --agents careful_bot.py:Careful --games 20")


def test_a_shipped_network_beside_a_bot_with_a_histogram(folder: Folder):
    said = folder.python(block("tutorials.md", "histogram").replace("games=1000", "games=20"))
    assert "score" in said and folder.holds("histogram.png")


def test_a_game_of_hanab_live(folder: Folder):
    code = "from hanabi_env.hanablive import SAMPLE\nprint(SAMPLE)"
    shutil.copy(folder.python(code).strip(), folder.place / "game.json")
    folder.hanabako("watch game.json --out page.html")
    assert folder.holds("page.html")


def test_a_variant_is_trained_and_its_score_moves(folder: Folder):
    folder.hanabako(f"train --preset mini --config black_powder=true --run-dir runs/powder {PPO}")
    assert folder.holds("runs/powder/curve.png", "runs/powder/policy.safetensors")
    assert '"fireworks_score"' in (folder.place / "runs/powder/metrics.jsonl").read_text(encoding="utf-8")
    folder.hanabako("watch runs/powder --out powder.html")


def test_cross_play_of_two_runs(folder: Folder):
    for seed in (1, 2):
        folder.hanabako(f"train --preset mini --seed {seed} --run-dir runs/{seed} {PPO}")
    folder.hanabako("evaluate hanabi --preset mini --agents runs/1,runs/2 --mode cross-play --games 4 --png matrix.png")
    assert folder.holds("matrix.png")


def test_a_dataset_and_a_clone(folder: Folder):
    folder.hanabako("record hanabi --preset mini --agents piers --games 20 --out games.npz")
    folder.hanabako(f"train --algorithm cloning --dataset games.npz --run-dir runs/clone {PPO}")
    assert folder.holds("games.npz", "runs/clone/policy.safetensors")


def test_an_algorithm_of_ones_own(folder: Folder):
    folder.save("reinforce.py", recipe("reinforce"))
    folder.hanabako(f"train --algorithm reinforce.py --preset mini --run-dir runs/mine {BRIEF}")
    assert folder.holds("runs/mine/policy.safetensors")


def test_the_recipe_of_stable_baselines(folder: Folder):
    pytest.importorskip("sb3_contrib", reason="client: sb3_contrib is not installed")
    folder.python(recipe("sb3_seats").replace("8192", "512").replace("256", "16"))
    folder.python(recipe("sb3_training").replace("256, 500_000", "16, 1024"))
    assert folder.holds("sb3_training.png")
