"""A loop in the disk cache is loaded without importing the compiler; the compiler is still there if needed."""

import importlib.util
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.serialize import dumps

from hanabako.compiler import jit
from hanabako.compiler.numba_hooks import loading
from tests.processes import ROOT, ran

pytestmark = pytest.mark.slow


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
    """Return a function that runs the program with this test's disk cache and returns the words of each line."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    own = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}

    def run(*arguments, **variables):
        finished = ran([sys.executable, str(program), *arguments], **own | variables)
        assert finished.returncode == 0, finished.stderr
        return [line.split() for line in finished.stdout.splitlines()]

    return run


def test_a_cached_loop_is_loaded_without_the_compiler(run):
    assert loading.IS_KNOWN, (
        f"Numba {numba.__version__} was not tried with hanabako.compiler.numba_hooks.loading: first steps come late"
    )
    assert run() == [["30", "True", "0", "True"]]
    assert run() == [["30", "True", "1", "False"]]
    assert run("compile") == [["30", "True", "1", "False"], ["3", "True"]]


def test_an_unknown_numba_loads_in_its_own_way(monkeypatch):
    monkeypatch.setattr(loading, "KNOWN", ((0, 1), (0, 2)))
    assert not loading.is_known()
    monkeypatch.setattr(loading, "IS_KNOWN", False)

    @jit.kernel
    def double(numbers):
        for i in range(numbers.shape[0]):
            numbers[i] *= 2

    numbers = np.arange(3)
    double(numbers)
    assert numbers.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("ending", "content"),
    [("nbi", b""), ("nbc", b"cut short"), ("nbc", bytes(range(256)) * 20)],
    ids=["an empty index", "cut short", "noise"],
)
def test_a_damaged_file_of_the_cache_is_a_miss(run, tmp_path, ending, content):
    compiled, loaded = run(), run()
    for path in tmp_path.rglob(f"*.{ending}"):
        path.write_bytes(content)
    assert run() == compiled
    assert run() == loaded


def test_a_loop_that_cannot_be_kept_runs_all_the_same(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(loading.FunctionCache, "save_overload", full)

    @jit.kernel
    def triple(numbers):
        for i in range(numbers.shape[0]):
            numbers[i] *= 3

    numbers = np.arange(3)
    with pytest.warns(UserWarning, match="could not be stored"):
        triple(numbers)
    triple(numbers)
    assert numbers.tolist() == [0, 9, 18]


@pytest.mark.parametrize("home", ["home", "program.py/home"], ids=["usual", "without a writable home"])
def test_the_cache_lies_beside_the_modules_only_if_no_other_folder_is_writable(run, tmp_path, home):
    """`pip uninstall` leaves what it did not install, and Python takes the folder for an empty package."""
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(tmp_path / home)) | {"NUMBA_CACHE_DIR": ""}
    assert run(**places) == [["30", "True", "0", "True"]]
    assert run(**places) == [["30", "True", "1", "False"]]
    (index,) = tmp_path.rglob("*.nbi")
    assert (tmp_path / "home" in index.parents) == (home == "home")


IN_TWO_THREADS = """
import threading
import numba
import numpy as np
from hanabako.compiler.jit import parallel_kernel

@parallel_kernel
def count_up(numbers):
    for i in numba.prange(numbers.shape[0]):
        numbers[i] += 1

def run():
    numba.set_num_threads(2)
    for _ in range(50):
        count_up(numbers := np.zeros(2**20))
        assert numbers.all()

threads = [threading.Thread(target=run) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(numba.threading_layer())
"""


def test_python_threads_share_a_threading_layer_that_serves_one_at_a_time(tmp_path):
    """The layer ``workqueue`` ends the process if two Python threads enter it at the same time."""
    (tmp_path / "program.py").write_text(IN_TWO_THREADS, encoding="utf-8")
    more = {"NUMBA_THREADING_LAYER": "workqueue", "NUMBA_NUM_THREADS": "2", "PYTHONPATH": str(ROOT)}
    finished = ran([sys.executable, str(tmp_path / "program.py")], **more)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "workqueue\n", "")


def test_a_rule_has_the_same_pickle_from_its_source_and_from_a_pyc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Numba finds a loop in its cache by such pickles."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = tmp_path / "made.py"
    lines = [
        "from hanabako.compiler.jit import rule",
        "def make():",
        "    @rule",
        "    def draw(x):",
        "        return x + 1",
    ]
    path.write_text("\n".join([*lines, "    return draw"]), "utf-8")
    pickles = []
    for _ in range(2):
        spec = importlib.util.spec_from_file_location("made", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        pickles.append(dumps(module.make()))
    assert list(path.parent.glob("__pycache__/made.*.pyc")) and pickles[0] == pickles[1]
