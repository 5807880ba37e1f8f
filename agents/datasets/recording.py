"""Agents' games as a dataset: game i of the file is game i of that seed, as in `agents.evaluate.play`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from hanabako.engine.game import Game
from hanabako.games import game_of
from hanabako.games_file import GAMES_A_BLOCK, MOST_GAMES, GamesBlock, writing
from hanabako.interrupts import in_threads
from hanabako.words.checks import as_index, as_seed

from ..playing.block import Block
from ..playing.play import is_specialized, steps_of
from ..playing.policy import Agent, Policy, line_up
from .dataset import Dataset

__all__ = ["record"]


def record(
    path: str | PathLike[str],
    config: Any,
    policies: Agent | Sequence[Agent],
    games: int,
    seed: int,
    first: int = 0,
    progress: bool = False,
    search: Mapping[str, Any] = MappingProxyType({}),
) -> Dataset:
    """Let agents play and write their games, a thousand at a time; the file appears when it is whole.

    Args:
        path: of the file.
        config: what is played.
        policies: one for all seats, or one per seat.
        games: how many, at least 1.
        seed: of the deals and of the policies' randomness.
        first: index of the first game, to go on from another file of that seed.
        progress: show a progress bar.
        search: how those think that search, which their names do not say: to be written down.

    Raises:
        ValueError: ``games`` is below 1, there is another number of policies than of players, or one does what is not
            legal.
        OSError: the file cannot be written.
    """
    if as_index("games", games, MOST_GAMES) < 1:
        raise ValueError(f"games must be at least 1, got {games}")
    seed, first = as_seed(seed), as_index("first", first, 2**63 - 1)
    seats = line_up(policies, config.players)
    specialize = is_specialized(games, seats)
    game = game_of(config).make_game(config)

    def play_some(some: tuple[int, int]) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
        return played(game, seats, seed, *some, specialize)

    with writing(path, config, search) as writer, tqdm(total=games, unit="game", disable=not progress) as bar:
        players = writer.places([str(policy.name) for policy in seats])
        for begin in range(0, games, GAMES_A_BLOCK):
            count = min(GAMES_A_BLOCK, games - begin)
            ((lengths, actions),) = in_threads(play_some, [(first + begin, count)], 1)
            writer.add(
                GamesBlock(
                    seeds=np.full(count, seed, np.uint64),
                    indices=np.arange(first + begin, first + begin + count, dtype=np.uint64),
                    players=np.tile(np.array(players, np.uint16), (count, 1)),
                    lengths=lengths,
                    actions=actions,
                )
            )
            bar.update(count)
    return Dataset(path)


def played(
    game: Game, seats: Sequence[Policy], seed: int, first: int, count: int, specialize: bool
) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    """The lengths of ``count`` games, and their actions, one game after the other."""
    block = Block(game, count, any(policy.observes for policy in seats), specialize)
    going, taken = np.ones(count, np.bool_), []
    for tables in steps_of(block, seats, seed, first):
        taken.append(np.where(going, block.actions, -1))
        going = ~tables["terminated"]
        if tables["illegal"].any():
            row = int(np.flatnonzero(tables["illegal"])[0])
            raise ValueError(f"{seats[0].name}: an action in game {first + row} is not legal")
    steps = np.stack(taken, axis=1)  # (games, steps), -1 after the end
    return (steps >= 0).sum(axis=1).astype(np.uint32), steps[steps >= 0].astype(np.uint16)
