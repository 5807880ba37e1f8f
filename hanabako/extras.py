"""Optional packages: the extra that installs each of them, and the error if one is missing."""

import re
import shlex
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from importlib.util import find_spec

__all__ = ["EXTRAS", "advice", "can_draw_pixels", "drawable", "need"]

EXTRAS = {
    "PIL": "render",
    "matplotlib": "analysis",
    "numba_cuda": "gpu",
    "openai": "llm",
    "ray": "cluster",
    "resvg_py": "render",
    "tensorboard": "logging",
    "websockets": "ah2ac2",
}
"""The extra that installs a package, by the package's import name. Packages that are not listed are in ``agents``."""


def need(importer: str, *packages: str) -> None:
    """Raise ModuleNotFoundError, with `advice`, if an optional package is missing; these are the import names."""
    for package in packages:
        if find_spec(package) is None:
            raise ModuleNotFoundError(advice(importer, package), name=package)


@cache
def can_draw_pixels() -> bool:
    """Whether the packages of the extra ``render`` are installed."""
    return all(find_spec(package) is not None for package, extra in EXTRAS.items() if extra == "render")


def drawable(modes: Iterable[str]) -> list[str]:
    """Return the render modes that work here: ``"rgb_array"`` only with the extra ``render``."""
    return [mode for mode in modes if mode != "rgb_array" or can_draw_pixels()]


def advice(importer: str, package: str) -> str:
    """Return a sentence that tells the user what to install: the packages of the extra that are missing.

    It names packages, not only the extra, because their names work from a clone, a wheel and an index alike.
    """
    extra = EXTRAS.get(package, "agents")
    packages = packages_of(extra)
    packages = [name for name in packages if not is_installed(name)] or packages or [f"hanabako[{extra}]"]
    return f"{importer} needs {package}: pip install {shlex.join(packages)} (the extra {extra!r})"


def packages_of(extra: str) -> list[str]:
    """Return the packages of an extra, with their own extras; an empty list if this distribution is not installed."""
    try:
        requirements = metadata.requires("hanabako") or ()
    except metadata.PackageNotFoundError:
        return []
    ours = (text for text in requirements if re.search(rf"extra == ['\"]{extra}['\"]", text))
    return [re.split(r"[^][\w.-]", text, maxsplit=1)[0] for text in ours]


def is_installed(package: str) -> bool:
    """Whether a package is installed, in any version."""
    try:
        metadata.version(package.partition("[")[0])
    except metadata.PackageNotFoundError:
        return False
    return True
