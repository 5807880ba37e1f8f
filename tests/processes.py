"""Commands that the tests start, as processes."""

import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def heed_signals() -> None:
    """Restore the default handling of SIGINT and SIGHUP; use it as ``preexec_fn``.

    Children of tests that run in the background or under nohup would otherwise ignore these signals.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def begin_python(words: Sequence[str], folder: Path, said: Path) -> subprocess.Popen[bytes]:
    """Start Python in ``folder`` in its own process group, so that Ctrl-C can reach the whole group.

    Its output goes to the file ``said``.
    """
    with said.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
            stdout=file,
            stderr=file,
            start_new_session=True,
            preexec_fn=heed_signals,  # noqa: PLW1509
        )


def ran(command: Sequence[str], folder: Path = ROOT, /, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=False,
        cwd=folder,
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=900,
    )


def free_port() -> int:
    """Return a free port of this machine, outside the range that the system assigns automatically."""
    while True:
        port = random.SystemRandom().randrange(15_000, 30_000)
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
