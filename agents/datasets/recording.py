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
from ..playing.play import is_specialized, steps_with
from ..playing.policy import Agent, Policy, Seated, line_up
from ..playing.seating import sit
from .dataset import Dataset

NO_VALUE = "as expected after each action, NaN where it is not legal, and at decisions without a search or a choice"


def record(
    path: str | PathLike[str],
    config: Any,
    policies: Agent | Sequence[Agent],
    games: int,
    seed: int,
    first: int = 0,
    progress: bool = False,
    search: Mapping[str, Any] = MappingProxyType({}),
    values: bool = False,
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
        values: also write the value that a search expects of every legal action, see `agents.datasets.Dataset.values`.

    Raises:
        ValueError: ``games`` is below 1, the number of policies is wrong, a policy takes an illegal action, or
            ``values`` is true and no policy searches.
        OSError: the file cannot be written.
    """
    if as_index("games", games, MOST_GAMES) < 1:
        raise ValueError(f"games must be at least 1, got {games}")
    seed, first = as_seed(seed), as_index("first", first, 2**63 - 1)
    seats = line_up(policies, config.players)
    play_some = partial(played, config, seats, seed, is_specialized(games, seats), values)
    with (
        writing(path, config, search, values_are(seats) if values else "") as writer,
        ProgressBar(total=games, unit="game", disable=not progress) as bar,
    ):
        players = writer.places([str(policy.name) for policy in seats])
        for begin in range(0, games, GAMES_A_BLOCK):
            count = min(GAMES_A_BLOCK, games - begin)
            ((lengths, actions, weighed),) = in_threads(partial(play_some, count), [first + begin], 1)
            writer.add(
                GamesBlock(
                    seeds=np.full(count, seed, np.uint64),
                    indices=np.arange(first + begin, first + begin + count, dtype=np.uint64),
                    players=np.tile(np.array(players, np.uint16), (count, 1)),
                    lengths=lengths,
                    actions=actions,
                    values=weighed,
                )
            )
            bar.update(count)
    return Dataset(path)


def played(
    config: Any, seats: Sequence[Policy], seed: int, specialize: bool, values: bool, count: int, first: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.float32] | None]:
    """Play games; return their lengths, their actions game after game, and the values of these decisions."""
    block = block_for(config, count, seats, specialize)
    players = sit(block, seats)
    weighing = [player for player in players if player.values is not None]
    if values and not weighing:
        raise ValueError(f"values need an agent that searches, got {', '.join(p.name for p in seats)}")
    going, taken, weighed = np.ones(count, np.bool_), [], []
    for tables in steps_with(block, players, seed, first):
        taken.append(np.where(going, block.actions, -1))
        if values:
            weighed.append(values_of(weighing, count, block.game.num_actions))
        going = ~tables["terminated"]
    steps = np.stack(taken, axis=1)  # (games, steps), -1 after the end
    there = steps >= 0
    kept = np.stack(weighed, axis=1)[there] if values else None
    return there.sum(axis=1).astype(np.uint32), steps[there].astype(np.uint16), kept


def values_are(seats: Sequence[Policy]) -> str:
    """Return what the file says of its values: what a search expects of an action, and where there are none."""
    texts = dict.fromkeys(str(getattr(policy, "values_are", "")) for policy in seats)
    return "; ".join([*filter(None, texts), NO_VALUE])


def values_of(weighing: Sequence[Seated], games: int, actions: int) -> NDArray[np.float32]:
    """Return the values of all actions in this step, (games, actions), NaN where there are none; then clear them."""
    values = np.full((games, actions), np.nan, np.float32)
    for seated in weighing:
        for row, thought in enumerate(seated.values):
            if thought:
                values[row, list(thought)] = list(thought.values())
        seated.values[:] = [None] * games
    return values
