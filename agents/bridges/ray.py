"""Running rows of a study on many machines with Ray: a row's input files are sent with it, and its outputs sent back.

Ray's own tools start the cluster (``ray start``, SLURM, Kubernetes). All its machines must have this package; they need
no shared disk. If a machine is lost, its row is played again on another one.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hanabako.extras import need
from hanabako.files import MOST_ARRAYS, read_bytes, write_bytes
from hanabako.importing import is_of_a_file

if TYPE_CHECKING:
    from ..results.study import Result, Row

    Play = Callable[[Any, Result | None], Mapping[str, Any]]

__all__ = ["Cluster"]

RETRIES = 3
"""How often a row is restarted when its machine is lost."""


class Cluster(Executor):
    """An executor for the machines of a Ray cluster.

    Args:
        address: ``auto`` for the cluster that this machine belongs to; or ``HOST:PORT``.

    Raises:
        ModuleNotFoundError: Ray is not installed.
        ValueError: there is no such cluster.
    """

    def __init__(self, address: str) -> None:
        need("a cluster", "ray")
        import ray

        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        alone = {"OMP_NUM_THREADS": "1"}
        try:
            ray.init(address=address, log_to_driver=False, runtime_env={"env_vars": alone}, logging_level="error")
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ValueError(f"cluster must be auto or HOST:PORT of a Ray cluster, got {address}: {error}") from error
        self._ray = ray
        self._waiting: set[Any] = set()

    @property
    def cores(self) -> int:
        """The number of CPUs of the whole cluster."""
        return int(self._ray.cluster_resources().get("CPU", 1))

    @property
    def most_cores(self) -> int:
        """The number of CPUs of the largest machine."""
        machines = [machine for machine in self._ray.nodes() if machine["Alive"]]
        return max(int(machine["Resources"].get("CPU", 0)) for machine in machines)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Play a part of a row: ``fn`` is a `Study.play`, and the arguments are those of its call."""
        row, before = args
        future: Future[Any] = Future()
        if row.cores > self.most_cores:
            future.set_exception(
                ValueError(f"it needs {row.cores} cores of one machine, but the largest has {self.most_cores}")
            )
            return future
        if is_of_a_file(fn.__module__):  # a study's own file, which other machines lack, is sent along
            self._ray.cloudpickle.register_pickle_by_value(sys.modules[fn.__module__])
        sent = {name: read_bytes(path, MOST_ARRAYS) for name, path in row.files.items() if path.is_file()}
        options = {"num_cpus": row.cores, "max_retries": RETRIES, "scheduling_strategy": "SPREAD"}
        task = self._ray.remote(on_a_machine).options(**options).remote(fn, row, before, sent, **kwargs)
        self._waiting.add(task)
        task.future().add_done_callback(lambda ended: self._finish(task, row, ended, future))
        return future

    def _finish(self, task: Any, row: Row, ended: Future[Any], future: Future[Any]) -> None:
        """Write the files that a row leaves, and pass on the measurements."""
        self._waiting.discard(task)
        try:
            measured, left = ended.result()
            for name, path in row.leaves.items():
                if name in left:
                    write_bytes(path, left[name])
            future.set_result(measured)
        except self._ray.exceptions.RayTaskError as error:
            future.set_exception(error.cause)
        except self._ray.exceptions.RayError as error:
            future.set_exception(ValueError(f"its machine was lost {RETRIES + 1} times: {error}"))
        except Exception as error:
            future.set_exception(error)

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        """Leave the cluster and cancel unfinished work."""
        for task in list(self._waiting):
            self._ray.cancel(task, force=True)
        self._ray.shutdown()


def on_a_machine(
    play: Play, row: Row, before: Result | None, sent: Mapping[str, bytes]
) -> tuple[Mapping[str, Any], dict[str, bytes]]:
    """Play a part of a row in a temporary folder with the files ``sent``; return also the files that it leaves."""
    with tempfile.TemporaryDirectory(prefix="hanabako-") as folder:
        for name, content in sent.items():
            write_bytes(Path(folder) / name, content)
        here = row.at(Path(folder))
        try:
            measured = play(here, before)
        except SystemExit as end:
            raise ValueError(str(end)) from end
        return measured, {name: path.read_bytes() for name, path in here.leaves.items() if path.is_file()}
