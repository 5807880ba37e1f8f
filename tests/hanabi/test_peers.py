"""Our games agree move by move with OpenSpiel and the Learning Environment, on forced decks.

Masks, rewards, scores, ends, the player to move and every observation bit of every seat are compared at every move;
only the terminal observation may differ (E1). The plain reference plays along and must agree with all of them.
Two thousand games played by other projects' bots end with their recorded scores.
"""

import gzip
import json
import random
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hanabi_env import HanabiConfig
from tests.reference import peers
from tests.reference.lockstep import Engine, Machine, Plain, any_legal, no_misplay, play, shuffled_box

from .records import PlainEngine
from .table import new_env
from .tables import COMPILED, MANY, name

MISSING = {
    peers.OpenSpiel: ("pyspiel", "pip install open_spiel"),
    peers.LearningEnvironment: (
        "hanabi_learning_environment",
        "CMAKE_POLICY_VERSION_MINIMUM=3.5 pip install hanabi-learning-environment",
    ),
}
"""The module that each of the other games needs, and the command that installs it."""
PEERS = [
    pytest.param(peer, marks=pytest.mark.skipif(find_spec(module) is None, reason=f"{module} is missing: {command}"))
    for peer, (module, command) in MISSING.items()
]


def compare(config: HanabiConfig, machines: list[Any], games: int, choose: Any, seed: int) -> int:
    rng = random.Random(seed)
    moves = 0
    for _ in range(games):
        deck = shuffled_box(config, rng)
        running: list[Machine] = [machine(config, deck) for machine in machines]
        moves += play(Plain(config, deck), running, choose, rng)
    return moves


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("table", COMPILED, ids=name)
def test_compiled_games_agree(table, peer, full):
    config = HanabiConfig(**table)
    one_table = partial(Engine, env=new_env(config))
    assert compare(config, [one_table, peer], games=8 if full else 3, choose=any_legal, seed=1) > (30 if full else 3)
    assert compare(config, [one_table, peer], games=4 if full else 2, choose=no_misplay, seed=2) > (30 if full else 3)


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("table", MANY, ids=name)
def test_many_tables_agree(table, peer, full):
    config = HanabiConfig(**table)
    compare(config, [PlainEngine, peer], games=2 if full else 1, choose=any_legal, seed=3)
    compare(config, [PlainEngine, peer], games=1, choose=no_misplay, seed=4)


@pytest.mark.parametrize("table", COMPILED, ids=name)
def test_games_that_shuffle_for_themselves_agree_with_the_plain_reference(table):
    """Several episodes at one table agree, so nothing is left over from the game before."""
    config = HanabiConfig(**table, derived=True, random_start_player=True)
    env = new_env(config)
    env.reset(seed=8)
    rng = random.Random(8)
    for choose in (any_legal, no_misplay, any_legal):
        start = env.to_dict()
        deck = [card for hand in start["hands"] for card in hand] + start["deck"]
        play(Plain(config, deck, start["current_player"]), [Running(env)], choose, rng)
        env.reset()


class Running(Engine):
    def __init__(self, env: Any) -> None:
        self.env = env


OURS_ALONE: list[dict[str, Any]] = [
    {"belief": True, "derived": True, "history": 3},
    {"players": 3, "belief": True, "derived": True, "observation_type": "minimal"},
    {"players": 4, "derived": True, "observation_type": "seer", "history": 2},
    {"players": 5, "colors": 3, "empty_hints": True, "belief": True},
    {"empty_hints": True, "score_on_loss": "fireworks", "derived": True},
    {"colors": 2, "hand_size": 10, "history": 7, "score_on_loss": "fireworks"},
    {"colors": 1, "ranks": 3, "hand_size": 1, "players": 4, "derived": True, "belief": True},
    {"players": 3, "hand_size": 1, "empty_hints": True, "max_life_tokens": 50},
]


@pytest.mark.parametrize("table", OURS_ALONE, ids=name)
def test_options_no_peer_has_agree_with_the_plain_reference(table, full):
    config = HanabiConfig(**table)
    compare(config, [PlainEngine], games=4 if full else 1, choose=any_legal, seed=5)
    compare(config, [PlainEngine], games=2 if full else 1, choose=no_misplay, seed=6)


def test_random_tables_agree_with_the_plain_reference():
    rng = random.Random(20)
    for seed in range(40):
        config = random_table(rng)
        compare(config, [PlainEngine], games=1, choose=rng.choice([any_legal, no_misplay]), seed=seed)


def random_table(rng: random.Random) -> HanabiConfig:
    players, colors, ranks = rng.randint(2, 5), rng.randint(1, 5), rng.randint(1, 5)
    deck = colors * (3 if ranks == 1 else 2 * ranks)
    if deck < players:
        return random_table(rng)
    return HanabiConfig(
        players=players,
        colors=colors,
        ranks=ranks,
        hand_size=rng.randint(1, min(deck // players, 8)),
        max_information_tokens=rng.choice([0, 1, 3, 8, 20]),
        max_life_tokens=rng.choice([1, 3, 9]),
        empty_hints=rng.random() < 0.5,
        score_on_loss=rng.choice(["zero", "fireworks"]),
        observation_type=rng.choice(["minimal", "card_knowledge", "seer"]),
        history=rng.choice([1, 1, 2, 5]),
        belief=rng.random() < 0.5,
        derived=rng.random() < 0.5,
    )


def test_recorded_games_end_with_their_scores(recorded_games: Path):
    env = new_env(HanabiConfig())
    scores = []
    with gzip.open(recorded_games / "hanabi_games_2p.jsonl.gz", "rt", encoding="utf-8") as lines:
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
