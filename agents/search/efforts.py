"""How long a search thinks: the checks of what every game's search is told."""

from typing import Any

import numpy as np

from hanabako.words.checks import shown

__all__ = ["check_effort", "check_number"]


def check_effort(rollouts: Any, budget: Any) -> None:
    """Refuse what is no effort.

    Raises:
        ValueError: both are given, or one is out of range.
    """
    if rollouts is not None and budget is not None:
        raise ValueError("a search takes rollouts or budget, not both")
    check_number("rollouts", rollouts, whole=True)
    check_number("budget", budget, whole=False)


def check_number(name: str, value: Any, whole: bool) -> None:
    """Refuse what is no such number.

    Raises:
        ValueError: it is no number, or not above 0 (a margin: below 0).
    """
    if value is None:
        return
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    least = 0 if name == "margin" else 1 if whole else 1e-9
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < np.inf:
        allowed = "at least 0" if name == "margin" else "an integer of at least 1" if whole else "above 0"
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")
