"""The file of a dataset: a zip archive of NumPy arrays, which ``numpy.load`` opens too.

``about.json`` has the ``format`` (`FORMAT`), the ``config`` (with its ``game``), the ``names`` of the players and the
number of ``games``. It may also have ``search``, the settings of players that search.
Games follow each other in blocks of `GAMES_A_BLOCK`, whose arrays are in folders 000000, 000001 ...:

==============================  ========================  ============================================================
array                           type, shape               what
==============================  ========================  ============================================================
``seeds.npy``, ``indices.npy``  uint64 (G,)               the deal: game ``index`` of a vector environment's ``seed``
``players.npy``                 uint16 (G, P)             who sat where, as places in ``names``
``lengths.npy``                 uint32 (G,)               decisions
``actions.npy``                 uint16 (sum of lengths,)  one game after the other
``deals.json``                  a list of G               options of a reset that fix the deal, where a game needs them
``ends.json``                   a list of G               how players stopped a game, in the words of its site
==============================  ========================  ============================================================

Reading checks types, shapes and indices. Only replaying the games shows whether they are legal.
"""

import io
import json
import math
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hanabako.files import MOST_BYTES, check_readable, parse_json, replacing
from hanabako.games import config_from_dict, config_to_dict
from hanabako.program import sentence
from hanabako.words.checks import as_each, as_index, as_object, as_text, shown

__all__ = ["FORMAT", "GAMES_A_BLOCK", "GamesBlock", "GamesFile", "GamesWriter", "writing"]

FORMAT = "hanabako-games-1"
"""The name of this layout in ``about.json``."""
GAMES_A_BLOCK = 1024
"""The number of games in every block except the last."""
MOST_ACTIONS = 2**20
"""The largest number of actions in a block: about a thousand per game, several times the longest game."""
MOST_GAMES = 2**32
MOST_FILE = 2**40
"""The largest file that is read, in bytes, of which a block is held at a time."""
UINT16, UINT32, UINT64 = (np.dtype(f"<{kind}") for kind in ("u2", "u4", "u8"))


@dataclass(frozen=True)
class GamesBlock:
    """Some games: the arrays of the module's docstring."""

    seeds: NDArray[np.uint64]
    indices: NDArray[np.uint64]
    players: NDArray[np.uint16]
    lengths: NDArray[np.uint32]
    actions: NDArray[np.uint16]
    deals: Sequence[Mapping[str, Any]] = ()
    """One per game, or none at all."""
    ends: Sequence[Mapping[str, Any]] = ()
    """How the players of each game stopped it, in the words of its site; empty if they did not; or none at all."""

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def starts(self) -> NDArray[np.int64]:
        """(G,): the place of every game's first action."""
        return np.cumsum(self.lengths, dtype=np.int64) - self.lengths

    def game(self, k: int) -> "GamesBlock":
        """Game ``k`` alone."""
        start = int(self.starts[k])
        own, one = slice(start, start + int(self.lengths[k])), slice(k, k + 1)
        arrays = self.seeds[one], self.indices[one], self.players[one], self.lengths[one], self.actions[own]
        return GamesBlock(*arrays, self.deals[one], self.ends[one])


# --- Out --------------------------------------------------------------------------------------------------------------


