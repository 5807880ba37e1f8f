"""Parts that reading and writing share: the kinds of actions, checked numbers, cards in hands."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hanabako.words.checks import shown
from hanabi_env.config import HanabiConfig
from hanabi_env.words.checks import box_of

PLAY, DISCARD, COLOR_CLUE, RANK_CLUE, END_GAME, END_BY_VOTE = range(6)
LAST_REASON = 10
"""The site's last number of a reason why a game ended; they count from 1, and 0 is a game that is not over."""


def number_in(entry: Any, name: str, default: int | None, allowed: range) -> int:
    """Return the integer under ``name``; raise ``ValueError`` if it is missing, not an integer, or not ``allowed``."""
    value = entry.get(name, default) if isinstance(entry, Mapping) else None
    if type(value) is not int or value not in allowed:
        raise ValueError(f"{name} must be from {allowed.start} to {allowed.stop - 1} in {shown(entry)}")
    return value


def checked_end(end: Mapping[str, Any], players: int) -> dict[str, int]:
    """Return a checked copy of an end action with only its three keys."""
    kind = number_in(end, "type", None, range(END_GAME, END_BY_VOTE + 1))
    target = number_in(end, "target", -1, range(-1, players))
    return {"type": kind, "target": target, "value": number_in(end, "value", 0, range(LAST_REASON + 1))}


def deck_refusal(config: HanabiConfig, cards: Sequence[str]) -> str:
    """Return the error message for a deck that is not the whole box."""
    wanted = f"deck must be the whole box, {config.deck_size} cards, got"
    many = next(((card, count) for card, count in (Counter(cards) - box_of(config)).items()), None)
    return f"{wanted} {len(cards)}" if many is None else f"{wanted} {many[1]} {many[0]} too many"


class Hands:
    """The deck indices of the cards in all hands, to convert between slots and deck indices."""

    def __init__(self, config: HanabiConfig, deck_size: int, player: int = 0) -> None:
        size = config.cards_in_hand
        self.config = config
        self.player = player
        self.deck_size = deck_size
        self.hands = [list(range(player * size, (player + 1) * size)) for player in range(config.players)]
        self.next_order = config.players * size

    def use(self, slot: int) -> int:
        """Play or discard the card of a slot and draw a card. Returns the used card's index in the deck."""
        hand = self.hands[self.player]
        order = hand.pop(slot)
        if self.next_order < self.deck_size:
            hand.append(self.next_order)
            self.next_order += 1
        self.pass_on()
        return order

    def pass_on(self) -> None:
        """Begin the next player's turn."""
        self.player = (self.player + 1) % self.config.players
