"""The steps of CONTRIBUTING are complete lists: every file they name is there, and none that is needed is missing."""

import re
from pathlib import Path

import pytest

from hanabako.games import games

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEPS = ("A bot", "A variant of Hanabi", "A learning algorithm", "A fourth game")
WITH_SUFFIX = re.compile(r"[\w<>./-]+(?:/|\.(?:py|md|toml))|Makefile")


def named(title: str) -> set[str]:
    """The files and folders that the steps under a title name, with their placeholders."""
    (section,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, flags=re.DOTALL | re.MULTILINE)
    words = re.findall(r"`([^`\n]+)`", section)
    paths = {word for word in words if WITH_SUFFIX.fullmatch(word) and "<name>" not in word}
    return paths | set(re.findall(r"\]\(([^)#]+)", section))


def meant(path: str) -> set[str]:
    """What a path with placeholders means: a file of every game."""
    if "<game>" not in path:
        return {path}
    return {
        path.replace("<game>_env", entry.package).replace("<game>_v0", entry.environment).replace("<game>", entry.name)
        for entry in games().values()
    }


@pytest.mark.parametrize("title", STEPS)
def test_every_file_of_the_steps_is_there(title: str):
    paths = {place for path in named(title) for place in meant(path)}
    bare = {path for path in paths if "/" not in path and not (ROOT / path).exists()}  # in the folder just named
    assert not bare - {path.name for path in (ROOT / "tests").rglob("*.py")}
    missing = [path for path in paths - bare if not (ROOT / path).exists()]
    assert len(paths) > 4 and not missing


def test_a_fourth_game_brings_every_file_of_the_smallest():
    (entry,) = [entry for entry in games().values() if entry.package == "ikebana_env"]
    listed = {place for path in named("A fourth game") for place in meant(path)}
    files = {
        str(path.relative_to(ROOT))
        for path in (ROOT / entry.package).rglob("*")
        if path.suffix in {".py", ".md"} and path.is_file()
    }
    assert not files - listed


@pytest.mark.parametrize("field", ["choreography", "flamboyants", "max_life_tokens"])
def test_a_variants_steps_name_every_file_that_a_field_of_the_config_touches(field: str):
    listed = named("A variant of Hanabi")
    touched = {
        str(path.relative_to(ROOT))
        for folder in ("hanabi_env", "agents", "benchmarks", "tests")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md"} and re.search(rf"\b{field}\b", path.read_text(encoding="utf-8"))
    }
    assert not touched - listed - NOT_FOR_EVERY_FIELD - {str(Path(__file__).relative_to(ROOT))}


NOT_FOR_EVERY_FIELD = {  # where this field or that is an example, or a test's short way to a position
    "benchmarks/strength/ports.py",  # four lives, as in the original of two bots
    "agents/learning/off_belief.py",  # refuses the tiles
    *(
        f"tests/agents/test_{name}.py"
        for name in ("network", "scoreboard", "mappo", "off_belief", "partners", "cloning", "search", "search_together")
    ),
    *(f"tests/hanabi/{name}.py" for name in ("table", "tables", "test_peers", "test_position", "test_rules")),
    "tests/hanabi/test_ratings.py",
    "tests/reference/peers.py",
}


def test_a_learning_algorithm_is_told_of_everything_that_learning_shares():
    """All of ``common`` and the recipes."""
    folder = ROOT / "agents" / "learning"
    paths = [*folder.glob("common/*.py"), folder / "recipes.py"]
    shared = {str(path.relative_to(ROOT)) for path in paths if path.name != "__init__.py"}
    assert shared <= named("A learning algorithm")


def test_a_commits_subject_is_limited_where_contributors_read_it():
    assert "at most 72 characters" in PAGE
    assert "72" in (ROOT / ".github" / "pull_request_template.md").read_text(encoding="utf-8")
