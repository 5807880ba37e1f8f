"""The command line that repeats a measurement, for its result."""

import shlex
from dataclasses import fields
from typing import Any


def command_of(module: str, args: Any, *positional: str) -> str:
    """Return the command line of a module with those settings of ``args``, a dataclass, that are not the defaults."""
    words, usual = ["python", "-m", module, *positional], type(args)()
    for field in fields(args):
        value = getattr(args, field.name)
        if value != getattr(usual, field.name):
            values = value if isinstance(value, tuple | list) else () if value is True else (value,)
            words += [f"--{field.name.replace('_', '-')}", *map(str, values)]
    return shlex.join(words)
