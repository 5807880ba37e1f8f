"""The conventions of Hanabi's bots: after some given moves on given hands, a bot makes the expected move."""

from typing import Any

from hanabako import agents
from hanabako.agents.bots.bot import BotsSeated
from hanabako.agents.playing.seating import OneTable
from hanabi_env.words.notation import card_names
from tests.hanabi.table import deal


class Team:
    """One bot at all seats of a table, after some given moves."""

    def __init__(self, name: str, hands: str, *moves: str, then: str = "", **fields: Any) -> None:
        self.table = deal(hands, then=then, **fields)
        self.config = self.table.env.config
        self.players = OneTable(self.table.env, [agents.load(name, self.config)] * self.config.players)
        for words in moves:
            self.do(words)

    def do(self, words: str) -> None:
        self.table.do(words)
        self.players.observe()

    @property
    def move(self) -> str:
        return self.table.env.action_to_str(self.players.action())

    def possible(self, player: int, slot: int) -> set[str]:
        """Return what a card may be, by what all players know."""
        (bots,) = self.players.players
        assert isinstance(bots, BotsSeated)
        known = bots.public_knowledge()
        assert known is not None
        names = card_names(self.config)
        return {name for card, name in enumerate(names) if int(known[0, player, slot]) >> card & 1}


def test_a_color_hint_plays_the_newest_card_it_touches():
    team = Team("smart", "Y3 G3 W3 B3 Y4 | G4 R4 Y2 B2 R1", "hint 1 R")
    assert team.move == "play 4"
    assert team.possible(1, 4) == {"R1"}


def test_with_nothing_true_to_say_the_rank_of_the_oldest_card_says_nothing_but_itself():
    team = Team("smart", "Y3 G3 W3 B3 Y4 | G4 Y3 Y2 B2 R3")
    assert team.move == "hint 1 4"
    team.do("hint 1 4")
    assert team.possible(1, 0) == {"R4", "Y4", "G4", "W4", "B4"}
    assert team.move != "play 0"


def test_the_next_player_is_warned_of_a_last_copy():
    team = Team("smart", "Y3 G3 W3 B3 Y4 | R5 G3 Y4 B4 W3")
    assert team.move == "hint 1 5"
    team.do("hint 1 5")
    assert team.move not in ("play 0", "discard 0")
    assert team.possible(1, 0) == {"R5", "Y5", "G5", "W5", "B5"}


def test_silence_says_that_nothing_is_in_danger():
    team = Team("smart", "R1 G3 W3 B3 Y4 | G4 Y3 Y2 B2 R3", "play 0")
    assert "R5" not in team.possible(1, 0)
    assert "R5" in team.possible(1, 1)


def test_a_discard_finesse_is_believed():
    moves = ("hint 1 B", "hint 1 1", "hint 1 B", "hint 1 R", "discard 0")
    team = Team("smart", "R1 G3 G4 Y3 Y4 | G3 W3 Y3 B1 R1", *moves, then="W4")
    assert team.possible(1, 4) == {"R1"}
    assert team.move == "play 3"  # the older of two that fit


def test_rank_is_told_first_and_then_the_color():
    team = Team("iggi", "Y3 G3 W3 B3 Y4 | G4 R4 Y2 B2 R1")
    assert team.move == "hint 1 1"
    team.do("hint 1 1")
    assert team.move == "play 4"  # every 1 fits
    told = Team("outer", "Y3 G3 W3 B3 Y4 | G4 R2 Y2 B2 R1", "hint 1 1", "play 4", "hint 1 2", "hint 1 3")
    assert told.move == "hint 1 R"  # R2 is next, and its rank is known


def test_a_new_card_takes_the_place_of_the_one_that_left_and_is_told_of_in_its_turn():
    team = Team("outer", "Y3 G3 W3 B3 Y4 | R1 G4 Y4 B2 R4", "hint 1 1", "play 0", then="W4")
    assert team.move == "hint 1 W"  # the newest card, but in the first slot


def test_a_card_that_hints_make_sure_is_played_and_a_useless_one_discarded():
    moves = ("hint 1 R", "hint 1 3", "hint 1 1")
    assert Team("internal", "Y3 G3 W3 B3 Y4 | G4 R4 Y2 B2 R1", *moves).move == "play 4"
    again = (*moves, "play 4", "hint 1 R", "hint 1 4", "hint 1 1")
    assert Team("internal", "Y3 G3 W3 B3 Y4 | G4 R4 Y2 B2 R1", *again, then="R1").move == "discard 4"


def test_the_first_hint_among_five_names_every_1_among_the_oldest_cards():
    team = Team("information", "Y3 G3 W3 B3 | G1 R4 Y4 B4 | R5 Y2 G2 W2 | W1 R3 G4 B2 | B5 R2 W4 Y5", players=5)
    team.do(team.move)
    assert [team.possible(player, 0) for player in (1, 3)] == [{"G1"}, {"W1"}]
    assert "R5" in team.possible(2, 0)
    assert len(team.possible(2, 0)) == 8  # the cards of one block
    assert team.move == "play 0"


def test_the_cheat_plays_what_lets_the_next_player_play():
    assert Team("cheat", "Y1 G3 B1 B3 Y4 | B2 R4 G4 W4 G2").move == "play 2"


def test_a_suit_that_is_known_is_announced():
    assert Team("cheat", "Y1 G3 R4 B3 Y4 | Y2 R4 G4 W4 G2", choreography=True).move == "play 0 as Y"
    moves = ("hint 1 R", "hint 1 3", "hint 1 1")
    assert Team("piers", "Y3 G3 W3 B3 Y4 | G4 R4 Y2 B2 R1", *moves, choreography=True).move == "play 4 as R"
