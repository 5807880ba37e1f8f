"""The trainer runs an algorithm that is not part of the package: a complete REINFORCE (Williams 1992)."""

import json
import re
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest
import torch
from numba.core import event

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common import clock, validation
from hanabako.agents.learning.common.algorithms import NAMES, named
from hanabako.agents.learning.common.ranks import Ranks
from hanabako.agents.learning.common.runs import Interruption, Log, read_metrics
from hanabako.agents.learning.common.selfplay import SelfPlayEnvs
from hanabako.agents.learning.common.trainer import Settings, Trainer, train
from hanabako.agents.networks.network import DenseNetwork, choose, masked
from hanabako.agents.networks.neural_policy import NeuralPolicy, load_policy
from hanabi_env import PRESETS
from ikebana_env import PRESETS as IKEBANA
from tests.agents.tiny_runs import assert_resumes, without_clock


@dataclass(frozen=True)
class Args(Settings):
    """Train by REINFORCE."""

    horizon: int = 16
    """Decisions per game and update."""


class Reinforce:
    """The gradient of the log probability times the later rewards within the update."""

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        self.args, self.envs, self.ranks = args, envs, ranks
        self.network = DenseNetwork(envs.config, width=16, layers=1).to(ranks.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-2)
        self.generator = torch.Generator().manual_seed(args.seed + ranks.rank)

    def learn(self, fraction: float) -> dict[str, float]:
        log_probabilities, rewards, dones = [], [], []
        for _ in range(self.args.horizon):
            logits, _ = self.network(self.envs.observations)
            probabilities = masked(logits, self.envs.masks).softmax(1)
            actions = choose(probabilities, torch.rand(self.envs.games, generator=self.generator))
            log_probabilities.append(probabilities.gather(1, actions[:, None]).squeeze(1).log())
            reward, done = self.envs.step(actions)
            rewards.append(reward[:, 0])
            dones.append(done)
        returns, loss = torch.zeros(self.envs.games), torch.tensor(0.0)
        for t in reversed(range(self.args.horizon)):
            returns = rewards[t] + returns * ~dones[t]
            loss = loss - (log_probabilities[t] * returns).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.ranks.average_gradients(self.network)
        self.optimizer.step()
        return {"loss": loss.item(), "fraction_before": fraction}

    def state(self) -> dict[str, Any]:
        parts = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
        return parts | {"generator": self.generator.get_state()}

    def restore(self, state: dict[str, Any]) -> None:
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])


TINY = Args(preset="very_small", games=8, evaluations=1, evaluation_games=10, final_games=10, device="cpu")
UPDATE = TINY.games * TINY.horizon


def rows_of(run_dir: Path) -> list[dict[str, float]]:
    return without_clock(read_metrics(run_dir))


def test_two_updates_are_logged_evaluated_and_saved(tmp_path):
    run_dir = train(replace(TINY, steps=2 * UPDATE, run_dir=tmp_path / "run"), Reinforce)
    first, last = rows_of(run_dir)
    assert (first["update"], first["steps"], first["fraction_before"], first["fraction"]) == (1, UPDATE, 0, 0.5)
    assert (last["update"], last["steps"], last["fraction_before"], last["fraction"]) == (2, 2 * UPDATE, 0.5, 1)
    assert first["score"] >= 0 and last["greedy_games"] == 10
    assert (run_dir / "curve.png").is_file() and (run_dir / "checkpoint" / "latest").read_text("utf-8") == "00000002"
    config = replace(PRESETS["very_small"], derived=True)
    assert agents.load(run_dir / "policy.safetensors", config).name == "run"


def test_an_interrupted_run_resumes_to_the_last_bit(tmp_path):
    assert_resumes(lambda args: train(args, Reinforce), replace(TINY, steps=2 * UPDATE), tmp_path, updates=1)


def test_what_evaluations_compile_costs_no_budget(tmp_path, monkeypatch):
    """Before the clock starts, one game of each kind used by evaluations is played, with each line-up of opponents."""
    played: list[tuple[str, int, bool | None]] = []
    play, learn = validation.play, Trainer.learn

    def noted(config, seats, games, seed, *, specialize=None, **more):
        played.append(("".join(policy.name[0] for policy in seats), games, specialize))
        return play(config, seats, games, seed, specialize=specialize, **more)

    monkeypatch.setattr(validation, "play", noted)
    monkeypatch.setattr(Trainer, "learn", lambda self: played.append(("learn", 0, None)) or learn(self))
    args = replace(TINY, game="ikebana", preset="single_round", steps=UPDATE, run_dir=tmp_path / "run")
    train(args, Reinforce)
    before = played[: played.index(("learn", 0, None))]
    assert {games for _, games, _ in before} == {1} and len(before) == 2  # at each seat against the opponent
    assert {name for name, _, _ in before} == {name for name, games, _ in played if games > 1}
    assert {specialize for *_, specialize in before} == {False}


def test_what_updates_compile_costs_no_budget(tmp_path, monkeypatch):
    """The clock stands still while Numba compiles a function, and the functions that it calls."""
    passed = 0.0

    class Compiles(Reinforce):
        def learn(self, fraction: float) -> dict[str, float]:
            nonlocal passed
            passed += 1
            for tell in (event.start_event, event.start_event, event.end_event):
                tell("numba:compiler_lock")
                passed += 100
            event.end_event("numba:compiler_lock")
            return super().learn(fraction)

    monkeypatch.setattr(clock, "now", lambda: (passed, 2 * passed))
    rows = read_metrics(train(replace(TINY, steps=2 * UPDATE, run_dir=tmp_path / "run"), Compiles))
    assert [(row["seconds"], row["core_seconds"]) for row in rows] == [(1, 2), (2, 4)]


