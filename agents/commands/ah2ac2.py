"""Let an agent play in AH2AC2's hosted evaluation, with proxies of human Hanabi players, or in its test games.

    export AH2AC2_KEY=...                                      # from https://ah2ac2.com, for tests or for evaluations
    hanabako ah2ac2 --agent smart --games 3                    # tests: random partners, and as many games as you like
    hanabako ah2ac2 --agent smart --players 3 --seats 1 2      # tests with three players, two of which are the agent
    hanabako ah2ac2 --agent hanabi-standard-2p,hanabi-standard-3p-from-2p --evaluate --out evaluation.json

Any agent can play that decides only by what its seat may know: bots, networks, searches, published networks, your own.
Our rules follow the game; if the server's observations differ from them, the command stops with a message. Finished
games are added to the file one by one; those already in it are kept. --evaluate plays the games of the evaluation,
whose number is limited: test first. Needs the package websockets (the extra ah2ac2).
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hanabako.files import check_writable, read_json, write_json
from hanabako.games import make_config
from hanabako.words.checks import as_each, as_index, as_object, check_not_given, shown
from hanabako.words.cleaned import on_terminal
from hanabako.words.notation import counted
from hanabako.words.ranges import Size
from hanabi_env.config import HanabiConfig

from ..bridges.ah2ac2.server import SERVER, Server
from ..playing.fitting import remembering
from ..playing.policy import Policy
from ..registry import check_honest, effort_of, load_to_play
from ..results.store import file_lock

KEY = "AH2AC2_KEY"
"""The environment variable that holds the key."""


@dataclass(frozen=True)
class Args:
    """Let an agent play in the hosted evaluation of AH2AC2."""

    agent: str
    """NAME[,NAME...]: as in ``hanabako evaluate``. If there are several, the first that can play with the number of
    players of a game plays it."""
    games: Size = 1
    """Number of test games."""
    players: int = 2
    """Players in test games: 2 or 3."""
    seats: tuple[int, ...] = (0,)
    """The agent's seats in test games, from 0."""
    evaluate: bool = False
    """Play all remaining games of the evaluation instead of tests."""
    search: tuple[str, ...] = ()
    """Settings of agents search:NAME, as name=value: see ``agents.load``."""
    out: Path = Path("ah2ac2.json")
    """The file for finished games."""
    server: str = SERVER
    """The host of the evaluation."""


def run(args: Args) -> None:
    """Play games and write each to the file."""
    names = args.agent.split(",")
    check_test(args)
    effort = effort_of(args.search, names)
    if not os.environ.get(KEY):
        raise ValueError(f"the environment variable {KEY} must hold the key")
    server = Server(os.environ[KEY], args.server)
    check_writable(args.out)
    rows = rows_of(args.out)

    @cache
    def policy_for(players: int) -> tuple[HanabiConfig, Policy]:
        return policy_of(names, players, effort)

    check_agents(args, policy_for)
    test = None if args.evaluate else (args.players, args.seats)
    scores: list[float] = []
    while server.goes_on() if args.evaluate else len(scores) < args.games:
        game = server.play(policy_for, len(rows), test)
        name = policy_for(game.players)[1].name
        about = {"agent": name, "server": args.server, "evaluation": args.evaluate}
        rows = with_row(args.out, about | asdict(game))
        scores.append(game.score)
        seats = ", ".join(map(str, game.seats))
        print(on_terminal(f"{game.game_id}: {name} at {seats} of {game.players}, score {game.score:g}"))
    mean = f", mean score now {sum(scores) / len(scores):.2f}" if scores else ""
    print(f"{args.out}: {counted(len(rows), 'game')}{mean}")


def check_agents(args: Args, policy_for: Callable[[int], Any]) -> None:
    """Load the agents before the server deals: a game of the evaluation that no agent can play would be lost."""
    tried = (2, 3) if args.evaluate else (args.players,)
    refusals: dict[int, ValueError] = {}
    for players in tried:
        try:
            policy_for(players)
        except ValueError as error:
            refusals[players] = error
    if len(refusals) == len(tried):
        raise next(iter(refusals.values()))
    for players, error in refusals.items():
        print(f"in games of {players} players no agent can play: {error}", file=sys.stderr)


def check_test(args: Args) -> None:
    """Check the players and seats of test games."""
    if args.evaluate:
        why = "test games, and --evaluate plays all that remain of the evaluation"
        check_not_given(args, ("games", "players", "seats"), why)
    if args.players not in (2, 3):
        raise ValueError(f"players must be 2 or 3, got {args.players}")
    seats = [as_index("a seat", seat, args.players - 1) for seat in args.seats]
    if not seats or len(set(seats)) < len(seats):
        raise ValueError(f"seats must be one or more of 0 to {args.players - 1}, once each, got {shown(args.seats)}")


def policy_of(names: Sequence[str], players: int, effort: Any) -> tuple[HanabiConfig, Policy]:
    """Return the config and policy of the first agent that can play the standard game with this number of players."""
    refusal, config = None, make_config("hanabi", "standard", players)
    for name in names:
        try:
            policy = load_to_play(name, config, effort)
        except ValueError as error:
            refusal = error
        else:
            check_honest(name, policy, config)
            return remembering(config, [policy]), policy
    raise refusal or ValueError("agent must not be empty")


def with_row(path: Path, row: Mapping[str, Any]) -> list[Any]:
    """Add a game to a file under a lock, because other processes may add theirs, and return all that it then holds."""
    with file_lock(path):
        rows = [*rows_of(path), row]
        write_json(path, {"study": "ah2ac2", "command": sys.argv[1:], "games": rows})
    return rows


def rows_of(path: Path) -> list[Any]:
    """Return the games that a file already holds; a file that this command did not write is refused."""
    if not path.exists():
        return []
    found = read_json(path)
    if not isinstance(found, dict) or found.get("study") != "ah2ac2":
        raise ValueError(f"{path} was not written by this command: choose another file with --out")
    return as_each("games", found.get("games"), lambda row: as_object("a game", row))
