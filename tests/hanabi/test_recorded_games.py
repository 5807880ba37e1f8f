"""Two thousand games played by other projects' bots end with their recorded scores."""

import gzip
import json
from pathlib import Path

import pytest

from hanabi_env import HanabiConfig

from .table import new_env

RECORDS = Path(__file__).resolve().parents[3] / "shared" / "data" / "hanabi_games_2p.jsonl.gz"


@pytest.mark.skipif(not RECORDS.exists(), reason=f"no recorded games at {RECORDS}")
def test_recorded_games_end_with_their_scores():
    env = new_env(HanabiConfig())
    scores = []
    with gzip.open(RECORDS, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            game = json.loads(line)
            deck = [game["deck"][at : at + 2] for at in range(0, 100, 2)]
            env.reset(options={"deck": deck})
            total = 0
            for action in game["actions"]:
                assert not env.terminations["player_0"], f"game {number} ends before its record"
                env.step(action)
                total += env.rewards["player_0"]
            assert env.terminations["player_0"], f"game {number} goes on after its record"
            assert total == env.to_dict()["score"] == game["score"], f"game {number}"
            scores.append(game["score"])
    assert len(scores) == 2000
    assert 0 in scores and 25 in scores
