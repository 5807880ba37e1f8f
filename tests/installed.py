"""What users install: the wheel of this tree, and processes that see it and the libraries, but no clone."""

import os
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

from filelock import FileLock

from .conftest import ROOT

PLACE = ROOT / ".cache" / "wheel"


def built(arguments: list[str]) -> None:
    """Run a tool of this interpreter from the root of the tree."""
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    finished([sys.executable, *arguments], ROOT, quiet)


def build_wheel(folder: Path) -> Path:
    """The wheel of this tree, built into a folder without the network."""
    built(["-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)])
    (path,) = folder.glob("*.whl")
    return path


def unpacked_wheel() -> Path:
    """A folder with what the wheel installs. Files that are as before keep their time, and so what is compiled."""
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
    """Link everything that is installed here into a folder, except Hanabako."""
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for item in Path(place).iterdir():
            if "hanabako" not in item.name and not (folder / item.name).exists():
                (folder / item.name).symlink_to(item)
    return folder


def run(arguments: list[str], *path: Path, folder: Path, **variables: str) -> str:
    """The output of a process that imports from ``path`` and ``folder`` alone: ``-S`` reads no ``.pth`` file."""
    paths = os.pathsep.join(map(str, path))
    return finished([sys.executable, "-S", *arguments], folder, {"PYTHONPATH": paths, **variables})


def finished(command: list[str], folder: Path, variables: dict[str, str]) -> str:
    """The output of a process that ended well."""
    done = subprocess.run(
        command,
        check=False,
        cwd=folder,
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout
