"""A short notation for tests: zones as words, moves as sentences.

    table = position("1-1 2-3 | ", field="1-3 5-2", captured="3-1 8-1 | ", deck="6-3")
    table.do("play 1-1")
    assert table.phase == "koi"

``deal`` stacks a deck; ``position`` starts from a given position. Cards that a test does not mention fill the hands and
the deck, chaff first, and all remaining cards are in the second player's pile.
"""

from typing import Any

import tests.table
from hanafuda_env import KoiKoiConfig, koikoi_v0
from tests.reference.koikoi_plain import BOX, is_kind


class Table(tests.table.Table):
    @property
    def last_result(self) -> tuple[int | None, int, str]:
        """Winner, points and reason of the last finished round."""
        row = self.round_results[-1]
        return row["winner"], row["points"], row["reason"]

    def plane(self, player: int, number: int) -> set[str]:
        bits = self.bits(player)[48 * number : 48 * (number + 1)]
        return {card for card, bit in zip(BOX, bits, strict=True) if bit}


MY_HAND, FIELD, MY_PILE, THEIR_PILE, UNSEEN, REVEALED, PENDING, CHOICES = range(8)


def two(text: str) -> list[list[str]]:
    """Return the cards of both players from a text such as ``"1-1 2-2 | 3-3"``."""
    first, _, second = text.partition("|")
    return [first.split(), second.split()]


def quiet_first(cards: list[str]) -> list[str]:
    """Return the cards with chaff first, so that cards for yaku come last."""
    return sorted(cards, key=lambda card: not is_kind(KoiKoiConfig(), card, "chaff"))


def position(
    hands: str = "|",
    *,
    field: str = "",
    captured: str = "|",
    deck: str = "",
    pending: str | None = None,
    phase: str = "play",
    turn: int = 9,
    dealer: int = 0,
    config: KoiKoiConfig | None = None,
    **state: Any,
) -> Table:
    """Return a game that continues from a position in its first round."""
    config = config or KoiKoiConfig()
    held, piles, lying, coming = two(hands), two(captured), field.split(), deck.split()
    named = {*held[0], *held[1], *piles[0], *piles[1], *lying, *coming, pending}
    rest = quiet_first([card for card in BOX if card not in named])
    player = (dealer + turn - 1) % 2
    for seat in range(2):
        size = 8 - (turn if seat == dealer else turn - 1) // 2 - (seat == player and phase != "play")
        missing = size - len(held[seat])
        held[seat] += rest[:missing]
        del rest[:missing]
    missing = 24 - (turn - 1) - (phase in ("pick_draw", "koi")) - len(coming)
    coming += rest[:missing]
    del rest[:missing]
    piles[1] += rest
    table = {
        "current_player": player,
        "dealer": dealer,
        "round": 1,
        "phase": phase,
        "hands": held,
        "field": lying,
        "captured": piles,
        "deck": coming,
        "pending": pending,
        "scores": [config.start_score] * 2,
        "chain": [0, 0],
        "koikoi_called": [0, 0],
        "round_results": [],
        "turn": turn,
        **state,
    }
    env = koikoi_v0.raw_env(config=config)
    env.reset(seed=1, options={"state": table})
    return Table(env)


def stacked(other: str = "", dealers: str = "", field: str = "", stock: str = "") -> list[str]:
    """Return a deck that deals these hands and this field (K5) and then draws these cards."""
    zones = [text.split() for text in (other, dealers, field)]
    named = {card for zone in (*zones, stock.split()) for card in zone}
    rest = [card for k in range(1, 5) for card in BOX if card[-1] == str(k) and card not in named]
    for zone in zones:
        missing = 8 - len(zone)
        zone.extend(rest[:missing])
        del rest[:missing]
    first = [card for zone in zones for card in zone[:4]]
    return first + [card for zone in zones for card in zone[4:]] + stock.split() + rest


def deal(
    other: str = "",
    dealers: str = "",
    field: str = "",
    stock: str = "",
    dealer: int = 0,
    decks: Any = (),
    **fields: Any,
) -> Table:
    """Return a new game from a stacked deck for the first round, with further decks for the next ones."""
    env = koikoi_v0.raw_env(**fields)
    all_decks = [stacked(other, dealers, field, stock), *decks]
    env.reset(seed=1, options={"decks": all_decks, "dealer": dealer})
    return Table(env)
