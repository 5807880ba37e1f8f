"""Random legal steps in every game, preset and number of players, with the invariants checked after each step."""

import numpy as np

from tests.games import GAMES
from tests.soak.configs import Entry, entries, random_actions
from tests.soak.invariants import SENTENCES, checker

PROMISE = "every step of every configuration keeps mask, bits, rewards, scores, knowledge, and all cards"
UNIT = "steps"
TABLES, STEPS = 2048, 256
"""Games side by side, and steps of each game in a part."""
ROWS = {game.name: 8 * len(entries(game.name)) for game in GAMES}


def play(game: str, part: int) -> tuple[int, list[str]]:
    own = entries(game)
    return play_slice(own[part % len(own)], part)


def play_slice(entry: Entry, seed: int, tables: int = TABLES, steps: int = STEPS) -> tuple[int, list[str]]:
    """Play some steps of new games, until a fault."""
    envs = entry.vector(tables, observation="packed", copy=False, specialize=False)
    observation, _ = envs.reset(seed=seed)
    nothing, check = np.zeros_like(observation["observation"]), checker(entry.under_test.name, entry.config)
    for t in range(steps):
        actions = random_actions(observation["action_mask"], seed, 0, t)
        observation, _, terminated, _, infos = envs.step(actions)
        final = infos["final_obs"]["observation"] if terminated.any() else nothing
        where, fault = check(envs.tables, observation["action_mask"], observation["observation"], final)
        if fault:
            return t * tables, [f"{entry.name}, seed {seed}, table {where}, step {t}: {SENTENCES[fault]}"]
    return steps * tables, []
