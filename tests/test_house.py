"""The house itself: what may import what, what an import costs, and where facts are kept once."""

import ast
import importlib
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GAMES = [name for name in ("hanabi_env", "ikebana_env", "hanafuda_env") if (ROOT / name).is_dir()]
PACKAGES = [name for name in ("env_core", *GAMES, "agents", "benchmarks") if (ROOT / name).is_dir()]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

# Arrows point one way. Tests and notebooks may import everything, and nothing imports them.
MAY_IMPORT = {
    "env_core": set(),
    **{game: {"env_core"} for game in GAMES},
    "agents": {"env_core", *GAMES},
    "benchmarks": {"env_core", *GAMES, "agents"},
}
OURS = {*MAY_IMPORT, "tests", "notebooks"}

# Inside a game: each storey stands on those before it.
STOREYS = [{"box", "actions", "yaku"}, {"tiles"}, {"rules"}, {"observation"}, {"config", "loops"}, {"vector"}]

BOTS = {"hanabi_env": "agents.hanabi", "ikebana_env": "agents.ikebana", "hanafuda_env": "agents.koikoi"}
COMPILES = {"rule", "subroutine", "kernel", "parallel_kernel"}  # the decorators of env_core.jit

HEAVY = ("torch", "matplotlib", "scipy", "pandas", "pygame", "PIL", "resvg_py", "tqdm", "tyro")


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Absolute names of all modules that a file imports, at its top or later."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def run(code: str) -> str:
    """Output of a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True, timeout=120
    ).stdout


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_between_packages_point_one_way(package: str) -> None:
    for path in modules(package):
        reached = {name.split(".")[0] for name in imports(path)} & OURS - {package}
        assert reached <= MAY_IMPORT[package], f"{name_of(path)} imports {reached - MAY_IMPORT[package]}"


@pytest.mark.parametrize("game", GAMES)
def test_arrows_inside_a_game_point_one_way(game: str) -> None:
    for height, storey in enumerate(STOREYS):
        above = {f"{game}.{name}" for upper in STOREYS[height + 1 :] for name in upper}
        for path in modules(game):
            if path.stem in storey:
                assert not above & set(imports(path)), f"{name_of(path)} imports from above itself"


def sources_of_compiled(module: str) -> set[str]:
    """Our modules from which the compiled functions of ``module``, and the constants at its top, take names."""
    tree = ast.parse(ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text())
    origins = {
        alias.asname or alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    compiled = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and COMPILES & {ast.unparse(mark) for mark in node.decorator_list}
    ]
    constants = [node for node in tree.body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    used = {leaf.id for node in (*compiled, *constants) for leaf in ast.walk(node) if isinstance(leaf, ast.Name)}
    return {origins[name] for name in used & set(origins) if origins[name].split(".")[0] in OURS}


@pytest.mark.parametrize("game", GAMES)
def test_digests_cover_every_module_whose_lines_are_compiled(game: str) -> None:
    """Numba's disk cache does not see an edit in a module that the digest of a loop leaves out."""
    game_loops = {
        *importlib.import_module("env_core.jit").COMPILED,
        *importlib.import_module(f"{game}.config").COMPILED_HERE,
    }
    bot_loops = game_loops | {"agents.bot", *importlib.import_module(f"{game}.view").COMPILED_HERE}
    programs = {f"the loops of {game}": game_loops}
    for bot in importlib.import_module(BOTS[game]).BOTS:
        programs[bot.name] = bot_loops | {bot.act.__module__, *bot.modules}
    for name, covered in programs.items():
        missing = set().union(*map(sources_of_compiled, covered)) - covered
        assert not missing, f"the digest of {name} leaves out {missing}"


@pytest.mark.parametrize("path", modules("env_core"), ids=name_of)
def test_env_core_names_no_game(path: Path) -> None:
    named = re.findall(r"hanabi|ikebana|hanafuda|koi-?koi", path.read_text(), flags=re.IGNORECASE)
    assert not named, f"{name_of(path)} names {named}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_shadows_the_standard_library(package: str) -> None:
    """A script puts its own directory first in sys.path: a `random.py` beside it would be everybody's `random`."""
    shadows = [name_of(path) for path in modules(package) if path.stem in sys.stdlib_module_names]
    assert not shadows


@pytest.mark.parametrize("game", GAMES)
def test_importing_a_game_is_light(game: str) -> None:
    code = f"import sys, {game}; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(code).strip() == "[]"


@pytest.mark.parametrize("game", GAMES)
def test_importing_a_game_compiles_nothing(game: str) -> None:
    """Numba alone takes half a second: only what runs a game imports it."""
    assert run(f"import sys, {game}; print('numba' in sys.modules)").strip() == "False"


def test_the_version_is_kept_in_one_place() -> None:
    version = PROJECT["version"]
    assert importlib.metadata.version("hanabako") == version, "installed from another version: run make test"
    repeated = [name_of(path) for package in PACKAGES for path in modules(package) if version in path.read_text()]
    assert not repeated
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_wheel_carries_what_a_user_imports() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    carried = settings["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert carried == [name for name in ("env_core", *GAMES, "agents") if name in PACKAGES]


def test_the_tested_versions_satisfy_what_is_declared() -> None:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    pinned = [
        Requirement(line.split("#")[0])
        for line in (ROOT / "constraints.txt").read_text().splitlines()
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


def test_the_readmes_example_runs() -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), flags=re.DOTALL | re.MULTILINE)
    assert "tokens" in run(example)


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *ROOT.glob("*/README.md")], ids=name_of)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing
