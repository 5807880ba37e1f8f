"""Ranks of one machine add up through shared memory, begin one after the other, and notice when one is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hanabako.agents.learning.common.shared_sum import SharedSum
from tests.conftest import ROOT

RANK = """
import os
import sys
from pathlib import Path
import torch
from hanabako.agents.learning.common.ranks import joined_ranks
first = Path(sys.argv[1])
with joined_ranks("cpu") as ranks:
    assert ranks.share_memory
    with ranks.one_first():
        assert first.exists() == (ranks.rank == 1)
        first.touch()
    for size in (200_000, 3, 200_000):
        vector = torch.arange(size, dtype=torch.float32) * (ranks.rank + 1)
        for _ in range(5):
            assert torch.equal(ranks.sum_of_gradients(vector), torch.arange(size, dtype=torch.float32) * 3)
    print("summed", flush=True)
    if ranks.rank == 1:
        os._exit(0)
    try:
        ranks.sum_of_gradients(vector)
    except ConnectionError as error:
        print(error, flush=True)
    os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="shared sums are for Linux")
def test_two_ranks_add_up_and_notice_a_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "rank.py"
    program.write_text(RANK, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    words = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(program)]
    ended = subprocess.run(
        [*words, str(tmp_path / "first")], check=False, capture_output=True, encoding="utf-8", timeout=240
    )
    assert ended.returncode == 0 and ended.stdout.count("summed") == 2, ended.stderr[-2000:]  # in any order
    assert "rank 0 of 2 has lost another rank and ends; --resume continues" in ended.stdout


@pytest.mark.parametrize(("world", "possible"), [("2", True), ("4", False)])
def test_ranks_share_memory_only_if_all_are_on_this_machine(
    world: str, possible: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    monkeypatch.setenv("WORLD_SIZE", world)
    assert SharedSum.is_possible() == (possible and hasattr(os, "memfd_create"))
