"""What stands in the cells of tables: numbers with their errors, agents, and how they were trained."""

from collections.abc import Mapping
from typing import Any

__all__ = ["agent_name", "training_in_words", "with_error"]


def with_error(value: float, error: float, digits: int = 2) -> str:
    """A mean with its standard error."""
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def agent_name(name: str) -> str:
    """What a table calls an agent. The network of a run is PPO: its training tells it from others."""
    return "PPO" if name.endswith(".safetensors") else name


def training_in_words(about: Mapping[str, Any]) -> str:
    """How a network came to be, by what its file says ``about`` it: decisions, cost, how it began, and where."""
    where = f", {about['processor']}" if "processor" in about else ""
    began = f", begun {about['began']}" if "began" in about else ""
    cost = about["core_seconds"] if "core_seconds" in about else about["seconds"] * about["ranks"]
    return f"{about['steps'] / 1e6:.0f} M decisions in {cost / 60:.0f} core-minutes{began}{where}"
