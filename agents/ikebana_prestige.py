"""What prestige is worth in Ikebana for two: solved exactly where the game is relaxed, counted where it is played.

    python -m agents.ikebana_prestige                # what is not in the results yet
    python -m agents.ikebana_prestige --minutes 3    # as much as that
    python -m agents.scoreboard                      # the board in agents/SCORES.md

Three things go to `agents/results/prestige.json`. *Solved*: the chance to win of whoever begins the next of r
last rounds, by the lead, if every card came from the whole box and nothing was bought (`agents.search.ikebana.relaxed`
says all that is relaxed). *Played*: both players' prestige after each round of games of ``search:lookahead`` against
itself. *Endings*: last turns of such games, of one round and with nothing hidden but the deck's order, where the
actions' exact chances (`agents.search.ikebana.endings`) stand beside those that the look-ahead sees. The last two grow
by a few at a time, and depend on their number alone.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from hanabako.files import json_of_rows, read_json, write_text
from hanabako.games import game_of
from ikebana_env import IkebanaConfig
from ikebana_env.engine.state import BOUQUET_SIZE, START_PRESTIGE

from .bots.block import Block
from .bots.ikebana.odds import payable
from .evaluation.seating import sit
from .learning.runs import machine
from .registry import load
from .search.ikebana.endings import exact_ending
from .search.ikebana.policy import AheadSeated, IkebanaSearch
from .search.ikebana.relaxed import solve_round, won

RESULTS = Path(__file__).resolve().parent / "results" / "prestige.json"
PLAYER, SEED = "search:lookahead", 1
ROUNDS = 4
RICH, WIDEST = 100, 60
"""The sum of prestige with which rounds are solved, and the widest lead that is told."""
GAMES, ENDINGS = 4000, 400
AT_ONCE = 50
"""Games between two looks at the clock."""
REFUSALS = 1
"""An ending in which the other is to reply is taken if the player to move can pay no more refusals than that,"""
LEAST_DECK = 12
"""and any only if the deck will not be made anew (I9)."""
LEADS = (-40, -20, -10, -4, 0, 4, 10, 20, 40)


@dataclass(frozen=True)
class Args:
    """Solve, play and compare."""

    minutes: float = float("inf")
    """Stop after about so long."""


# --- Solved -----------------------------------------------------------------------------------------------------------


def solved() -> dict[str, Any]:
    """The chance of whoever begins, with 1 to 4 rounds left, by its lead, and the spread that fits best.

    With all four rounds left, both have 6; ``alone`` is a game of one round, by what the first player has of these 12.
    """
    poor = 2 * START_PRESTIGE
    leads = np.arange(-WIDEST, WIDEST + 1, 2)
    rounds, later = [], None
    for left in range(1, ROUNDS):
        later = solve_round(RICH, ended(RICH, later))[0][0, 0].astype(np.float64)
        told = later[(leads + RICH) // 2]
        spread = spread_of(leads, told, left)
        off = float(abs(told - ndtr(leads / (spread * math.sqrt(left)))).max())
        rounds.append({"left": left, "spread": round(spread, 2), "off": round(off, 4), "chances": rounded(told)})
    begins = solve_round(poor, ended(poor, later))[0][0, 0, START_PRESTIGE]
    alone = solve_round(poor, ended(poor, None))[0][0, 0]
    return {"leads": leads.tolist(), "rounds": rounds, "begins": round(float(begins), 4), "alone": rounded(alone)}


def ended(total: int, later: NDArray[np.float64] | None) -> Callable[[int, int], NDArray[np.float64]]:
    """How a round ends, see `solve_round`: with the game, or with ``later``, the chances of who begins the next one."""
    own = np.arange(total + 1)
    leads = np.arange(-RICH, RICH + 1, 2)

    def chances(one: int, other: int) -> NDArray[np.float64]:
        lead = 2 * own - total + one - other
        if later is None:
            return won(lead)
        return 1 - np.interp(-lead, leads, later) if other > one else np.interp(lead, leads, later)  # I13

    return chances


def spread_of(leads: NDArray[Any], chances: NDArray[np.float64], left: int) -> float:
    """The standard deviation of a round's lead with which normal chances are nearest to these (least squares)."""

    def off(spread: float) -> float:
        return float(((ndtr(leads / (spread * math.sqrt(left))) - chances) ** 2).sum())

    return float(minimize_scalar(off, bounds=(5, 60), method="bounded").x)


def rounded(chances: NDArray[Any]) -> list[float]:
    """To four places."""
    return np.round(chances.astype(np.float64), 4).tolist()


# --- Played -----------------------------------------------------------------------------------------------------------


def games(first: int) -> list[list[int]]:
    """What player 0 leads by after each round of games ``first`` ..."""
    config = IkebanaConfig()
    block = Block(game_of(config).make_game(config), AT_ONCE, observes=False, specialize=False)
    leads, number = np.zeros((AT_ONCE, ROUNDS), np.int64), np.zeros(AT_ONCE, np.int64)
    for _ in played(block, first):
        states = block.tables["state"]
        now = np.where(block.tables["terminated"], ROUNDS, states["round_index"])
        over = np.flatnonzero(now != number)
        prestige = states["prestige"][over].astype(np.int64)
        leads[over, number[over]] = prestige[:, 0] - prestige[:, 1]
        number = now
    return leads.tolist()


def played(block: Block, first: int) -> Iterator[None]:
    """Play the games of ``block``, from game ``first`` on, and stop after every step."""
    (player,) = sit(block, [load(PLAYER, block.game.config)] * 2)
    block.deal(SEED, first)
    player.begin()
    while not block.tables["terminated"].all():
        block.go_on([player])
        yield


