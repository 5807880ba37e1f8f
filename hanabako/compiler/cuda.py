"""Kernels for a CUDA GPU, from the same rules as the loops for the CPU.

`device_kernel` marks a function that every thread runs for its own row of arrays, such as one table. `numba.cuda` is
NVIDIA's numba-cuda (the extra ``gpu``). To simulate a GPU, with ``NUMBA_ENABLE_CUDASIM=1``, Numba's own is enough.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import cuda

from hanabako.compiler.jit import rule
from hanabako.extras import need

__all__ = ["IS_SIMULATED", "DeviceKernel", "check_device", "device_kernel", "thread_number"]

IS_SIMULATED = bool(getattr(numba.config, "ENABLE_CUDASIM"))  # noqa: B009 - set at import, unknown to type checkers
THREADS = 2 if IS_SIMULATED else 128
"""Threads per block. The simulator starts a thread of Python for each."""


def check_device() -> None:
    """Check that kernels can run here.

    Raises:
        ModuleNotFoundError: numba-cuda is not installed.
        RuntimeError: there is no CUDA GPU.
    """
    if not IS_SIMULATED:
        need('device="cuda"', "numba_cuda")
    if not cuda.is_available():
        raise RuntimeError('device="cuda" needs an NVIDIA GPU and its driver, but Numba finds none')


class DeviceKernel:
    """A function that every thread of a GPU runs, compiled at its first call.

    Args:
        function: called with the number of rows, then the arguments of the kernel; it calls `thread_number`.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function
        self._launcher: Any = cuda.jit(simulated(function) if IS_SIMULATED else function)

    def __call__(self, rows: int, *arguments: Any, stream: Any = 0) -> None:
        """Start a thread for each of ``rows``, and those that fill the last block. Arrays must be on the GPU."""
        self._launcher[-(-rows // THREADS), THREADS, stream](rows, *arguments)


def device_kernel(function: Callable[..., None]) -> DeviceKernel:
    """Make a kernel: see `DeviceKernel`."""
    return DeviceKernel(function)


def simulated(function: Callable[..., None]) -> Callable[..., None]:
    """Return what a thread of Numba's simulator runs: plain Python, whose random numbers are made modulo 2^64."""

    def run(*arguments: Any) -> None:
        assert cuda  # the simulator replaces it in the globals of this function
        with np.errstate(over="ignore"):
            function(*arguments)

    return run


@rule
def thread_number():
    """Return the number of this thread, from 0."""
    return cuda.grid(1)  # pyrefly: ignore[missing-argument]
