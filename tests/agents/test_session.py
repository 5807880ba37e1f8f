"""Games with people: their records, and the session behind terminal and browser."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents.people.session import Adviser, Session, best_agent, line_up_of
from hanabako.agents.playing.policy import BatchedPolicy
from hanabako.agents.registry import ConfigOptions
from hanabako.games import make_config
from hanabako.record import GameRecord, read_record
from hanabi_env import PRESETS, HanabiConfig, hanablive

from .people import EVERY_GAME, play_on, session_of, short_config
from .test_answers import Answering

MINI = PRESETS["mini"]


# --- Records ----------------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_a_kept_game_is_replayed_to_the_same_end(game: str, tmp_path: Path):
    session = session_of(game, 0, file=tmp_path / "game.json")
    play_on(session)
    assert session.is_over
    kept = read_record(tmp_path / "game.json")
    assert kept == session.record
    assert kept.replayed().to_dict() == session._env.to_dict()
    assert kept.players == ("person", *["random"] * (kept.config.players - 1))


def test_a_game_of_hanabi_is_kept_for_hanab_live_too(tmp_path: Path):
    config = HanabiConfig(colors=3)
    session = Session(config, [None, agents.load("random", config)], seed=7, file=tmp_path / "game.json")
    play_on(session, decisions=4)
    other = read_record(tmp_path / "game.hanablive.json")
    assert other.players == session.record.players
    assert other.actions == session.record.actions
    assert other.replayed().to_dict() == session._env.to_dict()
    assert hanablive.load(tmp_path / "game.hanablive.json")[0] == config


def test_what_hanab_live_does_not_have_is_kept_for_us_alone(tmp_path: Path):
    session = session_of("hanabi", 0, file=tmp_path / "game.json")  # three ranks
    play_on(session, decisions=1)
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


def test_a_game_from_the_middle_is_kept_for_us_alone(tmp_path: Path):
    """The site shows games from their deal on."""
    begun = GameRecord(HanabiConfig(), 7, ("a", "b"), ("play 0",)).replayed().to_dict()
    record = GameRecord(HanabiConfig(), 7, ("a", "b"), (), {"state": begun})
    record.save(tmp_path / "game.json")
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]
    assert read_record(tmp_path / "game.json").replayed().to_dict() == begun


GOOD = GameRecord(MINI, 7, ("a", "b"), ("play 0",)).to_json()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], "neither a game in the format hanabako-game-1 nor one of hanab.live"),
        ({"format": "hanabako-game-2"}, "neither a game"),
        ({key: value for key, value in GOOD.items() if key != "seed"}, "lacks 'seed'"),
        (GOOD | {"players": ["a"]}, "players must be 2 names, got ['a']"),
        (GOOD | {"players": ["a", 2]}, "players[1]: must be a string, got 2"),
        (GOOD | {"seed": -1}, "seed must be an int from 0"),
        (GOOD | {"actions": "play 0"}, "actions must be a list"),
        (GOOD | {"deal": 3}, "deal must be an object, got 3"),
        (GOOD | {"undone": True}, "undone must be an int"),
        (GOOD | {"config": {"game": "chess"}}, "game must be one of"),
        ({"deck": [], "players": 3, "actions": []}, "object of type 'int'|must be a list"),
    ],
)
def test_a_file_that_holds_no_game_is_refused(values, words: str, tmp_path: Path):
    path = tmp_path / "game.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(ValueError, match=words if "|" in words else re.escape(words)) as refusal:
        read_record(path)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (("play 0", "hint 1 Z"), "action 1 of the game: action must be one of"),
        (("discard 0",), "action 0 of the game: action 0 (discard 0) is not legal for player_0 now"),
    ],
)
def test_actions_that_are_none_are_named_with_their_place(actions: tuple[str, ...], words: str):
    with pytest.raises(ValueError, match=re.escape(words)):
        GameRecord(MINI, 7, ("a", "b"), actions).replayed()


def test_nothing_is_played_after_the_end():
    session = session_of("hanabi", 0)
    play_on(session)
    with pytest.raises(ValueError, match="the game is over before 'play 0'"):
        session.record.with_action("play 0").replayed()


# --- The session ------------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_undo_goes_back_to_ones_own_last_decision_and_the_agents_do_the_same_again(game: str, tmp_path: Path):
    session = session_of(game, 0, file=tmp_path / "game.json")
    play_on(session, decisions=1)
    before, legal, actions = session._env.to_dict(), session.legal(), session.record.actions
    session.take(legal[0])
    list(session.go_on())
    after = session.record.actions
    assert session.undo() == legal[0]
    assert session._env.to_dict() == before
    assert (session.legal(), session.record.actions, session.record.undone) == (legal, actions, 1)
    assert read_record(tmp_path / "game.json") == session.record
    session.take(legal[0])
    list(session.go_on())
    assert session.record.actions == after


class Counting(BatchedPolicy):
    name = "counting"

    def memory(self, count):
        return np.zeros(count, np.int64)

    def act(self, observation: Any, mask: Any, noise: Any, memory: Any = None) -> Any:
        memory += 1
        legal = [np.flatnonzero(row) for row in mask]
        return np.array([row[-1 - count % len(row)] for row, count in zip(legal, memory, strict=True)])


def test_an_agent_remembers_its_own_decisions_after_an_undo():
    """A recurrent network is like this, because its memory changes only when it acts."""
    config = HanabiConfig()  # hints lose no life, and there are enough of them
    session = Session(config, [None, Counting()], seed=3)
    play_on(session, decisions=3)
    expected = session.record.actions
    session.undo()
    session.take(expected[-2])
    list(session.go_on())
    assert session.record.actions == expected


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """Put a file in the place of a folder, so that nothing can be written there, and undo that after the block."""
    aside = folder.rename(folder.with_name("aside"))
    folder.touch()
    yield
    folder.unlink()
    aside.rename(folder)


def test_a_move_that_cannot_be_saved_is_not_made_and_can_be_made_again(tmp_path: Path):
    """This also holds for an undo, and an agent, whose memory changes when it acts, is not asked twice."""
    config = HanabiConfig()
    session, other = (Session(config, [None, Counting()], seed=3, file=tmp_path / name / "g.json") for name in "ab")
    play_on(other, decisions=3)
    for decision in range(3):
        before, legal = session._env.to_dict(), session.legal()
        with unwritable(tmp_path / "a"), pytest.raises(OSError, match=r"g\.json cannot be written"):
            session.take(legal[-1])
        assert (session._env.to_dict(), session.legal(), len(session.record.actions)) == (before, legal, 2 * decision)
        session.take(legal[-1])
        with unwritable(tmp_path / "a"), pytest.raises(OSError, match=r"g\.json cannot be written"):
            list(session.go_on())
        assert len(session.record.actions) == 2 * decision + 1 and session.player == 1
        list(session.go_on())
    assert session.record.actions == other.record.actions
    with unwritable(tmp_path / "a"), pytest.raises(OSError, match=r"g\.json cannot be written"):
        session.undo()
    assert session.record == other.record == read_record(tmp_path / "a" / "g.json")
    assert session._env.to_dict() == other._env.to_dict()
    session.undo()
    play_on(session, decisions=1)
    assert session.record.actions == other.record.actions


def test_an_agent_that_chooses_what_is_not_legal_leaves_the_game_as_it_was(tmp_path: Path):
    reckless = Answering(lambda mask: np.argmin(mask, axis=1))
    session = Session(HanabiConfig(), [reckless, None], seed=3, file=tmp_path / "game.json")
    before = session.record
    with pytest.raises(ValueError, match=r"Wrong must answer with a legal action, .*, got 0$"):
        list(session.go_on())
    assert session.record == before == read_record(tmp_path / "game.json")


def test_only_a_person_whose_turn_it_is_acts_and_only_legally():
    session = session_of("hanabi", 1)
    with pytest.raises(ValueError, match=r"player_0 \(random\) is to move"):
        session.take("play 0")
    list(session.go_on())
    with pytest.raises(ValueError, match=r"action must be one of .*, got 'play 9'"):
        session.take("play 9")
    play_on(session)
    with pytest.raises(ValueError, match="the game is over"):
        session.take("play 0")


@EVERY_GAME
def test_an_adviser_says_what_it_would_have_played_itself(game: str):
    """Its opinions of its own game are its actions, whatever the agents at the seats remember or draw at random."""
    name = {"hanabi": "piers", "ikebana": "greedy", "koikoi": "counting"}[game]
    config = short_config(game)
    session = Session(config, [agents.load(name, config)] * config.players, seed=5)
    list(session.go_on())
    advised = [next(iter(opinion.probabilities)) for opinion in Adviser(name, config).opinions(session.record)]
    assert tuple(advised) == session.record.actions and len(advised) > 4


def test_a_network_advises_with_probabilities_of_what_it_observes():
    session = Session(MINI, [None, agents.load("random", MINI)], seed=2)
    play_on(session, decisions=2)
    advice = Adviser("hanabi-mini-2p", MINI).advice(session.record)
    assert set(advice) == set(session.legal())
    assert list(advice.values()) == sorted(advice.values(), reverse=True)
    assert sum(advice.values()) == pytest.approx(1, abs=1e-3)


def test_a_search_advises_with_the_value_of_every_action():
    """In a game of others, it gives no values if there is nothing to choose or its belief is empty."""
    session = Session(MINI, [agents.load("piers", MINI)] * 2, seed=5)
    list(session.go_on())
    opinions, thought = list(Adviser("search:piers", MINI).opinions(session.record)), 0
    assert len(opinions) == len(session.record.actions)
    for opinion, env in zip(opinions, session.record.positions(), strict=False):
        (choice,) = opinion.probabilities
        mask = env.observe(env.agent_selection)["action_mask"]
        legal = {env.action_to_str(int(action)) for action in np.flatnonzero(mask)}
        assert choice in legal and (not opinion.values or set(opinion.values) == legal)
        thought += bool(opinion.values)
    assert thought > 1


def test_the_config_follows_the_network_that_plays():
    assert ConfigOptions().config_for("hanabi", ["person", "hanabi-mini-2p"]).ranks == 3
    assert ConfigOptions(preset="standard").config_for("hanabi", ["person", "hanabi-standard-2p"]).ranks == 5
    assert ConfigOptions().config_for("hanabi", ["person", "smart", "piers"]).players == 3
    assert best_agent(make_config("koikoi")) == "monte_carlo"


def test_seats_are_filled_and_not_overfilled():
    seats = line_up_of(["person", "random"], MINI, 3)
    assert [getattr(policy, "name", None) for policy in seats] == [None, "random", "random"]
    with pytest.raises(ValueError, match="got 2 agents for 1 seat: "):
        line_up_of(["random", "random"], MINI, 1)


@EVERY_GAME
def test_every_choice_and_step_has_words_for_people(game: str):
    session = session_of(game, 0)
    list(session.go_on())
    while session.is_persons_turn:
        for action in session.legal():
            note = session.note(action)
            assert "None" not in note and "??" not in note and len(note) < 60
        news = [session.take(session.legal()[0]), *session.go_on()]
        assert all(words and "\n" not in words and "None" not in words for words in news)


def test_a_hints_note_names_the_slots_that_it_will_touch():
    session = session_of("hanabi", 0, 1)
    for action in [action for action in session.legal() if action.startswith("hint")]:
        slots = session.note(action).removeprefix("player_1: ").replace(" ", ", ")
        copy = Session(session.config, [None, None], seed=7)
        assert copy.take(action).rpartition(" slot")[2].removeprefix("s").strip() == slots
