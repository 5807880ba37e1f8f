"""The map of a folder for its README: every module by the first sentence of its docstring.

    python -m docs.build.folder_map            # write the maps of a clone's READMEs
    python -m docs.build.folder_map --check    # only say whether they are up to date

A README has its folder's map between the marks ``<!-- begin map -->`` and ``<!-- end map -->``; the project's own has
one of the packages, without their modules.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from docs.build.rule_card import markdown_rows
from hanabako.generated import marks, update

__all__ = ["folder_map", "maps", "packages_map"]

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "python -m docs.build.folder_map"


def sentence(module: Path) -> str:
    """The first sentence of a module's docstring as Markdown, without its last stop."""
    words = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return words.split("\n\n")[0].replace("\n", " ").replace("``", "`").replace("|", "\\|").rstrip(".:")


def folder_map(folder: Path) -> str:
    """Every module of a package: the folder's own first, then room by room."""
    rows = [
        (f"`{path.relative_to(folder)}`", sentence(path))
        for path in sorted(folder.glob("*.py"))
        if path.name != "__init__.py"
    ]
    for room in rooms_below(folder):
        rows.append((f"**`{room.relative_to(folder)}/`**", f"**{sentence(room / '__init__.py')}**"))
        rows += [
            (f"`{path.relative_to(folder)}`", sentence(path))
            for path in sorted(room.glob("*.py"))
            if path.name != "__init__.py"
        ]
    return markdown_rows(("file", "what it is"), rows)


def rooms_below(folder: Path) -> list[Path]:
    """The packages below a folder, each before those inside it."""
    return sorted(path.parent for path in folder.rglob("__init__.py") if path.parent != folder)


def packages_map(root: Path) -> str:
    """Every package at the top of a clone."""
    found = sorted(path.parent for path in root.glob("*/__init__.py"))
    return markdown_rows(
        ("folder", "what it is"), [(f"`{path.name}/`", sentence(path / "__init__.py")) for path in found]
    )


def maps(root: Path) -> Iterator[tuple[Path, str]]:
    """Every page of a clone that has a place for a map, and the map."""
    for page in [root / "README.md", *sorted(root.glob("*/README.md"))]:
        if "map" in marks(page.read_text(encoding="utf-8")):
            yield page, packages_map(root) if page.parent == root else folder_map(page.parent)


def write_maps(check: bool = False) -> None:
    """Write the maps of a clone's READMEs from the docstrings of its modules.

    Args:
        check: only say whether the READMEs are up to date.
    """
    for page, text in maps(ROOT):
        update(page, [("map", text)], check, COMMAND)


if __name__ == "__main__":
    import tyro

    tyro.cli(write_maps, prog=COMMAND)
