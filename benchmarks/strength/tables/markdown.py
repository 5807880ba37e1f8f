"""The contents of table cells: numbers with errors, agents, and how they were trained."""

from collections.abc import Mapping
from typing import Any

__all__ = ["agent_name", "training_in_words", "with_error"]


def with_error(value: float, error: float, digits: int = 2) -> str:
    """Format a mean with its standard error; an error that would be printed as 0 gets a digit more."""
    digits += 0 < error < 0.5 * 10**-digits
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def seen(result: Mapping[str, Any]) -> str:
    """Return what a result of `evaluate` says of the observation, and the features of the networks."""
    observation, told = result["observation"].removesuffix("+derived"), result.get("features", ["derived"])
    earlier = observation != result["observation"]  # when features were a part of the observation
    features = dict.fromkeys(filter(None, told)) if earlier or "features" in result else ()
    return "; ".join([observation, *(f"features {name}" for name in features)])


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
