"""Prestige in Ikebana for two players: solved exactly, and counted in games.

    hanabako study list ikebana_prestige
    hanabako study run ikebana_prestige --where part=played --minutes 3
    hanabako study run ikebana_prestige --where part=small     # 2 minutes and 3 GB, as does part=small_choices

The parts of the study:

* ``solved``: the probability to win of the player who begins the first of the last r rounds, by the lead, if every card
  came from the whole box and nothing was bought (`agents.search.ikebana.relaxed` lists all simplifications).
* ``small``: the same for one and two rounds of a game with a box so small that no simplification is needed
  (`benchmarks.strength.solvers.ikebana.small_game`), compared with the simplified solution.
* ``small_choices``: the cost of the look-ahead's choices in one-round games of this small game.
* ``played``: both players' prestige after each round of games of ``search:lookahead`` against itself.
* ``endings``: the last turns of such games, of one round and with nothing hidden but the deck's order; the actions'
  exact probabilities (`benchmarks.strength.solvers.ikebana.last_turns`) are compared with those of the look-ahead.

The last two are played some games at a time; a game depends only on its number.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from agents.bots.ikebana.odds import payable
from agents.playing.block import Block
from agents.playing.seating import sit
from agents.registry import load
from agents.search.ikebana.policy import IkebanaSearch, LookaheadSeated
from agents.search.ikebana.relaxed import solve_round, won
from agents.studies import Row, Study
from hanabako.games import game_of
from ikebana_env import IkebanaConfig
from ikebana_env.engine.state import BOUQUET_SIZE, START_PRESTIGE

from .solvers.ikebana.exact import last_turns, most_refusals, round_before, solved_turns
from .solvers.ikebana.last_turns import exact_ending
from .solvers.ikebana.small_game import SmallGame, turns_of
from .solvers.ikebana.small_lookahead import SmallPlay, small_relaxed

PLAYER, SEED = "search:lookahead", 1
ROUNDS = 4
RICH, WIDEST = 100, 60
"""The sum of prestige with which rounds are solved, and the widest lead in the results."""
GAMES_AT_ONCE, LOOKED_AT_ONCE = 50, 10
"""The number of games in a part: for ``played``, and for ``endings``."""
MOST_REFUSALS_AFFORDABLE = 1
"""An ending with a reply is used if the player to move can pay for at most this many more refusals."""
SMALLEST_DECK = 12
"""An ending is used if the deck has at least this many cards, so that it will not be rebuilt (I9)."""
LEADS = (-40, -20, -10, -4, 0, 4, 10, 20, 40)
SMALL = SmallGame(colors=2, copies=(3, 3))
"""Twelve cards, as few as bouquets of five allow: three of each value, 1 and 2, in two colors."""
KINDS_SOLVED = ("exact", "relaxed")
SMALL_LEADS = (-12, -8, -4, -2, 0, 2, 4, 8, 12)


@dataclass(frozen=True)
class Part(Row):
    """One part of the study; see the module's docstring."""

    part: str

    @property
    def agents(self) -> list[str]:
        """The player of the games, if the part has games."""
        return [PLAYER] if self.part in ("played", "endings") else []


ROWS = [
    Part(part, wanted=wanted)
    for part, wanted in (("solved", 1), ("small", 1), ("small_choices", 1000), ("played", 4000), ("endings", 400))
]


def played(row: Part, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Measure the next part of a row, and return it together with ``before``."""
    match row.part:
        case "solved":
            return {"done": 1, **solved()}
        case "small":
            return {"done": 1, **small()}
        case "small_choices":
            return more_small_choices(row, before or {"games": []})
        case "played":
            return more_games(row, before or {"games": []})
        case "endings":
            return more_endings(before or {"looked": 0, "endings": []})
    raise ValueError(f"part must be one of {', '.join(own.part for own in ROWS)}, got {row.part!r}")


# --- Solved -----------------------------------------------------------------------------------------------------------


def solved() -> dict[str, Any]:
    """Return the win probability of the player who begins, by rounds left and lead, and the spread that fits best.

    With all four rounds left, both players have 6 prestige. ``alone`` is a game of one round, by the first player's
    part of these 12.
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
    """Return ``ended`` for `solve_round`: the end of the game, or ``later``, by the lead of the next round's first.

    Args:
        total: the sum of both players' prestige.
        later: the probabilities of the next round, by the lead of the player who begins it; None after the last round.
    """
    own = np.arange(total + 1)
    leads = np.arange(-RICH, RICH + 1, 2)

    def probabilities(one: int, other: int) -> NDArray[np.float64]:
        lead = 2 * own - total + one - other
        if later is None:
            return won(lead)
        return 1 - np.interp(-lead, leads, later) if other > one else np.interp(lead, leads, later)  # I13

    return probabilities


def spread_of(leads: NDArray[Any], probabilities: NDArray[np.float64], left: int, least: float = 5) -> float:
    """Return the standard deviation of a round's lead whose normal distribution fits best (least squares)."""

    def off(spread: float) -> float:
        return float(((ndtr(leads / (spread * math.sqrt(left))) - probabilities) ** 2).sum())

    return float(minimize_scalar(off, bounds=(least, 60), method="bounded").x)


def rounded(probabilities: NDArray[Any]) -> list[float]:
    """Round probabilities to four decimals."""
    return np.round(probabilities.astype(np.float64), 4).tolist()


# --- Small ------------------------------------------------------------------------------------------------------------


def small() -> dict[str, Any]:
    """Return the win probability of the player who begins the last round, or last two, of the small game.

    The probabilities are exact and relaxed.
    """
    total = 2 * START_PRESTIGE
    gains = turns_of(SMALL, 1)[1]
    sums = sorted({total + int(both) for both in gains.sum(axis=1)})
    turns, gains = turns_of(SMALL, most_refusals(sums[-1]))

    def solve(sum_of_both: int, behind: NDArray[np.float32]) -> NDArray[np.float32]:
        *_, probabilities = solved_turns(turns, sum_of_both, behind)
        return probabilities[0]

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
        "positions": sum(len(turn.deck) for turn in turns),
        "sums": sums,
        "sums_differ": round(max(float(abs(one - middle[0]).max()) for one in middle), 4),
        "rounds": [{"left": row["left"], **{name: rounded(row[name]) for name in KINDS_SOLVED}} for row in rounds],
    }


def more_small_choices(row: Part, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the look-ahead's choices in all one-round games of the small game, played in one part.

    A choice is recorded as the best probability, the largest error of the look-ahead, and the cost of its choice.
    """
    play = SmallPlay(SMALL, 2 * START_PRESTIGE)
    games = [
        *before["games"],
        *(
            [[round(value, 6) for value in choice] for choice in play.choices(number, SEED)]
            for number in range(len(before["games"]), row.wanted)
        ),
    ]
    return {"done": len(games), "seed": SEED, "games": games}


# --- Played -----------------------------------------------------------------------------------------------------------


def more_games(row: Part, before: Mapping[str, Any]) -> dict[str, Any]:
    """Play more games, and record the leads of each."""
    first = len(before["games"])
    games = [*before["games"], *leads_of_games(first, min(GAMES_AT_ONCE, row.wanted - first))]
    return {"done": len(games), "player": PLAYER, "seed": SEED, "games": games}


def leads_of_games(first: int, count: int) -> list[list[int]]:
    """Return player 0's lead after each round, in games ``first``, ``first + 1`` ..."""
    config = IkebanaConfig()
    block = Block(game_of(config).make_game(config), count, observes=False, specialize=False)
    leads, number = np.zeros((count, ROUNDS), np.int64), np.zeros(count, np.int64)
    for _ in steps_of(block, first):
        states = block.tables["state"]
        now = np.where(block.tables["terminated"], ROUNDS, states["round_index"])
        over = np.flatnonzero(now != number)
        prestige = states["prestige"][over].astype(np.int64)
        leads[over, number[over]] = prestige[:, 0] - prestige[:, 1]
        number = now
    return leads.tolist()


def steps_of(block: Block, first: int) -> Iterator[None]:
    """Play the games of ``block``, from game ``first`` on, and yield after every step."""
    (player,) = sit(block, [load(PLAYER, block.game.config)] * 2)
    block.deal(SEED, first)
    player.begin()
    while not block.tables["terminated"].all():
        block.go_on([player])
        yield


# --- Endings ----------------------------------------------------------------------------------------------------------


def more_endings(before: Mapping[str, Any]) -> dict[str, Any]:
    """Add the endings of more games; ``looked`` counts the games."""
    looked = before["looked"] + LOOKED_AT_ONCE
    found = [*before["endings"], *(ending for k in range(before["looked"], looked) for ending in endings_of(k))]
    return {"done": len(found), "looked": looked, "player": PLAYER, "seed": SEED, "endings": found}


def endings_of(number: int) -> list[dict[str, Any]]:
    """Return the endings of the one-round game ``number``, with exact values and those of the look-ahead."""
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
        if choices == 1 or sizes[0] != BOUQUET_SIZE - 1 or state["deck_count"] < SMALLEST_DECK:
            continue
        own, refusals = int(state["prestige"][player]), int(state["refusals"])
        if sizes[1] < BOUQUET_SIZE and payable(own, refusals, most=own)[0] > refusals + MOST_REFUSALS_AFFORDABLE:
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


# --- The tables -------------------------------------------------------------------------------------------------------


def board_of(text: Callable[..., str], *parts: str) -> Callable[[Sequence[Mapping[str, Any]]], str]:
    """Return a function that makes a table of the results of some parts, or a sentence if one is missing."""

    def table(results: Sequence[Mapping[str, Any]]) -> str:
        found = {row["part"]: row for row in results}
        missing = [part for part in parts if part not in found]
        if missing:
            return f"Nothing has been measured yet of {' and '.join(missing)}."
        return text(*(found[part] for part in parts))

    return table


def prestige_board(told: Mapping[str, Any], games: Mapping[str, Any]) -> str:
    """Return a Markdown table of the value of a lead: solved, and counted in the games."""
    leads = np.array([[0, *row] for row in games["games"]])
    lines = [
        "| rounds left | "
        + " | ".join(f"{lead:+d}" for lead in LEADS)
        + f" | spread, solved | in {len(leads):,} games |",
        "|" + "---|" * (3 + len(LEADS)),
    ]
    for row in told["rounds"]:
        left = row["left"]
        probabilities = [row["chances"][told["leads"].index(lead)] for lead in LEADS]
        fits = probit_spread(leads[:, ROUNDS - left], won(leads[:, ROUNDS])) / math.sqrt(left)
        cells = [left, *(f"{probability:.0%}" for probability in probabilities), f"{row['spread']:.1f}", f"{fits:.1f}"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def probit_spread(leads: NDArray[np.int64], wins: NDArray[np.float64]) -> float:
    """Return the spread whose normal distribution fits these games best (maximum likelihood)."""

    def unlikely(spread: float) -> float:
        probabilities = np.clip(ndtr(leads / spread), 1e-9, 1 - 1e-9)
        return float(-(wins * np.log(probabilities) + (1 - wins) * np.log(1 - probabilities)).sum())

    return float(minimize_scalar(unlikely, bounds=(5, 200), method="bounded").x)


def small_board(result: Mapping[str, Any]) -> str:
    """Return a Markdown table of the value of a lead in the small game: exact, and relaxed."""
    lines = [
        "| rounds left | solved | " + " | ".join(f"{lead:+d}" for lead in SMALL_LEADS) + " | a point of it | spread |",
        "|" + "---|" * (4 + len(SMALL_LEADS)),
    ]
    leads = np.arange(-2 * START_PRESTIGE, 2 * START_PRESTIGE + 1, 2)
    for row in result["rounds"]:
        for name in KINDS_SOLVED:
            probabilities = dict(zip(leads.tolist(), row[name], strict=True))
            point = (probabilities[2] - probabilities[-2]) / 4
            spread = spread_of(leads, np.array(row[name]), row["left"], least=1)
            cells = [
                row["left"],
                "exactly" if name == "exact" else name,
                *(f"{probabilities[k]:.0%}" for k in SMALL_LEADS),
            ]
            lines.append(f"| {' | '.join(map(str, [*cells, f'{point:.1%}', f'{spread:.1f}']))} |")
    return "\n".join(lines)


def small_choices_board(result: Mapping[str, Any]) -> str:
    """Return a Markdown table of the cost of the look-ahead's choices in the small game."""
    games = result["games"]
    _, off, costs = (np.array([choice[k] for game in games for choice in game]) for k in range(3))
    lost = np.array([sum(choice[2] for choice in game) for game in games])
    cells = [
        *(f"{len(games):,}", f"{len(costs):,}", f"{(costs < 1e-5).mean():.1%}", f"{off.mean():.3f}, {off.max():.2f}"),
        *(f"{costs.mean():.4f}, {costs.max():.2f}", f"{lost.mean():.3f} ± {1.96 * lost.std() / len(lost) ** 0.5:.3f}"),
    ]
    head = "| games | choices | the best | off by: mean, most | choices cost: mean, most | a game's together |"
    return "\n".join([head, "|" + "---|" * len(cells), f"| {' | '.join(cells)} |"])


def last_turns_board(result: Mapping[str, Any]) -> str:
    """Return a Markdown table of the look-ahead's probabilities in last turns compared with the exact ones."""
    lines = [
        "| the other | endings | exact chance | off by: mean, most | choices cost: mean, most |",
        "|---|---|---|---|---|",
    ]
    for replies in (False, True):
        rows = [row for row in result["endings"] if row["replies"] == replies]
        if not rows:
            continue
        exact, off, costs = (np.array([row[name] for row in rows]) for name in ("exact", "off", "costs"))
        cells = [
            *("replies" if replies else "is done", f"{len(rows):,}", f"{exact.mean():.3f}"),
            *(f"{values.mean():.4f}, {values.max():.3f}" for values in (off, costs)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


BOARDS = {
    "prestige": board_of(prestige_board, "solved", "played"),
    "small": board_of(small_board, "small"),
    "small-choices": board_of(small_choices_board, "small_choices"),
    "last-turns": board_of(last_turns_board, "endings"),
}
STUDY = Study("ikebana_prestige", ROWS, played, tables=BOARDS)
