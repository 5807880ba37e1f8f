"""PPO: the estimates it learns from, its budget, and runs that resume, end early, fail and learn."""

import json
import signal
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from hanabako.agents.learning import other_play, ppo
from hanabako.agents.learning.common.network_settings import Descent
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.runs import read_metrics
from hanabako.agents.learning.common.selfplay import SelfPlayEnvs
from hanabako.agents.learning.common.trainer import Progress, geometric
from hanabako.agents.learning.ppo import Args, advantages_of, train
from hanabako.agents.networks.network import masked
from hanabako.games import game_of
from hanabako.packing import unpack
from hanabi_env import PRESETS
from tests.agents.tiny_runs import SMALL, UPDATE, stop_after, tiny_words
from tests.processes import ran

TINY = Args(**SMALL)


def rollout_of(**arrays: np.ndarray) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def slow_advantages(rewards, seats, dones, values, last, gamma, gae_lambda):
    """Return from the definition, per stream, the exponentially weighted sums of the one-step deltas."""
    horizon, games, streams = rewards.shape
    result = np.zeros((horizon, games))
    for game in range(games):
        for stream in range(streams):
            own = [t for t in range(horizon) if seats[t, game] == stream]
            for first in range(len(own)):
                weight = 1.0
                for k in range(first, len(own)):
                    until = own[k + 1] if k + 1 < len(own) else horizon
                    ends = [t for t in range(own[k], until) if dones[t, game]]
                    stop = ends[0] + 1 if ends else until
                    value = last[game, stream] if until == horizon else values[until, game]
                    earned = rewards[own[k] : stop, game, stream].sum()
                    delta = earned + (0 if ends else gamma * value) - values[own[k], game]
                    result[own[first], game] += weight * delta
                    weight *= gamma * gae_lambda
                    if ends:
                        break
    return result


@pytest.mark.parametrize("streams", [1, 2, 3])
def test_advantages_are_those_of_the_definition(streams):
    rng = np.random.default_rng(streams)
    horizon, games = 12, 9
    rewards, values = rng.normal(size=(horizon, games, streams)), rng.normal(size=(horizon, games))
    seats, dones = rng.integers(streams, size=(horizon, games)), rng.random((horizon, games)) < 0.15
    last = rng.normal(size=(games, streams))
    fast = advantages_of(
        rollout_of(rewards=rewards, players=seats, dones=dones, values=values), torch.from_numpy(last), 0.9, 0.8
    )
    np.testing.assert_allclose(fast, slow_advantages(rewards, seats, dones, values, last, 0.9, 0.8), atol=1e-12)


def test_the_last_decision_of_a_stream_that_nobody_knows_more_of_has_no_advantage():
    """Player 0 acts at steps 0 and 2, player 1 at 1 and 3; then player 0 is to move.

    The game in the second column ends at step 2.
    """
    seats = np.array([[0, 0], [1, 1], [0, 0], [1, 1]])
    dones = np.array([[False, False], [False, False], [False, True], [False, False]])
    rewards, values = np.ones((4, 2, 2)), np.zeros((4, 2))
    last = torch.tensor([[5.0, torch.nan], [5.0, torch.nan]], dtype=torch.float64)
    advantages = advantages_of(rollout_of(rewards=rewards, players=seats, dones=dones, values=values), last, 1.0, 1.0)
    unknown = np.nan
    np.testing.assert_array_equal(advantages[:, 0], [9, 2, 7, unknown])  # player 1: 2 up to its last decision
    np.testing.assert_array_equal(advantages[:, 1], [3, 2, 1, unknown])  # the end makes all earlier advantages known


def test_normalized_advantages_have_mean_0_and_deviation_1_and_unknown_ones_are_0():
    found = ppo.normalized(ALONE, torch.cat([torch.linspace(-3, 8, 999).square(), torch.full((500,), torch.nan)]))
    assert abs(found[:999].mean()) < 1e-5 and abs(found[:999].std(correction=0) - 1) < 1e-5
    assert not found[999:].any()


