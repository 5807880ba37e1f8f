"""Hat guessing: common knowledge is the same at all seats, true, and sufficient for the claimed scores."""

from dataclasses import replace

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.bots.bot import BotPolicy, BotsSeated
from hanabako.agents.bots.hanabi import hats, messages
from hanabako.agents.playing.block import Block
from hanabako.games import game_of
from hanabi_env import PRESETS, HanabiConfig

pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # plain Python's bit operations overflow modulo 2^64
VARIANTS = ["standard", "avalanche_5", "avalanche_10", "black_powder", "flamboyants", "all_extensions"]


def knowledge_of_games(config, name, games, seed):
    """Yield after every step the tables (N,) and what each seat takes for common knowledge, (N, seats, P, H)."""
    policy = agents.load(name, config)
    assert isinstance(policy, BotPolicy)
    block = Block(game_of(config).make_game(config), games, observes=False, specialize=False)
    bots = BotsSeated(block, policy, range(config.players))
    block.deal(seed, 0)
    bots.begin()
    while len(block.open_games):
        block.go_on([bots])
        rows = block.open_games
        yield block.tables[rows], bots._memories["possible"][rows]


@pytest.mark.parametrize("name", ["information", "questions"])
@pytest.mark.parametrize(("players", "preset"), [(2, "standard"), *((4, preset) for preset in VARIANTS)])
def test_all_seats_know_the_same(name, players, preset):
    config = replace(PRESETS[preset], players=players)
    steps = 0
    for _, known in knowledge_of_games(config, name, 60, seed=3):
        steps += len(known)
        np.testing.assert_array_equal(known, np.broadcast_to(known[:, :1], known.shape))
    assert steps > 60 * 15


@pytest.mark.parametrize("name", ["information", "questions"])
@pytest.mark.parametrize("players", [2, 3, 5])
def test_what_all_know_is_true(name, players):
    config = HanabiConfig(players=players)
    for tables, known in knowledge_of_games(config, name, 150, seed=4):
        hands = tables["state"]["hands"][:, :players, : config.cards_in_hand]
        is_card = hands < config.suits * config.ranks
        may_be = known[:, 0, :players, : config.cards_in_hand] >> np.where(is_card, hands, 0).astype(np.uint64)
        assert (may_be[is_card] & np.uint64(1) == 1).all()


@pytest.mark.parametrize(
    ("name", "players", "least"),
    [
        ("recommendation", 5, 21.7),
        ("information", 5, 24.5),
        ("questions", 2, 23.1),
        ("questions", 3, 24.8),
        ("questions", 4, 24.9),
        ("questions", 5, 24.9),
    ],
)
def test_scores_do_not_fall(name, players, least):
    """Each bound is at least five standard errors of 400 games below the mean of 20,000 games (see the boards)."""
    config = HanabiConfig(players=players)
    assert play(config, agents.load(name, config), 400, seed=1).score.mean() > least


# --- Hints as numbers -------------------------------------------------------------------------------------------------


def alphabet(config, hand, kinds=messages.ALL_HINTS, tolerance=0.0):
    """Return the alphabet of hints to player 1; ``hand`` has the possible cards of each slot."""
    rules = config.rules()
    memory = np.zeros(1, hats_dtype(rules)).view(np.recarray)[0]
    memory.hand_count[1] = len(hand)
    memory.needed = np.uint64((1 << (config.suits * config.ranks)) - 1)
    memory.tolerance = tolerance
    for slot, cards in enumerate(hand):
        memory.possible[1, slot] = sum(1 << card for card in cards)
    messages.make_alphabet(rules, memory, 1, kinds)
    return memory.alphabet[1]


def hats_dtype(rules):
    return np.dtype(hats.fields(rules), align=True)


def cards(config, suits=range(5), ranks=range(5)):
    return [suit * config.ranks + rank for suit in suits for rank in ranks]


FOUR = HanabiConfig(players=4)
ANY = cards(FOUR)


def test_an_unknown_hand_offers_three_messages_for_sure():
    letters = alphabet(FOUR, [ANY] * 4)
    assert (letters.rank_messages, letters.color_messages, letters.others) == (1, 1, 1)
    assert messages.letter_of(letters, True, 0b0001) == 0  # the rank of the anchor
    assert messages.letter_of(letters, False, 0b0001) == 1  # its color
    assert messages.letter_of(letters, True, 0b0110) == messages.letter_of(letters, False, 0b1000) == 2  # anything else


def test_an_unknown_hand_offers_four_messages_nearly_always():
    letters = alphabet(FOUR, [ANY] * 4, tolerance=0.03)
    assert messages.size_of(letters) == 4
    assert messages.letter_of(letters, True, 0b0110) == 1
    assert messages.letter_of(letters, False, 0b0110) == 3


def test_known_ranks_are_messages_of_their_own():
    known = [cards(FOUR, ranks=[rank]) for rank in (0, 2, 4)]
    letters = alphabet(FOUR, [ANY, *known])
    assert letters.rank_messages == 3
    assert [messages.letter_of(letters, True, touched) for touched in (0b0010, 0b0101, 0b1000)] == [0, 1, 2]
    assert messages.letter_of(letters, True, 0b0001) == 2  # no anchor is touched: the last message


def test_V3_a_card_that_may_be_black_is_no_anchor_of_color_hints():
    config = replace(PRESETS["black_powder"], players=4)
    everything = cards(config, suits=range(6))
    letters = alphabet(config, [everything, everything, cards(config, suits=[0]), everything])
    assert letters.color_anchors == 0b0100


def test_V2_every_color_touches_a_multicolor_card():
    config = replace(PRESETS["avalanche_10"], players=4)
    red, multi = cards(config, suits=[0]), cards(config, suits=[5])
    assert alphabet(config, [multi] * 4).color_messages == 1
    letters = alphabet(config, [multi, red, red, multi])  # "blue" touches the multicolor cards and no red one
    assert letters.color_anchors == 0b0010
    assert letters.color_messages == 2


@pytest.mark.parametrize("kinds", [messages.COLOR_HINTS, messages.RANK_HINTS])
def test_V4_free_hints_of_one_kind_have_an_alphabet_of_their_own(kinds):
    letters = alphabet(FOUR, [ANY] * 4, kinds, tolerance=0.03)
    assert messages.size_of(letters) == 2
    assert (letters.rank_messages == 0) == (kinds == messages.COLOR_HINTS)
