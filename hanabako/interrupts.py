"""Handling of Ctrl-C: it ends a command within two seconds and keeps what is finished; a second one ends it at once.

A command runs inside `interruptible`. Work in threads is started by `in_threads` and calls `check` between its steps.
Code that needs longer, such as to save a run, handles the signal itself (`handling`, `patient`). Processes that are
slow to start are started in `held_back` or `undisturbed`; those that play for another one call `follow_parent`.
"""

import atexit
import math
import os
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, NoReturn, TypeVar

__all__ = [
    "INTERRUPTED",
    "PARENT",
    "Interrupted",
    "at_once",
    "check",
    "end_with_parent",
    "follow_parent",
    "handling",
    "held_back",
    "in_threads",
    "interruptible",
    "patient",
    "say_interrupted",
    "undisturbed",
]

GRACE = 1.0
"""Seconds after Ctrl-C until a process ends that is still in compiled code, or whose threads are."""
TICK = 0.1
"""Seconds between two checks of the clock and of the parent process."""
INTERRUPTED = 130
"""The exit status after Ctrl-C, as in shells: 128 plus the signal's number."""
CAN_BLOCK = hasattr(signal, "pthread_sigmask")
"""Whether this system can block signals; Windows cannot."""

T = TypeVar("T")
R = TypeVar("R")

_here = threading.local()


class Interrupted(SystemExit):
    """Work was interrupted, and its message says how to continue it. The program ends with status `INTERRUPTED`."""


# --- Threads ----------------------------------------------------------------------------------------------------------


def in_threads(work: Callable[[T], R], items: Iterable[T], threads: int) -> list[R]:
    """Call ``work`` for all items in ``threads`` threads, and return the results in the order of the items.

    If a call fails or the caller is interrupted, the error is raised, and the other calls end at their next `check`.
    They are not waited for.
    """
    stopped = threading.Event()
    pool = ThreadPoolExecutor(threads, initializer=setattr, initargs=(_here, "stopped", stopped))
    try:
        futures = [pool.submit(work, item) for item in items]
        for future in wait(futures, return_when=FIRST_EXCEPTION).done:
            future.result()  # or what it raises
        return [future.result() for future in futures]
    finally:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)


def check() -> None:
    """Raise KeyboardInterrupt to end this thread's work if its result is no longer wanted."""
    stopped = getattr(_here, "stopped", None)
    if stopped is not None and stopped.is_set():
        raise KeyboardInterrupt


# --- Processes --------------------------------------------------------------------------------------------------------


@contextmanager
def interruptible() -> Iterator[None]:
    """Run a command's work in this block: the first Ctrl-C raises KeyboardInterrupt, a second one ends the process.

    After Ctrl-C or SIGTERM, the process ends when the block ends; after Ctrl-C, in `GRACE` seconds at the latest,
    whatever its threads do. If Ctrl-C is ignored, as in jobs that a script starts in the background, nothing changes.
    """
    is_usual = is_main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_usual or os.name == "nt":  # Windows cannot wait for a pipe: there Ctrl-C is Python's own
        yield
        return
    goes_on, signalled = False, threading.Event()
    received, sent = os.pipe()
    os.set_blocking(sent, False)

    def interrupt(*_: Any) -> None:
        nonlocal goes_on
        goes_on = True  # threads may be at work, which Python waits for at its end
        sys.unraisablehook = pass_over_interrupts
        warnings.simplefilter("ignore")  # such as the compiler's, that what it was at cannot be kept
        raise KeyboardInterrupt

    _here.interrupt = interrupt
    signal.signal(signal.SIGINT, interrupt)
    signal.set_wakeup_fd(sent, warn_on_full_buffer=False)
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))  # else one Ctrl-C would count once a process
    threading.Thread(target=watch, args=(received, interrupt, signalled), daemon=True).start()
    try:
        let_through()
        yield
        if signalled.is_set():
            end(0)
        goes_on = False
    except KeyboardInterrupt:
        say_interrupted()
        end(INTERRUPTED)
    except SystemExit as ended:
        if signalled.is_set() and isinstance(ended.code, int):
            end(ended.code)
        raise
    finally:
        if not goes_on:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.close(sent)


def pass_over_interrupts(unraisable: "sys.UnraisableHookArgs") -> None:
    """Say nothing of a Ctrl-C that came while C called Python, as the compiler does: nothing can handle it there.

    The process ends after `GRACE`.
    """
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def say_interrupted() -> None:
    """Say that the work was interrupted, on a line of its own; `Interrupted` also says how to continue.

    Of several processes that ``torchrun`` has started, the first one says it.
    """
    if os.environ.get("RANK", "0") != "0":
        return
    with suppress(OSError, ValueError):  # nothing reads it, or it is closed
        print("\nInterrupted." if sys.stderr.isatty() else "Interrupted.", file=sys.stderr, flush=True)


