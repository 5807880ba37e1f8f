"""Training with partners: in every game the learner has one seat, and agents from a pool have the others.

In a cooperative game this trains ad-hoc teamwork with the pool (Stone et al. 2010, Canaan et al. 2020), in a
competitive one an approximate best response to it. The algorithm need not know: a step of these games is one decision
of the learner in each game, followed by the others' decisions until the learner is to move again.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hanabako.engine.rng import episode_key, random_below
from hanabako.envs.saved_tables import checked_tables, save_tables
from hanabako.envs.vector import SPECIALIZE_FROM
from hanabako.games import game_of

from ...playing.open_games import OpenBlock, OpenGames, among, check_members
from ...playing.policy import Policy, has, set_of
from ...playing.seating import sit_down
from .ranks import Ranks
from .selfplay import STATISTICS, SelfPlayEnvs

__all__ = ["PartnersEnvs", "drawn"]


class PartnersEnvs(OpenGames, SelfPlayEnvs):
    """This rank's games among partners: each new game draws the learner's seat and the agents at the others.

    Rewards before the learner's first decision are dropped; a game that ends before that decision is followed by the
    next one at once. The simulator uses one thread.

    Args:
        config: the game's config.
        games: number of parallel games, all ranks together.
        seed: seed of the deals, the draws and the partners' randomness; every rank derives its own from it.
        ranks: the ranks, which share the games evenly.
        members: the pool; all members are equally likely at every seat.

    Raises:
        ValueError: a member cannot take different seats in different games, see `check_members`.
    """

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, members: Sequence[Policy]) -> None:
        self.members = check_members(members)
        super().__init__(config, games, seed, ranks)

    def _reset(self, seed: int, threads: int) -> None:
        """See `SelfPlayEnvs._reset`; one rank compiles, and the others load from Numba's cache."""
        with self.ranks.one_first():
            self._begin_here(seed)

    def _begin_here(self, seed: int) -> None:
        game = game_of(self.config).make_game(self.config)
        specialize = self.games >= SPECIALIZE_FROM and all(member.specializes for member in self.members)
        self.block = OpenBlock(game, self.games, observes=True, specialize=specialize)
        self.block.deal(seed, 0)
        self.learners = set_of(range(game.players), self.games)
        """(games,) uint64: the learner's players in each game, as a bit set."""
        self._seated = [sit_down(member, self.block, range(game.players)) for member in self.members]
        self._opening = self.block.observation.copy()
        self._rewards = np.zeros((self.games, game.players), np.float32)
        self._lost = np.zeros_like(self._rewards)
        """The part of the summed rewards that was paid for losing a game, 0 or negative."""
        self._dones = np.zeros(self.games, np.bool_)
        everywhere = np.ones(self.games, np.bool_)
        self._sit_down(everywhere)
        self._let_others_move()
        self._show()

    def opening_bits(self) -> Tensor:
        """See `SelfPlayEnvs.opening_bits`; taken from the deals, before the first move."""
        self.observations = torch.from_numpy(self._opening.view(np.int64))
        bits = super().opening_bits()
        self._show()
        return bits

    # --- A step -------------------------------------------------------------------------------------------------------

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Make one decision of the learner in every game, then the others' decisions until the learner is to move.

        Returns:
            Every player's summed rewards since the learner's decision, float32 (games, players), and whether the game
            has ended since, bool (games,).
        """
        self._rewards[:], self._lost[:], self._dones[:] = 0, 0, False
        self.block.actions[:] = actions.cpu().numpy()
        self._go_on(np.arange(self.games))
        self._let_others_move()
        self._show()
        self.decisions += self.games
        return torch.from_numpy(self._rewards.copy()), torch.from_numpy(self._dones.copy())

    def _collect(self, rows: NDArray[np.int64]) -> None:
        open_rows = rows[~self._dones[rows]]
        rewards = self.block.tables["rewards"][open_rows, : self._rewards.shape[1]]
        self._rewards[open_rows] += rewards
        self._lost[open_rows] += np.minimum(rewards, 0)

    def priced(self, rewards: Tensor, price: float) -> Tensor:
        """See `SelfPlayEnvs.priced`; points scored since the learner's decision are paid in full."""
        return rewards - (1 - price) * torch.from_numpy(self._lost)[:, : rewards.shape[1]]

    def _end(self, rows: NDArray[np.int64]) -> None:
        """Record the end of the games ``rows`` and begin the next ones."""
        tables = self.block.tables
        self._end_with({name: tables[name][rows] for name in STATISTICS if name in (tables.dtype.names or ())})
        self._dones[rows] = True
        self.block.begin_next(rows)
        self._sit_down(among(rows, self.games))

    def _sit_down(self, chosen: NDArray[np.bool_]) -> None:
        """Draw the seats of the ``chosen`` games, which begin."""
        rows = np.flatnonzero(chosen)
        streams = episode_key(self.block.keys[rows], self.block.tables["state"]["episode"][rows])
        self.draw(rows, np.asarray(streams))
        for seated in self._seated:
            seated.begin(chosen)

    def draw(self, rows: NDArray[np.int64], streams: NDArray[np.uint64]) -> None:
        """Draw the seats of the games ``rows``, which begin, each from its random stream in ``streams``."""
        players = self.config.players
        seat = drawn(streams, 0, players).astype(np.uint64)
        self.learners[rows] = np.uint64(1) << seat
        self.fill(rows, streams)

    def fill(self, rows: NDArray[np.int64], streams: NDArray[np.uint64]) -> None:
        """Draw a member for each of the other seats of the games ``rows``."""
        for seated in self._seated:
            seated.seats[rows] = 0
        for player in range(self.config.players):
            member = drawn(streams, 1 + player, len(self._seated))
            others = ~has(self.learners[rows], np.full(len(rows), player))
            for k, seated in enumerate(self._seated):
                seated.seats[rows[others & (member == k)]] |= np.uint64(1 << player)

    def _show(self) -> None:
        """Update the learner's observations, masks and players from the block's games."""
        self.observations = torch.from_numpy(self.block.observation.view(np.int64))
        self.masks = torch.from_numpy(self.block.mask)
        self.players = torch.from_numpy(self.block.tables["current_player"].astype(np.int64))

    # --- Checkpoints --------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, np.ndarray]:
        """Return everything needed to continue, as arrays: the games, the seats, and the members' memories."""
        state: dict[str, Any] = {**save_tables(self.block.tables, self.config), "step": self.block.step}
        seats = np.array([seated.seats for seated in self._seated])
        state |= {"keys": self.block.keys, "learners": self.learners, "seats": seats}
        for k, seated in enumerate(self._seated):
            if (memories := seated.memories()) is not None:
                state[f"memories_{k}"] = memories
        return {name: np.array(value) for name, value in state.items()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """The inverse of `state`, for games with the same pool.

        Games and seats are checked, as in every checkpoint; a bot's memories are restored unchecked.

        Raises:
            ValueError: the state is of other games or another pool.
        """
        tables = checked_tables(state, self.block.tables, self.block.game, self.block.loops)
        learners, seats, keys = (np.asarray(state[name], np.uint64) for name in ("learners", "seats", "keys"))
        shape = len(self._seated), self.games
        if learners.shape != keys.shape or keys.shape != shape[1:] or seats.size != np.prod(shape):
            raise ValueError(f"seats must be those of {shape[0]} members in {shape[1]} games, got {seats.shape}")
        taken = np.bitwise_or.reduce(seats.reshape(shape), axis=0) | learners
        if tables["terminated"].any() or (taken != 2**self.config.players - 1).any():
            raise ValueError("every seat of every game must be the learner's or a member's, and no game may be over")
        for k, (seated, own) in enumerate(zip(self._seated, seats.reshape(shape), strict=True)):
            now, saved = seated.memories(), state.get(f"memories_{k}")
            if now is None or saved is None or (now.shape, now.dtype) != (saved.shape, saved.dtype):
                if not (now is None and saved is None):
                    raise ValueError(f"the memories of member {k} are those of another pool")
            else:
                now[...] = saved
            seated.seats[:] = own
        self.learners[:], self.block.keys[:] = learners, keys
        self.block.take(tables, int(state["step"]))
        self._finished[:] = 0  # games that ended while these were set up are already counted
        self._show()


def drawn(streams: NDArray[np.uint64], counter: int, bound: int) -> NDArray[np.int64]:
    """Draw a number below ``bound`` from each of the N streams, (N,) int64."""
    return np.asarray(random_below(streams, np.full(1, counter, np.uint64), bound))
