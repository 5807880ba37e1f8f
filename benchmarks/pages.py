"""Generate the measured figures in the READMEs from the committed JSON, so that no number is typed by hand.

    python -m benchmarks.pages           # write them into README.md, other pages and agents/scores.json
    python -m benchmarks.pages --check   # only check whether they are up to date

A document has the part ``name`` between the lines ``<!-- begin name -->`` and ``<!-- end name -->``.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed.learners import JAXMARL_IPPO, LIKE_JAXMARL, times_the_better
from benchmarks.speed.timing import RESULTS
from hanabako.agents.results.pages import origin_line
from hanabako.agents.results.store import read_results
from hanabako.agents.results.study import Results
from hanabako.files import write_text
from hanabako.generated import marks, table, update
from hanabako.program import run_program

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = Path(__file__).parent / "clients" / "results" / "clients.json"
SCORES = ROOT / "agents" / "scores.json"
"""The file that `hanabako agents` reads."""
PAGES = ("README.md", "benchmarks/README.md", "docs/recipes.md", "docs/algorithms.md")
DOCUMENTS = [ROOT / name for name in PAGES]
FORMATS = ("none", "packed", "int8", "float32")

CONTENTS = {
    "moves": "move, deal, legal moves",
    "acting": "and the next player's observation",
    "all": "and every player's observation",
    "AEC": "PettingZoo loop, without wrappers",
    "AEC wrapped": "PettingZoo loop, standard wrappers",
}
"""Descriptions of the contents of a step in `benchmarks.speed.peers`."""


@dataclass
class Args:
    """Write the generated parts of the documents."""

    check: bool = False
    """Change nothing; fail if a document is out of date."""


def load(name: str, **wanted: Any) -> Results:
    """Return the committed rows of one benchmark in which the columns have these values."""
    return chosen(read_results(RESULTS / f"{name}.json"), **wanted)


def chosen(rows: Results, **wanted: Any) -> Results:
    """Return the rows in which the columns have these values."""
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def values(rows: Results, column: str, **wanted: Any) -> list[Any]:
    """Return the distinct values of a column, in the order of their first appearance."""
    return list(dict.fromkeys(row[column] for row in chosen(rows, **wanted)))


def speed(steps_per_second: float) -> str:
    """Format steps per second, as ``25.9 M``, ``301 k``, ``881``."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if steps_per_second >= unit:
            value = steps_per_second / unit
            return f"{value:.{max(0, 3 - len(str(int(value))))}f}{name}"
    return f"{steps_per_second:.0f}"


def about(ratio: float) -> str:
    """Return a ratio with two digits: repeats differ by some 10 %."""
    return f"{float(f'{ratio:.2g}'):,.{0 if ratio >= 9.95 else 1}f}"


def cell(rows: Results, **wanted: Any) -> str:
    """Return the speed in the row that is wanted, and how many times slower it is than ours; "" without a row."""
    for row in chosen(rows, **wanted):
        ratio = row.get("slower_than_hanabako")
        return speed(row["steps_per_second"]) + (f" (1/{about(ratio)})" if ratio else "")
    return ""


def shown(head: Sequence[str], lines: Iterable[Sequence[Any]], rows: Results, *more: str) -> str:
    """Return a table, and below it more sentences and how its rows were measured."""
    repeats = len(rows[0].get("repeats", ()))
    said = [*more, *([f"Median of {repeats} interleaved repeats."] if repeats > 1 else []), origin_line(rows)]
    return f"{table(head, lines)}\n\n{' '.join(said)}\n"


# --- Parts -----------------------------------------------------------------------------------------------------------


def formats() -> str:
    """Return steps per second on one core by number of players, policy and observation."""
    rows = load("throughput", group="formats")
    lines = []
    for key in dict.fromkeys((row["game"], row["players"], row["policy"]) for row in rows):
        row = dict(zip(("game", "players", "policy"), key, strict=True))
        acting = [cell(rows, **row, seats="acting", observation=name) for name in FORMATS]
        lines.append([*key, *acting, *(cell(rows, **row, seats="all", observation=name) for name in FORMATS[1:3])])
    head = ["game", "players", "policy", "no observation", *FORMATS[1:], "packed, all players", "int8, all players"]
    return shown(head, lines, rows)


def presets() -> str:
    """Return nanoseconds per step of every preset, and the ratio to the standard game."""
    rows = load("throughput", group="presets", game="hanabi")
    speeds = {(row["preset"], row["observation"]): row["steps_per_second"] for row in rows}
    lines = []
    for row in chosen(rows, observation="packed"):
        own, other = row["preset"], row["beside"]
        cells = [
            (f"{1e9 / speeds[own, seen]:,.0f} ns", f"{speeds[other, seen] / speeds[own, seen]:.2f}")
            for seen in ("none", "packed")
        ]
        lines.append([f"`{own}`", row["bits"], *cells[0], *cells[1]])
    return shown(["preset", "bits", "no observation", "ratio", "packed", "ratio"], lines, rows)


