"""Files: written whole or not at all, and JSON of strangers read up to a stated size."""

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
"""The largest JSON file that is read: what holds more is none of ours, and parsing takes 15 times its size."""


def write_text(path: str | os.PathLike[str], content: str) -> Path:
    """Write a whole UTF-8 file or nothing: a reader never sees half of it. Creates the folder; returns the path.

    Raises:
        OSError: see `write_bytes`.
    """
    return write_bytes(path, content.encode())


def write_json(path: str | os.PathLike[str], content: Any) -> Path:
    """Write JSON, indented, as `write_text` does: for people's eyes, and for differences line by line."""
    return write_text(path, json.dumps(content, indent=1) + "\n")


def write_bytes(path: str | os.PathLike[str], content: bytes | memoryview) -> Path:
    """Write a whole file or nothing: a reader never sees half of it. Creates the folder; returns the path.

    Raises:
        OSError: the disk is full, the folder may not be written to, and so on; names ``path``. What was there stays.
    """
    with replacing(path) as file:
        file.write(content)
    return Path(path)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write little by little, which takes its name when the block ends without an error. Creates the folder.

    A link stays, and what it leads to is replaced. A file that is replaced keeps its mode, and its owner if that may
    be; a new one has the mode that the umask says. What is no regular file, a device or a FIFO, is opened and written.

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
    """Try paths that are written when work is done, before it begins; leaves nothing. None is passed over.

    Raises:
        OSError: a path is a directory, or its folder cannot be made or written to; names the path.
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
    """What goes wrong in the block is said of ``path``."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{path} cannot be written: {error.strerror or error}") from error


def status_of(path: Path) -> os.stat_result | None:
    """What stands at a path, at a link's end; None if nothing does."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def new_file_beside(target: Path, mode: int = 0o666) -> tuple[int, Path]:
    """An open file in the folder of ``target`` with a name of its own, and with that mode as far as the umask goes."""
    path = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), path


def take_after(there: os.stat_result, path: Path) -> None:
    """Give a new file the mode of another, and its owner if this process may."""
    new = path.stat()
    if (new.st_uid, new.st_gid) != (there.st_uid, there.st_gid):
        with suppress(PermissionError):
            os.chown(path, there.st_uid, there.st_gid)
    path.chmod(stat.S_IMODE(there.st_mode))


def read_json(path: str | os.PathLike[str], most: int = MOST_BYTES) -> Any:
    """What a JSON file holds.

    Raises:
        OSError: the file is missing or cannot be read.
        ValueError: it has more than ``most`` bytes, or see `parse_json`; names the file.
    """
    with Path(path).open("rb") as file:
        content = file.read(most + 1)
    return parse_json(content, os.fspath(path), most)


def parse_json(content: str | bytes, name: str, most: int = MOST_BYTES) -> Any:
    """What JSON says.

    Args:
        content: the JSON, UTF-8 if it is bytes.
        name: where it comes from, for messages.
        most: how long it may be, in bytes or characters.

    Raises:
        ValueError: it is longer, no UTF-8, no JSON, or nested too deeply to be read.
    """
    if len(content) > most:
        raise ValueError(f"{name} is larger than {most:,} bytes")
    try:
        return json.loads(content if isinstance(content, str) else content.decode())
    except RecursionError:
        raise ValueError(f"{name} is JSON that is nested too deeply to be read") from None
    except ValueError as error:
        raise ValueError(f"{name} is JSON that cannot be read: {error}") from error
