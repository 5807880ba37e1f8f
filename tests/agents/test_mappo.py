"""MAPPO: its critic sees all views, its policy only its own player's view, and it solves a tiny game exactly."""

import numpy as np
import pytest
import torch

from hanabako.agents.learning.common.ranks import Ranks
from hanabako.agents.learning.common.selfplay import EveryView
from hanabako.agents.learning.mappo import ActorCritic
from hanabako.agents.networks.kinds import NETWORKS
from hanabako.games import game_of, make_config

ALONE = Ranks(0, 1, torch.device("cpu"))


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
