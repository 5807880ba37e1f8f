"""VDN, QMIX and MAPPO: losses against plain loops over players, the mixing network, and who sees which views."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hanabako.agents.learning import qmix, vdn
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.replay import Sequences
from hanabako.agents.learning.common.selfplay import EveryView
from hanabako.agents.learning.mappo import ActorCritic
from hanabako.agents.networks.kinds import NETWORKS
from hanabako.games import game_of, make_config
from tests.agents.tiny_runs import SMALL

GAMMA = 0.9
PRICE = 0.5
LEARNERS: dict[str, Any] = {"vdn": (vdn.VDN, vdn.Args), "qmix": (qmix.QMIX, qmix.Args)}


def learner_of(name: str, network: str, players: int, **settings: Any) -> Any:
    """Return a learner that has played, whose network and target differ, and whose values are not near 0."""
    kind, args_of = LEARNERS[name]
    history = (f"history={players - 1}",)
    args = args_of(**SMALL | {"games": 8, "minibatch": 64}, players=players, config=history, network=network)
    args = replace(args, gamma=GAMMA, n_step=0, q_lambda=0.0, rollouts=2, trunk="float32", **settings)
    torch.manual_seed(5)
    learner = kind(args, EveryView(args.make_config(), args.games, 1, ALONE), ALONE)
    for weights in (*learner.learner.parameters(), *learner.target.parameters()):
        weights.data.add_(0.05 * torch.randn_like(weights))
    learner.epsilons = torch.full((8,), 0.5)
    for _ in range(3):
        learner.collect()
    return learner


def views(learner: Any, words: torch.Tensor) -> list[torch.Tensor]:
    """Return the observations (1, words) of all players, the player to move first."""
    size = learner.network.words
    return [words[None, k * size : (k + 1) * size].contiguous() for k in range(learner.envs.config.players)]


def slow_terms(learner: Any, network: Any, some: Sequences, row: int) -> list[tuple[torch.Tensor, list[torch.Tensor]]]:
    """Return, for every position of a sequence, the mover's Q (-inf if illegal) and the others' values."""
    found, players = [], learner.envs.config.players
    has_memory = network.initial_memory(1) is not None
    memories = [some.memories[row, k][None] for k in range(players)]
    for t in range(len(some.players)):
        mover, mask = int(some.players[t, row]), some.masks[t, row].bool()
        seats = [(mover + k) % players for k in range(players)]
        outputs = [
            network.step(view, memories[seat] if has_memory else None)
            for seat, view in zip(seats, views(learner, some.observations[t, row]), strict=True)
        ]
        logits, value, kept, _ = outputs[0]
        q = torch.where(mask, value + logits[0] - logits[0][mask].mean(), -torch.inf)
        found.append((q, [output.values[0] for output in outputs[1:]]))
        if has_memory:
            memories[mover] = kept
            if t < len(some.dones) and some.dones[t, row]:
                memories = [network.initial_memory(1) for _ in range(players)]
    return found


def slow_mixture(mixer: qmix.Mixer, opening: torch.Tensor, terms: list[torch.Tensor], state: torch.Tensor) -> Any:
    bits = [int(word) >> bit & 1 for word in state ^ opening for bit in range(64)]
    hidden = mixer.state.weight @ torch.tensor(bits, dtype=torch.float32) + mixer.state.bias
    numbers = mixer.weights.weight @ hidden.clamp(min=0) + mixer.weights.bias
    players, units, total = len(terms), mixer.units, numbers[-1]
    for unit in range(units):
        x = sum(numbers[unit * players + k].abs() * terms[k] for k in range(players)) + numbers[units * players + unit]
        total = total + numbers[units * (players + 1) + unit].abs() * (x if x > 0 else torch.expm1(x))
    return total


def slow_team(learner: Any, module: Any, terms: list[torch.Tensor], words: torch.Tensor) -> Any:
    if isinstance(learner, qmix.QMIX):
        return slow_mixture(module.mixer, module.mixer.opening, terms, words)
    return terms[0] + sum(terms[1:])


@torch.no_grad()
def slow_loss(learner: Any, some: Sequences) -> float:
    """Return the mean squared error of one-step double Q-learning of the team's values, by plain loops."""
    fast, slow = learner.learner, learner.target
    policy, target = (module.policy if isinstance(learner, qmix.QMIX) else module for module in (fast, slow))
    errors = []
    for row in range(some.actions.shape[1]):
        ours, theirs = (slow_terms(learner, network, some, row) for network in (policy, target))
        for t, action in enumerate(some.actions[:, row].tolist()):
            chosen = slow_team(learner, fast, [ours[t][0][action], *ours[t][1]], some.observations[t, row])
            best = theirs[t + 1][0][ours[t + 1][0].argmax()]
            after = slow_team(learner, slow, [best, *theirs[t + 1][1]], some.observations[t + 1, row])
            reward = float(some.rewards[t, row])
            if some.dones[t, row]:
                aim = reward * (PRICE if reward < 0 else 1)
            else:
                aim = reward + GAMMA * float(after)
            errors.append((float(chosen) - aim) ** 2)
    return sum(errors) / len(errors)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("network", ["dense", "symmetric", "recurrent", "recurrent-symmetric"])
