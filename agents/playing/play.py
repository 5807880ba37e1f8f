"""Play many games with given policies, and summarize the results."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.envs.vector import SPECIALIZE_FROM
from hanabako.games import game_of
from hanabako.interrupts import check, in_threads
from hanabako.progress import ProgressBar
from hanabako.words.checks import usable_threads

from .block import GAMES_AT_ONCE, Block, block_for
from .policy import Agent, Policy, Seated, line_up
from .seating import sit

REPLAY_ERRORS = 4
"""How many standard errors a mean may differ from the one that a replay finds, where rounding or time decides."""


@dataclass(frozen=True)
class Games:
    """The results of some games; the first axis of every array is the game."""

    score: NDArray[np.int64]
    """Points by the booklet, lost games as with ``score_on_loss="zero"``; in a competitive game the winners' points."""
    fireworks_score: NDArray[np.int64]
    """Points on the table at the end, even in lost games; 0 in competitive games, as are ``lost`` and ``perfect``."""
    length: NDArray[np.int64]
    """The number of decisions."""
    rewards: NDArray[np.float64]
    """(games, players): the return of each player."""
    lost: NDArray[np.bool_]
    """Whether the last life was lost, or the final bouquet failed (V5)."""
    perfect: NDArray[np.bool_]
    """Whether the highest possible score was reached."""
    winners: NDArray[np.bool_]
    """(games, players): who won, by the rules of the game and whatever its rewards; no player in cooperative games."""

    def chosen(self, rows: Any) -> "Games":
        """Return the results of the given games."""
        return Games(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def summary(self, *others: "Games") -> dict[str, Any]:
        """Return means with standard errors, and rates with 95 % intervals (Wilson), as JSON types.

        With ``others``, the same deals at other seats, errors are over deals, and no player's return is told.
        """
        lots = self, *others
        games = len(lots) * len(self.score)
        result: dict[str, Any] = {"games": games}
        for name in ("score", "fireworks_score", "length"):
            values = np.mean([getattr(lot, name) for lot in lots], axis=0)
            result |= {name: float(values.mean()), f"{name}_error": standard_error(values)}
        for name in ("perfect", "lost"):
            count = sum(int(getattr(lot, name).sum()) for lot in lots)
            result |= {f"{name}_rate": count / games, f"{name}_interval": list(wilson_interval(count, games))}
        if not others:
            result["rewards"] = [float(mean) for mean in self.rewards.mean(axis=0)]
            result["rewards_error"] = [standard_error(returns) for returns in self.rewards.T]
        return result


class UnfinishedError(ValueError):
    """Error for games that were given up; ``games`` are the results of all others, at least one."""

    def __init__(self, message: str, games: Games) -> None:
        super().__init__(message)
        self.games = games


def wilson_interval(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a rate by Wilson's score method (1927), without continuity correction."""
    z = 1.959963984540054  # the normal distribution's quantile of 97.5%
    rate, shrunk = count / of, z**2 / of
    middle, half = rate + shrunk / 2, z * math.sqrt(rate * (1 - rate) / of + shrunk / (4 * of))
    low, high = (middle - half) / (1 + shrunk), (middle + half) / (1 + shrunk)
    return 0.0 if count == 0 else low, 1.0 if count == of else high


def standard_error(values: NDArray[Any]) -> float | None:
    """Return the standard error of the mean of independent values (n,); None if there is only one."""
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None


def play(
    config: Any,
    policies: Agent | Sequence[Agent],
    games: int,
    seed: int,
    num_threads: int = 1,
    progress: bool = False,
    specialize: bool | None = None,
    first: int = 0,
) -> Games:
    """Play ``games`` games, once each. Game i is game ``first`` + i of a vector environment with that seed.

    A game depends only on its index, the seed and the policies, not on the number of other games or of threads. (A
    network may round its sums differently in batches of another size, which can change the choice between two actions
    that are equally likely to the last digit.)

    Args:
        config: the config of the games.
        policies: one for all seats, or one per seat.
        games: number of games, at least 1.
        seed: seed of the deals and of the policies' randomness.
        num_threads: number of blocks of games that are played at the same time.
        progress: show a progress bar.
        specialize: compile the loops for this config only; None does so for 256 games or more if all policies allow it
            (see `agents.playing.policy.Policy.specializes`).
        first: index of the first game.

    Raises:
        ValueError: ``games`` is below 1, ``num_threads`` is out of range, the number of policies is wrong, or a policy
            cannot go on in any game.
        UnfinishedError: a policy cannot go on in some games.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, got {games}")
    usable_threads(num_threads)
    seats = line_up(policies, config.players)
    if specialize is None:
        specialize = is_specialized(games, seats)
    game = game_of(config).make_game(config)
    record, given_up = Record(game, games), dict[int, ValueError]()
    with ProgressBar(total=games, unit="game", disable=not progress) as bar:

        def play_block(begin: int) -> None:
            block = block_for(config, min(GAMES_AT_ONCE, games - begin), seats, specialize)
            block.given_up = {}
            for tables in steps_of(block, seats, seed, first + begin):
                record.add(tables, begin)
                bar.update(int(tables["ended"].sum()))
            given_up.update({begin + row: reason for row, reason in block.given_up.items()})

        in_threads(play_block, range(0, games, GAMES_AT_ONCE), num_threads)
    if given_up:
        whole, reason = np.isin(np.arange(games), list(given_up), invert=True), given_up[min(given_up)]
        if not whole.any():
            raise reason
        raise UnfinishedError(f"{len(given_up)} of {games} games were given up: {reason}", record.games.chosen(whole))
    return record.games


def is_specialized(games: int, seats: Sequence[Policy]) -> bool:
    """Whether `play` by default compiles the loops for these games' config only."""
    return games >= SPECIALIZE_FROM and all(policy.specializes for policy in seats)


def steps_of(block: Block, seats: Sequence[Policy], seed: int, first: int) -> Iterator[NDArray[Any]]:
    """Play the block's games, from game ``first`` of ``seed``, and yield its tables after every step."""
    return steps_with(block, sit(block, seats), seed, first)


def steps_with(block: Block, players: Sequence[Seated], seed: int, first: int) -> Iterator[NDArray[Any]]:
    """Play as in `steps_of`, with policies that have taken their seats; raise ValueError for an illegal action."""
    block.deal(seed, first)
    for player in players:
        player.begin()
    while not block.tables["terminated"].all():
        block.go_on(players)
        check()
        if block.tables["illegal"].any():  # of a policy that seats itself; all others' answers were checked
            row = int(block.tables["illegal"].argmax())
            raise ValueError(f"an agent must choose a legal action in game {first + row}, got {block.actions[row]}")
        yield block.tables


class Record:
    """A recorder that collects `Games`."""

    def __init__(self, game: Game, games: int) -> None:
        self.game = game
        self.cooperative = game_of(game.config).cooperative
        self.games = Games(
            score=np.zeros(games, np.int64),
            fireworks_score=np.zeros(games, np.int64),
            length=np.zeros(games, np.int64),
            rewards=np.zeros((games, game.players)),
            lost=np.zeros(games, np.bool_),
            perfect=np.zeros(games, np.bool_),
            winners=np.zeros((games, game.players), np.bool_),
        )

    def add(self, tables: NDArray[Any], first: int) -> None:
        """Add a step of the tables, the first of which plays game ``first``; finished games have rewards of 0."""
        games = self.games
        games.rewards[first : first + len(tables)] += tables["rewards"][:, : self.game.players]
        ended = np.flatnonzero(tables["ended"])
        if not len(ended):
            return
        tables, rows = tables[ended], first + ended
        games.score[rows], games.length[rows] = self.game.scores(tables), tables["length"]
        games.winners[rows] = self.game.winners(tables)
        if self.cooperative:
            lost, points = self.game.lost(tables), tables["fireworks_score"]
            games.score[rows] = np.where(lost, self.game.lost_score, points)
            games.fireworks_score[rows], games.lost[rows] = points, lost
            games.perfect[rows] = points == self.game.config.max_score
