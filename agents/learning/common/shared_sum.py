"""Sums over the ranks of one machine through shared memory: a gradient step waits microseconds, not milliseconds.

A sum by torch.distributed between cores (gloo) wakes threads on both sides and takes one to two milliseconds even for
a short message; a minibatch of a small network takes fifteen. It is still used between machines, once per sum: the
first rank of each sends its machine's sum and receives the total.
"""

import errno
import os
import platform
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

__all__ = ["SharedSum"]

LINE = 8  # numbers of 8 bytes in a cache line
YIELD = 2**6  # reads of the counters before yielding the core
SPINS = 2**12  # reads of the counters between checks that the other ranks are alive


class SharedSum:
    """The sum of a vector over all ranks; every rank of the group creates one at the same time.

    Every rank has two buffers for its vectors, used in turn, and a counter of the vectors it has written. No rank
    overwrites what another is still reading: a rank that has written vector k + 1 has read all vectors k. The sum over
    all machines has a buffer and a counter too; it is written when all ranks have written vector k + 1, and so have
    read sum k.

    Args:
        rank: this process's rank.
        here: the ranks of this machine.
        size: numbers in the vector.
        between: the group of all machines' first ranks; None if there is one machine.

    Raises:
        OSError: a machine has no space for the shared memory.
    """

    def __init__(self, rank: int, here: range, size: int, between: Any = None) -> None:
        self.local, self.between, self.count = rank - here.start, between, 0
        counters = 2 * (len(here) + 1) * LINE
        octets = 8 * counters + 4 * (2 * len(here) + 1) * size
        names: list[str | None] = [None] * dist.get_world_size()
        dist.all_gather_object(names, reserved(octets) if self.local == 0 else "")
        path = Path(names[here.start] or "")
        if None in names:
            if self.local == 0 and names[rank]:
                path.unlink()
            raise OSError(errno.ENOSPC, f"no space for {octets:,} bytes in {' and '.join(folders())}")
        memory = np.memmap(path, np.uint8, "r+")
        numbers = memory[: 8 * counters].view(np.int64).reshape(2, -1, LINE)[:, :, 0]
        (self.counters, self.processes), self.total_counter = numbers[:, :-1], numbers[0, -1:]
        places = memory[8 * counters :].view(np.float32).reshape(-1, size)
        self.places, self.total = places[:-1].reshape(2, len(here), size), places[-1]
        self.processes[self.local] = os.getpid()
        dist.barrier()
        if self.local == 0:
            path.unlink()  # the memory stays as long as a process maps it

    @staticmethod
    def is_possible() -> bool:
        """Whether this machine's ranks are known, and its processor shows writes to other cores in order."""
        return "LOCAL_WORLD_SIZE" in os.environ and platform.machine() in ("x86_64", "AMD64")

    def __call__(self, vector: Tensor) -> Tensor:
        """Return the sum over all ranks, bitwise equal on each, (size,) float32.

        Args:
            vector: (size,) float32.

        Raises:
            RuntimeError: another rank has ended.
        """
        self.count += 1
        places = self.places[self.count % 2]
        places[self.local] = vector.numpy()
        self.counters[self.local] = self.count
        if self.between is not None and self.local > 0:
            self._wait_for(self.total_counter)
            return torch.from_numpy(self.total.copy())
        self._wait_for(self.counters)
        total = torch.from_numpy(places.sum(0))
        if self.between is not None:
            dist.all_reduce(total, group=self.between)
            self.total[:] = total.numpy()
            self.total_counter[:] = self.count
        return total

    def _wait_for(self, counters: np.ndarray) -> None:
        """Wait until all these counters have reached the current vector."""
        spins = 0
        while (counters < self.count).any():
            spins += 1
            if spins % YIELD == 0:
                os.sched_yield()  # there may be more ranks than cores
            if spins % SPINS == 0 and not all(map(is_alive, self.processes.tolist())):
                raise RuntimeError("a rank has ended")


def folders() -> list[str]:
    """Return folders in which ranks can share a file: ``/dev/shm`` if it exists, and that of temporary files."""
    return ["/dev/shm", tempfile.gettempdir()] if os.access("/dev/shm", os.W_OK) else [tempfile.gettempdir()]


def reserved(octets: int) -> str | None:
    """Create a file of ``octets`` zeros in the first of `folders` with space, and return its name; None if none has.

    The space is reserved now: mapped memory would otherwise take it at the first write, and a process that finds none
    left is killed (SIGBUS). A container's ``/dev/shm`` often has only 64 MiB.
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
    """Whether a process of this machine runs: it exists and is not a zombie."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:  # no /proc
        return True
