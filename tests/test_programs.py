"""Every game plays the same in plain Python, compiled for all rules, and compiled for one set of rules."""

import sys
from typing import Any

import numpy as np
import pytest

from hanabako.compiler.digest import digest_of
from hanabako.engine.loops import compiled_loops
from hanabako.engine.turns import random_move

from .games import EVERY_GAME, GameUnderTest, legal_action
from .interpreted import Interpreted
from .processes import ran
from .soak import digests
from .test_contract import EVERY_CONFIG
from .test_vector_contract import assert_same, roll


@EVERY_CONFIG
def test_plain_python_and_compiled_code_play_the_same_games(
    under_test: GameUnderTest, fields: dict[str, Any], full: bool
) -> None:
    """Deals, positions, observations of every seat, masks, rewards and ends agree over several episodes."""
    env, rng = under_test.raw_env(**fields), np.random.default_rng(7)
    plain = Interpreted(env.game)
    env.reset(seed=7, options={"game_index": 11})
    episode = 0
    plain.begin(seed=7, index=11, episode=episode)
    for _ in range(200 if full else 80):
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


def test_environments_run_without_the_compiler() -> None:
    """With ``NUMBA_DISABLE_JIT=1``, which allows breakpoints, the games are those on record."""
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", digests.__name__, *digests.FEW]
    done = ran(command, NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.slow
@EVERY_GAME
def test_general_and_special_programs_play_the_same_games(under_test: GameUnderTest) -> None:
    """A program that reads its rules at run time plays the same games as one that is compiled for these rules."""
    general, specialize = (
        under_test.vector(40, observation="packed", specialize=specialize) for specialize in (False, True)
    )
    assert_same(roll(general, 60, seed=3), roll(specialize, 60, seed=3))


@EVERY_GAME
def test_every_loop_is_keyed_by_the_digest_of_its_sources(under_test: GameUnderTest) -> None:
    """Every loop closes over the digest of its sources.

    Numba's disk cache keys a loop by what it closes over. Without the digest, an edited rule would run in its old form.
    """
    game = under_test.vector(1).game
    digest = digest_of(game.functions, compiled_loops)
    with_choice = digest_of(game.functions, compiled_loops, random_move)
    for specialize in (False, True):
        for name, loop in game.loops(specialize)._asdict().items():
            numbers = {value for value in closed_over(loop.py_func) if isinstance(value, int)}
            assert {digest, with_choice} & numbers, name


def closed_over(function: Any) -> list[Any]:
    """Return everything that a function, or a function in its closure, closes over."""
    contents = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    return contents + [inner for content in contents if callable(content) for inner in closed_over(content)]
