"""Meetings, in which agents play some deals together; `play_meeting` plays every one of them.

A result keeps the means with their errors, and ``sums``: what every `BLOCK` deals scored, by line-up. So other results
on the same deals can be compared with it in pairs, and its first deals can be played again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from hanabako.games import config_from_dict, config_to_dict, game_of, make_config, preset_in_words
from hanabako.words.checks import as_each, as_index, as_list, as_object, as_seed, as_text, shown

from ..playing.play import Games, UnfinishedError, play, standard_error, wilson_interval
from ..playing.policy import Counting, Policy, filled
from ..playing.seating import turns_of
from ..registry import SEARCH, load_to_play
from .study import Result, Row

__all__ = ["BLOCK", "SEATS", "Meeting", "errors_of", "gap", "measured", "meeting_of", "play_meeting", "sums_in"]

BLOCK = 20
"""The number of deals whose scores are added up."""
FEWEST = 10
"""The fewest blocks that tell a standard error."""
MOST_DEALS, MOST = 10**7, 10**6
"""The largest numbers of deals and of points of one deal that are believed in a file."""
SEATS = ("given", "turns", "exchanged")
"""How a meeting's agents are seated."""


@dataclass(frozen=True)
class Meeting(Row):
    """Agents that play deals together; ``wanted`` is the number of deals."""

    game: str
    preset: str
    """The preset, and the fields of the config that differ from it: ``standard max_life_tokens=4``."""
    players: int
    line_up: tuple[str, ...]
    """The agents' names or files."""
    seats: Literal["given", "turns", "exchanged"] = "given"
    """Who sits where. given: one agent has all seats; or each has the seat of its place; or, of two agents, the first
    has player 0's seat and the second all others. turns: the first has each seat in turn, the second all others.
    exchanged: as turns, and then with the agents exchanged. All line-ups play all deals."""
    seed: int = 1
    first: int = 0
    """The number of the first deal."""
    search: Mapping[str, Any] | None = None
    """The settings of the agents that search."""

    @classmethod
    def of(cls, config: Any, line_up: Sequence[str], seats: Any = "given", deals: int = 1, **others: Any) -> Self:
        """Return a meeting in games of a config; ``others`` are ``seed``, ``first`` and ``search``."""
        rules = game_of(config).name, preset_in_words(config), config.players
        return cls(*rules, tuple(line_up), seats, wanted=deals, **others)

    @cached_property
    def config(self) -> Any:
        """The config of the games."""
        preset, *fields = self.preset.split(" ")
        fixed = make_config(self.game, preset, settings=fields)
        return fixed if fixed.players == self.players else make_config(self.game, preset, self.players, fields)

    @property
    def agents(self) -> list[str]:
        """The names of the agents, each once."""
        return list(dict.fromkeys(self.line_up))

    @property
    def line_ups(self) -> list[list[str]]:
        """The names at all seats, for every line-up."""
        one, *others = self.line_up
        if self.seats == "given":
            return [filled(self.line_up, self.players)]
        turns = [seats for _, seats in turns_of(one, others, self.players)]
        if self.seats == "exchanged" and self.players > 2:
            turns += [seats for _, seats in turns_of(others[0], [one], self.players)]
        return turns

    @property
    def searches(self) -> bool:
        """Whether an agent searches."""
        return any(name.startswith(SEARCH) for name in self.line_up)

    def with_search(self, search: Mapping[str, Any] | None) -> Self:
        """Return the meeting with these settings if an agent searches, else as it is."""
        return replace(self, search=dict(search)) if search and self.searches else self

    @property
    def is_match(self) -> bool:
        """Whether two agents play against each other."""
        return len(self.agents) == 2 and not game_of(self.config).cooperative

    def check(self) -> None:
        """Raise ValueError if the line-up does not fit the seats."""
        needed = (1, 2, self.players) if self.seats == "given" else (2,)
        if len(self.line_up) not in needed:
            words = " or ".join(map(str, dict.fromkeys(needed)))
            raise ValueError(f"line_up must name {words} agents for seats {self.seats}, got {shown(self.line_up)}")


