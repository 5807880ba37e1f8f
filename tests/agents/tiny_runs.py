"""Training runs of a second or two: their settings, how they are stopped, and what two of them must share."""

import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from hanabako.agents.learning.common.algorithms import named
from hanabako.agents.learning.common.launch import train
from hanabako.agents.learning.common.runs import read_metrics
from hanabako.agents.learning.common.trainer import Settings, Trainer
from hanabako.agents.networks.neural_policy import load_policy
from hanabako.files import read_json
from hanabako.words.typed import from_json

SMALL: dict[str, Any] = {
    "preset": "very_small",
    "games": 32,
    "horizon": 8,
    "minibatch": 64,
    "width": 32,
    "evaluations": 1,
    "evaluation_games": 20,
    "final_games": 20,
    "device": "cpu",
}
"""Settings that all algorithms have."""
UPDATE = SMALL["games"] * SMALL["horizon"]
"""The decisions of one update."""
CLOCK = ("seconds", "core_seconds", "steps_per_second")


def tiny_words(run_dir: Path, updates: int = 1) -> list[str]:
    """Return the command-line options of a run that takes a second for each update."""
    told = SMALL | {"steps": updates * UPDATE, "run_dir": run_dir}
    return [str(word) for name, value in told.items() for word in (f"--{name.replace('_', '-')}", value)]


def wait_for_update(run_dir: Path, *processes: subprocess.Popen[bytes]) -> None:
    """Wait until a run of these processes, of which none may end, has written its first evaluation."""
    while not (run_dir / "metrics.jsonl").is_file() or not read_metrics(run_dir):
        assert all(process.poll() is None for process in processes)
        time.sleep(0.05)


def weights(run_dir: Path) -> dict[str, torch.Tensor]:
    return load_policy(run_dir / "policy.safetensors").network.state_dict()


def without_clock(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key not in CLOCK} for row in rows]


def assert_alike(run: Path, other: Path) -> None:
    """Check that both runs have the same curve and bit-identical weights."""
    assert without_clock(read_metrics(run)) == without_clock(read_metrics(other))
    some, expected = weights(run), weights(other)
    assert some.keys() == expected.keys()
    for name, tensor in some.items():
        assert torch.equal(tensor, expected[name]), name


def run_here(words: Sequence[str], _log: Path) -> int:
    """Train in this process on one rank, in place of `agents.learning.common.launch.run_module`."""
    told = read_json(words[1])
    learner = named(told["algorithm"])
    assert train(learner, from_json(learner.settings, told["args"]), ranks=1)
    return 0


def stop_after(monkeypatch: pytest.MonkeyPatch, updates: int, number: signal.Signals) -> None:
    learn = Trainer.learn

    def learn_and_stop(self):
        row = learn(self)
        if self.progress.updates == updates:
            signal.raise_signal(number)
        return row

    monkeypatch.setattr(Trainer, "learn", learn_and_stop)


def assert_resumes(
    train: Callable[[Any], Path], args: Settings, tmp_path: Path, updates: int = 2
) -> list[dict[str, Any]]:
    """Check that a run that is stopped after some updates and resumed has curve and weights of an uninterrupted one.

    Returns:
        The rows of its log.
    """
    before = signal.getsignal(signal.SIGINT)
    whole = train(replace(args, run_dir=tmp_path / "whole"))
    with pytest.MonkeyPatch.context() as patch:
        stop_after(patch, updates, signal.SIGINT)
        parts = train(replace(args, run_dir=tmp_path / "parts"))
    assert [row["update"] for row in read_metrics(parts)] == list(range(1, updates + 1))
    assert train(type(args)(resume=parts)) == parts
    assert_alike(parts, whole)
    rows = read_metrics(parts)
    assert rows[-1]["fraction"] == 1
    assert signal.getsignal(signal.SIGINT) is before
    return rows
