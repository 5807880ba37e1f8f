"""Tables in Markdown, and numbers in their cells."""

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["agent_name", "table", "with_error"]


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a line per row; cells are written as text."""
    return "\n".join([line(head), "|" + "---|" * len(head), *map(line, rows)])


def line(cells: Iterable[Any]) -> str:
    """One line of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"


def with_error(value: float, error: float, digits: int = 2) -> str:
    """A mean with its standard error."""
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def agent_name(name: str) -> str:
    """What a table calls an agent. The network of a run is PPO: its training tells it from others."""
    return "PPO" if name.endswith(".safetensors") else name
