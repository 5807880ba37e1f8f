"""Measurements of the games' speed and the agents' strength; the pages show their results.

The programs in `benchmarks.speed` can still be imported by their former names, such as `benchmarks.peers`.
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
    """Return the full present name of a program that used to be in this folder."""
    return f"{__name__}.speed.{name.rpartition('.')[2]}"


class Alias(SourceFileLoader):
    """Loads a module by its former name, as the module with the present name."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace the empty ``module`` by the real one in ``sys.modules``, from which Python takes it."""
        sys.modules[self.name] = importlib.import_module(name_now(self.name))


class MovedFinder(MetaPathFinder):
    """Finds programs by their former names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder.find_spec`."""
        package, _, name = fullname.rpartition(".")
        real = find_spec(name_now(name)) if package == __name__ and name in MOVED else None
        if real is None or real.origin is None:
            return None
        return spec_from_file_location(fullname, real.origin, loader=Alias(fullname, real.origin))


sys.meta_path.append(MovedFinder())
