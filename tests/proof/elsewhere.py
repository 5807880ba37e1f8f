"""`make test` under other conditions, each in a clone of the present commit; the page shows the results.

``python -m tests.proof.elsewhere ["no network" ...]`` runs these conditions, by default all. That needs root, two hours
and 10 GB.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agents.results.store import add_rows, read_results
from hanabako.generated import table
from hanabako.results_file import origin_of
from tests.proof.records import RESULTS

ROOT = Path(__file__).resolve().parents[2]
WORK = Path("/var/tmp/hanabako-elsewhere")
NO_RIGHTS = "12345"
"""Id of a user who owns nothing but a clone."""
SUMMARY = re.compile(r"^(?:=+ )?(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", re.MULTILINE)


@dataclass(frozen=True)
class Condition:
    """How a run differs from `make test` in a clone."""

    arguments: str = ""
    """More arguments for pytest."""
    variables: Mapping[str, str] = field(default_factory=dict)
    shell: str = 'exec "$@"'
    """What runs the command ``"$@"`` in its own mount and network namespaces."""
    clone: str = "clone"
    """The folder of the clone, so that conditions may share one."""
    make_clone: str = 'git clone --quiet "$1" "$2"'


SLOW_CHIPS = {
    f"`{name}={value}`, {numbers}": Condition(f"--numbers {numbers}", {name: value})
    for name, value in (("ATEN_CPU_CAPABILITY", "default"), ("ONEDNN_MAX_CPU_ISA", "AVX2"))
    for numbers in ("float32", "bfloat16")
}
AS_USER = f"setpriv --reuid={NO_RIGHTS} --regid={NO_RIGHTS} --clear-groups"
CONDITIONS = {
    **SLOW_CHIPS,
    "`NUMBA_CPU_NAME=x86-64-v2`": Condition(variables={"NUMBA_CPU_NAME": "x86-64-v2"}),
    "one core": Condition(shell='exec taskset --cpu-list 0 "$@"'),
    "an ordinary user": Condition(
        variables={"HOME": str(WORK / "user")},
        shell=f'exec {AS_USER} "$@"',
        clone="user/clone",
        make_clone=f'git clone --quiet "$1" "$2" && chown -R {NO_RIGHTS} "$2"/..',
    ),
    "a path with a blank and an é": Condition(clone="un été/clone"),
    "a `git archive` without `.git`": Condition(
        clone="archive/clone", make_clone='mkdir -p "$2" && git -C "$1" archive HEAD | tar -x -C "$2"'
    ),
    "a shallow clone": Condition(clone="shallow/clone", make_clone='git clone --quiet --depth 1 "file://$1" "$2"'),
    "no network": Condition(shell='ip link set lo up; exec "$@"'),
    "an ASCII locale": Condition(variables={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "a `/tmp` of 300 MB": Condition(shell='mount -t tmpfs -o size=300m tmpfs /tmp; exec "$@"'),
    "no browser": Condition(
        shell="for b in chromium chromium-browser google-chrome; do"
        ' p=$(command -v $b) && mount --bind /dev/null "$(readlink -f "$p")"; done; exec "$@"'
    ),
    "`--all`, float32": Condition("--all --numbers float32"),
    "`--all`, bfloat16": Condition("--all --numbers bfloat16"),
}
PATH = RESULTS / "elsewhere.json"


def run(name: str) -> dict[str, object]:
    """Run one condition and return its row."""
    condition = CONDITIONS[name]
    clone = WORK / condition.clone
    if not clone.exists():
        clone.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["sh", "-ec", condition.make_clone, "sh", str(ROOT), str(clone)], check=True)
        shared = clone.parent.parent / "shared"
        if not shared.exists() and (ROOT.parent / "shared").exists():
            shared.symlink_to(ROOT.parent / "shared")
    user = AS_USER.split() if "user" in condition.clone else []
    variables = os.environ | condition.variables
    subprocess.run([*user, "make", "dev"], cwd=clone, env=variables, check=True)
    network = ["--net"] if name == "no network" else []
    words = ["make", "--keep-going", "test", f"ARGS={condition.arguments}"]
    begin = time.monotonic()
    ended = subprocess.run(
        ["unshare", "--mount", *network, "sh", "-c", condition.shell, "sh", *words],
        cwd=clone,
        env=variables,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    log = re.sub(r"\W+", "-", name).strip("-")
    (WORK / f"{log}.log").write_text(ended.stdout + ended.stderr, encoding="utf-8")
    return {
        "fields": ["condition"],
        "condition": name,
        "done": 1,
        "wanted": 1,
        "status": ended.returncode,
        "summary": ([*SUMMARY.findall(ended.stdout), "no summary"])[0],
        "seconds": round(time.monotonic() - begin),
    }


def page() -> str:
    """Return the table of the conditions that ran."""
    rows = {row["condition"]: row for row in read_results(PATH)}
    cells = [
        (name, row["summary"], str(row["seconds"]), row["commit"], row["machine"]["date"], row["machine"]["processor"])
        for name in CONDITIONS
        if (row := rows.get(name))
    ]
    return table(("condition", "result", "seconds", "commit", "date", "processor"), cells)


def main(names: list[str]) -> int:
    """Run conditions, by default all, and store each result when it is there."""
    failed = 0
    for name in names or CONDITIONS:
        row, origin = run(name), origin_of([], ("python", "-m", "tests.proof.elsewhere"))
        origin["commit"] = origin["commit"].removesuffix("-dirty")  # the clone is of a commit
        failed += bool(row["status"])
        print(f"{name}: {row['summary']}, {row['seconds']} s, status {row['status']}", flush=True)
        add_rows(PATH, "elsewhere", origin, [row])
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
