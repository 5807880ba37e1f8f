"""`make train` as a study: a row runs only on its kind of processor, and its score is its policy's."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import demo
from benchmarks.strength import make_train
from benchmarks.strength.make_train import KINDS, STUDY, MakeTrain, play, scores
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.ranks import best_device
from hanabako.agents.networks.network import kind_of_processor
from tests.agents.test_ppo import TINY
from tests.agents.tiny_runs import UPDATE

HERE = kind_of_processor(torch.device(best_device()))


def test_this_machines_kind_of_processor_has_a_row():
    assert HERE in KINDS
    assert MakeTrain("mini", HERE) in STUDY.rows


@pytest.mark.parametrize("processor", [kind for kind in KINDS if kind != HERE])
def test_rows_of_other_processors_are_refused(processor: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(make_train.demo, "run", None)
    with pytest.raises(ValueError, match=f"processor must be that of this machine, {HERE}, got {processor}"):
        play(MakeTrain("mini", processor), None)


def test_a_row_runs_make_train_and_measures_its_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked: list[float] = []

    def run(args: demo.Args) -> Any:
        asked.append(args.minutes)
        return ppo.train(replace(TINY, preset="mini", steps=UPDATE, run_dir=args.run_dir))

    monkeypatch.setattr(make_train.demo, "run", run)
    monkeypatch.setattr(make_train, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(make_train, "GAMES", 20)
    found = play(MakeTrain("mini", HERE), None)
    assert asked == [1.0] and found["done"] == 1
    assert found["games"] == 20 and found["config"]["colors"] == 3
    (policy,) = (tmp_path / "runs").glob("mini-*/policy.safetensors")
    assert found["line_up"] == (str(policy),) and found["trained"]["processor"] == HERE
    assert HERE in scores([found | {"preset": "mini", "processor": HERE}])