def end(status: int) -> NoReturn:
    """End this process now; to take torch apart, as Python does at its end, costs most of a second."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nothing reads it, or it is closed
            stream.flush()
    os._exit(status)


def leave(*_: Any) -> NoReturn:
    """End this process now, whatever it is at; usable as a handler."""
    say_interrupted()
    os._exit(INTERRUPTED)


def watch(signals: int, interrupt: Callable[..., None], signalled: threading.Event) -> None:
    """End the process at a second Ctrl-C, `GRACE` after the first if ``interrupt`` handles it, or with its parent.

    Sets ``signalled`` at the first signal. The end of a parent matters only after that. This thread reads signals from
    the file ``signals`` as they come; the main thread, which handles them, may be in compiled code for minutes.
    """
    presses, latest, parent = 0, math.inf, 0
    while True:
        if select.select([signals], [], [], TICK if signalled.is_set() else None)[0]:
            number = os.read(signals, 1)
            if not number:  # it is closed
                os.close(signals)
                return
            presses += number[0] == signal.SIGINT
            if number[0] in (signal.SIGINT, signal.SIGTERM) and not signalled.is_set():
                parent = os.getppid()
                signalled.set()
                if signal.getsignal(signal.SIGINT) is interrupt:
                    latest = time.monotonic() + GRACE
        if signalled.is_set() and (presses > 1 or time.monotonic() > latest):
            leave()
        if signalled.is_set() and os.getppid() != parent:
            os._exit(INTERRUPTED)


@contextmanager
def held_back() -> Iterator[None]:
    """Block Ctrl-C for processes that are started in this block, until they are ready and enter `interruptible`.

    Earlier, while they import modules, Ctrl-C would print a traceback. This process still receives it through any of
    its other threads.
    """
    if not CAN_BLOCK:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_through() -> None:
    """End what `held_back` began in the process that started this one: a Ctrl-C that has waited comes now."""
    if CAN_BLOCK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def follow_parent() -> None:
    """End this worker process when its parent ends, and leave Ctrl-C to the parent, which passes it on as SIGTERM."""
    os.setsid()  # so that the terminal does not tell it too
    parent = os.getppid()
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which drops a Ctrl-C that has waited
    let_through()
    signal.signal(signal.SIGINT, former)
    without(parent, lambda: os._exit(INTERRUPTED))


def without(parent: int, act: Callable[[], object]) -> None:
    """Call ``act`` in a thread when the process ``parent`` is no longer this one's parent."""

    def follow() -> None:
        while os.getppid() == parent:
            time.sleep(TICK)
        act()

    threading.Thread(target=follow, daemon=True).start()


PARENT = "HANABAKO_PARENT"
"""The environment variable by which a process tells the one that it starts to end with it."""


def end_with_parent() -> None:
    """Interrupt this process, as SIGTERM does, when the process that started it with `PARENT` set ends."""
    parent = os.environ.pop(PARENT, None)
    if parent is not None:
        without(int(parent), lambda: os.kill(os.getpid(), signal.SIGTERM))


# --- Handlers ---------------------------------------------------------------------------------------------------------


@contextmanager
def handling(
    handler: Callable[[int, Any], None], numbers: Iterable[int] = (signal.SIGINT, signal.SIGTERM)
) -> Iterator[None]:
    """Let ``handler`` have Ctrl-C and SIGTERM while the block runs (only a process's main thread can)."""
    if not is_main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


@contextmanager
def at_once() -> Iterator[None]:
    """Let Ctrl-C end a command at once while it imports modules, whose code in C may abort or go on with an error.

    Outside `interruptible`, as in notebooks, nothing changes.
    """
    is_command = signal.getsignal(signal.SIGINT) is getattr(_here, "interrupt", leave)
    with handling(leave, [signal.SIGINT]) if is_command else nullcontext():
        yield


@contextmanager
def patient() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block at the first Ctrl-C or SIGTERM, and let it take the time that it needs."""
    signalled = False

    def tell(*_: Any) -> None:
        nonlocal signalled
        if not signalled:
            signalled = True
            raise KeyboardInterrupt

    with handling(tell):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM to the end of this block, and for processes started in it until they are ready."""
    received: list[int] = []
    with handling(lambda number, _: received.append(number)), held_back():
        yield
    if received:
        signal.raise_signal(received[0])


def is_main_thread() -> bool:
    """Whether this thread is the one that handles signals."""
    return threading.current_thread() is threading.main_thread()
