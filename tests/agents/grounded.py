"""The best possible play of Hanabi by players who read hints literally, by trying everything; for tiny games only.

It uses the plain rules (`tests.reference.hanabi_plain`), independent of the engine and the learner. A player's value of
a move is a mean over the hands that are possible for this player, and over the cards that are drawn: the reward until
the same player's next decision, plus the best value there. A hand weighs as much as it makes the others' earlier
choices likely, had they chosen uniformly among their legal moves (level 0 of Off-Belief Learning). Partners answer with
their best move by their own values.
"""

import copy
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

from tests.reference.hanabi_plain import Knowledge, PlainHanabi


class NotedHanabi(PlainHanabi):
    """A game of plain colors that notes the choices of which a player's hand limited the hints.

    ``choices[player]`` has one entry for each decision of another player with a token to spend: the number of legal
    moves that were no hints to ``player``, and the cards of the player's hand then. A card that is still in the hand is
    its slot, any other its name.
    """

    def __init__(self, config: Any, deck: list[str], first_player: int = 0) -> None:
        assert not (config.empty_hints or config.multicolor or config.black_powder)
        super().__init__(config, deck, first_player=first_player)
        self.choices: list[list[tuple[int, tuple[int | str, ...]]]] = [[] for _ in self.hands]

    def move(self, words: str, shuffled_deck: list[str] | None = None) -> int:
        legal, mover = self.legal_moves(), self.current_player
        for player, hand in enumerate(self.hands):
            if player != mover and self.information_tokens > 0:
                to_player = f"hint {(player - mover) % len(self.hands)} "
                others = sum(not move.startswith(to_player) for move in legal)
                self.choices[player].append((others, tuple(range(len(hand)))))
        verb, slot, *_ = words.split()
        if verb != "hint":
            self.choices[mover] = [(others, self.without(cards, int(slot))) for others, cards in self.choices[mover]]
        return super().move(words, shuffled_deck)

    def without(self, cards: tuple[int | str, ...], slot: int) -> tuple[int | str, ...]:
        """Return noted cards of the player to move after the card in ``slot`` has left the hand."""
        gone = self.hands[self.current_player][slot]
        moved = {slot: gone} | {later: later - 1 for later in range(slot + 1, self.hand_size)}
        return tuple(moved.get(card, card) if isinstance(card, int) else card for card in cards)

    def likelihood(self, player: int, hand: tuple[str, ...]) -> float:
        """Return how likely the others' choices were if ``player`` holds ``hand``, up to a constant."""
        result = 1.0
        for others, cards in self.choices[player]:
            then = [hand[card] if isinstance(card, int) else card for card in cards]
            result /= others + len({card[0] for card in then}) + len({card[1:] for card in then})
        return result

    def plausible(self, player: int) -> Iterator[tuple[str, ...]]:
        """Return the hands of a player that the hints allow."""
        return product(*(sorted(known.plausible) for known in self.knowledge[player]))

    def copied(self) -> "NotedHanabi":
        twin = copy.copy(self)
        twin.deck, twin.discards, twin.fireworks = list(self.deck), list(self.discards), dict(self.fireworks)
        twin.hands, twin.choices = [list(hand) for hand in self.hands], [list(noted) for noted in self.choices]
        twin.knowledge = [[Knowledge(set(known.plausible)) for known in hand] for hand in self.knowledge]
        twin.events = []
        return twin


def begin(config: Any, position: dict[str, Any]) -> NotedHanabi:
    dealt = [card for hand in position["hands"] for card in hand]
    return NotedHanabi(config, [*dealt, *position["deck"]], first_player=position["current_player"])


class Grounded:
    """Computes and stores values of positions."""

    def __init__(self) -> None:
        self._known: dict[Any, dict[str, float]] = {}

    def values(self, game: NotedHanabi) -> dict[str, float]:
        key = seen_by_mover(game)
        if key not in self._known:
            player, values = game.current_player, dict.fromkeys(sorted(game.legal_moves()), 0.0)
            for part, hand, deck in hands_of(game):
                world = game.copied()
                world.hands[player], world.deck = list(hand), deck
                for move in values:
                    values[move] += part * self.after(world, player, move)
            self._known[key] = values
        return self._known[key]

    def after(self, world: NotedHanabi, player: int, move: str) -> float:
        if move.startswith("hint") or not world.deck:
            return self.later(world, player, move)
        value = 0.0
        for card, count in Counter(world.deck).items():
            drawn = world.copied()
            drawn.deck.remove(card)
            drawn.deck.insert(0, card)
            value += count / len(world.deck) * self.later(drawn, player, move)
        return value

    def later(self, world: NotedHanabi, player: int, move: str) -> float:
        world = world.copied()
        total = float(world.move(move))
        if world.end_reason is not None:
            return total
        values = self.values(world)
        if world.current_player == player:
            return total + max(values.values())
        return total + self.after(world, player, best(values))


def seen_by_mover(game: NotedHanabi) -> Any:
    """Return everything that the values of the player to move depend on."""
    others = [hand for player, hand in enumerate(game.hands) if player != game.current_player]
    public = game.information_tokens, game.life_tokens, game.turns_to_play, len(game.deck), game.current_player
    hints = [[sorted(known.plausible) for known in hand] for hand in game.knowledge]
    beliefs = []
    for player in range(len(game.hands)):
        weights = [game.likelihood(player, hand) for hand in game.plausible(player)]
        beliefs.append([round(weight / max(weights), 9) for weight in weights])
    return repr((public, others, sorted(game.discards), game.fireworks, hints, beliefs))


def hands_of(game: NotedHanabi) -> list[tuple[float, tuple[str, ...], list[str]]]:
    """Return the hands that are possible for the player to move: probability, cards, and the deck that remains."""
    player, found = game.current_player, []
    unseen = Counter(game.hands[player] + game.deck)
    for hand in game.plausible(player):
        left, ways = unseen.copy(), 1
        for card in hand:
            ways *= left[card]
            left[card] -= 1
        if ways:
            found.append((ways * game.likelihood(player, hand), hand, sorted(left.elements())))
    total = sum(weight for weight, _, _ in found)
    return [(weight / total, hand, deck) for weight, hand, deck in found]


def best(values: dict[str, float]) -> str:
    return max(sorted(values), key=lambda move: round(values[move], 9))
