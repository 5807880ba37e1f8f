"""Other-Play: every seat has its own names for the suits, and learns what does not depend on names."""

from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.learning import other_play
from agents.learning.common.ranks import Ranks
from agents.learning.common.selfplay import SelfPlayEnvs
from agents.learning.common.trainer import train
from agents.learning.other_play import OtherPlay, RenamedSuits
from agents.networks.neural_policy import load_policy
from agents.playing.play import play
from hanabako.games import game_of, make_config
from hanabako.packing import unpack
from tests.agents.test_mappo import ONE_CARD_EACH
from tests.agents.tiny_runs import SMALL, UPDATE, assert_resumes

ALONE = Ranks(0, 1, torch.device("cpu"))
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


def test_a_game_without_alike_suits_is_refused(tmp_path):
    args = replace(TINY, game="koikoi", preset=None, run_dir=tmp_path / "run")
    with pytest.raises(ValueError, match="Other-Play needs interchangeable suits; koikoi has none"):
        train(args, OtherPlay)
    with pytest.raises(ValueError, match="Other-Play needs interchangeable suits"):
        train(replace(TINY, preset="very_small", run_dir=tmp_path / "run"), OtherPlay)


def test_an_interrupted_run_resumes_to_the_last_bit(tmp_path):
    assert_resumes(partial(train, algorithm=OtherPlay), replace(TINY, preset="mini", steps=4 * UPDATE), tmp_path)


def test_it_solves_a_game_exactly(tmp_path: Path):
    args = replace(
        TINY, preset="standard", config=ONE_CARD_EACH, games=256, minibatch=512, steps=150_000, learning_rate=1e-2
    )
    run_dir = train(replace(args, run_dir=tmp_path / "run"), OtherPlay)
    policy = load_policy(run_dir / "policy.safetensors")
    assert (play(policy.config, policy, 2000, seed=5).score == 2).all()
