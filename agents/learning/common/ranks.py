"""The processes that learn together, one per core or GPU (started by `torchrun`), and what each asks of its machine."""

import ctypes
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from torch import Tensor, nn

from hanabako.words.checks import shown

from .shared_sum import SharedSum


@dataclass(frozen=True)
class Ranks:
    """The processes that learn together; without ``torchrun`` there is one."""

    rank: int
    world: int
    device: torch.device
    shared: dict[int, SharedSum] = field(default_factory=dict, init=False, repr=False, compare=False)
    """By the size of a vector."""

    def generator(self, seed: int) -> torch.Generator:
        """Random numbers of this rank's own."""
        return torch.Generator().manual_seed(seed * 1_000_003 + self.rank)

    def sum(self, tensor: Tensor) -> Tensor:
        """The sum of ``tensor`` over all ranks (the same bits on each); ``tensor`` itself may be overwritten."""
        if self.world == 1:
            return tensor
        there = tensor.to(self.device if self.device.type == "cuda" else "cpu")  # where the backend can reach it
        with self._together():
            dist.all_reduce(there)
        return there.to(tensor.device)

    def average_gradients(self, network: nn.Module) -> None:
        """Give every rank the mean of all ranks' gradients, in one message.

        Averaging the weights once per rollout instead learned less from as many decisions (17.2 points instead of 19.2
        after 12.5 M).
        """
        if self.world == 1:
            return
        gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
        together = self.sum_of_gradients(torch.cat([gradient.flatten() for gradient in gradients])).div_(self.world)
        for gradient, mean in zip(gradients, together.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(mean.view_as(gradient))

    def sum_of_gradients(self, vector: Tensor) -> Tensor:
        """`sum` for a long vector on every rank, many times a second: through shared memory where that is possible."""
        if self.device.type != "cpu" or not SharedSum.is_possible():
            return self.sum(vector)
        with self._together():
            if len(vector) not in self.shared:
                self.shared[len(vector)] = SharedSum(self.rank, self.world, len(vector))
            return self.shared[len(vector)](vector)

    def wait(self) -> None:
        """Until all ranks are here."""
        if self.world > 1:
            with self._together():
                dist.barrier()

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Something that needs all ranks.

        Raises:
            ConnectionError: one of them has ended.
        """
        try:
            yield
        except RuntimeError as error:
            raise ConnectionError(
                f"rank {self.rank} of {self.world} has lost another one and ends; --resume goes on from the last"
                " checkpoint"
            ) from error


@contextmanager
def joined_ranks(device: str) -> Iterator[Ranks]:
    """Join the ranks that ``torchrun`` started, on a device each: NCCL among GPUs, gloo among cores.

    Raises:
        ValueError: there is no such ``device``.
    """
    world, local = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("LOCAL_RANK", "0"))
    chosen = checked_device(device)
    place = torch.device("cuda", local) if chosen == "cuda" else torch.device(chosen)
    if world == 1:
        yield Ranks(0, 1, place)
        return
    if chosen == "cuda":
        dist.init_process_group("nccl", device_id=place)
    else:
        dist.init_process_group("gloo")
    try:
        yield Ranks(dist.get_rank(), world, place)
    except ConnectionError:
        raise  # a group that lacks one cannot be closed
    except BaseException:
        dist.destroy_process_group()
        raise
    dist.destroy_process_group()


def checked_device(device: str) -> str:
    """The device that is meant: ``auto`` is the best there is.

    Raises:
        ValueError: there is no such ``device``.
    """
    chosen = best_device() if device == "auto" else device
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there.get(chosen):
        allowed = " or ".join(name for name in there if there[name])
        raise ValueError(f"device must be auto or, on this machine, {allowed}, got {shown(device)}")
    return chosen


def best_device() -> str:
    """The fastest kind of device of this machine."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


@contextmanager
def processor_settings() -> Iterator[None]:
    """One torch thread per rank (two that spin on a busy core are slower than one), and fast float32 products."""
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("medium")  # the head: bfloat16 factors, float32 sums
    keep_memory()
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision(precision)


def keep_memory() -> None:
    """Let the C library keep freed blocks: fetching them from the system for every batch takes a sixth of the time."""
    if platform.libc_ver()[0] == "glibc":
        library = ctypes.CDLL(None)
        library.mallopt(-3, 2**30)  # M_MMAP_THRESHOLD: blocks below 1 GiB come from the heap ...
        library.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: ... which does not shrink
