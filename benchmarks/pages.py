"""Generate the measured figures in the READMEs from the committed JSON, so that no number is typed by hand.

    python -m benchmarks.pages           # write them into README.md, other pages and agents/scores.json
    python -m benchmarks.pages --check   # only check whether they are up to date

A document has the part ``name`` between the lines ``<!-- begin name -->`` and ``<!-- end name -->``.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agents.results.store import read_results
from benchmarks.speed.learners import JAXMARL_IPPO, LIKE_JAXMARL
from hanabako.files import write_text
from hanabako.generated import marks, update
from hanabako.machine import in_words
from hanabako.program import run_program

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "speed" / "results"
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


def load(name: str) -> dict:
    """Return the committed results of one benchmark."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def reports(name: str) -> list[dict]:
    """Return the committed results of a benchmark with one file per game (``name_game.json``)."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob(f"{name}_*.json"))]


def markdown(header: Iterable[str], rows: Iterable[Iterable[str]], text_columns: int = 1) -> str:
    """Return a Markdown table; the first ``text_columns`` columns are text, the others numbers."""
    header = list(header)
    rule = ["---"] * text_columns + ["---:"] * (len(header) - text_columns)
    return "".join(f"| {' | '.join(line)} |\n" for line in [header, rule, *rows])


def speed(steps_per_second: float) -> str:
    """Format steps per second, as ``25.9 M``, ``301 k``, ``881``."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if steps_per_second >= unit:
            value = steps_per_second / unit
            return f"{value:.{max(0, 3 - len(str(int(value))))}f}{name}"
    return f"{steps_per_second:.0f}"


def machine_line(report: dict) -> str:
    """Return a sentence that describes how and where the numbers were measured."""
    machine, settings = report["machine"], report["settings"]
    versions = ", ".join(f"{name} {machine['versions'][name]}" for name in ("numba", "numpy"))
    repeats = (
        f"Median of {settings['repeats']} interleaved repeats"
        if settings.get("seconds", 0) and settings.get("repeats", 1) > 1
        else "One short run"
    )
    return (
        f"{repeats} on {machine['cores']} cores of {machine['processor']}, Python {machine['python']}, {versions}, "
        f"commit {machine['commit']}, {machine['date']}; load average {machine['load_average']} before and "
        f"{report['load_average_after']} after. {command_line(report['command'])}\n"
    )


def command_line(command: str) -> str:
    """Return a sentence with the command that made the numbers."""
    return f"Command: `{command}`." if command else ""


def chosen(report: dict, **wanted: object) -> list[dict]:
    """Return the rows of a report in which the columns have these values."""
    return [row for row in report["results"] if all(row.get(key) == value for key, value in wanted.items())]


def cell(report: dict, **wanted: object) -> str:
    """Return the speed in the row in which the columns have these values, or a dash."""
    rows = chosen(report, **wanted)
    return speed(rows[0]["steps_per_second"]) if rows else "-"


def values(report: dict, column: str, **wanted: object) -> list:
    """Return the distinct values of a column, in the order of their first appearance."""
    return list(dict.fromkeys(row[column] for row in chosen(report, **wanted)))


# --- Parts -----------------------------------------------------------------------------------------------------------


def formats() -> str:
    """Return steps per second on one core by number of players, policy and observation."""
    rows = [row for report in reports("throughput") for row in format_rows(report)]
    header = ["game", "players", "policy", "no observation", *FORMATS[1:], "packed, all players", "int8, all players"]
    return markdown(header, rows, text_columns=3) + "\n" + machine_lines("throughput")


def format_rows(report: dict) -> Iterator[list[str]]:
    """Yield the table rows of one report."""
    for game in values(report, "game", group="formats"):
        for players in values(report, "players", group="formats", game=game):
            for policy in values(report, "policy", group="formats", game=game):
                row = {"group": "formats", "game": game, "players": players, "policy": policy}
                acting = [cell(report, **row, seats="acting", observation=name) for name in FORMATS]
                everyone = [cell(report, **row, seats="all", observation=name) for name in ("packed", "int8")]
                yield [game, str(players), policy, *acting, *everyone]


def machine_lines(name: str) -> str:
    """Return `machine_line` of each report, with the games' names if there are several."""
    found = reports(name)
    if len(found) == 1:
        return machine_line(found[0])
    return "\n".join(f"{' and '.join(values(report, 'game'))}: {machine_line(report)}" for report in found)


def presets() -> str:
    """Return nanoseconds per step of every preset, and the ratio to the standard game."""
    report = load("throughput_hanabi")
    rows = []
    for game in values(report, "game", group="presets"):
        speeds: dict[str, dict[str, float]] = {}
        for row in chosen(report, group="presets", game=game):
            speeds.setdefault(row["preset"], {})[row["observation"]] = row["steps_per_second"]
            if row["observation"] == "packed":
                own, beside = speeds[row["preset"]], speeds[row["beside"]]
                cells = [f"{1e9 / own[name]:,.0f} ns | {beside[name] / own[name]:.2f}" for name in ("none", "packed")]
                rows.append([game, f"`{row['preset']}`", str(row["bits"]), *cells])
    header = ["game", "preset", "bits", "no observation", "ratio", "packed", "ratio"]
    return markdown(header, rows, text_columns=2) + "\n" + machine_line(report)


