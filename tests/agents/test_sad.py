"""SAD: what players are told of the last mover's greedy action, and the input if nothing is told."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch

from hanabako.agents.learning import iql
from hanabako.agents.learning.common.q_learner import QLearner
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.selfplay import SelfPlayEnvs
from hanabako.agents.learning.sad import SAD, Args
from hanabako.agents.networks.greedy_input import event_words, seen_event
from hanabako.agents.networks.kinds import NETWORKS
from hanabako.agents.networks.network import masked
from hanabako.games import game_of
from hanabako.packing import pack
from hanabi_env import PRESETS, HanabiVectorEnv
from tests.agents.test_symmetric import any_network, some_views
from tests.games import GAMES, legal_actions

GREEDY = ["greedy-symmetric", "greedy-dense", "greedy-recurrent", "greedy-recurrent-symmetric"]
MINI = replace(PRESETS["mini"], derived=True)


@pytest.mark.parametrize("preset", ["standard", "mini", "grands_feux_all", "all_extensions"])
@pytest.mark.parametrize(("players", "history"), [(2, 1), (3, 2), (5, 1)])
def test_an_action_is_told_as_the_observation_shows_it(preset, players, history):
    """In random games, the next player reads every action in ``last_action`` bit for bit."""
    config = replace(PRESETS[preset], players=players, history=history)
    envs, rng = HanabiVectorEnv(64, config=config, seed=1), np.random.default_rng(2)
    words, bits, checked = event_words(config), seen_event(config), set()
    observation, infos = envs.reset()
    for _ in range(40):
        movers, actions = infos["current_player"].copy(), legal_actions(observation["action_mask"], rng)
        observation, _, terminations, truncations, infos = envs.step(actions)
        goes_on = ~(terminations | truncations)
        told = words[(movers - infos["current_player"]) % players, actions]
        shown = observation["observation"][:, bits].astype(np.int64) << np.arange(len(bits))
        np.testing.assert_array_equal(told.numpy()[goes_on], shown.sum(1)[goes_on])
        checked |= set(actions[goes_on].tolist())
    assert len(checked) >= min(20, words.shape[1]) and (words != 0).all()


@pytest.mark.parametrize("kind", GREEDY)
def test_an_action_that_is_not_told_is_the_one_that_was_taken(kind):
    """Outputs are those of a network that is told the action taken, and change if it is told another action."""
    torch.manual_seed(1)
    network = NETWORKS[kind](MINI, width=16, layers=2)
    torch.nn.init.normal_(network.get_parameter("head.weight"))
    envs = SelfPlayEnvs(MINI, 64, 1, ALONE)
    network.set_opening(envs.opening_bits())
    movers, actions = envs.players, envs.masks.argmax(1)
    envs.step(actions)
    told = event_words(MINI)[(movers - envs.players) % 2, actions][:, None]
    memory = network.initial_memory(64)
    alone = network.step(envs.observations, memory)[0]
    assert torch.equal(network.step(torch.cat([envs.observations, told], 1), memory)[0], alone)
    other = event_words(MINI)[1, -1].expand(64, 1)
    assert (network.step(torch.cat([envs.observations, other], 1), memory)[0] != alone).any(1).all()


@pytest.mark.parametrize("players", [2, 3, 5])
def test_players_are_told_the_greedy_action_and_nothing_in_an_opening(players):
    config = replace(MINI, players=players)
    args = Args(preset="mini", games=64, horizon=40, minibatch=40, network="dense", width=16, device="cpu")
    learner = SAD(args, SelfPlayEnvs(config, 64, 1, ALONE), ALONE)
    learner.epsilons = torch.full((64,), 0.5)
    learner.collect()
    some = learner.replay.at(learner.replay.draw(64, torch.Generator().manual_seed(1))[0])
    words, differs = event_words(config), 0
    for t in range(40):
        logits, _ = learner.network(some.observations[t])
        greedy = masked(logits, some.masks[t]).argmax(1)
        place = (some.players[t] - some.players[t + 1]) % players
        expected = torch.where(some.dones[t], 0, words[place, greedy])
        assert torch.equal(some.observations[t + 1, :, -1], expected)
        differs += int((greedy != some.actions[t]).sum())
    assert some.dones.any() and differs > 100


@dataclass(frozen=True)
class WordlessArgs(Args):
    """Settings of SAD with the networks of IQL, which have no input for the greedy action."""

    def kind_of(self, basic: str) -> str:
        return basic


class Wordless(SAD):
    """SAD that tells nothing."""

    def inputs(self) -> torch.Tensor:
        return super().inputs()[:, :-1]


@pytest.mark.parametrize("network", ["dense", "recurrent"])
def test_without_the_greedy_action_it_is_iql_to_the_last_bit(network: str):
    told: dict[str, Any] = {"preset": "mini", "games": 32, "horizon": 8, "minibatch": 64, "width": 16, "rollouts": 2}
    told |= {"network": network, "epsilon_power": 2.0, "device": "cpu"}
    learners: list[QLearner] = []
    for kind, settings in ((iql.IQL, iql.Args), (Wordless, WordlessArgs)):
        torch.manual_seed(1)
        args: Any = settings(**told)
        learners.append(kind(args, SelfPlayEnvs(args.make_config(), 32, 1, ALONE), ALONE))
    for fraction in (0.0, 0.3, 0.6):
        rows = [learner.learn(fraction) for learner in learners]
        assert rows[0] == rows[1]
    some, same = (learner.learner.state_dict() for learner in learners)
    assert all(torch.equal(weights, same[name]) for name, weights in some.items())
    assert torch.equal(learners[0].envs.observations, learners[1].envs.observations)


def test_renamed_suits_rename_what_is_told():
    """If position and greedy action are renamed, the symmetric network's logits are renamed too."""
    network = any_network(MINI, NETWORKS["greedy-symmetric"])
    observation, _ = some_views(GAMES[0], MINI, 6)
    bits, actions = game_of(MINI).layout(MINI).renaming([2, 0, 1])
    told = np.random.default_rng(4).integers(len(actions), size=32)
    renamed = np.argsort(actions)[told]  # action a there is action actions[a] here

    def logits(seen: np.ndarray, greedy: np.ndarray) -> np.ndarray:
        words = torch.from_numpy(pack(seen, network.words - 1).view(np.int64))
        with torch.no_grad():
            return network(torch.cat([words, event_words(MINI)[1, greedy][:, None]], 1))[0].numpy()

    before = logits(observation, told)
    after = logits(observation[:, bits], renamed)
    np.testing.assert_allclose(after, before[:, actions], atol=1e-4)
    assert np.abs(logits(observation[:, bits], told) - before[:, actions]).max() > 1e-2