def test_schedules_follow_the_fraction_of_the_budget():
    assert Progress(steps=50).fraction(Args(steps=200)) == 0.25
    assert Progress(seconds=90).fraction(Args(minutes=3)) == 0.5
    assert Progress(steps=300).fraction(Args(steps=200)) == 1
    descent = Descent(torch.nn.Linear(1, 1), ALONE, 1.0, 0.2, 1.0)
    assert descent.set_rate(0.5) == pytest.approx(0.6)
    held = Descent(torch.nn.Linear(1, 1), ALONE, 1.0, 0.2, 1.0, hold=0.6)
    assert [held.set_rate(fraction) for fraction in (0, 0.6, 0.8, 1)] == pytest.approx([1, 1, 0.6, 0.2])
    assert Descent(torch.nn.Linear(1, 1), ALONE, 1.0, 0.2, 1.0, hold=1.0).set_rate(1) == 1
    assert [group["lr"] for group in descent.optimizer.param_groups] == [descent.set_rate(0.5)]
    assert geometric(0.1, 0.001, 0.5) == pytest.approx(0.01)
    assert [ppo.risen(0.4, fraction) for fraction in (0, 0.2, 0.4, 1)] == [0, 0.5, 1, 1]
    assert ppo.risen(0, 0) == 1


@pytest.mark.parametrize("network", ["dense", "recurrent"])
def test_minibatches_are_equal_parts(network):
    """With memory, a minibatch holds whole rollouts of 8 decisions. The entropy bonus changes geometrically."""
    args = replace(TINY, network=network, games=16, horizon=8, minibatch=24, entropy=0.1, entropy_end=0.001)
    learner = ppo.PPO(args, SelfPlayEnvs(PRESETS["very_small"], args.games, args.seed, ALONE), ALONE)
    sizes: list[int] = []
    loss = learner.loss

    def note(outputs, batch, entropy_weight):
        sizes.append(len(batch["actions"]))
        return loss(outputs, batch, entropy_weight)

    learner.loss = note
    step = 8 if network == "recurrent" else 1
    for fraction in (0, 0.5, 1):
        sizes.clear()
        assert learner.learn(fraction)["entropy_weight"] == pytest.approx(0.1 ** (1 + 2 * fraction))
        assert sum(sizes) == 128 and len(sizes) == 6 and max(sizes) - min(sizes) <= step


@pytest.mark.parametrize("history", [1, 3])
def test_the_last_action_becomes_visible(history):
    torch.manual_seed(1)  # of the initial weights
    args = replace(TINY, games=64, horizon=8, last_action_ramp=0.5, last_action_hidden=0.6)
    config = replace(PRESETS["very_small"], history=history)
    learner = ppo.PPO(args, SelfPlayEnvs(config, args.games, args.seed, ALONE), ALONE)
    fields = game_of(learner.envs.config).layout(learner.envs.config).fields
    places = [place for field in fields if field.section == "last_action" for place in field.places()]
    seen = []
    for fraction in (0.0, 0.3, 0.4, 0.5):
        learner.learn(fraction)
        bits = unpack(learner.rollout["observations"].numpy().view(np.uint64), learner.envs.config.observation_bits)
        action = np.concatenate([bits[..., place] for place in places], axis=-1)
        others = bits.sum() - action.sum()
        assert others > 0
        seen.append(action.any(-1).mean())
    assert seen[:2] == [0, 0] and seen[3] > 0.7  # openings have none
    assert seen[2] / seen[3] == pytest.approx(0.5, abs=0.15)  # of 512 decisions; false alarm: below 1e-6


@pytest.mark.parametrize(
    ("settings", "ramp"),
    [
        (ppo.Args(), 0.5),
        (ppo.Args(last_action_ramp=0.2), 0.2),
        (ppo.Args(last_action_ramp=0.0), 0.0),
        (ppo.Args(start="hanabi-standard-2p"), 0.0),
        (ppo.Args(partners=("smart",)), 0.0),
        (ppo.Args(game="koikoi"), 0.0),
        (ppo.Args(game="ikebana"), 0.0),
        (other_play.Args(), 0.0),
    ],
)
def test_the_last_action_is_hidden_at_first_in_self_play_from_random_weights(settings: ppo.Args, ramp: float):
    assert settings.ramp_of_last_action(settings.make_config()) == ramp


