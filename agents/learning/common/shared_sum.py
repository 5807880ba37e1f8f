"""Sums over the ranks of one machine through shared memory: a gradient step waits microseconds, not milliseconds.

torch.distributed's sum among processor cores (gloo) wakes threads on both sides and takes one to two milliseconds
however short the message; a minibatch of a small network takes fifteen.
"""

import errno
import os
import platform
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

__all__ = ["SharedSum"]

LINE = 8  # numbers of 8 bytes that share a cache line
YIELD = 2**6  # looks at the counters before others may have this core
SPINS = 2**12  # looks at the counters between two questions whether the others are alive


class SharedSum:
    """The sum of a vector over all ranks; every rank of the group makes one, at the same time.

    Every rank has a place of its own for its vector and a counter of its vectors. Places are used alternately, so that
    nobody overwrites what another is still reading: whoever has written vector k + 1 has read all vectors k.

    Args:
        rank: of this process.
        world: how many ranks.
        size: numbers in the vector.

    Raises:
        OSError: there is no space for it, on any rank.
    """

    def __init__(self, rank: int, world: int, size: int) -> None:
        self.rank, self.count = rank, 0
        octets = 8 * LINE * world * 2 + 4 * 2 * world * size
        names = [reserved(octets) if rank == 0 else None]
        dist.broadcast_object_list(names)
        if names[0] is None:
            raise OSError(errno.ENOSPC, f"no space for {octets:,} bytes in {' and '.join(folders())}")
        path = Path(names[0])
        memory = np.memmap(path, np.uint8, "r+")
        numbers = memory[: 8 * LINE * world * 2].view(np.int64).reshape(2, world, LINE)
        self.counters, self.processes = numbers[0, :, 0], numbers[1, :, 0]
        self.places = memory[8 * LINE * world * 2 :].view(np.float32).reshape(2, world, size)
        self.processes[rank] = os.getpid()
        dist.barrier()
        if rank == 0:
            path.unlink()  # the memory stays as long as somebody maps it

    @staticmethod
    def is_possible() -> bool:
        """All ranks are processes of this machine, which shows other cores what was written in its order."""
        local, world = os.environ.get("LOCAL_WORLD_SIZE"), os.environ.get("WORLD_SIZE")
        return local is not None and local == world and platform.machine() in ("x86_64", "AMD64")

    def __call__(self, vector: Tensor) -> Tensor:
        """The sum over all ranks, the same bits on each.

        Args:
            vector: (size,) float32.

        Raises:
            RuntimeError: another rank has ended.
        """
        self.count += 1
        places = self.places[self.count % 2]
        places[self.rank] = vector.numpy()
        self.counters[self.rank] = self.count
        spins = 0
        while (self.counters < self.count).any():
            spins += 1
            if spins % YIELD == 0:
                os.sched_yield()  # there may be more ranks than cores
            if spins % SPINS == 0 and not all(map(is_alive, self.processes.tolist())):
                raise RuntimeError("a rank has ended")
        return torch.from_numpy(places.sum(0))


def folders() -> list[str]:
    """Where ranks may share a file: the machine's shared memory, if it has a folder, and that of temporary files."""
    return ["/dev/shm", tempfile.gettempdir()] if os.access("/dev/shm", os.W_OK) else [tempfile.gettempdir()]


def reserved(octets: int) -> str | None:
    """The name of a new file of that many zeros, in the first of `folders` that has space for it; None if none has.

    The space is taken now: otherwise memory that is mapped to a file gets it at the first write, and where none is left
    the process is killed (SIGBUS). A container's ``/dev/shm`` often has 64 MiB.
    """
    reserve = getattr(os, "posix_fallocate", lambda handle, _, length: os.truncate(handle, length))
    for folder in folders():
        with suppress(OSError):
            handle, name = tempfile.mkstemp(prefix="hanabako-", dir=folder)
            try:
                reserve(handle, 0, octets)
            except OSError:
                Path(name).unlink()
                raise
            finally:
                os.close(handle)
            return name
    return None


def is_alive(process: int) -> bool:
    """A process of this machine runs: it is there, and has not ended without its parent having asked for it."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:  # no /proc
        return True
