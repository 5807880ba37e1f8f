"""Partners in training: Fictitious Co-Play, a league of past versions, and the mixed partner of E3T.

Who learns when, which versions become partners, who sits where, and what the model of a partner learns. No competitive
game of this package is small enough to solve, so of a league only the seating, and that members are the network as it
was, are tested.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from hanabako.agents.learning import league, ppo
from hanabako.agents.learning.common.partners import NO_REPLY, PartnersEnvs
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.e3t import E3T
from hanabako.agents.learning.e3t import Args as E3TArgs
from hanabako.agents.learning.fcp import FCP, Args
from hanabako.agents.learning.league import League
from hanabako.agents.networks.network import ModellingDenseNetwork
from hanabako.agents.networks.neural_policy import NeuralPolicy
from hanabako.games import make_config
from hanabi_env import PRESETS, HanabiConfig
from hanabi_env.engine.layout import layout
from tests.agents.tiny_runs import SMALL

CONFIG = replace(PRESETS["mini"], derived=True)
TINY = Args(**SMALL | {"game": "hanabi", "preset": "mini", "population": 2})


def fcp(**change) -> FCP:
    torch.manual_seed(1)
    args = replace(TINY, **change)
    return FCP(args, PartnersEnvs(CONFIG, args.games, 1, ALONE), ALONE)


def weights_of(network) -> list[torch.Tensor]:
    return [value.clone() for value in network.rounded().state_dict().values()]


def equal(some, others) -> bool:
    return all(torch.equal(one, other) for one, other in zip(some, others, strict=True))


def test_each_player_learns_in_its_turn_and_three_versions_of_it_become_partners():
    learner = fcp()
    fresh = [weights_of(network) for network in learner.players]
    assert not equal(fresh[0], fresh[1]) and not equal(fresh[1], fresh[2]), "each has weights of its own"
    for update in range(16):
        learner.learn(update / 16)
        later = learner.players[learner.stage + 1 :]
        assert all(equal(weights_of(one), now) for one, now in zip(later, fresh[learner.stage + 1 :], strict=True))
        assert len(learner.envs.members) == (6 if update >= 8 else 0)
    learned = [weights_of(network) for network in learner.players]
    for k in range(2):
        untrained, _, last = (weights_of(network) for network in learner.population[3 * k :][:3])
        assert equal(untrained, fresh[k]) and equal(last, learned[k]) and not equal(untrained, last)
    assert learner.network is learner.players[2] and not equal(learned[2], fresh[2])
    for member, network in zip(learner.envs.members, learner.population, strict=True):
        assert isinstance(member, NeuralPolicy) and not member.greedy
        assert equal(weights_of(member.network), weights_of(network))


def test_schedules_follow_a_players_own_budget_and_partners_always_see_the_last_action():
    """Fractions 0.125 and 0.75 are the middle of the first player's budget and of the last one's."""
    change = {"learning_rate": 1e-3, "learning_rate_end": 0.0, "last_action_ramp": 1.0, "last_action_hidden": 0.0}
    learner = fcp(**change)
    told: list[float] = []
    collect = learner.collect

    def noted(price: float, visible: float = 1.0) -> torch.Tensor:
        told.append(visible)
        return collect(price, visible)

    learner.collect = noted
    rates = [learner.learn(fraction)["learning_rate"] for fraction in (0.0, 0.125, 0.25, 0.5, 0.75)]
    assert rates == pytest.approx([1e-3, 5e-4, 1e-3, 1e-3, 5e-4])
    assert told == pytest.approx([0.0, 0.5, 0.0, 1.0, 1.0])


def test_the_middle_version_is_the_one_nearest_to_half_of_the_last_score():
    learner = fcp()
    networks = [network.rounded() for network in learner.players]
    learner.past = [(0.0, networks[0]), (2.5, networks[1]), (6.0, networks[2])]
    assert learner.versions()[:2] == networks[:2]


def test_the_result_has_one_seat_of_every_game_that_begins_among_partners():
    learner = fcp(games=64)
    envs = learner.envs
    assert (envs.learners == 3).all(), "a player of the population has every seat"
    learner.learn(0.5)
    envs._sit_down(np.ones(64, np.bool_))
    assert set(envs.learners.tolist()) == {1, 2}
    seats = np.array([seated.seats for seated in envs._seated])
    assert (np.bitwise_or.reduce(seats, axis=0) == 3 - envs.learners).all()


ROUND = make_config("koikoi", "document", settings=["rounds=1"])

LEAGUE = league.Args(**SMALL | {"preset": "document"})


def test_members_join_evenly_and_are_the_network_as_it_was():
    envs = LEAGUE.make_envs(ROUND, ALONE)
    learner = League(LEAGUE, envs, ALONE)
    noted: list[list[torch.Tensor]] = []
    for update in range(2 * league.SNAPSHOTS):
        before = weights_of(learner.network)
        row = learner.learn(update / (2 * league.SNAPSHOTS))
        noted += [before] if update and update % 2 == 0 else []
        assert row["league"] == len(envs.members) == update // 2
    for member, then in zip(envs.members, noted, strict=True):
        assert isinstance(member, NeuralPolicy) and not member.greedy
        assert equal(member.network.state_dict().values(), then)


@pytest.mark.statistical
def test_half_of_the_games_are_self_play_and_members_meet_alike():
    """2,000 games among two members have shares within 5 standard errors; false alarms are below 1e-5."""
    envs = replace(LEAGUE, games=2000).make_envs(ROUND, ALONE)
    assert (envs.learners == 3).all(), "no one else is there"
    network = ppo.PPO(ppo.Args(game="koikoi", width=8), envs, ALONE).network
    for _ in range(2):
        envs.admit(NeuralPolicy(network, ROUND, greedy=False))
    envs._sit_down(np.ones(2000, np.bool_))
    alone = envs.learners == 3
    assert abs(alone.mean() - league.SELF_PLAY / 100) < 5 * (0.25 / 2000) ** 0.5
    first, second = (seated.seats for seated in envs._seated)
    assert ((first | second)[alone] == 0).all()
    assert ((first | second)[~alone] == 3 - envs.learners[~alone]).all()
    assert abs((first[~alone] != 0).mean() - 0.5) < 5 * (0.25 / (~alone).sum()) ** 0.5


def e3t(config: HanabiConfig = CONFIG, **change) -> E3T:
    torch.manual_seed(1)
    args = E3TArgs(**SMALL | {"preset": "mini"} | change)
    return E3T(args, PartnersEnvs(config, args.games, 1, ALONE), ALONE)


def network_of(seed: int = 1) -> ModellingDenseNetwork:
    torch.manual_seed(seed)
    network = ModellingDenseNetwork(CONFIG, 16, 2)
    for layer in (network.head, network.model_head):  # as if trained: sure of something
        torch.nn.init.normal_(layer.weight, std=2.0)
    return network


def observed(count: int = 50) -> tuple[np.ndarray, np.ndarray]:
    envs = PartnersEnvs(CONFIG, count, 1, ALONE)
    return envs.observations.numpy().view(np.uint64).copy(), envs.masks.numpy().copy()


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0])
def test_a_partner_mixes_its_policy_with_random_legal_actions(epsilon: float):
    network = network_of()
    observation, mask = observed()
    mixed = NeuralPolicy(network, CONFIG, epsilon=epsilon).probabilities(observation, mask)
    own = NeuralPolicy(network, CONFIG).probabilities(observation, mask)
    uniform = mask / mask.sum(1, keepdims=True)
    assert np.allclose(mixed, (1 - epsilon) * own + epsilon * uniform, atol=1e-6)
    assert (mixed[mask == 0] == 0).all()


@pytest.mark.parametrize("players", [2, 3])
def test_labels_are_the_next_players_answers_to_each_decision(monkeypatch: pytest.MonkeyPatch, players: int):
    """They agree with the steps of the simulator: the answer of another player in the same game, or none."""
    learner = e3t(replace(CONFIG, players=players), games=1, horizon=400, minibatch=8)
    block, learners = learner.envs.block, learner.envs.learners
    steps: list[tuple[int, bool, int]] = []
    step_some = block.step_some

    def noted(rows: np.ndarray) -> None:
        own = bool(int(learners[0]) >> int(block.tables["current_player"][0]) & 1)
        steps.append((int(block.tables["state"]["episode"][0]), own, int(block.actions[0])))
        step_some(rows)

    monkeypatch.setattr(block, "step_some", noted)
    learner.collect(1.0)
    expected = []
    for (game, own, _), (next_game, next_own, answer) in pairwise([*steps, (-1, True, 0)]):
        if own:
            expected.append(answer if next_game == game and not next_own else NO_REPLY)
    assert learner.rollout["replies"][:, 0].tolist() == expected
    assert len(set(expected)) > 5 and NO_REPLY in expected


def test_the_partner_plays_the_policy_as_it_is_at_each_rollouts_beginning():
    learner = e3t()
    for _ in range(3):
        now = learner.network.rounded().state_dict().values()
        learner.learn(0.5)
        played = learner.partner.network.state_dict().values()
        assert all(torch.equal(one, other) for one, other in zip(now, played, strict=True))
    assert (np.isin(learner.envs.learners, [1, 2, 3])).all() and (learner.envs.learners != 3).any()


def test_the_policy_reads_the_prediction_and_does_not_train_the_model():
    network = network_of()
    words = torch.from_numpy(observed()[0].view(np.int64))
    logits, values, _, predicted = network.step(words)
    (logits.sum() + values.sum()).backward()
    model = [*network.model.parameters(), *network.model_head.parameters()]
    assert all(weight.grad is None for weight in model)
    predicted.sum().backward()
    assert all(weight.grad is not None for weight in model)
    with torch.no_grad():
        network.model_head.bias.add_(torch.randn(network.actions))
    assert not torch.allclose(network(words)[0], logits), "another prediction is other logits"


def test_the_model_learns_what_the_next_player_does(monkeypatch: pytest.MonkeyPatch):
    """A partner that always plays its first card is soon predicted."""
    play = next(part.first for part in layout(CONFIG.rules()).actions if part.name == "play SLOT")
    learner = e3t(games=64, horizon=32, minibatch=256, learning_rate=0.01)
    monkeypatch.setattr(learner.partner, "act", lambda _, mask, *__: np.full(len(mask), play))
    losses = [learner.learn(0.0)["model_loss"] for _ in range(12)]
    assert losses[-1] < 0.01 < losses[0]