def threads() -> str:
    """Return the speed of several threads compared with one, by the wall clock."""
    report = load("throughput_hanabi")
    rows = []
    for envs in values(report, "envs", group="threads"):
        for observation in values(report, "observation", group="threads"):
            pair = chosen(report, group="threads", envs=envs, observation=observation)
            one, more = (row["steps_per_second"] for row in sorted(pair, key=lambda row: row["threads"]))
            rows.append([str(envs), observation, speed(one), speed(more), f"{more / one:.2f}"])
    most = max(values(report, "threads", group="threads"))
    return markdown(["games", "observation", "1 thread", f"{most} threads", "ratio"], rows, text_columns=2)


def aec() -> str:
    """Return the speed of PettingZoo's loop."""
    rows = [
        [game, str(players), *(cell(report, group="aec", game=game, players=players, path=path) for path in AEC_PATHS)]
        for report in reports("throughput")
        for game in values(report, "game", group="aec")
        for players in values(report, "players", group="aec", game=game)
    ]
    return markdown(["game", "players", *AEC_PATHS], rows, text_columns=2)


AEC_PATHS = ("raw_env", "env")


def peers() -> str:
    """Compare Hanabi with its peers, grouped by the content of a step."""
    report = load("peers")
    players_compared = values(report, "players")
    header = ["a step is", "who", *(f"{players} players" for players in players_compared)]
    rows = []
    for content, words in CONTENTS.items():
        for name in values(report, "peer", content=content):
            cells = [peer_cell(report, name, content, players) for players in players_compared]
            rows.append([words, f"**{name}**" if name.startswith("Hanabako") else name, *cells])
    return markdown(header, rows, text_columns=2) + "\n" + machine_line(report)


def peer_cell(report: dict, name: str, content: str, players: int) -> str:
    """Return a peer's speed, and how many times slower it is than ours."""
    rows = chosen(report, peer=name, content=content, players=players)
    if not rows:
        return "-"
    ratio = rows[0].get("slower_than_hanabako")
    return speed(rows[0]["steps_per_second"]) + (f" (1/{about(ratio)})" if ratio else "")


def about(ratio: float) -> str:
    """Return a ratio with two digits: repeats differ by some 10 %."""
    return f"{float(f'{ratio:.2g}'):,.{0 if ratio >= 9.95 else 1}f}"


def compile_time() -> str:
    """Return the times of cold and warm starts."""
    report = load("compile_time")
    rows = [
        [row["program"], f"{row['cold_seconds']:.1f} s", f"{row['warm_seconds']:.2f} s"] for row in report["results"]
    ]
    return markdown(["from nothing to one step", "first ever", "warm cache"], rows) + "\n" + machine_line(report)


def throughput() -> str:
    """Return the README's main figures: our fastest path and the fastest other implementation, two players."""
    report, on_gpu = load("peers"), load("device")
    fastest_there = max(row["steps_per_second"] for row in on_gpu["speed"])
    rows = []
    for content, words in CONTENTS.items():
        fastest = [
            max(chosen(report, content=content, players=2, is_ours=ours), key=lambda row: row["steps_per_second"])
            for ours in (True, False)
        ]
        ours, other = ((row["peer"], speed(row["steps_per_second"])) for row in fastest)
        rows.append([words, ours[0].removeprefix("Hanabako, "), ours[1], other[0], other[1]])
    header = ["a step is", "Hanabako's", "steps/s", "fastest other", "steps/s"]
    return (
        markdown(header, rows, text_columns=2).replace("| ---: | ---: | ---: |", "| ---: | --- | ---: |")
        + "\nStandard Hanabi, 2 players, uniformly random legal moves, new games dealt as they end; all in one run of\n"
        f"`python -m benchmarks.speed.peers` on one core of {report['machine']['processor']},\n"
        f"in CPU time, load average {report['machine']['load_average']}.\n"
        f"[On a GPU](docs/gpu.md), one {on_gpu['device']}: {speed(fastest_there)} steps/s with packed observations,\n"
        "in one short run; no other library was measured there. JaxMARL is made for accelerators.\n"
        "[benchmarks](benchmarks/README.md) has all figures.\n"
    )


def learner() -> str:
    """Return decisions per second of one learning process, by network and number type."""
    return learning_speeds(load("learner"))


