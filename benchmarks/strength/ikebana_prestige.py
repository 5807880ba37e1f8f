"""What prestige is worth in Ikebana for two: solved exactly where the game is relaxed, counted where it is played.

    python -m benchmarks.strength.ikebana_prestige              # what is not in the results yet
    python -m benchmarks.strength.ikebana_prestige --minutes 3  # as much as that
    python -m benchmarks.strength.scoreboard                    # the board in benchmarks/strength/SCORES.md

Four things go to `benchmarks/strength/results/prestige.json`. *Small*: the same chances as below, for one and two
rounds, in a game whose box is so small that nothing needs to be relaxed
(`benchmarks.strength.solvers.ikebana.small_game`), and what the relaxation makes of them there; and what the
look-ahead's choices cost in it. *Solved*: the chance to win of whoever begins the next of r last rounds, by the lead,
if every card came from the whole box and nothing was bought (`agents.search.ikebana.relaxed` says all that is relaxed).
*Played*: both players' prestige after each round of games of ``search:lookahead`` against itself. *Endings*: last turns
of such games, of one round and with nothing hidden but the deck's order, where the actions' exact chances
(`benchmarks.strength.solvers.ikebana.last_turns`) stand beside those that the look-ahead sees. The last two grow by a
few at a time, and depend on their number alone; the small game takes some minutes and 3 GB.
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

from agents.bots.ikebana.odds import payable
from agents.playing.block import Block
from agents.playing.seating import sit
from agents.registry import load
from agents.search.ikebana.policy import IkebanaSearch, LookaheadSeated
from agents.search.ikebana.relaxed import solve_round, won
from agents.studies.growing import made_by
from hanabako.files import json_of_rows, read_json, write_text
from hanabako.games import game_of
from ikebana_env import IkebanaConfig
from ikebana_env.engine.state import BOUQUET_SIZE, START_PRESTIGE

from .solvers.ikebana.exact import last_turns, most_refusals, round_before, solved_moments
from .solvers.ikebana.last_turns import exact_ending
from .solvers.ikebana.small_game import SmallGame, moments_of
from .solvers.ikebana.small_lookahead import SmallPlay, small_relaxed

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
SMALL = SmallGame(colors=2, copies=(3, 3))
"""Twelve cards, as few as bouquets of five allow: three of each value, 1 and 2, in two colors."""
SMALL_GAMES = 1000
KINDS_SOLVED = ("exact", "relaxed")
SMALL_LEADS = (-12, -8, -4, -2, 0, 2, 4, 8, 12)


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


def spread_of(leads: NDArray[Any], chances: NDArray[np.float64], left: int, least: float = 5) -> float:
    """The standard deviation of a round's lead with which normal chances are nearest to these (least squares)."""

    def off(spread: float) -> float:
        return float(((ndtr(leads / (spread * math.sqrt(left))) - chances) ** 2).sum())

    return float(minimize_scalar(off, bounds=(least, 60), method="bounded").x)


def rounded(chances: NDArray[Any]) -> list[float]:
    """To four places."""
    return np.round(chances.astype(np.float64), 4).tolist()


# --- Small ------------------------------------------------------------------------------------------------------------


