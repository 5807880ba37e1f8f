"""The same game on several machines, compared at every move.

Every machine uses the Learning Environment's action numbers:

    machine.current_player, machine.is_over, machine.score
    machine.legal()               the set of action ids of the player to move
    machine.observation(player)   list of bits
    machine.step(action)          the reward
    machine.to_dict()             the whole state under the keys of our environment's `to_dict`; optional

`play` moves all machines together. Moves are chosen by looking at the plain reference, hidden cards included.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .hanabi_plain import PlainHanabi, box, hand_size_of
from .hanabi_plain_observation import observation
from .hanabi_words import all_words


class Machine(Protocol):
    """One running game of any implementation of Hanabi."""

    name: str

    @property
    def current_player(self) -> int: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def score(self) -> float: ...
    def legal(self) -> set[int]: ...
    def observation(self, player: int) -> list[int]: ...
    def step(self, action: int) -> float: ...


class Plain:
    """The plain reference as a machine."""

    name = "plain reference"

    def __init__(self, config: Any, deck: list[str], first_player: int = 0, bonus_tiles: str = "") -> None:
        self.game = PlainHanabi(config, deck, bonus_tiles, first_player)
        self.words = all_words(config)

    @property
    def current_player(self) -> int:
        return self.game.current_player

    @property
    def is_over(self) -> bool:
        return self.game.end_reason is not None

    @property
    def score(self) -> float:
        return self.game.score

    def legal(self) -> set[int]:
        return {self.words.index(word) for word in self.game.legal_moves()}

    def observation(self, player: int) -> list[int]:
        return observation(self.game, player)

    def step(self, action: int, shuffled_deck: list[str] | None = None) -> float:
        return self.game.move(self.words[action], shuffled_deck)

    def shuffles(self, action: int) -> bool:
        """V4: whether the action makes tile (e) shuffle a card into the deck."""
        return self.game.pending == "e" and self.words[action].startswith("choose")


class Engine:
    """Our AEC environment as a machine."""

    name = "hanabako"

    def __init__(self, config: Any, deck: list[str], env: Any = None, bonus_tiles: str = "") -> None:
        from hanabi_env import hanabi_v0

        self.env = env or hanabi_v0.raw_env(config=config)
        tiles = {"bonus_tiles": list(bonus_tiles)} if bonus_tiles else {}
        self.env.reset(seed=0, options={"deck": deck, **tiles})

    @property
    def current_player(self) -> int:
        return self.env.possible_agents.index(self.env.agent_selection)

    @property
    def is_over(self) -> bool:
        return all(self.env.terminations.values())

    @property
    def score(self) -> float:
        return self.env.to_dict()["score"]

    def legal(self) -> set[int]:
        return set(self.env.observe(self.env.agent_selection)["action_mask"].nonzero()[0].tolist())

    def to_dict(self) -> dict[str, Any]:
        return self.env.to_dict()

    def observation(self, player: int) -> list[int]:
        return self.env.observe(self.env.possible_agents[player])["observation"].tolist()

    def step(self, action: int) -> float:
        self.env.step(action)
        rewards = set(self.env.rewards.values())
        assert len(rewards) == 1, "Hanabi's reward is everybody's"
        return rewards.pop()


Choice = Callable[[Plain, random.Random], int]


def any_legal(plain: Plain, rng: random.Random) -> int:
    return rng.choice(sorted(plain.legal()))


def no_misplay(plain: Plain, rng: random.Random) -> int:
    """Play only cards that fit: games are long, so that decks run out, fireworks are completed and tokens return."""
    game, size = plain.game, hand_size_of(plain.game.config)
    legal = sorted(plain.legal())
    fitting = [
        action
        for action in legal
        if size <= action < 2 * size and game.is_playable(game.hands[game.current_player][action - size])
    ]
    quiet = [action for action in legal if not size <= action < 2 * size]
    if fitting and rng.random() < 0.7:
        return rng.choice(fitting)
    return rng.choice(quiet or fitting or legal)


def shuffled_box(config: Any, rng: random.Random) -> list[str]:
    deck = box(config)
    rng.shuffle(deck)
    return deck


def play(plain: Plain, machines: Sequence[Machine], choose: Choice, rng: random.Random) -> int:
    """Play one game on all machines and compare everything at every move; returns the number of moves."""
    players = plain.game.config.players
    moves = 0
    while not plain.is_over:
        legal = plain.legal()
        seen = [plain.observation(player) for player in range(players)]
        for machine in machines:
            here = f"{machine.name}, move {moves}: {plain.game.events[-1:]}"
            assert not machine.is_over, here
            assert machine.current_player == plain.current_player, here
            assert machine.legal() == legal, here
            assert machine.score == plain.score, here
            for player in range(players):
                assert_same_bits(machine.observation(player), seen[player], f"{here}, seat {player}")
            assert_same_table(machine, plain, here)
        action = choose(plain, rng)
        chooser, shuffles = plain.current_player, plain.shuffles(action)
        rewards = [machine.step(action) for machine in machines]
        reward = plain.step(action, deck_before_the_draw(machines[0], chooser) if shuffles else None)
        for machine, own in zip(machines, rewards, strict=True):
            assert own == reward, f"{machine.name}, move {moves}"
        moves += 1
    for machine in machines:
        assert machine.is_over, f"{machine.name} goes on after {plain.game.end_reason}"
        assert machine.score == plain.score, machine.name
        assert_same_table(machine, plain, f"{machine.name}, at the end")
    return moves


def deck_before_the_draw(machine: Any, player: int) -> list[str]:
    """Return the deck after tile (e)'s shuffle.

    The player whose turn that ended has drawn its top card, which is the newest in the hand.
    """
    table = machine.to_dict()
    return [table["hands"][player][-1], *table["deck"]]


def assert_same_table(machine: Machine, plain: Plain, where: str) -> None:
    """If a machine shows its hidden table, check that every key of `to_dict` has the reference's value."""
    if not hasattr(machine, "to_dict"):
        return
    table, expected = machine.to_dict(), plain.game.to_dict()
    if plain.is_over:
        expected.pop("current_player")  # E6: it has no meaning after the end
    for key, value in expected.items():
        assert table[key] == value, f"{where}: {key}"


def assert_same_bits(bits: Sequence[int], expected: Sequence[int], where: str) -> None:
    assert len(bits) == len(expected), f"{where}: {len(bits)} bits, expected {len(expected)}"
    if list(bits) == list(expected):
        return
    different = [index for index, (bit, wanted) in enumerate(zip(bits, expected, strict=True)) if bit != wanted]
    raise AssertionError(f"{where}: bits {different[:20]} differ")
