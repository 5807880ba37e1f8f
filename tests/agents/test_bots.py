"""Bots see only what their seat may see, and play the same game in every kind of environment."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.strength import ports as originals
from benchmarks.strength.ports import WITHIN, comparisons
from hanabako import agents
from hanabako.agents.bots.bot import BotLoops, BotPolicy, BotsSeated
from hanabako.agents.playing.block import Block
from hanabako.agents.playing.play import play, steps_of
from hanabako.agents.results.store import read_results
from hanabako.games import game_of
from hanabi_env import PRESETS, HanabiConfig
from tests.agents.test_recurrent import assert_one_table_plays_the_same

MINI = PRESETS["mini"]
BOTS = [name for name in agents.names("hanabi") if name != "random"]
COMPILED = ("piers", "smart", "information")
"""One bot of each kind. The short run compiles these, and plays the others as plain Python."""
EVERY_KIND = pytest.mark.parametrize(
    "name", [*COMPILED, *(pytest.param(name, marks=pytest.mark.slow) for name in BOTS if name not in COMPILED)]
)
HONEST = [name for name in BOTS if "cheat" not in name]


def block_of(config: HanabiConfig, games: int) -> Block:
    return Block(game_of(config).make_game(config), games, observes=False, specialize=False)


def shuffle_hidden(tables: np.ndarray, player: int, rng: np.random.Generator) -> None:
    """Deal again what ``player`` cannot see: its own hand, the deck, the order of face-down tiles, the streams."""
    for state in tables["state"]:
        hand, deck = state["hand_count"][player], state["deck_count"]
        hidden = np.concatenate([state["hands"][player, :hand], state["cards"][:deck]])
        rng.shuffle(hidden)
        state["hands"][player, :hand] = hidden[:hand]
        state["cards"][:deck] = hidden[hand:]
        rng.shuffle(state["bonus_tiles"][len(state["bonus_tiles"]) - state["tiles_left"] :])
        state["key"] ^= np.uint64(rng.integers(2**63))
        state["game_key"] ^= np.uint64(rng.integers(2**63))


def moves_through_shuffled_cards(config: HanabiConfig, name: str, games: int) -> tuple[int, int]:
    """Play some games and shuffle everything hidden from the seat before each decision.

    Returns:
        How many decisions the bot made, and how many the shuffling changed.
    """
    rng = np.random.default_rng(5)
    policy = agents.load(name, config)
    assert isinstance(policy, BotPolicy)
    block, *others = (block_of(config, games) for _ in range(config.players + 1))
    for one in (block, *others):
        one.deal(seed=3, first=0)
    bots = BotsSeated(block, policy, range(config.players))
    seated = [BotsSeated(other, policy, [player]) for player, other in enumerate(others)]
    bots.begin()
    for player, other in enumerate(others):
        shuffle_hidden(other.tables, player, rng)
        seated[player].begin()
    decisions = different = 0
    while len(rows := block.open_games):
        to_move = block.tables["current_player"].copy()
        block.go_on([bots])
        for player, other in enumerate(others):
            own = rows[to_move[rows] == player]
            seated[player].act()
            decisions += len(own)
            different += int((other.actions[own] != block.actions[own]).sum())
            other.tables[:] = block.tables
            other.step = block.step
            shuffle_hidden(other.tables, player, rng)
            seated[player].observe()
    return decisions, different


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize(
    "config",
    [HanabiConfig(), HanabiConfig(players=4), replace(PRESETS["all_extensions"], players=3)],
    ids=["two", "four", "all_extensions"],
)
def test_no_move_depends_on_what_the_seat_cannot_see(name, config):
    decisions, different = moves_through_shuffled_cards(config, name, games=20)
    assert decisions > 20 * config.players
    assert different == 0


def test_the_cheat_is_caught_by_the_same_test():
    decisions, different = moves_through_shuffled_cards(HanabiConfig(), "cheat", games=20)
    assert different > decisions / 10


@EVERY_KIND
def test_the_single_environment_sees_the_same_games(name):
    config = HanabiConfig(players=3)
    assert_one_table_plays_the_same(config, [agents.load(name, config)] * 3)


@pytest.mark.parametrize("name", BOTS)
def test_bots_run_as_plain_python(name, full):
    policy = agents.load(name, MINI)
    assert isinstance(policy, BotPolicy)
    block, usual = block_of(MINI, 2), block_of(MINI, 2)
    moves = [usual.actions.copy() for _ in steps_of(usual, [policy] * 2, 1, 0)] if full or name in COMPILED else []
    bots = BotsSeated(block, policy, range(2))
    block.deal(seed=1, first=0)
    compiled = bots._loops
    bots._loops = BotLoops(*(loop.py_func for loop in compiled))  # type: ignore[attr-defined]
    bots._memories, bots._views = bots._memories.view(np.recarray), bots._views.view(np.recarray)
    block.tables, block.rules_array = block.tables.view(np.recarray), block.rules_array.view(np.recarray)
    with np.errstate(over="ignore"):  # random numbers are computed modulo 2^64
        bots.begin()
        while len(playing := block.open_games):
            step = block.step
            block.go_on([bots])
            if moves:
                np.testing.assert_array_equal(block.actions[playing], moves[step][playing])
            assert not block.tables["illegal"].any()


def test_policies_of_every_kind_share_a_table():
    config = HanabiConfig(players=3)
    seats = [agents.load("cheat", config), agents.load("random", config), agents.load("cheat", config)]
    games = play(config, seats, 30, seed=2)
    assert games.fireworks_score.mean() > play(config, seats[1], 30, seed=2).fireworks_score.mean() + 1


@pytest.mark.parametrize("preset", PRESETS)
@EVERY_KIND
def test_every_preset_is_played_by_the_rules(name, preset):
    """An illegal action would raise an error."""
    config = PRESETS[preset]
    assert play(config, agents.load(name, config), 12, seed=7).length.all()


COMPARED = list(comparisons(read_results(originals.RESULTS), read_results(originals.BOTS)))
ALONE = [case for case in COMPARED if "," not in case.bot and case.lost_games in ("never", "kept")]
"""The comparisons of one bot at all seats, with the usual number of lives."""


def test_no_program_on_the_scoreboard_is_farther_than_allowed_from_its_original():
    assert len(COMPARED) > 40
    assert [case for case in COMPARED if abs(case.ours - case.original) > WITHIN] == []


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(
    "case", [case for case in ALONE if case.players in (2, 5)], ids=lambda case: f"{case.bot}-{case.players}"
)
def test_a_port_plays_as_well_as_its_original(case):
    """A port scores neither less nor more than its original: if it scores more, it does not follow the same rules.

    For a bot whose true mean is within 0.15 of its original's, a false alarm has probability below 0.003 per case
    (three standard errors, none above 0.065). A bot that is 0.55 off passes with less than that.
    """
    config = HanabiConfig(players=case.players)
    scores = play(config, agents.load(case.bot, config), 3000, seed=1, specialize=False).fireworks_score
    error = np.hypot(scores.std() / np.sqrt(len(scores)), 0.02)  # the original's mean has an error too
    assert abs(scores.mean() - case.original) < WITHIN + 3 * error
