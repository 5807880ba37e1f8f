"""Agreement of agents, on agents whose actions are known."""

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents.results.communication import agreement
from hanabi_env import HanabiConfig

pytestmark = pytest.mark.slow

CONFIG = HanabiConfig(derived=True)


class Slots:
    """Plays the card in a slot, or discards while that is legal and ``discards``."""

    name = "slots"
    observes = False

    def __init__(self, discards: bool) -> None:
        self.discards = discards

    def act(self, observation, mask, noise):
        return np.where(mask[:, 0] & self.discards, 0, 5)


@pytest.mark.parametrize("name", ["smart", "hanabi-standard-2p", "random"])
def test_an_agent_agrees_with_itself(name: str) -> None:
    one, other = (agents.load(name, CONFIG) for _ in range(2))
    assert agreement(CONFIG, one, other, 20, seed=1) == 1


def test_only_choices_of_both_agents_count_alike() -> None:
    """With all tokens left no player may discard, and `Slots` never hints, so both always play."""
    assert agreement(CONFIG, Slots(True), Slots(False), 20, seed=1) == 1
    assert agreement(CONFIG, Slots(False), agents.load("smart", CONFIG), 20, seed=1) < 0.5


def test_agreement_is_counted_on_the_games_of_the_first() -> None:
    smart, flawed = (agents.load(name, CONFIG) for name in ("smart", "flawed"))
    both = agreement(CONFIG, smart, flawed, 50, seed=1), agreement(CONFIG, flawed, smart, 50, seed=1)
    assert 0 < both[1] < both[0] < 0.5
