"""The command that draws a game of bots, and the pictures of the READMEs."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hanabako.agents.commands.command_line import main
from hanabako.agents.commands.draw import sample_game
from hanabako.agents.people.session import best_agent
from hanabako.agents.registry import names
from hanabako.drawing.replay import Snapshot
from hanabi_env import HanabiConfig
from tests.games import EVERY_GAME, GameUnderTest
from tests.processes import ROOT

SHOWN = dict(re.findall(r"^PICTURE_(\w+) *:= (.*)", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))


@EVERY_GAME
def test_the_default_agent_is_the_last_that_plays_fairly(under_test: GameUnderTest) -> None:
    fair = [name for name in names(under_test.name) if "cheat" not in name]
    assert best_agent(under_test.config()) == fair[-1] != "random"


@EVERY_GAME
def test_a_sample_game_is_a_game(under_test: GameUnderTest) -> None:
    config = under_test.config(**under_test.short)
    snapshots = sample_game(config, seed=3, agent="random")
    env = under_test.raw_env(config=config)
    env.reset(seed=3)
    for now in snapshots[:-1]:
        assert env.to_dict() == now.position
        env.step(env.str_to_action(str(now.action)))
    assert all(env.terminations.values()) and env.to_dict() == snapshots[-1].position
    assert snapshots[-1].action is None
    assert sample_game(config, seed=3, moves=4, agent="random")[:4] == snapshots[:4]


def test_an_agent_that_cannot_play_is_passed_over_unless_it_is_asked_for() -> None:
    config = HanabiConfig(observation_type="minimal")
    assert best_agent(config) == "questions"
    with pytest.raises(ValueError, match="must be one of"):
        sample_game(config, agent="nobody")


@EVERY_GAME
def test_the_command_writes_pictures(under_test: GameUnderTest, tmp_path: Path) -> None:
    words = ["--seed", "3", "--moves", "12", "--seat", "0", "--agent", "random"]
    main(["draw", under_test.name, str(tmp_path / "table.svg"), *words])
    assert "<svg" in (tmp_path / "table.svg").read_text(encoding="utf-8")[:100]


NO_ACTIONS: list[Any] = ["nonsense", "", "buy", "buy 9", "buy x", "play", "play 99", "hint 1", 5, []]


@EVERY_GAME
def test_a_record_that_cannot_be_drawn_is_refused_in_words(under_test: GameUnderTest) -> None:
    config = under_test.config()
    first, second, *_ = sample_game(config, seed=3, moves=2, agent="random")
    drawing = under_test.entry.make_game(config).drawing()
    assert drawing.replay(config, [first, second]).frames
    for action in NO_ACTIONS:
        with pytest.raises(ValueError, match="snapshot 0: action"):
            drawing.replay(config, [replace(first, action=action), second])
    positions = [{**second.position, key: value} for key in second.position for value in (None, "Z9", [["Z9"]], 99)]
    refusals = []
    for position in [{}, *positions]:
        try:
            assert drawing.replay(config, [Snapshot(position)]).html()  # values that are not drawn may be wrong
        except ValueError as error:
            refusals.append(str(error))
    assert len(refusals) > len(positions) / 4
    assert not any("\n" in words for words in refusals)


@pytest.mark.slow
@EVERY_GAME
def test_the_readmes_pictures_are_todays(under_test: GameUnderTest, tmp_path: Path) -> None:
    arguments = SHOWN.get(under_test.name, "")
    main(["draw", under_test.name, str(tmp_path / "today.svg"), *arguments.split()])
    today, out = (tmp_path / "today.svg").read_text(encoding="utf-8"), f"docs/{under_test.name}.svg"
    again = f"draw it again: hanabako draw {under_test.name} {out} {arguments}"
    assert (ROOT / out).read_text(encoding="utf-8") == today, again
