"""Architecture: which packages may import which, how deep they are, and what an import may cost."""

import ast
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from hanabako.games import games
from tests.conftest import ROOT
from tests.installed import finished

GAMES = [entry.package for entry in games().values()]
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
MOST_FLOORS = 8
MOST_FLOORS_OF_AGENTS = 6
MOST_LINES = 60
"""Lines of a function, which then fits on a screen."""
HEAVY = ("numba", "torch", "matplotlib", "scipy", "pandas", "pygame", "PIL", "resvg_py", "tqdm", "tyro")


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_name(path): path for package in MAY_IMPORT for path in modules(package)}


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(path: Path) -> Iterator[str]:
    """Yield the absolute names of all modules that a file imports, anywhere in the file but for type checkers.

    Those of ``hanabako.agents`` begin with ``agents``, the folder's name in the clone.
    """
    for_checkers = {
        inner
        for node in nodes_of(path)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in set(nodes_of(path)) - for_checkers:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                parts = path.relative_to(ROOT).parent.parts
                base = parts[: len(parts) + 1 - node.level] if node.level else ()
                module = ".".join([*base, *([node.module] if node.module else [])])
                names = [module, *(f"{module}.{name}" for name in names)]
            yield from (re.sub(r"^hanabako\.(?=agents\b)", "", name) for name in names)


@cache
def all_arrows() -> dict[str, set[str]]:
    """Return our modules that each file imports; an ``__init__.py`` that only re-exports names does not count."""
    arrows: dict[str, set[str]] = {}
    for name, path in FILES.items():
        if path.name != "__init__.py":
            longest = {next((part for part in prefixes(module) if part in FILES), "") for module in imports(path)}
            arrows[name] = {part for part in longest if part and FILES[part].name != "__init__.py"} - {name}
    return arrows


def prefixes(module: str) -> Iterator[str]:
    """Yield a module's name and those of its packages, the longest first."""
    while module:
        yield module
        module = module.rpartition(".")[0]


def floors(arrows: dict[str, set[str]]) -> dict[str, int]:
    """Return the layer of every module: one above the highest that it imports. A circle is an error that names it."""
    found: dict[str, int] = {}

    def floor(room: str, above: tuple[str, ...]) -> int:
        assert room not in above, f"these import each other in a circle: {' -> '.join((*above, room))}"
        if room not in found:
            found[room] = 1 + max((floor(below, (*above, room)) for below in arrows[room]), default=0)
        return found[room]

    for room in arrows:
        floor(room, ())
    return found


def rooms_of(folder: str, opened: str = "?") -> dict[str, set[str]]:
    """Return the imports between the files and folders of a folder; one of these may be opened."""

    def room_of(module: str) -> str:
        return ".".join(module.split(".")[: folder.count(".") + 2 + module.startswith(f"{opened}.")])

    inside = {name: targets for name, targets in all_arrows().items() if name.startswith(f"{folder}.")}
    arrows: dict[str, set[str]] = {room_of(name): set() for name in inside}
    for name, targets in inside.items():
        arrows[room_of(name)] |= {room_of(target) for target in targets if target in inside}
    return {room: targets - {room} for room, targets in arrows.items()}


def run(code: str) -> str:
    return finished([sys.executable, "-c", code], ROOT, {})


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_arrows_between_packages_point_one_way(package: str) -> None:
    for path in modules(package):
        reached = {name.split(".")[0] for name in imports(path)} & OURS - {package}
        assert reached <= MAY_IMPORT[package], f"{path} imports {reached - MAY_IMPORT[package]}"


def test_folders_have_few_floors_and_no_circles() -> None:
    for folder in {module_name(path.parent) for path in FILES.values()}:
        highest = floors(rooms_of(folder))
        assert max(highest.values(), default=0) <= MOST_FLOORS, highest


def test_the_agents_with_learning_opened_have_few_floors() -> None:
    highest = floors(rooms_of("agents", opened="agents.learning"))
    assert max(highest.values()) <= MOST_FLOORS_OF_AGENTS, highest


def test_a_circle_is_found() -> None:
    with pytest.raises(AssertionError, match="a -> b -> a"):
        floors({"a": {"b"}, "b": {"a"}})


def test_the_core_names_no_game() -> None:
    for path in modules("hanabako"):
        named = re.findall(r"hanabi|ikebana|hanafuda|koi-?koi", path.read_text(encoding="utf-8"), flags=re.IGNORECASE)
        assert not named, f"{path} names {named}"


def test_functions_fit_on_a_screen() -> None:
    long = []
    for path in [*FILES.values(), *modules("tests")]:
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                long += [f"{path}:{node.lineno}: {node.name} has {lines} lines"] if lines > MOST_LINES else []
    assert not long, "\n".join(long)


@pytest.mark.parametrize("game", GAMES)
def test_importing_a_game_is_light_and_compiles_nothing(game: str) -> None:
    code = f"import sys, {game}; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(code).strip() == "[]"


def test_the_version_is_kept_in_one_place_and_told_on_the_pages() -> None:
    version = PROJECT["version"]
    assert importlib.metadata.version("hanabako") == version, "installed from another version: run make test"
    assert not [path for path in FILES.values() if version in path.read_text("utf-8")]
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"{{{version}}}" in (ROOT / "docs" / "citing.md").read_text(encoding="utf-8")


def test_the_tested_versions_satisfy_what_is_declared() -> None:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [Requirement(line.split("#")[0]) for line in lines if line[:1].isalpha()]
    versions = {
        canonicalize_name(pin.name): pin.specifier for pin in pinned if pin.marker is None or pin.marker.evaluate()
    }
    extras = [text for extra in PROJECT["optional-dependencies"].values() for text in extra]
    for text in [*PROJECT["dependencies"], *extras]:
        wanted = Requirement(text)
        if wanted.name != "hanabako":
            (pin,) = versions[canonicalize_name(wanted.name)]
            assert wanted.specifier.contains(pin.version), f"{pin} is outside {wanted}"


IMPORTS = re.compile(r"(?:from|import) [\w.]*bridges|\"\.bridges\.")


def test_only_commands_and_the_registry_know_the_bridges():
    files = [path for path in (ROOT / "agents").rglob("*.py") if "bridges" not in path.parts]
    known = {path.name for path in files if IMPORTS.search(path.read_text(encoding="utf-8"))}
    assert known == {"registry.py", "ah2ac2.py", "record.py", "study.py"}
