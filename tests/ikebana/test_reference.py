"""The engine and the plain reference play the same random games, compared at every move; compiled, and by Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from ikebana_env import IkebanaConfig, ikebana_v0, rules
from ikebana_env.notation import action_words
from ikebana_env.observation import observation_bits, observation_words, observe
from ikebana_env.position import load_decks, to_dict
from tests.reference.ikebana_plain import PlainIkebana, box

TABLES = [
    IkebanaConfig(),
    IkebanaConfig(players=3, reward="prestige", derived=True),
    IkebanaConfig(players=4, final_bouquet=True, reward="dense"),
    IkebanaConfig(players=5, perfect_recall=True, derived=True),
    IkebanaConfig(players=2, random_start_player=True, rounds=2, perfect_recall=True),
]
GAMES = 8


class Compiled:
    """The AEC environment."""

    def __init__(self, config: IkebanaConfig) -> None:
        self.env = ikebana_v0.raw_env(config=config)

    def deal(self, seed: int, decks: list[list[str]]) -> None:
        self.env.reset(seed=seed, options={"decks": decks})

    def to_dict(self) -> dict[str, Any]:
        return self.env.to_dict()

    def step(self, words: str) -> list[float]:
        self.env.step(self.env.str_to_action(words))
        return [self.env.rewards[agent] for agent in self.env.possible_agents]

    def legal(self) -> list[str]:
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return [self.env.action_to_str(int(action)) for action in np.flatnonzero(mask)]

    def observation(self, player: int) -> list[int]:
        return self.env.observe(f"player_{player}")["observation"].tolist()


class Interpreted:
    """The very functions that Numba compiles, run by Python."""

    def __init__(self, config: IkebanaConfig) -> None:
        self.config, self.rules = config, config.rules()
        self.state = np.zeros(1, rules.state_dtype(config.players, config.rounds)).view(np.recarray)[0]

    @np.errstate(over="ignore")  # random numbers and counts of bits are made modulo 2^64
    def deal(self, seed: int, decks: list[list[str]]) -> None:
        self.state.game_key = seed
        rules.init(self.rules, self.state)
        load_decks(self.config, self.state, decks)

    @np.errstate(over="ignore")
    def to_dict(self) -> dict[str, Any]:
        return to_dict(self.config, self.state)

    @np.errstate(over="ignore")
    def step(self, words: str) -> list[float]:
        out = np.array([rules.lead(self.rules, self.state, k) for k in range(self.config.players)], np.float64)
        rules.step(self.rules, self.state, action_words(self.config).index(words))
        rules.rewards(self.rules, self.state, out)
        return out.tolist()

    def legal(self) -> list[str]:
        mask = np.zeros(1, np.uint64)
        rules.legal_action_mask(self.rules, self.state, mask)
        return [words for k, words in enumerate(action_words(self.config)) if int(mask[0]) >> k & 1]

    @np.errstate(over="ignore")
    def observation(self, player: int) -> list[int]:
        words = np.zeros(observation_words(self.rules), np.uint64)
        observe(self.rules, self.state, player, words)
        return np.unpackbits(words.view(np.uint8), bitorder="little")[: observation_bits(self.rules)].tolist()


def expected_rewards(config: IkebanaConfig, before: list[int], game: PlainIkebana) -> list[float]:
    """J4."""
    players = config.players

    def leads(prestige: list[int]) -> list[float]:
        return [(own - (sum(prestige) - own) / (players - 1)) / 25 for own in prestige]

    if config.reward == "dense":
        return [now - then for now, then in zip(leads(game.prestige), leads(before), strict=True)]
    if game.winners is None:
        return [0.0] * players
    if config.reward == "prestige":
        return leads(game.prestige)
    won = len(game.winners)
    shares = [(players - won) / (players * won) if k in game.winners else -1 / players for k in range(players)]
    return [share * players / (players - 1) for share in shares]


def play(config: IkebanaConfig, engine: Any, rng: random.Random, every: int) -> int:
    """One random game on both; observations are compared at every so many moves. Returns the shuffles of a deck."""
    decks = [rng.sample(box(), 55) for _ in range(config.rounds)]
    engine.deal(rng.randrange(2**32), decks)
    start = engine.to_dict()["current_player"]
    game = PlainIkebana(config.players, decks, config.rounds, config.final_bouquet, start)
    patience = rng.choice([0.3, 0.99])  # how long a card is refused
    shuffles = moves = 0
    while game.winners is None:
        legal = game.legal_moves()
        assert engine.legal() == legal
        words = "refuse" if "refuse" in legal and rng.random() < patience else rng.choice(legal)
        before, anew = list(game.prestige), game.needs_shuffle(words)
        rewards = engine.step(words)
        now = engine.to_dict()
        game.move(words, [now["drawn"], *now["deck"]] if anew else None)
        expected = game.to_dict()
        assert {key: now[key] for key in expected} == expected, words
        assert rewards == pytest.approx(expected_rewards(config, before, game), abs=1e-12)
        if moves % every == 0:
            for player in range(config.players):
                assert engine.observation(player) == game.observation(player, config.perfect_recall, config.derived), (
                    player
                )
        shuffles += anew
        moves += 1
    assert engine.legal() == []
    return shuffles


@pytest.mark.parametrize("config", TABLES, ids=lambda config: f"{config.players}p-{config.reward}")
def test_the_engine_plays_as_the_reference_does(config):
    rng, engine = random.Random(config.players), Compiled(config)
    shuffles = sum(play(config, engine, rng, every=5) for _ in range(GAMES))
    assert shuffles > 0 or config.players == 2, "games must come to I9"


@pytest.mark.parametrize("config", TABLES, ids=lambda config: f"{config.players}p-{config.reward}")
def test_the_same_source_plays_as_plain_python(config):
    play(config, Interpreted(config), random.Random(7), every=10)
