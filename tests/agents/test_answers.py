"""Whatever takes an agent's answer refuses one that is not a legal action per row, and names it."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

from hanabako.agents import play
from hanabako.agents.bots.bot import Bot, BotPolicy
from hanabako.agents.datasets.recording import record
from hanabako.agents.learning.common.partners import PartnersEnvs
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.playing.policy import BatchedPolicy, Seated
from hanabako.agents.playing.seating import OneTable
from hanabako.agents.registry import load
from hanabako.agents.results.communication import agreement
from hanabako.agents.search.hanabi.policy import SearchPolicy
from hanabako.compiler.jit import rule
from hanabi_env import PRESETS, hanabi_v0

MINI = PRESETS["mini"]
SEAT = "hanabako:hanabako/HanabiSeat-v0"
SECOND: dict[str, Any] = {"preset": "mini", "seat": 1}


class Answering(BatchedPolicy):
    name = "Wrong"

    def __init__(self, answer: Callable[[Any], Any], remembers: bool = False) -> None:
        self.answer, self.remembers = answer, remembers

    def memory(self, count: int) -> Any:
        return np.zeros((count, 1)) if self.remembers else None

    def act(self, observation: Any, mask: Any, noise: Any, memory: Any = None) -> Any:
        return self.answer(mask)


def legal(mask: Any) -> Any:
    return mask.argmax(axis=1)


def no_numbers(mask: Any) -> Any:
    return np.full(len(mask), np.nan)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (no_numbers, r"integers of shape \(8,\), .* got float64 of shape \(8,\): array"),
        (lambda mask: legal(mask).astype(float), r"integers of shape \(8,\), .* got float64 of shape \(8,\): array"),
        (lambda mask: mask[:, 0] == 0, r"integers of shape \(8,\), .* got bool of shape \(8,\): array"),
        (lambda mask: np.full(len(mask), -1), r"a legal action, in row 0 one of \[.*\], got -1$"),
        (lambda mask: np.full(len(mask), 2**62), r"a legal action, .* got 4611686018427387904$"),
        (lambda mask: np.full(len(mask), 2**64 - 1, np.uint64), r"a legal action, .* got 18446744073709551615$"),
        (lambda mask: np.full(len(mask), mask.shape[1]), r"a legal action, .* got 12$"),
        (lambda mask: mask.argmin(axis=1), r"a legal action, .* got \d+$"),
        (lambda _: 3, r"integers of shape \(8,\), a legal action per row, got 3$"),
        (lambda mask: legal(mask)[:1], r"integers of shape \(8,\), .* got int64 of shape \(1,\): array"),
        (lambda mask: legal(mask)[:, None], r"integers of shape \(8,\), .* got int64 of shape \(8, 1\): array"),
        (lambda mask: ["play 0"] * len(mask), r"integers of shape \(8,\), .* got \['play 0', "),
        (lambda mask: [[0], [0, 1], *[0] * (len(mask) - 2)], r"integers of shape \(8,\), .* got \[\[0\], \[0, 1\], "),
        (lambda mask: [10**30] * len(mask), r"integers of shape \(8,\), .* got \[10000"),
        (lambda _: None, r"integers of shape \(8,\), .* got None$"),
    ],
)
@pytest.mark.parametrize("remembers", [False, True])
def test_an_answer_that_is_not_one_legal_action_per_row_is_refused(answer: Any, said: str, remembers: bool):
    with pytest.raises(ValueError, match=f"^Wrong must answer with {said}"):
        play(MINI, Answering(answer, remembers), 8, seed=1)


@pytest.mark.parametrize("form", [list, np.uint64, np.int8, torch.from_numpy])
def test_legal_actions_may_be_any_integers(form: Any):
    usual, other = (play(MINI, Answering(answer), 8, seed=1) for answer in (legal, lambda mask: form(legal(mask))))
    assert np.array_equal(usual.score, other.score)


def one_table(policy: Any, _folder: Path) -> None:
    env = hanabi_v0.raw_env(preset="mini")
    env.reset(seed=1)
    OneTable(env, policy).action()


DOORS: dict[str, Callable[[Any, Path], Any]] = {
    "one table": one_table,
    "one seat's partner": lambda policy, _: gymnasium.make(SEAT, **SECOND, partners=policy).reset(seed=1),
    "a vector seat's partner": lambda policy, _: gymnasium.make_vec(SEAT, 4, **SECOND, partners=policy).reset(seed=1),
    "a partner in training": lambda policy, _: PartnersEnvs(MINI, 4, 1, ALONE, [policy]),
    "one of two": lambda policy, _: play(MINI, [load("random", MINI), policy], 8, seed=1),
    "a search's blueprint": lambda policy, _: play(MINI, SearchPolicy(policy, MINI), 1, seed=1),
    "agreement": lambda policy, _: agreement(MINI, load("random", MINI), policy, 4, seed=1),
    "a dataset": lambda policy, folder: record(folder / "games.npz", MINI, policy, 4, seed=1),
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_refuses_a_wrong_answer(door: str, tmp_path: Path):
    for answer, said in ((no_numbers, "integers of shape"), (lambda mask: np.full(len(mask), -1), "a legal action")):
        with pytest.raises(ValueError, match=f"^Wrong must answer with {said}"):
            DOORS[door](Answering(answer), tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_least_that_can_play_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"^SimpleNamespace must answer with integers of shape"):
        play(MINI, SimpleNamespace(act=lambda _observation, mask, _noise: no_numbers(mask)), 8, seed=1)


@rule
def passes(rules, memory, view, mask, key):
    return -1


def test_a_compiled_bot_is_refused():
    with pytest.raises(ValueError, match=r"^lazy must answer with a legal action, in row 0 one of \[.*\], got -1$"):
        play(MINI, BotPolicy(Bot(name="lazy", act=passes), MINI), 8, seed=1)


class Seating:
    """A policy that seats itself and writes its actions without a check."""

    name, observes, specializes, plays_apart = "own", False, False, True

    def seat(self, games: Any, seats: Any) -> Seated:
        class Own(Seated):
            def act(self) -> None:
                games.actions[:] = 99

        return Own()


def test_a_policy_that_seats_itself_is_refused():
    with pytest.raises(ValueError, match=r"^an agent must choose a legal action in game 0, got 99$"):
        play(MINI, Seating(), 8, seed=1)
