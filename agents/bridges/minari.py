"""Export to Minari, the Farama Foundation's format for offline datasets (https://minari.farama.org).

    to_minari(Dataset("games.npz"), "hanabako/hanabi-smart-v0")
    minari.load_dataset("hanabako/hanabi-smart-v0")

An episode is one seat of one game, as a Gymnasium environment of one seat would report it: the player's observations
before each of its decisions and at the end, its actions, and its rewards until its next decision. Rewards from before
the first decision are added to the first step. Games that were stopped early end truncated.
"""

import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from hanabako.envs.vector import FORMATS, observation_space
from hanabako.games import game_of
from hanabako.packing import unpack

from ..datasets.dataset import Dataset, decisions_of

__all__ = ["installed_minari", "to_minari"]


def to_minari(dataset: Dataset, dataset_id: str, config: Any = None, observation: str = "int8") -> Any:
    """Write a Minari dataset to this machine's store (``MINARI_DATASETS_PATH``).

    Args:
        dataset: the games.
        dataset_id: the name of the new dataset, such as ``hanabako/hanabi-smart-v0``.
        config: the config for the observations, as in `Dataset.decisions`.
        observation: ``"int8"``, ``"float32"`` or ``"packed"``.

    If this is interrupted or fails, no dataset is left.

    Returns:
        The ``minari.MinariDataset``.

    Raises:
        ValueError: Minari is not installed, refuses the name, or has a dataset with it; or see `Dataset.decisions`.
    """
    minari = installed_minari()
    game = game_of(config or dataset.config).make_game(config or dataset.config)
    mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
    with warnings.catch_warnings(), removed_if_incomplete(dataset_id):
        warnings.simplefilter("ignore", UserWarning)  # no author's address: the person who publishes it adds one
        return minari.create_dataset_from_buffers(
            dataset_id,
            episodes(dataset, config, FORMATS[observation]),  # a generator: the episodes are never all in memory
            observation_space=spaces.Dict({"observation": observation_space(game, observation), "action_mask": mask}),
            action_space=spaces.Discrete(game.num_actions),
            algorithm_name=", ".join(dataset.names[:8]),
            description=f"Games of {dataset.config!r}; an episode is one seat of one game.",
        )


@contextmanager
def removed_if_incomplete(dataset_id: str) -> Iterator[None]:
    """Remove a new dataset if the block ends with an exception, since Minari would show the rest as a whole one."""
    path = Path(import_module("minari.storage").get_dataset_path(dataset_id))
    is_new = not path.exists()
    try:
        yield
    except BaseException:
        if is_new:
            shutil.rmtree(path, ignore_errors=True)
        raise


def installed_minari() -> Any:
    """Import and return Minari; raise ``ValueError`` if it is not installed."""
    try:
        return import_module("minari")
    except ImportError as error:
        raise ValueError("minari is not installed: pip install 'minari[hdf5]'") from error


def episodes(dataset: Dataset, config: Any, kind: type) -> Iterator[Any]:
    """Yield Minari's episodes, by game and then by player; a player who never moved has none."""
    episode: Any = import_module("minari.data_collector").EpisodeBuffer
    number = 0
    for replay in dataset.replays(config, observes=True):
        decisions = decisions_of(replay, kind)
        ends = [replay.observed(player) for player in range(replay.game.players)]
        starts, lengths = replay.games.starts, replay.games.lengths.astype(np.int64)
        for k in range(len(replay.games)):
            own_game = decisions.chosen(slice(starts[k], starts[k] + lengths[k]))
            for player, (last, last_mask) in enumerate(ends):
                turns = np.flatnonzero(own_game.players == player)
                if not len(turns):
                    continue
                seen = last[k] if kind is np.uint64 else unpack(last[k], replay.game.observation_bits).astype(kind)
                over = np.zeros(len(turns), np.bool_)
                over[-1] = True
                finished = bool(replay.tables["terminated"][k])
                yield episode(
                    id=number,
                    observations={
                        "observation": np.concatenate([own_game.observations[turns], seen[None]]),
                        "action_mask": np.concatenate([own_game.masks[turns], last_mask[k : k + 1]]),
                    },
                    actions=own_game.actions[turns],
                    rewards=np.add.reduceat(own_game.rewards[:, player], np.append(0, turns[1:])),
                    terminations=over & finished,
                    truncations=over & (not finished),
                    infos={},
                )
                number += 1