class GamesWriter:
    """A file that is being written; see `writing`."""

    def __init__(self, archive: zipfile.ZipFile, config: Any, search: Mapping[str, Any]) -> None:
        self.archive, self.config, self.search = archive, config, search
        self.games = self.decisions = 0
        self._names: dict[str, int] = {}

    def places(self, names: Sequence[str]) -> list[int]:
        """The places of players' names; new ones are added."""
        return [self._names.setdefault(name, len(self._names)) for name in names]

    def add(self, block: GamesBlock) -> None:
        """Write a block. All but the last one have `GAMES_A_BLOCK` games.

        Raises:
            ValueError: the block has too many actions, the file has too many names, the block before was a smaller one,
                or an array of the block has another shape or numbers that its type cannot hold.
        """
        if self.games % GAMES_A_BLOCK:
            raise ValueError(f"a block after one with fewer than {GAMES_A_BLOCK} games must not be added")
        if len(block.actions) > MOST_ACTIONS or len(self._names) > 2**16:
            raise ValueError(f"a block holds at most {MOST_ACTIONS} actions, a dataset {2**16} names")
        if len(block) and np.max(block.players) >= len(self._names):
            raise ValueError(f"players must be among {len(self._names)} names, got {np.max(block.players)}")
        folder = f"{self.games // GAMES_A_BLOCK:06d}"
        decisions = int(np.sum(block.lengths, dtype=np.uint64))
        for name, kind, shape in (*arrays_of(len(block), self.config.players), ("actions", UINT16, (decisions,))):
            array = np.asarray(getattr(block, name))
            if array.shape != shape or not np.array_equal(array.astype(kind), array):
                raise ValueError(f"{name} must be {kind} of shape {shape}, got {shown(array)}")
            self._write(f"{folder}/{name}.npy", npy(array, kind))
        for name in ("deals", "ends"):
            if any(objects := getattr(block, name)):
                self._write(f"{folder}/{name}.json", json.dumps(list(map(dict, objects))).encode())
        self.games += len(block)
        self.decisions += len(block.actions)

    def finish(self) -> None:
        """Write what is known at the end; raise ``ValueError`` if there is no game."""
        if not self.games:
            raise ValueError("a dataset needs at least one game")
        about = {"format": FORMAT, "config": config_to_dict(self.config), "games": self.games}
        about |= {"names": list(self._names)} | ({"search": dict(self.search)} if self.search else {})
        self._write("about.json", json.dumps(about).encode())

    def _write(self, name: str, content: bytes) -> None:
        info = zipfile.ZipInfo(name)  # without the time of day: equal games make equal files
        info.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(info, content)


@contextmanager
def writing(
    path: str | PathLike[str], config: Any, search: Mapping[str, Any] = MappingProxyType({})
) -> Iterator[GamesWriter]:
    """Yield a writer for a dataset. The file appears, or replaces an old one, when the block ends without an error.

    Args:
        path: the file.
        config: the config of the games.
        search: what ``about.json`` says of it.

    Raises:
        OSError: the disk is full, or the folder is not writable.
        ValueError: no game was written, or ``path`` is not a regular file; a device, for example, cannot be read again.
    """
    if (target := Path(path)).exists() and not target.is_file():
        raise ValueError(f"a dataset must be a regular file, got {target}")
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        writer = GamesWriter(archive, config, search)
        yield writer
        writer.finish()


def npy(array: NDArray[Any], kind: np.dtype) -> bytes:
    """An array as a file of NumPy's format 1.0."""
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array, kind), version=(1, 0), allow_pickle=False)
    return file.getvalue()


def arrays_of(games: int, players: int) -> tuple[tuple[str, np.dtype, tuple[int, ...]], ...]:
    """Name, type and shape of a block's arrays but ``actions``."""
    kinds = {"seeds": UINT64, "indices": UINT64, "players": UINT16, "lengths": UINT32}
    return tuple((name, kind, (games, players) if name == "players" else (games,)) for name, kind in kinds.items())


# --- In ---------------------------------------------------------------------------------------------------------------


