"""Replays of recorded games, many in lock-step, by the compiled rules; every action must be legal."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.engine.rng import game_key
from hanabako.games_file import GamesBlock
from hanabako.words.checks import check_options

from ..playing.block import Block

__all__ = ["RecordedBlock"]


class RecordedBlock(Block):
    """The games of a block, dealt and ready to be replayed.

    Args:
        game: the game that was played, with the observation that is wanted.
        games: the recorded games.
        first: the number of the first of them, for messages.
        observes: whether observations are wanted.
        specialize: see `agents.playing.block.Block`.

    Raises:
        ValueError: a deal is impossible; the message names the game.
    """

    def __init__(self, game: Game, games: GamesBlock, first: int, observes: bool, specialize: bool) -> None:
        super().__init__(game, len(games), observes, specialize)
        self.games, self.first = games, first
        self.tables["state"]["game_key"] = game_key(games.seeds.astype(np.uint64), games.indices.astype(np.uint64))
        self.loops.reset(self.rules_array, self.tables, np.ones(len(games), np.bool_))
        self._deal_as_given()
        self.show()

    def _deal_as_given(self) -> None:
        states = self.tables["state"].view(np.recarray)
        for k, options in enumerate(self.games.deals):
            try:
                check_options(options, self.game.deal_options)
                self.game.load_deal(states[k], dict(options))
            except ValueError as error:
                raise ValueError(f"game {self.first + k}: {error}") from None
        if self.games.deals:
            self.loops.refresh(self.rules_array, self.tables)

    def turns(self) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield, before every step, its number, the tables that take part, and their actions; finished tables wait.

        Raises:
            ValueError: an action is not legal; the message names the game and the step.
        """
        lengths, starts = self.games.lengths.astype(np.int64), self.games.starts
        for turn in range(int(lengths.max(initial=0))):
            rows = np.flatnonzero(lengths > turn)
            actions = self.games.actions[starts[rows] + turn].astype(np.int64)
            self._check(turn, rows, actions)
            self.actions[rows] = actions
            yield turn, rows, actions
            self._step(lengths <= turn)

    def _step(self, is_done: NDArray[np.bool_]) -> None:
        """Make one step; tables whose recorded actions are used up keep their state, finished or not."""
        waiting = np.flatnonzero(is_done & ~self.tables["terminated"])
        kept = self.tables[waiting]
        self.make_step(())
        self.tables[waiting] = kept

    def _check(self, turn: int, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        known = actions < self.game.num_actions
        legal = known & (self.mask[rows, np.where(known, actions, 0)] != 0)
        if legal.all():
            return
        k = int(np.flatnonzero(~legal)[0])
        row, action = int(rows[k]), int(actions[k])
        move = f"number {action}"
        if known[k]:
            move = f"{self.game.action_to_str(self.tables['state'].view(np.recarray)[row], action)!r}"
        why = "comes after the end" if self.tables["terminated"][row] else "is not legal there"
        raise ValueError(f"game {self.first + row}, action {turn}: {move} {why}")
