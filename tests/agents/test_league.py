"""A league of past versions: when members join, who plays whom, and what a best response earns.

No competitive game of this package is small enough to solve: the smallest, a round of Ikebana for two, begins with 55
hidden cards. Only what can be known exactly is tested: the seating, and that members are the network as it was.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from hanabako.agents.learning import league, ppo
from hanabako.agents.learning.common.ranks import Ranks
from hanabako.agents.learning.league import Args, League
from hanabako.agents.networks.neural_policy import NeuralPolicy
from hanafuda_env import PRESETS
from tests.agents.tiny_runs import SMALL

ALONE = Ranks(0, 1, torch.device("cpu"))
CONFIG = replace(PRESETS["document"], rounds=1)

TINY = Args(**SMALL | {"preset": "document"})


def test_members_join_evenly_and_are_the_network_as_it_was():
    envs = TINY.make_envs(CONFIG, ALONE)
    learner = League(TINY, envs, ALONE)
    noted: list[dict[str, torch.Tensor]] = []
    for update in range(2 * league.SNAPSHOTS):
        before = {name: value.clone() for name, value in learner.network.rounded().state_dict().items()}
        row = learner.learn(update / (2 * league.SNAPSHOTS))
        noted += [before] if update and update % 2 == 0 else []
        assert row["league"] == len(envs.members) == update // 2
    for member, then in zip(envs.members, noted, strict=True):
        assert isinstance(member, NeuralPolicy) and not member.greedy
        for name, value in member.network.state_dict().items():
            assert torch.equal(value, then[name])


@pytest.mark.statistical
def test_half_of_the_games_are_self_play_and_members_meet_alike():
    """2,000 games among two members have shares within 5 standard errors; false alarms are below 1e-5."""
    envs = replace(TINY, games=2000).make_envs(CONFIG, ALONE)
    assert (envs.learners == 3).all(), "no one else is there"
    network = ppo.PPO(ppo.Args(game="koikoi", width=8), envs, ALONE).network
    for _ in range(2):
        envs.admit(NeuralPolicy(network, CONFIG, greedy=False))
    envs._sit_down(np.ones(2000, np.bool_))
    alone = envs.learners == 3
    assert abs(alone.mean() - league.SELF_PLAY / 100) < 5 * (0.25 / 2000) ** 0.5
    first, second = (seated.seats for seated in envs._seated)
    assert ((first | second)[alone] == 0).all()
    assert ((first | second)[~alone] == 3 - envs.learners[~alone]).all()
    assert abs((first[~alone] != 0).mean() - 0.5) < 5 * (0.25 / (~alone).sum()) ** 0.5
