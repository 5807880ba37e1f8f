"""A short notation for tests: decks, positions and moves in words.

    table = deal("K1 R2 G3", players=3)
    table.do("draw", "refuse", "keep")
    assert table.discards == [["K1"], [], []]

``deal`` stacks the deck of the first round; ``position`` starts from a given position. Cards that a test does not
mention fill the deck in the order of the box.
"""

from typing import Any, Self

import tests.table
from ikebana_env import ikebana_v0
from tests.reference.ikebana_plain import box


class Table(tests.table.Table):
    def reward(self) -> list[float]:
        return [self.env.rewards[agent] for agent in self.env.possible_agents]

    def play_round(self) -> Self:
        """Let all players draw and keep until the round is over."""
        number = self.round
        while not self.is_over and self.round == number:
            self.do("draw", "keep")
        return self


def deck_from(cards: str) -> list[str]:
    """Return a deck with these cards on top."""
    rest = box()
    top = cards.split()
    for card in top:
        rest.remove(card)
    return top + rest


def deal(*decks: str, seed: int = 0, **fields: Any) -> Table:
    """Return a new game; each text gives the top cards of one round's deck."""
    env = ikebana_v0.raw_env(**fields)
    env.reset(seed=seed, options={"decks": [deck_from(cards) for cards in decks]})
    return Table(env)


def position(players: int = 2, **keys: Any) -> dict[str, Any]:
    """Return a position: the opening, changed by ``keys``.

    Lists of cards are texts; the deck gets the cards that are left.
    """
    for key in ("bouquets", "discards"):
        piles = keys.get(key, [""] * players)
        keys[key] = [pile.split() for pile in piles]
    there = [card for key in ("bouquets", "discards") for pile in keys[key] for card in pile]
    there += [keys["drawn"]] if keys.get("drawn") else []
    rest = box()
    for card in there:
        rest.remove(card)
    opening = {
        "current_player": 0,
        "round": 1,
        "deck": rest,
        "prestige": [6] * players,
        "drawn": None,
        "refusals": 0,
        "gains": [],
    }
    return {**opening, **keys}


def start(players: int = 2, config: dict[str, Any] | None = None, **keys: Any) -> Table:
    """Return a game that begins from a `position`."""
    env = ikebana_v0.raw_env(players=players, **(config or {}))
    env.reset(seed=0, options={"state": position(players, **keys)})
    return Table(env)
