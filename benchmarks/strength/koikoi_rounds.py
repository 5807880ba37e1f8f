"""Points per round between Koi-Koi's players, and the value of being the dealer.

    hanabako study run koikoi_rounds --where preset=document               # how often the dealer wins
    hanabako study run koikoi_rounds --where rival=monte_carlo:2000 --cores 2          # the long matches
    hanabako study run koikoi_rounds --where against=koikoi-document-2p    # train and measure a best response

The matches between all players (10,000 one-round deals with both seatings) are those of the shipped networks'
tournaments, played by `hanabako study run shipped_networks`. Here each player plays 20,000 rounds against itself, to
count how often the dealer wins. A long match is 50,000 deals, with both seatings, of a shipped network against
`monte_carlo` with many roll-outs. A best response starts from a shipped network and is trained against that network,
which stays fixed: by its last recipe (`benchmarks.recipes`) for 15 M decisions. It is then measured on 10,000 deals
with both seatings. Its run is kept in ``runs/koikoi_rounds``.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import ppo
from agents.bots.koikoi.monte_carlo import ROLL_OUTS
from agents.evaluation.matches import head_to_head, one_round, points_taken
from agents.learning.common.launch import ranks_for, train_to_the_end
from agents.networks.neural_policy import load_policy
from agents.networks.policy_file import read_metadata
from agents.playing.block import block_for
from agents.playing.play import steps_of
from agents.playing.policy import Policy
from agents.registry import PRETRAINED, fingerprints, load, names
from agents.studies import Row, Study
from agents.studies.store import read_results
from benchmarks.recipes import RECIPES
from hanabako.games import config_from_dict
from hanafuda_env import PRESETS, KoiKoiConfig

from .tables.markdown import training_in_words

RESULTS = Path(__file__).resolve().parent / "results"
RUNS = Path("runs") / "koikoi_rounds"
SEED, AT_ONCE = 1, 1000
"""AT_ONCE: the number of deals in a part."""
STEPS, MATCH_SIZE = 15_000_000, 10_000
"""For a best response: the number of decisions in training, and of deals in the measurement."""
MEASURED = ("document", "koikoi_japan")


def network_of(preset: str) -> str:
    """Return the name of the network that ships for a preset."""
    return f"koikoi-{preset}-2p"


def players_of(preset: str) -> list[str]:
    """Return the players in a preset's tournament: all bots, and the network that ships."""
    return [*sorted(names("koikoi")), network_of(preset)]


def round_of(preset: str) -> KoiKoiConfig:
    """Return the config of one round of a preset, paid in points."""
    return one_round(PRESETS[preset])


@dataclass(frozen=True)
class Dealer(Row):
    """Rounds of a player against itself, to count those that the dealer wins."""

    preset: str
    agent: str

    @property
    def agents(self) -> list[str]:
        """The player."""
        return [self.agent]


@dataclass(frozen=True)
class LongMatch(Row):
    """Deals of a network against a slow bot."""

    network: str
    rival: str

    @property
    def agents(self) -> list[str]:
        """Both players."""
        return [self.network, self.rival]


@dataclass(frozen=True)
class Response(Row):
    """A best response to a network that ships, by one training run."""

    against: str

    @property
    def agents(self) -> list[str]:
        """The network."""
        return [self.against]

    @property
    def cores(self) -> int:
        """The cores that the run's ranks use."""
        return ranks_for(ppo.Args())


ROWS: list[Row] = [Dealer(preset, name, wanted=20_000) for preset in MEASURED for name in players_of(preset)]
ROWS += [LongMatch(network_of(preset), "monte_carlo:2000", wanted=50_000) for preset in MEASURED]
ROWS += [Response(network_of(preset)) for preset in MEASURED]


# --- Play -------------------------------------------------------------------------------------------------------------


