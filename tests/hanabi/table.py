"""A short notation for tests: hands, decks and positions in words, moves as sentences.

    table = deal("R1 R2 R3 R4 R5 | Y1 Y1 G1 G1 B1", then="W1 W2")
    table.do("play 0", "hint 1 R")
    assert table.fireworks == {"R": 1, "Y": 0, "G": 0, "W": 0, "B": 0}

``deal`` stacks a deck; ``position`` starts from a given position. Cards that a test does not mention are filled in, in
the order R1 R1 R1 R2 ... of the box.
"""

from collections import Counter
from typing import Any

from hanabi_env import HanabiConfig, hanabi_v0
from tests.reference.hanabi_plain import box, hand_size_of, identities
from tests.table import Table


def cards(text: str) -> list[str]:
    return text.split()


def fill(config: HanabiConfig, mentioned: list[str]) -> list[str]:
    """Return the cards of the box that a test does not mention."""
    rest = Counter(box(config))
    rest.subtract(Counter(mentioned))
    assert min(rest.values()) >= 0, f"more copies than the box has: {[card for card in rest if rest[card] < 0]}"
    return list(rest.elements())


def new_env(config: HanabiConfig) -> Any:
    return hanabi_v0.raw_env(config=config)


def stacked_deck(config: HanabiConfig, hands: str, then: str = "") -> list[str]:
    """Return a deck that deals these hands and then draws these cards; the remaining cards fill the other hands."""
    size = hand_size_of(config)
    wanted = [cards(hand) for hand in hands.split("|")] + [[] for _ in range(config.players)]
    wanted = wanted[: config.players]
    rest = fill(config, [card for hand in wanted for card in hand] + cards(then))
    deck = []
    for hand in wanted:
        missing = size - len(hand)
        deck += hand + rest[:missing]
        del rest[:missing]
    return deck + cards(then) + rest


def deal(hands: str = "", then: str = "", tiles: str = "", **fields: Any) -> Table:
    """Return a new game from a stacked deck; ``tiles`` are the bonus tiles, next first."""
    config = HanabiConfig(**fields)
    env = new_env(config)
    options: dict[str, Any] = {"deck": stacked_deck(config, hands, then)}
    env.reset(seed=0, options=options | ({"bonus_tiles": list(tiles)} if tiles else {}))
    return Table(env)


def state(
    hands: str,
    *,
    fireworks: str = "",
    discards: str | None = None,
    deck: str | None = None,
    current_player: int = 0,
    information_tokens: int | None = None,
    life_tokens: int | None = None,
    turns_to_play: int | None = None,
    tiles: str = "",
    pending: str | None = None,
    **fields: Any,
) -> tuple[HanabiConfig, dict[str, Any]]:
    """Return a configuration and a position with the keys of ``to_dict()``.

    ``fireworks`` are the top cards. Cards that are not mentioned are in the deck, or in the discard if ``deck`` is
    given.
    """
    config = HanabiConfig(**fields)
    suits = sorted({card[0] for card in identities(config)}, key="RYGWBMK".index)
    tops = {top[0]: int(top[1:]) for top in cards(fireworks)}
    piles = {suit: pile(config, suit, tops.get(suit)) for suit in suits}
    played = {suit: len(piles[suit]) for suit in suits}
    on_table = [card for suit in suits for card in piles[suit]]
    held = [cards(hand) for hand in hands.split("|")]
    lying = cards(discards or "")
    coming = cards(deck or "")
    rest = fill(config, [*on_table, *lying, *coming, *(card for hand in held for card in hand)])
    if deck is None:
        coming = rest
    else:
        lying += rest
    everything = identities(config)
    return config, {
        "current_player": current_player,
        "hands": held,
        "deck": coming,
        "discards": lying,
        "fireworks": played,
        "information_tokens": config.max_information_tokens if information_tokens is None else information_tokens,
        "life_tokens": config.max_life_tokens if life_tokens is None else life_tokens,
        "turns_to_play": turns_to_play,
        "end_reason": None,
        "bonus_tiles": list(tiles),
        "pending": pending,
        "knowledge": [[list(everything) for _ in hand] for hand in held],
    }


def pile(config: HanabiConfig, suit: str, top: int | None) -> list[str]:
    """Return the cards of a firework up to its top card; black runs down (V3)."""
    if top is None:
        return []
    ranks = range(config.ranks, top - 1, -1) if suit == "K" else range(1, top + 1)
    return [f"{suit}{rank}" for rank in ranks]


def position(hands: str, **wanted: Any) -> Table:
    """Return a game that continues from a position; see `state`."""
    config, there = state(hands, **wanted)
    env = new_env(config)
    env.reset(seed=0, options={"state": there})
    return Table(env)