def measured(meeting: Meeting, lots: Sequence[Games]) -> dict[str, Any]:
    """Return what the games of a meeting say, those of each line-up on the same deals, as JSON types.

    These are means with standard errors over deals, rates with 95 % intervals, and sums. For a match, ``lead`` is by
    how much the mean return of the first agent's seats exceeds that of all others, and ``won`` is how often a larger
    part of them won.
    """
    is_match, cooperative = meeting.is_match, game_of(meeting.config).cooperative
    left_out = () if cooperative else ("fireworks_score", "perfect", "lost")
    found = {name: value for name, value in lots[0].summary(*lots[1:]).items() if not name.startswith(left_out)}
    scored = np.stack([lot.score for lot in lots], axis=1)
    if is_match:
        scored, won = gap(meeting, lots, "rewards"), np.sign(gap(meeting, lots, "winners")) / 2 + 0.5
        for name, values in (("lead", scored.mean(1)), ("won", (won == 1).mean(1))):
            found |= {name: float(values.mean()), f"{name}_error": standard_error(values)}
        found |= {"drawn": float((won == 0.5).mean()), "wins": in_blocks(won)}
    return {"config": config_to_dict(meeting.config), **found, "sums": in_blocks(scored)}


def gap(meeting: Meeting, lots: Sequence[Games], name: str) -> NDArray[np.float64]:
    """Return (deals, line-ups): the mean of an array at the first agent's seats, minus that at all others."""
    own = [np.array(seats) == meeting.line_up[0] for seats in meeting.line_ups]
    parts = [getattr(lot, name) for lot in lots]
    return np.stack([part[:, mine].mean(1) - part[:, ~mine].mean(1) for part, mine in zip(parts, own, strict=True)], 1)


def in_blocks(values: NDArray[Any]) -> list[list[float]]:
    """Return (blocks, line-ups): the sums of every `BLOCK` deals of values (deals, line-ups); the last may be fewer."""
    sums = np.add.reduceat(values, np.arange(0, len(values), BLOCK)).round(6)
    return [[total if total % 1 else int(total) for total in block] for block in sums.tolist()]


def play_meeting(
    row: Meeting,
    before: Result | None = None,
    policies: Mapping[str, Policy] | None = None,
    num_threads: int = 1,
    progress: bool = False,
) -> dict[str, Any]:
    """Play the next deals of a meeting after the result so far, ``before``: of a search `BLOCK`, else all.

    ``policies`` are the agents by name; by default they are loaded, with the errors of `agents.load`. The other
    arguments are those of `agents.playing.play.play`.

    Returns:
        The result: ``done``, and what `measured` returns. ``answers`` has the counts of agents that count. If games
        were given up, it is that of the others, and ``partial`` says why.
    """
    done = 0 if before is None else before["done"]
    count = min(BLOCK, row.wanted - done) if policies is None and row.searches else row.wanted - done
    if policies is None:
        effort = row.search or {}
        policies = {name: load_to_play(name, row.config, effort, num_threads) for name in row.agents}
    counting = {name: own for name, own in policies.items() if name in row.line_up and isinstance(own, Counting)}
    earlier = {name: own.counted() for name, own in counting.items()}
    lots, partial = play_deals(row, policies, row.first + done, count, num_threads, progress)
    counts = {name: added(own.counted(), earlier[name], -1) for name, own in counting.items()}
    found = {"done": count, **measured(row, lots), **({"answers": counts} if counts else {}), **partial}
    return found if before is None else pooled(before, found)


def play_deals(
    row: Meeting, policies: Mapping[str, Policy], first: int, deals: int, num_threads: int = 1, progress: bool = False
) -> tuple[list[Games], dict[str, str]]:
    """Play some deals with every line-up; return the games of each, and under "partial" why some were given up."""
    lots, partial = [], {}
    for names in row.line_ups:
        seats = [policies[name] for name in names]
        try:
            lots.append(play(row.config, seats, deals, row.seed, num_threads, progress, first=first))
        except UnfinishedError as error:
            if len(row.line_ups) > 1:
                raise
            lots.append(error.games)
            partial = {"partial": str(error)}
    return lots, partial


