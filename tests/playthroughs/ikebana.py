"""Ikebana's part of the playthroughs."""

import random
from typing import Any

import numpy as np

from ikebana_env.drawing.render import sample_action, table_ansi, view_of


def end_line(env: Any) -> str:
    """How the game ended."""
    state = env.unwrapped.to_dict()
    return f"end: winners {state['winners']}, prestige {state['prestige']}"


def choose(env: Any, rng: np.random.Generator) -> int:
    """Choose for a game worth reading: collect equal values."""
    words = [
        env.unwrapped.action_to_str(int(k)) for k in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
    ]
    chance = random.Random(int(rng.integers(2**32)))
    return env.unwrapped.str_to_action(sample_action(env.unwrapped.to_dict(), words, chance))


def table_lines(env: Any) -> list[str]:
    """The whole table as everybody's cards lie."""
    return table_ansi(view_of(env.unwrapped.to_dict(), env.unwrapped.config)).splitlines()
