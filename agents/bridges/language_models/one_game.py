"""One game against agents for a player who reads and writes text and may answer later: for chat environments."""

from collections.abc import Sequence
from typing import Any

from hanabako.games import game_of
from hanabako.words.notation import player_name

from ...playing.policy import Agent
from ...playing.seating import OneTable
from .policy import ChatPolicy, ChatSeated
from .server import Reply
from .view import USUAL, Message

__all__ = ["ChatGame"]


class ChatGame:
    """A game with one seat played by text; every answer advances it to that seat's next decision.

        game = ChatGame(config, [agents.load("smart", config)], seed=7)
        while not game.is_over:
            game.answer(ask(game.rules, game.turn()))
        game.reward

    Args:
            config: the config of any game.
            partners: policies for the other players, in turn order after ``seat``; or one policy for all of them.
            seat: the player whose decisions are answered by text.
            seed: seed of the deal and of all randomness.
            prompt: one of `agents.bridges.language_models.view.PROMPTS`.

    Raises:
            ValueError: there is no such prompt or seat, or the number of partners is wrong.
    """

    def __init__(
        self, config: Any, partners: Agent | Sequence[Agent], seat: int = 0, seed: int = 0, prompt: str = USUAL
    ) -> None:
        if not 0 <= seat < config.players:
            raise ValueError(f"seat must be from 0 to {config.players - 1}, got {seat}")
        others = list(partners) if isinstance(partners, Sequence) else [partners] * (config.players - 1)
        if len(others) != config.players - 1:
            raise ValueError(f"partners must be one, or one for each of {config.players - 1}, got {len(others)}")
        self.reward = 0.0
        """The seat's return so far."""
        self._answer = ""
        self._policy = ChatPolicy(self, config, prompt)
        policies = [*others[config.players - 1 - seat :], self._policy, *others[: config.players - 1 - seat]]
        self._name, self.seat = player_name(seat), seat
        entry = game_of(config)
        self._env = entry.module(entry.environment).raw_env(config=config)
        self._env.reset(seed=seed)
        self.table = OneTable(self._env, policies, seed)
        (self._seated,) = [seated for seated in self.table.players if isinstance(seated, ChatSeated)]
        self._let_others_move()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return all(self._env.terminations.values())

    @property
    def rules(self) -> str:
        """The system message: the rules, and how to answer."""
        return self._seated.chat_of(0, self.seat).rules

    @property
    def counts(self) -> dict[str, int]:
        """The number of ``decisions`` so far, and how many of them had ``illegal`` answers."""
        return {name: self._policy.counts[name] for name in ("decisions", "illegal")}

    @property
    def result(self) -> dict[str, Any]:
        """The infos of the seat. At the end of the game they hold its statistics, such as ``score``."""
        return self._env.infos[self._name]

    def turn(self) -> str:
        """Return the user message for the seat's next decision.

        Raises:
            ValueError: the game is over.
        """
        if self.is_over:
            raise ValueError("the game is over")
        return self._seated.chat_of(0, self.seat).turn(self._seated.view_of(0))

    def answer(self, text: str) -> None:
        """Play the seat's move, then the others' until its next turn.

        A random legal move replaces an answer that names none.

        Raises:
            ValueError: the game is over.
        """
        if self.is_over:
            raise ValueError("the game is over")
        self._answer = text
        self._step()
        self._let_others_move()

    def reply(self, messages: list[Message]) -> Reply:
        """Return the answer that was given: see `agents.bridges.language_models.server.Model.reply`."""
        return Reply(self._answer)

    def _let_others_move(self) -> None:
        while not self.is_over and self._env.agent_selection != self._name:
            self._step()

    def _step(self) -> None:
        self._env.step(self.table.action())
        self.reward += float(self._env.rewards[self._name])
        self.table.observe()
