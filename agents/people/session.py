"""One game in which people and agents sit side by side, as the terminal and the browser show it.

    session = Session(config, [None, agents.load("smart", config)])      # None is a person
    session.go_on()                                                      # the agents up to the person's next decision
    session.take("play 0")

After every step the game is on disk, if it has a file: whatever ends the program loses nothing. `Session.undo` goes
back to the person's own last decision; the agents, whose randomness is that of the seed, would do the same again.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hanabako.drawing.places import Place
from hanabako.drawing.replay import Replay, Snapshot
from hanabako.games import config_from_dict, game_named, game_of, make_config
from hanabako.record import GameRecord
from hanabako.words.checks import fresh_seed, shown
from hanabako.words.notation import player_name

from ..playing.policy import GamesInPlay, Policy, Seated, Weighing
from ..playing.seating import OneTable
from ..registry import load, load_to_play, metadata_of, names, with_observation_of

__all__ = [
    "PERSON",
    "Adviser",
    "Session",
    "Step",
    "best_agent",
    "config_for",
    "filled",
    "line_up_of",
    "replay_of",
    "short_seed",
]

PERSON = "person"
"""The name of a person among those of agents."""


class Waiting(Seated):
    """A person's seat: the person acts through the session."""

    def act(self) -> None:
        """Nothing: see `Session.take`."""


class Person:
    """The policy of a seat where a person sits."""

    name = PERSON
    observes = False
    specializes = False
    plays_apart = False

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> Seated:
        """See `agents.playing.policy.Policy.seat`."""
        return Waiting()


@dataclass(frozen=True)
class Step:
    """A decision that was made."""

    player: int
    action: str
    news: str
    """What everybody saw of it, in a sentence."""


