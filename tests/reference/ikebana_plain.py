"""Ikebana with lists of words, written from the booklet; it shares nothing with the engine.

    game = PlainIkebana(players=3, decks=[deck_of_round_1, ...])
    game.legal_moves()            # ["draw", "buy 1"]
    game.move("draw")

Nothing is random here: ``decks`` are the decks of the rounds, top card first, and `move` gets every reshuffled deck.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

COLORS = "KRGBY"
KINDS = [f"{color}{value}" for color in f"{COLORS}J" for value in range(1, 6)]
STRAIGHTS: dict[tuple[int, ...], int] = {(1, 2, 3, 4): 8, (2, 3, 4, 5): 12, (1, 2, 3, 4, 5): 15}


def box() -> list[str]:
    """I1: the cards in the box."""
    colored = [f"{color}{value}" for color in COLORS for value in (1, 1, 1, 2, 2, 3, 3, 4, 4, 5)]
    return [*colored, *(f"J{value}" for value in range(1, 6))]


COPIES = Counter(box())


# --- Scoring by brute force -------------------------------------------------------------------------------------------


def partitions(cards: list[Any]) -> Iterator[list[list[Any]]]:
    """Yield every way to divide cards into heaps."""
    if not cards:
        yield []
        return
    first, rest = cards[0], cards[1:]
    for heaps in partitions(rest):
        yield [[first], *heaps]
        for k, heap in enumerate(heaps):
            yield [*heaps[:k], [first, *heap], *heaps[k + 1 :]]


def points_of_heap(values: list[int]) -> int:
    """Return the points of one heap as a combination."""
    if len(values) >= 2 and len(set(values)) == 1:
        return sum(values)
    return STRAIGHTS.get(tuple(sorted(values)), 0)


@cache
def best_points(values: tuple[int, ...]) -> int:
    """I10: the best points over all partitions."""
    return max(sum(map(points_of_heap, heaps)) for heaps in partitions(list(values)))


@cache
def best_multiplier(colors: tuple[str, ...]) -> int:
    """I11: the best multiplier over all colors of the jokers."""
    choices = [COLORS if color == "J" else color for color in colors]
    return max({1: 4, 2: 2, 5: 3}.get(len(set(chosen)), 1) for chosen in product(*choices))


def gain_of(bouquet: list[str]) -> int:
    """I10, I11: the prestige that a bouquet gains."""
    values = tuple(sorted(int(card[1]) for card in bouquet))
    return best_points(values) * best_multiplier(tuple(sorted(card[0] for card in bouquet)))


# --- The game ---------------------------------------------------------------------------------------------------------


class PlainIkebana:
    """One game; every attribute has the value of the same key of `to_dict`."""

    def __init__(
        self,
        players: int,
        decks: list[list[str]],
        rounds: int = 4,
        final_bouquet: bool = False,
        first_player: int = 0,
    ) -> None:
        self.players, self.rounds, self.final_bouquet, self.decks = players, rounds, final_bouquet, decks
        self.prestige = [6] * players
        self.gains: list[list[int]] = []
        self.winners: list[int] | None = None
        self.begin_round(1, first_player)

    def begin_round(self, number: int, starter: int) -> None:
        self.round, self.starter, self.current_player = number, starter, starter
        self.deck = list(self.decks[number - 1])
        assert Counter(self.deck) == Counter(box())
        self.bouquets: list[list[str]] = [[] for _ in range(self.players)]
        self.discards: list[list[str]] = [[] for _ in range(self.players)]
        self.drawn: str | None = None
        self.refusals = 0

    def neighbor(self, offset: int) -> int:
        return (self.current_player + offset) % self.players

    def legal_moves(self) -> list[str]:
        if self.winners is not None:
            return []
        money = self.prestige[self.current_player]
        if self.drawn is not None:
            return ["keep", "refuse"] if money >= self.refusals + 1 else ["keep"]
        sellers = [offset for offset in range(1, self.players) if self.discards[self.neighbor(offset)]]
        prices = {offset: int(self.discards[self.neighbor(offset)][-1][1]) for offset in sellers}
        return ["draw", *(f"buy {offset}" for offset, price in prices.items() if price <= money)]

    def needs_shuffle(self, words: str) -> bool:
        """Return whether the move draws from an empty deck."""
        return words in ("draw", "refuse") and not self.deck

    def move(self, words: str, shuffled: list[str] | None = None) -> None:
        """Make a move; ``shuffled`` is the new deck (top first) if it `needs_shuffle`."""
        assert words in self.legal_moves()
        verb, *number = words.split()
        if verb == "draw":
            self.draw(shuffled)
        elif verb == "keep":
            card, self.drawn = self.drawn, None
            assert card is not None
            self.add(card)
        elif verb == "refuse":
            self.refuse(shuffled)
        else:
            seller = self.neighbor(int(number[0]))
            card = self.discards[seller].pop()
            self.pay(seller, int(card[1]))
            self.add(card)

    def draw(self, shuffled: list[str] | None) -> None:
        if not self.deck:
            collected = [card for pile in self.discards for card in pile[:-1]]
            self.discards = [pile[-1:] for pile in self.discards]
            assert shuffled is not None and Counter(shuffled) == Counter(collected), "I9"
            self.deck = list(shuffled)
        self.drawn = self.deck.pop(0)

    def refuse(self, shuffled: list[str] | None) -> None:
        self.refusals += 1
        others = [self.neighbor(offset) for offset in range(1, self.players)]
        self.pay(others[(self.refusals - 1) % len(others)], self.refusals)
        assert self.drawn is not None
        self.discards[self.current_player].append(self.drawn)
        self.draw(shuffled)

    def pay(self, payee: int, price: int) -> None:
        self.prestige[self.current_player] -= price
        self.prestige[payee] += price

    def add(self, card: str) -> None:
        self.bouquets[self.current_player].append(card)
        self.refusals = 0
        self.current_player = self.neighbor(1)
        if all(len(bouquet) == 5 for bouquet in self.bouquets):
            self.end_round()

    def end_round(self) -> None:
        factor = 2 if self.final_bouquet and self.round == self.rounds else 1
        gains = [factor * gain_of(bouquet) for bouquet in self.bouquets]
        self.gains.append(gains)
        self.prestige = [points + gain for points, gain in zip(self.prestige, gains, strict=True)]
        if self.round == self.rounds:
            self.winners = [k for k, points in enumerate(self.prestige) if points == max(self.prestige)]
            return
        order = [(self.starter + offset) % self.players for offset in range(self.players)]
        self.begin_round(self.round + 1, max(order, key=lambda player: gains[player]))  # the first of equals

    def to_dict(self) -> dict[str, Any]:
        """Return the position under the keys of an environment's `to_dict`."""
        return {
            "current_player": self.current_player,
            "round": self.round,
            "bouquets": [sorted(bouquet, key=KINDS.index) for bouquet in self.bouquets],
            "discards": self.discards,
            "deck": self.deck,
            "prestige": self.prestige,
            "drawn": self.drawn,
            "refusals": self.refusals,
            "gains": self.gains,
            "winners": self.winners,
        }

    # --- What a player may know ---------------------------------------------------------------------------------------

    def observation(self, observer: int, perfect_recall: bool = False, derived: bool = False) -> list[int]:
        """Return the bits in the sections of the rule card's table."""
        seats = [(observer + offset) % self.players for offset in range(self.players)]
        bits: list[int] = []
        for seat in seats:
            count = Counter(self.bouquets[seat])
            bits += [int(k < count[kind]) for kind in KINDS for k in range(COPIES[kind])]
            bits += one_hot(self.discards[seat][-1:])
            bits += thermometer(len(self.discards[seat]), 4) + binary(len(self.discards[seat]), 6)
            points = self.prestige[seat]
            bits += thermometer(points, 32) + [int(points >= mark) for mark in range(40, 185, 8)] + binary(points, 12)
        bits += thermometer(len(self.deck), 55)
        bits += thermometer(len(self.bouquets[self.current_player]), 5)
        bits += [int(self.round == number) for number in range(1, self.rounds + 1)]
        bits += [int(seat == self.current_player) for seat in seats]
        bits += [int(seat == self.starter) for seat in seats]
        bits += [int(self.drawn is not None)]
        bits += thermometer(self.refusals, 6) + binary(self.refusals, 7)
        bits += one_hot([self.drawn] if self.drawn and observer == self.current_player else [])
        if perfect_recall:
            buried = [(seat, card) for seat in seats for card in self.discards[seat][-2::-1]]
            for seat, card in buried:
                bits += [int(seat == other) for other in seats] + one_hot([card])
            bits += [0] * (54 - len(buried)) * (self.players + 30)
        return bits + (self.derived(observer, seats) if derived else [])

    def derived(self, observer: int, seats: list[int]) -> list[int]:
        """Return values and colors by number, then each card on offer and how it fits this player's bouquet."""
        bits: list[int] = []
        for seat in seats:
            bouquet = self.bouquets[seat]
            for value in "12345":
                bits += thermometer(sum(card[1] == value for card in bouquet), 5)
            bits += thermometer(sum(card[0] == "J" for card in bouquet), 5)
            bits += [int(any(card[0] == color for card in bouquet)) for color in COLORS]
        drawn = self.drawn if observer == self.current_player else None
        for card in [drawn, *((self.discards[seat] or [None])[-1] for seat in seats[1:])]:
            color, value = card or "??"
            own = self.bouquets[observer]
            bits += [int(value == other) for other in "12345"] + [int(color == other) for other in "KRGBYJ"]
            bits += thermometer(sum(other[1] == value for other in own), 5)
            bits += [int(any(other[0] == color for other in own))]
        return bits


def one_hot(cards: list[str]) -> list[int]:
    return [int(kind in cards) for kind in KINDS]


def thermometer(number: int, length: int) -> list[int]:
    return [int(k < number) for k in range(length)]


def binary(number: int, length: int) -> list[int]:
    return [number >> k & 1 for k in range(length)]
