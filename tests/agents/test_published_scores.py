"""Published scores are offered only for the rules under which they were measured."""

from itertools import pairwise

import pytest

from hanabako.agents.learning.common.published_scores import PUBLISHED, published
from hanabi_env import HanabiConfig
from ikebana_env import IkebanaConfig


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_number_of_players_has_scores_of_its_own(players: int):
    found = published(HanabiConfig(players=players))
    assert found and all(one.players == players and 0 < one.score < 25 for one in found)
    assert any(one.line for one in found)


def test_the_observation_does_not_matter_and_the_rules_do():
    assert published(HanabiConfig(derived=True, history=3)) == published(HanabiConfig())
    assert published(HanabiConfig(score_on_loss="fireworks")) == published(HanabiConfig(colors=4)) == []
    assert published(IkebanaConfig()) == []


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_names_of_lines_do_not_overlap(players: int):
    """Lines of a chart from 0 to 25 that is 4 inches high stand apart by the height of their names, or by a point."""
    lines = sorted(one.score for one in PUBLISHED if one.players == players and one.line)
    assert all(b - a > 1 for a, b in pairwise(lines))
