"""A loop in the disk cache is loaded without the compiler, which is there all the same when something is compiled."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from hanabako.compiler import jit
from hanabako.compiler.numba_hooks import loading

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import sys
import numpy as np
from hanabako.compiler import jit

WORD = "its hash is another in every process"

@jit.rule
def hash_of_word():
    return hash(WORD)

@jit.kernel
def weigh(tables, factor):
    total = np.uint64(0)
    for i in range(tables.shape[0]):
        tables[i].weight += np.uint64(i) * factor
        total += tables[i].weight
    return total, hash_of_word()

@jit.numba.njit
def middle(numbers):
    return sorted(numbers)[len(numbers) // 2]

total, found = weigh(np.zeros(5, [("weight", np.uint64)]), np.uint64(3))
print(total, found == hash(WORD), sum(weigh.stats.cache_hits.values()), "numba.np.linalg" in sys.modules)
if "compile" in sys.argv:
    print(middle(np.array([5, 1, 3])), "numba.np.linalg" in sys.modules)
"""


@pytest.fixture
def run(tmp_path):
    """Run the program in a process of its own, whose disk cache is this test's; returns the words of each line."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}

    def run(*arguments):
        command = [sys.executable, str(program), *arguments]
        finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return [line.split() for line in finished.stdout.splitlines()]

    return run


def test_a_cached_loop_is_loaded_without_the_compiler(run):
    assert jit.LOADS_QUICKLY, (
        f"Numba {numba.__version__} was not tried with hanabako.compiler.numba_hooks.loading: first steps come late"
    )
    assert run() == [["30", "True", "0", "True"]]
    assert run() == [["30", "True", "1", "False"]]
    assert run("compile") == [["30", "True", "1", "False"], ["3", "True"]]


def test_an_unknown_numba_keeps_its_own_cache(monkeypatch):
    monkeypatch.setattr(loading, "KNOWN", ((0, 1), (0, 2)))
    assert not loading.is_known()
    monkeypatch.setattr(jit, "LOADS_QUICKLY", False)

    @jit.kernel
    def double(numbers):
        for i in range(numbers.shape[0]):
            numbers[i] *= 2

    numbers = np.arange(3)
    double(numbers)
    assert numbers.tolist() == [0, 2, 4]
    assert not isinstance(vars(double)["_cache"], loading.LoopCache)
