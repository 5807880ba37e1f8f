"""Ranks: the processes that train together, one per core or GPU, started by `torchrun`; and their process settings."""

import ctypes
import os
import platform
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from hanabako.words.checks import shown

from ...networks.network import usual_torch
from .shared_sum import SharedSum

T = TypeVar("T")

ADDRESS_OF = 0x8915
"""Linux's number of the request for an interface's address (``SIOCGIFADDR``)."""


@dataclass(frozen=True)
class Ranks:
    """The processes that train together; without ``torchrun`` there is one. A machine's ranks are consecutive."""

    rank: int
    world: int
    device: torch.device
    firsts: tuple[int, ...] = (0,)
    """The first rank of every machine."""
    share_memory: bool = False
    """Whether gradients are summed through shared memory within a machine."""
    shared: dict[int, SharedSum] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The shared sums, by the size of their vector."""

    @property
    def is_first(self) -> bool:
        """Whether this is the first rank of its machine."""
        return self.rank in self.firsts

    @cached_property
    def here(self) -> range:
        """The ranks of this machine."""
        starts = (*self.firsts, self.world)
        return next(range(first, end) for first, end in pairwise(starts) if first <= self.rank < end)

    @cached_property
    def between(self) -> Any:
        """The group of all machines' first ranks, None on one machine. All ranks must ask for it at the same time."""
        return dist.new_group(list(self.firsts)) if len(self.firsts) > 1 else None

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

    def check_alike(self, told: Mapping[str, Any]) -> None:
        """Check that all ranks have the same settings as rank 0.

        Raises:
            ValueError: some differ; the message names them.
        """
        expected = self.broadcast(dict(told))
        differs = [name not in told or told[name] != value for name, value in expected.items()]
        found = self.sum(torch.tensor(differs, dtype=torch.float64)).tolist()
        if wrong := [name for name, ranks in zip(expected, found, strict=True) if ranks]:
            raise ValueError(
                f"all machines must have the same settings; these differ from machine 0's: {', '.join(wrong)}"
            )

    @property
    def _reached(self) -> torch.device:
        """The device on which the backend needs tensors."""
        return self.device if self.device.type == "cuda" else torch.device("cpu")

    def average_gradients(self, network: nn.Module) -> None:
        """Replace every rank's gradients by the mean over all ranks, in one message."""
        if self.world == 1:
            return
        gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
        together = self.sum_of_gradients(torch.cat([gradient.flatten() for gradient in gradients])).div_(self.world)
        for gradient, mean in zip(gradients, together.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(mean.view_as(gradient))

    def sum_of_gradients(self, vector: Tensor) -> Tensor:
        """Like `sum`, but fast for a long vector many times per second: through shared memory where possible."""
        if not self.share_memory:
            return self.sum(vector)
        with self._together():
            if len(vector) not in self.shared:
                self.shared[len(vector)] = SharedSum(self.rank, self.here, len(vector), self.between)
            return self.shared[len(vector)](vector)

    def wait(self) -> None:
        """Wait until all ranks have called this."""
        if self.world > 1:
            with self._together():
                dist.barrier()

    def part(self) -> None:
        """Close the process groups and end their threads."""
        self.shared.clear()
        self.__dict__.pop("between", None)
        dist.destroy_process_group()

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Run a block that needs all ranks.

        Raises:
            ConnectionError: another rank has ended.
        """
        try:
            yield
        except RuntimeError as error:
            raise ConnectionError(
                f"rank {self.rank} of {self.world} has lost another rank and ends; --resume continues from the last"
                " checkpoint"
            ) from error


@contextmanager
def joined_ranks(device: str) -> Iterator[Ranks]:
    """Join the ranks that ``torchrun`` started, each on its own device: by NCCL between GPUs, gloo between cores.

    The group and its threads end with the block: a thread still running while Python exits would abort the process.

    Raises:
        ValueError: there is no such ``device``.
        ConnectionError: not all ranks joined.
    """
    world, local = by_torchrun("WORLD_SIZE", 1), by_torchrun("LOCAL_RANK", 0)
    chosen = checked_device(device)
    place = torch.device("cuda", local) if chosen == "cuda" else torch.device(chosen)
    if world == 1:
        if (other := os.environ.get("WORLD_SIZE", "1")) != "1":
            print(f"WORLD_SIZE={other[:9]}: ignored, because torchrun did not set it; trains alone", file=sys.stderr)
        yield Ranks(0, 1, place)
        return
    if has_other_machines() and (interface := interface_to(os.environ["MASTER_ADDR"])):
        os.environ.setdefault("GLOO_SOCKET_IFNAME", interface)
    import_module("torch.distributed.nn")  # imported later, its default arguments would keep the group alive
    try:
        if chosen == "cuda":
            dist.init_process_group("nccl", device_id=place)
        else:
            dist.init_process_group("gloo")
    except RuntimeError as error:
        raise ConnectionError(f"not all of the {world} ranks joined: {error}") from error
    ranks = with_machines(Ranks(dist.get_rank(), world, place), local)
    try:
        yield ranks
    except ConnectionError:
        raise  # a group that lost a rank cannot be closed
    except BaseException:
        ranks.part()
        raise
    ranks.part()


def has_other_machines() -> bool:
    """Whether there are ranks on other machines, according to ``torchrun``."""
    return by_torchrun("GROUP_WORLD_SIZE", 1) > 1


def by_torchrun(name: str, otherwise: int) -> int:
    """Return a number that ``torchrun`` told this process, such as its ``RANK``; ``otherwise`` if it did not start it.

    Clusters set variables of the same names for processes of their own, which do not join.
    """
    return int(os.environ.get(name, otherwise)) if dist.is_torchelastic_launched() else otherwise


def with_machines(ranks: Ranks, local: int) -> Ranks:
    """Return the ranks with their machines filled in.

    Args:
        ranks: the ranks, already connected.
        local: this rank's index on its machine.
    """
    mine = torch.zeros(ranks.world, 2, dtype=torch.float64)
    mine[ranks.rank] = torch.tensor([ranks.rank - local, SharedSum.is_possible() and ranks.device.type == "cpu"])
    first_of, possible = ranks.sum(mine).unbind(1)
    firsts = tuple(map(int, first_of.unique().tolist()))
    return replace(ranks, firsts=firsts, share_memory=bool(possible.all()) and len(firsts) < ranks.world)


def interface_to(host: str) -> str | None:
    """Return the network interface by which this machine reaches a host, None if it cannot be found.

    Without it gloo uses the interface of the machine's host name, which other machines cannot always reach.
    """
    with suppress(OSError, ImportError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        from fcntl import ioctl

        probe.connect((host, 9))  # sends nothing
        address = socket.inet_aton(probe.getsockname()[0])
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # the interface has no address
                if ioctl(probe, ADDRESS_OF, struct.pack("256s", name.encode()))[20:24] == address:
                    return name
    return None


def checked_device(device: str) -> str:
    """Return the kind of device to use; ``auto`` is the best one available.

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
    """Return the fastest kind of device of this machine."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


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
