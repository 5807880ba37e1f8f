"""The best score of known decks: against a search of all games by the rules themselves, and with every proof checked."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.ceiling import __main__ as command
from agents.ceiling import checking, measuring
from agents.ceiling.verdicts import Ceiling, Verdict, targets_below
from agents.ceiling.words import deck_in_words, in_words
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0
from tests.reference.hanabi_plain import PlainHanabi

TINY = HanabiConfig(colors=2, ranks=3, hand_size=2, max_information_tokens=2, max_life_tokens=2)
CONFIGS = {
    "two": TINY,
    "one life": replace(TINY, max_information_tokens=1, max_life_tokens=1),
    "one card": replace(TINY, hand_size=1, max_information_tokens=1),
    "no tokens": replace(TINY, max_information_tokens=0, max_life_tokens=3),
    "three": replace(TINY, players=3, ranks=2, max_information_tokens=1),
    "one suit": replace(TINY, colors=1, players=3, hand_size=1),
    "single": replace(TINY, colors=1, multicolor="own_color"),
    "black": replace(TINY, colors=1, black_powder=True, max_life_tokens=1),
    "bouquet": replace(TINY, colors=1, final_bouquet=True, max_information_tokens=1),
    "announced": replace(TINY, choreography=True, max_information_tokens=1),
}


def best_score(config: HanabiConfig, deck: list[str]) -> int:
    """The best score of all games, by the tests' own rules: every legal move of every position, hints once."""
    begin = Position(PlainHanabi(config, deck))
    seen, waiting, best = {begin.key}, [begin], -99
    while waiting:
        position = waiting.pop()
        for move in position.moves():
            following = Position(position.after(move))
            if following.game.end_reason is not None:
                best = max(best, following.game.score)
            elif following.key not in seen:
                seen.add(following.key)
                waiting.append(following)
    return best


class Position:
    """A position of a game that all see."""

    def __init__(self, game: PlainHanabi) -> None:
        self.game = game
        self.key = (
            game.current_player,
            tuple(tuple(sorted(hand)) for hand in game.hands),
            len(game.deck),
            tuple(game.fireworks.values()),
            game.information_tokens,
            game.life_tokens,
            game.turns_to_play,
        )

    def moves(self) -> Iterator[str]:
        """Legal moves; of hints only one."""
        legal = sorted(self.game.legal_moves())
        yield from [move for move in legal if move.startswith("hint")][:1]
        yield from [move for move in legal if not move.startswith("hint")]

    def after(self, move: str) -> PlainHanabi:
        """A copy of the game after a move, which remembers nothing of hints."""
        game = object.__new__(PlainHanabi)
        game.__dict__.update(self.game.__dict__)
        for name in ("deck", "discards", "events", "bonus_tiles"):
            setattr(game, name, list(getattr(game, name)))
        game.fireworks = dict(game.fireworks)
        game.hands = [list(hand) for hand in game.hands]
        game.knowledge = [list(known) for known in game.knowledge]
        game.move(move)
        return game


@pytest.mark.parametrize("name", CONFIGS)
def test_the_verdict_is_that_of_a_search_of_all_games(name: str):
    """And each of the proofs holds for the second program; no deck of these is open."""
    ceiling = Ceiling(CONFIGS[name])
    arguments = set()
    for index in range(25):
        verdict = ceiling.solve(5, index)
        deck, moves = in_words(ceiling, 5, index, verdict)
        best = best_score(ceiling.config, deck)
        assert verdict.lower <= best <= verdict.upper, (deck, verdict)
        assert (best == ceiling.config.max_score) == (verdict.lower == ceiling.config.max_score), (deck, verdict)
        if verdict.actions:
            checking.check_game(ceiling.config, deck, moves, verdict.lower)
        if verdict.argument:
            checking.check_argument(ceiling.config, deck, verdict.argument)
            arguments.add(verdict.argument.partition(":")[0])
    assert arguments or name in ("bouquet", "single"), "no deck allows less: the test shows little"
