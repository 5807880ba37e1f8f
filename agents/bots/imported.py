"""Agents out of Python files and modules: ``mine.py:Timid``, ``package.module:Timid``. Importing them runs their code.

A file is imported as a module of this one, by a name that holds its path. Two files of one name are thus two modules,
and another process that unpickles something of a file imports the same file. A file that was edited is imported again.
"""

import ast
import importlib
import inspect
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
from typing import Any, NamedTuple

from hanabako.words.checks import did_you_mean, shown

from ..playing.policy import Policy, as_policy
from .bot import Bot, BotPolicy

__all__ = ["Source", "make_agent", "source_named"]

__path__: list[str] = []  # files are modules in this one, see `FileFinder`
ASKED = ("name", "observes", "specializes", "plays_apart")
"""What a `Policy` has beside ``seat``."""


class Source(NamedTuple):
    """Where the code of an agent is."""

    place: str
    """A file that ends in ``.py``, or a module."""
    name: str
    """What the agent is called there."""

    def __str__(self) -> str:
        return f"{self.place}:{self.name}"

    @property
    def is_file(self) -> bool:
        """Whether the place is a file."""
        return self.place.endswith(".py")

    def file(self) -> Path | None:
        """The file of the code, found without importing anything; None if there is none."""
        place: str | None = self.place
        if self.place in sys.modules:
            place = getattr(sys.modules[self.place], "__file__", None)
        elif not self.is_file:
            place = getattr(spec_of(self.place), "origin", None)
        return Path(place).resolve() if place and Path(place).is_file() else None


def source_named(text: str) -> Source | None:
    """What ``FILE.py:NAME`` and ``package.module:NAME`` say; None for any other text."""
    place, _, name = text.rpartition(":")
    is_place = place.endswith(".py") or all(part.isidentifier() for part in place.split("."))
    return Source(place, name) if is_place and name.isidentifier() else None


def spec_of(module: str) -> ModuleSpec | None:
    """Where a module is, found without importing its packages, whose code would run."""
    spec, path, parts = None, None, module.split(".")
    for count in range(1, len(parts) + 1):
        found = (finder.find_spec(".".join(parts[:count]), path) for finder in sys.meta_path)
        spec = next((one for one in found if one is not None), None)
        if spec is None:
            return None
        path = spec.submodule_search_locations or []
    return spec


# --- Importing --------------------------------------------------------------------------------------------------------


class FileFinder(MetaPathFinder):
    """Finds the modules in this one, whose names hold the paths of their files."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module is: see `importlib.abc.MetaPathFinder.find_spec`."""
        if not fullname.startswith(f"{__name__}."):
            return None
        file = os.fsdecode(bytes.fromhex(fullname.rpartition("_")[2]))
        return spec_from_file_location(fullname, file, loader=FileLoader(fullname, file))


sys.meta_path.append(FileFinder())


class FileLoader(SourceFileLoader):
    """Loads a file, which may import those beside it."""

    digest = ""
    """The SHA-256 of the source that was loaded."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file as it is now; nothing is cached beside it.

        Raises:
            ImportError: the file imports one beside it, and another module has that name.
        """
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


def imported(source: Source) -> ModuleType:
    """The module of an agent.

    Raises:
        ModuleNotFoundError: there is none of this name.
        ValueError: there is no such file, or it fails when it is imported; says where.
    """
    module = source.place
    if source.is_file:
        path = source.file()
        if path is None:
            raise ValueError(f"there is no file {source.place} with an agent {source.name}")
        stem = re.sub(r"\W", "_", path.stem)
        module = f"{__name__}.{stem}_{os.fsencode(path).hex()}"
        loader = getattr(sys.modules.get(module), "__loader__", None)
        if isinstance(loader, FileLoader) and loader.digest != sha256(path.read_bytes()).hexdigest():
            del sys.modules[module]
    elif str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise
        raise ValueError(f"{source.place} cannot be imported: {in_words(error, source)}") from error


def in_words(error: BaseException, source: Source) -> str:
    """An error in one line, with the last line of the source that it passed."""
    file = str(source.file())
    passed = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    line = f"line {passed[-1]}: " if passed else ""
    return f"{line}{type(error).__name__}: {' '.join(str(error).split())}"


# --- From what a module has to a policy -------------------------------------------------------------------------------


def make_agent(source: Source, config: Any) -> Policy:
    """The agent that a file or module has by a name: see `agents.load`.

    Raises:
        ModuleNotFoundError: there is no such module.
        ValueError: there is no such file or name, its code fails, or it is no agent that can play ``config``.
    """
    module = imported(source)
    if not hasattr(module, source.name):
        public = [name for name in vars(module) if not name.startswith("_")]
        raise ValueError(f"{source.place} has no {source.name}{did_you_mean(source.name, public)}")
    found = getattr(module, source.name)
    agent = found if is_agent(found) or not callable(found) else called(source, found, config)
    if isinstance(agent, Bot):
        return BotPolicy(agent, config)
    missing = [name for name in ASKED if hasattr(agent, "seat") and not hasattr(agent, name)]
    if missing or not is_agent(agent):
        kinds = "a PlainBot, a Bot, a policy (its class or an object) or a function of a config"
        raise ValueError(f"{source} must be {kinds}, got {shown(agent)} without {' and '.join(missing) or 'an act'}")
    return as_policy(agent)


def is_agent(thing: Any) -> bool:
    """Whether something takes seats or has an ``act``, and is no class."""
    return not isinstance(thing, type) and (hasattr(thing, "seat") or hasattr(thing, "act"))


def called(source: Source, make: Any, config: Any) -> Any:
    """What a class makes without arguments, or with ``config`` if it takes that; what a function makes of the config.

    Raises:
        ValueError: it takes other arguments, or fails.
    """
    named = {"config": config} if "config" in (parameters := inspect.signature(make).parameters) else {}
    unnamed = [config] if not (named or isinstance(make, type)) and parameters else []
    try:
        inspect.signature(make).bind(*unnamed, **named)
    except TypeError as error:
        raise ValueError(f"{source} must take no arguments but config: {error}") from error
    try:
        return make(*unnamed, **named)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"{source} cannot be made: {in_words(error, source)}") from error
