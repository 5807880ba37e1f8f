"""Commands that the tests start."""

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
    """For ``preexec_fn``: if the tests run in the background, or under nohup, their children would ignore these."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def begin_python(words: Sequence[str], folder: Path, said: Path) -> subprocess.Popen[bytes]:
    """Start Python in ``folder`` as a terminal does: Ctrl-C reaches its whole group. ``said`` gets what it prints."""
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


def free_port() -> int:
    """A free port of this machine, of those that the system does not give out by itself."""
    while True:
        port = random.SystemRandom().randrange(15_000, 30_000)
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
