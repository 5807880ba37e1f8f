"""Every Python block and every command of ours runs, in every README, in CONTRIBUTING and on the site's pages.

Each page runs in one fresh interpreter outside the clone: first its commands, then its blocks, which share their names.
A page sees what the wheel installs; only a page with commands that need a clone sees the clone. Training, measuring and
long runs are shortened to seconds.
"""

import ast
import io
import re
import shlex
import shutil
import sys
import tokenize
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from pkgutil import resolve_name

import pytest

from benchmarks.recipes import RECIPES
from docs.build import networks
from hanabako.agents import names
from hanabako.agents.registry import SEARCH, pretrained
from hanabako.games import games
from hanabako.generated import filled

from .installed import finished, run, unpacked_wheel
from .processes import ROOT, ran

PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("*/*.md")), ROOT / "benchmarks" / "strength" / "SCORES.md"]
OURS = ("hanabako", "agents", "benchmarks", "docs", "tests", "hanabi_env", "ikebana_env", "hanafuda_env")

BOTS = {name for game in games() for name in names(game)}

TRAINED = "runs/NAME"
"""The run that the examples on the pages use."""

BRIEF_RUN = "--steps 64 --games 8 --horizon 4 --minibatch 32 --evaluations 1 --evaluation-games 2 --final-games 2"
NO_MINIBATCH = ("--minibatch 32 ", "")
BRIEFLY = {
    "hanabako train": f"{BRIEF_RUN} --ranks 1",
    "hanabako evaluate": "--games 4",
    "hanabako play": "--no-web",
    "hanabako record": "--games 2",
    "hanabako benchmark": "--help",
    "hanabako study": "--help",
    "benchmarks.speed.throughput": "--help",
    "benchmarks.speed.peers": "--help",
    "benchmarks.speed.compile_time": "--help",
    "benchmarks.speed.learner": "--help",
    "benchmarks.speed.device": "--help",
    "benchmarks.speed.learners": "--help",
    "benchmarks.pages": "--check",
    "pytest": "--collect-only --quiet",
}
"""Options that are appended to a command so that it takes seconds; if an option is given twice, the last one counts."""

COMMAND = '''
import runpy
import sys
import tokenize


def command(module, *words):
    """``python -m module words``; it may end by itself or by an exit without an error."""
    sys.argv = [module, *words]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise AssertionError(f"{module} {' '.join(words)}: {end.code}") from end


'''


