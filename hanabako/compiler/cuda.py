"""Kernels for a CUDA GPU, from the same rules as the loops for the CPU.

`device_kernel` compiles a function for one row of arrays, such as one table; every row has a thread. This module alone
imports `numba.cuda`: NVIDIA's numba-cuda (the extra ``gpu``) or, to simulate a GPU with ``NUMBA_ENABLE_CUDASIM=1``,
what Numba brings along.
"""

import os
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import cuda

from hanabako.compiler.jit import rule

__all__ = ["IS_SIMULATED", "UNTRIED", "DeviceKernel", "check_device", "device_kernel"]

IS_SIMULATED = bool(getattr(numba.config, "ENABLE_CUDASIM"))  # noqa: B009 - set at import, unknown to type checkers
UNTRIED = "HANABAKO_UNTRIED"
"""The environment variable that allows code which has never run on a GPU."""
THREADS = 128
"""Threads per block."""


def check_device() -> None:
    """Check that kernels can run here.

    Raises:
        RuntimeError: `UNTRIED` is not 1, or there is no CUDA GPU.
    """
    if os.environ.get(UNTRIED) != "1":
        raise RuntimeError(
            f'device="cuda" is compiled and simulated, but has not yet run on a GPU: set {UNTRIED}=1 to use it anyway'
        )
    if not cuda.is_available():
        raise RuntimeError('device="cuda" needs a CUDA GPU, its driver and numba-cuda, and finds none: use device="cpu"')


class DeviceKernel:
    """A compiled function with one thread per row.

    Args:
        function: called with the number of the row, then the arguments of the kernel.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self.thread = simulated_thread(function) if IS_SIMULATED else compiled_thread(rule(function))
        self._launcher = cuda.jit(self.thread)

    def __call__(self, rows: int, *arguments: Any, stream: Any = 0) -> None:
        """Start ``rows`` threads on a stream. Arrays must be on the device."""
        self._launcher[-(-rows // THREADS), THREADS, stream](rows, *arguments)


def device_kernel(function: Callable[..., None]) -> DeviceKernel:
    """Compile a function of a row's number and further arguments: see `DeviceKernel`."""
    return DeviceKernel(function)


def compiled_thread(body: Callable[..., None]) -> Callable[..., None]:
    """Return what each thread of a GPU runs."""

    def thread(rows, *arguments):
        row = cuda.grid(1)
        if row < rows:
            body(row, *arguments)

    return thread


def simulated_thread(body: Callable[..., None]) -> Callable[..., None]:
    """Return what each thread of Numba's simulator runs: plain Python, with numbers modulo 2^64."""

    def thread(rows, *arguments):
        row = cuda.grid(1)
        if row < rows:
            with np.errstate(over="ignore"):
                body(row, *arguments)

    return thread
