"""Run checks up to their goals, or for a while, and continue later. Ctrl-C is fine at any time."""

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated

import tyro

from tests.proof import pages
from tests.proof.records import Record


@dataclass
class Args:
    """Run checks of the long proof."""

    checks: Annotated[tuple[str, ...], tyro.conf.Positional] = pages.CHECKS
    """The checks to run; ``pages`` only writes docs/proof.md."""
    seconds: float = float("inf")
    """Seconds of wall time for each check; by default until its goal is reached."""


def main(args: Args) -> None:
    """Run the checks one after the other and write the page."""
    wrong = [name for name in args.checks if name not in (*pages.CHECKS, "pages")]
    if wrong:
        raise SystemExit(f"there is no check {wrong[0]!r}: of {', '.join(pages.CHECKS)}, or pages")
    failures = []
    for name in args.checks:
        if name != "pages":
            record = Record.open(name)
            import_module(f"tests.proof.{name}").run(record, args.seconds)
            failures += [f"{name}: {words}" for words in record.failures]
    pages.write()
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main(tyro.cli(Args))
