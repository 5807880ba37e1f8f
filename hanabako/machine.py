"""What a measurement ran on: a number without its machine, versions, load and date says nothing."""

import datetime
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "torch")

CLONE = Path(__file__).resolve().parents[1]
"""The folder of the clone that this file is in; if it is installed, some other folder."""

VECTORS = (("avx512f", "AVX-512"), ("avx2", "AVX2"))
"""Flags of /proc/cpuinfo for the vector instructions that loops are compiled to, widest first."""


def describe(extra_packages: tuple[str, ...] = ()) -> dict:
    """The machine as JSON types: processor, cores, caches, memory, system, versions, commit, load average, UTC date."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "caches": caches(),
        "memory_gib": memory_gib(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions(PACKAGES + extra_packages),
        "commit": commit(),
        "load_average": load_average(),
        "date": now().strftime("%Y-%m-%d %H:%M UTC"),
    }


def in_words(machines: Sequence[Mapping[str, Any]]) -> str:
    """Where and when results were measured, in words, from `describe` of each; "" if they are too old to say."""
    dated = [about for about in machines if "date" in about]
    if not dated:
        return ""
    where = sorted({"{processor}, Python {python}, numba {versions[numba]}".format(**about) for about in dated})
    days = sorted({about["date"][:10] for about in dated})
    earlier = len(machines) - len(dated)
    return f"{' or '.join(where)}; {', '.join(days)}" + (f"; {earlier} rows earlier, elsewhere" if earlier else "")


def processor() -> str:
    """The processor's name, with family and model, since a virtual machine often hides the name."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists():
        return platform.processor() or platform.machine()
    first = cpuinfo.read_text(encoding="utf-8").split("\n\n")[0]
    fields = dict(line.split(":", 1) for line in first.splitlines() if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    name = fields.get("model name", platform.machine())
    if "cpu family" not in fields:
        return name
    flags = fields.get("flags", "").split()
    widest = next((words for flag, words in VECTORS if flag in flags), "no AVX2")
    return f"{name} (family {fields['cpu family']}, model {fields['model']}, {widest})"


def caches() -> dict[str, str]:
    """Size of every cache that the first core sees, for example ``{"L1 Data": "48K", "L2 Unified": "2048K"}``."""
    sizes = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((index / field).read_text(encoding="utf-8").strip() for field in ("level", "type", "size"))
        sizes[f"L{level} {kind}"] = size
    return sizes


def memory_gib() -> float | None:
    """Main memory in GiB, where the system says it."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1)


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Version of every one of ``packages`` that is installed."""
    present = {}
    for package in packages:
        try:
            present[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return present


def commit(clone: Path = CLONE) -> str | None:
    """The commit of a clone, with ``-dirty`` where its working tree differs; ``None`` outside a clone.

    Results and pages may differ: so several measurements can be made one after another.
    """
    if not (clone / ".git").exists():  # installed, or an archive: a folder above may belong to another project
        return None
    command = ["git", "describe", "--always", "--abbrev=12", "--exclude=*"]
    results = ":(exclude,glob)**/results/*.json", ":(exclude)docs/soak.json", ":(exclude)*.png", ":(exclude)*.md"
    compare = ["git", "diff", "--quiet", "HEAD", "--", ".", *results]
    try:
        answer = subprocess.run(command, cwd=clone, capture_output=True, encoding="utf-8", errors="replace", check=True)
        differs = subprocess.run(compare, cwd=clone, capture_output=True, check=False).returncode
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip() + ("-dirty" if differs else "")


def now() -> datetime.datetime:
    """The time, in UTC."""
    return datetime.datetime.now(datetime.UTC)


def load_average() -> float | None:
    """Return the load average of the last minute. If it exceeds the cores in use, other processes were interfering."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
