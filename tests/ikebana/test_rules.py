"""One test per row of the rule card, by its number; `test_bouquets` covers gains of bouquets (I10, I11, I12, J6)."""

from collections import Counter

import numpy as np
import pytest

from ikebana_env import IkebanaVectorEnv, ikebana_v0
from ikebana_env.engine.state import END_ILLEGAL
from tests.reference.ikebana_plain import box

from .table import Table, deal, position, start

PLAYERS = pytest.mark.parametrize("players", range(2, 6))


@PLAYERS
def test_I1_a_round_begins_with_the_whole_box_in_the_deck(players):
    env = ikebana_v0.raw_env(players=players)
    env.reset(seed=3)
    table = Table(env)
    assert Counter(table.deck) == Counter(box())
    assert len(table.deck) == 55


@PLAYERS
def test_I2_everybody_starts_with_six_prestige(players):
    assert deal("", players=players).prestige == [6] * players


@PLAYERS
def test_I3_five_turns_a_round_clockwise_and_four_rounds(players):
    table = deal("", players=players)
    for turn in range(5 * players):
        assert (table.round, table.current_player) == (1, turn % players)
        assert [len(bouquet) for bouquet in table.bouquets] == [
            turn // players + (player < turn % players) for player in range(players)
        ]
        table.do("draw", "keep")
    assert table.round == 2
    for number in (2, 3, 4):
        assert table.round == number and not table.is_over
        table.play_round()
    assert table.is_over


def test_I4_player_0_starts_or_a_random_player():
    env = ikebana_v0.raw_env(players=5)
    chance = ikebana_v0.raw_env(players=5, random_start_player=True)
    starters = set()
    for seed in range(60):  # the random player is each of the five, except once in 1.3 million seeds
        env.reset(seed=seed)
        assert env.to_dict()["current_player"] == 0
        chance.reset(seed=seed)
        starters.add(chance.to_dict()["current_player"])
        assert chance.to_dict()["starter"] == chance.to_dict()["current_player"]
    assert starters == {0, 1, 2, 3, 4}


def test_I5_having_drawn_one_cannot_buy():
    table = start(current_player=1, bouquets=["K1", ""], discards=["R2", ""])
    assert table.legal == {"draw", "buy 1"}
    table.do("draw")
    assert table.legal == {"keep", "refuse"}
    table.do("refuse")
    assert table.legal == {"keep", "refuse"}


def test_I6_a_kept_card_joins_the_bouquet_and_ends_the_turn():
    table = deal("G4 B1").do("draw", "keep")
    assert (table.bouquets, table.current_player, table.drawn) == ([["G4"], []], 1, None)
    assert table.prestige == [6, 6]


def test_I6_a_refused_card_tops_ones_own_discard_and_the_next_is_drawn():
    table = deal("G4 B1 Y2").do("draw", "refuse", "refuse", "keep")
    assert table.discards == [["G4", "B1"], []]
    assert table.bouquets == [["Y2"], []]


@pytest.mark.parametrize(
    ("players", "refusals", "prestige"),
    [
        (2, 1, [5, 7]),
        (2, 3, [0, 12]),
        (3, 1, [5, 7, 6]),
        (3, 2, [3, 7, 8]),  # left, right
        (3, 3, [0, 10, 8]),  # left again
        (4, 3, [0, 7, 8, 9]),
        (5, 3, [0, 7, 8, 9, 6]),
    ],
)
def test_I6_the_kth_refusal_costs_k_paid_to_the_kth_player_clockwise(players, refusals, prestige):
    table = deal("", players=players).do("draw", *["refuse"] * refusals)
    assert table.prestige == prestige
    assert table.refusals == refusals


def test_I6_the_payments_go_round_from_any_seat():
    table = start(3, current_player=2, bouquets=["K1", "K1", ""], prestige=[2, 2, 14])
    table.do("draw", "refuse", "refuse", "refuse", "refuse")
    assert table.prestige == [2 + 1 + 3, 2 + 2 + 4, 4]


def test_I6_one_may_refuse_only_what_one_can_pay():
    table = deal("", players=2).do("draw", "refuse", "refuse")
    assert table.prestige == [3, 9]
    assert "refuse" in table.legal
    table.do("refuse")
    assert (table.prestige, table.legal) == ([0, 12], {"keep"})
    broke = start(prestige=[0, 12])
    assert broke.do("draw").legal == {"keep"}


def test_I7_a_bought_card_costs_its_value_and_ends_the_turn():
    table = start(3, discards=["", "R2", "J5"], bouquets=["K1", "K1", "K1"])
    assert table.legal == {"draw", "buy 1", "buy 2"}
    table.do("buy 2")
    assert (table.prestige, table.bouquets[0], table.discards) == ([1, 6, 11], ["K1", "J5"], [[], ["R2"], []])
    assert table.current_player == 1


