"""How fast the games are and how strong the agents, measured; pages show what these programs write.

The programs of `benchmarks.speed` are the same modules under their former names: `benchmarks.peers`.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from types import ModuleType

MOVED = ("careful", "compile_time", "learner", "loops", "peers", "throughput", "timing")


def name_now(name: str) -> str:
    """The full name of a program that was beside this file."""
    return f"{__name__}.speed.{name.rpartition('.')[2]}"


class Alias(SourceFileLoader):
    """Loads a module by its former name: hands out the one that has the present name."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the real module in the place of the empty ``module`` (Python takes what is in ``sys.modules``)."""
        sys.modules[self.name] = importlib.import_module(name_now(self.name))


class MovedFinder(MetaPathFinder):
    """Finds programs by their former names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module is: see `importlib.abc.MetaPathFinder.find_spec`."""
        package, _, name = fullname.rpartition(".")
        real = find_spec(name_now(name)) if package == __name__ and name in MOVED else None
        if real is None or real.origin is None:
            return None
        return spec_from_file_location(fullname, real.origin, loader=Alias(fullname, real.origin))


sys.meta_path.append(MovedFinder())
