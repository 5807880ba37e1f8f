"""Configurations for comparing our game with others; the Learning Environment and OpenSpiel accept every one.

`COMPILED` run in the compiled environment and cost one compilation each; `MANY` run the same rules as plain Python.
"""

from typing import Any

COMPILED: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 3},
    {"players": 4},
    {"players": 5},
    {"colors": 2, "hand_size": 2, "max_information_tokens": 3, "max_life_tokens": 1},
    {"colors": 3, "ranks": 3, "hand_size": 3, "max_information_tokens": 5},
]

MANY: list[dict[str, Any]] = [
    *COMPILED,
    {"players": 2, "observation_type": "minimal"},
    {"players": 3, "observation_type": "seer"},
    {"players": 4, "colors": 3, "observation_type": "minimal"},
    {"players": 5, "hand_size": 2, "observation_type": "seer"},
    {"colors": 1, "hand_size": 2, "max_information_tokens": 3, "max_life_tokens": 1},
    {"colors": 1, "ranks": 1, "hand_size": 1},
    {"colors": 1, "ranks": 2, "hand_size": 2},
    {"colors": 1, "ranks": 5, "hand_size": 5},  # the whole deck is dealt: the last round begins at once
    {"colors": 2, "ranks": 5, "hand_size": 8},
    {"colors": 4, "ranks": 1, "players": 4, "hand_size": 3},
    {"colors": 5, "ranks": 1, "players": 5, "hand_size": 3},
    {"ranks": 1},
    {"ranks": 2, "hand_size": 8},
    {"ranks": 3, "players": 5, "max_life_tokens": 10},
    {"ranks": 4, "players": 3, "hand_size": 7},
    {"colors": 4, "players": 2, "hand_size": 1},
    {"players": 5, "hand_size": 1},
    {"players": 2, "hand_size": 8},
    {"max_information_tokens": 0},
    {"max_information_tokens": 1, "max_life_tokens": 50},
    {"players": 3, "hand_size": 6, "max_information_tokens": 12, "max_life_tokens": 7},
]


def name(table: dict[str, Any]) -> str:
    """Return a configuration as a test id."""
    return "-".join(f"{field}={value}" for field, value in table.items())