@pytest.mark.parametrize("players", [2, pytest.param(3, marks=pytest.mark.slow)])
@torch.no_grad()
def test_the_loss_is_that_of_the_definition(name: str, network: str, players: int):
    learner = learner_of(name, network, players)
    some = learner.replay.at(learner.replay.draw(12, torch.Generator().manual_seed(2))[0])
    assert some.dones.any() and (some.rewards < 0).any()
    loss = learner.errors(some, PRICE)[0].square().mean()
    assert float(loss) == pytest.approx(slow_loss(learner, some), rel=1e-4)


@given(players=st.integers(2, 5), seed=st.integers(0, 10**6), more=st.floats(0.01, 10))
def test_a_greater_value_of_a_player_never_lowers_the_teams(players: int, seed: int, more: float):
    """The weights of the mixing network are random and have both signs."""
    torch.manual_seed(seed)
    mixer = qmix.Mixer(torch.zeros(2, dtype=torch.int64), players, units=8, width=16)
    for weights in mixer.parameters():
        torch.nn.init.normal_(weights)
    values, state = torch.randn(32, players), torch.randint(2**63 - 1, (32, 2))
    with torch.no_grad():
        before = mixer(values, state)
        for player in range(players):
            greater = values.clone()
            greater[:, player] += more
            assert (mixer(greater, state) >= before - 1e-4 * before.abs()).all()


@torch.no_grad()
def test_the_mixture_begins_near_the_sum():
    torch.manual_seed(1)
    values, fresh = torch.rand(64, 3), qmix.Mixer(torch.zeros(2, dtype=torch.int64), 3, units=32, width=64)
    state = torch.zeros(64, 2, dtype=torch.int64)
    torch.testing.assert_close(fresh(values, state), values.sum(1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("game", "players"), [("hanabi", 2), ("hanabi", 4), ("ikebana", 3), ("koikoi", 2)])
def test_the_views_are_those_of_all_players_the_one_to_move_first(game, players):
    config = make_config(game, None, None if game == "koikoi" else players)
    envs = EveryView(config, 8, 1, ALONE)
    words = envs.observations.shape[1] // players
    blind = game_of(config).make_vector(8, config=config, observation="packed")
    generator = torch.Generator().manual_seed(1)
    for _ in range(20):
        blind.set_state(envs._env.get_state())
        views = blind.observe_all()["observation"].view(np.int64)
        for row, player in enumerate(envs.players.tolist()):
            for turn in range(players):
                seen = envs.observations[row, turn * words : (turn + 1) * words].numpy()
                assert (seen == views[row, (player + turn) % players]).all()
        envs.step(torch.multinomial(envs.masks.float(), 1, generator=generator)[:, 0])


@pytest.mark.parametrize("kind", ["symmetric", "dense", "recurrent", "recurrent-symmetric"])
def test_the_policy_sees_one_view_and_the_critic_all(kind):
    config = make_config("hanabi", "mini")
    actor = NETWORKS[kind](config, width=16, layers=2)
    critics = {"recurrent": "dense", "recurrent-symmetric": "symmetric"}
    critic = NETWORKS[critics.get(kind, kind)](config, width=16, layers=2, views=2)
    both = ActorCritic(actor, critic)
    envs = EveryView(config, 4, 1, ALONE)
    actor.set_opening(envs.opening_bits()[: actor.words])
    critic.set_opening(envs.opening_bits())
    words = envs.observations.shape[1] // 2
    other = envs.observations.clone()
    other[:, words:] = envs.observations[:, words:].roll(1, 0)  # the partners look at other games
    (logits, values), (same, others) = both(envs.observations), both(other)
    assert torch.equal(logits, same) and not torch.equal(values, others)
    alone, _ = actor(envs.observations[:, :words].contiguous())
    assert torch.equal(logits, alone)


def test_a_critic_of_symmetric_views_is_blind_to_the_suits_names():
    config = make_config("hanabi", "standard", 3)
    critic = NETWORKS["symmetric"](config, width=16, layers=2, views=3)
    envs = EveryView(config, 16, 1, ALONE)
    critic.set_opening(envs.opening_bits())
    for name, weight in critic.named_parameters():
        if name == "head.weight":
            torch.nn.init.normal_(weight)
    bits, _ = game_of(config).layout(config).renaming([2, 0, 1, 4, 3])
    views = np.unpackbits(envs.observations.numpy().view(np.uint8).reshape(48, -1), axis=1, bitorder="little")
    views[:, : len(bits)] = views[:, bits]
    renamed = torch.from_numpy(np.packbits(views, axis=1, bitorder="little").reshape(16, -1).view(np.int64))
    assert not torch.equal(renamed, envs.observations)
    torch.testing.assert_close(critic(renamed)[1], critic(envs.observations)[1], atol=1e-5, rtol=0)
