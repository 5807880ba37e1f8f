"""The comparison of learners: which decisions are counted, which learners are skipped, and the ratio to the better."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import pages
from benchmarks.speed import cleanrl_loop, learners, timing
from benchmarks.speed.peers import Peer
from hanabako.agents.results.store import read_results
from hanabi_env import hanabi_v0

pytestmark = pytest.mark.slow

SCRIPT = """
trained = []

def make_train(config):
    return lambda key: trained.append((key, config))
"""
"""A script with the function that we call in JaxMARL's."""


def very_small() -> Any:
    return hanabi_v0.raw_env(preset="very_small")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of JaxMARL that only has the script above and two settings."""
    path = tmp_path / "JaxMARL" / learners.SCRIPT
    (path.parent / "config").mkdir(parents=True)
    path.write_text(SCRIPT, encoding="utf-8")
    (path.parent / "config" / f"{path.stem}.yaml").write_text('{"NUM_STEPS": 128, "LR": 0.5}', encoding="utf-8")
    return tmp_path / "JaxMARL"


def test_jaxmarl_trains_with_its_settings_and_a_step_of_a_game_counts_once(clone: Path, monkeypatch):
    results: list[Any] = []
    omegaconf = SimpleNamespace(load=lambda path: json.loads(path.read_text(encoding="utf-8")), to_container=dict)
    jax = SimpleNamespace(
        config=SimpleNamespace(update=lambda *_: None),
        jit=lambda train: train,
        random=SimpleNamespace(PRNGKey=lambda seed: seed),
        block_until_ready=results.append,
    )
    monkeypatch.setitem(sys.modules, "jax", jax)
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=lambda **_: None))
    monkeypatch.setitem(sys.modules, "omegaconf", SimpleNamespace(OmegaConf=omegaconf))
    scripts = []
    monkeypatch.setattr(
        learners, "imported", lambda path, real=learners.imported: scripts.append(real(path)) or scripts[0]
    )
    play = learners.jaxmarl(clone, games=8)
    decisions = 8 * 128 * learners.UPDATES
    assert [play(), play()] == [decisions, decisions] and len(results) == 2
    config = {"NUM_STEPS": 128, "LR": 0.5, "NUM_ENVS": 8, "TOTAL_TIMESTEPS": decisions}
    assert scripts[0].trained == [(0, config), (1, config)]


def test_games_of_pettingzoo_are_a_vector_of_the_players_to_move():
    envs, plain = learners.AecGames(very_small, 3), very_small()
    seen, _ = envs.reset(seed=5)
    plain.reset(seed=5)
    ends = 0
    for _ in range(40):
        expected = plain.last()[0]
        assert np.array_equal(seen["observation"][0], expected["observation"])
        assert np.array_equal(seen["action_mask"][0], expected["action_mask"])
        actions, player = seen["action_mask"].argmax(1), plain.agent_selection
        plain.step(int(actions[0]))
        seen, rewards, terminated, truncated, _ = envs.step(actions)
        assert rewards.shape == (3,) and not truncated.any()
        assert (rewards[0], terminated[0]) == (plain.rewards[player], plain.terminations[player])
        if terminated[0]:
            ends += 1
            plain.reset()
    assert ends > 0


def test_only_decisions_that_were_learned_from_are_counted(monkeypatch: pytest.MonkeyPatch):
    learned = []
    update = cleanrl_loop.update

    def counting(network, optimizer, columns, following):
        learned.append(columns[2].numel())
        update(network, optimizer, columns, following)

    monkeypatch.setattr(cleanrl_loop, "update", counting)
    play = learners.cleanrl(learners.AecGames(very_small, 4), seconds=0.2)
    assert play() == sum(learned) == 4 * cleanrl_loop.HORIZON * len(learned) > 0


def test_a_learner_that_lacks_something_is_skipped(clone: Path, tmp_path: Path, monkeypatch, capsys):
    peer = Peer("JaxMARL, IPPO", "learning", lambda _: lambda: 1, learners.JAXMARL)
    monkeypatch.setattr(learners, "missing", lambda _: [])
    assert learners.is_installed(peer, learners.Args(jaxmarl=clone))
    assert not learners.is_installed(peer, learners.Args(jaxmarl=tmp_path))
    assert f"skipped: JaxMARL, IPPO: lacks {tmp_path / learners.SCRIPT}" in capsys.readouterr().out
    monkeypatch.setattr(learners, "missing", lambda _: ["jax"])
    assert not learners.is_installed(peer, learners.Args(jaxmarl=clone))


@pytest.mark.parametrize("others", [1, 2])
def test_the_ratio_is_to_the_better_of_both_others(others: int, tmp_path: Path, monkeypatch, capsys):
    def some(args: learners.Args, ranks: Any) -> list[Peer]:
        names = ("Tortoise", "Snail")[:others]
        return [*real(args, ranks)[:1], *(Peer(name, "learning", lambda _: lambda: 1) for name in names)]

    real, committed = learners.learners, tmp_path / "committed" / "learners.json"
    out = committed if others == 2 else tmp_path / "learners.json"
    monkeypatch.setattr(timing, "place", lambda *_: committed)
    monkeypatch.setattr(learners, "TRIALS", tmp_path)
    monkeypatch.setattr(learners, "learners", some)
    monkeypatch.setattr(learners, "stay_on_one_core", lambda: None)
    learners.main(learners.Args(seconds=1e-6, repeats=1))
    rows = read_results(out)
    assert committed.exists() == (others == 2)
    ratios = [row["slower_than_hanabako"] for row in rows if not row["is_ours"]]
    assert learners.times_the_better(rows) == (min(ratios) if others == 2 else None)
    assert ("no ratio" in capsys.readouterr().out) == (others == 1)
    table, text = pages.by_content(rows), pages.learners_beside(rows)
    assert "| **Hanabako, PPO** |" in table and "| Tortoise |" in table
    assert ("as the faster of the two others" in text) == (others == 2)
