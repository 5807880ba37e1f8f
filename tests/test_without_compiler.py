"""Every environment runs as plain Python with ``NUMBA_DISABLE_JIT=1`` and plays the same games."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from .games import GAMES, GameUnderTest, legal_action, legal_actions, short_name


def played(under_test: GameUnderTest) -> str:
    """Return a digest of everything that a vector environment and `raw_env` show in some random games."""
    digest = hashlib.sha256()
    rng = np.random.default_rng(5)
    envs = under_test.vector(3)
    observation = envs.reset(seed=5)[0]
    for _ in range(20):
        observation, rewards, terminations, _, infos = envs.step(legal_actions(observation["action_mask"], rng))
        for array in (*observation.values(), rewards, terminations, infos["current_player"], infos["rewards"]):
            digest.update(array.tobytes())
    digest.update(envs.observe_all()["observation"].tobytes())
    single = under_test.raw_env(**under_test.short)
    single.reset(seed=5)
    while single.agents and not all(single.terminations.values()):
        observation = single.last()[0]
        single.step(legal_action(observation["action_mask"], rng))
        digest.update(observation["observation"].tobytes() + repr(single.rewards).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("under_test", GAMES, ids=short_name)
def test_plain_python_plays_the_same_games(under_test: GameUnderTest):
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", __name__, under_test.name]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    interpreted = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    assert interpreted.returncode == 0, interpreted.stderr
    assert interpreted.stdout.strip() == played(under_test)


if __name__ == "__main__":
    print(played(next(under_test for under_test in GAMES if under_test.name == sys.argv[1])))
