"""Verdicts on decks: the best score, or bounds of it, each with a proof.

First the highest score is tried: a narrow beam, the arguments, then wider beams of several styles. A deck with neither
a line nor an argument is *open*. Below the highest score, targets with one card less at a time are tried, in all ways
to leave out cards at the ends of the fireworks, until a line is found. Every line is played to its end by the rules of
the game, which give its score.
"""

from collections.abc import Iterator
from dataclasses import fields
from itertools import product
from typing import NamedTuple

import numpy as np

from hanabi_env import HanabiConfig
from hanabi_env.engine.rules import opening_score
from hanabi_env.words.notation import action_to_str

from .arguments import Arguments
from .beam import DRY, STYLES, Beam
from .decks import MASK_WORDS, MOST_STEPS, deck_loops, empty_states, target_of
from .orders import empty_orders
from .words import Known, known_in_words

__all__ = ["Ceiling", "Verdict", "targets_below"]

FIRST_WIDTHS = (1, 8)
WIDTHS = (64, 512)
LAST_WIDTH = 4096
WITH_TILES = (10, 8, 6, 5, 9, 7)
"""The styles that solve most decks with bonus tiles (V4)."""
KNOWN = (
    *("players", "colors", "ranks", "hand_size", "max_information_tokens", "max_life_tokens", "random_start_player"),
    *("multicolor", "black_powder", "black_distribution", "flamboyants", "final_bouquet", "choreography"),
    *("empty_hints", "score_on_loss", "observation_type", "history", "belief", "derived"),
)
"""The fields of a config that the search and the arguments support."""
MOST_LEFT_OUT = 6
"""The most cards left out for which wide beams are used; with more, only a narrow beam per target."""


class Verdict(NamedTuple):
    """The result for one deck."""

    lower: int
    """The highest score of a game that was found."""
    upper: int
    """An upper bound of all games' scores."""
    argument: str
    """The argument that excludes the highest score, or "" if that is possible or the deck is open."""
    actions: tuple[int, ...]
    """The actions of a game that scores ``lower``."""

    @property
    def is_open(self) -> bool:
        """Whether it is unknown if the highest score is possible."""
        return not self.argument and self.lower < self.upper


def targets_below(heights: tuple[int, ...], left_out: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to leave out ``left_out`` cards at the ends of fireworks of these heights."""
    for fewer in product(*(range(min(left_out, height) + 1) for height in heights)):
        if sum(fewer) == left_out:
            yield tuple(height - less for height, less in zip(heights, fewer, strict=True))


class Ceiling:
    """Solves one deck of a config after the other.

    Args:
        config: the game's config.
        last_width: the width of the widest beams.

    Raises:
        ValueError: a random player begins, or the config has a field that this program does not know.
    """

    def __init__(self, config: HanabiConfig, last_width: int = LAST_WIDTH) -> None:
        for own in fields(config):  # it has its own implementation of the rules
            if own.name not in KNOWN and getattr(config, own.name) != own.default:
                raise ValueError(f"the ceiling does not know the rules of {own.name}={getattr(config, own.name)!r}")
        if config.random_start_player:
            raise ValueError("random_start_player must be False: the first player must be known")
        self.config, self.rules = config, config.rules()
        self.last_width = last_width
        self.beams: dict[int, Beam] = {}
        self.arguments = Arguments(self.rules)
        self.states = empty_states(self.rules)
        self.orders = empty_orders()
        self.mask = np.zeros(MASK_WORDS, np.uint64)
        self.actions = np.zeros(MOST_STEPS, np.int64)
        self.whole = (self.rules.ranks,) * self.rules.suits
        self.game = (np.uint64(0), np.uint64(0))

    def deal(self, seed: int, index: int) -> None:
        """Deal game ``index`` of ``seed`` into ``orders``."""
        self.game = (np.uint64(seed), np.uint64(index))
        deck_loops().deal(self.rules, self.states, *self.game, self.orders)

    def solve(self, seed: int, index: int) -> Verdict:
        """Return the verdict on the deck of game ``index`` of ``seed``."""
        self.deal(seed, index)
        most = self.config.max_score
        found, argument = self.attempt(self.whole, self.last_width)
        if found is not None and found[0] == most:
            return Verdict(most, most, "", found[1])
        if self.rules.final_bouquet:  # V5: all or nothing
            lost = int(opening_score(self.rules))
            return Verdict(lost, lost if argument else most, argument, ())
        return self.best_below(argument)

    def in_words(self, seed: int, index: int, verdict: Verdict) -> tuple[Known, list[str]]:
        """Return the cards of a game, and the moves of its verdict, as text."""
        self.deal(seed, index)
        known = known_in_words(self.config, self.orders, seed, index)
        return known, [action_to_str(self.config, action) for action in verdict.actions]

    def best_below(self, argument: str) -> Verdict:
        """Return the verdict on a deck that does not allow the highest score, or for which no line was found."""
        is_proved = bool(argument)
        most = self.config.max_score
        upper = most - is_proved
        for left_out in range(1, sum(self.whole) + 1):
            best: tuple[int, tuple[int, ...]] | None = None
            for heights in targets_below(self.whole, left_out):
                found, refuted = self.attempt(heights, 512 if left_out <= MOST_LEFT_OUT else 8)
                is_proved &= bool(refuted)
                if found is not None and (best is None or found[0] > best[0]):
                    best = found
                if best is not None and best[0] >= most - left_out:
                    return Verdict(best[0], max(upper, best[0]), argument, best[1])
            if is_proved:
                upper = most - left_out - 1
        return Verdict(int(opening_score(self.rules)), upper, argument, ())

    def attempt(self, heights: tuple[int, ...], widest: int) -> tuple[tuple[int, tuple[int, ...]] | None, str]:
        """Look for a line and an argument; return a game as (score, actions) or None, and the argument or ""."""
        target = target_of(self.rules, heights)
        for width in FIRST_WIDTHS:
            found, is_dry = self.find_line(target, width, 0)
            if found is not None:
                return found, ""
            if is_dry:
                break
        argument = self.arguments.find(self.orders, target)
        if argument:
            return None, argument
        for width, style in self.ladder(widest):
            found, is_dry = self.find_line(target, width, style)
            if found is not None:
                return found, ""
            if is_dry and not (self.rules.choreography or self.rules.flamboyants):
                return None, "searched"
        return None, ""

    def ladder(self, widest: int) -> Iterator[tuple[int, int]]:
        """Yield widths and styles of the beams after the narrow ones."""
        styles = WITH_TILES if self.rules.flamboyants else range(len(STYLES))
        for width in WIDTHS:
            if width <= min(widest, self.last_width):
                yield width, styles[0]
        if widest > WIDTHS[-1]:
            for style in styles[1:]:
                yield min(WIDTHS[-1], self.last_width), style
            for style in styles:
                yield self.last_width, style

    def find_line(self, target: int, width: int, style: int) -> tuple[tuple[int, tuple[int, ...]] | None, bool]:
        """Return a game as (score, actions) or None, and whether all positions were searched without success."""
        if width not in self.beams:
            self.beams[width] = Beam(self.rules, width)
        beam = self.beams[width]
        turns = beam.search(self.orders, target, STYLES[style])
        if turns < 0:
            return None, turns == DRY
        seed, index = self.game
        score = deck_loops().follow(
            self.rules, self.states, seed, index, np.int64(target), beam.moves, turns, self.mask, self.actions
        )
        if score < target.bit_count() - (self.rules.ranks if self.rules.black_suit >= 0 else 0):
            return None, False
        return (int(score), tuple(self.actions[self.actions >= 0].tolist())), False