def threads() -> str:
    """Return the speed of several threads, and its ratio to that of one, by the wall clock."""
    rows = load("throughput", group="threads", game="hanabi")
    most = max(row["threads"] for row in rows)
    lines = []
    for envs in values(rows, "envs"):
        cells = []
        for observation in values(rows, "observation"):
            one, more = (
                chosen(rows, envs=envs, observation=observation, threads=count)[0]["steps_per_second"]
                for count in (1, most)
            )
            cells.append(f"{speed(more)} ({more / one:.2f})")
        lines.append([envs, *cells])
    return table(["games", *values(rows, "observation")], lines) + "\n"


def aec() -> str:
    """Return the speed of PettingZoo's loop."""
    rows, paths = load("throughput", group="aec"), ("raw_env", "env")
    games = dict.fromkeys((row["game"], row["players"]) for row in rows)
    lines = ([*key, *(cell(rows, game=key[0], players=key[1], path=path) for path in paths)] for key in games)
    return table(["game", "players", *paths], lines) + "\n"


def peers() -> str:
    """Compare Hanabi with its peers, grouped by the content of a step."""
    rows = load("peers")
    counts, lines = values(rows, "players"), []
    for content, words in CONTENTS.items():
        for k, name in enumerate(values(rows, "peer", content=content)):
            cells = [cell(rows, peer=name, content=content, players=players) for players in counts]
            lines.append(["" if k else words, f"**{name}**" if name.startswith("Hanabako") else name, *cells])
    return shown(["a step is", "who", *(f"{players} players" for players in counts)], lines, rows)


def compile_time() -> str:
    """Return the times of cold and warm starts."""
    rows = load("compile_time")
    lines = [[row["program"], f"{row['cold_seconds']:.1f} s", f"{row['warm_seconds']:.2f} s"] for row in rows]
    return shown(["from nothing to one step", "first ever", "warm cache"], lines, rows)


def throughput() -> str:
    """Return the README's main figures: our fastest path and the fastest other implementation, two players."""
    rows, on_gpu = load("peers", players=2), load("device")
    fastest_there = max(row["steps_per_second"] for row in on_gpu if "tables" in row)
    lines = []
    for content, words in CONTENTS.items():
        ours, other = (
            max(chosen(rows, content=content, is_ours=is_ours), key=lambda row: row["steps_per_second"])
            for is_ours in (True, False)
        )
        names = ours["peer"].removeprefix("Hanabako, "), other["peer"]
        lines.append([words, names[0], speed(ours["steps_per_second"]), names[1], speed(other["steps_per_second"])])
    return (
        table(["a step is", "Hanabako's", "steps/s", "fastest other", "steps/s"], lines)
        + "\n\nStandard Hanabi, 2 players, random legal moves, all in one run of `python -m benchmarks.speed.peers`\n"
        f"on one core of {rows[0]['machine']['processor']}, in CPU time.\n"
        f"[On a GPU](docs/gpu.md), one {on_gpu[0]['device']}: {speed(fastest_there)} steps/s with packed observations\n"
        "in one short run; no other library was measured there. JaxMARL is made for accelerators.\n"
        "[All figures](benchmarks/README.md).\n"
    )


def learner() -> str:
    """Return decisions per second of one learning process, by network and number type."""
    return learning_speeds(load("learner"))


def learning_speeds(rows: Results) -> str:
    """Return the speeds in rows of `benchmarks.speed.learner`, and the shares of the peak."""
    columns = ("network", "width", "trunk")
    lines = (
        [*(row[name] for name in columns), speed(row["steps_per_second"]), f"{row['share_of_peak']:.0%}"]
        for row in rows
    )
    head = ["network", "width", "hidden layers", "decisions/s", "share of the peak of matrix products"]
    settings = "{device}; {games} games, minibatches of {minibatch}.".format(**rows[0])
    return shown(head, lines, rows, settings)


def learners() -> str:
    """Return decisions per second of our learner and of others."""
    return learners_beside(load("learners"))


def learners_beside(rows: Results) -> str:
    """Return the speeds in rows of `benchmarks.speed.learners`."""
    lines = [[f"**{row['peer']}**" if row["is_ours"] else row["peer"], cell(rows, peer=row["peer"])] for row in rows]
    told = []
    if ratio := times_the_better(rows):
        told.append(
            f"With its defaults Hanabako learns from {about(ratio)} times as many decisions/s as the faster of the "
            "two others."
        )
    speeds = {row["peer"]: row["steps_per_second"] for row in rows}
    if LIKE_JAXMARL in speeds and JAXMARL_IPPO in speeds:
        alike = about(speeds[LIKE_JAXMARL] / speeds[JAXMARL_IPPO])
        told.append(f"At JaxMARL's width and number of passes it learns from {alike} times as many as JaxMARL.")
    told += [f"JaxMARL's commit is {row['clone']}." for row in rows if row.get("clone")]
    return shown(["learner", "decisions/s"], lines, rows, *told)


