"""What users install: the wheel of this tree, and processes that see the wheel and the libraries but no clone."""

import os
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

from filelock import FileLock

from .processes import ROOT, ran

PLACE = ROOT / ".cache" / "wheel"


def built(arguments: list[str]) -> None:
    """Run this interpreter with the given arguments from the root of the tree."""
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    finished([sys.executable, *arguments], ROOT, quiet)


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this tree into a folder, without the network, and return its path."""
    built(["-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)])
    (path,) = folder.glob("*.whl")
    return path


def unpacked_wheel() -> Path:
    """Return a folder with the contents of the wheel.

    Unchanged files keep their modification time, so that their compiled code stays valid.
    """
    PLACE.mkdir(parents=True, exist_ok=True)
    with FileLock(PLACE.with_suffix(".lock")), tempfile.TemporaryDirectory() as name:
        with zipfile.ZipFile(build_wheel(Path(name))) as archive:
            files = {PLACE / entry: archive.read(entry) for entry in archive.namelist()}
        for path in [*PLACE.rglob("*")]:
            if path.is_file() and path not in files and "__pycache__" not in path.parts:
                path.unlink()
        for path, content in files.items():
            if not path.is_file() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    return PLACE


def link_libraries(folder: Path) -> Path:
    """Link all installed libraries except Hanabako into a folder."""
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for item in Path(place).iterdir():
            if "hanabako" not in item.name and not (folder / item.name).exists():
                (folder / item.name).symlink_to(item)
    return folder


def run(arguments: list[str], *path: Path, folder: Path, **variables: str) -> str:
    """Return the output of a process that imports only from ``path`` and ``folder``; ``-S`` ignores ``.pth`` files."""
    paths = os.pathsep.join(map(str, path))
    return finished([sys.executable, "-S", *arguments], folder, {"PYTHONPATH": paths, **variables})


def finished(command: list[str], folder: Path, variables: dict[str, str]) -> str:
    """Run a command that must succeed and return its output."""
    done = ran(command, folder, **variables)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout
