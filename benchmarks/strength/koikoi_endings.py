"""Ends of Koi-Koi rounds, solved exactly; the open-hands relaxation's error.

    hanabako study list koikoi_endings
    hanabako study run koikoi_endings --where turn=14 --minutes 10
    hanabako study run koikoi_endings --where preset=koikoi_japan cards=1 --cores 2

Rounds are played by `counting` against itself. At the beginning of a turn near the end the rest of the round is solved
with closed hands (`benchmarks.strength.solvers.koikoi.equilibrium`: proven bounds, less than a hundredth of a point
apart), and with open hands, the relaxation used by search. If a player may call Koi-Koi with one card left, both
choices are also valued with closed hands, for this player's hand. With two cards left that takes too long, and open
hands are used instead. The choice of `monte_carlo` is recorded.

A row examines some more rounds at a time, and counts the rounds examined; its findings in a round depend only on the
round's number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from agents.evaluation.matches import one_round
from agents.playing.block import Block
from agents.playing.play import standard_error, wilson_interval
from agents.playing.seating import sit
from agents.registry import load
from agents.search.koikoi.one_round import ROUND_STATE, Exclusions, round_state
from agents.studies import Row, Study
from hanabako.games import game_of
from hanafuda_env import PRESETS
from hanafuda_env.engine.actions import KOIKOI
from hanafuda_env.engine.state import PHASE_KOI, PHASE_PLAY

from .solvers.koikoi.equilibrium import both_hands, solve, solve_call, solved_openly

PLAYER, SEED = "counting", 1
JUDGE = "monte_carlo:4000"
"""The player whose calls are compared with the solution."""
AT_ONCE = 10
"""The number of rounds in a part."""
EVERY = {15: 1, 14: 1, 13: 50}
"""For each turn, endings are taken from every n-th round; those at turn 13 take minutes."""
HANDS = {15: "1 and 1", 14: "2 and 1", 13: "2 and 2"}
"""The numbers of cards in the hands of the player to move and of the other, by the turn that begins."""
TURNS_OF_CALLS = {1: (13, 14), 2: (12,)}
"""By the number of cards left, the turns at which a player with that many is asked for Koi-Koi."""


@dataclass(frozen=True)
class Ending(Row):
    """The rest of rounds from the beginning of a turn; turns count from 0."""

    turn: int
    preset: str = "document"

    @property
    def agents(self) -> list[str]:
        """The player of the rounds."""
        return [PLAYER]


@dataclass(frozen=True)
class Call(Row):
    """Choices between Game and Koi-Koi with some cards left."""

    preset: str
    cards: int

    @property
    def agents(self) -> list[str]:
        """The player of the rounds, and the one whose calls are compared."""
        return [PLAYER, JUDGE]


ROWS: list[Row] = [Ending(turn, wanted=wanted) for turn, wanted in ((15, 1000), (14, 1000), (13, 20))]
ROWS += [
    Call(preset, cards, wanted=wanted)
    for cards, wanted in ((1, 2000), (2, 200))
    for preset in ("document", "koikoi_japan")
]


# --- Play -------------------------------------------------------------------------------------------------------------


class Position(NamedTuple):
    """A position of a round in which a player is to move."""

    round: int
    root: NDArray[Any]
    """A record (1,) of `ROUND_STATE`."""
    excluded: NDArray[np.uint64]
    """The cards (2,) that each hand cannot hold."""
    judged: int
    """The action of `JUDGE` if it was asked, else -1."""


def played(row: Row, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Examine the next few rounds for a row, and return its findings together with those in ``before``."""
    match row:
        case Ending():
            return more_endings(row, before or {"rounds": 0, "endings": []})
        case Call():
            return more_calls(row, before or {"rounds": 0, "calls": []})
    raise TypeError(f"koikoi_endings plays no {type(row).__name__}")


def more_endings(row: Ending, before: Mapping[str, Any]) -> dict[str, Any]:
    """Add the endings of a few more rounds."""
    rules = rules_of(row.preset)
    first, found = before["rounds"], list(before["endings"])
    count = max(AT_ONCE, EVERY[row.turn])
    for position in positions(row.preset, first, count):
        begins = position.root["turn"][0] == row.turn and position.root["phase"][0] == PHASE_PLAY
        if begins and position.round % EVERY[row.turn] == 0 and len(found) < row.wanted:
            found.append(ending(rules, position))
    return {"done": len(found), "rounds": first + count, "player": PLAYER, "seed": SEED, "endings": found}


def more_calls(row: Call, before: Mapping[str, Any]) -> dict[str, Any]:
    """Add the calls of a few more rounds."""
    rules = rules_of(row.preset)
    first, found = before["rounds"], list(before["calls"])
    for position in positions(row.preset, first, AT_ONCE, TURNS_OF_CALLS[row.cards]):
        if position.judged >= 0 and len(found) < row.wanted:
            found.append(call(rules, position))
    return {"done": len(found), "rounds": first + AT_ONCE, "player": PLAYER, "seed": SEED, "calls": found}


def rules_of(preset: str) -> Any:
    """Return the rules of one round of a preset."""
    config = one_round(PRESETS[preset])
    return game_of(config).make_game(config).rules


