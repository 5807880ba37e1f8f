"""Write the scoreboards into `SCORES.md` beside this file and the project's README, from `results`.

python -m benchmarks.strength.scoreboard --measure               # play all bots of Hanabi again: 20,000 games of the
                                                               # standard game for 2 to 5 players, 5,000 of every
                                                               # variant for 2 and 5, and with four lives the bots
                                                               # that were published so
python -m benchmarks.strength.scoreboard --measure smart,cheat   # only these; the other results stay
python -m agents.evaluate hanabi --preset mini --agents random --json benchmarks/strength/results/random-mini.json
python -m agents.evaluate ikebana --agents random,greedy --tournament --json benchmarks/strength/results/ikebana-2p.json
python -m benchmarks.strength.scoreboard                         # the boards, from all of results/*.json
python -m benchmarks.strength.scoreboard --check                 # only say whether they are up to date
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.evaluation.report import Args, evaluate
from agents.networks.policy_file import training_in_words
from agents.registry import names
from agents.studies.generated import marks, update
from hanabako.files import write_rows
from hanabako.games import config_from_dict

from . import ppo_settings, zero_shot
from .ports import originals_board
from .solvers.ceiling import measuring
from .solvers.ceiling.measuring import Ceilings, ceiling_text

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PROGRAMS = RESULTS / "hanabi-standard-programs.json"
VARIANTS = RESULTS / "hanabi-variants-programs.json"
FOUR_LIVES = RESULTS / "hanabi-four-lives-programs.json"
ORIGINALS = RESULTS / "hanabi-originals.json"
GAMES, FEWER_GAMES, SEED = 20_000, 5_000, 1
PLAYERS = (2, 3, 4, 5)
FEWER_PLAYERS = (2, 5)
COMMAND = f"python -m {__spec__.name}"
PRESETS = (
    *("avalanche_5", "avalanche_10", "black_powder", "flamboyants", "final_bouquet", "choreography"),
    *("grands_feux_all", "all_extensions"),
)
HANSIM = ("recommendation", "information")  # their original's game has four lives, and five players
NO_RIVALS = ("random", "flawed", "internal", "outer", "vdb")  # not played in the variants
HEAD = (
    "| game | players | agent | observation | score | ceiling | fireworks count | perfect | lost | games | training |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
)


def board(results: Sequence[dict[str, Any]], ceilings: Ceilings) -> str:
    """The results in Markdown, best first in each game."""
    order = sorted(results, key=lambda result: (result["preset"], result["config"]["players"], -result["score"]))
    return "\n".join([*HEAD, *(row(result, ceilings) for result in order)])


def row(result: dict[str, Any], ceilings: Ceilings) -> str:
    """One line of `board`."""
    cells = [
        f"{result['config']['game']} {result['preset']}",
        result["config"]["players"],
        " with ".join(dict.fromkeys(map(agent_name, result["agents"]))),
        result["observation"],
        f"{result['score']:.2f} ± {result['score_error']:.2f}",
        ceiling_text(ceilings, result["preset"], result["config"]["players"]),
        f"{result['fireworks_score']:.2f} ± {result['fireworks_score_error']:.2f}",
        f"{result['perfect_rate']:.1%}",
        f"{result['lost_rate']:.2%}",
        f"{result['games']:,}",
        "; ".join(dict.fromkeys(training_in_words(about) for about in result["training"] if about)) or "none",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def agent_name(name: str) -> str:
    """Networks are told apart by how they were trained, so they share a name."""
    return "PPO" if name.endswith(".safetensors") else name


# --- Bots -------------------------------------------------------------------------------------------------------------


def measure(bots: Sequence[str], num_threads: int) -> None:
    """Play bots of Hanabi with themselves, and keep the results beside those of the others."""
    every = Args("hanabi", games=GAMES, seed=SEED, num_threads=num_threads)
    standard = [replace(every, agents=name, players=players) for name in bots for players in PLAYERS]
    keep(PROGRAMS, standard)
    hansim = replace(every, players=5, config=("max_life_tokens=4",))
    keep(FOUR_LIVES, [replace(hansim, agents=name) for name in bots if name in HANSIM])
    variants = [
        replace(every, agents=name, preset=preset, players=players, games=FEWER_GAMES)
        for preset in PRESETS
        for players in FEWER_PLAYERS
        for name in bots
        if name not in NO_RIVALS
    ]
    keep(VARIANTS, variants)


def keep(path: Path, lots: Sequence[Args]) -> None:
    """Play, and write one line per result; a bot that refuses a config is left out.

    Results stand in the order of the configs, then of the bots.
    """
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    by_lot = {lot_of(result): result for result in results}
    for args in lots:
        try:
            result = evaluate(args)
        except ValueError as refusal:
            print(refusal)
        else:
            by_lot[lot_of(result)] = result
    order = {name: k for k, name in enumerate(names("hanabi"))}
    kept = sorted(by_lot.items(), key=lambda item: (item[0][:2], order.get(item[0][2], len(order))))
    write_rows(path, [result for _, result in kept])


def lot_of(result: Mapping[str, Any]) -> tuple[int, int, str]:
    """What tells a result from all others: the preset's place, the number of players, the bot."""
    preset = result["preset"]
    return PRESETS.index(preset) if preset in PRESETS else -1, result["config"]["players"], result["agents"][0]


