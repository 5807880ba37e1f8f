"""Evaluations play the same games for any batch size, with any mix of players, and summarize them correctly."""

import json
import math
import shlex

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import Games, play
from hanabako.agents.commands import command_line
from hanabako.agents.commands.command_line import main
from hanabako.agents.playing.policy import RandomPolicy
from hanabako.agents.results.evaluation import Args, evaluate
from hanabako.machine import processor
from hanabi_env import PRESETS, HanabiConfig
from hanafuda_env import KoiKoiConfig
from tests.agents.files import result_of, rows_of

MINI = PRESETS["mini"]


class Lowest:
    """Plays the legal action with the lowest number, and counts its decisions."""

    name = "lowest"

    def __init__(self) -> None:
        self.decisions = 0

    def act(self, observation, mask, noise):
        assert len(observation) == len(mask) == len(noise)
        self.decisions += len(mask)
        return mask.argmax(1)


def assert_equal_games(some: Games, others: Games, count: int) -> None:
    for name in ("score", "fireworks_score", "length", "rewards", "lost", "perfect"):
        np.testing.assert_array_equal(getattr(some, name)[:count], getattr(others, name)[:count], name)


@pytest.mark.parametrize(
    "name", ["random", *(pytest.param(name, marks=pytest.mark.slow) for name in agents.names("hanabi")[1:])]
)
def test_a_game_depends_on_its_index_and_seed_alone(name: str):
    policy = agents.load(name, MINI)
    games = play(MINI, policy, 40, seed=5)
    assert_equal_games(games, play(MINI, policy, 17, seed=5), 17)
    assert_equal_games(games, play(MINI, policy, 1100, seed=5, num_threads=2), 40)  # in two blocks
    assert (games.length != play(MINI, policy, 40, seed=6).length).any()


