"""Recording agents' games as a dataset: game i of the file is game i of that seed, as in `agents.play`."""

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.games_file import GAMES_A_BLOCK, MOST_GAMES, GamesBlock, writing
from hanabako.interrupts import in_threads
from hanabako.progress import ProgressBar
from hanabako.words.checks import as_index, as_seed

from ..playing.block import block_for
from ..playing.play import is_specialized, steps_of
from ..playing.policy import Agent, Policy, line_up
from .dataset import Dataset


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
    """Let agents play and write their games, a thousand at a time; the file appears only when it is complete.

    Args:
        path: the file to write.
        config: the config of the games.
        policies: one for all seats, or one per seat.
        games: number of games, at least 1.
        seed: seed of the deals and of the policies' randomness.
        first: index of the first game, to continue another file with that seed.
        progress: show a progress bar.
        search: settings of the policies that search, which their names do not tell; they are written to the file.

    Raises:
        ValueError: ``games`` is below 1, the number of policies is wrong, or a policy takes an illegal action.
        OSError: the file cannot be written.
    """
    if as_index("games", games, MOST_GAMES) < 1:
        raise ValueError(f"games must be at least 1, got {games}")
    seed, first = as_seed(seed), as_index("first", first, 2**63 - 1)
    seats = line_up(policies, config.players)
    play_some = partial(played, config, seats, seed, is_specialized(games, seats))
    with (
        writing(path, config, search) as writer,
        ProgressBar(total=games, unit="game", disable=not progress) as bar,
    ):
        players = writer.places([str(policy.name) for policy in seats])
        for begin in range(0, games, GAMES_A_BLOCK):
            count = min(GAMES_A_BLOCK, games - begin)
            ((lengths, actions),) = in_threads(partial(play_some, count), [first + begin], 1)
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
    config: Any, seats: Sequence[Policy], seed: int, specialize: bool, count: int, first: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    """Play games, and return their lengths, and their actions game after game."""
    block = block_for(config, count, seats, specialize)
    going, taken = np.ones(count, np.bool_), []
    for tables in steps_of(block, seats, seed, first):
        taken.append(np.where(going, block.actions, -1))
        going = ~tables["terminated"]
    steps = np.stack(taken, axis=1)  # (games, steps), -1 after the end
    there = steps >= 0
    return there.sum(axis=1).astype(np.uint32), steps[there].astype(np.uint16)