class Session:
    """A game under way.

    Args:
        config: of any game.
        seats: a policy per player; None is a person.
        seed: of the deal and of the agents' randomness; None is a fresh one.
        file: where the record is kept, and kept up to date.

    Raises:
        OSError: the record cannot be written.
    """

    def __init__(
        self, config: Any, seats: Sequence[Policy | None], seed: int | None = None, file: Path | None = None
    ) -> None:
        self.config = config
        self.entry = game_of(config)
        self.file = file
        self.persons = [player for player, policy in enumerate(seats) if policy is None]
        self._policies = [Person() if policy is None else policy for policy in seats]
        self._drawing = self.entry.module("drawing.render")
        self._choices = self.entry.module("drawing.choices")
        players = tuple(str(policy.name) for policy in self._policies)
        self._begin(GameRecord(config, short_seed() if seed is None else seed, players))

    def _begin(self, record: GameRecord) -> None:
        """Deal, and play what the record holds."""
        self.record = GameRecord(record.config, record.seed, record.players, undone=record.undone)
        self.movers: list[int] = []
        self._env = record.begin()
        self.table = OneTable(self._env, self._policies, record.seed)
        for words in record.actions:
            if self.player not in self.persons:
                self.table.action()  # what it remembers of its decision is to be remembered again
            self._apply(self._env.str_to_action(words), words)
        self._keep()

    def _apply(self, action: int, words: str) -> None:
        player = self.player
        self._env.step(action)
        self.table.observe()
        self.movers.append(player)
        self.record = self.record.with_action(words)

    def _keep(self) -> None:
        if self.file is not None:
            self.record.save(self.file)

    @property
    def is_over(self) -> bool:
        """The game has ended."""
        return all(self._env.terminations.values())

    @property
    def player(self) -> int:
        """Who is to move."""
        return int(self._env.tables["current_player"][0])

    @property
    def is_persons_turn(self) -> bool:
        """A person is to move."""
        return not self.is_over and self.player in self.persons

    def name(self, player: int) -> str:
        """``player_1 (smart)``."""
        return f"{player_name(player)} ({self.record.players[player]})"

    def legal(self) -> list[str]:
        """The legal actions of the player to move, in words and in the order of their numbers."""
        if self.is_over:
            return []
        mask = self._env.observe(self._env.agent_selection)["action_mask"]
        return [self._env.action_to_str(int(action)) for action in np.flatnonzero(mask)]

    def view(self, seat: int | None) -> Any:
        """The table as a seat sees it; None sees every card."""
        return self._drawing.view_of(self._env.to_dict(), self.config, seat)

    def text(self, seat: int | None, color: bool = False, shapes: bool = False) -> str:
        """The same in lines of text."""
        return self._drawing.table_ansi(self.view(seat), color, shapes)

    def picture(self, seat: int | None) -> str:
        """The same as SVG."""
        return self._drawing.table_svg(self.view(seat))

    def note(self, action: str) -> str:
        """What a legal action means for the player to move, in a few words."""
        return self._choices.describe_choice(self.view(self.player), action)

    def places(self) -> list[Place]:
        """Where on its picture the player to move may choose, with the legal actions there."""
        legal = set(self.legal())
        found = self._choices.places(self.view(self.player))
        return [
            place._replace(actions=actions)
            for place in found
            if (actions := tuple(action for action in place.actions if action in legal))
        ]

    def take(self, action: str) -> Step:
        """The player to move, who is a person, acts.

        Raises:
            ValueError: it is no person's turn, or the action is not legal.
        """
        if not self.is_persons_turn:
            raise ValueError("the game is over" if self.is_over else f"{self.name(self.player)} is to move")
        if action not in self.legal():
            raise ValueError(f"action must be one of {', '.join(self.legal())}, got {shown(action)}")
        return self._step(self._env.str_to_action(action), action)

    def go_on(self) -> Iterator[Step]:
        """The agents' decisions until a person is to move or the game is over."""
        while not self.is_over and not self.is_persons_turn:
            action = self.table.action()
            yield self._step(action, self._env.action_to_str(action))

    def _step(self, action: int, words: str) -> Step:
        player, before = self.player, self._env.to_dict()
        self._apply(action, words)
        self._keep()
        return Step(player, words, self._choices.describe_step(before, words, self._env.to_dict(), self.config))

    def undo(self) -> str:
        """Go back to the last decision of the person to move, at the end to that of any person; returns its words.

        Raises:
            ValueError: there is none.
        """
        own = [self.player] if self.is_persons_turn else self.persons
        turns = [turn for turn, player in enumerate(self.movers) if player in own]
        if not turns:
            raise ValueError("there is nothing to take back")
        words = self.record.actions[turns[-1]]
        self._begin(self.record.taken_back(turns[-1]))
        return words


class Opinion(NamedTuple):
    """What an agent would choose, actions in words."""

    probabilities: dict[str, float]
    """The probabilities of the actions, the likeliest first."""
    values: dict[str, float]
    """What a search expects of each (points, or the probability to win); else empty."""


