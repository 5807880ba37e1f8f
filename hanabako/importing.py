"""Python files of users, imported by their path. This runs them."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

from .words.checks import shown

__all__ = ["import_file", "import_named"]


def import_file(path: Path) -> ModuleType:
    """The module that a file is, under its full name: from its package's folder or its own, which joins `sys.path`.

    Other processes import it by the same path, and what is pickled by the name then set.

    Raises:
        ValueError: another module has its name, or importing fails; names the file.
    """
    source = path.resolve()
    folder, parts = source.parent, [source.stem]
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module = import_named(".".join(parts))
    if Path(module.__file__ or "").resolve() != source:
        raise ValueError(f"{path} cannot be imported: another module has the name {'.'.join(parts)}")
    return module


def import_named(name: str) -> ModuleType:
    """The module of this name, with dots.

    Raises:
        ValueError: there is none, or importing it fails.
    """
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise ValueError(f"{shown(name)} cannot be imported: {type(error).__name__}: {error}") from error