def test_I7_never_from_ones_own_discard_and_never_without_the_money():
    table = start(3, discards=["K1", "R4", "G3"], bouquets=["K1", "K1", "K2"], prestige=[3, 9, 6])
    assert table.legal == {"draw", "buy 2"}


def test_I8_a_bought_card_uncovers_the_one_below():
    table = start(3, discards=["", "R2 G1", ""], bouquets=["K1", "K1", "K1"]).do("buy 1")
    assert table.discards[1] == ["R2"]
    other = start(3, current_player=2, discards=["", "R2", ""], bouquets=["K1 G1", "K1 Y1", "K1"])
    assert other.legal == {"draw", "buy 2"}


def nearly_empty(players: int) -> Table:
    """Return a position in which player 0 draws from an empty deck; the discards hold all remaining cards."""
    rest = box()
    bouquets = [" ".join(rest.pop(0) for _ in range(2)) for _ in range(players)]
    return start(players, bouquets=bouquets, discards=[" ".join(rest[player::players]) for player in range(players)])


@PLAYERS
def test_I9_an_empty_deck_is_made_of_all_discards_but_their_tops(players):
    table = nearly_empty(players)
    before = table.discards
    assert table.deck == []
    assert table.legal >= {"draw"}
    table.do("draw")
    assert table.discards == [[pile[-1]] for pile in before]
    assert Counter([*table.deck, table.drawn]) == Counter(card for pile in before for card in pile[:-1])


def test_I9_until_a_card_must_be_drawn_uncovered_discards_stay():
    table = nearly_empty(2)
    below = table.discards[1][-2]
    table.env.reset(options={"state": {**table.env.to_dict(), "prestige": [12, 0], "score": 12}})
    table.do("buy 1")
    assert table.discards[1][-1] == below
    assert table.deck == []


@pytest.mark.parametrize(("players", "left"), [(2, 44), (3, 38), (4, 32), (5, 26)])
def test_I9_J6_there_is_always_a_card_to_draw(players, left):
    """At worst only the last card of the drawer's bouquet is missing, and the last card of the deck is refused."""
    rest = box()
    bouquets = [[rest.pop() for _ in range(size)] for size in [*[5] * (players - 1), 4]]
    drawn, tops = rest.pop(), [rest.pop() for _ in range(players - 1)]
    table = start(
        players,
        current_player=players - 1,
        bouquets=[" ".join(cards) for cards in bouquets],
        discards=[*tops, " ".join(rest)],
        drawn=drawn,
    )
    assert table.deck == []
    table.do("refuse")
    assert len(table.deck) + 1 == left, "the drawn card among them"
    assert table.discards == [*([top] for top in tops), [drawn]], "J1"


def test_I13_all_cards_are_shuffled_again_and_the_best_florist_starts():
    # Player 0 gets a pair of 4 in four colors, player 1 three 5 and two 4.
    table = deal("K1 R5 R2 G5 G4 K5 B4 B4 B5 K4").play_round()
    assert table.gains == [[8, 23]]
    assert table.prestige == [14, 29]
    assert (table.round, table.current_player, table.starter) == (2, 1, 1)
    assert table.bouquets == table.discards == [[], []]
    assert Counter(table.deck) == Counter(box())


def test_I13_of_equal_florists_the_first_in_turn_order_starts():
    tie = deal("K1 R1 G2 B2 K3 R3 G4 B4 Y5 G5", "K1 R1 G2 B2 K3 R3 G4 B4 Y5 G5").play_round()
    assert tie.gains == [[15, 15]]
    assert tie.starter == 0
    later = deal("K1 Y5 R1 K5 G2 B4 Y3 R4 R3 G3", "K1 R1 G2 B2 K3 R3 G4 B4 Y5 G5").play_round()
    assert later.gains[0][1] > later.gains[0][0] and later.starter == 1
    assert later.play_round().gains[1] == [15, 15]
    assert later.starter == 1, "the first of equals counts from that round's starter"


def test_I13_J2_after_the_last_round_nothing_is_cleared():
    table = deal("", players=2)
    table.do("draw", "refuse", "keep")
    for _ in range(4):
        table.play_round()
    assert table.is_over
    assert [len(bouquet) for bouquet in table.bouquets] == [5, 5]
    assert (table.round, table.refusals, table.drawn, len(table.deck)) == (4, 0, None, 45)
    assert table.legal == set()


