"""Play many games with given policies: what happened in them, and how good that is."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.envs.vector import SPECIALIZE_FROM
from hanabako.games import game_of
from hanabako.interrupts import check, in_threads
from hanabako.progress import ProgressBar
from hanabako.words.checks import usable_threads

from .block import GAMES_AT_ONCE, Block
from .policy import Agent, Policy, Seated, line_up
from .seating import sit


@dataclass(frozen=True)
class Games:
    """What happened in some games; every array begins with their number."""

    score: NDArray[np.int64]
    """Points by the booklet, lost games as with ``score_on_loss="zero"``; the winners' in a competitive game."""
    fireworks_score: NDArray[np.int64]
    """Points on the table at the end, in lost games too. In a competitive game 0, as are ``lost`` and ``perfect``."""
    length: NDArray[np.int64]
    """Decisions."""
    rewards: NDArray[np.float64]
    """(games, players): the return of every player."""
    lost: NDArray[np.bool_]
    """The last life is lost, or the final bouquet (V5)."""
    perfect: NDArray[np.bool_]
    """The highest score there is."""

    def summary(self) -> dict[str, Any]:
        """Means with standard errors, and rates with 95 % intervals (Wilson), as JSON types."""
        games = len(self.score)
        result: dict[str, Any] = {"games": games}
        for name in ("score", "fireworks_score", "length"):
            values = getattr(self, name)
            result[name] = float(values.mean())
            result[f"{name}_error"] = standard_error(values)
        for name in ("perfect", "lost"):
            count = int(getattr(self, name).sum())
            result[f"{name}_rate"] = count / games
            result[f"{name}_interval"] = list(wilson_interval(count, games))
        result["rewards"] = [float(mean) for mean in self.rewards.mean(axis=0)]
        return result


def wilson_interval(count: int, of: int) -> tuple[float, float]:
    """The 95% confidence interval of a rate by Wilson's score method (1927), without continuity correction."""
    z = 1.959963984540054  # the normal distribution's quantile of 97.5%
    rate, shrunk = count / of, z**2 / of
    middle, half = rate + shrunk / 2, z * math.sqrt(rate * (1 - rate) / of + shrunk / (4 * of))
    low, high = (middle - half) / (1 + shrunk), (middle + half) / (1 + shrunk)
    return 0.0 if count == 0 else low, 1.0 if count == of else high


def standard_error(values: NDArray[Any]) -> float | None:
    """The standard error of the mean of independent values (n,); None if there is only one."""
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
    """Play ``games`` games, once each. Game i is game ``first`` + i of a vector environment of that seed.

    What happens in a game depends on its index, the seed and the policies only, not on how many games are played along
    with it nor on the number of threads. (A network's sums may be rounded differently in batches of another size; two
    actions equally likely to the last digit may then change places.)

    Args:
        config: what is played.
        policies: one for all seats, or one per seat.
        games: how many, at least 1.
        seed: of the deals and of the policies' randomness.
        num_threads: blocks of games that are played at the same time.
        progress: show a progress bar.
        specialize: compile the loops for this config alone; None: from 256 games on, if all policies prefer that (see
            `agents.playing.policy.Policy.specializes`).
        first: index of the first game.

    Raises:
        ValueError: ``games`` is below 1, ``num_threads`` is out of range, or there is another number of policies than
            of players.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, got {games}")
    usable_threads(num_threads)
    seats = line_up(policies, config.players)
    if specialize is None:
        specialize = is_specialized(games, seats)
    observes = any(policy.observes for policy in seats)
    game = game_of(config).make_game(config)
    record = Record(game, games)
    with ProgressBar(total=games, unit="game", disable=not progress) as bar:

        def play_block(begin: int) -> None:
            block = Block(game, min(GAMES_AT_ONCE, games - begin), observes, specialize)
            for tables in steps_of(block, seats, seed, first + begin):
                record.add(tables, begin)
                bar.update(int(tables["ended"].sum()))

        in_threads(play_block, range(0, games, GAMES_AT_ONCE), num_threads)
    return record.games


def is_specialized(games: int, seats: Sequence[Policy]) -> bool:
    """Whether `play` compiles the loops for that many games for their config alone, if nothing is said of it."""
    return games >= SPECIALIZE_FROM and all(policy.specializes for policy in seats)


def steps_of(block: Block, seats: Sequence[Policy], seed: int, first: int) -> Iterator[NDArray[Any]]:
    """Play the block's games, from game ``first`` of ``seed`` on: its tables after every step."""
    return steps_with(block, sit(block, seats), seed, first)


def steps_with(block: Block, players: Sequence[Seated], seed: int, first: int) -> Iterator[NDArray[Any]]:
    """As `steps_of`, with those who have taken their seats."""
    block.deal(seed, first)
    for player in players:
        player.begin()
    while not block.tables["terminated"].all():
        block.go_on(players)
        check()
        yield block.tables


class Record:
    """`Games` in the making."""

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
        )

    def add(self, tables: NDArray[Any], first: int) -> None:
        """Note a step of the tables, the first of which plays game ``first``; a finished one is rewarded 0."""
        games = self.games
        games.rewards[first : first + len(tables)] += tables["rewards"][:, : self.game.players]
        ended = np.flatnonzero(tables["ended"])
        if not len(ended):
            return
        tables, rows = tables[ended], first + ended
        games.score[rows], games.length[rows] = tables["score"], tables["length"]
        if self.cooperative:
            lost, points = self.game.lost(tables), tables["fireworks_score"]
            games.score[rows] = np.where(lost, self.game.lost_score, points)
            games.fireworks_score[rows], games.lost[rows] = points, lost
            games.perfect[rows] = points == self.game.config.max_score
