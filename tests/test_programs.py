"""Every game's program on every machine: plain Python, compiled for all tables, compiled for one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .houses import HOUSES, House, legal_action, table_name, tables
from .interpreted import Interpreted
from .test_vector_contract import assert_same, roll

GAMES = pytest.mark.parametrize("house", HOUSES, ids=table_name)
TABLES = pytest.mark.parametrize(("house", "table"), tables(), ids=table_name)
STEPS = 200


@TABLES
def test_plain_python_and_compiled_code_play_the_same_games(house: House, table: dict[str, Any]) -> None:
    """Deals, positions, observations of every seat, masks, rewards and ends, from episode to episode."""
    env, rng = house.raw_env(**table), np.random.default_rng(7)
    plain = Interpreted(env.game)
    env.reset(seed=7, options={"game_index": 11})
    episode = 0
    plain.begin(seed=7, index=11, episode=episode)
    for _ in range(STEPS):
        assert env.to_dict() == plain.to_dict()
        assert plain.is_over == all(env.terminations.values())
        if plain.is_over:
            env.reset()
            episode += 1
            plain.begin(seed=7, index=11, episode=episode)
        for player, agent in enumerate(env.possible_agents):
            assert env.observe(agent)["observation"].tolist() == plain.observation(player)
        mask = env.observe(env.agent_selection)["action_mask"]
        assert mask.tolist() == plain.mask()
        action = legal_action(mask, rng)
        env.step(action)
        assert plain.act(action) == [env.rewards[agent] for agent in env.possible_agents]


@GAMES
def test_general_and_special_programs_play_the_same_games(house: House) -> None:
    """Whether a program reads its rules at run time or was compiled for them makes no difference."""
    general, special = (house.vector(40, observation="packed", special=special) for special in (False, True))
    assert_same(roll(general, 60, seed=3), roll(special, 60, seed=3))


@GAMES
def test_every_loop_is_keyed_by_the_digest_of_its_sources(house: House) -> None:
    """Numba's disk cache keys a loop by what it closes over: without the digest an edited rule would run as it was."""
    game = house.vector(1).game
    for special in (False, True):
        for name, loop in game.loops(special)._asdict().items():
            assert game.rules.source_digest in closed_over(loop.py_func), name


def closed_over(function: Any) -> list[Any]:
    """Everything a function and the functions in its closure close over."""
    contents = [cell.cell_contents for cell in function.__closure__ or ()]
    return contents + [inner for content in contents if callable(content) for inner in closed_over(content)]
