"""One test per row of the rule card (H1-H21) and per ruling on the standard game (E1, E2, E4, E6-E8, E16-E18)."""

from collections import Counter

import pytest

import hanabi_env
from hanabi_env import PRESETS, HanabiConfig

from .table import deal, new_env, position

COLORS = "RYGWB"


def all_cards(table) -> Counter[str]:
    on_fireworks = [f"{suit}{rank}" for suit, top in table.fireworks.items() for rank in range(1, top + 1)]
    return Counter([card for hand in table.hands for card in hand] + table.deck + table.discards + on_fireworks)


# --- the box, the table ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_H1_fifty_cards_for_two_to_five_players(players):
    box = all_cards(deal(players=players))
    copies = {1: 3, 2: 2, 3: 2, 4: 2, 5: 1}
    assert box == {f"{color}{rank}": copies[rank] for color in COLORS for rank in copies}
    for wrong in (0, 1, 6, -2):
        with pytest.raises(ValueError, match="players"):
            HanabiConfig(players=wrong)


@pytest.mark.parametrize(("players", "cards"), [(2, 5), (3, 5), (4, 4), (5, 4)])
def test_H2_hands_of_five_or_four_cards(players, cards):
    assert [len(hand) for hand in deal(players=players).hands] == [cards] * players
    assert [len(hand) for hand in deal(players=players, hand_size=2).hands] == [2] * players


def test_H3_eight_information_tokens_and_three_lives():
    table = deal()
    assert (table.information_tokens, table.life_tokens) == (8, 3)


def test_H4_player_0_starts_and_play_goes_clockwise():
    table = deal("R1 | Y1 | G1", players=3)
    seats = []
    for _ in range(4):
        seats.append(table.current_player)
        table.do("play 0")
    assert seats == [0, 1, 2, 0]


def test_H4_a_random_player_may_start():
    env = new_env(HanabiConfig(players=3, random_start_player=True))
    first = Counter()
    for episode in range(60):
        env.reset(seed=7 if episode == 0 else None)
        first[env.to_dict()["current_player"]] += 1
        assert env.agent_selection == f"player_{env.to_dict()['current_player']}"
    assert set(first) == {0, 1, 2}


# --- a turn ---------------------------------------------------------------------------------------------------------


def test_H5_a_turn_is_a_hint_a_discard_or_a_play():
    table = deal("R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5").do("hint 1 Y")
    plays = {f"play {slot}" for slot in range(5)}
    discards = {f"discard {slot}" for slot in range(5)}
    hints = {"hint 1 R", *(f"hint 1 {rank}" for rank in range(1, 6))}
    assert table.legal == plays | discards | hints


def test_H6_a_color_hint_costs_a_token_and_points_at_every_card_of_the_color():
    table = deal("| Y1 Y2 G1 W1 B1").do("hint 1 Y")
    assert table.information_tokens == 7
    yellow = [f"Y{rank}" for rank in range(1, 6)]
    others = [f"{color}{rank}" for color in "RGWB" for rank in range(1, 6)]
    assert [Counter(known) for known in table.knowledge[1]] == [
        Counter(cards) for cards in (yellow, yellow, others, others, others)
    ]


def test_H6_a_value_hint_points_at_every_card_of_the_value():
    table = deal("| Y1 Y2 G1 W1 B1").do("hint 1 1")
    ones = {f"{color}1" for color in COLORS}
    touched = [set(known) == ones for known in table.knowledge[1]]
    assert touched == [True, False, True, True, True]
    assert not ones & set(table.knowledge[1][1])


def test_H6_hints_add_up():
    table = deal("R1 R2 R3 R4 R5 | Y1 Y2 G1 W1 B1").do("hint 1 Y", "hint 1 1", "hint 1 1")
    assert table.knowledge[1][0] == ["Y1"]
    assert set(table.knowledge[1][1]) == {"Y2", "Y3", "Y4", "Y5"}


