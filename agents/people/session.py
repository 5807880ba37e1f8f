"""One game between people and agents, as the terminal and the browser show it.

    session = Session(config, [None, agents.load("smart", config)])      # None is a person
    session.go_on()                                                      # agents play up to the person's next decision
    session.take("play 0")

If the session has a file, every step is saved before it is made, so that nothing is lost however the program ends. A
step that cannot be saved is not made and can be tried again.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hanabako.drawing.places import Place
from hanabako.drawing.replay import Replay, Snapshot
from hanabako.games import game_in_words, game_of
from hanabako.record import GameRecord
from hanabako.words.checks import fresh_seed, shown
from hanabako.words.notation import player_name

from ..playing.fitting import remembering, sight
from ..playing.policy import Policy, RandomPolicy, filled
from ..playing.seating import OneTable
from ..registry import load, load_to_play, names

PERSON = "person"
"""The name that stands for a person among the names of agents."""


class Person(RandomPolicy):
    """Holds a person's seat, where it is never asked: the person acts by `Session.take`."""

    name = PERSON


class Session:
    """A game in progress; each seat has a policy, or None for a person.

    The seed is that of the deal and of the agents' randomness, by default a random one. The file is that of the record,
    which is updated at every step.
    """

    def __init__(
        self, config: Any, seats: Sequence[Policy | None], seed: int | None = None, file: Path | None = None
    ) -> None:
        self.config = config = remembering(config, seats)
        self.entry, self.file = game_of(config), file
        self.persons = [player for player, policy in enumerate(seats) if policy is None]
        self._policies = [Person() if policy is None else policy for policy in seats]
        self._drawing = self.entry.module("drawing.render")
        self._choices = self.entry.module("drawing.choices")
        players = tuple(str(policy.name) for policy in self._policies)
        short = fresh_seed() % 2**32  # short enough to type
        self._begin(GameRecord(config, short if seed is None else seed, players))

    def _begin(self, record: GameRecord) -> None:
        """Deal, and replay the actions of the record."""
        self.record = GameRecord(record.config, record.seed, record.players, undone=record.undone)
        self.movers: list[int] = []
        self._choice: int | None = None
        self._env = record.begin()
        self.table = OneTable(self._env, self._policies, record.seed)
        for words in record.actions:
            if self.player not in self.persons:
                self.table.action()  # so that the agent rebuilds its memory of this decision
            self._apply(self._env.str_to_action(words), words)
        self._keep(self.record)

    def _apply(self, action: int, words: str) -> None:
        player = self.player
        self._env.step(action)
        self.movers.append(player)
        self.record = self.record.with_action(words)
        self._choice = None
        self.table.observe()  # the last, because an agent may fail

    def _keep(self, record: GameRecord) -> None:
        if self.file is not None:
            record.save(self.file)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return all(self._env.terminations.values())

    @property
    def player(self) -> int:
        """The player to move."""
        return int(self._env.tables["current_player"][0])

    @property
    def is_persons_turn(self) -> bool:
        """Whether a person is to move."""
        return not self.is_over and self.player in self.persons

    def name(self, player: int) -> str:
        """Return a player's name with the agent's: ``player_1 (smart)``."""
        return f"{player_name(player)} ({self.record.players[player]})"

    def legal(self) -> list[str]:
        """Return the legal actions of the player to move as text, in the order of their numbers."""
        if self.is_over:
            return []
        mask = self._env.observe(self._env.agent_selection)["action_mask"]
        return [self._env.action_to_str(int(action)) for action in np.flatnonzero(mask)]

    def view(self, seat: int | None) -> Any:
        """Return the table as a seat sees it; None sees every card."""
        return self._drawing.view_of(self._env.to_dict(), self.config, seat)

    def text(self, seat: int | None, color: bool = False, shapes: bool = False) -> str:
        """Return the view of a seat as lines of text."""
        return self._drawing.table_ansi(self.view(seat), color, shapes)

    def picture(self, seat: int | None) -> str:
        """Return the view of a seat as SVG."""
        return self._drawing.table_svg(self.view(seat))

    def note(self, action: str) -> str:
        """Return a few words on what a legal action means for the player to move."""
        return self._choices.describe_choice(self.view(self.player), action)

    def places(self) -> list[Place]:
        """Return the clickable places in the picture of the player to move, with the legal actions there."""
        legal, places = set(self.legal()), self._choices.places(self.view(self.player))
        offered = [place._replace(actions=tuple(filter(legal.__contains__, place.actions))) for place in places]
        return [place for place in offered if place.actions]

    def take(self, action: str) -> str:
        """Take an action for the person to move, and return what every player saw of it, as a sentence.

        Raise ``ValueError`` if no person is to move, or the action is not legal.
        """
        if not self.is_persons_turn:
            raise ValueError("the game is over" if self.is_over else f"{self.name(self.player)} is to move")
        if action not in self.legal():
            raise ValueError(f"action must be one of {', '.join(self.legal())}, got {shown(action)}")
        return self._step(self._env.str_to_action(action), action)

    def go_on(self) -> Iterator[str]:
        """Play the agents' decisions until a person is to move or the game is over, and yield a sentence about each.

        If an agent fails or the game cannot be saved, the error is raised, and the next call goes on from there.
        """
        while not self.is_over and not self.is_persons_turn:
            action = self._chosen()
            yield self._step(action, self._env.action_to_str(action))

    def _chosen(self) -> int:
        """Return the agent's choice. It is asked once, because its memory may change when it acts."""
        if self._choice is None:
            action = self.table.action()
            words = self._env.action_to_str(action)
            if words not in self.legal():
                raise ValueError(f"{self.name(self.player)} chose {words}, which is not legal")
            self._choice = action
        return self._choice

    def _step(self, action: int, words: str) -> str:
        before = self._env.to_dict()
        self._keep(self.record.with_action(words))
        self._apply(action, words)
        return self._choices.describe_step(before, words, self._env.to_dict(), self.config)

    def undo(self) -> str:
        """Go back to the last decision of the person to move, or at the end to that of any person; return its action.

        Raise ``ValueError`` if there is none. After any error the decision is not taken back.
        """
        own = [self.player] if self.is_persons_turn else self.persons
        turns = [turn for turn, player in enumerate(self.movers) if player in own]
        if not turns:
            raise ValueError("there is nothing to take back")
        words = self.record.actions[turns[-1]]
        before = self.record, self.movers, self._choice, self._env, self.table
        try:
            self._begin(self.record.taken_back(turns[-1]))
        except BaseException:  # also if an agent fails
            self.record, self.movers, self._choice, self._env, self.table = before
            raise
        return words