def pooled(one: Result, other: Result) -> dict[str, Any]:
    """Return the result of two parts of a meeting, as if they had been played at once."""
    parts = [(part, part["done"]) for part in (one, other)]
    whole = one["done"] + other["done"]
    found = dict(one) | {"done": whole, "games": one["games"] + other["games"]}
    for name in (name for name in one if f"{name}_error" in one or name.endswith("_rate") or name == "drawn"):
        mean = sum(count * np.array(part[name]) for part, count in parts) / whole
        found[name] = mean.tolist()
        if f"{name}_error" in one:
            errors = [np.array(part[f"{name}_error"], np.float64) for part, _ in parts]  # NaN of one deal
            squares = sum(
                count * (np.square(part[name]) + (count - 1) * np.square(np.nan_to_num(error)))
                for (part, count), error in zip(parts, errors, strict=True)
            )
            found[f"{name}_error"] = np.sqrt(np.maximum(squares / whole - mean**2, 0) / (whole - 1)).tolist()
        elif name != "drawn":
            count = round(found[name] * found["games"])
            found[name.replace("_rate", "_interval")] = list(wilson_interval(count, found["games"]))
    found |= {name: [*one[name], *other[name]] for name in ("sums", "wins") if name in one}
    if "answers" in one:
        found["answers"] = {name: added(counts, other["answers"][name]) for name, counts in one["answers"].items()}
    return found


def added(some: Mapping[str, Any], others: Mapping[str, Any], sign: int = 1) -> dict[str, Any]:
    """Return counts by name plus, or minus, others; what is no number, such as a prompt, stays."""
    whole = {**others, **some}
    numbers = [name for name, value in whole.items() if isinstance(value, (int, float))]
    return whole | {name: some.get(name, 0) + sign * others.get(name, 0) for name in numbers}


# --- Results of others ------------------------------------------------------------------------------------------------


def meeting_of(result: Result) -> Meeting:
    """Return the meeting that a row of a file names, after checking it."""
    if "line_up" not in result:
        raise ValueError(f"a row with the fields {shown(result['fields'])} cannot be replayed")
    seats, search = result.get("seats", "given"), result.get("search")
    if seats not in SEATS:
        raise ValueError(f"seats must be one of {', '.join(SEATS)}, got {shown(seats)}")
    meeting = Meeting.of(
        config_from_dict(result.get("config", {})),
        as_each("line_up", result["line_up"], as_text),
        seats,
        as_index("wanted", result["wanted"], MOST_DEALS),
        seed=as_seed(result.get("seed")),
        first=as_index("first", result.get("first", 0), 2**62),
        search=None if search is None else as_object("search", search),
    )
    meeting.check()
    return meeting


def sums_in(result: Result, meeting: Meeting) -> NDArray[np.float64]:
    """Return the sums (blocks, line-ups) that a row of a file claims, after checking that it has them all."""
    if "sums" not in result:
        raise ValueError("it has no sums, so it cannot be replayed")
    deals, size = as_index("done", result["done"], MOST_DEALS), len(meeting.line_ups)
    most = BLOCK * getattr(meeting.config, "max_score", MOST)
    blocks = as_list("sums", result["sums"], -(-deals // BLOCK))
    for line in blocks:
        for value in as_list("a line of sums", line, size):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= most:
                raise ValueError(f"sums must be numbers up to {most:,}, got {shown(value)}")
    return np.array(blocks, np.float64).reshape(len(blocks), size)


def errors_of(blocks: NDArray[np.float64]) -> float | None:
    """Return the standard error of the mean of blocks' values (blocks,); None if they are fewer than `FEWEST`."""
    return standard_error(blocks) if len(blocks) >= FEWEST else None
