"""A warning where a fault of an older Gymnasium, which is mended in a later one, would give wrong numbers."""

import sys
import warnings

import gymnasium
from gymnasium.vector import AutoresetMode

__all__ = ["warn_of_statistics"]


def warn_of_statistics(mode: AutoresetMode) -> None:
    """Warn if a vector environment in ``mode`` is being reset through a wrapper that records wrong statistics.

    Before Gymnasium 1.4, ``RecordEpisodeStatistics`` leaves out the first step of each further game in SAME_STEP.
    """
    if mode != AutoresetMode.SAME_STEP or tuple(map(int, gymnasium.__version__.split(".")[:2])) >= (1, 4):
        return
    frame = sys._getframe()
    while frame := frame.f_back:
        if frame.f_globals.get("__name__") == "gymnasium.wrappers.vector.common":
            warnings.warn(
                f"RecordEpisodeStatistics of Gymnasium {gymnasium.__version__} records wrong lengths and returns in "
                'SAME_STEP: use Gymnasium 1.4, autoreset_mode="NextStep", or the length and returns in infos',
                stacklevel=2,
            )
            return
