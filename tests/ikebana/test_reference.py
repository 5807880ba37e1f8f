"""The engine and the plain reference play the same random games; every move is compared."""

import random

import pytest

from ikebana_env import IkebanaConfig, ikebana_v0
from tests.reference.ikebana_plain import PlainIkebana, box

from .table import Table

TABLES = [
    IkebanaConfig(),
    IkebanaConfig(players=3),  # the last bits of its observation are in a word that is not full
    IkebanaConfig(players=3, reward="prestige", derived=True),
    IkebanaConfig(players=4, final_bouquet=True, reward="dense"),
    IkebanaConfig(players=5, perfect_recall=True, derived=True),
    IkebanaConfig(players=2, random_start_player=True, rounds=2, perfect_recall=True),
]


def expected_rewards(config: IkebanaConfig, before: list[int], game: PlainIkebana) -> list[float]:
    """J4: the rewards of a move."""
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


def play(config: IkebanaConfig, rng: random.Random) -> int:
    """Play one random game on both; observations are compared at every fifth move.

    Returns:
        How often a deck was reshuffled.
    """
    decks = [rng.sample(box(), 55) for _ in range(config.rounds)]
    env = ikebana_v0.raw_env(config=config)
    env.reset(seed=rng.randrange(2**32), options={"decks": decks})
    table = Table(env)
    start = table.current_player
    game = PlainIkebana(config.players, decks, config.rounds, config.final_bouquet, start)
    patience = rng.choice([0.3, 0.99])  # how often a drawn card is refused
    shuffles = moves = 0
    while game.winners is None:
        legal = game.legal_moves()
        assert table.legal == set(legal)
        words = "refuse" if "refuse" in legal and rng.random() < patience else rng.choice(legal)
        before, again = list(game.prestige), game.needs_shuffle(words)
        rewards = table.do(words).rewards[-1]
        now = env.to_dict()
        game.move(words, [now["drawn"], *now["deck"]] if again else None)
        expected = game.to_dict()
        assert {key: now[key] for key in expected} == expected, words
        assert rewards == pytest.approx(expected_rewards(config, before, game), abs=1e-12)
        if moves % 5 == 0:
            for player in range(config.players):
                expected_bits = game.observation(player, config.perfect_recall, config.derived)
                assert table.bits(player) == expected_bits, player
        shuffles += again
        moves += 1
    assert table.legal == set()
    return shuffles


@pytest.mark.parametrize("config", TABLES, ids=lambda config: f"{config.players}p-{config.reward}")
def test_the_engine_plays_as_the_reference_does(config, full):
    rng = random.Random(config.players)
    shuffles = sum(play(config, rng) for _ in range(8 if full else 3))
    assert shuffles > 0 or config.players == 2 or not full, "games must come to I9"
