"""The checklists of CONTRIBUTING are complete: every file they name exists, and no needed file is missing."""

import re
import sys
from pathlib import Path

import pytest

from agents.commands.command_line import main
from agents.results.finding import names as studies
from agents.results.finding import source_of
from agents.results.store import read_results
from hanabako.games import games

pytestmark = pytest.mark.upkeep

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEPS = ("A bot", "A variant of Hanabi", "A learning algorithm", "A search", "A study", "A fourth game")
WITH_SUFFIX = re.compile(r"[\w<>./-]+(?:/|\.(?:py|md|toml))|Makefile")


def section_of(title: str) -> str:
    """Return the text under a title of CONTRIBUTING."""
    (section,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, flags=re.DOTALL | re.MULTILINE)
    return section


def named(title: str) -> set[str]:
    """Return the files and folders, with placeholders, that the steps under a title name."""
    section = section_of(title)
    words = re.findall(r"`([^`\n]+)`", section)
    paths = {word for word in words if WITH_SUFFIX.fullmatch(word) and "<name>" not in word}
    return paths | set(re.findall(r"\]\(([^)#]+)", section))


def meant(path: str) -> set[str]:
    """Return the files that a path with placeholders stands for: one per game."""
    if "<game>" not in path:
        return {path}
    return {
        path.replace("<game>_env", entry.package).replace("<game>_v0", entry.environment).replace("<game>", entry.name)
        for entry in games().values()
    }


@pytest.mark.parametrize("title", STEPS)
def test_every_file_of_the_steps_is_there(title: str):
    paths = {place for path in named(title) for place in meant(path)}
    bare = {path for path in paths if "/" not in path and not (ROOT / path).exists()}  # in the folder named just before
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


NOT_FOR_EVERY_FIELD = {  # these use a field only as an example, or as a test's short way to a position
    *(  # these refuse fields that they do not know
        str(path.relative_to(ROOT))
        for folder in ("benchmarks/strength/solvers/ceiling", "tests/proof")
        for path in (ROOT / folder).glob("*.py")
    ),
    "tests/benchmarks/test_hanabi_ceiling.py",
    "benchmarks/strength/ports.py",  # four lives, as in the original of two bots
    "agents/learning/off_belief.py",  # refuses the tiles
    *(f"tests/benchmarks/{name}.py" for name in ("test_hanabi_bots", "test_ports")),
    *(
        f"tests/agents/test_{name}.py"
        for name in (
            "server",
            "commands",
            "network",
            "mappo",
            "off_belief",
            "partners",
            "cloning",
            "search",
            "search_both_players",
        )
    ),
    *(f"tests/hanabi/{name}.py" for name in ("table", "tables", "test_peers", "test_position", "test_rules")),
    "tests/hanabi/test_ratings.py",
    "tests/reference/peers.py",
}


def test_a_learning_algorithm_is_told_of_everything_that_learning_shares():
    """The checklist for a learning algorithm names every module of ``common``."""
    folder = ROOT / "agents" / "learning"
    paths = [*folder.glob("common/*.py")]
    shared = {str(path.relative_to(ROOT)) for path in paths if path.name != "__init__.py"}
    assert shared <= named("A learning algorithm")


@pytest.mark.parametrize("study", [name for name in studies() if source_of(name).suffix == ".py"])
def test_every_study_of_the_clone_has_the_files_of_its_steps(study: str):
    paths = {path.replace("<name>", study) for path in re.findall(r"`([\w/]*<name>\.\w+)`", section_of("A study"))}
    lacking = {path for path in paths if not (ROOT / path).exists()}
    page = (ROOT / "benchmarks" / "strength" / "SCORES.md").read_text(encoding="utf-8")
    is_measured = f"Nothing has been measured yet: `hanabako study run {study}`" not in page
    assert len(paths) == 3 and lacking == (set() if is_measured else {f"benchmarks/strength/results/{study}.json"})


def test_the_study_of_the_steps_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    (code,) = re.findall(r"^```python\n(.*?)^```$", section_of("A study"), flags=re.DOTALL | re.MULTILINE)
    file = tmp_path / "smallest_bots.py"
    file.write_text(code.replace("wanted=300", "wanted=3").replace("min(100", "min(2"), encoding="utf-8")
    main(["study", "run", str(file)])
    rows = read_results(file.with_suffix(".json"))
    assert {row["bot"]: row["done"] for row in rows} == {"random": 3, "piers": 3, "smart": 3}
    score = next(sum(row["scores"]) / 3 for row in rows if row["bot"] == "smart")
    assert f"| smart | {score:.2f} |" in file.with_suffix(".md").read_text(encoding="utf-8")


def test_a_search_is_told_of_everything_that_searches_share():
    shared = {f"agents/search/{path.name}" for path in (ROOT / "agents" / "search").glob("*.py")}
    assert shared - {"agents/search/__init__.py"} <= named("A search")


def test_a_fourth_game_is_told_where_the_long_checks_name_every_game():
    checks = {
        f"tests/proof/{path.name}"
        for path in (ROOT / "tests" / "proof").glob("*.py")
        if not path.name.startswith("test_") and "ikebana" in path.read_text(encoding="utf-8").lower()
    }
    assert len(checks) > 3 and checks <= named("A fourth game")


def test_a_commits_subject_is_limited_where_contributors_read_it():
    assert "at most 72 characters" in PAGE
    assert "72" in (ROOT / ".github" / "pull_request_template.md").read_text(encoding="utf-8")
