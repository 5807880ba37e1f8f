"""Endings of Koi-Koi with closed hands, exactly, and what open hands make of them.

    python -m benchmarks.strength.koikoi_endings              # the endings that are not in the results yet
    python -m benchmarks.strength.koikoi_endings --minutes 3  # as many as that
    python -m benchmarks.strength.koikoi_endings --list       # how many there are
    python -m benchmarks.strength.scoreboard                  # the boards in benchmarks/strength/SCORES.md

Rounds are played by `counting` against itself. At the beginning of a turn near the end the game that is left is solved
with closed hands (`benchmarks.strength.solvers.koikoi.equilibrium`: bounds that hold for certain, less than a hundredth
of a point apart), and beside it with open hands, the relaxation that search plays. Wherever a player may call Koi-Koi
with one card left, both choices are worked out with closed hands too, for the hand that this player has; with two cards
left that takes too long, and open hands have to do. What `monte_carlo` does there is noted.
`benchmarks/strength/results/koikoi-endings.json` grows by a few at a time; an ending depends on its number alone.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray

from agents.evaluation.matches import one_round
from agents.playing.block import Block
from agents.playing.play import standard_error
from agents.playing.seating import sit
from agents.registry import load
from agents.search.koikoi.endings import solved_openly
from agents.search.koikoi.one_round import ROUND_STATE, Exclusions, round_state
from agents.studies.growing import made_by
from hanabako.files import json_of_rows, read_json, write_text
from hanabako.games import game_of
from hanafuda_env import PRESETS
from hanafuda_env.engine.actions import KOIKOI
from hanafuda_env.engine.state import PHASE_KOI, PHASE_PLAY

from .solvers.koikoi.equilibrium import both_hands, solve, solve_call

RESULTS = Path(__file__).resolve().parent / "results" / "koikoi-endings.json"
PRESET, PLAYER, SEED = "document", "counting", 1
ENDINGS = {15: 1000, 14: 1000, 13: 20}
"""How many endings begin at each turn."""
EVERY = {15: 1, 14: 1, 13: 50}
"""An ending at that turn is taken from every round, or every fiftieth: early ones take long."""
CARDS = {16: "0 and 1", 15: "1 and 1", 14: "2 and 1", 13: "2 and 2"}
"""In the hands of the player to move and of the other."""
CALLS = {("document", 1): 2000, ("koikoi_japan", 1): 2000, ("document", 2): 200, ("koikoi_japan", 2): 200}
"""How many calls are looked at, by the game and the cards that are left."""
CALLS_AT = {1: (13, 14), 2: (12,)}
"""The turns at which so many cards are left."""
ROLL_OUTS = 4000
AT_ONCE = 10
"""Endings between two looks at the clock."""


@dataclass(frozen=True)
class Args:
    """Solve endings."""

    minutes: float = float("inf")
    """Stop after about so long."""
    list: bool = False
    """Only say how much there is."""


def moments(
    preset: str, first: int, count: int, judged_at: Sequence[int] = ()
) -> Iterator[tuple[int, NDArray[Any], NDArray[np.uint64], int]]:
    """The moments of rounds ``first`` ... at which somebody is to move.

    Yields:
        The round's number, its `ROUND_STATE` (1,), what the hands cannot hold (2,), and what `monte_carlo` does if the
        question is Koi-Koi at a turn of ``judged_at``, else -1.
    """
    config = one_round(PRESETS[preset])
    game = game_of(config).make_game(config)
    block = Block(game, count, observes=False, specialize=False)
    players = sit(block, [load(PLAYER, config)] * 2)
    (judge,) = sit(block, [load(f"monte_carlo:{ROLL_OUTS}", config)] * 2)
    laid, rows = Exclusions(game.rules, block.tables), np.arange(count)
    block.deal(SEED, first)
    laid.begin(rows)
    for player in (*players, judge):
        player.begin()
    while not block.tables["terminated"].all():
        states = block.tables["state"]
        calls = (states["phase"] == PHASE_KOI) & ~block.tables["terminated"] & np.isin(states["turn"], judged_at)
        judged = np.full(count, -1)
        if calls.any():
            everybody, judge.seats[:] = judge.seats.copy(), np.where(calls, judge.seats, 0)
            judge.act()
            judge.seats[:] = everybody
            judged[calls] = block.actions[calls]
        for i in block.open_games.tolist():
            root = np.zeros(1, ROUND_STATE)
            round_state(game.rules, states[i], root)
            yield first + i, root, laid.excluded[i].copy(), int(judged[i])
        block.go_on(players)
        laid.observe(rows)


def ending(rules: Any, number: int, root: NDArray[Any], excluded: NDArray[np.uint64]) -> dict[str, Any]:
    """One ending, solved: points to the player to move."""
    solved = solve(rules, root, both_hands(root[0], excluded))
    if root["current_player"][0] == 0:
        lower, upper, sure = solved.lower, solved.upper, solved.advised[0]
    else:
        lower, upper, sure = -solved.upper, -solved.lower, -solved.advised[1]
    opened = solved.opened if root["current_player"][0] == 0 else -solved.opened
    numbers = {"lower": lower, "upper": upper, "open": opened, "advised": sure}
    return {"round": number, "deals": solved.deals, **{name: round(value, 6) for name, value in numbers.items()}}


def call(rules: Any, number: int, root: NDArray[Any], excluded: NDArray[np.uint64], judged: int) -> dict[str, Any]:
    """One choice between Game and Koi-Koi: points of both to the player who has it, and the circumstances."""
    player = int(root["current_player"][0])
    cards = int(root["hand"][0, player]).bit_count()
    stop, koikoi = solved_openly(rules, root, excluded[1 - player])[:2]
    points = {"stop": stop, "open": koikoi}
    if cards == 1:
        solved = solve_call(rules, root, both_hands(root[0], excluded))
        points |= {"koikoi": solved.koikoi, "often": solved.often, "uncertain": solved.uncertain}
    return {
        "round": number,
        "cards": cards,
        "base": int(root["base_points"][0, player]),
        **{name: round(value, 6) for name, value in points.items()},
        "monte_carlo": int(judged == KOIKOI),
    }


def add_endings(results: dict[str, Any]) -> bool:
    """Add the endings of a few rounds; whether there was anything to do."""
    rules = game_of(config := one_round(PRESETS[PRESET])).make_game(config).rules
    missing = {turn: count - len(results["endings"][str(turn)]) for turn, count in ENDINGS.items()}
    if max(missing.values()) <= 0:
        return False
    for number, root, excluded, _ in moments(PRESET, results["rounds"], AT_ONCE):
        turn, phase = int(root["turn"][0]), int(root["phase"][0])
        if phase == PHASE_PLAY and missing.get(turn, 0) > 0 and number % EVERY[turn] == 0:
            missing[turn] -= 1
            results["endings"][str(turn)].append(ending(rules, number, root, excluded))
    results["rounds"] += AT_ONCE
    return True


def add_calls(results: dict[str, Any]) -> bool:
    """Add the calls of a few rounds, where there are too few; whether there are such."""
    for (preset, cards), count in CALLS.items():
        rules = game_of(config := one_round(PRESETS[preset])).make_game(config).rules
        part = calls_of(results, preset, cards)
        if len(part["calls"]) < count:
            for number, root, excluded, judged in moments(preset, part["rounds"], AT_ONCE, CALLS_AT[cards]):
                if judged >= 0 and len(part["calls"]) < count:
                    part["calls"].append(call(rules, number, root, excluded, judged))
            part["rounds"] += AT_ONCE
            return True
    return False


def calls_of(results: Mapping[str, Any], preset: str, cards: int) -> dict[str, Any]:
    """The calls of a game with so many cards left, and how many rounds were looked through for them."""
    return next(part for part in results["calls"] if (part["preset"], part["cards"]) == (preset, cards))


def read_results() -> dict[str, Any]:
    """What has been solved so far."""
    if RESULTS.exists():
        return read_json(RESULTS)
    return {
        "preset": PRESET,
        "player": PLAYER,
        "seed": SEED,
        "rounds": 0,
        "endings": {str(turn): [] for turn in ENDINGS},
        "calls": [{"preset": preset, "cards": cards, "rounds": 0, "calls": []} for preset, cards in CALLS],
    }


def write_results(results: Mapping[str, Any]) -> None:
    """Rows on lines of their own."""
    parts = [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in ("preset", "player", "seed", "rounds")]
    turns = ",\n".join(f"{json.dumps(turn)}: {json_of_rows(found)}" for turn, found in results["endings"].items())
    calls = ",\n".join(
        "{"
        + ", ".join(f"{json.dumps(name)}: {json.dumps(part[name])}" for name in ("preset", "cards", "rounds"))
        + f', "calls": {json_of_rows(part["calls"])}'
        + "}"
        for part in results["calls"]
    )
    parts += [
        *(
            f"{json.dumps(name)}: {json.dumps(said)}"
            for name, said in made_by("benchmarks.strength.koikoi_endings").items()
        ),
        f'"endings": {{{turns}}}',
        f'"calls": [{calls}]',
    ]
    write_text(RESULTS, "{" + ",\n".join(parts) + "}\n")


# --- What it says -----------------------------------------------------------------------------------------------------


def endings_board(results: Mapping[str, Any]) -> str:
    """How far open hands are from the truth, in Markdown: by the turn at which the ending begins."""
    lines = [
        "| turns left | in hand | endings | exact value | uncertain by | open hands: mean, largest error | costs |",
        "|---|---|---|---|---|---|---|",
    ]
    for turn, rows in results["endings"].items():
        lower, upper, opened, sure = (np.array([row[k] for row in rows]) for k in ("lower", "upper", "open", "advised"))
        value = (lower + upper) / 2
        if (error := standard_error(value)) is None:
            continue
        differs, costs = abs(opened - value), np.maximum(value - sure, 0)
        cells = [
            *(17 - int(turn), CARDS[int(turn)], f"{len(rows):,}", f"{value.mean():+.2f} ± {1.96 * error:.2f}"),
            f"{(upper - lower).max() / 2:.3f}",
            *(f"{values.mean():.3f}, {values.max():.2f}" for values in (differs, costs)),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def calls_board(results: Mapping[str, Any]) -> str:
    """When Koi-Koi is right, in Markdown: by game, cards left and whether the base is doubled already; 95 %."""
    heads = ("game", "cards left", "base", "choices", "right", "`monte_carlo` says it", "its errors cost")
    heads += ("never saying it costs", "always saying it costs", "open hands err")
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for part in results["calls"]:
        for label, least, below in (("below 7", 0, 7), ("7 and more", 7, 10**6)):
            rows = [row for row in part["calls"] if least <= row["base"] < below]
            if len(rows) < 2:
                continue
            exact = part["cards"] == 1
            stop, opened, judged = (np.array([row[name] for row in rows]) for name in ("stop", "open", "monte_carlo"))
            gain = np.array([row["koikoi"] for row in rows]) - stop if exact else opened - stop
            costs = np.where(judged, np.maximum(-gain, 0), np.maximum(gain, 0))
            errs = share((gain > 0) != (opened > stop)) if exact else "decide here"
            cells = [
                *(part["preset"], part["cards"], label, f"{len(rows):,}", share(gain > 0), share(judged > 0)),
                *map(points, (costs, np.maximum(gain, 0), np.maximum(-gain, 0))),
                errs,
            ]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def share(holds: NDArray[np.bool_]) -> str:
    """How often something holds, with its 95 % interval."""
    rate = float(holds.mean())
    return f"{rate:.1%} ± {1.96 * (rate * (1 - rate) / len(holds)) ** 0.5:.1%}"


def points(values: NDArray[np.float64]) -> str:
    """A mean, with its 95 % interval."""
    return f"{values.mean():.2f} ± {1.96 * (standard_error(values) or 0):.2f}"


def progress(results: Mapping[str, Any]) -> str:
    """One line per kind of ending and call: how much of it is there."""
    endings = results["endings"]
    lines = [(len(endings[str(turn)]), count, f"endings from turn {turn}") for turn, count in ENDINGS.items()]
    for (preset, cards), count in CALLS.items():
        there = len(calls_of(results, preset, cards)["calls"])
        lines.append((there, count, f"calls of {preset} with {cards} left"))
    return "\n".join(f"{there:>5} of {count:<5}{words}" for there, count, words in lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    until = time.monotonic() + 60 * args.minutes
    results = read_results()
    if args.list:
        print(progress(results))
        return
    while time.monotonic() < until and (add_endings(results) or add_calls(results)):
        write_results(results)


if __name__ == "__main__":
    main()
