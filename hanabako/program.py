"""How programs end: an error as one sentence with exit status 1, Ctrl-C with status 130, both without a traceback.

If the reader of the output has closed it (``| head``), a program ends silently, with status 141.
"""

import importlib
import io
import os
import re
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from subprocess import CalledProcessError, SubprocessError
from typing import Any

from .interrupts import INTERRUPTED, Interrupted, interruptible, say_interrupted
from .words.cleaned import on_terminal
from .words.ranges import check_ranges

__all__ = ["in_a_sentence", "read_words", "run_program", "sentence"]

CLOSED = 141
"""The exit status when the output is closed, as shells give it for SIGPIPE."""
TOO_LARGE = ("allocate", "bad_alloc", "out of memory")
"""Texts in the messages of errors that come from a lack of memory."""


@contextmanager
def in_a_sentence(name: str) -> Iterator[None]:
    """End the process with a one-sentence message if the block fails for a reason outside the program.

    Such reasons are wrong values, files, a lack of memory, and other programs that fail. The message begins with the
    program's ``name``. All other errors pass. From now on the output has a question mark for a character that its
    encoding lacks, such as the sign ± in ASCII.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        yield
    except Interrupted as error:
        print(error, file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    except KeyboardInterrupt:
        say_interrupted()
        raise SystemExit(INTERRUPTED) from None
    except CalledProcessError as error:
        said = str(error.stderr or "").strip().splitlines()
        raise SystemExit(f"{name}: {sentence(error)}{f' It says: {said[-1]}' if said else ''}") from error
    except (ImportError, OSError, SubprocessError, ValueError) as error:
        if isinstance(error, BrokenPipeError) and output_is_closed():
            raise SystemExit(CLOSED) from None
        raise SystemExit(f"{name}: {sentence(error)}") from error
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, MemoryError) or any(words in str(error) for words in TOO_LARGE):
            raise SystemExit(f"{name}: there is not enough memory: {sentence(error)}") from error
        raise


def output_is_closed() -> bool:
    """Whether the reader of the output has ended, as ``head`` does; if so, what is still to be written is dropped."""
    try:
        place = sys.stdout.fileno()
    except (OSError, ValueError):
        return False
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(place, 0)
        if not any(event & select.POLLERR for _, event in poll.poll(0)):
            return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), place)
    return True


def sentence(error: BaseException) -> str:
    """Return an error's message as one line to print, without the number of an `OSError`, which tells users nothing."""
    said = re.sub(r"^\[Errno -?\d+\] ", "", str(error)) if isinstance(error, OSError) else str(error)
    return on_terminal(" ".join(said.split())) or type(error).__name__


def run_program(
    work: Callable[[Any], Any], kind: type, module: str, about: str | None, words: Sequence[str] | None = None
) -> None:
    """Run ``work``, which takes an object of the dataclass ``kind``, as the program ``python -m module``.

    ``about`` describes it for ``--help``; the ``words`` of the command line are by default those of this process. For
    the ``SystemExit`` that ends it see `in_a_sentence` and `read_words`.
    """
    with in_a_sentence(module.rpartition(".")[2]), interruptible() if words is None else nullcontext():
        work(read_words(kind, f"python -m {module}", about, sys.argv[1:] if words is None else words))


def read_words(kind: type, prog: str, about: str | None, words: Sequence[str]) -> Any:
    """A command line as the dataclass ``kind``.

    Raises:
        ValueError: a word is empty, which a path would take for the current folder; an option with several values, of
            which the last would count, is given twice; or see `check_ranges`.
        SystemExit: the words are none of its options, or ask for help.
    """
    for before, word in zip(("", *words), words, strict=False):
        if not word or (word.startswith("--") and word.endswith("=")):
            option = word or before
            name = option.removesuffix("=") if option.startswith("-") else "a word of the command line"
            raise ValueError(f"{name} must not be empty")
    for option in ("--config", "--training", "--search", "--where", "--partners", "--loggers", "--seats"):
        if sum(word.partition("=")[0] == option for word in words) > 1:
            raise ValueError(f"{option} must be given once, with all its values after it")
    tyro = importlib.import_module("tyro")
    args = tyro.cli(
        kind, args=words, description=about, prog=prog, config=(tyro.conf.DisallowNone, tyro.conf.OmitArgPrefixes)
    )
    check_ranges(args)
    return args
