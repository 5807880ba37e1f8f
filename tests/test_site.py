"""The documentation: the site builds without a warning, and the lists on its pages agree with the code."""

import ast
import importlib
import inspect
import os
import re
import runpy
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest

from hanabako.agents.learning.common.algorithms import NAMES
from hanabako.envs.seat import CardGameSeatEnv
from hanabako.envs.vector_seat import VectorSeatEnv
from hanabako.games import games

from .games import EVERY_GAME, GameUnderTest
from .processes import ROOT, ran

pytestmark = pytest.mark.upkeep

PAGE = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
ELSEWHERE = ("reinforce", "ah2ac2_cloning", "own_ppo", "sb3_training", "rllib_training")
"""Recipes shown by `docs/comparisons.md`, `docs/ah2ac2.md` and `docs/tutorials.md`, not by `docs/recipes.md`."""
RECIPES = {path.stem: path for path in sorted((ROOT / "docs" / "recipes").glob("*.py")) if path.stem not in ELSEWHERE}
LONGER = {"careful_bot": 22, "pufferlib_native": 30, "rllib_ppo": 12, "verifiers_hanabi": 40}
"""Recipes of more than ten lines."""
TRAINED_APART = ("reinforce", "ah2ac2_cloning")
"""Recipes whose threads others set, and one with a large network."""


# --- Tables of the page of environments -------------------------------------------------------------------------------


def cells(title: str, head: str) -> list[list[str]]:
    """Return the rows of the table below a title whose first column is headed ``head``."""
    (section,) = re.findall(rf"^## {re.escape(title)}.*?\n(.*?)(?=^## |\Z)", PAGE, flags=re.DOTALL | re.MULTILINE)
    (table,) = re.findall(rf"^\| {re.escape(head)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", section, flags=re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.splitlines()]


def named(title: str, head: str) -> set[str]:
    """Return the names in code in the first column of that table; a row "fields" of the config gives none."""
    return {word for row in cells(title, head) for word in re.findall(r"`(\w+)`", row[0])}


def title_of(game: str) -> str:
    """Return the page's name for a game."""
    (title,) = [row[0] for row in cells("Ids", "game") if f"`{games()[game].package}." in row[1]]
    return title


def statistics_of(game: str) -> set[str]:
    """Return the statistics that the page lists for a game."""
    rows = cells("Statistics of a finished game", "name")
    return {word for row in rows if title_of(game) in row[1].split(", ") for word in re.findall(r"`(\w+)`", row[0])}


def arguments(function: Any, *left_out: str) -> set[str]:
    """Return the names of a function's arguments, without those to leave out."""
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    found = {name for name, argument in inspect.signature(function).parameters.items() if argument.kind not in kinds}
    return found - {"self", *left_out}


@EVERY_GAME
def test_every_argument_of_an_environment_is_documented(under_test: GameUnderTest) -> None:
    entry = under_test.entry
    aec = arguments(entry.module(entry.environment).raw_env)
    assert named("Turn by turn", "argument") == aec
    assert named("Many tables", "argument") == arguments(entry.vector_env)
    assert named("One seat", "argument") == arguments(CardGameSeatEnv, "game") | arguments(entry.make_seat) | {"preset"}
    assert named("Many seats", "argument") == arguments(VectorSeatEnv, "game") | {"config", "preset"}
    assert named("Choosing the game", "argument") == {"config", "preset"}


@EVERY_GAME
def test_every_option_of_reset_is_documented(under_test: GameUnderTest) -> None:
    title = title_of(under_test.name)
    rows = {re.findall(r"`(\w+)`", row[0])[0]: row[1] for row in cells("Reset", "option")}
    usable = {name for name, where in rows.items() if where in ("everywhere", "vector") or title in where.split(", ")}
    game = under_test.entry.make_game(**under_test.short)
    assert usable == {"game_index", "state", "reset_mask", *game.deal_options}


@EVERY_GAME
def test_every_info_key_turn_by_turn_is_documented(under_test: GameUnderTest) -> None:
    env = under_test.raw_env(**under_test.short)
    env.reset(seed=1)
    keys = set(env.infos["player_0"])
    while not any(env.terminations.values()):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        keys |= set(env.infos["player_0"])
    assert keys == named("Turn by turn", "key of `infos[agent]`") - {"active_agent"} | statistics_of(under_test.name)


