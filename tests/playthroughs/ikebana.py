"""Ikebana's playthroughs: how its players choose, and the table in lines."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ikebana_env.render import sample_action, table_ansi, view_of


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
