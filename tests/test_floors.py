"""The layers of the packages: no circular imports, and few layers.

A module is one layer above the highest module that it imports. The modules of a folder are its files and folders; an
``__init__.py`` that only re-exports names does not count.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from .test_architecture import PACKAGES, ROOT, imports, modules, name_of

MOST_FLOORS = 8


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_name(path): path for package in PACKAGES for path in modules(package)}


def reached(path: Path) -> set[str]:
    """Return our modules that a file imports, anywhere in the file."""
    found = set()
    for imported in imports(path):
        parts = imported.split(".")
        while parts and ".".join(parts) not in FILES:
            parts.pop()
        module = ".".join(parts)
        if module and FILES[module].name != "__init__.py":
            found.add(module)
    return found - {module_name(path)}


@cache
def all_arrows() -> dict[str, set[str]]:
    return {name: reached(path) for name, path in FILES.items() if path.name != "__init__.py"}


def floors(arrows: dict[str, set[str]]) -> dict[str, int]:
    """Return the layer of every module, 1 for the lowest; a circle is an error that names its modules."""
    found: dict[str, int] = {}

    def floor(room: str, above: tuple[str, ...]) -> int:
        assert room not in above, f"these import each other in a circle: {' -> '.join((*above, room))}"
        if room not in found:
            found[room] = 1 + max((floor(below, (*above, room)) for below in arrows[room]), default=0)
        return found[room]

    for room in arrows:
        floor(room, ())
    return found


def rooms_of(folder: str) -> dict[str, set[str]]:
    """Return the imports between the files and folders of a folder."""

    def room_of(module: str) -> str:
        return ".".join(module.split(".")[: folder.count(".") + 2])

    inside = {name: targets for name, targets in all_arrows().items() if name.startswith(f"{folder}.")}
    arrows: dict[str, set[str]] = {room_of(name): set() for name in inside}
    for name, targets in inside.items():
        arrows[room_of(name)] |= {room_of(target) for target in targets if target in inside}
    return {room: targets - {room} for room, targets in arrows.items()}


def folders() -> Iterable[str]:
    return sorted({name_of(path.parent).replace("/", ".") for path in FILES.values()})


def test_no_file_is_in_a_circle_of_imports() -> None:
    floors(all_arrows())


@pytest.mark.parametrize("folder", folders())
def test_a_folder_has_few_floors_and_no_circles(folder: str) -> None:
    highest = floors(rooms_of(folder))
    assert max(highest.values(), default=0) <= MOST_FLOORS, highest


def test_a_circle_is_found() -> None:
    with pytest.raises(AssertionError, match="a -> b -> a"):
        floors({"a": {"b"}, "b": {"a"}})
