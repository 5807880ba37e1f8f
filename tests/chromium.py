"""A headless Chromium that clicks, types and reads pages as a person does, by the DevTools protocol over two pipes.

It needs no driver, port or library: Chromium reads NUL-terminated JSON from file descriptor 3 and answers on 4.
"""

import fcntl
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
)
FLAGS += " --no-first-run --remote-debugging-pipe"

LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Python code that connects the two pipes to file descriptors 3 and 4 and then becomes the browser."""


class Chromium:
    """One page in its own browser; use it in a ``with`` statement.

    Args:
        path: Path of Chromium.
        folder: Folder for the browser's profile.
        width: Width of the window in CSS pixels; it may be as narrow as a phone.
    """

    def __init__(self, path: str, folder: Path, width: int = 1000) -> None:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (theirs_in, theirs_out)]  # keep 3 and 4 free
        words = [path, *FLAGS.split(), f"--user-data-dir={folder / 'profile'}", "about:blank"]
        command = [sys.executable, "-S", "-c", LAUNCH, *map(str, ends), *words]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, pass_fds=ends, stdin=quiet, stdout=quiet, stderr=quiet)
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        self._unread = b""
        self._number = 0
        self._session: dict[str, str] = {}
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = {"sessionId": self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a DevTools command and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params, **self._session}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._in], [], [], 60)
            piece = os.read(self._in, 1 << 20) if ready else b""
            assert piece, "Chromium says nothing more"
            self._unread += piece
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)

    def ask(self, script: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_until(self, script: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not self.ask(f"Boolean({script})"):
            assert time.monotonic() < end, f"{script} did not come; {self.ask('document.body.innerText')[:1500]}"
            time.sleep(0.02)

    def open(self, address: str) -> None:
        self.send("Page.navigate", url=address)
        self.wait_until(f"location.href.startsWith({address!r}) && document.readyState === 'complete'")

    def click(self, selector: str) -> None:
        """Click with the mouse in the middle of an element, which nothing may cover."""
        quoted = json.dumps(selector)
        self.ask(f"document.querySelector({quoted}).scrollIntoView({{block: 'center', inline: 'center'}})")
        box = self.ask(
            f"(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector({quoted}).getBoundingClientRect())"
        )
        hit = f"document.elementFromPoint({box[0]}, {box[1]})?.closest({quoted}) !== null"
        assert self.ask(hit), f"something lies over {selector}"
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def press(self, key: str, code: int = 0) -> None:
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
