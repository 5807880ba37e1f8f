"""Tables as bytes, with what they belong to and a checksum: what an environment saves and takes back.

The checksum finds damage. The compiled loops check no bounds, so tables with a right checksum are not believed either:
every number that points into an array, what the cards add up to and what is legal are checked before the first byte is
written.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from hanabako.engine.bounds import check_bounds
from hanabako.engine.game import Game
from hanabako.engine.protocol import Loops
from hanabako.words.checks import shown

__all__ = ["checked_tables", "save_tables"]


def save_tables(tables: np.ndarray, config: Any) -> dict[str, Any]:
    """The records of all tables (N,) as ``tables`` uint8 (N, bytes per table), ``config`` and ``checksum``."""
    octets = tables.view(np.uint8).reshape(len(tables), -1).copy()
    return {"tables": octets, "config": repr(config), "checksum": sha256(octets.tobytes()).hexdigest()}


def checked_tables(saved: Mapping[str, Any], like: np.ndarray, game: Game, loops: Loops) -> np.ndarray:
    """The records that `save_tables` saved, of the type and number of ``like``.

    Args:
        saved: as `save_tables` made it.
        like: tables (N,) of the environment that takes them.
        game: the configured game.
        loops: its loops for such tables.

    Raises:
        ValueError: other tables, another configuration, damage, or tables that no game leads to.
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
    dealt = tables[octets.any(axis=1)]  # the others are as they were made: nothing was ever dealt there
    check_bounds(dealt["state"], game.state_bounds())
    _check_next_steps(dealt, game, loops)
    return tables


def _is(value: Any, text: str) -> bool:
    """Whether a value is that text, also as an array without dimensions (in checkpoints); it may be however deep."""
    if isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind == "U":
        value = value.item()
    return isinstance(value, str) and value == text


def _check_next_steps(tables: np.ndarray, game: Game, loops: Loops) -> None:
    """Raise ``ValueError`` if the loops could not go on from tables whose states are within their bounds."""
    for name in ("terminated", "ended", "illegal"):
        if (tables[name].view(np.uint8) > 1).any():
            raise ValueError(f"{name} must be 0 or 1 in all tables")
    expected = tables.copy()
    loops.refresh(game.rules_array, expected)
    for name in ("mask", "current_player"):
        if not np.array_equal(tables[name], expected[name]):
            raise ValueError(f"{name} is not what follows from the states")
    running = np.flatnonzero(~expected["terminated"])
    broken = running[~game.is_whole(tables["state"][running])]
    if len(broken):
        raise ValueError(f"table {broken[0]} holds no position that a game leads to")
