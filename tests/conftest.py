"""Common set-up: a separate compile cache, reproducible examples, and skips that give their reasons.

A test that cannot run here gives the reason, and `make test` prints every one. Tests marked `slow` or `clients` run
with `--slow`, those marked `upkeep` with `--upkeep`, and those marked `gpu` or `browser` if the machine has one.
`--all` runs the slow and the upkeep tests, and the quick ones of networks with both types of numbers.
`-p randomly` shuffles the tests; the first lines of output have the seed that repeats the order.
"""

import gc
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What a user, a job or a proxy sets must not change results, nor send a test's requests elsewhere.
ELSEWHERE = re.compile(
    "(?i:http|all)_(?i:proxy)|OPENAI_.*|HANABAKO_LLM|NO_COLOR|NUMBA_NUM_THREADS|WORLD_SIZE|(LOCAL_)?RANK|MASTER_(ADDR|PORT)"
)
for variable in filter(ELSEWHERE.fullmatch, list(os.environ)):
    del os.environ[variable]
# Before anything imports Numba: tests must never use code that a user's own runs compiled before a rule was edited, and
# one version of Numba replaces what another has compiled.
os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".cache" / f"numba-tests-{version('numba')}")
if (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()) == 1:
    os.environ["NUMBA_NUM_THREADS"] = "2"  # so that tests of threads use two threads on one core too

import hypothesis  # noqa: E402 (the cache directory comes first)
import pytest  # noqa: E402

hypothesis.settings.register_profile("quick", derandomize=True, deadline=None, max_examples=10, database=None)
hypothesis.settings.register_profile("ci", hypothesis.settings.get_profile("quick"), max_examples=50)
hypothesis.settings.register_profile("deep", derandomize=False, deadline=None, max_examples=5000, print_blob=True)

LONG = 10
"""Seconds from which a test needs a mark."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


OPTIONS_OF = {"slow": ("--slow", "--all"), "clients": ("--slow",), "upkeep": ("--upkeep", "--all")}
"""Marks of tests that run only with one of some options, and these options."""

NUMBERS = ("float32", "bfloat16")
"""Types of numbers that networks compute in, for `HANABAKO_NUMBERS`."""

COMPUTES = re.compile(r"^(?:from|import) (?:torch|hanabako\.agents\.(?:networks|learning|search))\b", re.M)
"""What a test module imports if its results could depend on the type of numbers."""

ONCE = ("test_commands", "test_comparison", "test_faults", "test_launch")
"""Modules that do so, but test commands and processes, to which the type of numbers does not matter."""

FIRST = ("ikebana", "koikoi")
"""Folders of tests with which the second of two workers begins."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow or clients")
    parser.addoption("--upkeep", action="store_true", help="also run the tests marked upkeep")
    parser.addoption("--all", action="store_true", help="--slow without clients, --upkeep, both types of numbers")
    parser.addoption("--numbers", choices=NUMBERS, help="what networks compute in; by default what this machine uses")


def pytest_configure(config: pytest.Config) -> None:
    """Set the number of random examples and the type of numbers, also for processes that tests start."""
    gc.set_threshold(20_000, 20, 20)
    is_full = takes_full_size(config)
    profile = "ci" if is_full else "quick"
    if not is_full:
        os.environ.setdefault("NUMBA_OPT", "1")  # loops compile in four fifths of the time
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", profile))
    if config.getoption("numbers"):
        os.environ["HANABAKO_NUMBERS"] = config.getoption("numbers")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let two workers begin with different games: they compile fewer loops twice at the same time."""
    begun = [item for item in items if item.path.parent.name in FIRST]
    others = [item for item in items if item.path.parent.name not in FIRST]
    items[:] = [*others[: len(items) // 2], *begun, *others[len(items) // 2 :]]


def pytest_collection_finish() -> None:
    """Keep Python from looking for garbage among the collected tests: that took a tenth of the time."""
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    test, option = metafunc.definition, metafunc.config.getoption
    both = option("all") and not option("numbers") and test.path.parent.name in ("agents", "benchmarks")
    once = test.path.stem in ONCE or test.get_closest_marker("slow")
    if both and not once and COMPUTES.search(test.path.read_text("utf-8")):
        metafunc.fixturenames.append("numbers")
        metafunc.parametrize("numbers", NUMBERS, indirect=True)


@pytest.fixture
def numbers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What networks compute in, here and in processes that the test starts."""
    monkeypatch.setenv("HANABAKO_NUMBERS", request.param)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that this machine or this run cannot do, with the reason."""
    for mark, options in OPTIONS_OF.items():
        if item.get_closest_marker(mark) and not any(map(item.config.getoption, options)):
            pytest.skip(f"{mark}: runs with {options[0]}")
    if item.get_closest_marker("gpu") and not has_gpu():
        pytest.skip("gpu: no CUDA device here")
    if item.get_closest_marker("browser") and find_browser() is None:
        pytest.skip(f"browser: none of {', '.join(BROWSERS)} is installed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line per test file with its time and outcomes, before pytest's list of skips and its last line."""
    outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seconds: defaultdict[str, float] = defaultdict(float)
    for outcome in ("passed", "failed", "error", "skipped", "xfailed"):
        for report in terminalreporter.stats.get(outcome, []):
            file = report.nodeid.split("::")[0]
            outcomes[file][outcome] += 1
            seconds[file] += getattr(report, "duration", 0.0)
    if len(outcomes) > 1:
        terminalreporter.section("what ran")
        for file in sorted(outcomes):
            counts = ", ".join(f"{number} {outcome}" for outcome, number in outcomes[file].items())
            terminalreporter.line(f"{file:<44} {seconds[file]:6.1f} s  {counts}")
    passed = terminalreporter.stats.get("passed", [])
    long = [report for report in passed if report.duration > LONG and not {"slow", "upkeep"} & report.keywords.keys()]
    if long:
        terminalreporter.section(f"took over {LONG} s without a mark")
        for report in sorted(long, key=lambda report: -report.duration):
            terminalreporter.line(f"{report.duration:6.1f} s  {report.nodeid}")


def has_gpu() -> bool:
    from numba import cuda

    return cuda.is_available()


def find_browser() -> str | None:
    """Return the path of a Chromium that can run headless, or None."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@pytest.fixture(scope="session", autouse=True)
def no_two_measurements_are_alike() -> Iterator[None]:
    """Change load average and date at every reading.

    A test that compares these readings by mistake then always fails, and not only sometimes.
    """
    readings, days = count(), count(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hanabako.machine.load_average", lambda: float(next(readings)))
        patch.setattr("hanabako.machine.now", lambda: datetime.now(UTC) + timedelta(days=next(days)))
        yield


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether a comparison with a plain reference or with records takes its full size, as with `--all`."""
    return takes_full_size(request.config)


def takes_full_size(config: pytest.Config) -> bool:
    return any(map(config.getoption, OPTIONS_OF["slow"]))


@pytest.fixture(scope="session")
def browser() -> str:
    """Path of a Chromium; tests that use this fixture have the mark `browser`."""
    path = find_browser()
    assert path is not None, "a test that asks for a browser is marked browser"
    return path


@pytest.fixture
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one during the test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def torch_threads() -> Iterator[None]:
    """Two threads for torch, and after the test as many as before."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of all libraries installed here except Hanabako."""
    from .installed import link_libraries

    return link_libraries(tmp_path_factory.mktemp("libraries"))


@pytest.fixture(scope="session")
def recorded_games() -> Path:
    """Folder of games recorded by other projects; it lies beside the clone, not in it."""
    path = ROOT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"recorded games: {path} is not there")
    return path
