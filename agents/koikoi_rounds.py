"""Points per round between Koi-Koi's players, and what dealing is worth: measured, and written to agents/SCORES.md.

    python -m agents.koikoi_rounds --measure --network document=runs/A/policy.safetensors
    python -m agents.koikoi_rounds   # write the part of agents/SCORES.md from the results beside it

A match is 10,000 deals of one round, each played twice with the seats exchanged: 20,000 rounds in which both players
deal equally often. Errors are over deals.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from hanabako.files import write_text
from hanabako.games import game_of
from hanabako.pages.generated import update
from hanafuda_env import PRESETS, KoiKoiConfig

from .bots.block import Block
from .bots.bot import BotPolicy
from .bots.koikoi.monte_carlo import monte_carlo
from .bots.policy import Policy
from .evaluation.contest import HeadToHead, head_to_head
from .evaluation.playing import steps_of
from .registry import load

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "koikoi-rounds.json"
PAGE = HERE / "SCORES.md"
DEALS, SEED = 10_000, 1
MEASURED = ("document", "koikoi_japan")
PLAYERS = ("random", "greedy_stop", "always_koi", "counting", "monte_carlo")
ROLL_OUTS = 200
COMMAND = f"python -m {__spec__.name}"


def round_of(preset: str) -> KoiKoiConfig:
    """One round of a preset, paid in points."""
    return replace(PRESETS[preset], rounds=1, reward="points")


def players_of(config: KoiKoiConfig, network: str | None) -> dict[str, Policy]:
    """Everybody who takes part, by name."""
    players = {name: load(name, config) for name in PLAYERS}
    players["monte_carlo"] = BotPolicy(monte_carlo(ROLL_OUTS), config)
    return players if network is None else players | {"PPO": load(network, config)}


def match(config: KoiKoiConfig, one: Policy, other: Policy, deals: int, num_threads: int) -> dict[str, float | None]:
    """Mean points that ``one`` scores more than ``other`` in a round, and how often it wins a round."""
    lead = head_to_head(config, one, other, deals, SEED, num_threads).lead
    found = HeadToHead(lead / 2).summary()  # counted from both sides
    names = {"points": "lead", "points_error": "lead_error", "won": "won", "won_error": "won_error", "drawn": "drawn"}
    return {name: found[own] for name, own in names.items()}


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


def measure(networks: Mapping[str, str], deals: int, num_threads: int) -> dict[str, Any]:
    """All matches of all measured presets, as JSON types."""
    results: dict[str, Any] = {"deals": deals, "seed": SEED, "roll_outs": ROLL_OUTS, "presets": {}}
    for preset in MEASURED:
        config = round_of(preset)
        players = players_of(config, networks.get(preset))
        results["presets"][preset] = {
            "matches": [
                {"agents": [one, other], **match(config, players[one], players[other], deals, num_threads)}
                for one, other in combinations(players, 2)
            ],
            "dealer": {name: dealer_share(config, policy, 2 * deals) for name, policy in players.items()},
            "training": training_of(networks.get(preset)),
        }
    return results


def training_of(network: str | None) -> dict[str, Any] | None:
    """How a network was trained, from its file."""
    if network is None:
        return None
    from .networks.neural_policy import read_metadata

    about = read_metadata(Path(network))["about"]
    return {key: about[key] for key in ("steps", "seconds", "ranks") if key in about}


# --- The page ---------------------------------------------------------------------------------------------------------


def page(results: Mapping[str, Any]) -> str:
    """All presets in Markdown."""
    return "\n\n".join(preset_matrix(name, part, results) for name, part in results["presets"].items())


def preset_matrix(preset: str, part: Mapping[str, Any], results: Mapping[str, Any]) -> str:
    """Everybody against everybody: points per round, and rounds won; the dealer's share last."""
    cells = {}
    for row in part["matches"]:
        one, other = row["agents"]
        cells[one, other] = cell(row["points"], row["points_error"], row["won"], row["won_error"])
        lost = 1 - row["won"] - row["drawn"]
        cells[other, one] = cell(-row["points"], row["points_error"], lost, row["won_error"])
    names = list(part["dealer"])
    trained = part["training"]
    note = f" PPO: {trained['steps'] / 1e6:.0f} M decisions, {trained['seconds'] / 60:.1f} min." if trained else ""
    lines = [
        f"**{preset}**, {2 * results['deals']:,} rounds a pair; {results['roll_outs']:,} roll-outs a decision.{note}",
        "",
        "| points a round against | " + " | ".join(names) + " | dealer wins |",
        "|---|" + "---|" * (len(names) + 1),
    ]
    for name in names:
        share = part["dealer"][name]
        dealt = f"{share['dealer_wins'] / share['decided']:.1%}"
        row = " | ".join(cells.get((name, other), "") for other in names)
        lines.append(f"| {name} | {row} | {dealt} |")
    return "\n".join(lines)


def cell(points: float, error: float, won: float, won_error: float) -> str:
    """Points with their 95 % interval, then the rate of rounds won with its own."""
    return f"{points:+.2f} ± {1.96 * error:.2f} ({won:.1%} ± {1.96 * won_error:.1%})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, if asked to, and write the page."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=main.__doc__)
    parser.add_argument("--measure", action="store_true", help="play all matches; otherwise only the page is written")
    parser.add_argument("--network", action="append", default=[], metavar="PRESET=FILE", help="a policy of agents.ppo")
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--num-threads", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    options = parser.parse_args(arguments)
    if options.measure:
        networks = dict(text.split("=", 1) for text in options.network)
        write_text(RESULTS, json.dumps(measure(networks, options.deals, options.num_threads), indent=1) + "\n")
    generated = [("koikoi", page(json.loads(RESULTS.read_text())))]
    update(PAGE, generated, options.check, COMMAND)


if __name__ == "__main__":
    main()
