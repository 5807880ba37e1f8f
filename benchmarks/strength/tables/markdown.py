"""The contents of table cells: numbers with errors, agents, and how they were trained."""

from collections.abc import Mapping
from typing import Any

__all__ = ["agent_name", "training_in_words", "with_error"]


def with_error(value: float, error: float, digits: int = 2) -> str:
    """Format a mean with its standard error; an error that would be printed as 0 gets a digit more."""
    digits += 0 < error < 0.5 * 10**-digits
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def features_of(result: Mapping[str, Any]) -> str:
    """Return the features of the networks of an evaluation; earlier results tell them as an observation."""
    told = result.get("features", ["derived" if result["observation"].endswith("+derived") else None])
    return ", ".join(dict.fromkeys(filter(None, told)))


def seen(result: Mapping[str, Any]) -> str:
    """Return what was observed in an evaluation, and the features of the networks."""
    observation, features = result["observation"].removesuffix("+derived"), features_of(result)
    return f"{observation}; features {features}" if features else observation


def agent_name(name: str) -> str:
    """Return an agent's name in tables. The network of a run is called PPO; its training distinguishes it."""
    return "PPO" if name.endswith(".safetensors") else name


def training_in_words(about: Mapping[str, Any]) -> str:
    """Describe a network's training from its file's ``about``: decisions, cost, start, and processor."""
    where = f", {about['processor']}" if "processor" in about else ""
    began = f", begun {about['began']}" if "began" in about else ""
    if about.get("processor", "").startswith("a GPU"):
        cost = f"{about['seconds'] / 60:.0f} minutes"
    else:
        seconds = about["core_seconds"] if "core_seconds" in about else about["seconds"] * about["ranks"]
        cost = f"{seconds / 60:.0f} core-minutes"
    return f"{about['steps'] / 1e6:.0f} M decisions in {cost}{began}{where}"
