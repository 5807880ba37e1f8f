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
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from benchmarks.speed.timing import Output
from hanabako.engine.device_loops import DeviceLoops, device_loops
from hanabako.engine.game import Game
from hanabako.envs.vector import FORMATS
from hanabako.extras import need
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
    output = Output("device_kernels", args, ("numba-cuda", "nvidia-cuda-nvcc-cu12"))
    rows = []
    for chosen in (progress := tqdm(list(chosen_kernels(args)), unit="kernel")):
        progress.set_postfix_str(" ".join(chosen))
        needs = usage(chosen, args.capability) | {"capability": args.capability}
        rows.append({"fields": list(Chosen._fields), **chosen._asdict(), **needs})
        output.write(rows)
    print(f"written: {output.path}")


class Chosen(NamedTuple):
    """A kernel to compile."""

    game: str
    preset: str
    kernel: str
    """A field of `hanabako.engine.device_loops.DeviceLoops`."""
    observation: str
    """The format of observations, see `hanabako.envs.vector.FORMATS`."""


def chosen_kernels(args: Args) -> Iterator[Chosen]:
    """Yield the kernels to compile."""
    for game in args.games:
        entry = game_named(game)
        for preset in entry.presets:
            if preset == entry.first_preset and not args.presets:
                yield from (Chosen(game, preset, kernel, "packed") for kernel in DeviceLoops._fields)
                yield from (Chosen(game, preset, "step", form) for form in FORMATS if form != "packed")
            elif not args.presets or preset in args.presets:
                yield from (Chosen(game, preset, kernel, "packed") for kernel in args.kernels)


def usage(chosen: Chosen, capability: tuple[int, int]) -> dict[str, Any]:
    """Return what a kernel needs per thread."""
    from numba.cuda import compile_ptx, dispatcher

    # Compiling a function that a kernel calls asks the GPU for its capability.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability, id=0)
    game = game_named(chosen.game).make_game(preset=chosen.preset)
    function = getattr(device_loops(game.functions, game.rules), chosen.kernel).function
    signature = signatures(game, chosen.observation)[chosen.kernel]
    code, _ = compile_ptx(function, signature, cc=capability, device=False)
    stack, stores, loads, registers = assemble(code, capability)
    return {
        "registers": registers,
        "spilled_bytes": stores + loads,
        "stack_bytes": stack,
    }


def signatures(game: Game, observation: str) -> dict[str, Any]:
    """Return the Numba signatures of a game's kernels, by the kernels' names, for a format of observations."""
    from numba import from_dtype, types

    tables = from_dtype(game.table_dtype(specialize=True))[::1]
    kind: Any = np.dtype(FORMATS[observation])
    number, bit = types.int64, from_dtype(kind)
    seen, seen_by_all, legal = bit[:, ::1], bit[:, :, ::1], types.int8[:, ::1]
    void = types.void
    return {
        "deal": void(number, tables, types.boolean[::1], types.uint64[::1], number),
        "observe": void(number, tables, seen, legal),
        "observe_all": void(number, tables, seen_by_all, types.int8[:, :, ::1]),
        "step": void(number, tables, types.int64[::1], seen, legal, seen, number),
        "rollout": void(number, tables, seen_by_all, types.uint64, number, number),
    }


def assemble(code: str, capability: tuple[int, int]) -> tuple[int, ...]:
    """Return the bytes of stack, of spill stores and loads, and the registers of machine code made from PTX."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.ptx")
        source.write_text(code, encoding="utf-8")
        architecture = "sm_{}{}".format(*capability)
        command = [assembler(), "-v", f"-arch={architecture}", "-o", str(source.with_suffix(".cubin")), str(source)]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = USAGE.search(report)
    if found is None:
        raise RuntimeError(f"ptxas does not tell the use of registers: {report}")
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
