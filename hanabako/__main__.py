"""The entry point of ``python -m hanabako`` and of the command ``hanabako``: see ``agents.commands.command_line``."""

import importlib

from .interrupts import at_once, interruptible

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    with interruptible():
        with at_once():
            module = importlib.import_module("hanabako.agents.commands.command_line")
        module.main()


if __name__ == "__main__":
    main()