def test_H6_a_hint_is_about_another_player_by_offset():
    table = deal("R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5 | G1 G2 G3 G4 W5", players=3).do("hint 2 G", "hint 2 R")
    assert set(table.knowledge[2][4]) == {f"{color}{rank}" for color in "RYWB" for rank in range(1, 6)}
    assert set(table.knowledge[0][0]) == {f"R{rank}" for rank in range(1, 6)}


def test_H6_without_a_token_no_hint():
    table = position("R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5", information_tokens=0)
    assert not any(words.startswith("hint") for words in table.legal)


def test_H7_empty_hints_are_off():
    table = deal("R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5")
    hints = {words for words in table.legal if words.startswith("hint")}
    assert hints == {"hint 1 Y", *(f"hint 1 {rank}" for rank in range(1, 6))}


def test_H7_empty_hints_may_be_allowed():
    table = deal("R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y4", empty_hints=True)
    assert {f"hint 1 {color}" for color in COLORS} | {"hint 1 5"} <= table.legal
    table.do("hint 1 W")
    assert all(not {card for card in known if card[0] == "W"} for known in table.knowledge[1])
    assert table.information_tokens == 7


def test_H8_a_discard_returns_a_token_and_draws_and_needs_a_missing_token():
    table = position("R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5", information_tokens=3)
    drawn = table.deck[0]
    table.do("discard 1")
    assert (table.information_tokens, table.discards) == (4, ["R2"])
    assert table.hands[0] == ["R1", "R3", "R4", "R5", drawn]
    assert not any(words.startswith("discard") for words in deal().legal)


def test_H9_a_card_that_fits_joins_its_firework_and_is_replaced():
    table = deal("R1 R2 R3 R4 R5 |", then="W4").do("play 0")
    assert (table.fireworks["R"], table.discards, table.life_tokens) == (1, [], 3)
    assert table.hands[0] == ["R2", "R3", "R4", "R5", "W4"]


def test_H9_a_card_that_does_not_fit_costs_a_life_and_is_replaced():
    table = deal("R2 R1 R3 R4 R5 |", then="W4").do("play 0")
    assert (table.fireworks["R"], table.discards, table.life_tokens) == (0, ["R2"], 2)
    assert table.hands[0] == ["R1", "R3", "R4", "R5", "W4"]


def test_H10_fireworks_ascend_from_1_one_card_a_rank():
    table = deal("R1 R1 R2 R3 Y2 | Y1 B1 B1 B2 B3").do("play 0", "play 0", "play 1")
    assert table.fireworks == {"R": 2, "Y": 1, "G": 0, "W": 0, "B": 0}
    table.do("play 2", "play 0")  # B2 before any B1, then a second R1
    assert table.fireworks == {"R": 2, "Y": 1, "G": 0, "W": 0, "B": 0}
    assert table.discards == ["B2", "R1"]


@pytest.mark.parametrize(("tokens", "after"), [(2, 3), (8, 8)])
def test_H11_completing_a_firework_returns_a_token_unless_all_are_there(tokens, after):
    table = position("R5 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 G5", fireworks="R4", information_tokens=tokens).do("play 0")
    assert (table.fireworks["R"], table.information_tokens) == (5, after)


@pytest.mark.parametrize(("score_on_loss", "score"), [("zero", 0), ("fireworks", 7)])
def test_H12_the_third_error_loses_the_game(score_on_loss, score):
    table = position(
        "R5 Y3 Y2 Y3 Y4 | G1 G2 G3 G4 G5",
        fireworks="R3 B4",
        life_tokens=1,
        score_on_loss=score_on_loss,
    ).do("play 1")
    assert table.is_over
    assert (table.life_tokens, table.end_reason, table.score) == (0, "lives", score)
    assert table.rewards == [score - 7]
    statistics = table.env.infos["player_0"]
    assert (statistics["score"], statistics["fireworks_score"]) == (score, 7)


