"""Measures of communication and agreement, on games whose hints or actions are known."""

from types import SimpleNamespace

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.results.communication import action_maps, agreement, bits_between, measure
from hanabi_env import HanabiConfig

CONFIG = HanabiConfig(derived=True)


class Teller:
    """Names the rank of the next player's oldest card while there are tokens, then discards its own oldest card."""

    name = "teller"
    observes = False

    def act(self, observation, mask, noise):
        ranks = mask[:, 15:20]
        return np.where(ranks.any(axis=1), 15 + ranks.argmax(axis=1), 0)


class Slots:
    """Plays the card in a slot, or discards while that is legal and ``discards``."""

    name = "slots"
    observes = False

    def __init__(self, discards: bool) -> None:
        self.discards = discards

    def act(self, observation, mask, noise):
        return np.where(mask[:, 0] & self.discards, 0, 5)


def test_who_only_plays_knows_nothing_and_says_nothing():
    talk = measure(CONFIG, Slots(discards=False), 50, seed=1)
    assert talk.known == {"neither": 1.0, "color": 0.0, "rank": 0.0, "both": 0.0}
    assert (talk.hints, talk.communicativeness, talk.information_per_play) == (0, 0, 0)
    assert talk.blind_share == 1.0
    assert talk.finesse_share == 0.0


def test_who_only_tells_ranks_tells_bits_of_rank():
    talk = measure(CONFIG, Teller(), 50, seed=1)
    assert talk.communicativeness == 1.0
    assert talk.bits_per_hint > 0.3
    assert 0 < talk.idle_hints < 1  # the same rank again gives no information
    matrix = talk.conditional_actions()
    assert matrix.sum(axis=1).round(9).tolist() == [float(row.any()) for row in talk.actions]
    assert talk.actions[:, 1:15].sum() == 0  # no colors, no plays


def test_a_tiles_choice_is_no_turn_and_its_hint_takes_no_token():
    """V4, N2: without tokens, hints are gifts of tiles; a completed color returns a tile, so it loses no token."""
    for tokens in (0, 8):
        config = HanabiConfig(flamboyants=True, max_information_tokens=tokens)
        found = measure(config, agents.load("cheat", config), 300, 1)
        assert found.hints > 0 and found.tokens_lost == 0
        assert found.communicativeness == 0 if tokens == 0 else 0 < found.communicativeness < 1


def test_the_games_are_those_that_play_plays_and_a_convention_says_more_than_its_words():
    policy = agents.load("smart", CONFIG)
    talk = measure(CONFIG, policy, 60, seed=3)
    games = play(CONFIG, policy, 60, seed=3)
    assert talk.actions.sum() == games.length.sum() - 60  # every action but the first follows another
    assert sum(talk.known.values()) == pytest.approx(1)
    assert talk.information_per_play > 0.5
    assert talk.conventional_bits_per_hint is not None
    assert talk.conventional_bits_per_hint > talk.bits_per_hint / 2
    assert measure(CONFIG, agents.load("iggi", CONFIG), 5, seed=3).conventional_bits_per_hint is None


def test_bits_are_logarithms_of_how_sets_shrink():
    before = np.array([[[0b1111, 0b11]], [[0b1, 0]]], np.uint64)
    after = np.array([[[0b0001, 0b11]], [[0b1, 0b111]]], np.uint64)
    assert bits_between(before, after).tolist() == [2.0, 0.0]


def test_only_hanabi_is_listened_to(monkeypatch):
    monkeypatch.setattr("hanabako.agents.results.communication.game_of", lambda _: SimpleNamespace(name="other"))
    with pytest.raises(ValueError, match="measured in hanabi, got other"):
        measure(CONFIG, Teller(), 1, seed=1)


def test_each_agent_has_a_panel_whose_rows_and_columns_are_named():
    maps = {"one": np.eye(20), "two": np.zeros((20, 20))}
    *panels, bar = action_maps(maps, CONFIG, "title").axes
    assert [axes.get_title(loc="left") for axes in panels] == ["one", "two"]
    assert np.array_equal(panels[0].images[0].get_array(), maps["one"])
    words = [[label.get_text() for label in axes.get_yticklabels()] for axes in panels]
    assert words[0][0] == "discard 0" and len(words[0]) == 20 and not any(words[1])
    assert [label.get_text() for label in panels[1].get_xticklabels()] == words[0]
    assert bar.get_ylabel() == "probability"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["smart", "hanabi-standard-2p", "random"])
def test_an_agent_agrees_with_itself(name: str) -> None:
    one, other = (agents.load(name, CONFIG) for _ in range(2))
    assert agreement(CONFIG, one, other, 20, seed=1) == 1


@pytest.mark.slow
def test_only_choices_of_both_agents_count_alike() -> None:
    """With all tokens left no player may discard, and `Slots` never hints, so both always play."""
    assert agreement(CONFIG, Slots(True), Slots(False), 20, seed=1) == 1
    assert agreement(CONFIG, Slots(False), agents.load("smart", CONFIG), 20, seed=1) < 0.5


@pytest.mark.slow
def test_agreement_is_counted_on_the_games_of_the_first() -> None:
    smart, flawed = (agents.load(name, CONFIG) for name in ("smart", "flawed"))
    both = agreement(CONFIG, smart, flawed, 50, seed=1), agreement(CONFIG, flawed, smart, 50, seed=1)
    assert 0 < both[1] < both[0] < 0.5
