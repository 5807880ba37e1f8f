"""The option `--restless`: a seed chooses the order of tests and the settings around each; other runs do not change."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent

TESTS = """
import locale, os, time
from pathlib import Path
import pytest
from hanabako import machine

@pytest.mark.parametrize("number", range(12))
def test_what_is_around(number):
    words = [os.environ.get(name) for name in ("TZ", "LC_ALL", "COLUMNS")] + [Path.home().name, time.tzname]
    assert machine.load_average() != machine.load_average() and machine.now() != machine.now()
    with Path("said").open("a", encoding="utf-8") as file:
        print(number, *words, locale.setlocale(locale.LC_ALL), file=file)
"""


def said(folder: Path, *words: str) -> list[str]:
    """Run the tests above and return the lines that they wrote, in order."""
    (folder / "conftest.py").write_text("from tests.conftest import *\n", encoding="utf-8")
    (folder / "test_around.py").write_text(TESTS, encoding="utf-8")
    (folder / "said").unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*command, "-o", f"cache_dir={folder / 'cache'}", *words, str(folder)],
        check=False, cwd=folder, env=environment, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("--restless --randomly-seed=" in done.stdout) == ("--restless" in words)
    return (folder / "said").read_text(encoding="utf-8").splitlines()


def numbers(lines: list[str]) -> list[int]:
    return [int(line.split()[0]) for line in lines]


def test_a_seed_chooses_order_and_surroundings(tmp_path: Path):
    pytest.importorskip("pytest_randomly", reason="pytest-randomly is not installed; make test brings it")
    first = said(tmp_path, "--restless", "--randomly-seed=1")
    assert sorted(numbers(first)) == list(range(12)) != numbers(first)
    for place in (1, 3):  # time zone and width; the machine may have only one locale
        assert len({line.split()[place] for line in first}) > 1
    assert sorted(said(tmp_path, "--restless", "--randomly-seed=1", "-n2")) == sorted(first)


def test_other_runs_keep_order_and_surroundings(tmp_path: Path):
    lines = said(tmp_path)
    assert numbers(lines) == list(range(12))
    assert len({line.partition(" ")[2] for line in lines}) == 1