def programs_board(results: Sequence[dict[str, Any]], ceilings: Ceilings) -> str:
    """One line per bot, one column per number of players; the ceiling, then best first by the mean over the columns."""
    cells: dict[str, dict[int, dict[str, Any]]] = {}
    for result in results:
        cells.setdefault(result["agents"][0], {})[result["config"]["players"]] = result
    order = sorted(cells, key=lambda name: -sum(result["score"] for result in cells[name].values()) / len(cells[name]))
    head = [
        "| agent | " + " | ".join(f"{players} players" for players in PLAYERS) + " |",
        "|---|" + "---|" * len(PLAYERS),
    ]
    ceiling = " | ".join(ceiling_text(ceilings, "standard", players) for players in PLAYERS)
    return "\n".join([*head, f"| *ceiling* | {ceiling} |", *(programs_row(name, cells[name]) for name in order)])


def programs_row(name: str, cells: Mapping[int, dict[str, Any]]) -> str:
    """One line of `programs_board`."""
    texts = [score_text(cells[players]) if players in cells else "" for players in PLAYERS]
    return f"| {name} | " + " | ".join(texts) + " |"


def score_text(result: dict[str, Any]) -> str:
    """Both scores and the rate of perfect games."""
    both = f"**{result['score']:.2f}** ± {result['score_error']:.3f}"
    if result["lost_rate"]:
        both += f"; {result['fireworks_score']:.2f}"
    return both + (f" ({result['perfect_rate']:.1%})" if result["perfect_rate"] else "")


