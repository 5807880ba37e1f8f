"""Points per round between Koi-Koi's players, and what dealing is worth: written to benchmarks/strength/SCORES.md.

    python -m benchmarks.strength.koikoi_rounds --measure  # how often dealers win, of everybody
    python -m benchmarks.strength.koikoi_rounds --responses RUN... # what best responses earn
    python -m benchmarks.strength.koikoi_rounds --long     # the networks against 2,000 roll-outs a decision
    python -m benchmarks.strength.koikoi_rounds            # write the part of benchmarks/strength/SCORES.md
    from the results beside it

A match is 10,000 deals of one round, each played twice with the seats exchanged: 20,000 rounds in which both players
deal equally often. Errors are over deals. The matches are those of the shipped networks' tournaments, which
`hanabako study run shipped_networks` has played. A best response to a shipped network is trained as that was
in the end (`agents.learning.recipes`), with ``--start`` its file, ``--partners`` its name and ``--steps 15000000``. The
long matches, 100,000 rounds each, grow by some deals at a time; what was interrupted goes on where it was, unless the
network is another by now.
"""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agents.bots.koikoi.monte_carlo import ROLL_OUTS
from agents.evaluation.matches import head_to_head, one_round
from agents.learning.common.launch import usable_cores
from agents.learning.league import exploitability
from agents.networks.policy_file import read_metadata, training_in_words
from agents.playing.block import Block
from agents.playing.play import steps_of
from agents.playing.policy import Policy
from agents.registry import fingerprints, load, rows_still_true
from agents.studies.generated import update
from agents.studies.growing import grow, made_by
from agents.studies.store import read_results
from hanabako.files import read_json, write_text
from hanabako.games import game_of
from hanafuda_env import PRESETS, KoiKoiConfig

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "koikoi-rounds.json"
LONG_RESULTS = RESULTS.with_name("koikoi-long.json")
PAGE = HERE / "SCORES.md"
ROUNDS, SEED = 20_000, 1
MEASURED = ("document", "koikoi_japan")
RIVAL, LONG_ROUNDS = "monte_carlo:2000", 100_000
AT_ONCE = 1_000
"""Deals of a long match between two looks at the clock."""
COMMAND = f"python -m {__spec__.name}"


def round_of(preset: str) -> KoiKoiConfig:
    """One round of a preset, paid in points."""
    return one_round(PRESETS[preset])


def dealer_share(config: KoiKoiConfig, policy: Policy, rounds: int) -> dict[str, Any]:
    """How many of the decided rounds the dealer wins when a player meets itself, by 1,000 at a time."""
    game = game_of(config).make_game(config)
    won = decided = 0
    for first in range(0, rounds, 1000):
        block = Block(game, 1000, policy.observes, specialize=False)
        for tables in steps_of(block, [policy] * 2, SEED, first):
            ended = tables[tables["ended"]]
            won += int(ended["dealer_wins"].sum())
            decided += int((ended["rounds_won_0"] + ended["rounds_won_1"]).sum())
    return {"dealer_wins": won, "decided": decided}


def measure(rounds: int) -> dict[str, Any]:
    """The dealer's share of everybody in the tournaments, as JSON types."""
    presets = {}
    for preset in MEASURED:
        config = round_of(preset)
        presets[preset] = {name: dealer_share(config, load(name, config), rounds) for name in contest(preset)["agents"]}
    return {"rounds": rounds, "seed": SEED, "presets": presets}


def contest(preset: str) -> dict[str, Any]:
    """The tournament of a preset's network and the bots."""
    rows = {row["network"]: row for row in read_results(RESULTS.with_name("shipped_networks.json"))}
    return rows[network_of(preset)]["evaluation"]


def network_of(preset: str) -> str:
    """The name of the network that ships for a preset."""
    return f"koikoi-{preset}-2p"


def response(run_dir: Path, deals: int) -> dict[str, Any]:
    """What a run earns against the shipped network that was its partner, and what it cost, as JSON types."""
    about = read_metadata(run_dir / "policy.safetensors")["about"]
    costs = {name: about[name] for name in ("steps", "core_seconds", "processor")}
    found = exploitability(run_dir, deals, SEED)
    against = read_json(run_dir / "config.json")["args"]["partners"]
    return {"against": ", ".join(against), "lead": found["lead"], "lead_error": found["lead_error"], **costs}


class LongMatch(NamedTuple):
    """A preset's network against `RIVAL`. See `agents.studies.growing.GrowingRow`; its games are deals."""

    preset: str

    @property
    def key(self) -> tuple[str, str]:
        """Who plays."""
        return network_of(self.preset), RIVAL

    @property
    def wanted(self) -> int:
        """How many deals, each played twice."""
        return LONG_ROUNDS // 2