class GamesFile:
    """A dataset for reading. Opening it reads only ``about.json``; `blocks` reads the rest.

    Raises:
        OSError: the file is missing or cannot be opened.
        ValueError: the file is not a dataset, or is damaged.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        with self._opened() as archive:
            with archive.open("about.json") as file:
                about = parse_json(file.read(MOST_BYTES + 1), "about.json")
            if not isinstance(about, Mapping) or about.get("format") != FORMAT:
                raise ValueError(f"a dataset has the format {FORMAT}, got {shown(about)}")
            self.config = config_from_dict(about["config"])
            self.names = tuple(as_each("names", about["names"], as_text))
            self.search = as_object("search", about.get("search", {}))
            self.games = as_index("games", about["games"], MOST_GAMES)
            if not self.games:
                raise ValueError("games must be at least 1, got 0")

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return -(-self.games // GAMES_A_BLOCK)

    def blocks(self, order: Sequence[int] | NDArray[np.int64]) -> Iterator[tuple[int, GamesBlock]]:
        """Blocks in that ``order``: the number of each one's first game, and the block. Errors are the class's."""
        for number in map(int, order):
            with self._opened() as archive:
                block = self._block(archive, number)
            yield number * GAMES_A_BLOCK, block

    def _block(self, archive: zipfile.ZipFile, number: int) -> GamesBlock:
        games = min(GAMES_A_BLOCK, self.games - number * GAMES_A_BLOCK)
        folder = f"{number:06d}"
        arrays = {
            name: read_npy(archive, f"{folder}/{name}.npy", kind, shape)
            for name, kind, shape in arrays_of(games, self.config.players)
        }
        decisions = int(arrays["lengths"].sum(dtype=np.uint64))
        if decisions > MOST_ACTIONS:
            raise ValueError(f"{folder}/lengths.npy: a block has at most {MOST_ACTIONS} actions, got {decisions}")
        if arrays["players"].max() >= len(self.names):
            raise ValueError(f"{folder}/players.npy: there are {len(self.names)} names, got {arrays['players'].max()}")
        actions = read_npy(archive, f"{folder}/actions.npy", UINT16, (decisions,))
        deals, ends = (read_objects(archive, f"{folder}/{name}.json", games) for name in ("deals", "ends"))
        return GamesBlock(**arrays, actions=actions, deals=deals, ends=ends)

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        check_readable(self.path, MOST_FILE)
        with self.path.open("rb") as file:
            try:
                with zipfile.ZipFile(file) as archive:
                    yield archive
            except Exception as error:  # zipfile and its decompressors raise errors of many classes on damaged files
                message = f"lacks {error}" if isinstance(error, KeyError) else sentence(error)
                raise ValueError(f"{fspath(self.path)} holds no games that can be read: {message}") from error


def read_npy(archive: zipfile.ZipFile, name: str, kind: np.dtype, shape: tuple[int, ...]) -> NDArray[Any]:
    """An array of a known type and shape; no other is read, and nothing is unpickled."""
    size = kind.itemsize * math.prod(shape)
    with archive.open(name) as file:
        header = header_of(file)
        if header != (kind.str, shape):
            raise ValueError(f"{name} must be of type {kind.str!r} and shape {shape}, got {shown(header)}")
        content = file.read(size + 1)
    if len(content) != size:
        what = "more" if len(content) > size else "less"
        raise ValueError(f"{name} must have {size} bytes of numbers, and has {what}")
    return np.frombuffer(content, kind).reshape(shape)


def header_of(file: IO[bytes]) -> tuple[str, tuple[int, ...]] | None:
    """Read the header of a C-ordered array in NumPy's format 1.0; return type and shape, or None for any other file."""
    try:
        version = np.lib.format.read_magic(file)
        shape, fortran, kind = np.lib.format.read_array_header_1_0(file)
    except Exception:  # NumPy tokenizes and evaluates the header; on a hostile one it raises errors of many classes
        return None
    return None if fortran or version != (1, 0) else (kind.str, shape)


def read_objects(archive: zipfile.ZipFile, name: str, games: int) -> list[Mapping[str, Any]]:
    """An object for each game of a block; none if it has none."""
    if name not in archive.namelist():
        return []
    with archive.open(name) as file:
        objects = as_each(name, parse_json(file.read(MOST_BYTES + 1), name), partial(as_object, name))
    if len(objects) != games:
        raise ValueError(f"{name} must be a list of {games}, got {len(objects)}")
    return objects
