"""E3T: what the mixed partner does, what the model of it learns from, and that the policy reads the prediction."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from hanabako.agents.learning.common.partners import NO_REPLY, PartnersEnvs
from hanabako.agents.learning.common.ranks import Ranks
from hanabako.agents.learning.e3t import E3T, Args, MixedPartner
from hanabako.agents.networks.network import ModellingDenseNetwork
from hanabako.agents.networks.neural_policy import NeuralPolicy
from hanabi_env import PRESETS, HanabiConfig
from hanabi_env.engine.layout import layout
from tests.agents.tiny_runs import SMALL

ALONE = Ranks(0, 1, torch.device("cpu"))
CONFIG = replace(PRESETS["mini"], derived=True)
TINY = Args(**SMALL | {"game": "hanabi", "preset": "mini"})


def made(config: HanabiConfig = CONFIG, **change) -> E3T:
    torch.manual_seed(1)
    args = replace(TINY, **change)
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
    mixed = MixedPartner(network, CONFIG, epsilon).probabilities(observation, mask)
    own = NeuralPolicy(network, CONFIG).probabilities(observation, mask)
    uniform = mask / mask.sum(1, keepdims=True)
    assert np.allclose(mixed, (1 - epsilon) * own + epsilon * uniform, atol=1e-6)
    assert (mixed[mask == 0] == 0).all()


@pytest.mark.parametrize("players", [2, 3])
def test_labels_are_the_next_players_answers_to_each_decision(monkeypatch: pytest.MonkeyPatch, players: int):
    """They agree with the steps of the simulator: the answer of another player in the same game, or none."""
    learner = made(replace(CONFIG, players=players), games=1, horizon=400, minibatch=8)
    block, learners = learner.mixed.block, learner.mixed.learners
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
    assert learner.replies[:, 0].tolist() == expected
    assert len(set(expected)) > 5 and NO_REPLY in expected


def test_the_partner_plays_the_policy_as_it_is_at_each_rollouts_beginning():
    learner = made()
    for _ in range(3):
        now = learner.network.rounded().state_dict().values()
        learner.learn(0.5)
        played = learner.partner.network.state_dict().values()
        assert all(torch.equal(one, other) for one, other in zip(now, played, strict=True))
    assert (np.isin(learner.mixed.learners, [1, 2, 3])).all() and (learner.mixed.learners != 3).any()


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
    learner = made(games=64, horizon=32, minibatch=256, learning_rate=0.01)
    monkeypatch.setattr(learner.partner, "act", lambda _, mask, *__: np.full(len(mask), play))
    losses = [learner.learn(0.0)["model_loss"] for _ in range(12)]
    assert losses[-1] < 0.01 < losses[0]
