"""The stamps of notebooks: which commit made their committed outputs, and which of the code they show is newer.

    python -m docs.build.notebooks                        # report; outputs older than the code are no error
    python -m docs.build.notebooks --run 03_variants      # make the outputs again, and stamp them
    python -m docs.build.notebooks --stamp 03_variants    # stamp outputs that were made by hand

A stamp is the entry ``hanabako`` in a notebook's metadata: ``commit``, its ``date``, and a digest of the code cells
with their outputs, so that a change without a new stamp is noticed. The code that a notebook shows is every module of
the clone that its cells import, directly or through others; comments and docstrings do not count.
"""

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hanabako import machine
from hanabako.files import read_json, write_text
from hanabako.machine import git

__all__ = ["digest_of_cells", "report", "stamp_in_words", "write_stamp"]

ROOT = Path(__file__).resolve().parents[2]
NAME = "hanabako"
NAMED = 3
"""The number of changed files that a line of the report names."""


# --- Stamps -----------------------------------------------------------------------------------------------------------


def digest_of_cells(notebook: dict[str, Any]) -> str:
    """Return the SHA-256 (16 hex digits) of the code cells with their outputs."""
    cells = [["".join(cell["source"]), cell["outputs"]] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()[:16]


def write_stamp(path: Path, commit: str) -> None:
    """Write into a notebook that its outputs were made at ``commit``.

    Raises:
        ValueError: git does not know the commit.
    """
    date = git(ROOT, "show", "-s", "--format=%cs", commit.removesuffix("-dirty"))
    if date is None:
        raise ValueError(f"commit must be one of this clone's, got {commit}")
    notebook = read_json(path)
    digest = digest_of_cells(notebook)
    notebook["metadata"][NAME] = {"commit": commit, "date": date.strip(), "cells": digest}
    write_text(path, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


def stamp_in_words(notebook: dict[str, Any]) -> str:
    """Return a sentence about the stamp for readers of a notebook's page."""
    made = notebook["metadata"].get(NAME)
    if made is None:
        return "Outputs of an unknown commit."
    since = "" if made["cells"] == digest_of_cells(notebook) else "; code was changed since"
    return f"Outputs of commit {made['commit']}, {made['date']}{since}."


# --- Code that is newer -----------------------------------------------------------------------------------------------


def report() -> Iterator[str]:
    """Yield one line per notebook: its stamp, and which of the code it shows has changed since."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        yield f"{path.stem}: {state_of(read_json(path))}"


def state_of(notebook: dict[str, Any]) -> str:
    """Return a text about a notebook's stamp and the code that is newer."""
    made = notebook["metadata"].get(NAME)
    if made is None:
        return "no stamp"
    if made["cells"] != digest_of_cells(notebook):
        return f"changed after its stamp, {made['commit']}, {made['date']}"
    newer = newer_files(notebook, made["commit"].removesuffix("-dirty"))
    if newer is None:
        return f"of {made['commit']}, {made['date']}, which this clone does not know"
    named = ", ".join(newer[:NAMED]) + (f" and {len(newer) - NAMED} more" if len(newer) > NAMED else "")
    return f"of {made['commit']}, {made['date']}; " + (f"older than {named}" if newer else "nothing is newer")


def newer_files(notebook: dict[str, Any], commit: str) -> list[str] | None:
    """Return the files that a notebook shows and whose code changed after ``commit``; None if git does not know it."""
    changed = git(ROOT, "diff", "--name-only", commit, "--", "*.py")
    if changed is None:
        return None
    shown = {str(path.relative_to(ROOT)) for path in files_shown(notebook)}
    return [name for name in changed.splitlines() if name in shown and says_otherwise(name, commit)]


@cache
def says_otherwise(name: str, commit: str) -> bool:
    """Whether a file's code differs from that at ``commit``."""
    return meaning(git(ROOT, "show", f"{commit}:{name}") or "") != meaning((ROOT / name).read_text("utf-8"))


def files_shown(notebook: dict[str, Any]) -> set[Path]:
    """Return every file of the clone that a notebook's cells import, directly or through others."""
    code = [re.sub(r"^\s*[%!].*$", "", "".join(cell["source"]), flags=re.MULTILINE) for cell in notebook["cells"]]
    waiting = [name for cell, text in zip(notebook["cells"], code, strict=True) if cell["cell_type"] == "code"
               for name in imported(text, "")]  # fmt: skip
    found: set[Path] = set()
    while waiting:
        path = file_of(waiting.pop())
        if path is not None and path not in found:
            found.add(path)
            package = ".".join(path.relative_to(ROOT).parent.parts)
            waiting += imported(path.read_text("utf-8"), package)
    return found


def imported(code: str, package: str) -> list[str]:
    """Return the full names of everything that code imports, anywhere in it."""
    names = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) + 1 - node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return names


def file_of(name: str) -> Path | None:
    """Return the file of a module of the clone; None if there is none."""
    place = ROOT.joinpath(*name.removeprefix(f"{NAME}.agents.").split("."))
    if name.startswith(f"{NAME}.agents."):
        place = ROOT.joinpath("agents", *name.split(".")[2:])
    for path in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
        if path.is_file() and "site-packages" not in path.parts:
            return path
    return None


def meaning(code: str) -> str:
    """Return the syntax tree of a module, as text, without docstrings and comments."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)


# --- Command line -----------------------------------------------------------------------------------------------------


def execute(path: Path) -> None:
    """Execute a notebook in its folder and keep the outputs."""
    import nbformat
    from nbclient import NotebookClient

    notebook: Any = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=None, record_timing=False, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    nbformat.write(notebook, path)


def make(run: tuple[str, ...] = (), stamp: tuple[str, ...] = (), commit: str | None = None) -> None:
    """Report which notebooks are older than the code they show, or make and stamp their outputs.

    Args:
        run: execute these notebooks and stamp them.
        stamp: stamp these notebooks as they are.
        commit: the commit that made the outputs; by default the one that is checked out.
    """
    commit = commit or machine.commit(ROOT) or "unknown"
    for name in [*run, *stamp]:
        path = ROOT / "notebooks" / f"{Path(name).stem}.ipynb"
        try:
            if name in run:
                execute(path)
            write_stamp(path, commit)
        except (OSError, ValueError) as error:
            raise SystemExit(f"notebooks: {error}") from error
    print("\n".join(report()))


if __name__ == "__main__":
    import tyro

    tyro.cli(make, prog="python -m docs.build.notebooks")
