"""Files: written whole or not at all, and JSON of strangers read up to a stated size."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

__all__ = [
    "MOST_BYTES",
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

    Raises:
        OSError: see `write_bytes`.
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            temporary.chmod(0o644)  # mkstemp's 0600 would hide a published page from a web server
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OSError(error.errno, f"{target} cannot be written: {error.strerror or error}") from error


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
