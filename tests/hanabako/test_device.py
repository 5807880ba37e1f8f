"""Games on a GPU: simulated on a CPU, compiled without a GPU, and run where there is one."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from hanabako.files import read_json
from hanabi_env import HanabiVectorEnv
from tests.hanabako.device_play import PRESETS, pair, play
from tests.installed import finished
from tests.processes import ROOT

pytestmark = pytest.mark.slow

SIMULATOR = {"NUMBA_ENABLE_CUDASIM": "1"}


def run(*words: str, **environment: str) -> str:
    return finished([sys.executable, *words], ROOT, environment)


@pytest.mark.parametrize("part", ["hanabi-", "not hanabi-"])
def test_the_simulated_gpu_plays_as_the_cpu(part: str) -> None:
    told = run("-m", "pytest", "-q", "-k", part, "tests/hanabako/simulated_gpu.py", **SIMULATOR)
    assert " passed" in told
    assert "skipped" not in told


def test_the_measurements_of_a_gpu_run_on_the_simulator(tmp_path: Path) -> None:
    sizes = {"compared": 4, "compared-steps": 6, "tables": 2, "steps": 3, "games": 4, "horizon": 4, "seconds": 0.01}
    small = [f"--{name}={size}" for name, size in sizes.items()]
    out = tmp_path / "device.json"
    run("-m", "benchmarks.speed.device", *small, "--out", str(out), **SIMULATOR)
    compared, speed, learning = read_json(out)["rows"]
    assert compared["equal"] == "equal" and speed["tables"] == 2 and learning["games"] == 4


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(ValueError, match="device must be 'cpu' or 'cuda', got 'tpu'"):
        HanabiVectorEnv(2, preset="mini", device="tpu")


@pytest.mark.skipif(find_spec("numba_cuda") is not None, reason="numba-cuda is installed")
def test_what_is_missing_for_a_gpu_is_said_in_a_sentence() -> None:
    with pytest.raises(ModuleNotFoundError, match=r'device="cuda" needs numba_cuda: pip install .*the extra .gpu.'):
        HanabiVectorEnv(2, preset="mini", device="cuda")


@pytest.mark.skipif(find_spec("numba_cuda") is None, reason="client: numba-cuda is not installed")
@pytest.mark.clients
def test_kernels_compile_to_machine_code_without_a_gpu(tmp_path: Path) -> None:
    out = tmp_path / "kernels.json"
    run("-m", "benchmarks.speed.device_kernels", f"--out={out}")
    rows = read_json(out)["rows"]
    assert all(row["spilled_bytes"] == row["stack_bytes"] == 0 and row["registers"] <= 64 for row in rows)
    committed = read_json(ROOT / "benchmarks" / "speed" / "results" / "device_kernels.json")["rows"]
    names = "game", "preset", "kernel", "observation"
    compiled, known = ([[row[name] for name in names] for row in found] for found in (rows, committed))
    assert compiled == known


@pytest.mark.gpu
@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_a_gpu_plays_every_preset_as_the_cpu(game: str, preset: str) -> None:
    assert play(*pair(game, preset, 255, observation="packed"), 150) > 0
