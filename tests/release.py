"""Check a release before it is uploaded: `make release`.

    python -m tests.release            # builds into dist/, and prints which checks held, failed or could not run

The wheel and the sdist are installed into empty environments outside the clone, with the newest versions of the
dependencies and with the lowest that pyproject.toml allows. The README's first screen runs in each environment, and the
installed libraries are checked for known vulnerabilities. Nothing is uploaded.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
LOWEST = ROOT / "constraints-lowest.txt"
UNREACHABLE = re.compile(
    r"Name or service not known|Temporary failure in name resolution|ConnectionError|ConnectTimeout|Connection refused"
    r"|Network is unreachable|Failed to fetch|Max retries exceeded|No module named (build|twine|pip_audit|uv)$",
    flags=re.MULTILINE,
)
"""Error messages of a tool that is not installed or has no network."""


class FailedError(Exception):
    """The output of a process that failed."""


def main() -> int:
    """Run all checks; return 1 if one failed, 0 otherwise, even if one could not run."""
    told: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        folder = Path(name)
        for check in (build, metadata, from_wheel, from_sdist, at_lowest_versions, audit, lowest_are_lowest):
            title = (check.__doc__ or "").split(".")[0]
            print(f"{title} ...", flush=True)
            told.append((title, outcome(check, folder)))
    print("\nWhat held:")
    for title, words in told:
        print(f"  {words.splitlines()[0]:<16} {title}")
        print("".join(f"      {line}\n" for line in words.splitlines()[1:][-12:]), end="")
    print("To upload: python -m twine upload dist/*   (a tag, and HANABAKO_REPOSITORY set at the build, come first)")
    return int(any(words.startswith("failed") for _, words in told))


def outcome(check: Callable[[Path], None], folder: Path) -> str:
    """Return ``held``, or ``failed`` or ``could not run`` followed by the output on the next lines."""
    try:
        check(folder)
    except FailedError as error:
        return f"{'could not run' if UNREACHABLE.search(str(error)) else 'failed'}\n{error}"
    return "held"


def build(folder: Path) -> None:
    """The wheel and the sdist are built."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))


def metadata(folder: Path) -> None:
    """Their metadata and the README on PyPI are valid."""
    run(sys.executable, "-m", "twine", "check", "--strict", str(built("*.whl")), str(built("*.tar.gz")))


def from_wheel(folder: Path) -> None:
    """The wheel installs into an empty environment, and the README's first screen runs there."""
    starts(installed(folder / "wheel", built("*.whl")), folder)


def from_sdist(folder: Path) -> None:
    """The sdist installs into an empty environment, and the README's first screen runs there."""
    starts(installed(folder / "sdist", built("*.tar.gz")), folder)


def at_lowest_versions(folder: Path) -> None:
    """The wheel installs with the lowest versions that are allowed, and the README's first screen runs there."""
    starts(installed(folder / "lowest", built("*.whl"), "--constraint", str(LOWEST)), folder)


def audit(folder: Path) -> None:
    """No installed library has a known vulnerability."""
    (site,) = (folder / "wheel").glob("lib/python*/site-packages")
    run(sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--skip-editable", "--path", str(site))


def lowest_are_lowest(folder: Path) -> None:
    """The pinned lowest versions are the lowest that the dependencies allow."""
    found = run(sys.executable, "-m", "uv", *RESOLVE.split(), "pyproject.toml", cwd=ROOT)
    kept = "".join(line for line in LOWEST.read_text("utf-8").splitlines(keepends=True) if not line.startswith("#"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = {re.split(r"[^\w.-]", text)[0] for text in project["dependencies"]}
    direct = {line.split("==")[0] for line in kept.splitlines()} & core
    wanted = [line for line in found.splitlines() if line.split("==")[0] in direct]
    if wanted != [line for line in kept.splitlines() if line.split("==")[0] in direct]:
        raise FailedError(f"{LOWEST.name} should hold\n" + "\n".join(wanted))


RESOLVE = "pip compile --resolution lowest-direct --python-version 3.11 --no-header --no-annotate --quiet"


def built(pattern: str) -> Path:
    """Return the path of the only built file that matches the pattern."""
    found = list(DIST.glob(pattern))
    if len(found) != 1:
        raise FailedError(f"dist/ holds {len(found)} files {pattern}")
    return found[0]


def installed(environment: Path, package: Path, *words: str) -> Path:
    """Create an environment, install the package with its dependencies, and return the path of its Python."""
    run(sys.executable, "-m", "venv", str(environment))
    python = environment / "bin" / "python"
    run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words, str(package))
    return python


def starts(python: Path, folder: Path) -> None:
    """Check that the README's Python, the command and a game run outside the clone."""
    blocks = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    place = folder / f"beside-{python.parent.parent.name}"
    place.mkdir()
    (place / "first_screen.py").write_text("\n".join(blocks), encoding="utf-8")
    run(str(python), "first_screen.py", cwd=place)
    run(str(python.parent / "hanabako"), "--help", cwd=place)
    run(str(python.parent / "hanabako"), "watch", "random", "--preset", "mini", "--out", "game.html", cwd=place)


def run(*command: str, cwd: Path | None = None) -> str:
    """Return the output of a process that cannot see the clone's Hanabako."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, check=False, cwd=cwd, env=variables, capture_output=True, encoding="utf-8", errors="replace"
    )
    if done.returncode:
        raise FailedError((done.stdout + done.stderr).strip())
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
