"""Meetings: who sits where, what is kept of the games, and what follows from it."""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.results.meeting import BLOCK, Meeting, gap, in_blocks, meeting_of, play_deals, play_meeting, pooled
from hanabako.agents.results.study import result_of
from hanabako.agents.results.tables import table
from hanabako.agents.results.views import gain, matrix
from hanabako.games import game_named, game_names, make_config

MINI = make_config("hanabi", "mini")


@pytest.fixture(scope="module")
def pool():
    return {name: agents.load(name, MINI) for name in ("random", "cheat", "smart")}


@pytest.mark.parametrize(
    ("line_up", "seats", "expected"),
    [
        ("a", "given", ["aaa"]),
        ("ab", "given", ["abb"]),
        ("abc", "given", ["abc"]),
        ("ab", "turns", ["abb", "bab", "bba"]),
        ("ab", "exchanged", ["abb", "bab", "bba", "baa", "aba", "aab"]),
        ("ab", "turns", ["ab", "ba"]),
        ("ab", "exchanged", ["ab", "ba"]),
    ],
)
def test_seats_of_three_players_and_of_two(line_up: str, seats: Any, expected: list[str]):
    meeting = Meeting.of(replace(MINI, players=len(expected[0])), line_up, seats)
    meeting.check()
    assert ["".join(names) for names in meeting.line_ups] == expected


@pytest.mark.parametrize(("line_up", "seats"), [("", "given"), ("abcd", "given"), ("a", "turns"), ("abc", "exchanged")])
def test_a_line_up_that_does_not_fit_the_seats_is_refused(line_up: str, seats: Any):
    with pytest.raises((ValueError, IndexError), match="line_up must name"):
        Meeting.of(replace(MINI, players=3), line_up, seats).check()


@pytest.mark.parametrize("game", game_names())
def test_the_words_of_a_meeting_give_its_config_back(game: str):
    entry = game_named(game)
    for preset, config in entry.presets.items():
        meeting = Meeting.of(config, ["random"], deals=3, seed=2)
        assert meeting.preset.split(" ")[0] in entry.presets, preset
        assert Meeting(**meeting.values(), wanted=3).config == config
    changed = make_config("hanabi", "mini", 3, ["max_life_tokens=1", "history=2"])
    assert Meeting.of(changed, ["random"]).preset == "mini max_life_tokens=1 history=2"


@pytest.mark.parametrize("seats", ["given", "turns"])
def test_a_result_is_that_of_the_games_of_its_line_ups(pool, seats: Any):
    meeting = Meeting.of(MINI, ["smart", "random"], seats, 50, seed=4)
    found = play_meeting(meeting, None, pool)
    scores = np.stack([play(MINI, [pool[name] for name in names], 50, 4).score for names in meeting.line_ups], axis=1)
    assert found["score"] == scores.mean() and found["games"] == scores.size
    assert found["score_error"] == pytest.approx(scores.mean(1).std(ddof=1) / math.sqrt(50)), "over deals"
    assert found["sums"] == [scores[:20].sum(0).tolist(), scores[20:40].sum(0).tolist(), scores[40:].sum(0).tolist()]
    assert ("rewards" in found) == (seats == "given")


def test_a_match_is_scored_by_the_lead_of_its_first_agent():
    config = make_config("koikoi", "document", settings=["rounds=1", "reward=points"])
    players = {name: agents.load(name, config) for name in ("counting", "greedy_stop")}
    meeting = Meeting.of(config, list(players), "exchanged", 40, seed=1)
    found = play_meeting(meeting, None, players)
    lots = [play(config, [players[name] for name in names], 40, 1) for names in meeting.line_ups]
    leads = np.stack([lots[0].rewards @ [1, -1], lots[1].rewards @ [-1, 1]], axis=1)
    assert found["lead"] == pytest.approx(leads.mean()) and found["sums"] == in_blocks(leads)
    won = np.stack([lots[0].winners[:, 0], lots[1].winners[:, 1]], axis=1)
    assert found["won"] == pytest.approx(won.mean())
    assert np.sum(found["wins"]) == pytest.approx((found["won"] + found["drawn"] / 2) * 80)


def test_the_winner_of_a_match_is_the_winner_of_the_game():
    """K29: the higher total wins, though the rewards of twelve rounds may favour the one who wins more of them."""
    signs = []
    for reward in ("squashed", "result"):
        config = make_config("koikoi", "document", settings=[f"reward={reward}"])
        players = {name: agents.load(name, config) for name in ("counting", "greedy_stop")}
        meeting = Meeting.of(config, list(players), "exchanged", seed=1)
        lots, _ = play_deals(meeting, players, 0, 100)
        signs.append({name: np.sign(gap(meeting, lots, name)) for name in ("winners", "rewards")})
    np.testing.assert_array_equal(signs[0]["winners"], signs[1]["winners"])
    np.testing.assert_array_equal(signs[1]["winners"], signs[1]["rewards"])
    assert (signs[0]["rewards"] != signs[1]["rewards"]).any(), "the test would not tell them apart"


