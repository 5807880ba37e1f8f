"""How playthroughs of Ikebana are written and their moves chosen."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ikebana_env.drawing.render import table_ansi, view_of


def end_line(env: Any) -> str:
    state = env.unwrapped.to_dict()
    return f"end: winners {state['winners']}, prestige {state['prestige']}"


def choose(env: Any, rng: np.random.Generator) -> int:
    """Choose moves worth reading: collect equal values."""
    words = [
        env.unwrapped.action_to_str(int(k)) for k in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
    ]
    chance = random.Random(int(rng.integers(2**32)))
    return env.unwrapped.str_to_action(chosen_words(env.unwrapped.to_dict(), words, chance))


def chosen_words(position: Mapping[str, Any], legal: Sequence[str], rng: random.Random) -> str:
    """Buy or keep cards of a value that the bouquet has, and refuse others while that is cheap."""
    player, players = position["current_player"], len(position["bouquets"])
    values = {card[1] for card in position["bouquets"][player]}
    for action in legal:
        verb, *offset = action.split()
        if verb == "buy" and position["discards"][(player + int(offset[0])) % players][-1][1] in values:
            return action
    if "refuse" in legal and position["drawn"][1] not in values and rng.random() < 0.7 / (1 + position["refusals"]):
        return "refuse"
    return legal[0]


def table_lines(env: Any) -> list[str]:
    """Return lines for the whole table, all cards visible."""
    return table_ansi(view_of(env.unwrapped.to_dict(), env.unwrapped.config)).splitlines()
