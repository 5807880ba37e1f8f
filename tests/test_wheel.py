"""What users install: a wheel without generic top-level names, an editable clone, and a clone that is not installed.

Everything is built without the network and runs in fresh processes that see the libraries but no other Hanabako.
"""

import re
import shutil
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest

from hanabako.games import games
from hanabi_env.hanablive import SAMPLE

from .conftest import ROOT
from .installed import built, finished, run, unpacked_wheel

pytestmark = pytest.mark.upkeep

GAMES = [entry.package for entry in games().values()]

PLAY = """
import sys
from hanabako import agents
from hanabi_env import PRESETS
config = PRESETS["mini"]
games = agents.play(config, agents.load("cautious", config), games=20, seed=1)
assert len(games.score) == 20 and games.summary()["score"] > 5
assert "torch" not in sys.modules
"""

DOOR = """
import sys
import gymnasium, hanabako
assert not {packages}.intersection(sys.modules) and "numba" not in sys.modules
names = [name for name in gymnasium.registry if name.startswith("hanabako/")]
assert len(names) == 2 * {number}, names  # self-play and a seat per game
for name in names:
    envs = gymnasium.make_vec(name, 3)
    assert envs.num_envs == 3
"""

ONE_PACKAGE = """
from hanabako import agents
from pathlib import Path
assert Path(agents.__file__).resolve().parent.parent == Path({folder!r}), agents.__file__
for name in ("agents", "agents.registry"):
    try:
        __import__(name)
    except ImportError as error:
        assert "hanabako.agents" in str(error)
    else:
        raise AssertionError(name)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, built from the source distribution of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "hatchling", "build", "--directory", str(folder), "--target"]
    built([*build, "sdist"])
    (source,) = folder.glob("*.tar.gz")
    shutil.unpack_archive(source, folder, filter="data")
    finished([sys.executable, *build, "wheel"], folder / source.name.removesuffix(".tar.gz"), {})
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's contents, as pip puts them there."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_nothing_generic_lies_at_the_wheels_top_level(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    packages = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert packages == {"hanabako", *GAMES}
    assert not [name for name in names if name.endswith((".pyc", ".ipynb")) or "/tests/" in name]


def test_the_wheel_holds_every_file_of_its_packages(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        carried = set(archive.namelist())
    places = {"agents": "hanabako/agents", "hanabako": "hanabako"} | {game: game for game in GAMES}
    for package, place in places.items():
        for path in (ROOT / package).rglob("*"):
            if path.suffix in {".py", ".html", ".typed", ".safetensors", ".json"}:
                assert f"{place}/{path.relative_to(ROOT / package)}" in carried


def test_the_notices_name_every_library_and_every_original(wheel: Path):
    """THIRD_PARTY.md lists every library and the original of every ported bot, and the wheel contains it.

    A port names its original at the top of its module as owner/name.
    """
    page = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| ([\w-]+) \| .* \| (?:every install|extra `\w+`) \|$", page, flags=re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    names = dict.fromkeys(re.split(r"[^\w.-]", text)[0] for text in required)
    assert listed == [name for name in names if name != project["name"]]
    for path in (ROOT / "agents" / "bots").rglob("*.py"):
        for original in re.findall(r"\b(\w+/[Hh]an(?:abi(?:\.rs)?|Sim))\b", path.read_text(encoding="utf-8")):
            assert original in page, f"{path.name} follows {original}"
    with zipfile.ZipFile(wheel) as archive:
        assert [name for name in archive.namelist() if name.endswith("/licenses/THIRD_PARTY.md")]


def test_the_lowest_versions_are_allowed_and_pinned():
    """`constraints-lowest.txt`, which `make release` installs, pins each dependency at pyproject.toml's lower bound."""
    from packaging.requirements import Requirement

    pins = [line for line in (ROOT / "constraints-lowest.txt").read_text(encoding="utf-8").splitlines() if "==" in line]
    versions = dict(line.split("==") for line in pins)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for text in project["dependencies"]:
        wanted = Requirement(text)
        (floor,) = [bound.version for bound in wanted.specifier if bound.operator == ">="]
        assert versions[wanted.name].startswith(floor) and wanted.specifier.contains(versions[wanted.name]), text


def test_bots_of_the_wheel_play_without_torch(installed: Path, libraries: Path, tmp_path: Path):
    run(["-c", PLAY], installed, libraries, folder=tmp_path, NUMBA_DISABLE_JIT="1")


def test_the_wheels_command_plays(wheel: Path, installed: Path, libraries: Path, tmp_path: Path):
    with zipfile.ZipFile(wheel) as archive:
        (scripts,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        assert "hanabako = hanabako.__main__:main" in archive.read(scripts).decode()
    words = ["-m", "hanabako", "watch", "random", "--preset", "mini", "--out", "game.html"]
    assert run(words, installed, libraries, folder=tmp_path, NUMBA_DISABLE_JIT="1") == "game.html\n"


def test_importing_hanabako_is_enough_for_gymnasium(installed: Path, libraries: Path, tmp_path: Path):
    door = DOOR.format(packages=set(GAMES), number=len(GAMES))
    run(["-c", door], installed, libraries, folder=tmp_path)


def test_an_editable_install_leads_to_the_clone(libraries: Path, tmp_path: Path):
    """An editable install, as `make` makes it, holds only metadata and a file that names the folder of the clone."""
    built(["-c", f"from hatchling.build import build_editable; build_editable({str(tmp_path)!r})"])
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        top = [name for name in archive.namelist() if ".dist-info/" not in name]
        assert len(top) == 1 and top[0].endswith(".pth")
        assert [Path(line) for line in archive.read(top[0]).decode().splitlines()] == [ROOT]
        archive.extractall(tmp_path / "site")
    code = f"import site; site.addsitedir({str(tmp_path / 'site')!r})\n" + ONE_PACKAGE.format(folder=str(ROOT))
    run(["-c", code], libraries, folder=tmp_path)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a clone's packages that is not installed."""
    folder = tmp_path_factory.mktemp("clone")
    for package in ("hanabako", "agents", *GAMES):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, symlinks=True, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_a_clone_need_not_be_installed(clone: Path, libraries: Path, tmp_path: Path):
    run(["-c", DOOR.format(packages=set(GAMES), number=len(GAMES))], clone, libraries, folder=tmp_path)
    run(["-c", ONE_PACKAGE.format(folder=str(clone))], clone, libraries, folder=tmp_path)


def test_a_ppo_of_ones_own_and_a_game_of_hanab_live(libraries: Path, tmp_path: Path):
    path, folder = (unpacked_wheel(), libraries), tmp_path / "first"
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
