"""Tables as bytes, with what they belong to and a checksum: what a vector environment saves and takes back.

The checksum finds damage, not malice: bytes that a stranger made on purpose can point the compiled loops anywhere in
memory. Load only what you trust.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from hanabako.words.checks import shown

__all__ = ["checked_tables", "save_tables"]


def save_tables(tables: np.ndarray, config: Any) -> dict[str, Any]:
    """The records of all tables (N,) as ``tables`` uint8 (N, bytes per table), ``config`` and ``checksum``."""
    octets = tables.view(np.uint8).reshape(len(tables), -1).copy()
    return {"tables": octets, "config": repr(config), "checksum": sha256(octets.tobytes()).hexdigest()}


def checked_tables(saved: Mapping[str, Any], like: np.ndarray, config: Any) -> np.ndarray:
    """The records that `save_tables` saved, of the type and number of ``like``.

    Raises:
        ValueError: other tables, another configuration, or damage.
    """
    octets = np.asarray(saved["tables"])
    shape = (len(like), like.dtype.itemsize)
    if octets.dtype != np.uint8 or octets.shape != shape:
        raise ValueError(f"tables must be uint8 of shape {shape}, got {octets.dtype} of shape {octets.shape}")
    if str(saved["config"]) != repr(config):
        raise ValueError(f"the state belongs to {shown(str(saved['config']))}, not to {shown(config)}")
    octets = np.ascontiguousarray(octets)
    if str(saved["checksum"]) != sha256(octets.tobytes()).hexdigest():
        raise ValueError("the tables are not those of the checksum: they have been damaged")
    return octets.view(like.dtype)[:, 0]
