"""Connections to servers: those on this machine, proxies, and answers that must come in time."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from hanabako.interrupts import TICK, check

__all__ = ["is_here", "through", "within"]

R = TypeVar("R")


def is_here(host: str | None) -> bool:
    """Whether a host is this machine, which is reached without a proxy."""
    return host in ("127.0.0.1", "localhost", "::1")


def through(address: str) -> str:
    """Return the end of a message that names the proxy on the way to an address; "" if there is none."""
    parts, proxies = urlsplit(address), getproxies()
    proxy = proxies.get(parts.scheme, proxies.get("all", ""))
    if not proxy or not parts.hostname or is_here(parts.hostname) or proxy_bypass(parts.hostname):
        return ""
    place = proxy.rpartition("@")[2]  # without a password
    return f" (through the proxy {place}, as {parts.scheme.upper()}_PROXY or ALL_PROXY says and NO_PROXY may change)"


def within(seconds: float, work: Callable[[], R]) -> R:
    """Return the result of ``work``, which runs in a thread; raise ``TimeoutError`` after ``seconds``.

    The thread is abandoned then, and also if the result is no longer wanted, see `hanabako.interrupts.check`.
    """
    future: Future[R] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    end = time.monotonic() + seconds
    while not wait([future], TICK).done:
        check()
        if time.monotonic() > end:
            raise TimeoutError
    return future.result()
