"""Training with partners: in every game the learner has one seat, and agents from a pool have the others.

In a cooperative game this trains ad-hoc teamwork with the pool (Stone et al. 2010, Canaan et al. 2020), in a
competitive one an approximate best response to it. The algorithm need not know: a step of these games is one decision
of the learner in each game, followed by the others' decisions until the learner is to move again.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from hanabako.engine.rng import episode_key, random_below
from hanabako.envs.saved_tables import checked_tables, save_tables
from hanabako.envs.vector import SPECIALIZE_FROM
from hanabako.games import game_of

from ...playing.open_games import OpenBlock, OpenGames, among, check_members
from ...playing.policy import Policy, has, set_of
from ...playing.seating import sit_down
from .ranks import Ranks
from .selfplay import SelfPlayEnvs

COIN = 64
"""Counter of the random draw that decides whether a game is self-play; seats and members use smaller counters."""
NO_REPLY = -1
"""The reply in a game that ended before the next player's decision."""

Seats: TypeAlias = NDArray[np.uint64]
Plan: TypeAlias = Callable[[NDArray[np.uint64], int, int], tuple[Seats, Seats]]
"""A function from the random streams of N games that begin, the number of players and the number of members to the
learner's seats (N,) and each member's seats (members, N), as bits of sets. `one_seat` is one."""


def one_seat(streams: NDArray[np.uint64], players: int, members: int, self_play: int = 0) -> tuple[Seats, Seats]:
    """Give the learner one seat, and draw a member for each of the others; all are equally likely.

    In ``self_play`` percent of the games, or without members in all of them, the learner has every seat. See `Plan`.
    """
    learners = np.uint64(1) << drawn(streams, 0, players).astype(np.uint64)
    learners[drawn(streams, COIN, 100) < (self_play if members else 100)] = 2**players - 1
    seats = np.zeros((members, len(streams)), np.uint64)
    for player in range(players):
        others = np.flatnonzero(~has(learners, np.full(len(streams), player)))
        seats[drawn(streams, 1 + player, members)[others], others] |= np.uint64(1 << player)
    return learners, seats


def drawn(streams: NDArray[np.uint64], counter: int, bound: int) -> NDArray[np.int64]:
    """Draw a number below ``bound`` from each of the N streams, (N,) int64."""
    return np.asarray(random_below(streams, np.full(1, counter, np.uint64), bound))


class PartnersEnvs(OpenGames, SelfPlayEnvs):
    """This rank's games among partners: a plan says who sits where in each new game.

    Rewards before the learner's first decision are dropped; a game that ends before that decision is followed by the
    next one at once. The simulator uses one thread. ``members`` are the pool at the beginning, see `check_members` and
    `admit`; the ``seed`` is also that of draws and partners.
    """

    def __init__(
        self, config: Any, games: int, seed: int, ranks: Ranks, members: Sequence[Policy] = (), plan: Plan = one_seat
    ) -> None:
        self.members, self.plan = check_members(members), plan
        super().__init__(config, games, seed, ranks)

    @override
    def _reset(self, seed: int, threads: int) -> None:
        game = game_of(self.config).make_game(self.config)
        specialize = self.games >= SPECIALIZE_FROM and all(member.specializes for member in self.members)
        self.block = OpenBlock(game, self.games, observes=True, specialize=specialize)
        self.block.deal(seed, 0)
        self._opening = self.block.observation.copy()
        self.learners = set_of(range(game.players), self.games)
        """(games,) uint64: the learner's players in each game, as a bit set."""
        self._seated = [sit_down(member, self.block, range(game.players)) for member in self.members]
        self._rewards = np.zeros((self.games, game.players), np.float32)
        self._lost = np.zeros_like(self._rewards)
        """The part of the summed rewards that was paid for losing a game, 0 or negative."""
        self._dones = np.zeros(self.games, np.bool_)
        self.replies = np.full(self.games, NO_REPLY, np.int16)
        """(games,): the next player's action after the learner's last decision, or `NO_REPLY`."""
        self._sit_down(np.ones(self.games, np.bool_))
        self._let_others_move()
        self._show()

    def admit(self, member: Policy) -> None:
        """Add a member; it may be drawn for games that begin from now on."""
        seated = sit_down(member, self.block, range(self.config.players))
        seated.begin()
        seated.seats[:] = 0
        self.members.append(member)
        self._seated.append(seated)

    @override
    def opening_bits(self) -> Tensor:
        self.observations = torch.from_numpy(self._opening.view(np.int64))  # the deals, before the first move
        bits = super().opening_bits()
        self._show()
        return bits

    # --- A step -------------------------------------------------------------------------------------------------------

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Make one decision of the learner in every game, then the others' decisions until the learner is to move.

        Return every player's summed rewards since, float32 (games, players), and whether the game has ended, (games,).
        """
        self._rewards[:], self._lost[:], self._dones[:], self.replies[:] = 0, 0, False, NO_REPLY
        self.block.actions[:] = actions.cpu().numpy()
        self._go_on(np.arange(self.games))
        self._let_others_move()
        self._show()
        self.decisions += self.games
        return torch.from_numpy(self._rewards.copy()), torch.from_numpy(self._dones.copy())

    @override
    def _check(self, rows: NDArray[np.int64]) -> None:
        replying = rows[(self.replies[rows] == NO_REPLY) & ~self._dones[rows]]
        self.replies[replying] = self.block.actions[replying]

    @override
    def _collect(self, rows: NDArray[np.int64]) -> None:
        open_rows = rows[~self._dones[rows]]
        rewards = self.block.tables["rewards"][open_rows, : self._rewards.shape[1]]
        self._rewards[open_rows] += rewards
        self._lost[open_rows] += np.minimum(rewards, 0)

    def priced(self, rewards: Tensor, price: float) -> Tensor:
        """See `SelfPlayEnvs.priced`; points scored since the learner's decision are paid in full."""
        return rewards - (1 - price) * torch.from_numpy(self._lost)[:, : rewards.shape[1]]

    @override
    def _end(self, rows: NDArray[np.int64]) -> None:
        self._count(len(rows), {name: self.block.tables[name][rows].sum() for name in self._sums})
        self._dones[rows] = True
        self.block.begin_next(rows)
        self._sit_down(among(rows, self.games))

    def _sit_down(self, chosen: NDArray[np.bool_]) -> None:
        """Draw the seats of the ``chosen`` games, which begin."""
        rows = np.flatnonzero(chosen)
        streams = np.asarray(episode_key(self.block.keys[rows], self.block.tables["state"]["episode"][rows]))
        self.learners[rows], seats = self.plan(streams, self.config.players, len(self._seated))
        for seated, own in zip(self._seated, seats, strict=True):
            seated.seats[rows] = own
            seated.begin(chosen)

    @override
    def _show(self) -> None:
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
        """The inverse of `state`; raise ``ValueError`` if it is of other games or another pool.

        Games and seats are checked, as in every checkpoint; a bot's memories are restored unchecked.
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
        self._ended, self._sums = 0, dict.fromkeys(self._sums, 0)  # what ended while these were set up is counted
        self._show()
