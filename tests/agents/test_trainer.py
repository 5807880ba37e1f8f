"""The trainer: what costs no budget, what the bar shows, runs that diverge, and how networks are evaluated."""

import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest
import torch
from numba.core import event

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common import trainer, validation
from hanabako.agents.learning.common.algorithms import NAMES, named
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.runs import Interruption, Log, read_metrics
from hanabako.agents.learning.ppo import train
from hanabako.agents.networks.network import DenseNetwork
from hanabako.agents.networks.neural_policy import NeuralPolicy, load_policy
from ikebana_env import PRESETS as IKEBANA
from tests.agents.test_ppo import TINY
from tests.agents.tiny_runs import UPDATE

COMPETITIVE = replace(TINY, game="ikebana", preset="single_round", steps=UPDATE)


def test_what_updates_compile_costs_no_budget(tmp_path, monkeypatch):
    """The clock stands still while Numba compiles a function, and the functions that it calls."""
    passed = 0.0

    class Compiles(ppo.PPO):
        def learn(self, fraction: float) -> dict[str, float]:
            nonlocal passed
            passed += 1
            for tell in (event.start_event, event.start_event, event.end_event):
                tell("numba:compiler_lock")
                passed += 100
            event.end_event("numba:compiler_lock")
            return super().learn(fraction)

    monkeypatch.setattr(trainer, "now", lambda: (passed, 2 * passed))
    rows = read_metrics(trainer.train(replace(TINY, steps=2 * UPDATE, run_dir=tmp_path / "run"), Compiles))
    assert [(row["seconds"], row["core_seconds"]) for row in rows] == [(1, 2), (2, 4)]


def test_the_bar_shows_what_training_makes_higher(tmp_path, capsys):
    """In a competitive game, the bar shows the return against the opponent, not the winner's score."""
    train(replace(TINY, steps=UPDATE, run_dir=tmp_path / "together"))
    assert re.search(r"score=\d+\.\d\d, greedy score=\d", capsys.readouterr().err)
    train(replace(COMPETITIVE, run_dir=tmp_path / "contest"))
    bar = capsys.readouterr().err
    assert re.search(r"return \(reward=dense\) against random=-?\d+\.\d\d", bar) and "score" not in bar


def test_the_bar_of_a_resumed_run_begins_where_it_goes_on(tmp_path, capsys):
    rows = [{"update": number, "steps": number, "fraction": number / 4} for number in (1, 2, 3)]
    (tmp_path / "metrics.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    Log(tmp_path, 2, {}).close()
    assert set(re.findall(r"\d+%", capsys.readouterr().err)) == {"50%"}


class Diverging(ppo.PPO):
    """Diverges in its fourth update: in what it reports, or only in its weights."""

    where: str

    def learn(self, fraction: float) -> dict[str, float]:
        row = super().learn(fraction)
        if fraction < 3 / 8:
            return row
        if self.where == "loss":
            return row | {"loss": float("nan")}
        with torch.no_grad():
            next(self.network.parameters())[0, 0] = float("inf")
        return row


@pytest.mark.parametrize("where", ["loss", "weights"])
def test_a_run_that_diverges_ends_and_keeps_its_last_good_checkpoint(where: str, tmp_path: Path, monkeypatch):
    run_dir = tmp_path / "run"
    monkeypatch.setattr(Diverging, "where", where, raising=False)
    args = replace(TINY, run_dir=run_dir, steps=8 * UPDATE, evaluations=4)
    words = f"after update 4 these are not finite: {where}; the checkpoint of update 2 is kept"
    with pytest.raises(ValueError, match=words):
        trainer.train(args, Diverging)
    assert [row["update"] for row in read_metrics(run_dir)] == [1, 2, 3]
    load_policy(run_dir / "policy.safetensors")
    sound = type("Sound", (ppo.PPO,), {"__module__": Diverging.__module__})
    trainer.train(replace(args, resume=run_dir), sound)
    assert read_metrics(run_dir)[-1]["update"] == 8


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
    row = validation.validate(network, 60, ("greedy", "random"), ALONE, Interruption())
    pool: dict[str, Any] = {"n": network} | {name[0]: agents.load(name, config) for name in ("greedy", "random")}
    returns = []
    for line_up in ("nrg", "ngr", "gng", "rnr", "grn", "rgn"):
        played = play(config, [pool[letter] for letter in line_up], 10, validation.VALIDATION_SEED)
        returns.append(played.rewards[:, line_up.index("n")].mean())
    assert row is not None and row["greedy_games"] == 60
    assert row["greedy_score"] == pytest.approx(np.mean(returns))


def test_line_ups_on_the_same_deals_do_not_make_the_error_smaller():
    scores = np.array([3.0, 5.0, 4.0, 8.0])
    alone, twice = (validation.mean_of(np.stack([scores] * line_ups), ALONE) for line_ups in (1, 2))
    assert twice == alone | {"greedy_games": 8} and alone["greedy_score"] == 5
    assert alone["greedy_score_error"] == pytest.approx(scores.std() / 2)
