"""Bots as plain classes, and partners of the Gymnasium seat by name."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.playing.seating import OneTable
from hanabako.envs.seat import random_partner
from hanabako.games import game_of
from hanabi_env import PRESETS
from tests.games import EVERY_GAME, GameUnderTest

MINI = PRESETS["mini"]


class Firm(agents.PlainBot):
    """Takes the first legal action in a fixed order of words, and stores what it was shown."""

    name = "firm"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def act(self, view: Any) -> str:
        self.seen.append(view.text())
        return min(view.legal)


@EVERY_GAME
def test_a_plain_bot_plays_every_game_and_answers_with_a_legal_word(under_test: GameUnderTest) -> None:
    config = under_test.config(**under_test.short)
    bot = Firm()
    games = play(config, bot, 3, seed=4)
    assert len(bot.seen) == games.length.sum()
    assert all("\nlegal: " in text for text in bot.seen)
    team = [Firm(), *[agents.load("random", config)] * (config.players - 1)]
    assert play(config, team, 3, seed=4).length.all()


def test_a_wrong_word_is_named_with_those_allowed() -> None:
    class Mute(agents.PlainBot):
        def act(self, view: Any) -> str:
            return "pass"

    with pytest.raises(ValueError, match=r"Mute must answer one of .*play 0.*, got 'pass'"):
        play(MINI, Mute(), 1, seed=1)


def rest_of(env: Any, seed: int) -> tuple[float, list[int]]:
    """Play the game of a seed by the first legal actions, and return what was earned and the actions."""
    observation, _ = env.reset(seed=seed)
    earned, actions, over = 0.0, [], False
    while not over:
        actions.append(int(observation["action_mask"].argmax()))
        observation, reward, over, _, _ = env.step(actions[-1])
        earned += float(reward)
    return earned, actions


@EVERY_GAME
def test_a_name_a_policy_and_a_sequence_of_them_play_the_same(under_test: GameUnderTest) -> None:
    config = under_test.config(**under_test.short)
    name = agents.names(under_test.name)[1]
    played = []
    for partners in (name, agents.load(name, config), [name] * (config.players - 1)):
        env = under_test.entry.make_seat(**under_test.short, partners=partners, seat=1)
        played.append([rest_of(env, seed) for seed in range(5)])
    assert played[0] == played[1] == played[2]
    env = under_test.entry.make_seat(**under_test.short, partners={"pool": [name]})
    assert rest_of(env, 3) == rest_of(env, 3)


def test_partners_by_name_play_their_own_game() -> None:
    """If the seat also plays as `smart`, the game with partner `smart` is the game of `smart` alone."""
    config = replace(MINI, players=3)
    env = game_of(config).make_seat(config=config, partners="smart", seat=2)
    expected = play(config, agents.load("smart", config), 6, seed=8)
    for index in range(6):
        env.reset(seed=8, options={"game_index": index})
        twin = game_of(config).module("hanabi_v0").raw_env(config=config)
        twin.reset(seed=8, options={"game_index": index})
        players = OneTable(twin, agents.load("smart", config))
        over = False
        while not over:
            action = players.action()
            if twin.agent_selection == "player_2":
                _, _, over, _, _ = env.step(action)
            twin.step(action)
            players.observe()
        assert env.table.to_dict()["score"] == expected.score[index]


@pytest.mark.statistical
def test_a_pool_is_drawn_from_anew_each_game() -> None:
    """In 200 games of three players and a pool of two, all pairs of partners occur; false alarms below 1e-20."""
    met = set()

    def partner(mark: int) -> Any:
        def act(observation: Any, generator: np.random.Generator) -> int:
            table.append(mark)
            return random_partner(observation, generator)

        return act

    env = game_of(MINI).make_seat(preset="mini", players=3, partners={"pool": [partner(0), partner(1)]})
    for seed in range(200):
        table: list[int] = []
        rest_of(env, seed)
        assert all(mark == table[k % 2] for k, mark in enumerate(table)), "the same to the end"
        met.add(tuple(table[:2]))
    assert len({pair for pair in met if len(pair) == 2}) == 4


@pytest.mark.parametrize(
    ("partners", "words"),
    [
        ("nobody", "an agent must be one of"),
        (["smart", "smart"], "one for each of 1 other players, got 2"),
        ({"pool": []}, "pool"),
        ({"poll": ["smart"]}, "pool"),
        ({"pool": "smart"}, "pool"),
        (3, "a partner must be an agent's name, a policy or a function, got 3"),
        ({"pool": [3]}, "a partner must be"),
        (agents.PlainBot, r"a partner must be an agent, got the class PlainBot; PlainBot\(\) makes one"),
    ],
)
def test_partners_that_cannot_be_are_refused(partners, words) -> None:
    with pytest.raises(ValueError, match=words):
        game_of(MINI).make_seat(preset="mini", partners=partners)