def test_the_price_of_a_lost_game_scales_its_negative_reward_only():
    envs = SelfPlayEnvs(PRESETS["very_small"], TINY.games, TINY.seed, ALONE)
    learner = ppo.PPO(replace(TINY, reward_scale=1.0), envs, ALONE)
    lowest = {}
    for price in (0.0, 0.5, 1.0):
        for _ in range(6):
            learner.collect(price)
        rewards = learner.rollout["rewards"]
        lowest[price] = rewards.min().item()
        assert rewards.max() == 1
        assert not (rewards[~learner.rollout["dones"]] < 0).any()
    assert lowest[0.0] == 0
    assert 2 * lowest[0.5] % 1 == 0 and lowest[0.5] <= -0.5
    assert lowest[1.0] <= -1


def test_every_player_of_a_competitive_game_has_its_own_rewards():
    """The rollout's moves bring the same rewards in the game's vector environment."""
    args = replace(TINY, game="ikebana", preset="single_round", players=3, horizon=40, reward_scale=2.0)
    config = args.make_config()
    learner = ppo.PPO(args, SelfPlayEnvs(config, args.games, args.seed, ALONE), ALONE)
    seed = int(np.random.SeedSequence(args.seed).spawn(1)[0].generate_state(1)[0])
    env = game_of(config).vector_env(args.games, config=config)
    env.reset(seed=seed)
    learner.collect(1.0)
    rollout = learner.rollout
    for t in range(args.horizon):
        infos = env.step(rollout["actions"][t].numpy())[-1]
        np.testing.assert_allclose(rollout["rewards"][t], 2 * infos["rewards"], rtol=1e-6)
    ends = rollout["rewards"][rollout["dones"]]
    assert len(ends) and (ends.argmax(1).unique() == torch.arange(3)).all()


def test_the_value_after_a_rollout_is_that_of_the_next_decision():
    """It is computed from the memory of the player to move, which another rollout continues."""
    envs = SelfPlayEnvs(PRESETS["mini"], TINY.games, TINY.seed, ALONE)
    learner = ppo.PPO(replace(TINY, network="recurrent", trunk="float32"), envs, ALONE)
    torch.nn.init.normal_(learner.network.get_parameter("head.weight"))
    for _ in range(3):
        last_values = learner.collect(1.0)
        learner.collect(1.0)
        torch.testing.assert_close(last_values[:, 0], learner.rollout["values"][0])


@pytest.mark.parametrize("network", ["recurrent", "recurrent-symmetric"])
@pytest.mark.parametrize("players", [2, 3])
def test_replayed_memories_are_those_of_the_rollout(players, network):
    """Games end and begin within the rollout; without an update, every replayed decision has its old probability."""
    envs = SelfPlayEnvs(replace(PRESETS["mini"], players=players), TINY.games, TINY.seed, ALONE)
    learner = ppo.PPO(replace(TINY, network=network, trunk="float32", horizon=24), envs, ALONE)
    torch.nn.init.normal_(learner.network.get_parameter("head.weight"))  # far from a uniform policy
    for _ in range(3):
        learner.collect(1.0)
        rollout = learner.rollout
        assert rollout["dones"].any() and not rollout["dones"].all(0).any()
        for some, outputs in learner.memories.minibatches(learner.network, rollout, 24 * 8, learner.generator):
            probabilities = masked(outputs.logits, some["masks"]).log_softmax(1)
            now = probabilities.gather(1, some["actions"][:, None]).squeeze(1)
            torch.testing.assert_close(now, some["log_probabilities"], rtol=0, atol=1e-4)


def test_a_competitive_game_is_learned_by_seats_and_evaluated_against_an_opponent(tmp_path):
    args = replace(TINY, game="ikebana", preset="single_round", players=3, final_games=21, opponent="random")
    run_dir = train(replace(args, steps=4 * UPDATE, run_dir=tmp_path / "run"))
    last = read_metrics(run_dir)[-1]
    assert last["greedy_games"] == 21
    assert -0.5 <= last["greedy_score"] <= 1
    assert train(Args(resume=run_dir)) == run_dir, "its settings are read back"


