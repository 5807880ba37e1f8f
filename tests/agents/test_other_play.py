"""Other-Play: every seat has its own names for the suits, and learns what does not depend on names."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch

from hanabako.agents.learning import other_play
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.renamed_suits import RenamedSuits
from hanabako.agents.learning.common.selfplay import SelfPlayEnvs
from hanabako.agents.learning.other_play import OtherPlay, own_statuses, prediction_loss
from hanabako.games import game_of, make_config
from hanabako.packing import unpack
from tests.agents.tiny_runs import SMALL

TINY = other_play.Args(**SMALL)


def rows_of(words: torch.Tensor, bits: int) -> np.ndarray:
    return unpack(words.numpy().view(np.uint64), bits)


def orders_that_explain(layout, bits: int, seen: torch.Tensor, masks: torch.Tensor, plain: SelfPlayEnvs) -> list[set]:
    """Return per game the renamings that turn the plain observation and mask into those shown."""
    shown, real = rows_of(seen, bits), rows_of(plain.observations, bits)
    found = []
    for row in range(len(shown)):
        fits = set()
        for order in permutations(range(len(layout.alike_suits))):
            places, actions = layout.renaming(order)
            same = (real[row, places] == shown[row]).all() and torch.equal(plain.masks[row][actions], masks[row])
            fits |= {order} if same else set()
        found.append(fits)
    return found


@pytest.mark.parametrize("preset", ["mini", "black_powder"])
def test_each_seat_keeps_its_names_of_the_suits_through_a_game(preset):
    """A false alarm (24 seats that all draw one of 6 or more orders) has a probability below 10^-6."""
    config = make_config("hanabi", preset, 3)
    layout, bits = game_of(config).layout(config), config.observation_bits
    plain, renamed = SelfPlayEnvs(config, 8, 3, ALONE), RenamedSuits(config, 8, 3, ALONE)
    generator = torch.Generator().manual_seed(2)
    possible: dict[tuple[int, int], set] = {}
    drawn: list[set] = []  # of seats whose games are over
    for _ in range(60):
        fits = orders_that_explain(layout, bits, renamed.observations, renamed.masks, plain)
        for seat, orders in zip(enumerate(plain.players.tolist()), fits, strict=True):
            possible[seat] = possible.get(seat, orders) & orders
            assert possible[seat], "no one order explains all that this seat has seen in this game"
        _, dones = renamed.step(torch.multinomial(renamed.masks.float(), 1, generator=generator)[:, 0])
        plain.restore({name: value for name, value in renamed.state().items() if "renaming" not in name})
        over = [seat for seat in possible if dones[seat[0]]]
        drawn += [possible.pop(seat) for seat in over]
    assert len(drawn) >= 24
    assert len(set.union(*(orders for orders in drawn if len(orders) == 1))) > 1, "everybody has the same names"


def test_actions_mean_what_their_player_calls_them():
    """The renamed games continue as plain ones in which the same actions are taken under their real names."""
    config = make_config("hanabi", "standard", 2)
    layout = game_of(config).layout(config)
    renamings = [layout.renaming(order) for order in permutations(range(5))]
    plain, renamed = SelfPlayEnvs(config, 16, 3, ALONE), RenamedSuits(config, 16, 3, ALONE)
    generator = torch.Generator().manual_seed(2)
    for _ in range(80):
        own = renamed.state()["renaming"][np.arange(16), plain.players.numpy()]
        actions = torch.multinomial(renamed.masks.float(), 1, generator=generator)[:, 0]
        real = torch.tensor([renamings[k][1][action] for k, action in zip(own, actions.tolist(), strict=True)])
        (rewards, dones), (others, ends) = renamed.step(actions), plain.step(real)
        assert torch.equal(rewards, others) and torch.equal(dones, ends)
        assert torch.equal(renamed.players, plain.players)


WITH_TASK = replace(TINY, preset="mini", auxiliary=True)


def learner_of(args: other_play.Args) -> OtherPlay:
    envs = RenamedSuits(args.make_config(), args.games, args.seed, ALONE)
    torch.manual_seed(args.seed)
    return OtherPlay(args, envs, ALONE)


def test_the_loss_of_the_prediction_is_that_of_a_plain_loop():
    generator = torch.Generator().manual_seed(1)
    predictions = torch.randn(7, 12, generator=generator)
    statuses = torch.randint(-1, 3, (7, 4), generator=generator, dtype=torch.int8)
    statuses[3] = -1  # an empty hand counts nothing
    total = 0.0
    for row in range(7):
        cards = [slot for slot in range(4) if statuses[row, slot] >= 0]
        for slot in cards:
            logits = predictions[row, 3 * slot : 3 * slot + 3]
            total -= float(logits.log_softmax(0)[int(statuses[row, slot])]) / len(cards)
    assert float(prediction_loss(predictions, statuses)) == pytest.approx(total / 7, rel=1e-5)


def test_labels_are_of_the_hands_at_the_time_of_the_decisions():
    learner = learner_of(WITH_TASK)
    seen: list[torch.Tensor] = []
    step = learner.envs.step

    def note_and_step(actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen.append(own_statuses(learner.envs))
        return step(actions)

    learner.envs.step = note_and_step  # type: ignore[method-assign]
    learner.collect(1.0)
    assert torch.equal(learner.rollout["statuses"], torch.stack(seen))
    assert len(learner.rollout["statuses"].unique()) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("network", ["dense", "symmetric", "recurrent", "recurrent-symmetric"])
def test_the_prediction_learns_a_fixed_batch(network):
    learner = learner_of(replace(WITH_TASK, network=network, learning_rate=1e-2))
    learner.collect(1.0)
    advantages = torch.zeros_like(learner.rollout["values"])
    losses = [learner.update(advantages, 4, 0.0)["auxiliary_loss"] for _ in range(40)]
    assert np.mean(losses[-4:]) < 0.8 * np.mean(losses[:4])


def test_the_task_changes_neither_the_first_network_nor_its_games():
    with_task, without = learner_of(WITH_TASK), learner_of(replace(WITH_TASK, auxiliary=False))
    assert without.learner is without.network
    for one, other in zip(with_task.network.parameters(), without.network.parameters(), strict=True):
        assert torch.equal(one, other)
    for learner in (with_task, without):
        learner.collect(1.0)
    assert torch.equal(with_task.rollout["actions"], without.rollout["actions"])
    assert torch.equal(with_task.rollout["observations"], without.rollout["observations"])
    row = with_task.learn(0.5)
    assert "auxiliary_loss" in row and "auxiliary_loss" not in without.learn(0.5)
