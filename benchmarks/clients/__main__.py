"""Install another library with this project, time its recipes, write the results, and remove everything.

    python -m benchmarks.clients                    # all clients without a result; each has its own environment
    python -m benchmarks.clients sb3 openspiel      # measure these again
    python -m benchmarks.clients sb3 --pin          # the same with the newest versions, which become the pins
    python -m benchmarks.clients --environments ~/clients    # keep and reuse the environments there

Results go to `benchmarks/clients/results/clients.json` after each client, so an interrupted run continues where it
stopped. Versions are pinned in `benchmarks/clients/pins/`. The recipes of `docs/recipes/` run outside the clone, with
the wheel of this tree.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro

from hanabako.agents.results.store import read_results
from hanabako.files import check_writable
from hanabako.program import run_program
from hanabako.results_file import origin_of, write_results
from hanabako.words.checks import shown

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "recipes"
PINS = Path(__file__).parent / "pins"
RESULTS = Path(__file__).parent / "results" / "clients.json"
LINES = 12
"""The number of last lines kept from a failed client's output."""


@dataclass(frozen=True)
class Client:
    """A library, its requirements, and its recipes."""

    name: str
    """The library's usual name."""
    requirements: tuple[str, ...]
    """Packages to install with this project; the first is the library itself."""
    recipes: tuple[str, ...]
    """The recipes, files of ``docs/recipes``."""

    @property
    def asked(self) -> list[str]:
        """The requirements' names."""
        return [requirement.split("[")[0] for requirement in self.requirements]


TORCH = "torch"
CLIENTS = {
    "sb3": Client("sb3-contrib", ("sb3-contrib",), ("maskable_ppo", "sb3_seats", "sb3_vector")),
    "torchrl": Client("TorchRL", ("torchrl",), ("torchrl_seat", "torchrl_everybody")),
    "tianshou": Client("Tianshou", ("tianshou",), ("tianshou_games",)),
    "rllib": Client("RLlib", ("ray[rllib]", TORCH), ("rllib_ppo",)),
    "agilerl": Client("AgileRL", ("agilerl", "peft"), ("agilerl_dqn",)),
    "supersuit": Client("SuperSuit", ("supersuit", TORCH), ("supersuit_vector",)),
    "minari": Client("Minari", ("minari[create,hdf5]", TORCH, "scipy", "tqdm", "safetensors"), ("minari_dataset",)),
    "openspiel": Client("OpenSpiel", ("open-spiel", "dm-tree", TORCH), ("openspiel_learners",)),
    "pufferlib": Client("PufferLib", ("pufferlib-core", TORCH), ("pufferlib_native",)),
}


@dataclass
class Args:
    """Time the recipes of other libraries, each in its own environment."""

    clients: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """The clients to run; by default all that have no result yet."""
    pin: bool = False
    """Install the newest versions and write them as the pins."""
    environments: Path | None = None
    """Keep the environments in this folder, and reuse existing ones."""
    out: Path = field(default=RESULTS)
    """The file of results."""


def main(args: Args) -> None:
    """Run the chosen clients; a failure is recorded, and the next client runs."""
    unknown = [name for name in args.clients if name not in CLIENTS]
    if unknown:
        raise ValueError(f"clients must be among {', '.join(CLIENTS)}, got {shown(unknown[0])}")
    check_writable(args.out)
    done = {row["client"] for row in read_results(args.out)}
    chosen = args.clients or [name for name in CLIENTS if name not in done]
    with folder_for(args.environments) as folder:
        wheel = built(folder)
        for name in chosen:
            print(f"{CLIENTS[name].name} ...", flush=True)
            rows = list(results(name, folder / name, wheel, args))
            if args.environments is None:
                shutil.rmtree(folder / name, ignore_errors=True)
            write(args, name, rows)


