"""Memory: a recurrent network plays in all places where policies play, with separate memories per game and seat."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from hanabako import agents
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.selfplay import EveryView
from hanabako.agents.networks import kinds
from hanabako.agents.networks.neural_policy import NeuralPolicy
from hanabako.agents.networks.recurrent import MemoryCell
from hanabako.agents.playing.block import Block
from hanabako.agents.playing.play import Games, play, steps_of
from hanabako.agents.playing.seating import OneTable
from hanabako.games import game_of
from hanabi_env import PRESETS, hanabi_v0
from tests.agents.test_search import recurrent_network
from tests.agents.test_session import Counting

MINI = PRESETS["mini"]


@pytest.fixture
def policy() -> NeuralPolicy:
    return NeuralPolicy(recurrent_network(MINI, 3, 8.0).network, MINI, greedy=False)


def test_a_memory_cell_is_a_gated_recurrent_unit():
    torch.manual_seed(3)
    cell, usual = MemoryCell(7, 5), nn.GRUCell(7, 5)
    nn.init.normal_(cell.bias_hh)
    usual.load_state_dict(cell.state_dict())
    x, memory = torch.randn(11, 7), torch.randn(11, 5)
    torch.testing.assert_close(cell.after(cell.read(x), memory), usual(x, memory))
    rounded = cell.after(cell.read(x.bfloat16()), memory)
    torch.testing.assert_close(rounded, usual(x, memory), rtol=0.05, atol=0.05)


def test_a_replay_is_the_cell_step_by_step_with_the_same_gradients():
    """Several memories per player, as of suits; autograd through single steps is the reference, in float64."""
    torch.manual_seed(3)
    horizon, games, players, pages, size = 7, 5, 3, 2, 4
    cell = MemoryCell(6, size).double()
    nn.init.normal_(cell.bias_hh)
    x = torch.randn(horizon, games, pages, 6, dtype=torch.double, requires_grad=True)
    begin = torch.randn(games, players, pages, size, dtype=torch.double, requires_grad=True)
    who, dones = torch.randint(players, (horizon, games)), torch.rand(horizon, games) < 0.3
    wanted = begin, *cell.parameters(), x

    after, last = cell.follow(cell.read(x), begin, who, dones)
    weights = torch.randn_like(after), torch.randn_like(last)
    found = torch.autograd.grad((after * weights[0]).sum() + (last * weights[1]).sum(), wanted)

    memories, steps = [[begin[g, p] for p in range(players)] for g in range(games)], []
    for t in range(horizon):
        for g in range(games):
            mine = memories[g][who[t, g]] = cell.after(cell.read(x[t, g]), memories[g][who[t, g]])
            steps.append(mine)
            if dones[t, g]:
                memories[g] = [torch.zeros_like(mine)] * players
    slow = torch.stack(steps).view_as(after), torch.stack([torch.stack(own) for own in memories])
    torch.testing.assert_close((after, last), slow)
    loss = (slow[0] * weights[0]).sum() + (slow[1] * weights[1]).sum()
    torch.testing.assert_close(found, torch.autograd.grad(loss, wanted))


@pytest.mark.parametrize("kind", ["recurrent", "recurrent-symmetric"])
def test_a_replay_of_all_views_is_made_of_single_steps(kind: str):
    """The memory of the player to move changes, those of the others stay; gradients are autograd's, step by step."""
    torch.manual_seed(3)
    alone, count = ALONE, 3
    envs = EveryView(replace(MINI, players=count), 2, 1, alone)
    reader: Any = kinds.NETWORKS[kind](envs.config, width=16, layers=2)
    nn.init.normal_(reader.get_parameter("head.weight"))
    words, who, dones = [], torch.randint(count, (6, 2)), torch.rand(6, 2) < 0.2
    for _ in range(6):
        words.append(envs.observations.clone().unflatten(1, (count, -1)))
        envs.step(envs.masks.argmax(1))
    assert dones[:5].any()
    begin = (0.3 * torch.randn(2, count, reader.initial_memory(1).shape[1])).requires_grad_()
    wanted = begin, *reader.parameters()

    outputs = reader.replay(torch.stack(words), begin, who, dones)
    fast = outputs.logits, outputs.values, outputs.memory
    weights = [torch.randn_like(part) for part in fast]
    slopes = torch.autograd.grad(combined(fast, weights), wanted)

    memories, steps = [list(begin[game].unsqueeze(1)) for game in range(2)], []
    for seen, players, ended in zip(words, who, dones, strict=True):
        for game, mover in enumerate(players.tolist()):
            own = memories[game]
            turn = [reader.step(seen[game, k][None], own[(mover + k) % count]) for k in range(count)]
            steps += turn
            own[mover] = turn[0].memory
            memories[game] = [torch.zeros_like(part) for part in own] if ended[game] else own
    logits, values, *_ = (torch.cat(part) for part in zip(*steps, strict=True))
    slow = logits, values, torch.stack([torch.cat(own) for own in memories])
    torch.testing.assert_close(fast, slow, rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(slopes, torch.autograd.grad(combined(slow, weights), wanted), rtol=1e-3, atol=1e-3)


def combined(parts: Any, weights: Any) -> Tensor:
    return torch.stack([(one * other).sum() for one, other in zip(parts, weights, strict=True)]).sum()


def assert_equal_games(some: Games, others: Games, first: int, count: int) -> None:
    np.testing.assert_array_equal(some.length[first : first + count], others.length[:count])
    np.testing.assert_array_equal(some.fireworks_score[first : first + count], others.fireworks_score[:count])


@pytest.mark.slow
def test_a_game_is_the_same_alone_and_among_many(policy):
    many = play(MINI, policy, 30, seed=5)
    for index in range(8):
        assert_equal_games(many, play(MINI, policy, 1, seed=5, first=index), index, 1)
    assert_equal_games(play(MINI, policy, 1100, seed=5, num_threads=2), many, 0, 30)  # in two blocks


def test_each_seat_of_each_game_counts_its_own_decisions():
    block = Block(game_of(MINI).make_game(MINI), 20, observes=True, specialize=False)
    seats = Counting().seat(block, [0, 1])
    for _ in range(2):  # the second time, everything begins again
        block.deal(seed=2, first=0)
        seats.begin()
        decisions = np.zeros((20, 2))
        while len(block.open_games):
            rows = block.open_games
            decisions[rows, block.tables["current_player"][rows]] += 1
            block.go_on([seats])
        np.testing.assert_array_equal(seats.memories(), decisions)


def test_the_single_environment_plays_the_same_game(policy):
    assert_one_table_plays_the_same(MINI, [policy] * 2)


def assert_one_table_plays_the_same(config: Any, policies: list[Any]) -> None:
    """Check that games of one table have the actions that these policies take in many games at once."""
    block = Block(game_of(config).make_game(config), 3, observes=True, specialize=False)
    moves = [block.actions.copy() for _ in steps_of(block, policies, 11, 0)]
    env = hanabi_v0.raw_env(config=config)
    for index in range(3):
        env.reset(seed=11, options={"game_index": index})
        table = OneTable(env, policies, seed=11, game_index=index)
        while not all(env.terminations.values()):
            action = table.action()
            assert action == moves[table.step][index]
            env.step(action)
            table.observe()


def test_memories_are_kept_apart(policy):
    """Two networks with the same weights play as one network at both seats, and beside others as if seated by hand."""
    twin = NeuralPolicy(policy.network, MINI, greedy=False)
    random = agents.load("random", MINI)
    alone, both, beside = (play(MINI, [policy, other], 40, seed=4) for other in (policy, twin, random))
    assert_equal_games(alone, both, 0, 40)
    assert_equal_games(beside, play(MINI, [twin, random], 40, seed=4), 0, 40)
