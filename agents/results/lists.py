"""Lists of meetings, declared in a TOML file.

    study = "meetings"
    game = "hanabi"
    [[meetings]]
    players = [2, 3, 4, 5]
    agents = ["smart", "piers"]          # each at all seats; "smart,piers": one per seat
    deals = 10_000
    [[meetings]]
    presets = ["mini"]
    agents = ["smart", "search:smart"]
    partners = ["piers", "internal"]     # every agent with every partner, at each seat in turn
    search = { rollouts = 100 }          # of the agents that search

A block declares the meetings of all its presets, players, agents and partners. Its other entries are ``table``, the
mark of its table on the page (by default the file's stem; "" for none); ``config``, a table of the game's fields;
``seats`` of `Meeting`; ``seed``, by default 1; ``pairs = true``, all pairs of agents. Reading such a file runs no code.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from hanabako.games import game_named, make_config
from hanabako.words.ranges import Size

from .declared import as_fields, filled_in
from .meeting import Meeting, play_meeting
from .study import Results, Study, key_of
from .tables import table

__all__ = ["load"]


@dataclass(frozen=True)
class Block:
    """A table ``[[meetings]]``."""

    agents: tuple[str, ...]
    deals: Size
    presets: tuple[str, ...] = ()
    players: tuple[int, ...] = ()
    partners: tuple[str, ...] = ()
    pairs: bool = False
    seats: Literal["given", "turns", "exchanged", "usual"] = "usual"
    seed: int = 1
    table: str = ""
    game: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)

    def meetings(self) -> Iterator[Meeting]:
        """Yield the meetings."""
        entry = game_named(self.game)
        rules = itertools.product(self.presets or (entry.first_preset,), self.players or (None,))
        for (preset, players), line_up in itertools.product(rules, self.line_ups()):
            config = make_config(self.game, preset, players, as_fields(self.config))
            usual = "given" if not self.partners and not self.pairs else "turns" if entry.cooperative else "exchanged"
            seats = usual if self.seats == "usual" else self.seats
            meeting = Meeting.of(config, line_up, seats, self.deals, seed=self.seed).with_search(self.search)
            meeting.check()
            yield meeting

    def line_ups(self) -> list[Sequence[str]]:
        """Return the names of those who meet."""
        if self.pairs:
            return list(itertools.combinations(self.agents, 2))
        if self.partners:
            return list(itertools.product(self.agents, self.partners))
        return [names.split(",") for names in self.agents]


def load(content: Mapping[str, Any], path: Path) -> Study:
    """Return the study that a file declares; ``content`` is what it holds, without ``study``."""
    usual = {"table": path.stem, "game": content.get("game", "")}
    blocks = content.get("meetings")
    if content.keys() - {"game", "meetings"} or not isinstance(blocks, list) or not blocks:
        raise ValueError(f"it must hold game and tables [[meetings]], got {', '.join(content)}")
    tables: dict[str, dict[str, Meeting]] = {}
    for number, block in enumerate(blocks):
        try:
            given = filled_in(Block, usual | block, "a table")
            tables.setdefault(given.table, {}).update((meeting.key, meeting) for meeting in given.meetings())
        except (ValueError, TypeError) as error:
            raise ValueError(f"meetings[{number}]: {error}") from error
    rows = {key: meeting for part in tables.values() for key, meeting in part.items()}
    shown = {name: partial(table_of, list(part)) for name, part in tables.items() if name}
    return Study(path.stem, list(rows.values()), play_meeting, shown, unit="deal")


def table_of(keys: Sequence[str], results: Results) -> str:
    """Return the table of some rows, in their order."""
    found = {key_of(result): result for result in results}
    return table([found[key] for key in keys if key in found])