def small() -> dict[str, Any]:
    """The small game: chances of whoever begins its last round, or last two, by its part of 12, exact and relaxed."""
    total = 2 * START_PRESTIGE
    gains = moments_of(SMALL, 1)[1]
    sums = sorted({total + int(both) for both in gains.sum(axis=1)})
    moments, gains = moments_of(SMALL, most_refusals(sums[-1]))

    def solve(sum_of_both: int, behind: NDArray[np.float32]) -> NDArray[np.float32]:
        *_, chances = solved_moments(moments, sum_of_both, behind)
        return chances[0]

    last = {sum_of_both: solve(sum_of_both, last_turns(sum_of_both, gains)) for sum_of_both in (total, *sums)}
    middle = [last[both][(both - total) // 2 :][: total + 1] for both in sums]
    later = small_relaxed(SMALL, RICH, ended(RICH, None))[0][0, 0].astype(np.float64)
    rounds: list[dict[str, Any]] = [
        {"left": 1, "exact": last[total], "relaxed": small_relaxed(SMALL, total, ended(total, None))[0][0, 0]},
        {
            "left": 2,
            "exact": solve(total, round_before(total, gains, last.__getitem__)),
            "relaxed": small_relaxed(SMALL, total, ended(total, later))[0][0, 0],
        },
    ]
    return {
        "box": SMALL._asdict(),
        "positions": sum(len(moment.deck) for moment in moments),
        "sums": sums,
        "sums_differ": round(max(float(abs(one - middle[0]).max()) for one in middle), 4),
        "rounds": [{"left": row["left"], **{name: rounded(row[name]) for name in KINDS_SOLVED}} for row in rounds],
    }


def small_choices() -> list[list[list[float]]]:
    """The look-ahead's choices in games of one round of the small game: the best chance, how far off, what it costs."""
    play = SmallPlay(SMALL, 2 * START_PRESTIGE)
    return [
        [[round(value, 6) for value in choice] for choice in play.choices(number, SEED)]
        for number in range(SMALL_GAMES)
    ]


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
    seat = LookaheadSeated(search, block, [0, 1])
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
    nothing = {"solved": None, "small": None, "small_choices": [], "played": [], "looked": 0, "endings": []}
    return {"player": PLAYER, "seed": SEED, **nothing, **(read_json(RESULTS) if RESULTS.exists() else {})}


def go_on(results: dict[str, Any]) -> bool:
    """Work out a little more; whether there was anything to do."""
    if results["solved"] is None:
        results["solved"] = solved()
    elif results["small"] is None:
        results["small"] = small()
    elif not results["small_choices"]:
        results["small_choices"] = small_choices()
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
    parts += [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in ("small", "small_choices")]
    parts += [
        f"{json.dumps(name)}: {json.dumps(said)}"
        for name, said in made_by("benchmarks.strength.ikebana_prestige").items()
    ]
    parts.append(f'"played": {json.dumps(results["played"])}')
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


def small_board(results: Mapping[str, Any]) -> str:
    """What a lead is worth in the small game, in Markdown: exactly, and relaxed."""
    lines = [
        "| rounds left | solved | " + " | ".join(f"{lead:+d}" for lead in SMALL_LEADS) + " | a point of it | spread |",
        "|" + "---|" * (4 + len(SMALL_LEADS)),
    ]
    leads = np.arange(-2 * START_PRESTIGE, 2 * START_PRESTIGE + 1, 2)
    for row in results["small"]["rounds"]:
        for name in KINDS_SOLVED:
            chances = dict(zip(leads.tolist(), row[name], strict=True))
            point = (chances[2] - chances[-2]) / 4
            spread = spread_of(leads, np.array(row[name]), row["left"], least=1)
            cells = [row["left"], "exactly" if name == "exact" else name, *(f"{chances[k]:.0%}" for k in SMALL_LEADS)]
            lines.append(f"| {' | '.join(map(str, [*cells, f'{point:.1%}', f'{spread:.1f}']))} |")
    return "\n".join(lines)


def small_choices_board(results: Mapping[str, Any]) -> str:
    """What the look-ahead's choices cost in the small game, in Markdown."""
    games = results["small_choices"]
    _, off, costs = (np.array([choice[k] for game in games for choice in game]) for k in range(3))
    lost = np.array([sum(choice[2] for choice in game) for game in games])
    cells = [
        *(f"{len(games):,}", f"{len(costs):,}", f"{(costs < 1e-5).mean():.1%}", f"{off.mean():.3f}, {off.max():.2f}"),
        *(f"{costs.mean():.4f}, {costs.max():.2f}", f"{lost.mean():.3f} ± {1.96 * lost.std() / len(lost) ** 0.5:.3f}"),
    ]
    head = "| games | choices | the best | off by: mean, most | choices cost: mean, most | a game's together |"
    return "\n".join([head, "|" + "---|" * len(cells), f"| {' | '.join(cells)} |"])


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
