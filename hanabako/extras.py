"""Optional packages: which extra of the distribution brings each, and the error when one is missing."""

import re
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec

__all__ = ["EXTRAS", "advice", "need"]

EXTRAS = {
    "PIL": "render",
    "openai": "llm",
    "ray": "cluster",
    "resvg_py": "render",
    "tensorboard": "logging",
    "websockets": "ah2ac2",
}
"""The extra that brings a package, by the package's import name, if it is not ``agents``."""


def need(importer: str, *packages: str) -> None:
    """Check that optional packages are installed.

    Args:
        importer: what needs them, named in the error.
        packages: import names.

    Raises:
        ModuleNotFoundError: one is not; the sentence says how to install it.
    """
    for package in packages:
        if find_spec(package) is None:
            raise ModuleNotFoundError(advice(importer, package), name=package)


def advice(importer: str, package: str) -> str:
    """The sentence that tells the user what to install.

    It names the packages themselves, because that works from a clone, a wheel and an index alike.
    """
    extra = EXTRAS.get(package, "agents")
    packages = packages_of(extra) or [f"'hanabako[{extra}]'"]
    return f"{importer} needs {package}: pip install {' '.join(packages)} (the extra {extra!r})"


def packages_of(extra: str) -> list[str]:
    """The packages of an extra, as the installed distribution lists them; none if there is no such distribution."""
    try:
        requirements = requires("hanabako") or ()
    except PackageNotFoundError:
        return []
    ours = (text for text in requirements if re.search(rf"extra == ['\"]{extra}['\"]", text))
    return [re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in ours]
