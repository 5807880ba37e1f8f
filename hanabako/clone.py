"""Makes ``hanabako.agents`` importable: the folder lies inside this package in a wheel, and beside it in a clone.

A wheel must not install a top-level package with a name as generic as ``agents``, which other distributions use too.
In a clone the folder is at top level, so its short name works as well: ``agents.ppo`` and ``hanabako.agents.ppo`` are
then the same module, and every class exists only once.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

__all__ = ["find_agents"]

HERE = Path(__file__).resolve().parent
NAME = f"{HERE.name}.agents"


class Alias(SourceFileLoader):
    """Loader for a module's short name: it returns the module with the long name."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace the empty ``module`` with the real one in ``sys.modules``, where Python looks for the result."""
        sys.modules[self.name] = importlib.import_module(f"{HERE.name}.{self.name}")


class AgentsFinder(MetaPathFinder):
    """Finder for the agents of a clone, under both names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the agents, or None: see `importlib.abc.MetaPathFinder.find_spec`."""
        if fullname == NAME:
            return spec_from_file_location(
                fullname, self.folder / "__init__.py", submodule_search_locations=[str(self.folder)]
            )
        if not fullname.startswith("agents.") or sys.modules.get("agents") is not sys.modules.get(NAME):
            return None
        real = find_spec(f"{HERE.name}.{fullname}")
        if real is None or real.origin is None:
            return None
        return spec_from_file_location(
            fullname,
            real.origin,
            loader=Alias(fullname, real.origin),
            submodule_search_locations=real.submodule_search_locations,
        )


def find_agents() -> None:
    """In a clone, installed or not, let Python find the folder of agents beside this package."""
    folder = HERE.parent / "agents"
    is_known = any(isinstance(finder, AgentsFinder) for finder in sys.meta_path)
    if not is_known and not (HERE / "agents").is_dir() and (folder / "__init__.py").is_file():
        sys.meta_path.insert(0, AgentsFinder(folder))
