"""A hundred recorded games between people, replayed card by card: captures, choices, winners and points agree."""

import gzip
import json
from itertools import islice
from pathlib import Path
from typing import Any

from hanafuda_env import koikoi_v0

from .table import Table

TURNS = 16


def word(card: list[int]) -> str:
    return f"{card[0]}-{card[1]}"


def deck_of(basic: dict[str, Any]) -> list[str]:
    """Return the deck that deals a recorded round; its pile is drawn from the end."""
    dealer = basic["Dealer"]
    hands = {player: [word(card) for card in basic[f"initHand{player}"]] for player in (1, 2)}
    other, own, board = hands[3 - dealer], hands[dealer], [word(card) for card in basic["initBoard"]]
    first = other[:4] + own[:4] + board[:4]
    return first + other[4:] + own[4:] + board[4:] + [word(card) for card in reversed(basic["initPile"])]


class Replay(Table):
    def __init__(self, env: Any, game: dict[str, Any]) -> None:
        super().__init__(env)
        self.rounds = list(game["record"].values())
        decks = [deck_of(record["basic"]) for record in self.rounds]
        env.reset(options={"decks": decks, "dealer": self.rounds[0]["basic"]["Dealer"] - 1})

    def take(self, phase: str, captured: list[list[int]]) -> None:
        """If the game asks for a choice of matching cards, take the recorded one; exactly two cards must match."""
        if self.phase == phase:
            assert len(captured) == 2
            self.do(f"take {word(captured[1])}")

    def play_turn(self, number: int, turn: dict[str, Any]) -> None:
        before = self.env.to_dict()
        player = turn["playerInTurn"] - 1
        assert (before["phase"], before["turn"], before["current_player"]) == ("play", number, player)
        assert before["deck"][0] == word(turn["drawCard"])
        finished = len(before["round_results"])
        self.do(f"play {word(turn['discardCard'])}")
        self.take("pick_hand", turn["collectCard"])
        self.take("pick_draw", turn["collectCard2"])
        after = self.env.to_dict()
        if len(after["round_results"]) == finished:
            taken = {word(card) for card in turn["collectCard"] + turn["collectCard2"]}
            assert set(after["captured"][player]) - set(before["captured"][player]) == taken
        offered = after["phase"] == "koi"
        must_stop = len(after["round_results"]) > finished and after["round_results"][-1]["reason"] == "stop"
        assert (turn["isKoiKoi"] is not None) == (offered or must_stop)
        if offered:
            self.do("koikoi" if turn["isKoiKoi"] else "stop")

    def play(self) -> None:
        """Replay all rounds."""
        for number, record in enumerate(self.rounds):
            basic = record["basic"]
            assert self.dealer == basic["Dealer"] - 1
            for turn in range(1, TURNS + 1):
                if f"turn{turn}" in record:
                    self.play_turn(turn, record[f"turn{turn}"])
            assert len(self.round_results) == number + 1
            result = self.round_results[number]
            winner = basic["roundWinner"]
            if result["reason"] == "exhausted":  # such records have no winner; the dealer gets a point
                assert winner == 0
                winner = basic["Dealer"]
            assert result["winner"] == winner - 1
            assert result["points"] == basic[f"player{winner}RoundPts"] == -basic[f"player{3 - winner}RoundPts"]


def test_recorded_games_between_people_replay_without_a_disagreement(recorded_games: Path, full: bool):
    env = koikoi_v0.raw_env(preset="koikoi_japan")
    env.reset(seed=0)
    rounds = 0
    with gzip.open(recorded_games / "koikoi_games.jsonl.gz", "rt", encoding="utf-8") as lines:
        games = [json.loads(line) for line in islice(lines, None if full else 10)]
    for game in games:
        replay = Replay(env, game)
        replay.play()
        rounds += len(replay.rounds)
        assert replay.is_over
        assert replay.scores == [game["result"]["player1EndPts"], game["result"]["player2EndPts"]]
    assert (len(games), rounds) == ((100, 794) if full else (10, 80))
