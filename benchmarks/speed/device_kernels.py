"""What the GPU kernels of every preset need: registers, spilled bytes and stack bytes per thread.

    python -m benchmarks.speed.device_kernels                           # benchmarks/speed/results/device_kernels.json
    python -m benchmarks.speed.device_kernels --presets standard mini   # some presets

No GPU is needed: numba-cuda compiles to PTX (it asks the driver for nothing but the capability, which is given here)
and NVIDIA's ``ptxas`` to machine code. Both come with ``pip install "numba-cuda[cu12]"``.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tqdm import tqdm

from benchmarks.speed.timing import place, report
from hanabako import machine
from hanabako.engine.device_loops import device_loops
from hanabako.engine.game import Game
from hanabako.extras import need
from hanabako.files import check_writable, write_json
from hanabako.games import game_named
from hanabako.program import run_program

USAGE = re.compile(
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers", re.DOTALL
)
"""What `ptxas -v` prints about a kernel."""


@dataclass(frozen=True)
class Args:
    """Compile GPU kernels without a GPU."""

    games: tuple[str, ...] = ("hanabi", "ikebana", "koikoi")
    """Games whose kernels are compiled."""
    presets: tuple[str, ...] = ()
    """Presets; by default all."""
    kernels: tuple[str, ...] = ("step",)
    """Fields of `hanabako.engine.device_loops.DeviceLoops`; of a game's first preset all are compiled."""
    capability: tuple[int, int] = (9, 0)
    """The compute capability of the GPU."""
    out: Path | None = None
    """The JSON file; by default the committed results, or for a trial .cache/benchmarks."""


def main(args: Args) -> None:
    """Compile, print and write."""
    need("compiling for a GPU", "numba_cuda")
    check_writable(path := place(args, "device_kernels.json"))
    described = machine.describe(("numba-cuda", "nvidia-cuda-nvcc-cu12"))
    rows = []
    for game, preset, kernel in (progress := tqdm(list(chosen_kernels(args)), unit="kernel")):
        progress.set_postfix_str(f"{game} {preset} {kernel}")
        made = game_named(game).make_game(preset=preset)
        rows.append({"game": game, "preset": preset, "kernel": kernel, **usage(made, kernel, args.capability)})
        write_json(path, report("device_kernels", args, described, rows))
    print(f"written: {path}")


def chosen_kernels(args: Args) -> Iterator[tuple[str, str, str]]:
    """Yield the games, presets and kernels to compile."""
    for game in args.games:
        entry = game_named(game)
        for preset in entry.presets:
            if not args.presets or preset in args.presets:
                every = preset == entry.first_preset and not args.presets
                for kernel in signatures(entry.make_game(preset=preset)) if every else args.kernels:
                    yield game, preset, kernel


def usage(game: Game, kernel: str, capability: tuple[int, int]) -> dict[str, Any]:
    """Return what a kernel of packed observations needs per thread."""
    from numba.cuda import compile_ptx, dispatcher

    # Compiling a function that a kernel calls asks the GPU for its capability.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability, id=0)
    function = getattr(device_loops(game.functions, game.rules), kernel).function
    code, _ = compile_ptx(function, signatures(game)[kernel], cc=capability, device=False)
    stack, stores, loads, registers = assemble(code, capability)
    return {
        "registers": registers,
        "spilled_bytes": stores + loads,
        "stack_bytes": stack,
    }


def signatures(game: Game) -> dict[str, Any]:
    """Return the Numba signatures of a game's kernels with packed observations, by the kernels' names."""
    from numba import from_dtype, types

    tables = from_dtype(game.table_dtype(specialize=True))[::1]
    numbers, actions, flags = types.int64, types.int64[::1], types.boolean[::1]
    words, wide, mask, wide_mask = (
        types.uint64[:, ::1],
        types.uint64[:, :, ::1],
        types.int8[:, ::1],
        types.int8[:, :, ::1],
    )
    void = types.void
    return {
        "deal": void(numbers, tables, flags, types.uint64[::1], numbers),
        "observe": void(numbers, tables, words, mask),
        "observe_all": void(numbers, tables, wide, wide_mask),
        "step": void(numbers, tables, actions, words, mask, words, numbers),
        "rollout": void(numbers, tables, wide, types.uint64, numbers, numbers),
    }


def assemble(code: str, capability: tuple[int, int]) -> tuple[int, ...]:
    """Return the bytes of stack, of spill stores and loads, and the registers of machine code made from PTX."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.ptx")
        source.write_text(code, encoding="utf-8")
        architecture = "sm_{}{}".format(*capability)
        command = [assembler(), "-v", f"-arch={architecture}", "-o", str(source.with_suffix(".cubin")), str(source)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = USAGE.search(told)
    if found is None:
        raise RuntimeError(f"ptxas does not tell the use of registers: {told}")
    return tuple(int(number) for number in found.groups())


def assembler() -> str:
    """Return the path of ``ptxas``: of the package nvidia-cuda-nvcc, or of an installed CUDA."""
    package = find_spec("nvidia.cuda_nvcc")
    own = [Path(place, "bin", "ptxas") for place in package.submodule_search_locations or ()] if package else []
    found = next((str(path) for path in own if path.exists()), shutil.which("ptxas"))
    if found is None:
        raise RuntimeError('ptxas was not found; pip install "numba-cuda[cu12]" brings it')
    return found


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
