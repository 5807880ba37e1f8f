"""IPPO as in JaxMARL: its streams and losses against slow, plain ones, and what it trains."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from benchmarks.strength.solvers.jaxmarl_ippo import Args, SeatIPPO
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.trainer import train
from hanabako.agents.learning.ppo import advantages_of
from hanabako.agents.networks.neural_policy import load_policy
from hanabi_env import HanabiVectorEnv
from tests.agents.tiny_runs import SMALL

TINY = Args(**{name: value for name, value in SMALL.items() if name != "minibatch"}, network="towers", features="v0")


def learner(**settings: Any) -> SeatIPPO:
    args = replace(TINY, preset="mini", players=3, learning_rate=0.01, **settings)
    torch.manual_seed(2)
    return SeatIPPO(args, args.make_envs(args.learned(args.make_config()), ALONE), ALONE)


def test_every_seat_sees_its_own_view_at_every_step():
    own = learner()
    actors, last_values = own.collect()
    config = own.envs.config
    env = HanabiVectorEnv(32, config=config, observation="packed")
    _, infos = env.reset(seed=int(np.random.SeedSequence(1).spawn(1)[0].generate_state(1)[0]))
    for t in range(8):
        views = env.observe_all()["observation"].reshape(96, -1)
        np.testing.assert_array_equal(actors["observations"][t].numpy().view(np.uint64), views)
        moves = actors["moves"][t].view(32, 3)
        np.testing.assert_array_equal(moves.int().argmax(1), infos["current_player"])
        assert (moves.sum(1) == 1).all()
        _, _, ended, _, infos = env.step(actors["actions"][t].view(32, 3)[moves].numpy())
        np.testing.assert_array_equal(actors["rewards"][t].view(32, 3), infos["rewards"])
        np.testing.assert_array_equal(actors["dones"][t].view(32, 3)[:, 0], ended)
    final = torch.from_numpy(env.observe_all()["observation"].reshape(96, -1).view(np.int64))
    torch.testing.assert_close(last_values[:, 0], own.network(final)[1].detach())


def test_the_losses_are_those_of_the_definition():
    """After some steps on other minibatches, so that ratios and values leave their clipping ranges."""
    own = learner(clip=0.01)
    actors, last_values = own.collect()
    advantages = advantages_of(actors, last_values, 0.99, 0.95)
    actors |= {"advantages": advantages, "returns": advantages + actors["values"]}
    batch = {name: part.flatten(0, 1) for name, part in actors.items()}
    own.update(batch)
    logits, values = (part.detach().double().numpy() for part in own.network(batch["observations"]))
    found = own.update(batch)
    rows = {name: part.double().numpy() if part.is_floating_point() else part.numpy() for name, part in batch.items()}
    gain = (rows["advantages"] - rows["advantages"].mean()) / rows["advantages"].std()
    policy = value = entropy = 0.0
    clipped = 0
    for k in range(len(values)):
        ratio = 1.0
        if rows["moves"][k]:
            legal = np.flatnonzero(rows["masks"][k])
            odds = np.exp(logits[k, legal] - logits[k, legal].max())
            odds /= odds.sum()
            ratio = odds[list(legal).index(rows["actions"][k])] / np.exp(rows["log_probabilities"][k])
            entropy -= (odds * np.log(odds)).sum()
        policy -= min(ratio * gain[k], min(max(ratio, 0.99), 1.01) * gain[k])
        near = min(max(values[k], rows["values"][k] - 0.01), rows["values"][k] + 0.01)
        value += 0.5 * max((values[k] - rows["returns"][k]) ** 2, (near - rows["returns"][k]) ** 2)
        clipped += abs(ratio - 1) > 0.01
    wanted = {"policy_loss": policy, "value_loss": value, "entropy": entropy}
    assert clipped > 10
    for name, total in wanted.items():
        assert float(found[name]) == pytest.approx(total / len(values), rel=1e-4, abs=1e-6), name


def test_a_run_leaves_a_policy_with_towers_and_the_v0_belief(tmp_path: Path):
    run_dir = train(replace(TINY, steps=512, run_dir=tmp_path / "run"), SeatIPPO)
    path = run_dir / "policy.safetensors"
    network = load_policy(path).network
    assert (network.kind, network.features) == ("towers", "v0") and network.belief is not None
    with pytest.raises(ValueError, match="network of the features v0, and --features says none"):
        train(replace(TINY, start=str(path), features="none", run_dir=tmp_path / "other"), SeatIPPO)
