"""The progress bar of all commands: in a terminal a bar, in a log a line every ten seconds."""

import sys
from collections.abc import Callable
from typing import Any

from tqdm import tqdm

__all__ = ["ProgressBar"]

SECONDS = 10.0
"""Seconds between two lines of a log."""


class ProgressBar(tqdm):
    """A `tqdm.tqdm` that writes whole lines, seldom, if standard error is no terminal.

    A terminal overwrites a bar many times a second; in a file or a pipe every one of them would stay.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not sys.stderr.isatty():
            kwargs |= {"mininterval": SECONDS, "maxinterval": SECONDS, "miniters": 1}
        super().__init__(*args, **kwargs)

    @staticmethod
    def status_printer(file: Any) -> Callable[[str], None]:
        """See `tqdm.tqdm.status_printer`."""
        if file.isatty():
            return tqdm.status_printer(file)
        last = ""

        def write(line: str) -> None:
            nonlocal last
            if line.strip() and line != last:  # tqdm also writes an empty line, where another message comes
                print(line, file=file, flush=True)
                last = line

        return write
