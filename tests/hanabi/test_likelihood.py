"""The likelihood of what other players did equals an enumeration of all deals, replayed by the plain rules."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from hanabako.games import game_of
from hanabi_env import HanabiConfig
from hanabi_env.engine.belief import possible_hands
from hanabi_env.engine.likelihood import likelihood_loops, past_dtype
from hanabi_env.engine.state import roomy
from hanabi_env.words import notation
from tests.games import legal_action
from tests.reference.hanabi_plain import PlainHanabi, box

TINY = [
    HanabiConfig(colors=2, ranks=2, hand_size=2, max_information_tokens=3),
    HanabiConfig(players=3, colors=2, ranks=2, hand_size=2, max_information_tokens=4),
    HanabiConfig(colors=1, ranks=2, hand_size=2, multicolor="all_colors", max_information_tokens=2),
    HanabiConfig(colors=1, ranks=2, hand_size=3, black_powder=True, choreography=True, max_information_tokens=3),
]
EMPTY = HanabiConfig(colors=2, ranks=2, hand_size=2, empty_hints=True, max_information_tokens=3)
ONE_CARD = HanabiConfig(colors=3, ranks=2, hand_size=1, max_information_tokens=3)


class Played:
    """A random game of a given deck, what was noted of it, and the same game by the plain rules.

    Args:
        config: the config.
        seed: the seed of the deck and of the decisions.
        specialize: whether records and loops are for this config only.
    """

    def __init__(self, config: HanabiConfig, seed: int, specialize: bool = False) -> None:
        self.config, self.rng = config, np.random.default_rng(seed)
        self.env = game_of(config).vector_env(1, config=config, specialize=specialize)
        rules = self.env.game.rules
        self.loops = likelihood_loops(rules if specialize else None)
        self.pasts = np.zeros(1, past_dtype(rules if specialize else roomy(rules)))
        self.begin()

    def begin(self) -> None:
        self.deck = self.rng.permutation(box(self.config)).tolist()
        self.seen, _ = self.env.reset(seed=1, options={"deck": self.deck})
        self.plain, self.moves = PlainHanabi(self.config, self.deck), list[str]()

    def step(self) -> None:
        action = legal_action(self.seen["action_mask"][0], self.rng)
        self.loops.note(self.env.game.rules_array, self.env.tables, np.array([action]), self.pasts)
        self.moves.append(notation.action_to_str(self.config, action))
        self.plain.move(self.moves[-1])
        self.seen, *_ = self.env.step(np.array([action]))

    def log_likelihoods(self, hands: np.ndarray, player: int = -1) -> np.ndarray:
        logs = np.zeros((1, len(hands)))
        self.loops.weigh(self.env.game.rules_array, self.env.tables, player, self.pasts, hands[None], logs)
        return logs[0]

    def believed(self, player: int) -> dict[tuple[str, ...], float]:
        """Return the probability of every possible hand of a player: arrangements, weighted by the likelihood."""
        hands, ways = possible_hands(self.env.game, self.env.tables, 0, player, 10_000)
        weights = ways * np.exp(self.log_likelihoods(hands, player))
        names = notation.card_names(self.config)
        return {
            tuple(names[card] for card in hand): weight / weights.sum()
            for hand, weight in zip(hands, weights, strict=True)
        }


@cache
def decks(config: HanabiConfig) -> list[tuple[str, ...]]:
    """Return all different orders of the box, which are equally likely."""
    return sorted(set(permutations(box(config))))


def worlds(game: Played, player: int) -> Iterator[tuple[PlainHanabi, float]]:
    """Yield every deal in which the player sees this game, and the probability of the others' decisions there.

    The others choose uniformly among their legal moves.
    """
    truth, size, others = game.plain, game.plain.hand_size, set(range(game.config.players)) - {player}
    opening = [(slice(other * size, (other + 1) * size)) for other in others]
    for deck in decks(game.config):
        if any(list(deck[hand]) != game.deck[hand] for hand in opening):
            continue
        world, likelihood = PlainHanabi(game.config, list(deck)), 1.0
        for move, event in zip(game.moves, truth.events, strict=True):
            legal = world.legal_moves()
            if move not in legal:
                break
            likelihood /= len(legal) if world.current_player != player else 1
            world.move(move)
            if world.events[-1] != event:
                break
        else:
            if all(world.hands[other] == truth.hands[other] for other in others):
                yield world, likelihood


def enumerated(game: Played, player: int) -> dict[tuple[str, ...], float]:
    """Return the probability of every hand of a player, by trying all deals."""
    found: dict[tuple[str, ...], float] = defaultdict(float)
    for world, likelihood in worlds(game, player):
        found[tuple(world.hands[player])] += likelihood
    total = sum(found.values())
    return {hand: weight / total for hand, weight in found.items()}


@pytest.mark.parametrize("config", TINY, ids=["2p", "3p", "multicolor", "black-announced"])
def test_H7_hands_are_as_likely_as_all_deals_say(config: HanabiConfig, full: bool):
    """For every player of three games; the weights differ by more than 10 % somewhere."""
    checked, widest = 0, 0.0
    for seed in range(3):
        game = Played(config, seed, specialize=full and config == TINY[0] and seed == 0)
        while game.plain.end_reason is None and len(game.moves) < 9:
            if len(game.moves) in (1, 3, 5, 8):
                for player in range(config.players):
                    found, wanted = game.believed(player), enumerated(game, player)
                    assert found.keys() == wanted.keys()
                    assert found == pytest.approx(wanted, rel=1e-9)
                    logs = game.log_likelihoods(possible_hands(game.env.game, game.env.tables, 0, player, 10_000)[0])
                    widest = max(widest, float(np.ptp(logs)))
                    checked += len(found) > 1
            game.step()
    assert checked >= 8
    assert widest > 0.1


@pytest.mark.parametrize("config", [EMPTY, ONE_CARD], ids=["empty-hints", "one-card"])
def test_H7_hands_are_equally_likely_if_all_allow_as_many_hints(config: HanabiConfig):
    """All hints are legal, whatever the hand; or a hand is one card, about which there are a color and a rank."""
    for seed in range(5):
        game = Played(config, seed)
        while game.plain.end_reason is None:
            hands, _ = possible_hands(game.env.game, game.env.tables, 0, game.plain.current_player, 10_000)
            assert len(set(game.log_likelihoods(hands))) <= 1
            game.step()


def test_H7_nothing_is_known_of_a_new_game():
    """What was noted in the game before does not count."""
    game = Played(TINY[0], 3)
    while game.plain.end_reason is None:
        game.step()
    assert game.pasts["count"].any()
    game.begin()
    hands, _ = possible_hands(game.env.game, game.env.tables, 0, 0, 10_000)
    assert (game.log_likelihoods(hands) == 0).all()
    game.step()
    assert game.believed(1) == pytest.approx(enumerated(game, 1), rel=1e-9)
