"""Copies of the learner's games in which the hand of the player to move and the deck are dealt again.

The learner's games do not change. The new deals are drawn from the players' beliefs, see `hanabi_env.engine.belief`;
`hanabi_env.engine.likelihood` weighs them by what the other players did.
"""

import numpy as np
import torch
from torch import Tensor

from hanabako.engine.rng import game_key
from hanabi_env.engine.belief import belief_loops, scratch
from hanabi_env.engine.likelihood import likelihood_loops, past_dtype
from hanabi_env.engine.state import roomy

from ...playing.block import Block
from .selfplay import SelfPlayEnvs


class FictitiousGames:
    """One fictitious game of Hanabi per game of the learner: a copy that is dealt again and played on.

    Random numbers come from the ``stream`` given with each deal, any int from 0 to 2^63 - 1.
    """

    def __init__(self, envs: SelfPlayEnvs) -> None:
        self._envs, game, frozen = envs, envs.game, envs.frozen
        self._block = Block(game, envs.games, observes=True, specialize=frozen is not None)
        self._loops, self._weights = belief_loops(frozen), likelihood_loops(frozen)
        self._pasts = np.zeros(envs.games, past_dtype(frozen or roomy(game.rules)))
        self._hand_size = game.rules.hand_size
        self._room = scratch(self._hand_size)
        self.observations = torch.from_numpy(self._block.observation.view(np.int64))
        """(games, words) int64: packed observations of the players to move, after `step`."""
        self.masks = torch.from_numpy(self._block.mask)
        """(games, actions) int8: 1 for a legal action, after `step`; none is legal when the game is over."""

    @property
    def is_over(self) -> Tensor:
        """(games,) bool: whether the game is over."""
        return torch.from_numpy(self._block.tables["terminated"].copy())

    def deal(self, stream: int) -> None:
        """Copy the learner's games, and deal the hands of the players to move and the decks again."""
        self._copy()
        self._loops.redeal(self._block.rules_array, self._block.tables, -1, self._keys(stream), self._room)

    def candidates(self, stream: int, count: int) -> np.ndarray:
        """Copy the learner's games, and draw hands, uint8 (games, count, slots); empty slots hold 0."""
        self._copy()
        hands = np.zeros((len(self._block.tables), count, self._hand_size), np.uint8)
        keys = self._keys(stream)
        self._loops.draw(self._block.rules_array, self._block.tables, -1, keys, self._room, hands)
        return hands

    def log_likelihoods(self, hands: np.ndarray) -> Tensor:
        """Return the log likelihoods (games, K) of what the other players did, up to a constant per game.

        ``hands`` are as `candidates` draws them. The other players are assumed to be level 0 of Off-Belief Learning:
        they choose uniformly among legal actions.
        """
        logs, rules = np.zeros(hands.shape[:2]), self._block.rules_array
        self._weights.weigh(rules, self._envs.tables, -1, self._pasts, hands, logs)
        return torch.from_numpy(logs)

    def note(self, actions: Tensor) -> None:
        """Note ``actions`` (games,) int64 for `log_likelihoods`. Call it before every step of the learner's games."""
        self._weights.note(self._block.rules_array, self._envs.tables, actions.numpy(), self._pasts)

    def put(self, hands: np.ndarray, stream: int) -> None:
        """Put hands, uint8 (games, slots), into the games and deal the decks again. Call it after `candidates`."""
        self._loops.put(self._block.rules_array, self._block.tables, -1, self._keys(stream), hands)

    def step(self, actions: Tensor) -> Tensor:
        """Make one decision in every game; return the team's rewards, float64 (games,), 0 where it was over."""
        self._block.actions[:] = actions.numpy()
        self._block.go_on([])
        return torch.from_numpy(self._block.tables["reward"].copy())

    def state(self) -> Tensor:
        """Return what was noted in the learner's games, uint8 (bytes,)."""
        return torch.from_numpy(self._pasts.view(np.uint8).copy())

    def restore(self, state: Tensor) -> None:
        """The inverse of `state`."""
        self._pasts.view(np.uint8)[:] = state.cpu().numpy()

    def _copy(self) -> None:
        tables = self._envs.tables
        octets = len(tables), tables.dtype.itemsize
        self._block.tables.view(np.uint8).reshape(octets)[:] = tables.view(np.uint8).reshape(octets)

    def _keys(self, stream: int) -> np.ndarray:
        """Return a random key for every game, (games,) uint64."""
        count = len(self._block.tables)
        return np.asarray(game_key(np.full(count, stream, np.uint64), np.arange(count, dtype=np.uint64)))
