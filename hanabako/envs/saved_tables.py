"""Saving and loading an environment's tables as bytes, with their configuration and a checksum.

The checksum finds damage. But the compiled loops check no bounds, so tables with a correct checksum are checked as
well, before anything is written: every number that is used as an index, the total number of cards, and the legal
actions.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from hanabako.engine.bounds import check_bounds
from hanabako.engine.game import Game
from hanabako.engine.protocol import Loops
from hanabako.words.checks import shown

__all__ = ["checked_tables", "have_begun", "save_tables"]


def save_tables(tables: np.ndarray, config: Any) -> dict[str, Any]:
    """Return the records of all tables as ``tables`` uint8 (N, bytes per table), with ``config`` and ``checksum``."""
    octets = tables.view(np.uint8).reshape(len(tables), -1).copy()
    return {"tables": octets, "config": repr(config), "checksum": sha256(octets.tobytes()).hexdigest()}


def checked_tables(saved: Mapping[str, Any], like: np.ndarray, game: Game, loops: Loops) -> np.ndarray:
    """Return the records that `save_tables` saved, with the dtype and number of ``like``, after checking them.

    ``like`` are the tables (N,) of the environment that loads them, ``loops`` the ``game``'s loops for such tables.

    Raises:
        ValueError: the shape or configuration differs, the data is damaged, or no game leads to such a table.
    """
    octets = np.asarray(saved["tables"])
    shape = (len(like), like.dtype.itemsize)
    if octets.dtype != np.uint8 or octets.shape != shape:
        raise ValueError(f"tables must be uint8 of shape {shape}, got {octets.dtype} of shape {octets.shape}")
    if not _is(saved["config"], repr(game.config)):
        raise ValueError(f"the state belongs to {shown(saved['config'])}, not to {shown(game.config)}")
    octets = np.ascontiguousarray(octets)
    if not _is(saved["checksum"], sha256(octets.tobytes()).hexdigest()):
        raise ValueError("the tables are not those of the checksum: they have been damaged")
    tables = octets.view(like.dtype)[:, 0]
    dealt = tables[have_begun(tables)]
    check_bounds(dealt["state"], game.state_bounds())
    _check_next_steps(dealt, game, loops)
    return tables


def have_begun(tables: np.ndarray) -> np.ndarray:
    """Return which tables (N,) were ever dealt to, bool (N,); all others are still zeros."""
    return np.asarray(tables.view(np.uint8).reshape(len(tables), -1).any(axis=1))


def _is(value: Any, text: str) -> bool:
    """Whether a value equals a text; checkpoints may hold the text as a zero-dimensional array."""
    if isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind == "U":
        value = value.item()
    return isinstance(value, str) and value == text


def _check_next_steps(tables: np.ndarray, game: Game, loops: Loops) -> None:
    """Raise ``ValueError`` if the loops could not continue from these tables. States must already be within bounds."""
    for name in ("terminated", "ended", "illegal"):
        if (tables[name].view(np.uint8) > 1).any():
            raise ValueError(f"{name} must be 0 or 1 in all tables")
    expected = tables.copy()
    loops.refresh(game.rules_array, expected)
    for name in ("mask", "current_player"):
        if not np.array_equal(tables[name], expected[name]):
            raise ValueError(f"{name} is not what follows from the states")
    ended = expected["terminated"].astype(np.bool_)
    sound = np.empty(len(tables), np.bool_)
    sound[ended], sound[~ended] = game.can_be_shown(tables["state"][ended]), game.is_whole(tables["state"][~ended])
    broken = np.flatnonzero(~sound)
    if len(broken):
        raise ValueError(f"table {broken[0]} holds no position that a game leads to")
