"""Files that are written completely or not at all; and read if they are regular, up to a size limit."""

import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

__all__ = [
    "MOST_ARRAYS",
    "MOST_BYTES",
    "check_readable",
    "check_writable",
    "parse_json",
    "read_bytes",
    "read_json",
    "read_text",
    "replacing",
    "write_bytes",
    "write_json",
    "write_text",
]

MOST_BYTES = 16 * 2**20
"""The default size limit for files that are read. Parsing JSON takes 15 times a file's size."""
HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a character in JSON: without the other half it can be neither written nor printed."""
MOST_ARRAYS = 2**31
"""The size limit for files of networks and datasets: 500 million weights."""


def write_text(path: str | os.PathLike[str], content: str) -> Path:
    """Write a text in UTF-8: see `write_bytes`."""
    return write_bytes(path, content.encode())


def write_json(path: str | os.PathLike[str], content: Any) -> Path:
    """Write indented JSON, so that people can read it and compare versions line by line: see `write_bytes`."""
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
    Errors are those of `write_bytes`.
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
    """Create a file with a unique name beside ``target``, and the umask's part of ``mode``: its descriptor and path."""
    path = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), path


def take_after(there: os.stat_result, path: Path) -> None:
    """Give a new file the mode of an existing one and, if permitted, its owner."""
    new = path.stat()
    if (new.st_uid, new.st_gid) != (there.st_uid, there.st_gid):
        with suppress(PermissionError):
            os.chown(path, there.st_uid, there.st_gid)
    path.chmod(stat.S_IMODE(there.st_mode))


def check_readable(path: str | os.PathLike[str], most: int = MOST_BYTES, least: int = 1) -> int:
    """Return the size of a file after checking it, before it is opened: others may have named the path.

    Devices and pipes have no end, and a file of ``/proc`` that has none is one of 0 bytes.

    Raises:
        OSError: the file is missing, or is a folder.
        ValueError: it is a device or pipe, or has not ``least`` to ``most`` bytes. The message has its name.
    """
    about = Path(path).stat()
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(about.st_mode):
        raise ValueError(f"{os.fspath(path)} must be a file, and is a device or pipe")
    if about.st_size > most:
        raise ValueError(f"{os.fspath(path)} is larger than {most:,} bytes")
    if about.st_size < least:
        raise ValueError(f"{os.fspath(path)} is empty")
    return about.st_size


def read_bytes(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """Return the contents of a file; errors as in `check_readable`, but it may be empty."""
    size = check_readable(path, most, least=0)
    with Path(path).open("rb") as file:
        return file.read(size)


def read_text(path: str | os.PathLike[str], most: int = MOST_BYTES) -> str:
    """Return the contents of a text file, without a byte order mark; errors as in `read_bytes`, or it is not UTF-8."""
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)} must be text in UTF-8: byte {error.start} is not") from None


def read_json(path: str | os.PathLike[str], most: int = MOST_BYTES) -> Any:
    """Return the contents of a JSON file; errors as in `read_bytes` and `parse_json`."""
    return parse_json(read_bytes(path, most), os.fspath(path), most)


def parse_json(content: str | bytes, name: str, most: int = MOST_BYTES) -> Any:
    """Parse JSON of at most ``most`` bytes or characters, which may begin with a byte order mark; bytes must be UTF-8.

    Raises:
        ValueError: the content is too long, not UTF-8 (escaped halves of characters included), not JSON, or nested too
            deeply. The message has ``name``.
    """
    if len(content) > most:
        raise ValueError(f"{name} is larger than {most:,} bytes")
    try:
        text = content.removeprefix("\ufeff") if isinstance(content, str) else content.decode("utf-8-sig")
        value = json.loads(text)
        if HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError(f"{name} is JSON that is nested too deeply to be read") from None
    except UnicodeError:
        raise ValueError(f"{name} is JSON that cannot be read: not UTF-8, or with halves of characters") from None
    except ValueError as error:
        raise ValueError(f"{name} is JSON that cannot be read: {error}") from error
    return value
