"""Studies on several machines with Ray: two nodes on this machine, one of which is lost during the study."""

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hanabako.agents.commands.command_line import main
from hanabako.agents.results.store import read_results
from tests.agents.test_comparison import RECIPE, WHOLE
from tests.agents.test_study import FILE
from tests.processes import ROOT

pytestmark = pytest.mark.filterwarnings("default")  # Ray's warnings


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of one CPU each; the study treats them as machines without a shared disk."""
    pytest.importorskip("ray", reason="client: ray is not installed")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            yield nodes
        finally:
            nodes.shutdown()


def test_a_comparison_is_played_by_all_machines_though_one_is_lost(cluster: Any, tmp_path: Path):
    """Policies and metrics come back; a user's own algorithm and the policies of a pair are sent to the machines."""
    second = cluster.add_node(num_cpus=1)
    shutil.copy(RECIPE, tmp_path)
    path = tmp_path / "compare.toml"
    path.write_text(WHOLE.replace("seeds = [1, 2]", "seeds = [1]"), encoding="utf-8")
    losing = threading.Thread(target=lambda: (time.sleep(8), cluster.remove_node(second, allow_graceful=False)))
    losing.start()
    try:
        main(["study", "run", str(path), "--cluster", cluster.address])
    finally:
        losing.join()
    rows = read_results(tmp_path / "compare.json")
    assert {row["algorithm"]: row["steps"] for row in rows if "algorithm" in row["fields"]} == {
        "ippo": 512,
        "mine": 256,
    }
    assert len([row for row in rows if "one" in row["fields"] and row["done"] == 4]) == 9
    for name in ("policy.safetensors", "metrics.jsonl", "config.json"):
        assert (tmp_path / "compare" / "mine-1" / name).exists()
    assert (tmp_path / "compare.md").exists()


def test_a_study_in_python_travels_with_its_file(cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A row that needs more cores than any machine has is reported, and the others are played."""
    path = tmp_path / "dice.py"
    path.write_text(
        FILE.replace(
            "    color: str",
            "    @property\n    def cores(self):\n        return 9 if self.sides == 20 else 1\n\n    color: str",
        ),
        encoding="utf-8",
    )
    with pytest.raises(SystemExit, match="2 of 3 rows could not be played"):
        main(["study", "run", str(path), "--cluster", cluster.address])
    assert "it needs 9 cores of one machine, but the largest has 1" in capsys.readouterr().err
    (row,) = json.loads((tmp_path / "dice.json").read_text(encoding="utf-8"))["rows"]
    assert row["thrown"] == [0, 1, 2, 3, 4]


def test_what_is_no_cluster_is_refused_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    path = tmp_path / "dice.py"
    path.write_text(FILE, encoding="utf-8")
    with pytest.raises(SystemExit, match=r"^hanabako study needs ray: pip install "):
        main(["study", "run", str(path), "--cluster", "auto"])
