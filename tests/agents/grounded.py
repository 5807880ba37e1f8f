"""The best possible play of Hanabi by players who read hints literally, by trying everything; for tiny games only.

It uses the plain rules (`tests.reference.hanabi_plain`), independent of the engine and the learner. A player's value of
an action is a mean over all hands and decks that are possible for this player: the reward until the same player's next
decision, plus the best value there. Partners answer with their best action by their own values.
"""

import copy
from collections import Counter
from functools import cache
from itertools import permutations
from typing import Any

from tests.reference.hanabi_plain import PlainHanabi, box


def begin(config: Any, position: dict[str, Any]) -> PlainHanabi:
    """Return the opening of the deal in ``position``."""
    dealt = [card for hand in position["hands"] for card in hand]
    return PlainHanabi(config, [*dealt, *position["deck"]], first_player=position["current_player"])


class Grounded:
    """Computes and stores values of positions."""

    def __init__(self, config: Any) -> None:
        self._box = box(config)
        self._known: dict[str, dict[str, float]] = {}

    def values(self, game: PlainHanabi) -> dict[str, float]:
        """Return the value of every legal move for the player to move."""
        player = game.current_player
        seen = {
            name: value for name, value in vars(game).items() if name not in ("hands", "deck", "discards", "events")
        }
        others = [hand for other, hand in enumerate(game.hands) if other != player]
        key = repr((sorted(seen.items(), key=str), others, sorted(game.discards), game.events[-1:], len(game.deck)))
        if key not in self._known:
            worlds = self.worlds(game)
            moves = sorted(game.legal_moves())
            self._known[key] = {move: sum(self.after(w, player, move) for w in worlds) / len(worlds) for move in moves}
        return self._known[key]

    def worlds(self, game: PlainHanabi) -> list[PlainHanabi]:
        """Return the game with every hand and deck that is possible for the player to move, one per order of cards."""
        player, knowledge = game.current_player, game.knowledge[game.current_player]
        unseen = Counter(game.hands[player] + game.deck)
        found = []
        for cards in orders(tuple(sorted(unseen.elements()))):
            if all(card in slot.plausible for card, slot in zip(cards, knowledge, strict=False)):
                world = copied(game)
                world.hands[player] = list(cards[: len(knowledge)])
                world.deck = list(cards[len(knowledge) :])
                found.append(world)
        return found

    def after(self, world: PlainHanabi, player: int, move: str) -> float:
        """Return the value of a move in one world."""
        world = copied(world)
        total = float(world.move(move))
        while world.end_reason is None and world.current_player != player:
            total += world.move(best(self.values(world)))
        return total if world.end_reason else total + max(self.values(world).values())


def best(values: dict[str, float]) -> str:
    return max(sorted(values), key=lambda move: round(values[move], 9))


@cache
def orders(cards: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the different orders of some cards; each stands for the same number of orders of the copies."""
    return sorted(set(permutations(cards)))


def copied(game: PlainHanabi) -> PlainHanabi:
    twin = copy.copy(game)
    twin.deck, twin.discards, twin.fireworks = list(game.deck), list(game.discards), dict(game.fireworks)
    twin.hands, twin.events = [list(hand) for hand in game.hands], list(game.events)
    twin.knowledge = copy.deepcopy(game.knowledge)
    return twin