def positions(preset: str, first: int, count: int, judged_at: Sequence[int] = ()) -> Iterator[Position]:
    """Yield the positions of rounds ``first``, ``first + 1`` ..., which are played in lock-step.

    Args:
        preset: the preset of the game.
        first: the number of the first round.
        count: the number of rounds.
        judged_at: the turns at which `JUDGE` is asked if a player may call Koi-Koi.
    """
    config = one_round(PRESETS[preset])
    game = game_of(config).make_game(config)
    block = Block(game, count, observes=False, specialize=False)
    players = sit(block, [load(PLAYER, config)] * 2)
    (judge,) = sit(block, [load(JUDGE, config)] * 2)
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
            seats = judge.seats.copy()
            judge.seats[:] = np.where(calls, seats, 0)
            judge.act()
            judge.seats[:] = seats
            judged[calls] = block.actions[calls]
        for i in block.open_games.tolist():
            root = np.zeros(1, ROUND_STATE)
            round_state(game.rules, states[i], root)
            yield Position(first + i, root, laid.excluded[i].copy(), int(judged[i]))
        block.go_on(players)
        laid.observe(rows)


def ending(rules: Any, position: Position) -> dict[str, Any]:
    """Solve an ending, in points of the player to move."""
    root = position.root
    solved = solve(rules, root, both_hands(root[0], position.excluded))
    lower, upper, opened, advised = solved.lower, solved.upper, solved.opened, solved.advised[0]
    if root["current_player"][0] == 1:
        lower, upper, opened, advised = -upper, -lower, -opened, -solved.advised[1]
    points = {"lower": lower, "upper": upper, "open": opened, "advised": advised}
    return {"round": position.round, "deals": solved.deals, **rounded(points)}


def call(rules: Any, position: Position) -> dict[str, Any]:
    """Value a choice between Game and Koi-Koi, in points of the player who has it, and describe the position."""
    root, excluded = position.root, position.excluded
    player = int(root["current_player"][0])
    cards = int(root["hand"][0, player]).bit_count()
    stop, koikoi = solved_openly(rules, root, excluded[1 - player])[:2]
    points = {"stop": stop, "open": koikoi}
    if cards == 1:
        solved = solve_call(rules, root, both_hands(root[0], excluded))
        points |= {"koikoi": solved.koikoi, "often": solved.often, "uncertain": solved.uncertain}
    return {
        "round": position.round,
        "cards": cards,
        "base": int(root["base_points"][0, player]),
        **rounded(points),
        "monte_carlo": int(position.judged == KOIKOI),
    }


def rounded(numbers: Mapping[str, float]) -> dict[str, float]:
    """Round numbers to six decimals."""
    return {name: round(value, 6) for name, value in numbers.items()}


# --- The tables -------------------------------------------------------------------------------------------------------


def endings_board(results: Sequence[Mapping[str, Any]]) -> str:
    """Return a Markdown table of the error of open hands, by the turn at which the ending begins."""
    lines = [
        "| turns left | in hand | endings | exact value | uncertain by | open hands: mean, largest error | costs |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in sorted((row for row in results if "turn" in row), key=lambda row: -row["turn"]):
        rows = row["endings"]
        if len(rows) < 2:
            continue
        lower, upper, opened, sure = (np.array([row[k] for row in rows]) for k in ("lower", "upper", "open", "advised"))
        value = (lower + upper) / 2
        differs, costs = abs(opened - value), np.maximum(value - sure, 0)
        cells = [
            *(17 - row["turn"], HANDS[row["turn"]], f"{len(rows):,}", mean_text(value, "+")),
            f"{(upper - lower).max() / 2:.3f}",
            *(f"{values.mean():.3f}, {values.max():.2f}" for values in (differs, costs)),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def calls_board(results: Sequence[Mapping[str, Any]]) -> str:
    """Return a Markdown table of when Koi-Koi is right, by game, cards left and base points, with 95 % intervals."""
    heads = ("game", "cards left", "base", "choices", "right", "`monte_carlo` says it", "its errors cost")
    heads += ("never saying it costs", "always saying it costs", "open hands err")
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for row in sorted((row for row in results if "cards" in row), key=lambda row: (row["cards"], row["preset"])):
        for label, least, below in (("below 7", 0, 7), ("7 and more", 7, 10**6)):
            calls = [call for call in row["calls"] if least <= call["base"] < below]
            if len(calls) < 2:
                continue
            exact = row["cards"] == 1
            stop, opened, judged = (
                np.array([call[name] for call in calls]) for name in ("stop", "open", "monte_carlo")
            )
            gain = np.array([call["koikoi"] for call in calls]) - stop if exact else opened - stop
            costs = np.where(judged, np.maximum(-gain, 0), np.maximum(gain, 0))
            errs = rate_text((gain > 0) != (opened > stop)) if exact else "decide here"
            cells = [
                *(row["preset"], row["cards"], label, f"{len(calls):,}", rate_text(gain > 0), rate_text(judged > 0)),
                *map(mean_text, (costs, np.maximum(gain, 0), np.maximum(-gain, 0))),
                errs,
            ]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def rate_text(holds: NDArray[np.bool_]) -> str:
    """Format the rate at which something holds, with its 95 % interval (Wilson)."""
    low, high = wilson_interval(int(holds.sum()), len(holds))
    return f"{holds.mean():.1%} ({low:.1%} to {high:.1%})"


def mean_text(values: NDArray[np.float64], sign: str = "") -> str:
    """Format a mean with its 95 % interval, by Student's t."""
    wide = stats.t.ppf(0.975, len(values) - 1) * (standard_error(values) or 0)
    return f"{values.mean():{sign}.2f} ± {wide:.2f}"


BOARDS = {"endings": endings_board, "calls": calls_board}
STUDY = Study("koikoi_endings", ROWS, played, tables=BOARDS, unit="position")