@EVERY_GAME
def test_every_info_key_of_a_vector_is_documented(under_test: GameUnderTest) -> None:
    envs = under_test.vector(8)
    observations, infos = envs.reset(seed=1)
    keys = set(infos)
    while "final_obs" not in keys:
        observations, *_, infos = envs.step(observations["action_mask"].argmax(axis=1))
        keys |= set(infos)
    shapes = {word: row[1] for row in cells("Many tables", "key of `infos`") for word in re.findall(r"`(\w+)`", row[0])}
    in_words = {"verdict", "verdicts"}
    assert {key for key in keys if key[0] != "_"} == shapes.keys() | statistics_of(under_test.name) - in_words
    for key, shape in shapes.items():
        if shape[0] == "`":  # for example `(N, P)` float64
            size = {"N": 8, "P": envs.game.players}
            letters = re.findall(r"[NP]", shape.split("`")[1])
            value = np.asarray(infos[key])
            assert (value.shape, str(value.dtype)) == (tuple(size[letter] for letter in letters), shape.split()[-1])


@EVERY_GAME
def test_every_info_key_of_a_seat_is_documented(under_test: GameUnderTest) -> None:
    env = gymnasium.make(under_test.seat_id, **under_test.short, constant_infos=True)
    _, info = env.reset(seed=1)
    in_words = {"verdict", "verdicts"}
    assert set(info) == named("One seat", "key of `info`") | statistics_of(under_test.name) - in_words


@EVERY_GAME
def test_every_info_key_of_many_seats_is_documented(under_test: GameUnderTest) -> None:
    envs = gymnasium.make_vec(under_test.seat_id, 8, partners="random", **under_test.short)
    observations, infos = envs.reset(seed=1)
    assert not infos
    while not infos:
        observations, *_, infos = envs.step(observations["action_mask"].argmax(axis=1))
    keys = {key for key in infos if key[0] != "_"}
    assert keys == named("Many seats", "key of `infos`") | statistics_of(under_test.name) - {"verdict", "verdicts"}
    assert {f"_{key}" for key in keys} == infos.keys() - keys


def test_the_ids_of_the_page_are_those_that_are_registered() -> None:
    named_ids = {f"hanabako/{word}" for row in cells("Ids", "game") for word in re.findall(r"`(\w+-v0)`", row[4])}
    assert named_ids == {name for name in gymnasium.registry if name.startswith("hanabako/")}


# --- Recipes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_is_short_and_on_its_page(recipe: str) -> None:
    code = RECIPES[recipe].read_text(encoding="utf-8").strip().splitlines()
    assert len(code) <= LONGER.get(recipe, 10)
    assert f"literalinclude}} recipes/{recipe}.py" in (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")


def test_a_recipe_that_trains_uses_one_thread() -> None:
    """On a busy machine with many cores, Stable Baselines3 took many times as long with torch's default."""
    recipes = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "recipes").glob("*.py")}
    train = {name for name, code in recipes.items() if re.search(r"\.(learn\(|train\(\)|backward\(\))", code)}
    set_it = {name for name, code in recipes.items() if "\ntorch.set_num_threads(1)" in code}
    assert {"sb3_training", "own_ppo", "rllib_ppo"} < set_it == train - set(TRAINED_APART)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_runs_where_its_library_is(
    recipe: str, cwd: Path, monkeypatch: pytest.MonkeyPatch, torch_threads: None
) -> None:
    libraries = re.findall(r"^(?:from|import) (\w+)", RECIPES[recipe].read_text(encoding="utf-8"), flags=re.MULTILINE)
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        pytest.skip(f"client: {missing[0]} is not installed")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(cwd))
    runpy.run_path(str(RECIPES[recipe]))


# --- The README on PyPI -----------------------------------------------------------------------------------------------


def test_the_published_readmes_links_are_whole() -> None:
    pytest.importorskip("hatchling")
    whole = runpy.run_path(str(ROOT / "hatch_build.py"))["with_whole_links"]
    page = whole((ROOT / "README.md").read_text(encoding="utf-8"), "https://forge/us")
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", page)
    assert len(links) > 5 and all(target.startswith(("https://", "#")) for _, target in links)
    assert ("!", "https://forge/us/raw/HEAD/docs/hanabi.svg") in links
    assert ("", "https://forge/us/blob/HEAD/agents/README.md") in links
    elsewhere = "[a place](#here), [another](https://there/x)"
    assert whole(elsewhere, "https://forge/us") == elsewhere