def test_a_run_directory_holds_what_the_contract_says(tmp_path):
    run_dir = train(replace(TINY, steps=2 * UPDATE, run_dir=tmp_path / "run"))
    names = {"config.json", "metrics.jsonl", "curve.png", "checkpoint", "policy.safetensors"}
    assert {path.name for path in run_dir.iterdir()} == names
    about = json.loads((run_dir / "config.json").read_text(encoding="utf-8"))
    assert (about["observation"], about["features"]) == ("card_knowledge", "derived")
    assert about["config"]["game"] == "hanabi"
    assert read_metrics(run_dir)[-1]["greedy_games"] == 20
    assert (run_dir / "curve.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(ValueError, match="holds a run already"):
        train(replace(TINY, steps=UPDATE, run_dir=run_dir))


def test_a_run_is_logged_elsewhere_too(tmp_path, monkeypatch):
    rows: list[tuple[int, dict[str, float]]] = []
    run = SimpleNamespace(log=lambda row, *, step: rows.append((step, row)), finish=lambda: rows.append((-1, {})))
    started: dict[str, Any] = {}

    def init(**settings: Any) -> SimpleNamespace:
        started.update(settings)
        return run

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    args = replace(TINY, steps=2 * UPDATE, run_dir=tmp_path / "run", loggers=("wandb", "tensorboard"))
    run_dir = train(args)
    assert [step for step, _ in rows] == [UPDATE, 2 * UPDATE, -1]
    assert [row for _, row in rows[:-1]] == read_metrics(run_dir)
    assert started["project"] == "hanabako" and started["config"]["args"]["loggers"] == ["wandb", "tensorboard"]
    assert list((run_dir / "tensorboard").glob("events*"))
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ValueError, match="wandb is not installed: pip install wandb"):
        train(replace(args, run_dir=tmp_path / "other", loggers=("wandb",)))


def interrupted_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with monkeypatch.context() as patch:
        stop_after(patch, 1, signal.SIGTERM)
        return train(replace(TINY, steps=4 * UPDATE, run_dir=tmp_path / "run"))


@pytest.mark.parametrize(("name", "value"), [("width", 64), ("games", 64), ("preset", "mini")])
def test_a_checkpoint_of_other_settings_is_a_clear_error(tmp_path, monkeypatch, name, value):
    run_dir = interrupted_run(tmp_path, monkeypatch)
    about = json.loads((run_dir / "config.json").read_text(encoding="utf-8"))
    about["args"][name] = value
    (run_dir / "config.json").write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(ValueError, match="holds no checkpoint to continue from"):
        train(Args(resume=run_dir))


def test_a_checkpoint_of_more_ranks_is_a_clear_error(tmp_path, monkeypatch):
    run_dir = interrupted_run(tmp_path, monkeypatch)
    (file,) = run_dir.glob("checkpoint/*/learner-0.pt")
    state = torch.load(file, weights_only=True)
    for rank in range(2):
        torch.save(state | {"world": 2}, file.with_name(f"learner-{rank}.pt"))
    file.with_name("games-1.npz").write_bytes(file.with_name("games-0.npz").read_bytes())
    with pytest.raises(ValueError, match="made by 2 ranks"):
        train(Args(resume=run_dir))


@pytest.mark.slow
def test_two_ranks_keep_equal_weights_and_learn_from_different_games(tmp_path):
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    run_dir = tmp_path / "run"
    ran([*torchrun, "-m", "hanabako", "train", *tiny_words(run_dir, 4)], OMP_NUM_THREADS="1")
    one, other = (
        torch.load(next(run_dir.glob(f"checkpoint/*/learner-{rank}.pt")), weights_only=True)["algorithm"]
        for rank in range(2)
    )
    for name, tensor in one["network"].items():
        assert torch.equal(tensor, other["network"][name]), name
    games = [np.load(next(run_dir.glob(f"checkpoint/*/games-{rank}.npz")))["tables"] for rank in range(2)]
    assert (games[0] != games[1]).any()