def last_round(players: int, prestige: list[int], **config: object) -> Table:
    """Return a position in which the last card of the last round is drawn.

    Each bouquet is 1 2 3 4 of one color and will gain at least 8.
    """
    colors = "KRGBY"[:players]
    bouquets = [f"{color}1 {color}2 {color}3 {color}4" for color in colors]
    bouquets = [bouquets[0], *(f"{cards} {cards[0]}4" for cards in bouquets[1:])]
    return start(
        players,
        config=dict(config),
        round=4,
        bouquets=bouquets,
        prestige=prestige,
        drawn="K4",
        gains=[[sum(prestige) - 6 * players, *[0] * (players - 1)], [0] * players, [0] * players],
    )


def test_I14_the_most_prestige_wins():
    table = last_round(3, [9, 10, 8]).do("keep")
    assert table.gains[-1] == [32, 32, 32]
    assert (table.prestige, table.winners) == ([41, 42, 40], [1])
    assert table.rewards[-1] == [-0.5, 1, -0.5]


def test_I14_J4_ties_share_the_victory():
    table = last_round(4, [9, 9, 7, 9]).do("keep")
    assert table.winners == [0, 1, 3]
    assert table.rewards[-1] == pytest.approx([1 / 9, 1 / 9, -1 / 3, 1 / 9])
    assert last_round(2, [9, 9]).do("keep").rewards[-1] == [0, 0]


def test_I15_the_final_bouquet_doubles_the_gains_of_the_last_round_alone():
    table = last_round(3, [9, 10, 8], final_bouquet=True).do("keep")
    assert table.gains[-1] == [64, 64, 64]
    first = deal("K1 R5 R2 G5 G4 K5 B4 B4 B5 K4", final_bouquet=True).play_round()
    assert first.gains == [[8, 23]]


def test_J1_a_card_just_refused_is_the_top_that_stays():
    table = nearly_empty(2).do("draw")
    position = {**table.env.to_dict(), "deck": [], "discards": [table.deck + table.discards[0], table.discards[1]]}
    drawn = position["drawn"]
    table.env.reset(options={"state": position})
    table.do("refuse")
    assert table.discards[0] == [drawn]
    assert position["discards"][0][-1] in [*table.deck, table.drawn]


def test_J2_winners_are_none_until_the_end():
    table = deal("")
    while not table.is_over:
        assert table.winners is None
        table.do("draw", "keep")
    assert isinstance(table.winners, list)


def test_J4_prestige_is_the_lead_at_the_end_and_dense_sums_to_it():
    sums = {}
    for reward in ("prestige", "dense"):
        table = deal("K1 R1 G1 K2 R2 G2 K3 R3 G3", players=3, reward=reward).do("draw", "refuse", "keep")
        while not table.is_over:
            table.do(sorted(table.legal)[-1])
        sums[reward] = [sum(column) for column in zip(*table.rewards, strict=True)]
        prestige = table.prestige
        leads = [(own - (sum(prestige) - own) / 2) / 25 for own in prestige]
        assert sums[reward] == pytest.approx(leads)
        changes = sum(any(row) for row in table.rewards)
        assert changes == 1 if reward == "prestige" else changes > 4


def test_J4_dense_pays_at_every_change():
    table = deal("", players=3, reward="dense").do("draw", "refuse")
    assert table.rewards == [[0, 0, 0], pytest.approx([-1.5 / 25, 1.5 / 25, 0])]


@pytest.mark.parametrize("offender", [0, 1])
def test_J2_after_an_illegal_action_nobody_has_won_and_prestige_stays(offender):
    """Player 0 leads; the other table of the vector plays on."""
    bouquets = ["K1" * offender, "", ""]
    state = position(3, current_player=offender, bouquets=bouquets, prestige=[10, 5, 3])
    envs = IkebanaVectorEnv(2, players=3, autoreset_mode="Disabled")
    envs.reset(seed=1, options={"state": {0: state}})
    infos = envs.step(np.array([1, 0]))[-1]
    assert (infos["score"][0], infos["winners"][0], infos["end_reason"][0]) == (10, 0, END_ILLEGAL)
    now = envs.to_dict(0)
    assert (now["winners"], now["score"], now["end_reason"]) == (None, 10, "illegal")


def test_I14_a_complete_game_has_its_winners_in_a_vector():
    table = last_round(4, [9, 9, 7, 9])
    envs = IkebanaVectorEnv(1, players=4, autoreset_mode="Disabled")
    envs.reset(seed=1, options={"state": table.env.to_dict()})
    infos = envs.step(np.array([envs.str_to_action(0, "keep")]))[-1]
    assert infos["winners"][0] == 0b1011
    assert envs.to_dict(0)["winners"] == [0, 1, 3]