# --- The site ---------------------------------------------------------------------------------------------------------


def test_every_page_stands_in_a_table_of_contents() -> None:
    excluded = of_conf("exclude_patterns")
    found = {path for pattern in of_conf("PAGES") for path in ROOT.glob(pattern)}
    pages = {page for page in found if not any(fnmatch(page.relative_to(ROOT).parts[0], name) for name in excluded)}
    assert pages - set().union(*map(listed_by, pages)) == {ROOT / f"{of_conf('root_doc')}.md"}


def of_conf(name: str) -> Any:
    """Return a constant of Sphinx's settings without running them, for Sphinx may not be installed."""
    (value,) = re.findall(
        rf"^{name} = (.*)$", (ROOT / "docs" / "build" / "conf.py").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return ast.literal_eval(value)


def listed_by(page: Path) -> set[Path]:
    """Return the pages in the tables of contents of a page."""
    tables = re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    lines = [line for table in tables for line in table.splitlines() if line and not line.startswith(":")]
    entries = [re.sub(r".*<(.*)>$", r"\1", line) for line in lines]
    return {
        path.resolve() for entry in entries for kind in (".md", ".ipynb") for path in page.parent.glob(entry + kind)
    }


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built in its own process as `make docs` does."""
    for library in ("sphinx", "furo", "myst_nb"):
        if find_spec(library) is None:
            pytest.skip(f"site: {library} is not installed; make docs brings it")
    folder = tmp_path_factory.mktemp("site")
    words = f"-m sphinx --quiet --fail-on-warning --keep-going -c docs/build -d {folder}/trees . {folder}/html"
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("HANABAKO_")]:
            patch.delenv(name)
        done = ran([sys.executable, *words.split()])
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder / "html"


def helper(name: str) -> ModuleType:
    """Import a module of the folder docs/build; some of them import Sphinx."""
    return importlib.import_module(f"docs.build.{name}")


def entries(site: Path) -> set[str]:
    """Return the names that have an entry in the site's inventory."""
    from sphinx.util.inventory import InventoryFile

    with (site / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda _, uri: uri)
    return {name for kind, names in inventory.items() if kind.startswith("py:") for name in names}


def every_public_name() -> Iterator[str]:
    """Yield the public names of the modules in the reference: ``__all__``, else functions and classes defined there."""
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "api").glob("*.md")]
    for name in [name for page in pages for name in helper("public").modules(page)]:
        module = importlib.import_module(name)
        made = inspect.getmembers(module, lambda value: inspect.isclass(value) or inspect.isfunction(value))
        own = [public for public, value in made if value.__module__ == name]
        yield from (f"{name}.{public}" for public in getattr(module, "__all__", own) if public[0] != "_")


@pytest.mark.slow
def test_the_site_builds_and_its_links_lead_somewhere(site: Path) -> None:
    assert list(helper("check_links").broken_links(site)) == []


@pytest.mark.slow
def test_every_public_name_has_an_entry(site: Path) -> None:
    assert set(every_public_name()) - entries(site) == set()


@pytest.mark.slow
def test_every_algorithm_is_on_its_page(site: Path) -> None:
    page = re.sub(r"<[^>]+>", "", (site / "docs" / "algorithms.html").read_text(encoding="utf-8"))
    assert all(f"hanabako train --algorithm {name}" in page for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_has_a_section_with_its_docstring(name: str) -> None:
    places = helper("public").algorithms()
    (place,) = [place for place in places if place.endswith(f".{name}")]
    assert len(places) == len(NAMES)
    section = "\n".join(helper("public").of_algorithm(place))
    assert f"hanabako train --algorithm {name}`" in section and f"automodule:: {place}\n" in section


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="x">A</h1><a href="b.html#y">b</a><a href="c.html">c</a><a href="#x">x</a>', encoding="utf-8"
    )
    (tmp_path / "b.html").write_text('<img src="https://elsewhere/x.png"><a href="https://elsewhere/">e</a>', "utf-8")
    assert list(helper("check_links").broken_links(tmp_path)) == [
        "a.html: no place b.html#y",
        "a.html: no file c.html",
        "b.html: img from another host, https://elsewhere/x.png",
    ]