def learning_speeds(report: dict) -> str:
    """Return the speeds in a report of `benchmarks.speed.learner`, and the shares of the peak if it has them."""
    rows = [
        [row["network"], str(row["width"]), row["trunk"], speed(row["steps_per_second"])] for row in report["results"]
    ]
    header = ["network", "width", "hidden layers", "decisions/s"]
    if all("share_of_peak" in row for row in report["results"]):
        header.append("share of the peak of matrix products")
        rows = [[*row, f"{found['share_of_peak']:.0%}"] for row, found in zip(rows, report["results"], strict=True)]
    settings = f"{report['settings']['games']} games, minibatches of {report['settings']['minibatch']}"
    return markdown(header, rows, text_columns=3) + f"\n{report['device']}; {settings}. " + machine_line(report)


def learners() -> str:
    """Return decisions per second of our learner and of others."""
    return learners_beside(load("learners"))


def learners_beside(report: dict) -> str:
    """Return the speeds in a report of `benchmarks.speed.learners`."""
    rows = []
    for row in report["results"]:
        name = f"**{row['peer']}**" if row["is_ours"] else row["peer"]
        rows.append([name, peer_cell(report, row["peer"], row["content"], row["players"])])
    ratio, commit = report["times_the_better"], report["jaxmarl_commit"]
    told = ""
    if ratio:
        told += f"With its defaults Hanabako learns from {about(ratio)} times as many decisions/s as the faster of the "
        told += "two others. "
    speeds = {row["peer"]: row["steps_per_second"] for row in report["results"]}
    if LIKE_JAXMARL in speeds and JAXMARL_IPPO in speeds:
        alike = about(speeds[LIKE_JAXMARL] / speeds[JAXMARL_IPPO])
        told += f"At JaxMARL's width and number of passes it learns from {alike} times as many as JaxMARL. "
    clone = f"JaxMARL's commit is {commit}. " if commit else ""
    return markdown(["learner", "decisions/s"], rows) + f"\n{told}{clone}" + machine_line(report)


def device() -> str:
    """Return the speeds of games and of the learner on a GPU, by number of games."""
    report = load("device")
    playing = [
        [f"{row['tables']:,}", speed(row["steps_per_second"]), f"{row['steps_per_second'] / row['bound']:.0%}"]
        for row in report["speed"]
    ]
    learning = [
        [f"{row['games']:,}", f"{row['minibatch']:,}", speed(row["decisions_per_second"])] for row in report["learning"]
    ]
    octets, copied = report["speed"][0]["bytes_per_step"], report["gib_per_second"]
    bound = f"The bound: a step reads and writes its {octets} bytes once, at the {copied:,} GiB/s of a copy. "
    same = f"{report['settings']['compared']:,} games over {report['settings']['compared_steps']} steps: "
    return (
        markdown(["games", "steps/s", "share of the memory's bound"], playing, text_columns=0)
        + "\n"
        + markdown(["games", "minibatch", "learned decisions/s"], learning, text_columns=0)
        + f"\nOne {report['device']}. {bound}{same}{report['equal']} to the CPU's. {machine_line(report)}"
    )


def device_kernels() -> str:
    """Return what the GPU kernels need per thread, by game, kernel and presets with the same need."""
    report = load("device_kernels")
    alike: dict[tuple[str, ...], list[str]] = {}
    for row in report["results"]:
        octets = row["spilled_bytes"] + row["stack_bytes"]
        need = row["game"], f"`{row['kernel']}`", row["observation"], str(row["registers"]), str(octets)
        alike.setdefault(need, []).append(f"`{row['preset']}`")
    rows = [[*need[:3], ", ".join(presets), *need[3:]] for need, presets in alike.items()]
    header = ["game", "kernel", "observation", "presets", "registers", "bytes on the stack or spilled"]
    compiled = "Compiled for capability {}.{}. ".format(*report["settings"]["capability"])
    return markdown(header, rows, text_columns=4) + "\n" + compiled + machine_line(report)


def clients() -> str:
    """Return how fast the recipes of other libraries play."""
    results = read_results(CLIENTS)
    rows = []
    for row in results:
        library = ", ".join(f"{name} {row['libraries'][name]}" for name in row["asked"]) if "libraries" in row else "-"
        if "failed" in row:
            rows.append([row["name"], row["recipe"] or "installing", library, "failed", "", ""])
        else:
            rate = speed(row["steps"] / row["seconds"])
            rows.append(
                [row["name"], f"`{row['recipe']}`", library, f"{row['steps']:,}", f"{row['seconds']:.1f}", rate]
            )
    header = ["library", "recipe", "versions", "decisions", "seconds", "decisions/s"]
    where = f"Measured on one core of {in_words([{**row['machine'], 'versions': row['versions']} for row in results])}."
    return markdown(header, rows, text_columns=3) + f"\n{where}\n"


def summary() -> str:
    """Return the scores of some networks."""
    from benchmarks.strength.shipped_networks import summary  # imports torch

    return summary()


def scale() -> str:
    """Return what the papers of the algorithms used, and what our comparisons used."""
    from benchmarks.strength.tables.scale import scale  # imports torch

    return scale()


def directions() -> str:
    """Return what papers say about cross-play, and what our comparisons found."""
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