def played(row: Row, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Play the next part of a row, and return it together with ``before``."""
    match row:
        case Dealer():
            return counted(row, before or {"done": 0, "dealer_wins": 0, "decided": 0})
        case LongMatch():
            return longer(row, before or {"done": 0, "lead_sum": 0.0, "lead_squares": 0.0, "won_sum": 0.0})
        case Response():
            return responded(row)
    raise TypeError(f"koikoi_rounds plays no {type(row).__name__}")


def counted(row: Dealer, before: Mapping[str, Any]) -> dict[str, Any]:
    """Count more rounds of a player against itself."""
    config, done = round_of(row.preset), before["done"]
    rounds = min(AT_ONCE, row.wanted - done)
    more = dealer_share(config, load(row.agent, config), rounds, first=done)
    return {"done": done + rounds, **{name: before[name] + count for name, count in more.items()}, "seed": SEED}


def dealer_share(config: KoiKoiConfig, policy: Policy, rounds: int, first: int = 0) -> dict[str, int]:
    """Count the rounds that the dealer wins, and those that are decided, of a player against itself.

    Args:
        config: the config of one round.
        policy: the player.
        rounds: number of rounds.
        first: number of the first round.
    """
    block = block_for(config, rounds, [policy], specialize=False)
    won = decided = 0
    for tables in steps_of(block, [policy] * 2, SEED, first):
        ended = tables[tables["ended"]]
        won += int(ended["dealer_wins"].sum())
        decided += int((ended["rounds_won_0"] + ended["rounds_won_1"]).sum())
    return {"dealer_wins": won, "decided": decided}


def longer(row: LongMatch, before: Mapping[str, Any]) -> dict[str, Any]:
    """Play more deals of a long match; results are sums over deals of the means over both seatings."""
    (config,) = [round_of(preset) for preset in MEASURED if network_of(preset) == row.network]
    deals = min(AT_ONCE, row.wanted - before["done"])
    one, other = load(row.network, config), load(row.rival, config)
    match = head_to_head(config, one, other, deals, SEED, first=before["done"])
    leads = match.lead.mean(axis=1)
    return {
        "done": before["done"] + deals,
        "lead_sum": before["lead_sum"] + float(leads.sum()),
        "lead_squares": before["lead_squares"] + float((leads**2).sum()),
        "won_sum": before["won_sum"] + float((match.won == 1).mean(axis=1).sum()),
    }


def responded(row: Response) -> dict[str, Any]:
    """Train a best response, or resume its training; return its lead against the network, and its cost.

    Raises:
        SystemExit: training was interrupted.
        ValueError: training failed.
    """
    name, recipe = row.against, RECIPES[row.against]
    run_dir = RUNS / f"{name}-{fingerprints(name)[name]}"
    settings = [*recipe.arguments(), "--steps", str(STEPS)]
    settings += ["--start", str(PRETRAINED / f"{name}.safetensors"), "--partners", name]
    command = f"hanabako study run koikoi_rounds --where against={name}"
    train_to_the_end(row.cores, run_dir, settings, command, recipe.learner)
    metadata = read_metadata(file := run_dir / "policy.safetensors")
    about, config = metadata["about"], one_round(config_from_dict(metadata["config"]))
    found = head_to_head(config, load_policy(file, config), load(name, config), MATCH_SIZE, SEED).summary()
    costs = {cost: about[cost] for cost in ("steps", "core_seconds", "processor")}
    return {"done": 1, "lead": found["lead"], "lead_error": found["lead_error"], **costs, "seed": SEED}


# --- The table --------------------------------------------------------------------------------------------------------


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """Return the tables of all presets' matches, the long matches, and the best responses, in Markdown."""
    by_preset = {
        preset: {row["agent"]: row for row in results if "agent" in row and row["preset"] == preset}
        for preset in MEASURED
    }
    parts = [preset_matrix(preset, shares) for preset, shares in by_preset.items() if shares]
    for board, field in ((long_board, "rival"), (responses_board, "against")):
        rows = [row for row in results if field in row]
        parts += [board(rows)] if rows else []
    return "\n\n".join(parts)


def tournament(preset: str) -> dict[str, Any]:
    """Return the tournament of a preset's network and the bots."""
    (row,) = (row for row in read_results(RESULTS / "shipped_networks.json") if row["network"] == network_of(preset))
    return row["evaluation"]


def preset_matrix(preset: str, shares: Mapping[str, Any]) -> str:
    """Return the table of all pairs of players, the best first: points per round, and rounds won.

    The last columns are the mean over all others and the dealer's share.
    """
    cells, played = {}, tournament(preset)
    for row in played["tournament"]["matches"]:
        one, other = row["agents"]
        points, error = row["lead"] / 2, row["lead_error"] / 2  # counted from both sides
        cells[one, other] = cell(points, error, row["won"], row["won_error"])
        cells[other, one] = cell(-points, error, 1 - row["won"] - row["drawn"], row["won_error"])
    rated = {row["name"]: row for row in points_taken(played["tournament"]["matches"]) if row["name"] in shares}
    lines = [
        f"**{preset}**, {2 * played['games']:,} rounds a pair; {ROLL_OUTS:,} roll-outs a decision.",
        "",
        "| points a round against | " + " | ".join(rated) + " | all of them | dealer wins |",
        "|---|" + "---|" * (len(rated) + 2),
    ]
    for name, rating in rated.items():
        row = " | ".join(cells.get((name, other), "") for other in rated)
        mean = f"{rating['rating']:+.2f} ± {1.96 * rating['error']:.2f}"
        share = shares[name]["dealer_wins"] / shares[name]["decided"]
        lines.append(f"| {name} | {row} | {mean} | {share:.1%} |")
    return "\n".join(lines)


def cell(points: float, error: float, won: float, won_error: float) -> str:
    """Format points and the rate of rounds won, each with its 95 % interval."""
    return f"{points:+.2f} ± {1.96 * error:.2f} ({won:.1%} ± {1.96 * won_error:.1%})"


def long_board(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of long matches."""
    lines = ["| network | against | points a round | rounds won | rounds |", "|---|---|---|---|---|"]
    for row in rows:
        deals = row["done"]
        mean = row["lead_sum"] / deals
        error = math.sqrt((row["lead_squares"] / deals - mean**2) / (deals - 1))
        points = f"{mean / 2:+.3f} ± {1.96 * error / 2:.3f}"  # counted from both sides
        lines.append(f"| {row['network']} | {row['rival']} | {points} | {row['won_sum'] / deals:.1%} | {2 * deals:,} |")
    return "\n".join(lines)


def responses_board(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of best responses: how many points each wins against its network."""
    lines = ["| trained against | training | wins of it, points a round |", "|---|---|---|"]
    for row in rows:
        points, error = row["lead"] / 2, row["lead_error"] / 2
        lines.append(f"| {row['against']} | {training_in_words(row)} | {points:+.2f} ± {1.96 * error:.2f} |")
    return "\n".join(lines)


STUDY = Study("koikoi_rounds", ROWS, played, tables={"koikoi": table}, unit="deal")
