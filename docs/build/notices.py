"""THIRD_PARTY.md: the libraries that an installation needs, with their licences.

python -m docs.build.notices   # write its table from pyproject.toml and what is installed
"""

import re
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from docs.build.rule_card import markdown_rows
from hanabako.generated import update

__all__ = ["asked_for", "main"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "THIRD_PARTY.md"
EVERY_INSTALL = "every install"


def asked_for() -> dict[str, str]:
    """Return every library that the distribution requires, with the extra that requires it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {EVERY_INSTALL: project["dependencies"], **project["optional-dependencies"]}
    found: dict[str, str] = {}
    for group, requirements in groups.items():
        for text in requirements:
            name = re.split(r"[^\w.-]", text)[0]
            if name != project["name"]:
                found.setdefault(name, group if group == EVERY_INSTALL else f"extra `{group}`")
    return found


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the rows of the table: library, licence, and what requires it."""
    for name, group in asked_for().items():
        yield name, licence(name), group


def licence(name: str) -> str:
    """Return a library's licence from its metadata: the expression, a classifier, or the first line of its text.

    If the library is not installed, the licence on the page is kept.
    """
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:  # keep what the page says
        found = re.search(rf"^\| {re.escape(name)} \| (.*?) \|", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
        return found[1] if found else "not installed here"
    classifiers = [
        text.split(" :: ")[-1] for text in about.get_all("Classifier") or [] if text.startswith("License ::")
    ]
    said = [*(about.get_all("License-Expression") or []), ", ".join(classifiers), *(about.get_all("License") or [])]
    return next((text.strip().splitlines()[0] for text in said if text.strip()), "see the library")


def main() -> None:
    """Write the table."""
    table = markdown_rows(("library", "licence", "asked for by"), rows())
    update(PAGE, [("libraries", table)], check=False, command="python -m docs.build.notices")


if __name__ == "__main__":
    main()