class Adviser:
    """What an agent would choose at every seat of a game that others play.

    Args:
        name: of the agent, or its file.
        config: of the games; what the agent observes may differ.
        effort: how it thinks, if it searches.

    Raises:
        ValueError: there is no such agent, or it cannot play ``config``.
    """

    def __init__(self, name: str, config: Any, effort: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.config = with_observation_of(config, [name])
        self.policy: Any = load_to_play(name, self.config, effort)

    def opinions(self, record: GameRecord) -> Iterator[Opinion]:
        """Before every action and, if the game goes on, of the coming one.

        A bot's choice has the probability 1. A search thinks for every seat by itself.
        """
        table: OneTable | None = None
        memories: Any = None
        for env in record.positions(self.config):
            if table is None:
                apart = [copy(self.policy) for _ in range(self.config.players)]
                table = OneTable(env, apart, record.seed, record.game_index)
                memories = self.policy.memory(self.config.players) if hasattr(self.policy, "probabilities") else None
            else:
                table.observe()
            if all(env.terminations.values()):
                return
            yield self._opinion(env, table, memories)

    def _opinion(self, env: Any, table: OneTable, memories: Any) -> Opinion:
        if not hasattr(self.policy, "probabilities"):
            weighing = [seated for seated in table.players if isinstance(seated, Weighing)]
            for seated in weighing:
                seated.values[0] = None
            choice = env.action_to_str(table.action())
            found = [values for seated in weighing if (values := seated.values[0]) is not None]
            return Opinion(
                {choice: 1.0}, {env.action_to_str(action): x for some in found for action, x in some.items()}
            )
        own = [int(env.tables["current_player"][0])]
        memory = None if memories is None else memories[own]
        mask = table.mask
        probabilities = self.policy.probabilities(table.observation, mask, memory)[0]
        if memories is not None:
            memories[own] = memory
        legal = sorted(np.flatnonzero(mask[0]), key=lambda action: -probabilities[action])
        return Opinion({env.action_to_str(int(action)): float(probabilities[action]) for action in legal}, {})

    def advice(self, record: GameRecord) -> dict[str, float]:
        """The probabilities of the last of `opinions`: of the coming action. Empty at the end."""
        opinions = list(self.opinions(record))
        return opinions[-1].probabilities if len(opinions) > len(record.actions) else {}

    def review(self, record: GameRecord) -> list[tuple[str, str]]:
        """For every action, what was done and what the adviser would have done there."""
        pairs = zip(record.actions, self.opinions(record), strict=False)
        return [(words, next(iter(opinion.probabilities))) for words, opinion in pairs]


def replay_of(record: GameRecord, adviser: Adviser | None, title: str) -> Replay:
    """The page of a game, with what the adviser would choose if there is one.

    Raises:
        ValueError: an action of the record is none, or not legal there.
    """
    opinions = list(adviser.opinions(record)) if adviser else []
    snapshots = []
    for turn, env in enumerate(record.positions()):
        action = record.actions[turn] if turn < len(record.actions) else None
        snapshots.append(Snapshot(env.to_dict(), action, *(opinions[turn] if turn < len(opinions) else ())))
    return game_of(record.config).module("drawing.render").replay(record.config, snapshots, title=title)


# --- Who plays what ---------------------------------------------------------------------------------------------------


def short_seed() -> int:
    """A fresh seed that a person can type."""
    return fresh_seed() % 2**32


def best_agent(config: Any) -> str:
    """The last of the game's bots that can play ``config`` and does not look at hidden cards: they improve in order."""
    for name in reversed([name for name in names(game_of(config).name) if "cheat" not in name]):
        try:
            load(name, config)
        except ValueError:  # it cannot play this configuration
            continue
        return name
    raise AssertionError("random agents play everything")


def config_for(
    game: str, preset: str | None, players: int | None, settings: Sequence[str], agents: Sequence[str]
) -> Any:
    """The config that is played: if nothing is said of it, the one that the first network among ``agents`` plays.

    What players observe follows the networks among the agents.

    Raises:
        ValueError: an unknown game, preset, field or file, or a value that the config refuses.
    """
    game_named(game)
    if preset is None and players is None and not settings:
        for metadata in filter(None, map(metadata_of, agents)):
            config = config_from_dict(metadata["config"])
            if game_of(config).name == game:
                return config
    if players is None and len(agents) > 2:
        players = len(agents)
    return with_observation_of(make_config(game, preset, players, settings), agents)


def filled(agents: Sequence[str], seats: int) -> list[str]:
    """A name for each seat; the last name stands for the seats after it too.

    Raises:
        ValueError: there are more names than seats.
    """
    if len(agents) > seats:
        raise ValueError(f"there are {seats} seats to fill, got {len(agents)} agents: {', '.join(agents)}")
    return [*agents, *[agents[-1]] * (seats - len(agents))]


def line_up_of(
    agents: Sequence[str], config: Any, seats: int, effort: Mapping[str, Any] | None = None
) -> list[Policy | None]:
    """A policy for each seat by name, see `filled`; None for `PERSON`. Searches think with ``effort``.

    Raises:
        ValueError: there are more names than seats, or one is no agent that can play ``config``.
    """
    everybody = filled(agents, seats)
    loaded = {name: None if name == PERSON else load_to_play(name, config, effort) for name in everybody}
    return [loaded[name] for name in everybody]