@pytest.mark.parametrize("last", [{}, {"deck": "", "turns_to_play": 1, "information_tokens": 0}])
def test_H13_all_fireworks_complete_is_the_maximum_also_in_the_last_round(last):
    table = position("R5 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 W1", fireworks="R4 Y5 G5 W5 B5", **last).do("play 0")
    assert (table.is_over, table.end_reason, table.score) == (True, "complete", 25)
    assert table.turns_to_play == (0 if last else None)


@pytest.mark.parametrize("players", [2, 3])
def test_H14_one_more_turn_each_after_the_last_card(players):
    hands = ["R2 R3 R4 R4 R5", "G1 G2 G3 G4 G5", "W1 W2 W3 W4 W5"][:players]
    table = position(" | ".join(hands), deck="Y1", players=players, information_tokens=0)
    assert table.turns_to_play is None
    table.do("discard 0")
    assert (table.deck, table.turns_to_play) == ([], players)
    for left in range(players - 1, 0, -1):
        seat = table.current_player
        table.do("discard 0")
        assert (table.turns_to_play, len(table.hands[seat])) == (left, 4)
    assert table.current_player == 0 and not table.is_over
    table.do("play 4")  # the player who drew the last card plays it
    assert table.is_over
    assert (table.end_reason, table.turns_to_play, table.fireworks["Y"]) == ("deck", 0, 1)


def test_H15_the_score_is_the_sum_of_the_highest_cards():
    assert position("R5 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 W1", fireworks="R4 Y5 B2").score == 11


@pytest.mark.parametrize(("tops", "word"), [("Y5 G5 W5 B5", "legendary"), ("Y5 G5 W4 B4", "extraordinary")])
def test_H15_the_scales_verdict_is_in_the_statistics(tops, word):
    table = position(
        "R5 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 W1", fireworks=f"R4 {tops}", deck="", turns_to_play=1, information_tokens=0
    ).do("play 0")
    assert table.env.infos["player_1"]["verdict"].startswith(word)


def test_H16_one_life_makes_the_first_error_fatal():
    table = deal("R2 |", max_life_tokens=1).do("play 0")
    assert (table.is_over, table.end_reason) == (True, "lives")


def test_H17_ten_information_tokens_make_it_easier():
    assert deal(max_information_tokens=10).information_tokens == 10


def test_H18_discards_are_public():
    table = position("R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5", discards="B1 B1 W4", information_tokens=3)
    after_hands_and_board = 127 + 76
    sections = [table.bits(player)[after_hands_and_board : after_hands_and_board + 50] for player in range(2)]
    assert sections[0] == sections[1]
    assert sum(sections[0]) == 3


def test_H19_slots_run_from_the_oldest_card_to_the_newest():
    table = deal("R1 R2 R3 R4 R5 |", then="W4").do("play 2")
    assert table.hands[0] == ["R1", "R2", "R4", "R5", "W4"]


def test_H19_knowledge_moves_with_its_card():
    table = deal("R1 R2 R3 R4 B5 | Y1 Y2 Y3 Y4 Y5").do("hint 1 5", "hint 1 B", "play 0", "play 0")
    blue = {f"B{rank}" for rank in range(1, 6)}
    assert [set(known) == blue for known in table.knowledge[0]] == [False, False, False, True, False]
    assert len(table.knowledge[0][4]) == 25


@pytest.mark.parametrize(("kind", "sees"), [("minimal", False), ("card_knowledge", False), ("seer", True)])
def test_H20_players_never_look_at_their_own_cards_only_the_seer_does(kind, sees):
    mine, others = (
        deal(f"{hand} | Y1 Y2 Y3 Y4 Y5", observation_type=kind) for hand in ("R1 R2 R3 R4 R5", "G1 W2 B3 G4 W5")
    )
    assert (mine.bits(0) != others.bits(0)) == sees
    assert mine.bits(1) != others.bits(1)


def test_H21_there_is_no_other_channel():
    table = deal()
    words = [table.env.action_to_str(action) for action in range(table.env.action_space("player_0").n)]
    assert {word.split()[0] for word in words} == {"discard", "play", "hint"}
    assert len(set(words)) == len(words) == 20


