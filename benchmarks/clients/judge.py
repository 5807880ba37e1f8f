"""Time a recipe: run it, and print how many decisions it made in how many seconds, as JSON.

python -m benchmarks.clients.judge docs/recipes/sb3_vector.py   # in an environment that has the recipe's library
"""

import json
import runpy
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hanabako.envs.aec import CardGameAEC
from hanabako.envs.vector import CardGameVectorEnv
from hanabako.envs.vector_seat import VectorSeatEnv
from hanabako.program import in_a_sentence

__all__ = ["timed"]


class Meter:
    """Counts decisions after the first step, which compiles the game or loads it, and knows when that step ended."""

    def __init__(self) -> None:
        self.steps = 0
        self.began = 0.0

    def counting(self, step: Any) -> Any:
        """Return the method ``step`` of an environment, which counts its calls here."""

        def counted(env: Any, *arguments: Any) -> Any:
            result = step(env, *arguments)
            if self.began:
                self.steps += getattr(env, "num_envs", 1)
            else:
                self.began = time.perf_counter()
            return result

        return counted


def timed(recipe: Path) -> dict[str, Any]:
    """Run a recipe; return its ``steps``, decisions at all tables, and the ``seconds`` until its end, with learning."""
    meter = Meter()
    with ExitStack() as patches:
        for kind in (CardGameAEC, CardGameVectorEnv, VectorSeatEnv):
            patches.enter_context(patch.object(kind, "step", meter.counting(kind.step)))
        runpy.run_path(str(recipe), run_name="__main__")
    if not meter.steps:
        raise ValueError(f"{recipe.name} makes no decision in this process after the first")
    return {"steps": meter.steps, "seconds": time.perf_counter() - meter.began}


if __name__ == "__main__":
    with in_a_sentence("judge"):
        if len(sys.argv) != 2:
            raise ValueError(f"it takes a recipe, got {len(sys.argv) - 1} words")
        print(json.dumps(timed(Path(sys.argv[1]))))
