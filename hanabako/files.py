"""Files that are written completely or not at all, and JSON files that are read up to a size limit."""

import errno
import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

__all__ = [
    "MOST_BYTES",
    "check_writable",
    "parse_json",
    "read_json",
    "replacing",
    "write_bytes",
    "write_json",
    "write_text",
]

MOST_BYTES = 16 * 2**20
"""The default size limit for JSON files. Our own files are smaller, and parsing takes 15 times a file's size."""


def write_text(path: str | os.PathLike[str], content: str) -> Path:
    """Write a complete UTF-8 file or nothing, so that no reader sees half of it. Create its folder; return the path.

    Raises:
        OSError: see `write_bytes`.
    """
    return write_bytes(path, content.encode())


def write_json(path: str | os.PathLike[str], content: Any) -> Path:
    """Write indented JSON with `write_text`, so that people can read it and compare versions line by line."""
    return write_text(path, json.dumps(content, indent=1) + "\n")


def write_bytes(path: str | os.PathLike[str], content: bytes | memoryview) -> Path:
    """Write a complete file or nothing, so that no reader sees half of it. Create its folder; return the path.

    Raises:
        OSError: the disk is full, the folder is not writable, and so on. The message has ``path``. An existing file
            stays as it was.
    """
    with replacing(path) as file:
        file.write(content)
    return Path(path)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a file to write piece by piece. It gets its name when the block ends without an error. Create its folder.

    If the path is a link, the link stays and its target is replaced. A replaced file keeps its mode and, if permitted,
    its owner; a new file has the umask's mode. Devices and FIFOs are not replaced: they are opened and written to.

    Raises:
        OSError: see `write_bytes`.
    """
    path = Path(path)
    with naming(path):
        there = status_of(path)
        if there is not None and not stat.S_ISREG(there.st_mode):
            with os.fdopen(os.open(path, os.O_WRONLY), "wb") as file:
                yield file
            return
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = new_file_beside(target, 0o666 if there is None else 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                if there is not None:
                    take_after(there, temporary)
                yield file
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def check_writable(*paths: str | os.PathLike[str] | None) -> None:
    """Check, before long work begins, that its output paths can be written. Leaves no files. None is ignored.

    Raises:
        OSError: a path is a directory, or its folder cannot be created or written to. The message has the path.
    """
    for path in (Path(path) for path in paths if path is not None):
        with naming(path):
            there = status_of(path)
            if there is not None and stat.S_ISDIR(there.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if there is None or stat.S_ISREG(there.st_mode):
                target = Path(os.path.realpath(path))
                folder = next(folder for folder in target.parents if folder.exists())
                handle, temporary = new_file_beside(folder / target.name)
                os.close(handle)
                temporary.unlink()
            elif not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let errors of the block name ``path``."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{path} cannot be written: {error.strerror or error}") from error


def status_of(path: Path) -> os.stat_result | None:
    """Return the status of the file at a path, following links; None if there is no file."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def new_file_beside(target: Path, mode: int = 0o666) -> tuple[int, Path]:
    """Create a file with a unique name in the folder of ``target``; return its open descriptor and its path.

    The umask restricts ``mode``.
    """
    path = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), path


def take_after(there: os.stat_result, path: Path) -> None:
    """Give a new file the mode of an existing one and, if permitted, its owner."""
    new = path.stat()
    if (new.st_uid, new.st_gid) != (there.st_uid, there.st_gid):
        with suppress(PermissionError):
            os.chown(path, there.st_uid, there.st_gid)
    path.chmod(stat.S_IMODE(there.st_mode))


def read_json(path: str | os.PathLike[str], most: int = MOST_BYTES) -> Any:
    """Return the contents of a JSON file.

    Raises:
        OSError: the file is missing or cannot be read.
        ValueError: it has more than ``most`` bytes, or `parse_json` refuses it. The message has the file's name.
    """
    with Path(path).open("rb") as file:
        content = file.read(most + 1)
    return parse_json(content, os.fspath(path), most)


def parse_json(content: str | bytes, name: str, most: int = MOST_BYTES) -> Any:
    """Parse JSON.

    Args:
        content: the JSON; bytes must be UTF-8.
        name: the source of the JSON, for messages.
        most: the largest allowed length, in bytes or characters.

    Raises:
        ValueError: the content is too long, not UTF-8, not JSON, or nested too deeply.
    """
    if len(content) > most:
        raise ValueError(f"{name} is larger than {most:,} bytes")
    try:
        return json.loads(content if isinstance(content, str) else content.decode())
    except RecursionError:
        raise ValueError(f"{name} is JSON that is nested too deeply to be read") from None
    except ValueError as error:
        raise ValueError(f"{name} is JSON that cannot be read: {error}") from error
