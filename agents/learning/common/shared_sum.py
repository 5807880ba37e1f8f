"""Sums over the ranks of one machine through shared memory: a gradient step waits microseconds, not milliseconds.

A sum by torch.distributed between cores (gloo) wakes threads on both sides: for 62,000 numbers and two ranks it took
1.3 to 2.6 ms, and this one 0.09 ms, where a minibatch of a small network takes 15 ms.
"""

import os
import platform
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

__all__ = ["SharedSum"]

LINE = 8  # numbers of 8 bytes in a cache line
YIELD = 2**6  # reads of the counters before yielding the core
SPINS = 2**12  # reads of the counters between checks that the other ranks are alive


class SharedSum:
    """The sum of a vector over all ranks; every rank creates one at the same time.

    Every rank has two buffers for its vectors, used in turn, and a counter of the vectors it has written. No rank
    overwrites what another is still reading: a rank that has written vector k + 1 has read all vectors k.

    Args:
        rank: this process's rank.
        world: the number of ranks.
        size: numbers in the vector.
    """

    def __init__(self, rank: int, world: int, size: int) -> None:
        self.rank, self.count = rank, 0
        counters = 2 * world * LINE
        handle = os.memfd_create("hanabako") if rank == 0 else -1  # memory without a file, freed with the last rank
        if rank == 0:
            os.ftruncate(handle, 8 * counters + 4 * 2 * world * size)
        path = [f"/proc/{os.getpid()}/fd/{handle}"]
        dist.broadcast_object_list(path)
        memory = np.memmap(path[0], np.uint8, "r+")
        self.counters, self.processes = memory[: 8 * counters].view(np.int64).reshape(2, world, LINE)[:, :, 0]
        self.vectors = memory[8 * counters :].view(np.float32).reshape(2, world, size)
        self.processes[rank] = os.getpid()
        dist.barrier()
        if rank == 0:
            os.close(handle)

    @staticmethod
    def is_possible() -> bool:
        """Whether all ranks run on this machine, a Linux one whose processor shows writes to other cores in order."""
        here = os.environ.get("LOCAL_WORLD_SIZE", "") == os.environ.get("WORLD_SIZE")
        return here and platform.machine() in ("x86_64", "AMD64") and hasattr(os, "memfd_create")

    def __call__(self, vector: Tensor) -> Tensor:
        """Return the sum over all ranks, bitwise equal on each, (size,) float32.

        Args:
            vector: (size,) float32.

        Raises:
            RuntimeError: another rank has ended.
        """
        self.count += 1
        vectors = self.vectors[self.count % 2]
        vectors[self.rank] = vector.numpy()
        self.counters[self.rank] = self.count
        spins = 0
        while (self.counters < self.count).any():
            spins += 1
            if spins % YIELD == 0:
                os.sched_yield()  # there may be more ranks than cores
            if spins % SPINS == 0 and not all(map(is_alive, self.processes.tolist())):
                raise RuntimeError("a rank has ended")
        return torch.from_numpy(vectors.sum(0))


def is_alive(process: int) -> bool:
    """Whether a process of this machine runs: it exists, and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
