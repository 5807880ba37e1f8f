"""The memory that ranks share: its space is reserved before writing, and elsewhere if it does not fit."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hanabako.agents.learning.common import shared_sum
from tests.conftest import ROOT

OCTETS = 3 * 2**20
SHARED = Path("/dev/shm")
SMALL = "mount -t tmpfs -o size=200k tmpfs /dev/shm"

pytestmark = pytest.mark.skipif(not os.access(SHARED, os.W_OK), reason="no /dev/shm here")

RANK = """
import torch
from hanabako.agents.learning.common.ranks import joined_ranks
from hanabako.agents.learning.common.shared_sum import SharedSum
assert SharedSum.is_possible()
with joined_ranks("cpu") as ranks:
    vector = torch.arange(200_000, dtype=torch.float32) * (ranks.rank + 1)
    for _ in range(5):
        assert torch.equal(ranks.sum_of_gradients(vector), torch.arange(200_000, dtype=torch.float32) * 3)
print("summed", flush=True)
"""


def test_the_space_is_taken_at_once() -> None:
    name = shared_sum.reserved(OCTETS)
    assert name is not None
    path = Path(name)
    try:
        assert path.parent == SHARED and path.stat().st_size == OCTETS
        assert path.stat().st_blocks * 512 >= OCTETS, "the file is sparse"
    finally:
        path.unlink()


@pytest.mark.parametrize("full", [[], ["shared"], ["shared", "temporary"]])
def test_a_file_is_where_there_is_space_and_nowhere_else(
    full: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders, reserve = [tmp_path / "shared", tmp_path / "temporary"], os.posix_fallocate
    for folder in folders:
        folder.mkdir()

    def posix_fallocate(handle: int, offset: int, length: int) -> None:
        if Path(f"/proc/self/fd/{handle}").resolve().parent.name in full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        reserve(handle, offset, length)

    monkeypatch.setattr(os, "posix_fallocate", posix_fallocate)
    monkeypatch.setattr(shared_sum, "folders", lambda: [str(folder) for folder in folders])
    name = shared_sum.reserved(OCTETS)
    assert list(tmp_path.glob("*/*")) == ([Path(name)] if name else [])
    assert [path.parent.name for path in tmp_path.glob("*/*")] == [["shared"], ["temporary"], []][len(full)]
    assert name is None or Path(name).read_bytes() == bytes(OCTETS)


def may_mount() -> bool:
    """Return whether this process may mount a small /dev/shm."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-m", "sh", "-c", SMALL], check=False, capture_output=True).returncode == 0


@pytest.mark.slow
def test_two_ranks_sum_where_shared_memory_is_small(tmp_path: Path) -> None:
    if not may_mount():
        pytest.skip("only root may mount a small /dev/shm")
    program = tmp_path / "rank.py"
    program.write_text(RANK, encoding="utf-8")
    words = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(program)]
    small = ["unshare", "-m", "sh", "-c", f'{SMALL} && exec "$@"', "sh", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(
        small, check=False, env=environment, capture_output=True, encoding="utf-8", errors="replace", timeout=120
    )
    assert ended.returncode == 0 and ended.stdout.count("summed") == 2, ended.stderr[-2000:]  # in any order of writes