def device() -> str:
    """Return the speeds of games and of the learner on a GPU, by number of games."""
    rows = load("device")
    (same,), playing, learning = ([row for row in rows if name in row] for name in ("equal", "tables", "games"))
    games = (
        [f"{row['tables']:,}", speed(row["steps_per_second"]), f"{row['steps_per_second'] / row['bound']:.0%}"]
        for row in playing
    )
    learned = ([f"{row['games']:,}", f"{row['minibatch']:,}", speed(row["decisions_per_second"])] for row in learning)
    bound = (
        f"One {same['device']}. The bound: a step reads and writes its {playing[0]['bytes_per_step']} bytes once, at "
        f"the {playing[0]['gib_per_second']:,} GiB/s of a copy. {same['compared']:,} games over {same['steps']:,} "
        f"steps: {same['equal']} to the CPU's."
    )
    first = table(["games", "steps/s", "share of the memory's bound"], games)
    return f"{first}\n\n{shown(['games', 'minibatch', 'learned decisions/s'], learned, rows, bound)}"


def device_kernels() -> str:
    """Return the registers per thread of each game's GPU kernels, and the most that a step needs in any preset."""
    rows = load("device_kernels")
    kernels, lines = values(rows, "kernel"), []
    for game in values(rows, "game"):
        own = chosen(rows, game=game)
        first = {row["kernel"]: row["registers"] for row in chosen(own, preset=own[0]["preset"], observation="packed")}
        most = max(row["registers"] for row in chosen(own, kernel="step"))
        stack = max(row["spilled_bytes"] + row["stack_bytes"] for row in own)
        lines.append([game, *(first[name] for name in kernels), most, stack])
    head = ["game", *(f"`{name}`" for name in kernels), "`step`, most of all presets", "bytes on the stack or spilled"]
    return shown(head, lines, rows, "Compiled for capability {}.{}.".format(*rows[0]["capability"]))


def clients() -> str:
    """Return how fast the recipes of other libraries play."""
    rows = read_results(CLIENTS)
    lines = []
    for row in rows:
        library = ", ".join(f"{name} {row['libraries'][name]}" for name in row["asked"]) if "libraries" in row else ""
        if "failed" in row:
            lines.append([row["name"], row["recipe"] or "installing", library, "failed", "", ""])
        else:
            counts = (f"{row['steps']:,}", f"{row['seconds']:.1f}", speed(row["steps"] / row["seconds"]))
            lines.append([row["name"], f"`{row['recipe']}`", library, *counts])
    head = ["library", "recipe", "versions", "decisions", "seconds", "decisions/s"]
    return shown(head, lines, rows, "One core each.")


def summary() -> str:
    """Return the scores of some networks."""
    from benchmarks.strength.shipped_networks import summary  # imports torch

    return summary()


def scale() -> str:
    """Return what the papers of the algorithms used."""
    from benchmarks.strength.tables.scale import scale  # imports torch

    return scale()


def directions() -> str:
    """Return what papers say about agreement between runs, and what our comparisons found."""
    from benchmarks.strength.tables.directions import directions  # imports torch

    return directions()


def alone_and_together() -> str:
    """Return the scores of our algorithms in the comparisons."""
    from benchmarks.strength.tables.summary import summary  # imports torch

    return summary()


PARTS: dict[str, Callable[[], str]] = {
    "throughput": throughput,
    "formats": formats,
    "presets": presets,
    "threads": threads,
    "aec": aec,
    "peers": peers,
    "compile-time": compile_time,
    "learner": learner,
    "learners": learners,
    "device": device,
    "device_kernels": device_kernels,
    "clients": clients,
    "summary": summary,
    "scale": scale,
    "directions": directions,
    "alone-and-together": alone_and_together,
}


# --- Documents --------------------------------------------------------------------------------------------------------


def generated(document: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every part that a document contains; unknown parts are skipped."""
    return ((name, PARTS[name]()) for name in marks(document.read_text(encoding="utf-8")) if name in PARTS)


def main(args: Args) -> None:
    """Write or check every document."""
    for document in DOCUMENTS:
        if update(document, generated(document), args.check, "python -m benchmarks.pages"):
            print(f"written: {document.relative_to(ROOT)}")
    from .agent_scores import agent_scores  # imports torch

    text = agent_scores()
    if not SCORES.exists() or SCORES.read_text(encoding="utf-8") != text:
        if args.check:
            raise SystemExit(f"{SCORES} is out of date: run python -m benchmarks.pages")
        print(f"written: {write_text(SCORES, text).relative_to(ROOT)}")


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
