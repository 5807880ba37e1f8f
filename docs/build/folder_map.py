"""The maps of the packages: every module with the first sentence of its docstring.

    python -m docs.build.folder_map            # write them into a clone's pages
    python -m docs.build.folder_map --check    # only say whether they are up to date

README has a map of the packages, CONTRIBUTING a map of the modules of each package.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from docs.build.rule_card import markdown_rows
from hanabako.generated import update

__all__ = ["folder_map", "maps", "packages_map"]

LEFT_OUT = ("docs", "tests")
"""Packages whose modules are not listed."""

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "python -m docs.build.folder_map"


def sentence(module: Path) -> str:
    """Return the first paragraph of a module's docstring as Markdown, without the final full stop."""
    words = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return words.split("\n\n")[0].replace("\n", " ").replace("``", "`").replace("|", "\\|").rstrip(".:")


def folder_map(folder: Path) -> str:
    """Return a table of the modules of a package: those of the folder itself first, then subfolder by subfolder."""
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
    """Return the packages below a folder, each before those inside it."""
    return sorted(path.parent for path in folder.rglob("__init__.py") if path.parent != folder)


def packages_map(root: Path) -> str:
    """Return a table of the packages at the top of a clone."""
    found = sorted(path.parent for path in root.glob("*/__init__.py"))
    return markdown_rows(
        ("folder", "what it is"), [(f"`{path.name}/`", sentence(path / "__init__.py")) for path in found]
    )


def modules_maps(root: Path) -> str:
    """Return the tables of modules of all packages of a clone, each under a heading."""
    folders = sorted(path.parent for path in root.glob("*/__init__.py"))
    return "\n\n".join(f"### {path.name}\n\n{folder_map(path)}" for path in folders if path.name not in LEFT_OUT)


def maps(root: Path) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Yield the pages of a clone that have maps, each with the name and text of its generated part."""
    yield root / "README.md", ("map", packages_map(root))
    yield root / "CONTRIBUTING.md", ("maps", modules_maps(root))


def write_maps(check: bool = False) -> None:
    """Write the maps of a clone from the docstrings of its modules.

    Args:
        check: only say whether the pages are up to date.
    """
    for page, part in maps(ROOT):
        update(page, [part], check, COMMAND)


if __name__ == "__main__":
    import tyro

    tyro.cli(write_maps, prog=COMMAND)
