"""The challenge hanabi-2p-v1: floors, best responses and the first agents.

    hanabako study run challenge_networks --cores 2          # trains six of the partners, three core-hours
    python -m benchmarks.strength.challenge_hanabi_2p        # adds them to the networks that ship, writes the suite
    hanabako study run challenge_hanabi_2p --cores 2         # floors, responses, and the page: about six core-hours
    python -m benchmarks.strength.challenge_hanabi_2p        # writes the suite again, with floors and bests

A response is the network that ships, trained for 15 more core-minutes with one partner at the other seat. The best
score with a partner is the maximum over its response, the partner itself, and the other members.
"""

import json
import shlex
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from agents.learning.common.launch import train_to_the_end
from agents.registry import network_file
from agents.studies import Row, Study
from agents.studies.challenge.board import entries, figure, partners, table
from agents.studies.challenge.meetings import Meeting, meetings, play_meeting, score_of, sums_of
from agents.studies.challenge.suite import FOLDER, named, names
from agents.studies.store import read_results
from agents.studies.study import Result, Results
from benchmarks.recipes import EARLIER
from hanabako.files import write_text
from hanabako.games import config_to_dict
from hanabi_env import HanabiConfig

from .shipped_networks import ship

SUITE = "hanabi-2p-v1"
ABOUT = "Partners for standard Hanabi: bots of each kind, and networks."
SEED, GAMES = 2026, 1000
BOTS = ("iggi", "piers", "flawed", "outer", "vdb", "smart", "smart_safe", "information", "questions")
TRAINED = ("symmetric-1", "symmetric-2", "dense-1", "dense-2", "other-play-1", "other-play-2")
"""The runs of `challenge_networks`."""
SHIPPED = "hanabi-standard-2p"
"""The network from which responses start."""
NETWORKS = (SHIPPED, f"{SHIPPED}-canonical", *(f"{SHIPPED}-{name}" for name in TRAINED))
OTHERS = ("random", "internal", "cautious", "recommendation")
"""Agents on the page that are not members of the suite."""
SEARCHES, SEARCHED = "search:questions", 100
"""A slow agent, and the number of deals it plays."""
MINUTES = 15
UNKNOWN = "none yet"
"""Who scored a member's best before its response is trained."""
RESULTS = Path(__file__).resolve().parent / "results" / "challenge_hanabi_2p.json"
RUNS = Path("runs") / "challenge_hanabi_2p"
TRAINED_RUNS = Path("runs") / "challenge_networks"


@dataclass(frozen=True)
class Response(Row):
    """A network that is trained further with one partner, and its score with that partner."""

    partner: str
    start: str = SHIPPED
    minutes: int = MINUTES
    """Core-minutes of training."""

    @property
    def agents(self) -> tuple[str, ...]:
        """The partner, and the network that is trained further."""
        return (self.partner, self.start)

    @property
    def folder(self) -> Path:
        """The run's directory."""
        return RUNS / self.partner

    @property
    def settings(self) -> list[str]:
        """The learner's settings."""
        words = ["--preset", "standard", "--start", self.start, "--partners", self.partner, "--seed", "1"]
        words += EARLIER
        return [*words, "--minutes", str(self.minutes), "--clock", "core"]


def play(row: Response | Meeting, before: Result | None) -> dict[str, Any]:
    """Train a response and play with its partner, or let an agent and a partner play; return the measurement.

    Raises:
        SystemExit: training was interrupted.
        ValueError: training failed.
    """
    if isinstance(row, Meeting):
        return play_meeting(row, before)
    last = train_to_the_end(1, row.folder, row.settings, f"hanabako study run {STUDY.name}")
    sums = sums_of(Meeting(SUITE, str(row.folder / "policy.safetensors"), row.partner), 0, GAMES)
    cost = {name: last[name] for name in ("steps", "core_seconds")}
    command = shlex.join(["hanabako", "train", "--ranks", "1", *row.settings])
    return {"done": 1, "command_of_run": command, **cost, **score_of(sums), "sums": sums}


def rows() -> list[Row]:
    """Return all rows for the suite and its page."""
    suite = named(SUITE)
    played = [(name, GAMES) for name in (*OTHERS, *suite.members)] + [(SEARCHES, SEARCHED)]
    met = [meeting for name, games in played for meeting in meetings(suite, name, games, {})]
    return [*(Response(name) for name in suite.members), *met]


# --- The suite --------------------------------------------------------------------------------------------------------


def ship_trained() -> None:
    """Add the existing policies of `TRAINED` to the networks that ship."""
    for run in TRAINED:
        name, policy = f"{SHIPPED}-{run}", TRAINED_RUNS / run / "policy.safetensors"
        if network_file(name) is None and policy.exists():
            ship(name, policy, {"name": name})


def suite_of(results: Results) -> dict[str, Any]:
    """Return the contents of the suite's file, as far as there are results."""
    members = {name: member_of(name, results) for name in (*BOTS, *NETWORKS) if name in BOTS or network_file(name)}
    config = config_to_dict(HanabiConfig())
    return {"name": SUITE, "about": ABOUT, "config": config, "seed": SEED, "games": GAMES, "members": members}


def member_of(name: str, results: Results) -> dict[str, Any]:
    """Return a member's entry in the suite's file; without results, its floor is 0 and its best the highest score."""
    trained = next(
        (row for row in results if row["fields"] == list(Response(name).values()) and row["partner"] == name), None
    )
    with_it = {row["agent"]: row["score"] for row in results if "agent" in row["fields"] and row["partner"] == name}
    found = {"its response": trained["score"]} if trained else {UNKNOWN: 25.0}
    found |= {agent: score for agent, score in with_it.items() if agent in (*BOTS, *NETWORKS)}
    best_by = max(found, key=found.__getitem__)
    path = network_file(name)
    return {
        "floor": with_it.get("random", 0.0),
        "best": found[best_by],
        "best_by": "itself" if best_by == name else best_by,
        "command": trained["command_of_run"] if trained else "",
        "sha256": None if path is None else sha256(path.read_bytes()).hexdigest(),
    }


def main() -> None:
    """Add networks to those that ship, and write the suite.

    Raises:
        SystemExit: the suite is complete and would change.
    """
    ship_trained()
    path, suite = FOLDER / f"{SUITE}.json", suite_of(read_results(RESULTS))
    held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else suite
    if held != suite and all(member["best_by"] != UNKNOWN for member in held["members"].values()):
        raise SystemExit(f"{path} is complete and never changes; give the next set another name")
    write_text(path, json.dumps(suite, indent=1) + "\n")
    print(path)


def page(results: Results) -> str:
    """Return the tables of agents and partners in Markdown."""
    suite = named(SUITE)
    return "\n\n".join([table(suite, entries(suite, results)), partners(suite)])


def draw(results: Results, path: Path) -> None:
    """Draw the agents' scores with the partners to a file."""
    suite = named(SUITE)
    figure(suite, entries(suite, results), path)


STUDY = Study(
    "challenge_hanabi_2p",
    rows() if SUITE in names() else [],
    play,
    tables={"challenge_hanabi_2p": page},
    figures={"challenge_hanabi_2p.png": draw},
    unit="deal",
)

if __name__ == "__main__":
    main()