# --- rulings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["lives", "complete"])
def test_E1_nothing_is_drawn_after_the_end(ending):
    if ending == "lives":
        table = position("R5 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 W1", life_tokens=1)
    else:
        table = position("R5 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 W1", fireworks="R4 Y5 G5 W5 B5")
    deck = table.deck
    table.do("play 0")
    assert (table.end_reason, table.deck) == (ending, deck)
    assert len(table.hands[0]) == 4


def test_E2_a_deck_dealt_out_at_once_begins_the_last_round():
    table = deal(colors=1, ranks=1, hand_size=1, players=3)
    assert (table.deck, table.turns_to_play) == ([], 3)
    table.do("play 0")
    assert (table.end_reason, table.turns_to_play) == ("complete", 2)


def test_E2_the_turn_that_ends_the_game_counts():
    table = position("R5 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 W1", deck="", turns_to_play=2, life_tokens=1)
    assert table.do("play 0").turns_to_play == 1


def test_E4_the_play_that_completes_everything_adds_its_token():
    table = position("R5 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 W1", fireworks="R4 Y5 G5 W5 B5", information_tokens=1).do("play 0")
    assert (table.end_reason, table.information_tokens) == ("complete", 2)


def test_E6_after_the_end_every_mask_is_zero():
    table = deal("R2 |", max_life_tokens=1).do("play 0")
    for agent in table.env.possible_agents:
        assert not table.env.observe(agent)["action_mask"].any()


def test_E7_the_reward_is_the_change_of_the_score_for_everybody():
    table = deal("R1 R2 R3 R4 R5 | Y1 Y3 G3 B3 W3").do("play 0", "play 0")
    assert table.rewards == [1, 1]
    table.do("play 0", "play 0", "play 1")  # R2, an error, an error
    assert table.rewards == [1, 1, 1, 0, 0]
    table.do("play 0")  # the third error takes back all points
    assert table.rewards == [1, 1, 1, 0, 0, -3]
    assert set(table.env.rewards.values()) == {-3}


def test_E16_who_is_not_to_move_sees_no_mask():
    table = deal(players=3)
    masks = [table.env.observe(agent)["action_mask"] for agent in table.env.possible_agents]
    assert [bool(mask.any()) for mask in masks] == [True, False, False]


@pytest.mark.parametrize(("players", "cards"), [(2, 5), (4, 4)])
def test_E17_hand_size_none_follows_the_players_also_after_a_preset(players, cards):
    env = hanabi_env.hanabi_v0.raw_env(preset="standard", players=players)
    env.reset(seed=1)
    assert [len(hand) for hand in env.to_dict()["hands"]] == [cards] * players


@pytest.mark.parametrize(
    ("ranks", "copies"), [(1, {1: 3}), (2, {1: 3, 2: 1}), (3, {1: 3, 2: 2, 3: 1}), (4, {1: 3, 2: 2, 3: 2, 4: 1})]
)
def test_E17_copies_of_smaller_decks(ranks, copies):
    box = all_cards(deal(colors=2, ranks=ranks, hand_size=1))
    assert box == {f"{color}{rank}": copies[rank] for color in "RY" for rank in copies}


def test_E17_the_smallest_table():
    table = deal("R1 | R1", colors=1, ranks=1, hand_size=1)
    assert table.legal == {"play 0", "hint 1 R", "hint 1 1"}
    assert table.do("play 0").score == 1


def test_E18_the_booklets_are_presets_of_the_base_game():
    for name in ("first_edition_2010", "grands_feux", "romanian_2013"):
        config = PRESETS[name]
        assert (config.colors, config.ranks, config.multicolor, config.black_powder) == (5, 5, None, False)
        assert (config.max_information_tokens, config.max_life_tokens) == (8, 3)
    assert [PRESETS[name].empty_hints for name in ("first_edition_2010", "grands_feux", "romanian_2013")] == [
        False,
        True,
        False,
    ]
