"""Generate the measured figures in the READMEs from the committed JSON, so that no number is typed by hand.

    python -m benchmarks.pages           # write them into README.md, other pages and agents/scores.json
    python -m benchmarks.pages --check   # only check whether they are up to date

A document has the part ``name`` between the lines ``<!-- begin name -->`` and ``<!-- end name -->``.
"""

import json
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
from hanabako.games import make_config
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
    "learning": "a decision that is learned from",
}
"""Descriptions of the contents of a step in `benchmarks.speed.peers` and `benchmarks.speed.learners`."""
UNITS = {"hanabi": "Hanabi", "ikebana": "Ikebana, Elo", "koikoi": "Koi-Koi, points a round"}
"""The games in the README's table, with the units of their scores."""


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


def peers() -> str:
    """Compare Hanabi and its learner with their peers."""
    return by_content([*load("peers"), *load("learners")])


def by_content(rows: Results) -> str:
    """Return the speeds in rows of `benchmarks.speed.peers` and `benchmarks.speed.learners`, by content of a step."""
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
    """Return the README's sentence about speed: our fastest path and the fastest other implementation, two players."""
    rows = load("peers", players=2, content="acting")
    fastest = [max(chosen(rows, is_ours=is_ours), key=lambda row: row["steps_per_second"]) for is_ours in (True, False)]
    ours, other = (speed(row["steps_per_second"]) for row in fastest)
    return (
        f"Speed: **{ours} steps/s** of Hanabi with observations, random play on one core. The fastest other\n"
        f"({fastest[1]['peer']}) makes {other} ([benchmarks](benchmarks/README.md#hanabi-beside-its-peers)).\n"
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
    """Return how many times faster our learner is than others."""
    return learners_beside(load("learners"))


def learners_beside(rows: Results) -> str:
    """Compare the rows of `benchmarks.speed.learners` in sentences."""
    sentences = []
    if ratio := times_the_better(rows):
        sentences.append(
            f"With its defaults Hanabako learns from {about(ratio)} times as many decisions/s as the faster of the "
            "two others."
        )
    speeds = {row["peer"]: row["steps_per_second"] for row in rows}
    if LIKE_JAXMARL in speeds and JAXMARL_IPPO in speeds:
        alike = about(speeds[LIKE_JAXMARL] / speeds[JAXMARL_IPPO])
        sentences.append(f"At JaxMARL's width and number of passes it learns from {alike} times as many as JaxMARL.")
    sentences += [f"JaxMARL's commit is {row['clone']}." for row in rows if row.get("clone")]
    return " ".join(sentences) + "\n"


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


def clients() -> str:
    """Return how fast the recipes of other libraries play."""
    rows = read_results(CLIENTS)
    lines = []
    for row in rows:
        library = f"{row['name']} {row['libraries'][row['asked'][0]]}" if "libraries" in row else row["name"]
        if "failed" in row:
            lines.append([library, row["recipe"] or "installing", "failed", "", ""])
        else:
            counts = (f"{row['steps']:,}", f"{row['seconds']:.2g}", speed(row["steps"] / row["seconds"]))
            lines.append([library, f"`{row['recipe']}`", *counts])
    head = ["library", "recipe", "decisions", "seconds", "decisions/s"]
    return shown(
        head, lines, rows, "From the first step to the end; one core each. SB3, RLlib and OpenSpiel also learn."
    )


def summary() -> str:
    """Return the README's table: the scores of random play and of the best bots, networks and published agents."""
    from hanabako.agents.learning.common.published_scores import PUBLISHED
    from hanabako.agents.registry import pretrained

    from .agent_scores import results_of  # imports torch

    found: dict[tuple[str, int], dict[str, float]] = {}
    for row in [*results_of("hanabi_bots"), *results_of("shipped_networks")]:
        if (row["game"], row["preset"]) == ("hanabi", "standard") and len(row["line_up"]) == 1:
            found.setdefault(("hanabi", row["players"]), {})[row["line_up"][0]] = row["score"]
    for game in ("ikebana", "koikoi"):
        scores = json.loads(SCORES.read_text(encoding="utf-8"))[game]
        same = {name: one["score"] for name, one in scores.items() if one["preset"] == scores["random"]["preset"]}
        found[game, 2] = {name: score for name, score in same.items() if scores[name]["players"] == 2}
    lines = []
    for (game, players), scores in found.items():
        config, networks = make_config(game, players=None if players == 2 else players), pretrained(game)
        bots = [name for name in scores if name not in (*networks, "random", "cheat")]
        papers = [one for one in PUBLISHED if (game, one.players) == ("hanabi", players) and one.ours != "cheat"]
        best = max(papers, key=lambda one: one.score, default=None)
        cells = [f"{config.observation_bits} bits", in_digits(scores["random"]), best_of(scores, bots)]
        cells += [best_of(scores, networks), "-" if best is None else f"{best.score:.2f} {best.name}"]
        lines.append([UNITS[game], players, *cells])
    columns = ["game", "players", "observation", "random", "best bot", "best network", "published, without search"]
    return table(columns, lines) + "\n"


def best_of(scores: dict[str, float], names: Iterable[str]) -> str:
    """Return the best of the named agents with its score."""
    name = max((name for name in names if name in scores), key=lambda name: scores[name])
    return f"{in_digits(scores[name])} `{name}`"


def in_digits(score: float) -> str:
    """Return a score with two decimals; from 100 on, which only ratings have, with none."""
    return f"{score:.{0 if abs(score) >= 100 else 2}f}"


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
    "peers": peers,
    "compile-time": compile_time,
    "learner": learner,
    "learners": learners,
    "device": device,
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
