"""Words that read as translated stay out of comments, docstrings, messages and pages.

Only a reader can judge prose; this test keeps corrected words from coming back.
"""

import json
import re
from pathlib import Path

import pytest

from .conftest import ROOT

pytestmark = pytest.mark.upkeep

INSTEAD = {
    r"[Ww]hoever": "the player who, anyone who",
    r"[Nn]obody": "no player, no one",
    r"anew": "again, from scratch",
    r"so many": "that many, as many",
    r"the own": "its own, their own",
}
"""Patterns of words to avoid, and what to write instead."""
WORDS = re.compile(rf"(?<![\"'`:=|])\b({'|'.join(INSTEAD)})\b(?![\"'`])")
"""Pattern of these words; names in quotation marks are data and do not match."""
OF = re.compile(r'^\s*"""Of ', re.MULTILINE)
QUOTED = {"hanabi_env/words/ratings.py": "honorable: but nobody will remember it for long"}
"""Sentences quoted from rule booklets."""
HISTORY = {"CHANGELOG.md", "tests/test_plain_english.py"}
KINDS = (".py", ".md", ".ipynb")


def written() -> dict[str, str]:
    """Return the text of every Python file, page and notebook of the repository, by name; notebooks without outputs."""
    folders = [ROOT / "notebooks", ROOT / ".github", *(path.parent for path in ROOT.glob("*/__init__.py"))]
    paths = [*ROOT.iterdir(), *(path for folder in folders for path in folder.rglob("*"))]
    names = {path.relative_to(ROOT).as_posix(): path for path in sorted(paths) if path.suffix in KINDS}
    return {name: text_of(names[name]).replace(QUOTED.get(name, "\0"), "") for name in names.keys() - HISTORY}


def text_of(path: Path) -> str:
    """Return the text of a file; of a notebook, the sources of its cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


def test_words_that_read_as_translated_are_not_used():
    found = [
        f"{name}:{number}: {match[0]!r}"
        for name, text in written().items()
        for number, line in enumerate(text.splitlines(), 1)
        for match in WORDS.finditer(line)
    ]
    assert found == [], f"write instead: {INSTEAD}"


def test_no_docstring_begins_with_of():
    assert [name for name, text in written().items() if OF.search(text)] == []