def variants_board(results: Sequence[dict[str, Any]], ceilings: Ceilings) -> str:
    """One line per variant, one column per bot, the best of those that do not cheat in bold; and the ceiling."""
    bots = list(dict.fromkeys(result["agents"][0] for result in results))
    cells: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for result in results:
        cells.setdefault((result["preset"], result["config"]["players"]), {})[result["agents"][0]] = result
    lines = [
        "| variant | players | of | " + " | ".join(bots) + " | ceiling |",
        "|---|---|---|" + "---|" * (len(bots) + 1),
    ]
    for (preset, players), row_cells in cells.items():
        best = max((name for name in row_cells if "cheat" not in name), key=lambda name: row_cells[name]["score"])
        texts = [variant_text(row_cells.get(name), name == best) for name in bots]
        texts.append(ceiling_text(ceilings, preset, players))
        most = config_from_dict(next(iter(row_cells.values()))["config"]).max_score
        lines.append(f"| {preset} | {players} | {most} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def variant_text(result: dict[str, Any] | None, is_best: bool) -> str:
    """The score and, where there are any, the rate of perfect games."""
    if result is None:
        return ""
    score = f"{result['score']:.2f}"
    perfect = f" ({result['perfect_rate']:.0%})" if result["perfect_rate"] >= 0.005 else ""
    return (f"**{score}**" if is_best else score) + f" ± {result['score_error']:.2f}{perfect}"


# --- Competitive games ------------------------------------------------------------------------------------------------


def contests_board(results: Sequence[dict[str, Any]]) -> str:
    """One part per tournament: how often the row's agent beats the column's, with a 95 % interval; best agent first."""
    return "\n\n".join(map(tournament_board, results))


def tournament_board(result: dict[str, Any]) -> str:
    """One tournament under its title."""
    matches = result["tournament"]["matches"]
    won = {tuple(match["agents"]): match for match in matches}
    ratings = {rating["name"]: rating for rating in result["tournament"]["ratings"]}  # best first
    trained = [
        f"PPO: {training_in_words(about)}, observation {result['observation']}" for about in result["training"] if about
    ]
    games = matches[0]["games"]
    title = f"{result['config']['game']} {result['preset']}, {result['config'].get('players', 2)} players"
    lines = [
        f"**{title}**, {games:,} games a pair. {'. '.join(trained)}".rstrip(),
        "",
        "| beats | " + " | ".join(map(agent_name, ratings)) + " | rating (Elo) |",
        "|---|" + "---|" * (len(ratings) + 1),
    ]
    for name, rating in ratings.items():
        cells = [won_text(won, name, other) for other in ratings]
        cells.append(f"{rating['rating']:+.0f} ± {1.96 * rating['error']:.0f}")
        lines.append(f"| {agent_name(name)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def won_text(won: Mapping[tuple[str, ...], dict[str, Any]], one: str, other: str) -> str:
    """How often one agent beats the other."""
    if one == other:
        return ""
    match = won.get((one, other)) or won[other, one]
    return f"{rate_of(won, one, other):.1%} ± {1.96 * match['won_error']:.1%}"


def rate_of(won: Mapping[tuple[str, ...], dict[str, Any]], one: str, other: str) -> float:
    """The part of their games that one agent wins against the other."""
    if (one, other) in won:
        return won[one, other]["won"]
    return 1 - won[other, one]["won"] - won[other, one]["drawn"]


# --- Documents --------------------------------------------------------------------------------------------------------


def read_results() -> list[dict[str, Any]]:
    """Everything in ``benchmarks/strength/results``."""
    results: list[dict[str, Any]] = []
    for path in sorted(RESULTS.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        results += content if isinstance(content, list) else [content]
    return results


def boards() -> dict[str, str]:
    """The text of every board by its name in the documents."""
    paths = (PROGRAMS, VARIANTS, FOUR_LIVES, ORIGINALS)
    standard, variants, four_lives, originals = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    results, swept, ceilings = (
        read_results(),
        json.loads(ppo_settings.RESULTS.read_text(encoding="utf-8")),
        measuring.read_ceilings(),
    )
    programs = [*standard, *variants, *four_lives]
    others = [result for result in results if "score" in result and result not in programs]
    return {
        "contests": contests_board([result for result in results if "tournament" in result]),
        "scoreboard": board(others, ceilings),
        "programs": programs_board(standard, ceilings),
        "variants": variants_board(variants, ceilings),
        "originals": originals_board(originals, [*standard, *four_lives]),
        "ceiling": measuring.ceiling_board(measuring.read_results()),
        "sweep": ppo_settings.table(swept),
        "networks": ppo_settings.networks_board(swept),
        "zero-shot": zero_shot.table(zero_shot.read_results()),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether the READMEs are up to date")
    parser.add_argument("--measure", nargs="?", const="", metavar="NAME,...", help="first play bots of Hanabi")
    parser.add_argument("--num-threads", type=int, default=1, help="with --measure: games at the same time")
    options = parser.parse_args(arguments)
    if options.measure is not None:
        measure(options.measure.split(",") if options.measure else names("hanabi"), options.num_threads)
    texts = boards()
    for document in (HERE / "SCORES.md", HERE.parents[1] / "README.md"):
        here = [(name, texts[name]) for name in marks(document.read_text(encoding="utf-8")) if name in texts]
        update(document, here, options.check, COMMAND)


if __name__ == "__main__":
    main()