# --- Endings ----------------------------------------------------------------------------------------------------------


def endings(number: int) -> list[dict[str, Any]]:
    """The endings of game ``number``, of one round: what is exact, and what the look-ahead sees."""
    config = IkebanaConfig(rounds=1, perfect_recall=True)
    block = Block(game_of(config).make_game(config), 1, observes=False, specialize=False)
    search = load(PLAYER, config)
    assert isinstance(search, IkebanaSearch)
    seat = AheadSeated(search, block, [0, 1])
    block.deal(SEED, number)
    seat.begin()
    found = []
    while not block.tables["terminated"].all():
        state = block.tables["state"][0].copy()
        choices = int(block.tables["mask"][0, 0]).bit_count()
        block.go_on([seat])
        player = int(state["current_player"])
        sizes = [int(state["bouquets"][k]).bit_count() for k in (player, 1 - player)]
        if choices == 1 or sizes[0] != BOUQUET_SIZE - 1 or state["deck_count"] < LEAST_DECK:
            continue
        own, refusals = int(state["prestige"][player]), int(state["refusals"])
        if sizes[1] < BOUQUET_SIZE and payable(own, refusals, most=own)[0] > refusals + REFUSALS:
            continue
        exact = exact_ending(block.game.rules, state)
        seen, best = seat.values[0], max(exact.values())
        assert seen is not None
        found.append(
            {
                "game": number,
                "replies": sizes[1] < BOUQUET_SIZE,
                "exact": round(best, 6),
                "off": round(max(abs(exact[action] - seen[action]) for action in exact), 6),
                "costs": round(best - exact[int(block.actions[0])], 6),
            }
        )
    return found


# --- Results ----------------------------------------------------------------------------------------------------------


def read_results() -> dict[str, Any]:
    """What has been worked out so far."""
    if RESULTS.exists():
        return read_json(RESULTS)
    return {"player": PLAYER, "seed": SEED, "solved": None, "played": [], "looked": 0, "endings": []}


def go_on(results: dict[str, Any]) -> bool:
    """Work out a little more; whether there was anything to do."""
    if results["solved"] is None:
        results["solved"] = solved()
    elif len(results["played"]) < GAMES:
        results["played"] += games(len(results["played"]))
    elif len(results["endings"]) < ENDINGS:
        for number in range(results["looked"], results["looked"] + AT_ONCE):
            results["endings"] += endings(number)
        results["looked"] += AT_ONCE
    else:
        return False
    return True


def write_results(results: Mapping[str, Any]) -> None:
    """One part on a line, an ending too."""
    parts = [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in ("player", "seed", "looked")]
    told = results["solved"]
    others = [f"{json.dumps(name)}: {json.dumps(told[name])}" for name in ("leads", "begins", "alone")]
    parts.append('"solved": {' + ",\n".join([*others, f'"rounds": {json_of_rows(told["rounds"])}']) + "}")
    parts += [f'"machine": {json.dumps(machine())}', f'"played": {json.dumps(results["played"])}']
    parts.append(f'"endings": {json_of_rows(results["endings"])}')
    write_text(RESULTS, "{" + ",\n".join(parts) + "}\n")


def board(results: Mapping[str, Any]) -> str:
    """What a lead is worth, in Markdown: solved, and counted in the games that were played."""
    told = results["solved"]
    leads = np.array([[0, *row] for row in results["played"]])
    lines = [
        "| rounds left | "
        + " | ".join(f"{lead:+d}" for lead in LEADS)
        + f" | spread, solved | in {len(leads):,} games |",
        "|" + "---|" * (3 + len(LEADS)),
    ]
    for row in told["rounds"]:
        left = row["left"]
        chances = [row["chances"][told["leads"].index(lead)] for lead in LEADS]
        fits = probit_spread(leads[:, ROUNDS - left], won(leads[:, ROUNDS])) / math.sqrt(left)
        cells = [left, *(f"{chance:.0%}" for chance in chances), f"{row['spread']:.1f}", f"{fits:.1f}"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def probit_spread(leads: NDArray[np.int64], wins: NDArray[np.float64]) -> float:
    """The spread with which normal chances make these games most likely."""

    def unlikely(spread: float) -> float:
        chances = np.clip(ndtr(leads / spread), 1e-9, 1 - 1e-9)
        return float(-(wins * np.log(chances) + (1 - wins) * np.log(1 - chances)).sum())

    return float(minimize_scalar(unlikely, bounds=(5, 200), method="bounded").x)


def endings_board(results: Mapping[str, Any]) -> str:
    """What the look-ahead sees of last turns, beside the exact chances, in Markdown."""
    lines = [
        "| the other | endings | exact chance | off by: mean, most | choices cost: mean, most |",
        "|---|---|---|---|---|",
    ]
    for replies in (False, True):
        rows = [row for row in results["endings"] if row["replies"] == replies]
        if not rows:
            continue
        exact, off, costs = (np.array([row[name] for row in rows]) for name in ("exact", "off", "costs"))
        cells = [
            *("replies" if replies else "is done", f"{len(rows):,}", f"{exact.mean():.3f}"),
            *(f"{values.mean():.4f}, {values.max():.3f}" for values in (off, costs)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    until = time.monotonic() + 60 * args.minutes
    results = read_results()
    while time.monotonic() < until and go_on(results):
        write_results(results)


if __name__ == "__main__":
    main()
