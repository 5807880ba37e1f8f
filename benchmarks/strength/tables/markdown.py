"""The contents of table cells: how networks were trained."""

from collections.abc import Mapping
from typing import Any

__all__ = ["features_of", "training_in_words"]


def features_of(metadata: Mapping[str, Any]) -> str:
    """Return the features of a network, from the metadata of its file or of a result."""
    return metadata.get("network", metadata).get("features", "none")


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
