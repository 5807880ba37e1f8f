"""Ranks: the processes that train together, one per core or GPU, started by `torchrun`; and their process settings."""

import ctypes
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from hanabako.words.checks import shown

from ...networks.network import usual_torch

T = TypeVar("T")

LINE = 8  # numbers of 8 bytes in a cache line
YIELD = 2**6  # reads of the counters before yielding the core
SPINS = 2**12  # reads of the counters between checks that the other ranks are alive


class SharedSum:
    """The sum of a vector of ``size`` numbers over all ranks of a machine, through shared memory; each rank makes one.

    A sum by torch.distributed between cores (gloo) wakes threads on both sides: for 62,000 numbers and two ranks it
    took 1.3 to 2.6 ms, and this one 0.09 ms, where a minibatch of a small network takes 15 ms.

    Every rank has two buffers for its vectors, used in turn, and a counter of the vectors it has written. No rank
    overwrites what another is still reading: a rank that has written vector k + 1 has read all vectors k.
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
        """Return the sum of all ranks' vectors, float32 (size,), bitwise equal on each; raise if one has ended."""
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


@dataclass(frozen=True)
class Ranks:
    """The processes that train together; without ``torchrun`` there is one."""

    rank: int
    world: int
    device: torch.device
    share_memory: bool = False
    """Whether gradients are summed through shared memory."""
    shared: dict[int, SharedSum] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The shared sums, by the size of their vector."""

    def generator(self, seed: int, device: torch.device | str = "cpu") -> torch.Generator:
        """Return a random generator for this rank on a device."""
        return torch.Generator(device).manual_seed(seed * 1_000_003 + self.rank)

    def sum(self, tensor: Tensor) -> Tensor:
        """Return the sum of ``tensor`` over all ranks, bitwise equal on each; ``tensor`` itself may be overwritten."""
        if self.world == 1:
            return tensor
        there = tensor.to(self._reached)
        with self._together():
            dist.all_reduce(there)
        return there.to(tensor.device)

    def any(self, holds: bool) -> bool:
        """Whether ``holds`` is true on any rank."""
        return bool(self.sum(torch.tensor(float(holds))) > 0)

    def broadcast(self, value: T) -> T:
        """Return the ``value`` of rank 0."""
        box = [value]
        if self.world > 1:
            with self._together():
                dist.broadcast_object_list(box, device=self._reached)
        return box[0]

    def wait(self) -> None:
        """Wait until all ranks have called this."""
        if self.world > 1:
            with self._together():
                dist.barrier()

    def average_gradients(self, vector: Tensor) -> Tensor:
        """Return the mean of ``vector``, float32 (n,), over all ranks, fast many times per second.

        It is summed through shared memory where that is possible. The result is bitwise equal on all ranks, and may be
        ``vector`` itself.
        """
        if not self.share_memory:
            return self.sum(vector).div_(self.world)
        with self._together():
            if len(vector) not in self.shared:
                self.shared[len(vector)] = SharedSum(self.rank, self.world, len(vector))
            return self.shared[len(vector)](vector).div_(self.world)

    @property
    def _reached(self) -> torch.device:
        """The device on which the backend needs tensors."""
        return self.device if self.device.type == "cuda" else torch.device("cpu")

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Run a block that needs all ranks; raise ``ConnectionError`` if another one has ended."""
        try:
            yield
        except RuntimeError as error:
            raise ConnectionError(
                f"rank {self.rank} of {self.world} has lost another rank and ends; --resume continues from the last"
                " checkpoint"
            ) from error


ALONE = Ranks(0, 1, torch.device("cpu"))
"""One process on the CPU."""


@contextmanager
def joined_ranks(device: str) -> Iterator[Ranks]:
    """Join the ranks that ``torchrun`` started, each on its own device: by NCCL between GPUs, gloo between cores.

    The group and its threads end with the block: a thread still running while Python exits would abort the process.
    Raise ``ValueError`` if there is no such ``device``, ``ConnectionError`` if not all ranks joined.
    """
    chosen, world = checked_device(device), by_torchrun("WORLD_SIZE", 1)
    own = torch.device(chosen, by_torchrun("LOCAL_RANK", 0)) if chosen == "cuda" else torch.device(chosen)
    if world == 1:
        if (other := os.environ.get("WORLD_SIZE", "1")) != "1":
            print(f"WORLD_SIZE={other[:9]}: ignored, because torchrun did not set it; trains alone", file=sys.stderr)
        yield Ranks(0, 1, own)
        return
    import_module("torch.distributed.nn")  # imported later, its default arguments would keep the group alive
    try:
        if chosen == "cuda":
            dist.init_process_group("nccl", device_id=own)
        else:
            dist.init_process_group("gloo")
    except RuntimeError as error:
        raise ConnectionError(f"not all of the {world} ranks joined: {error}") from error
    ranks = Ranks(dist.get_rank(), world, own, chosen == "cpu" and SharedSum.is_possible())
    try:
        yield ranks
    except ConnectionError:
        raise  # a group that lost a rank cannot be closed
    except BaseException:
        dist.destroy_process_group()
        raise
    dist.destroy_process_group()


def by_torchrun(name: str, otherwise: int) -> int:
    """Return a number that ``torchrun`` gave to this process, such as its ``RANK``; else ``otherwise``.

    Clusters set variables of the same names for processes of their own, which do not join.
    """
    return int(os.environ.get(name, otherwise)) if dist.is_torchelastic_launched() else otherwise


def checked_device(device: str) -> str:
    """Return the kind of device to use, the best one for ``auto``; raise ``ValueError`` if there is no such device."""
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    chosen = next(kind for kind in ("cuda", "mps", "cpu") if there[kind]) if device == "auto" else device
    if not there.get(chosen):
        allowed = " or ".join(name for name in there if there[name])
        raise ValueError(f"device must be auto or, on this machine, {allowed}, got {shown(device)}")
    return chosen


@contextmanager
def processor_settings() -> Iterator[None]:
    """Use one torch thread per rank, as two are slower on a busy core, float32, and its fast matrix products."""
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    dtype = torch.get_default_dtype()
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float32)
    torch.set_float32_matmul_precision("medium")  # the head: bfloat16 factors, float32 sums
    keep_memory()
    try:
        with usual_torch():
            yield
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(dtype)
        torch.set_float32_matmul_precision(precision)


def keep_memory() -> None:
    """Let the C library keep freed memory: getting it from the system for every batch takes a sixth of the time."""
    if platform.libc_ver()[0] == "glibc":
        library = ctypes.CDLL(None)
        library.mallopt(-3, 2**30)  # M_MMAP_THRESHOLD: blocks below 1 GiB come from the heap ...
        library.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: ... which does not shrink