def saved(page: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the files that a page tells the reader to save.

    These are included files and ``toml`` blocks; ``toml`` files get fewer runs and games.
    """
    pattern = (
        r"[Ss]ave (?:this|\[this\]\(\S+\)) as `([\w.]+)`[^`]*```(?:\{literalinclude\} (\S+)\n.*?|toml\n(.*?))^```$"
    )
    for name, included, text in re.findall(pattern, page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE):
        whole = (page.parent / included).read_text(encoding="utf-8") if included else text
        brief = re.sub(r"^steps = .*$", "steps = 64\ndeals = 2", whole, flags=re.MULTILINE)
        yield name, brief.replace("seeds = [1, 2, 3]", "seeds = [1]")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[str]:
    """Return the Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def lines(page: Path) -> list[str]:
    """Return the lines of a page's indented blocks and ``sh`` blocks, without comments.

    Lines continued with a backslash are joined.
    """
    text = page.read_text(encoding="utf-8")
    shell = "".join(re.findall(r"^```sh\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE))
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    indented = re.findall(r"(?:^|\n)\n((?: {4}.*\n)+)", rest)
    whole = re.sub(r"\\\n\s*", "", shell + "".join(indented))
    return [re.sub(r"\s+#\s.*", "", line).strip() for line in whole.splitlines()]


def commands(page: Path) -> Iterator[list[str]]:
    """Yield the commands of a page as words, without variables set before the program's name."""
    for line in lines(page):
        for part in line.split(" && "):
            words = shlex.split(part)
            while words and "=" in words[0]:
                words = words[1:]
            if words:
                yield [words[0].removeprefix(".venv/bin/"), *words[1:]]


def of_module(words: list[str]) -> list[str] | None:
    """Return the module and arguments that ``python -m`` or ``torchrun`` starts, or of ``hanabako``; otherwise None."""
    if words[0] == "hanabako":
        return words
    if words[0] in ("python", "torchrun") and "-m" in words:
        return words[words.index("-m") + 1 :]
    return None


def shortened(words: list[str], files: Collection[str] = ()) -> list[str]:
    """Return a command shortened to seconds; ``files`` are the files that the page tells the reader to save."""
    module = words[0]
    briefly = BRIEFLY.get(" ".join(words[:2]) if module == "hanabako" else module, "")
    if "--help" in words:
        return words
    if any(word in files for word in words):  # files that the page tells the reader to save are short already
        return [*words, "--cores", "1"] if words[1] == "study" else [*words, *briefly.replace(*NO_MINIBATCH).split()]
    if module == "hanabako" and words[1] in ("play", "watch", "record"):  # use the random agent in place of bots
        words = ["random" if set(word.split(",")) <= BOTS else word for word in words]
    elif "--agents" in words:  # bots are known by name; the agents that play here need no compilation
        at = words.index("--agents") + 1
        known = [name for name in words[at].split(",") if "/" not in name and ".py:" not in name]
        assert {name.removeprefix(SEARCH) for name in known} <= {*names("hanabi"), *pretrained("hanabi")}
        played = dict.fromkeys(name if "/" in name else "random" for name in words[at].split(","))
        words = [*words[:at], ",".join(played), *words[at + 1 :]]
    if "--source" in words:  # games that were recorded before: no agent plays
        briefly = ""
    if "--agent" in words:  # the agent to clone
        briefly += " --agent random"
    if "--resume" in words:
        briefly = "--steps 128"
    if module == "pytest":  # pytest must find the clone's files and settings from here
        briefly += f" --rootdir {shlex.quote(str(ROOT))} -c {shlex.quote(str(ROOT / 'pyproject.toml'))}"
        words = [module, *(str(ROOT / word) if (ROOT / word).exists() else word for word in words[1:])]
    return [*words, *shlex.split(briefly)]


def program(page: Path) -> str:
    """Return a page as one Python program."""
    files = dict(saved(page))
    modules = [shortened(words, files) for words in map(of_module, commands(page)) if words is not None]
    if page.name == "SCORES.md":  # commands of old results ran for minutes: check that they still parse
        modules = [[*words, "--help"] for words in modules]
    if TRAINED in page.read_text(encoding="utf-8"):
        modules.insert(0, ["hanabako", "train", *shlex.split(BRIEFLY["hanabako train"]), "--run-dir", TRAINED])
    calls = [f"command(*{words!r})\n" for words in modules]
    code = [re.sub(r"games=[\d_]+", "games=4", block) for block in blocks(page)]
    return "\n".join([COMMAND if calls else "", "".join(calls), *code])


def needs_clone(page: Path) -> bool:
    """Return whether a page has commands or imports of folders outside the wheel, such as ``benchmarks``."""
    modules = [words[0].partition(".")[0] for words in map(of_module, commands(page)) if words is not None]
    imported = re.findall(r"^(?:from|import) (\w+)", "\n".join(blocks(page)), flags=re.MULTILINE)
    return not {*modules, *imported}.isdisjoint(("benchmarks", "docs", "tests", "pytest"))


def test_the_first_example_runs(tmp_path: Path):
    finished([sys.executable, "-c", blocks(ROOT / "README.md")[0]], tmp_path, {"PYTHONPATH": str(ROOT)})


@pytest.mark.upkeep
@pytest.mark.parametrize("page", [page for page in PAGES if program(page).strip()], ids=name_of)
def test_what_a_page_says_runs(page: Path, tmp_path: Path, libraries: Path):
    path = tmp_path / (page.parent.name + "_page.py")
    path.write_text(program(page), encoding="utf-8")
    for name, text in saved(page):
        (tmp_path / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "recipes", tmp_path / "docs" / "recipes")
    if needs_clone(page):
        finished([sys.executable, str(path)], tmp_path, {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"})
    else:
        run([str(path)], unpacked_wheel(), libraries, folder=tmp_path, MPLBACKEND="agg")


@pytest.mark.upkeep
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_other_command_of_a_page_is_one(page: Path):
    """Targets of `make` exist with their variables, extras of the distribution exist, and other programs are known."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for words in commands(page):
        program = words[0]
        if program == "make":
            done = ran(["make", "-n", *words[1:]])
            assert done.returncode == 0, done.stderr
        elif program == "pip":
            for extra in re.findall(r"\.\[(\w+)\]", " ".join(words)):
                assert extra in extras
        else:
            assert of_module(words) is not None or program in ("git", "cd"), f"who knows {words}?"


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=name_of)
def test_every_module_that_a_page_names_is_there(page: Path):
    """Modules exist even if they are named inside a sentence: `python -m docs.build.rule_card`.

    Lines beginning with "Made by" are left out, because they quote the command of that time.
    """
    text = re.sub(r"^Made by .*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for name in {*re.findall(rf"`(?:[^`]* )?((?:{'|'.join(OURS)})(?:\.\w+)+)", text)}:
        if not name.endswith(".md"):
            resolve_name(re.sub(r"^(?=agents\.)", "hanabako.", name))  # after `from hanabako import agents`


@pytest.mark.parametrize("notebook", sorted(ROOT.glob("notebooks/*.ipynb")), ids=name_of)
def test_what_a_notebook_imports_is_there(notebook: Path):
    lines = re.findall(rf'"from ((?:{"|".join(OURS)})[.\w]*) import ([\w, ]+)', notebook.read_text(encoding="utf-8"))
    assert lines
    for module, imported in lines:
        for name in (words.split()[0] for words in imported.split(",")):
            getattr(__import__(module, fromlist=[name]), name)


def test_every_line_of_the_walks_begins_with_a_function_that_is_there():
    page = (ROOT / "docs" / "walks.md").read_text(encoding="utf-8")
    for walk in page.split("\n## ")[1:]:
        steps = re.findall(r"^\d+\. (.*)", walk, flags=re.MULTILINE)
        assert 10 <= len(steps) <= 13
        for step in steps:
            file, function = re.findall(r"^`([\w/]+\.py):([\w.]+)`", step)[0]
            defined = rf"^ *def {function.rpartition('.')[2]}\("
            assert re.search(defined, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), step


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path):
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", page.read_text(encoding="utf-8")):
        path, _, heading = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert heading in [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles], target


def test_the_networks_are_those_that_ship():
    page = (ROOT / "docs" / "networks.md").read_text("utf-8")
    assert filled(page, [("networks", networks.networks())]) == page, "make pages writes docs/networks.md"
    shipped = [name for game in games() for name in pretrained(game)]
    assert sorted(re.findall(r"^\| `(.+?)` \|", page, re.MULTILINE)) == sorted(RECIPES) == sorted(shipped)


RULE = re.compile(r"\b([A-Z]\d{1,2}b?)\b")


@pytest.mark.parametrize("entry", games().values(), ids=games())
def test_every_cited_rule_is_one_row_of_the_games_card(entry):
    """Every rule number cited in the game's package, bots, tests or test names is one row of the rule card.

    No number is given to two rules.
    """
    rows = re.findall(
        r"^\| ((?:[A-Z]\d+b?(?:, )?)+) \|", (ROOT / entry.package / "README.md").read_text("utf-8"), re.MULTILINE
    )
    numbers = [number for row in rows for number in row.split(", ")]
    assert len(numbers) == len(set(numbers)) > 20
    letters = {number[0] for number in numbers}
    folders = [entry.package, f"agents/bots/{entry.name}", f"tests/{entry.name}"]
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    for path in [*paths, *(ROOT / "tests" / "reference").glob(f"{entry.name}_*.py")]:
        cited = {number for text in texts_of(path) for number in RULE.findall(text) if number[0] in letters}
        assert not cited - set(numbers) - CARDS[entry.name], f"{name_of(path)}: {sorted(cited - set(numbers))}"


CARDS = {  # words that look like rule numbers but are not, mostly cards
    "hanabi": {"V0"},  # a belief in the literature
    "ikebana": {f"{color}{value}" for color in "KJ" for value in range(1, 6)},
    "koikoi": set(),
}


def texts_of(path: Path) -> Iterator[str]:
    """Yield the comments and docstrings of a module and the names of its tests."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""
        if isinstance(node, ast.FunctionDef):
            yield node.name.removeprefix("test_").replace("_", " ")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
