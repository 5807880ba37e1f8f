"""The parallel games that a rank learns from: self-play, with the learner at every seat."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from typing_extensions import override

from hanabako.engine.game import Game
from hanabako.games import game_of

from .ranks import Ranks

STATISTICS = ("score", "length", "fireworks_score")
"""Statistics of finished games for the log, if the game has them."""


class SelfPlayEnvs:
    """This rank's games and the observations of the players to move; a finished game is followed by the next at once.

    The ranks share the ``games`` evenly, and each derives its own seed of the deals. With the ``simulator`` ``cuda``,
    observations, masks, players and rewards are on the GPU of the network, and the host does not wait for a step.
    """

    observations: Tensor
    """(games, words) int64: packed observations of the players to move."""
    masks: Tensor
    """(games, actions) int8: 1 for a legal action."""
    players: Tensor
    """(games,) int64: the player to move."""

    def __init__(
        self, config: Any, games: int, seed: int, ranks: Ranks, threads: int = 1, simulator: str = "cpu"
    ) -> None:
        self.config, self.ranks, self.simulator = config, ranks, simulator
        self.games = games // ranks.world
        self.cooperative = game_of(config).cooperative
        self.decisions = 0
        """Number of decisions made so far on this rank."""
        self._ended: Any = 0
        """Number of games that ended since `statistics`."""
        names = "length", *game_of(config).make_game(config).statistics
        self._sums: dict[str, Any] = dict.fromkeys((name for name in STATISTICS if name in names), 0)
        """The sums of their statistics."""
        streams = np.random.SeedSequence(seed).spawn(ranks.world)
        self._reset(int(streams[ranks.rank].generate_state(1)[0]), threads)

    def _reset(self, seed: int, threads: int) -> None:
        """Deal this rank's first games."""
        where: dict[str, Any] = {"device": "cuda"} if self.simulator == "cuda" else {"num_threads": threads}
        if self.simulator == "cpu":
            game_of(self.config).compile(self.config, self.games)
        make = game_of(self.config).vector_env
        self._env = make(self.games, config=self.config, observation="packed", copy=False, **where)
        self._seen = self._env.reset(seed=seed)
        self._show()

    @property
    def game(self) -> Game:
        """The game's rules and loops."""
        return self._env.game

    @property
    def frozen(self) -> Any:
        """The rules to which loops over `tables` can be specialized; None if only generic loops fit their records."""
        return self.game.rules if self.tables.dtype == self.game.table_dtype(specialize=True) else None

    @property
    def tables(self) -> np.ndarray:
        """The games' records (games,), for reading and copying."""
        return self._env.tables

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Make one decision in every game.

        Return every player's reward, float32 (games, players), and whether the decision ended its game, bool (games,).
        """
        chosen = actions if self.simulator == "cuda" else actions.cpu().numpy()
        observation, _, ended, _, infos = self._env.step(chosen)
        if "length" in infos:  # on the CPU, only if a game ended
            self._count(ended.sum(), {name: (infos[name] * ended).sum() for name in self._sums})
        dones = torch.as_tensor(ended).clone()
        self._begin(dones)
        self._seen = observation, infos
        self._show()
        self.decisions += self.games
        return torch.as_tensor(infos["rewards"]).float(), dones

    def priced(self, rewards: Tensor, price: float) -> Tensor:
        """Return the last step's ``rewards`` (games, n) if losing costs only the part ``price``, 0 to 1, of points."""
        return paid(rewards, price)

    def _begin(self, dones: Tensor) -> None:
        """Called after a step: new games have begun where ``dones``, bool (games,), is set; a hook for subclasses."""

    def _show(self) -> None:
        """Update observations, masks and players from the environment's buffers, which the next step overwrites."""
        observation, infos = self._seen
        self.observations = torch.as_tensor(observation["observation"]).view(torch.int64)
        self.masks = torch.as_tensor(observation["action_mask"])
        self.players = torch.as_tensor(infos["current_player"]).long()

    def statistics(self) -> dict[str, float]:
        """Return the means of `STATISTICS` over the games of all ranks that ended since the last call, if any did."""
        own = torch.tensor([self._ended, *self._sums.values()], dtype=torch.float64)
        self._ended, self._sums = 0, dict.fromkeys(self._sums, 0)
        games, *sums = self.ranks.sum(own).tolist()
        return {name: total / games for name, total in zip(self._sums, sums, strict=True)} if games else {}

    def _count(self, ended: Any, sums: Mapping[str, Any]) -> None:
        """Count games that ended, given the sums of their statistics by name."""
        self._ended = self._ended + ended
        self._sums = {name: total + sums[name] for name, total in self._sums.items()}

    def opening_bits(self) -> Tensor:
        """Return the bits set in every observation of rank 0, (words,) int64; to be called in opening positions."""
        common = np.bitwise_and.reduce(self.observations.cpu().numpy(), axis=0)
        return self.ranks.sum(torch.from_numpy(common) * (self.ranks.rank == 0))

    def state(self) -> dict[str, np.ndarray]:
        """Return everything needed to continue, as arrays."""
        return {name: np.asarray(value) for name, value in self._env.get_state().items()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """The inverse of `state`; observations, masks and players are those of the restored games."""
        self._env.set_state({name: value if value.ndim else value.item() for name, value in state.items()})
        self._show()


class EveryView(SelfPlayEnvs):
    """Self-play with ``observations`` (games, players * words) of all players, the player to move first."""

    @override
    def _show(self) -> None:
        super()._show()
        views = self._env.observe_all()["observation"]
        players = views.shape[1]
        order = (self.players.numpy()[:, None] + np.arange(players)) % players
        turned = np.take_along_axis(views, order[:, :, None], 1)
        self.observations = torch.from_numpy(turned.reshape(self.games, -1).view(np.int64))


def paid(rewards: Tensor, price: float) -> Tensor:
    """Return rewards of single decisions, those of lost games multiplied by ``price``: only those are negative."""
    return torch.where(rewards < 0, price * rewards, rewards)