class Opinion(NamedTuple):
    """An agent's choice, with actions as text."""

    probabilities: dict[str, float]
    """The probabilities of the actions, highest first."""
    values: dict[str, float]
    """A search's value of each action (points, or the probability of winning); empty without a search."""


class Adviser:
    """An agent that says what it would choose at every seat of a game that others play: see `load_to_play`."""

    def __init__(self, name: str, config: Any, effort: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.policy: Any = load_to_play(name, config, effort)
        self.config = remembering(config, [self.policy])

    def opinions(self, record: GameRecord) -> Iterator[Opinion]:
        """Yield the agent's opinion before every action of the record and, if the game is not over, on the next one.

        A bot's choice has probability 1. A search uses only what the seat to move may know.
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
            weighing = [seated for seated in table.players if seated.values is not None]
            for seated in weighing:
                seated.values[0] = None
            choice = env.action_to_str(table.action())
            values = {action: x for seated in weighing for action, x in (seated.values[0] or {}).items()}
            return Opinion({choice: 1.0}, {env.action_to_str(action): x for action, x in values.items()})
        own = [int(env.tables["current_player"][0])]
        memory = None if memories is None else memories[own]
        mask = table.mask
        seen = sight(self.policy, table)(np.zeros(1, np.int64))
        probabilities = self.policy.probabilities(seen, mask, memory)[0]
        if memories is not None:
            memories[own] = memory
        legal = sorted(np.flatnonzero(mask[0]), key=lambda action: -probabilities[action])
        return Opinion({env.action_to_str(int(action)): float(probabilities[action]) for action in legal}, {})

    def advice(self, record: GameRecord) -> dict[str, float]:
        """Return the probabilities for the next action, the last of `opinions`; empty if the game is over."""
        opinions = list(self.opinions(record))
        return opinions[-1].probabilities if len(opinions) > len(record.actions) else {}


def replay_of(record: GameRecord, adviser: Adviser | None, origin: str = "") -> Replay:
    """Make the page of a game, with the choices of an adviser if there is one; errors are `GameRecord.positions`'.

    The title is the name of the game, and the ``origin`` of the record if one is given: a run, file or agents.
    """
    opinions = list(adviser.opinions(record)) if adviser else []
    snapshots = []
    for turn, env in enumerate(record.positions()):
        action = record.actions[turn] if turn < len(record.actions) else None
        snapshots.append(Snapshot(env.to_dict(), action, *(opinions[turn] if turn < len(opinions) else ())))
    title = ": ".join(filter(None, [game_in_words(record.config), origin]))
    return game_of(record.config).module("drawing.render").replay(record.config, snapshots, title=title)


# --- Agents and seats -------------------------------------------------------------------------------------------------


def best_agent(config: Any) -> str:
    """Return the last bot of the game, thus its best, that can play ``config`` without looking at hidden cards."""
    for name in reversed([name for name in names(game_of(config).name) if "cheat" not in name]):
        try:
            load(name, config)
        except ValueError:  # it cannot play this config
            continue
        return name
    raise AssertionError("random agents play everything")


def line_up_of(
    agents: Sequence[str], config: Any, seats: int, effort: Mapping[str, Any] | None = None
) -> list[Policy | None]:
    """Return a policy for each seat by name; None for `PERSON`. See `filled` and `load_to_play`."""
    everybody = filled(agents, seats)
    loaded = {name: None if name == PERSON else load_to_play(name, config, effort) for name in everybody}
    return [loaded[name] for name in everybody]