@contextmanager
def folder_for(kept: Path | None) -> Iterator[Path]:
    """Yield the folder to keep, or a temporary one."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
    else:
        with tempfile.TemporaryDirectory(prefix="clients-") as folder:
            yield Path(folder)


def built(folder: Path) -> Path:
    """Build the wheel of this tree and return its path."""
    finished([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)])
    return max(folder.glob("hanabako-*.whl"), key=lambda path: path.stat().st_mtime)


def results(name: str, environment: Path, wheel: Path, args: Args) -> Iterator[dict[str, Any]]:
    """Yield a row per recipe: versions, and what `benchmarks.clients.judge.timed` returns or the failure."""
    client = CLIENTS[name]
    row: dict[str, Any] = {"fields": ["client", "recipe"], "done": 1, "wanted": 1}
    row |= {"client": name, "name": client.name, "asked": client.asked}
    try:
        python = installed(name, environment, wheel, args.pin)
        row["libraries"] = versions(python, client)
    except subprocess.CalledProcessError as error:
        yield {**row, "recipe": None, "failed": last_words(error)}
        return
    for recipe in client.recipes:
        command = [str(python), "-W", "ignore", "-m", "benchmarks.clients.judge", str(RECIPES / f"{recipe}.py")]
        try:
            found = json.loads(finished(command, cwd=environment).splitlines()[-1])
            print(f"  {recipe}: {found['steps']:,} decisions in {found['seconds']:.1f} s", flush=True)
            yield {**row, "recipe": recipe, **found}
        except subprocess.CalledProcessError as error:
            print(f"  {recipe} failed", flush=True)
            yield {**row, "recipe": recipe, "failed": last_words(error)}


def installed(name: str, environment: Path, wheel: Path, pin: bool) -> Path:
    """Make or update a client's environment, with this project's wheel and benchmarks, and return its interpreter."""
    python, pins = environment / "bin" / "python", PINS / f"{name}.txt"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if not python.exists():
        finished([sys.executable, "-m", "venv", str(environment)])
    asked = ["--upgrade", *CLIENTS[name].requirements, str(wheel)] if pin else ["--requirement", str(pins)]
    finished([*pip, *asked])
    finished([*pip, "--no-deps", "--force-reinstall", str(wheel)])
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "clone.pth").write_text(f"{ROOT}\n", "utf-8")  # last in the path, so only benchmarks come from the clone
    if pin:
        frozen = finished([str(python), "-m", "pip", "freeze", "--all"]).splitlines()
        kept = [line.split("+")[0] for line in frozen if "==" in line and not line.startswith(("pip=", "hanabako="))]
        pins.write_text(f"# python -m benchmarks.clients {name} --pin\n" + "\n".join(kept) + "\n", encoding="utf-8")
    return python


def versions(python: Path, client: Client) -> dict[str, str]:
    """Return the versions of the client's requirements, Gymnasium and PettingZoo."""
    names = sorted({*client.asked, "gymnasium", "pettingzoo"})
    code = f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {names!r}}}))"
    return json.loads(finished([str(python), "-c", code]))


def finished(command: list[str], cwd: Path | None = None) -> str:
    """Run a command without ``PYTHONPATH``, so that it sees no other Hanabako, and return its output."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        command, check=True, capture_output=True, encoding="utf-8", errors="replace", cwd=cwd, env=variables
    ).stdout


def last_words(error: subprocess.CalledProcessError) -> str:
    """Return the last lines of a failed process's output, without this machine's folders."""
    lines = (error.stderr or error.stdout).replace(str(ROOT), "").strip().splitlines()
    return "\n".join(lines[-LINES:])


def write(args: Args, name: str, rows: list[dict[str, Any]]) -> None:
    """Replace a client's old results by the new ones."""
    origin = origin_of([*args.clients], ("python", "-m", "benchmarks.clients"))
    kept = [row for row in read_results(args.out) if row["client"] != name] + [origin | row for row in rows]
    order = [*CLIENTS]
    kept.sort(key=lambda row: order.index(row["client"]) if row["client"] in order else len(order))
    write_results(args.out, "clients", origin, kept)


if __name__ == "__main__":
    run_program(main, Args, "benchmarks.clients", __doc__)
