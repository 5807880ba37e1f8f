"""Text files: written whole or not at all."""

import os
import tempfile
from pathlib import Path

__all__ = ["write_text"]


def write_text(path: str | os.PathLike[str], content: str) -> Path:
    """Write a whole UTF-8 file or nothing: a reader never sees half of it. Creates the folder; returns the path."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(content)
        Path(temporary).chmod(0o644)  # mkstemp's 0600 would hide a published page from a web server
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target
