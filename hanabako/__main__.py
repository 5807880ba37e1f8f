"""``python -m hanabako`` and the command ``hanabako``: see the agents' module ``commands.command_line``."""

import importlib

from .interrupts import interruptible

__all__ = ["main"]


def main() -> None:
    """The command line."""
    with interruptible():
        importlib.import_module("hanabako.agents.commands.command_line").main()


if __name__ == "__main__":
    main()