@pytest.mark.parametrize("reward", ["win", "prestige", "dense"])
def test_the_winners_of_ikebana_are_those_with_the_most_prestige(reward: str):
    signs = []
    for own in (reward, "win"):
        config = make_config("ikebana", "standard", 3, [f"reward={own}"])
        players = {name: agents.load(name, config) for name in ("random", "greedy")}
        meeting = Meeting.of(config, list(players), "exchanged", seed=2)
        lots, _ = play_deals(meeting, players, 0, 40)
        signs.append({name: np.sign(np.round(gap(meeting, lots, name), 9)) for name in ("winners", "rewards")})
    np.testing.assert_array_equal(signs[0]["winners"], signs[1]["rewards"])


@given(st.integers(1, 200), st.integers(1, 200))
def test_two_parts_are_as_one(one: int, other: int):
    def part(scores: np.ndarray) -> dict[str, Any]:
        count = len(scores)
        error = float(scores.std(ddof=1) / math.sqrt(count)) if count > 1 else None
        rates = {"lost_rate": float((scores == 0).mean()), "lost_interval": [0, 1]}
        sums = in_blocks(scores[:, None])
        found = {"done": count, "games": count, "score": float(scores.mean()), "score_error": error, "sums": sums}
        return found | {"rewards": [float(scores.mean())] * 2, "rewards_error": [error] * 2} | rates

    scores = np.random.default_rng(one * 1000 + other).integers(0, 4, one + other).astype(float)
    whole, parts = part(scores), pooled(part(scores[:one]), part(scores[one:]))
    for name in ("score", "score_error", "rewards", "rewards_error", "lost_rate"):
        assert parts[name] == pytest.approx(whole[name])
    assert (parts["done"], np.sum(parts["sums"])) == (one + other, pytest.approx(scores.sum()))


def test_a_search_is_played_in_parts_and_counts_its_cost():
    config = make_config("hanabi", "very_small")
    meeting = Meeting.of(config, ["search:piers"], deals=30, seed=3, search={"rollouts": 8})
    first = play_meeting(meeting)
    assert first["done"] == BLOCK and first["answers"]["search:piers"]["core_seconds"] > 0
    both = play_meeting(meeting, result_of(meeting, first))
    policy = agents.load("search:piers", config, rollouts=8)
    assert both["sums"] == in_blocks(play(config, policy, 30, 3).score[:, None])
    assert both["answers"]["search:piers"]["rollouts"] > first["answers"]["search:piers"]["rollouts"]


def test_a_row_of_a_file_names_the_same_meeting(pool):
    meeting = Meeting.of(MINI, ["smart", "random"], "turns", 40, seed=9, first=60)
    row = result_of(meeting, play_meeting(meeting, None, pool))
    assert meeting_of(row).key == meeting.key and meeting_of(row).wanted == 40


def test_paired_deals_make_differences_sharper(pool):
    meetings = {name: Meeting.of(MINI, [name], deals=400, seed=2) for name in pool}
    by_name = {name: result_of(one, play_meeting(one, None, pool)) for name, one in meetings.items()}
    difference, error = gain(by_name["cheat"], by_name["smart"])
    assert difference == pytest.approx(by_name["cheat"]["score"] - by_name["smart"]["score"])
    assert error is not None and error < math.hypot(*(by_name[name]["score_error"] for name in ("cheat", "smart")))
    with pytest.raises(ValueError, match="same deals"):
        gain(by_name["cheat"], by_name["smart"] | {"seed": 3})


def test_pairs_are_a_matrix_and_others_a_list(pool):
    pairs = [Meeting.of(MINI, pair, deals=20) for pair in itertools.product(pool, repeat=2)]
    rows = [result_of(one, play_meeting(one, None, pool)) for one in pairs]
    scores = matrix(rows, list(pool))
    assert scores[1, 2] == next(row["score"] for row in rows if row["line_up"] == ("cheat", "smart"))
    lines = table(rows).splitlines()
    assert lines[0] == "| at player 0's seat, with | random | cheat | smart |" and len(lines) == 5
    assert f"{scores[1, 2]:.2f} ± " in lines[3].split(" | ")[3]
    few = table(rows[:2]).splitlines()
    assert few[0] == "| game | agent | partner | score |" and few[-1] == "20 deals a line."
    assert few[2].startswith("| mini, 2 players | `random` |") and few[3].startswith("|  | `random` |")


def test_a_line_up_of_which_one_seat_searches_gains_over_its_blueprint():
    row = {"game": "hanabi", "preset": "mini", "players": 2, "seed": 1, "first": 0, "seats": "given", "done": 40}
    row |= {"score": 8.0, "score_error": 0.1}
    alone = row | {"line_up": ["a"], "search": None, "sums": [[100], [120]]}
    search = row | {"line_up": ["a", "search:a"], "search": {"rollouts": 9}, "sums": [[110], [150]]}
    head, _, _, line, *_ = table([alone, search]).splitlines()
    assert head == "| game | agent | settings | score | gain by search |"
    assert line == "|  | `a,search:a` | rollouts 9 | 8.00 ± 0.10 | +1.000 |"
