"""Architecture: which packages may import which, what an import may cost, and that each fact is kept in one place."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hanabako.games import games

ROOT = Path(__file__).resolve().parent.parent
GAMES = [entry.package for entry in games().values()]
PACKAGES = ["hanabako", *GAMES, "agents", "benchmarks", "docs"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Imports point one way. Tests and notebooks may import everything, and nothing imports them.
MAY_IMPORT = {
    "hanabako": set(),
    **{game: {"hanabako"} for game in GAMES},
    "agents": {"hanabako", *GAMES},
    "benchmarks": {"hanabako", *GAMES, "agents"},
    "docs": {"hanabako", *GAMES, "agents", "benchmarks"},
}
OURS = {*MAY_IMPORT, "tests", "notebooks"}

# Inside a game, from the bottom up: each layer imports only layers below it.
FLOORS = [{"engine"}, {"config"}, {"words"}, {"drawing"}, {"game"}, {"vector", "hanabi_v0", "ikebana_v0", "koikoi_v0"}]
# The same inside its engine.
ENGINE_FLOORS = [
    {"state", "cards", "actions"},  # their order differs between games; `test_floors` finds circles
    {"yaku", "tiles"},
    {"dealing", "scoring"},
    {"rules"},
    {"observation"},
    {"layout", "rewards", "private_view", "belief", "likelihood", "statuses"},
]

HEAVY = ("torch", "matplotlib", "scipy", "pandas", "pygame", "PIL", "resvg_py", "tqdm", "tyro")


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Yield the absolute names of all modules that a file imports, anywhere in the file but for type checkers."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_checkers = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in set(ast.walk(tree)) - for_checkers:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = path.relative_to(ROOT).parent.parts
            base = ".".join(parts[: len(parts) + 1 - node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def run(code: str) -> str:
    """Return the output of a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=120,
    ).stdout


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_between_packages_point_one_way(package: str) -> None:
    for path in modules(package):
        reached = {name.split(".")[0] for name in imports(path)} & OURS - {package}
        assert reached <= MAY_IMPORT[package], f"{name_of(path)} imports {reached - MAY_IMPORT[package]}"


@pytest.mark.parametrize("game", GAMES)
def test_arrows_inside_a_game_point_one_way(game: str) -> None:
    for floors, base in ((FLOORS, game), (ENGINE_FLOORS, f"{game}.engine")):
        folder = ROOT.joinpath(*base.split("."))
        for height, rooms in enumerate(floors):
            above = tuple(f"{base}.{room}" for upper in floors[height + 1 :] for room in upper)
            for room in rooms:
                for path in [folder / f"{room}.py", *(folder / room).rglob("*.py")]:
                    if path.exists():
                        up = [name for name in imports(path) if name.startswith(above)]
                        assert not up, f"{name_of(path)} imports {up} from above itself"


@pytest.mark.parametrize("path", modules("hanabako"), ids=name_of)
def test_the_core_names_no_game(path: Path) -> None:
    named = re.findall(r"hanabi|ikebana|hanafuda|koi-?koi", path.read_text(encoding="utf-8"), flags=re.IGNORECASE)
    assert not named, f"{name_of(path)} names {named}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_shadows_the_standard_library(package: str) -> None:
    """A script puts its own directory first in sys.path, so a `random.py` beside it would replace the standard one."""
    shadows = [name_of(path) for path in modules(package) if path.stem in sys.stdlib_module_names]
    assert not shadows


@pytest.mark.parametrize("package", [*PACKAGES, "tests", "docs"])
def test_text_is_read_in_one_encoding(package: str) -> None:
    """Every `read_text` names its encoding: pages hold non-ASCII text, and some locales default to ASCII."""
    unsaid = [name_of(path) for path in modules(package) if re.search(r"\.read_text\(\)", path.read_text("utf-8"))]
    assert not unsaid, f"{unsaid}: read_text needs an encoding"


@pytest.mark.parametrize("game", GAMES)
def test_importing_a_game_is_light(game: str) -> None:
    code = f"import sys, {game}; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(code).strip() == "[]"


@pytest.mark.parametrize("game", GAMES)
def test_importing_a_game_compiles_nothing(game: str) -> None:
    """Importing a game does not import Numba, which takes half a second."""
    assert run(f"import sys, {game}; print('numba' in sys.modules)").strip() == "False"


def test_the_version_is_kept_in_one_place() -> None:
    version = PROJECT["version"]
    assert importlib.metadata.version("hanabako") == version, "installed from another version: run make test"
    repeated = [
        name_of(path) for package in PACKAGES for path in modules(package) if version in path.read_text("utf-8")
    ]
    assert not repeated
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_wheel_carries_what_a_user_imports() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    carried = settings["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert carried == ["hanabako", *GAMES]


def test_the_tested_versions_satisfy_what_is_declared() -> None:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    pinned = [
        Requirement(line.split("#")[0])
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line[:1].isalpha()
    ]
    versions = {
        canonicalize_name(pin.name): pin.specifier for pin in pinned if pin.marker is None or pin.marker.evaluate()
    }
    extras = [text for extra in PROJECT["optional-dependencies"].values() for text in extra]
    for text in [*PROJECT["dependencies"], *extras]:
        wanted = Requirement(text)
        if wanted.name != "hanabako":
            (pin,) = versions[canonicalize_name(wanted.name)]
            assert wanted.specifier.contains(pin.version), f"{pin} is outside {wanted}"


@pytest.mark.parametrize("path", modules("hanabako"), ids=name_of)
def test_functions_of_the_core_fit_on_a_screen(path: Path) -> None:
    long = {
        node.name: lines
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and (lines := (node.end_lineno or 0) - node.lineno + 1) > 60
    }
    assert not long, f"{name_of(path)}: {long} lines"
