"""The second program's check of ``crowded`` and ``reshuffled``: a common hand, as text. See `common_hand.py`."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

from hanabi_env import HanabiConfig

from .words import Known

__all__ = ["CommonHand", "tiles_turned"]

MOST_POSITIONS = 200_000
ANYTHING = "-"
"""A useless card."""


class Position(NamedTuple):
    """A position of the game with a common hand."""

    deck: tuple[str, ...]
    """All cards, from the top card of the deal on."""
    drawn: int
    hand: frozenset[str]
    played: frozenset[str]
    dropped: frozenset[str]
    """The cards of which a copy may be in the discard."""
    is_first: bool = True
    """Whether tile (e) has not shuffled the deck yet."""


def tiles_turned(config: HanabiConfig, order: Sequence[Sequence[str]], known: Known) -> str:
    """Return the tiles (V4) that are turned up by playing exactly these cards: one per complete firework except black.

    The last firework turns none up if all are complete (E4); it may be the black one (V3).
    """
    whole = [len(firework) == config.ranks for firework in order]
    colored = sum(whole) - (config.black_powder and whole[-1])
    return known.tiles[: colored - (all(whole) and not config.black_powder)]


class CommonHand:
    """A game in which all players share one hand, act in any order and never lack tokens.

    Args:
        config: the game's config.
        order: the cards to be played, by firework.
        known: the random events.
        is_late: a function that returns whether a deck leaves too few turns if a number of cards needs none.
    """

    def __init__(
        self,
        config: HanabiConfig,
        order: Sequence[Sequence[str]],
        known: Known,
        is_late: Callable[[Sequence[str], int], bool],
    ) -> None:
        self.config, self.order, self.known, self.is_late = config, order, known, is_late
        self.is_late_after = cache(lambda drawn: is_late(known.after(drawn, ANYTHING), "f" in self.tiles))
        self.room = config.players * config.cards_in_hand
        self.everything = frozenset(chain(*order))
        self.tiles = tiles_turned(config, order, known)
        whole = [firework for firework in order if len(firework) == config.ranks]
        self.last = {firework[-1] for firework in whole if firework[0][0] != "K"}

    def gets_through(self) -> bool:
        """Whether all cards can be played.

        Raises:
            ValueError: there are too many positions.
        """
        hand = self.known.deck[: self.room]
        twice = frozenset(card for card in hand if hand.count(card) > 1)
        waiting = [Position(tuple(self.known.deck), self.room, frozenset(hand), frozenset(), twice)]
        seen: set[Position] = set()
        while waiting:
            position = self.boiled_down(waiting.pop())
            if position in seen or self.is_lost(position):
                continue
            if position.drawn == len(position.deck):
                return True
            seen.add(position)
            if len(seen) > MOST_POSITIONS:
                raise ValueError(f"a common hand takes more than {MOST_POSITIONS:,} positions to check")
            waiting += self.after(position)
        return False

    def boiled_down(self, position: Position) -> Position:
        """Return the position without useless cards."""
        missing = self.everything - position.played
        dropped = position.dropped & missing if {*self.ahead(position)} & {"e", "f"} else frozenset()
        return position._replace(hand=position.hand & missing, dropped=dropped)

    def ahead(self, position: Position) -> str:
        """Return the tiles that will still be turned up."""
        return self.tiles[len(self.last & position.played) :]

    def is_lost(self, position: Position) -> bool:
        """Whether too few turns are left, or more cards are lost than tiles can bring back."""
        config, tiles = self.config, self.tiles
        left = len(position.deck) - position.drawn
        missing = self.everything - position.played
        spared = ("f" in tiles) + ("e" in tiles and position.is_first)
        if not config.final_bouquet and len(missing) > left + config.players + spared:
            return True
        gone = missing - position.hand - set(position.deck[position.drawn :])
        if len(gone) > (0 if config.final_bouquet else sum(tile in "ef" for tile in self.ahead(position))):
            return True
        return left == 0 and position.is_first and "e" in tiles and self.is_late(position.deck, spared)

    def after(self, position: Position) -> Iterator[Position]:
        """Yield the next positions; a playable card is played at once, unless it turns up a tile with a choice."""
        fitting = position.hand & self.next_cards(position)
        waits = self.last if self.ahead(position)[:1] in ("e", "f") else set()
        if fitting - waits:
            yield self.draw(put_down(position, min(fitting - waits)))
            return
        if len(position.hand) < self.room:
            yield self.draw(position)
        else:
            for card in position.hand:
                dropped = position.dropped | {card}
                yield self.draw(position._replace(hand=position.hand - {card}, dropped=dropped))
        for card in fitting & waits:
            for following in self.turn_up(put_down(position, card), self.ahead(position)[0]):
                yield self.draw(following)

    def next_cards(self, position: Position) -> set[str]:
        """Return the next card of every firework."""
        rest = [[card for card in firework if card not in position.played] for firework in self.order]
        return {cards[0] for cards in rest if cards}

    def turn_up(self, position: Position, tile: str) -> Iterator[Position]:
        """Yield the positions after a tile (V4), with any drawn card; (e) or (f) may also have no effect."""
        drawn = (position.hand | position.dropped) - position.played
        if tile == "e":
            if len(position.played) >= position.drawn - self.room:
                yield position
            if not self.is_late_after(position.drawn):
                for card in (*drawn, ANYTHING):
                    deck = tuple(self.known.after(position.drawn, card))
                    yield position._replace(deck=deck, dropped=position.dropped - {card}, is_first=False)
            return
        yield position
        if tile == "f":
            for card in drawn & self.next_cards(position):
                following = put_down(position, card)
                ahead = self.ahead(position)
                yield from self.turn_up(following, ahead[0]) if card in self.last and ahead else [following]

    def draw(self, position: Position) -> Position:
        """Return the position after the next draw; a second copy of a card may be dropped."""
        card = {position.deck[position.drawn]}
        dropped = position.dropped | (position.hand & card)
        return position._replace(drawn=position.drawn + 1, hand=position.hand | card, dropped=dropped)


def put_down(position: Position, card: str) -> Position:
    """Return the position after playing the card."""
    return position._replace(hand=position.hand - {card}, played=position.played | {card})