def test_the_bar_shows_what_training_makes_higher(tmp_path, capsys):
    """In a competitive game, the bar shows the return against the opponent, not the winner's score."""
    train(replace(TINY, steps=UPDATE, run_dir=tmp_path / "together"), Reinforce)
    assert re.search(r"score=\d+\.\d\d, greedy score=\d", capsys.readouterr().err)
    competitive = replace(TINY, game="ikebana", preset="single_round", steps=UPDATE, run_dir=tmp_path / "contest")
    train(competitive, Reinforce)
    bar = capsys.readouterr().err
    assert re.search(r"return \(reward=dense\) against random=-?\d+\.\d\d", bar) and "score" not in bar


def test_the_bar_of_a_resumed_run_begins_where_it_goes_on(tmp_path, capsys):
    rows = [{"update": number, "steps": number, "fraction": number / 4} for number in (1, 2, 3)]
    (tmp_path / "metrics.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    Log(tmp_path, 2, {}).close()
    assert set(re.findall(r"\d+%", capsys.readouterr().err)) == {"50%"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"games": 0}, "games must be at least 1, got 0"),
        ({"minutes": 0.0}, "minutes must be above 0"),
        ({"game": "go"}, "game must be one of"),
        ({"gamma": 5.0}, "gamma must be at most 1, got 5.0"),
        ({"gae_lambda": 5.0}, "gae_lambda must be at most 1, got 5.0"),
        ({"layers": 5000}, r"must be at most 268,435,456, got 5000 \* 256\^2"),
        ({"layers": 300, "width": 1000}, r"must be at most 268,435,456, got 300 \* 1000\^2"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(tmp_path: Path, change: dict[str, Any], words: str):
    with pytest.raises(ValueError, match=words):
        ppo.train(ppo.Args(**change | {"run_dir": tmp_path / "run"}))


# --- Numbers that are not finite --------------------------------------------------------------------------------------


class Diverging(Reinforce):
    """Diverges in its fourth update: in what it reports, or only in its weights."""

    where = "loss"

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        self.updates = 0

    def learn(self, fraction: float) -> dict[str, float]:
        row = super().learn(fraction)
        self.updates += 1
        if self.updates < 4:
            return row
        if self.where == "loss":
            return row | {"loss": float("nan")}
        with torch.no_grad():
            next(self.network.parameters())[0, 0] = float("inf")
        return row


class DivergingWeights(Diverging):
    where = "weights"


@pytest.mark.parametrize("algorithm", [Diverging, DivergingWeights])
def test_a_run_that_diverges_ends_and_keeps_its_last_good_checkpoint(tmp_path: Path, algorithm: type[Diverging]):
    run_dir, update = tmp_path / "run", TINY.games * TINY.horizon
    args = replace(TINY, run_dir=run_dir, steps=8 * update, evaluations=4)
    words = f"after update 4 these are not finite: {algorithm.where}; the checkpoint of update 2 is kept"
    with pytest.raises(ValueError, match=words):
        train(args, algorithm)
    assert [row["update"] for row in read_metrics(run_dir)] == [1, 2, 3]
    load_policy(run_dir / "policy.safetensors")
    train(replace(args, resume=run_dir), algorithm_named_alike(algorithm))
    assert read_metrics(run_dir)[-1]["update"] == 8


def algorithm_named_alike(algorithm: type[Reinforce]) -> type[Reinforce]:
    """Return an algorithm that does not diverge and may resume the other's run."""
    return type("Sound", (Reinforce,), {"__module__": algorithm.__module__})


@pytest.mark.parametrize("name", NAMES)
def test_every_float_setting_has_a_range(name: str):
    settings: Any = named(name).settings(game="koikoi" if name == "league" else "hanabi")
    hints = get_type_hints(type(settings))
    floats = [own.name for own in fields(settings) if hints[own.name] in (float, float | None)]
    assert {"minutes", "learning_rate", "max_grad_norm"} <= set(floats)
    for own in floats:
        for value in (float("nan"), float("inf"), float("-inf"), -1.0, 1e30):
            with pytest.raises(ValueError, match=f"{own} must be (a number|at most|at least|above)"):
                replace(settings, **{own: value}).check(1)


def test_in_a_competitive_game_the_network_meets_its_opponents_at_every_seat():
    """The score is its mean return: three seats, and both orders of two opponents."""
    config = replace(IKEBANA["single_round"], players=3)
    torch.manual_seed(1)
    dense = DenseNetwork(config, width=16, layers=1)
    torch.nn.init.normal_(dense.get_parameter("head.weight"))
    network = NeuralPolicy(dense, config)
    row = validation.validate(network, 60, ("greedy", "random"), Ranks(0, 1, torch.device("cpu")), Interruption())
    pool: dict[str, Any] = {"n": network} | {name[0]: agents.load(name, config) for name in ("greedy", "random")}
    returns = []
    for line_up in ("nrg", "ngr", "gng", "rnr", "grn", "rgn"):
        played = play(config, [pool[letter] for letter in line_up], 10, validation.VALIDATION_SEED)
        returns.append(played.rewards[:, line_up.index("n")].mean())
    assert row is not None and row["greedy_games"] == 60
    assert row["greedy_score"] == pytest.approx(np.mean(returns))


def test_line_ups_on_the_same_deals_do_not_make_the_error_smaller():
    scores = np.array([3.0, 5.0, 4.0, 8.0])
    ranks = Ranks(0, 1, torch.device("cpu"))
    alone, twice = (validation.mean_of(np.stack([scores] * line_ups), ranks) for line_ups in (1, 2))
    assert twice == alone | {"greedy_games": 8} and alone["greedy_score"] == 5
    assert alone["greedy_score_error"] == pytest.approx(scores.std() / 2)
