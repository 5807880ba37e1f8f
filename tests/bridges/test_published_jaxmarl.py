"""Published networks compared with JaxMARL's own agent and observations, if it is installed."""

from typing import Any

import numpy as np
import pytest

from hanabako.agents import load
from hanabako.agents.bridges.ah2ac2.shown_game import ShownGame
from hanabako.agents.playing.block import Block
from hanabako.agents.playing.seating import sit
from hanabako.games import game_of
from hanabako.packing import unpack
from hanabi_env import HanabiConfig, v0_belief
from tests.test_clients import client

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("players", [2, 3])
def test_beliefs_are_in_the_observations_of_jaxmarl(players: int):
    """Random games with the same deals are observed by all players at every turn."""
    jax, hanabi = client("jax"), client("jaxmarl.environments.hanabi.hanabi")
    config, rng = HanabiConfig(players=players), np.random.default_rng(1)
    theirs = hanabi.HanabiEnv(num_agents=players)
    step, key, none = jax.jit(theirs.step_env), jax.random.PRNGKey(0), config.rules().num_actions
    for game in range(20):
        block = Block(game_of(config).make_game(config), 1, observes=True, specialize=False)
        block.deal(7, game)
        position = block.game.to_dict(block.tables["state"].view(np.recarray)[0])
        deck = [card for hand in position["hands"] for card in hand] + position["deck"]
        pairs = jax.numpy.array([["RYGWB".index(card[0]), int(card[1]) - 1] for card in deck])
        observed, state = theirs.reset_from_deck_of_pairs(pairs)
        while not block.tables["terminated"][0]:
            for player, agent in enumerate(theirs.agents):
                ours = v0_belief(unpack(block.observed(player)[0], config.observation_bits))[0]
                np.testing.assert_allclose(ours, np.asarray(observed[agent]), atol=1e-6)
            mover = int(block.tables["current_player"][0])
            action = int(rng.choice(np.flatnonzero(block.mask[0])))
            actions = {agent: jax.numpy.array(none) for agent in theirs.agents}
            observed, state, *_ = step(key, state, actions | {theirs.agents[mover]: jax.numpy.array(action)})
            block.actions[0] = action
            block.make_step([])


@pytest.mark.parametrize(("players", "seats"), [(2, [0]), (2, [1]), (3, [1]), (3, [0, 2])])
def test_a_game_of_jaxmarl_is_followed_by_what_it_shows(players: int, seats: list[int]):
    """A bot that is shown JaxMARL's observations, as on AH2AC2's server, decides as at our table."""
    jax, hanabi = client("jax"), client("jaxmarl.environments.hanabi.hanabi")
    config, theirs = HanabiConfig(players=players), hanabi.HanabiEnv(num_agents=players)
    step, key, none = jax.jit(theirs.step_env), jax.random.PRNGKey(0), config.rules().num_actions
    policy = load("smart", config)
    for number in range(5):
        block = Block(game_of(config).make_game(config), 1, observes=True, specialize=False)
        block.deal(1, number)
        seated = sit(block, [policy] * players)
        seated[0].begin()
        position = block.game.to_dict(block.tables["state"].view(np.recarray)[0])
        deck = [card for hand in position["hands"] for card in hand] + position["deck"]
        pairs = jax.numpy.array([["RYGWB".index(card[0]), int(card[1]) - 1] for card in deck])
        observed, state = theirs.reset_from_deck_of_pairs(pairs)
        game = ShownGame(config, {seat: np.asarray(observed[theirs.agents[seat]]) for seat in seats}, number=number)
        game.seat(policy)
        while True:
            seated[0].act()
            mover, action = int(block.tables["current_player"][0]), int(block.actions[0])
            legal = theirs.get_legal_moves(state)
            assert [int(legal[agent][none]) for agent in theirs.agents] == [k != mover for k in range(players)]
            if mover in seats:
                assert game.action() == action and legal[theirs.agents[mover]][action]
            actions = {agent: jax.numpy.array(none) for agent in theirs.agents}
            actions[theirs.agents[mover]] = jax.numpy.array(action)
            observed, state, _, done, _ = step(key, state, actions)
            block.make_step(seated)
            assert bool(done["__all__"]) == bool(block.tables["terminated"][0])
            if done["__all__"]:
                break
            assert game.go_on_as({seat: np.asarray(observed[theirs.agents[seat]]) for seat in seats}) == action
        assert int(state.score) == int(block.tables["score"][0])


def test_ten_thousand_decisions_are_those_of_jaxmarls_agent(tmp_path: Any):
    jax, pretrained = client("jax"), client("jaxmarl.environments.hanabi.pretrained.obl_r2d2_agent")
    save_params = client("jaxmarl.wrappers.baselines").save_params
    agent, games, done = pretrained.OBLAgentR2D2(), 250, 0
    carry = agent.initialize_carry(jax.random.PRNGKey(0), batch_dims=(1,))
    zeros = jax.numpy.zeros((1, 658))
    params = agent.init(jax.random.PRNGKey(1), carry, (zeros, zeros[:, 125:]))
    params = jax.tree.map(lambda x: 2 * x + 0.05 * jax.random.normal(jax.random.PRNGKey(2), x.shape), params)
    save_params(params, tmp_path / "a.safetensors")
    config, differ, seed = HanabiConfig(), 0, 0
    policy = load(f"obl:{tmp_path / 'a.safetensors'}", config)
    while done < 10_000:
        block = Block(game_of(config).make_game(config), games, observes=True, specialize=False)
        players = sit(block, [policy] * 2)
        block.deal(seed, 0)
        players[0].begin()
        carries = [agent.initialize_carry(jax.random.PRNGKey(0), batch_dims=(games,)) for _ in range(2)]
        while len(open_games := block.open_games):
            players[0].act()
            wanted = np.zeros(games, np.int64)
            for player in range(2):
                words, mask = block.observed(player)
                seen = v0_belief(unpack(words, config.observation_bits))
                legal = np.concatenate([mask, 1 - mask.any(1, keepdims=True)], axis=1)
                carries[player], best = agent.greedy_act(params, carries[player], (seen, legal))
                wanted = np.where(block.tables["current_player"] == player, np.asarray(best), wanted)
            differ += int((block.actions != wanted)[open_games].sum())
            done += len(open_games)
            block.make_step(players)
        seed += 1
    assert differ < 2e-4 * done
