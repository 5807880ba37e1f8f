"""Fictitious Co-Play: who learns when, which versions become partners, and who sits where."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from hanabako.agents.learning.common.partners import PartnersEnvs
from hanabako.agents.learning.common.ranks import Ranks
from hanabako.agents.learning.fcp import FCP, Args, stage_of
from hanabako.agents.networks.neural_policy import NeuralPolicy
from hanabi_env import PRESETS
from tests.agents.tiny_runs import SMALL

ALONE = Ranks(0, 1, torch.device("cpu"))
CONFIG = replace(PRESETS["mini"], derived=True)
TINY = Args(**SMALL | {"game": "hanabi", "preset": "mini", "population": 2})


def made(**change) -> FCP:
    torch.manual_seed(1)
    args = replace(TINY, **change)
    return FCP(args, PartnersEnvs(CONFIG, args.games, 1, ALONE), ALONE)


def weights_of(network) -> list[torch.Tensor]:
    return [value.clone() for value in network.rounded().state_dict().values()]


def equal(some, others) -> bool:
    return all(torch.equal(one, other) for one, other in zip(some, others, strict=True))


@pytest.mark.parametrize(
    ("fraction", "stage"),
    [(0.0, (0, 0.0)), (0.125, (0, 0.5)), (0.25, (1, 0.0)), (0.375, (1, 0.5)), (0.5, (2, 0.0)), (0.75, (2, 0.5))],
)
def test_players_share_their_part_of_the_budget_and_the_result_has_the_rest(fraction, stage):
    assert stage_of(fraction, 2, 0.5) == stage


def test_each_player_learns_in_its_turn_and_three_versions_of_it_become_partners():
    learner = made()
    fresh = [weights_of(network) for network in learner.players]
    assert not equal(fresh[0], fresh[1]) and not equal(fresh[1], fresh[2]), "each has weights of its own"
    for update in range(16):
        learner.learn(update / 16)
        later = learner.players[learner.stage + 1 :]
        assert all(equal(weights_of(one), now) for one, now in zip(later, fresh[learner.stage + 1 :], strict=True))
        assert len(learner.among.members) == (6 if update >= 8 else 0)
    learned = [weights_of(network) for network in learner.players]
    for k in range(2):
        untrained, _, last = (weights_of(network) for network in learner.population[3 * k :][:3])
        assert equal(untrained, fresh[k]) and equal(last, learned[k]) and not equal(untrained, last)
    assert learner.network is learner.players[2] and not equal(learned[2], fresh[2])
    for member, network in zip(learner.among.members, learner.population, strict=True):
        assert isinstance(member, NeuralPolicy) and not member.greedy
        assert equal(weights_of(member.network), weights_of(network))


def test_schedules_follow_a_players_own_budget_and_partners_always_see_the_last_action():
    """Fractions 0.125 and 0.75 are the middle of the first player's budget and of the last one's."""
    change = {"learning_rate": 1e-3, "learning_rate_end": 0.0, "last_action_ramp": 1.0, "last_action_hidden": 0.0}
    learner = made(**change)
    told: list[float] = []
    collect = learner.collect

    def noted(price: float, visible: float = 1.0) -> torch.Tensor:
        told.append(visible)
        return collect(price, visible)

    learner.collect = noted
    rates = [learner.learn(fraction)["learning_rate"] for fraction in (0.0, 0.125, 0.25, 0.5, 0.75)]
    assert rates == pytest.approx([1e-3, 5e-4, 1e-3, 1e-3, 5e-4])
    assert told == pytest.approx([0.0, 0.5, 0.0, 1.0, 1.0])


@pytest.mark.slow
def test_versions_are_taken_in_equal_parts_of_a_players_budget():
    """The first player has a quarter of the budget, 32 updates: the untrained version, and one every two updates."""
    learner, kept = made(games=64), []
    for update in range(32):
        learner.learn(update / 32 / 4)
        kept.append(len(learner.past))
    assert kept == [1 + update // 2 for update in range(32)]


def test_the_middle_version_is_the_one_nearest_to_half_of_the_last_score():
    learner = made()
    networks = [network.rounded() for network in learner.players]
    learner.past = [(0.0, networks[0]), (2.5, networks[1]), (6.0, networks[2])]
    assert learner.versions()[:2] == networks[:2]


def test_the_result_has_one_seat_of_every_game_that_begins_among_partners():
    learner = made(games=64)
    envs = learner.among
    assert (envs.learners == 3).all(), "a player of the population has every seat"
    learner.learn(0.5)
    envs._sit_down(np.ones(64, np.bool_))
    assert set(envs.learners.tolist()) == {1, 2}
    seats = np.array([seated.seats for seated in envs._seated])
    assert (np.bitwise_or.reduce(seats, axis=0) == 3 - envs.learners).all()
