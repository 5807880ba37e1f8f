"""Minari's datasets hold an episode for every seat of a recorded game, complete or not at all."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents.datasets import record
from hanabako.games import games
from hanabi_env import HanabiConfig


@pytest.mark.parametrize("game", list(games()))
def test_minari_has_an_episode_for_every_seat(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    minari = pytest.importorskip("minari")
    from hanabako.agents.bridges.minari import to_minari

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    config = games()[game].make_config(**games()[game].short)
    recorded = record(tmp_path / "games.npz", config, agents.load("random", config), 5, seed=2)
    to_minari(recorded, f"hanabako/{game}-v0")
    episodes = list(minari.load_dataset(f"hanabako/{game}-v0").iterate_episodes())
    returns = recorded.results().rewards
    decisions = list(recorded.decisions(observation="int8"))
    seats = sorted(
        {seat for some in decisions for seat in zip(some.games.tolist(), some.players.tolist(), strict=True)}
    )
    for episode, (number, player) in zip(episodes, seats, strict=True):  # a player who never moved has no episode
        (some,) = (some for some in decisions if number in some.games)
        own = some.chosen((some.games == number) & (some.players == player))
        assert np.array_equal(episode.actions, own.actions)
        assert np.array_equal(episode.observations["observation"][:-1], own.observations)
        assert np.array_equal(episode.observations["action_mask"][:-1], own.masks)
        assert not episode.observations["action_mask"][-1].any()
        assert episode.rewards.sum() == pytest.approx(returns[number, player], abs=1e-4)
        assert episode.terminations.tolist() == [False] * (len(own.actions) - 1) + [True]
        assert not episode.truncations.any()


def test_an_interrupted_export_leaves_no_dataset_of_minari(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    minari = pytest.importorskip("minari")
    from hanabako.agents.bridges import minari as minari_export

    def interrupted(*args: Any) -> Any:
        yield next(written(*args))
        raise KeyboardInterrupt

    written = minari_export.episodes
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    recorded = record(tmp_path / "games.npz", HanabiConfig(), agents.load("smart", HanabiConfig()), 2, seed=2)
    monkeypatch.setattr(minari_export, "episodes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        minari_export.to_minari(recorded, "hanabako/games-v0")
    monkeypatch.setattr(minari_export, "episodes", written)
    assert minari_export.to_minari(recorded, "hanabako/games-v0").total_episodes == 4
    with pytest.raises(ValueError, match="already exists"):
        minari_export.to_minari(recorded, "hanabako/games-v0")
    assert minari.load_dataset("hanabako/games-v0").total_episodes == 4
