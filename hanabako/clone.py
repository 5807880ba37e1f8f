"""One package of agents, wherever its folder lies: inside this package in a wheel, beside it in a clone.

A wheel must not put anything as generic as ``agents`` at top level, where other distributions have theirs. In a clone
the folder is at the top, and its own name works too: ``agents.ppo`` and ``hanabako.agents.ppo`` are then one module, so
that every class exists once.
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
    """Loads a module by its short name: hands out the one that has the long name."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the real module in the place of the empty ``module`` (Python takes what is in ``sys.modules``)."""
        sys.modules[self.name] = importlib.import_module(f"{HERE.name}.{self.name}")


class AgentsFinder(MetaPathFinder):
    """Finds the agents of a clone by both of their names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module is: see `importlib.abc.MetaPathFinder.find_spec`."""
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
    """In a clone, installed or not, let Python find the agents that lie beside this package."""
    folder = HERE.parent / "agents"
    is_known = any(isinstance(finder, AgentsFinder) for finder in sys.meta_path)
    if not is_known and not (HERE / "agents").is_dir() and (folder / "__init__.py").is_file():
        sys.meta_path.insert(0, AgentsFinder(folder))
