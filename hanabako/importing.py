"""Python files and modules of users, imported by path or name. This runs their code.

A file outside a package is imported as a submodule of this module, under a name that contains its path. So two files
with the same name are two modules, and a process that unpickles an object from a file imports that file. An edited file
is imported again.
"""

import ast
import importlib
import os
import re
import sys
import traceback
from collections.abc import Sequence
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

__all__ = ["error_in_words", "import_file", "import_named", "is_of_a_file", "short_name"]

__path__: list[str] = []  # files are modules in this one, see `FileFinder`


def import_file(path: Path) -> ModuleType:
    """Import a file and return its module. A file in a package is imported by its full dotted name.

    Raises:
        ValueError: there is no such file, its import fails, or another module has its name. The message says where.
    """
    source = path.resolve()
    if not source.is_file():
        raise ValueError(f"there is no file {path}")
    folder, parts = source.parent, [source.stem]
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    if len(parts) > 1:
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        module = imported(".".join(parts), path)
        if Path(module.__file__ or "").resolve() != source:
            raise ValueError(f"{path} cannot be imported: another module has the name {'.'.join(parts)}")
        return module
    stem = re.sub(r"\W", "_", source.stem)
    name = f"{__name__}.{stem}_{os.fsencode(source).hex()}"
    loader = getattr(sys.modules.get(name), "__loader__", None)
    if isinstance(loader, FileLoader) and loader.digest != sha256(source.read_bytes()).hexdigest():
        del sys.modules[name]
    return imported(name, path)


def import_named(name: str) -> ModuleType:
    """The module of this name, with dots, also in the current folder; errors as in `imported`."""
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    return imported(name, name)


def imported(name: str, place: Path | str) -> ModuleType:
    """The module of this name, which the user calls ``place``; ``ValueError`` if its import fails."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            raise
        raise ValueError(f"{place} cannot be imported: {error_in_words(error, place)}") from error


def error_in_words(error: BaseException, place: Path | str) -> str:
    """Return an error as one line of text, with the last line number in its traceback of the file ``place``, if any."""
    file = str(Path(place).resolve())
    passed = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    line = f"line {passed[-1]}: " if passed else ""
    return f"{line}{type(error).__name__}: {' '.join(str(error).split())}"


def is_of_a_file(module: str) -> bool:
    """Whether a module's name is that of a file that `import_file` has imported."""
    return module.startswith(f"{__name__}.")


def short_name(module: str) -> str:
    """A module's name, for people: that of a file without its path."""
    return module.removeprefix(f"{__name__}.").rpartition("_")[0] if is_of_a_file(module) else module


# --- Files as modules -------------------------------------------------------------------------------------------------


class FileFinder(MetaPathFinder):
    """Finds the modules in this one, whose names hold the paths of their files."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module is: see `importlib.abc.MetaPathFinder.find_spec`."""
        if not fullname.startswith(f"{__name__}."):
            return None
        try:
            file = os.fsdecode(bytes.fromhex(fullname.rpartition("_")[2]))
        except ValueError:
            return None  # a name that someone else asks for
        return spec_from_file_location(fullname, file, loader=FileLoader(fullname, file))


sys.meta_path.append(FileFinder())


class FileLoader(SourceFileLoader):
    """Loads a file, which may import those beside it."""

    digest = ""
    """The SHA-256 of the source that was loaded."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file as it is now; ``ImportError`` if another module has the name of one that it imports."""
        source = self.get_data(self.path)
        self.digest = sha256(source).hexdigest()
        code, folder = self.source_to_code(source, self.path), Path(self.path).parent
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        for name in names_imported(source) - sys.stdlib_module_names:
            beside = [path for path in (folder / f"{name}.py", folder / name / "__init__.py") if path.is_file()]
            spec = find_spec(name) if beside else None
            if spec is not None and Path(spec.origin or "").resolve() not in [path.resolve() for path in beside]:
                raise ImportError(f"{beside[0]} has the name of another module, {spec.origin}")
        return code


def names_imported(source: bytes) -> set[str]:
    """The top-level modules that a source imports from."""
    parts = list(ast.walk(ast.parse(source)))
    names = [alias.name for part in parts if isinstance(part, ast.Import) for alias in part.names]
    names += [part.module or "" for part in parts if isinstance(part, ast.ImportFrom) and not part.level]
    return {name.partition(".")[0] for name in names}