def test_every_seat_is_asked_for_its_own_decisions():
    one, other = Lowest(), Lowest()
    games = play(MINI, [one, other], 30, seed=2)
    assert one.decisions + other.decisions == games.length.sum()
    assert one.decisions == ((games.length + 1) // 2).sum()  # player 0 starts


def test_both_conventions_for_lost_games_whatever_the_config_rewards():
    zero = play(MINI, agents.load("random", MINI), 200, seed=1)
    config = HanabiConfig(colors=3, ranks=3, hand_size=3, max_information_tokens=5, score_on_loss="fireworks")
    kept = play(config, agents.load("random", config), 200, seed=1)
    np.testing.assert_array_equal(zero.score, np.where(zero.lost, 0, zero.fireworks_score))
    np.testing.assert_array_equal(zero.score, kept.score)
    np.testing.assert_array_equal(zero.fireworks_score, kept.fireworks_score)
    np.testing.assert_array_equal(zero.rewards, zero.score[:, None].repeat(2, 1))
    np.testing.assert_array_equal(kept.rewards, kept.fireworks_score[:, None].repeat(2, 1))
    assert 0 < zero.lost.mean() < 1


def test_a_lost_game_of_any_variant_scores_as_at_its_opening():
    """Lost games score -3, however they were lost: V5 has only perfect and lost games, and V3 opens below zero."""
    config = HanabiConfig(colors=2, ranks=3, hand_size=2, black_powder=True, final_bouquet=True)
    games = play(config, agents.load("random", config), 60, seed=1)
    assert (games.lost != games.perfect).all()
    np.testing.assert_array_equal(games.score, np.where(games.perfect, config.max_score, -3))
    np.testing.assert_array_equal(games.rewards[:, 0], games.score + 3)
    assert len(set(games.fireworks_score.tolist())) > 2


def test_the_score_of_a_competitive_game_is_the_winners():
    """In one round of Koi-Koi only the winner has points, and the reward is the difference."""
    config = KoiKoiConfig(rounds=1, reward="points")
    games = play(config, agents.load("random", config), games=100, seed=1)
    assert set(np.sign(games.rewards[:, 0]).tolist()) >= {-1, 1}
    np.testing.assert_array_equal(games.score, abs(games.rewards[:, 0]))


def test_the_summary_has_means_errors_and_intervals():
    flags = np.array([True, False, False, False])
    games = Games(
        score=np.array([9, 0, 5, 6]),
        fireworks_score=np.array([9, 4, 5, 6]),
        length=np.array([20, 9, 30, 31]),
        rewards=np.ones((4, 2)),
        lost=~flags,
        perfect=flags,
        winners=np.zeros((4, 2), np.bool_),
    )
    summary = games.summary()
    means = ("score", "fireworks_score", "perfect_rate", "lost_rate")
    assert [summary[name] for name in means] == [5, 6, 0.25, 0.75]
    assert math.isclose(summary["score_error"], np.std([9, 0, 5, 6], ddof=1) / 2)
    low, high = summary["perfect_interval"]
    assert 0.04 < low < 0.06 < 0.69 < high < 0.71  # Wilson's interval of 1 in 4
    assert json.loads(json.dumps(summary)) == summary


def test_what_cannot_be_played_is_refused():
    with pytest.raises(ValueError, match="each of the 2 seats, got 3"):
        play(MINI, [Lowest()] * 3, 4, seed=1)
    with pytest.raises(ValueError, match="games must be at least 1, got 0"):
        play(MINI, Lowest(), 0, seed=1)


def test_random_actions_are_legal_and_equally_likely():
    random = RandomPolicy()
    mask = np.tile(np.array([0, 1, 0, 1, 1, 0], np.int8), (999, 1))
    actions = random.act(np.zeros((999, 1), np.uint64), mask, (np.arange(999) + 0.5) / 999)
    assert np.bincount(actions, minlength=6).tolist() == [0, 333, 0, 333, 333, 0]


def test_a_competitive_game_is_told_by_each_players_return(tmp_path, capsys):
    out = tmp_path / "result.json"
    words = ["koikoi", "--agents", "random,counting", "--games", "20", "--config", "rounds=1", "--json", str(out)]
    main(["evaluate", *words])
    told, result = capsys.readouterr().out, result_of(out)
    assert "koikoi document rounds=1, 2 players, observation plain, 20 games" in told and "winner's score" in told
    for player, name in enumerate(("random", "counting")):
        mean, error = result["rewards"][player], result["rewards_error"][player]
        assert f"return of player {player}{mean:>+14.3f} ± {error:.3f}  {name}\n" in told
    assert "--mode tournament" in told and "perfect" not in told


@pytest.mark.parametrize("mode", ["cross-play", "one-guest", "ad-hoc"])
def test_teams_are_not_scored_in_a_competitive_game(mode: str):
    with pytest.raises(SystemExit, match=f"{mode} needs a cooperative game, got ikebana: --mode tournament"):
        main(["evaluate", "ikebana", "--agents", "random,greedy,lookahead", "--mode", mode, "--games", "2"])


def test_one_game_has_no_error(capsys):
    main(["evaluate", "hanabi", "--preset", "very_small", "--agents", "random", "--games", "1"])
    main(["evaluate", "koikoi", "--agents", "random,counting", "--mode", "tournament", "--games", "1"])
    assert "±" not in capsys.readouterr().out


def test_the_file_names_its_machine_and_the_command_that_makes_it_again(tmp_path):
    out = tmp_path / "two words.json"
    words = ["hanabi", "--preset", "very_small", "--config", "hand_size=3", "--games", "3", "--mode", "cross-play"]
    words += ["--agents", "random,search:piers", "--search", "rollouts=8", "seats=all", "--json", str(out)]
    main(["evaluate", *words])
    first = rows_of(out)
    out.unlink()
    name, *command = shlex.split(first[0]["command"])
    assert name == "hanabako"
    command_line.main(command)
    again = rows_of(out)
    assert first[0]["study"] == "evaluation" and first[0]["machine"]["processor"] == processor()
    assert [timeless(row) for row in again] == [timeless(row) for row in first] and first[0]["config"]["hand_size"] == 3


def timeless(row):
    answers = {name: {**counts, "core_seconds": 0} for name, counts in row.get("answers", {}).items()}
    return row | {"answers": answers, "machine": {}}


def test_few_games_have_few_line_ups(capsys):
    words = ["hanabi", "--preset", "mini", "--agents", "random,smart,piers", "--mode", "ad-hoc"]
    result = evaluate(Args("hanabi", preset="mini", agents="random,smart", games=7, mode="ad-hoc"))
    assert [row["newcomer"] for row in result.rows] == ["random"] * 7 + ["smart"] * 7
    main(["evaluate", *words, "--games", "2"])
    assert "over line-ups" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="games must be at least 2, for two line-ups, got 1"):
        main(["evaluate", *words, "--games", "1"])