def played(row: LongMatch, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The result ``before`` with `AT_ONCE` more deals, as JSON types."""
    config, (name, rival), cores = round_of(row.preset), row.key, usable_cores()
    nothing = {"deals": 0, "lead_sum": 0.0, "lead_squares": 0.0, "won_sum": 0.0}
    who = {"network": name, "rival": rival}
    result = dict(before or {**who, "networks": fingerprints(name, rival), **nothing})
    result |= made_by("benchmarks.strength.koikoi_rounds --long")
    match = head_to_head(config, load(name, config), load(rival, config), AT_ONCE, SEED, cores, first=result["deals"])
    leads = match.lead.mean(axis=1)
    result["deals"] += len(leads)
    result["lead_sum"] += float(leads.sum())
    result["lead_squares"] += float((leads**2).sum())
    result["won_sum"] += float((match.lead > 0).mean(axis=1).sum())
    return result


def long_matches() -> list[dict[str, Any]]:
    """The long matches as far as they were played by the networks that ship now."""
    return rows_still_true(LONG_RESULTS, "network", "rival")


def play_long_matches() -> None:
    """Play what is missing of them."""
    results = {(row["network"], row["rival"]): row for row in long_matches()}
    grow(LONG_RESULTS, results, [LongMatch(preset) for preset in MEASURED], played, lambda row: row["deals"])


# --- The page ---------------------------------------------------------------------------------------------------------


def page(results: Mapping[str, Any]) -> str:
    """All presets in Markdown, and the best responses."""
    matrices = [preset_matrix(preset, dealers) for preset, dealers in results["presets"].items()]
    return "\n\n".join([*matrices, long_board(long_matches()), responses_board(results)])


def long_board(rows: Sequence[Mapping[str, Any]]) -> str:
    """The networks that ship against much thought."""
    lines = ["| network | against | points a round | rounds won | rounds |", "|---|---|---|---|---|"]
    for row in rows:
        deals = row["deals"]
        mean = row["lead_sum"] / deals
        error = math.sqrt((row["lead_squares"] / deals - mean**2) / (deals - 1))
        points = f"{mean / 2:+.3f} ± {1.96 * error / 2:.3f}"  # counted from both sides
        lines.append(f"| {row['network']} | {row['rival']} | {points} | {row['won_sum'] / deals:.1%} | {2 * deals:,} |")
    return "\n".join(lines)


def responses_board(results: Mapping[str, Any]) -> str:
    """How much more than the shipped network somebody earns who was trained against it."""
    lines = ["| trained against | training | wins of it, points a round |", "|---|---|---|"]
    for row in results["responses"]:
        points, error = row["lead"] / 2, row["lead_error"] / 2
        lines.append(f"| {row['against']} | {training_in_words(row)} | {points:+.2f} ± {1.96 * error:.2f} |")
    return "\n".join(lines)


def preset_matrix(preset: str, dealers: Mapping[str, Any]) -> str:
    """Everybody against everybody: points per round, and rounds won; the dealer's share last."""
    cells, played = {}, contest(preset)
    for row in played["tournament"]["matches"]:
        one, other = row["agents"]
        points, error = row["lead"] / 2, row["lead_error"] / 2  # counted from both sides
        cells[one, other] = cell(points, error, row["won"], row["won_error"])
        cells[other, one] = cell(-points, error, 1 - row["won"] - row["drawn"], row["won_error"])
    lines = [
        f"**{preset}**, {2 * played['games']:,} rounds a pair; {ROLL_OUTS:,} roll-outs a decision.",
        "",
        "| points a round against | " + " | ".join(dealers) + " | dealer wins |",
        "|---|" + "---|" * (len(dealers) + 1),
    ]
    for name, share in dealers.items():
        row = " | ".join(cells.get((name, other), "") for other in dealers)
        lines.append(f"| {name} | {row} | {share['dealer_wins'] / share['decided']:.1%} |")
    return "\n".join(lines)


def cell(points: float, error: float, won: float, won_error: float) -> str:
    """Points with their 95 % interval, then the rate of rounds won with its own."""
    return f"{points:+.2f} ± {1.96 * error:.2f} ({won:.1%} ± {1.96 * won_error:.1%})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, if asked to, and write the page."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=main.__doc__)
    parser.add_argument("--measure", action="store_true", help="count dealers' rounds; otherwise the page is written")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    parser.add_argument("--responses", type=Path, nargs="+", metavar="RUN", help="best responses to measure")
    parser.add_argument("--long", action="store_true", help="play the long matches, or go on with them")
    options = parser.parse_args(arguments)
    results = read_json(RESULTS)
    if options.measure:
        results |= measure(options.rounds)
    if options.responses:
        results["responses"] = [response(run_dir, options.rounds // 2) for run_dir in options.responses]
    if options.measure or options.responses:
        write_text(RESULTS, json.dumps(results, indent=1) + "\n")
    if options.long:
        play_long_matches()
    generated = [("koikoi", page(results))]
    update(PAGE, generated, options.check, COMMAND)


if __name__ == "__main__":
    main()
