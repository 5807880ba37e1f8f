"""Write a game as a page for the browser: turn by turn, from every seat, with the choices of an agent.

    hanabako watch runs/NAME                             # a run's network plays itself
    hanabako watch games/hanabi-20261122-131500-5f0c2a91.json  # a saved game, or one exported from hanab.live
    hanabako watch games.npz --number 17                 # a game of a dataset, which hanabako record writes
    hanabako watch smart,piers --game hanabi             # a game of agents, one per seat
    hanabako watch games.npz --adviser search:smart --search rollouts=1000

The page needs nothing but a browser: no server, no network, no other file.
"""

import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from hanabako.files import check_writable
from hanabako.games import config_from_dict, game_of
from hanabako.record import GameRecord, read_record
from hanabako.words.checks import as_seed, check_not_given

from ..people.session import Adviser, Session, line_up_of, replay_of
from ..registry import AgentName, ConfigOptions, effort_of

UNSEEN = 2**41
"""The default seed: its deal is in no training and no evaluation."""


@dataclass(frozen=True)
class Args(ConfigOptions):
    """Write a game as a page for the browser."""

    what: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="RUN|FILE|AGENTS")]
    """A run's directory, a game's file (.json), a dataset (.npz), or NAME[,NAME...] of agents, policy files or
    FILE.py:NAME, whose code is imported and run; the last name fills the remaining seats."""
    game: str | None = None
    """The game that agents play; by default the game of the first network among them, or hanabi."""
    search: tuple[str, ...] = ()
    """Settings of agents search:NAME, including the adviser, as name=value: see ``agents.load``."""
    seed: int = UNSEEN
    """Seed of the deal and of the agents' randomness."""
    number: int = 0
    """The number of the game in a dataset, from 0."""
    adviser: str | None = None
    """Also show what this agent would choose, and for a search the value of every action; by default the network or
    search that plays all seats, if there is one."""
    out: Path | None = None
    """The file to write; by default replay.html in the run's folder, the file's name with .html, or GAME.html here."""
    open: bool = False
    """Open the page in the browser."""

    @property
    def effort(self) -> dict[str, Any]:
        """The settings in ``search``, see `agents.registry.effort_of`."""
        return effort_of(self.search, [*self.what.split(","), *filter(None, [self.adviser])])


def run(args: Args) -> None:
    """Write the page."""
    path = page_of(args)
    print(path)
    if args.open:
        webbrowser.open(path.resolve().as_uri())


def page_of(args: Args) -> Path:
    """Write the page and return its path."""
    if args.out is not None and args.out.suffix != ".html":
        raise ValueError(f"out must end in .html, got {args.out}")
    check_writable(args.out)
    what, adviser = Path(args.what), args.adviser
    if what.is_dir():
        network = what / "policy.safetensors"
        if not network.is_file():
            raise ValueError(f"{what} holds no policy.safetensors: is it a run's directory?")
        adviser = adviser or str(network)
        record, origin, usual = played(args, [str(network)]), what.name, what / "replay.html"
    elif what.suffix == ".json":
        check_recorded(args)
        record, origin, usual = read_record(what), what.stem, what.with_suffix(".html")
    elif what.suffix == ".npz":
        check_recorded(args)
        record, origin = game_of_dataset(what, args.number), f"{what.stem}-{args.number}"
        usual = what.with_name(f"{origin}.html")
    else:
        agents = args.what.split(",")
        record, name = played(args, agents), AgentName.parse(agents[0])
        if len(agents) == 1 and (name.searches or name.metadata() is not None):
            adviser = adviser or agents[0]
        origin, usual = ", ".join(record.players), Path(f"{game_of(record.config).name}.html")
    out = args.out or usual
    check_writable(out)
    advice = Adviser(adviser, record.config, args.effort) if adviser else None
    return replay_of(record, advice, origin).save(out)


def check_recorded(args: Args) -> None:
    """Raise ``ValueError`` if options of a game that agents play are given for one that is recorded."""
    why = f"and {args.what} is a recorded game"
    check_not_given(args, ("game", "preset", "players", "config", "seed"), f"agents that play, {why}")
    if args.what.endswith(".json"):
        check_not_given(args, ["number"], f"a dataset, {why}")


def played(args: Args, agents: Sequence[str]) -> GameRecord:
    """Play a game between agents to its end."""
    networks = [AgentName.parse(name).metadata() for name in agents]
    trained_for = [config_from_dict(metadata["config"]) for metadata in networks if metadata is not None]
    game = args.game or (game_of(trained_for[0]).name if trained_for else "hanabi")
    config = args.config_for(game, agents)
    session = Session(config, line_up_of(agents, config, config.players, args.effort), as_seed(args.seed))
    if session.persons:
        raise ValueError("'person' is only for 'hanabako play'")
    for _ in session.go_on():
        pass
    return session.record


def game_of_dataset(path: Path, number: int) -> GameRecord:
    """Return game ``number`` of a file of `agents.datasets`."""
    from ..datasets import Dataset

    dataset = Dataset(path)
    game = dataset.one(number)
    (players,) = dataset.players_of(game)
    deal = game.deals[0] if game.deals else {}
    end, index = game.ends[0] if game.ends else {}, int(game.indices[0])
    record = GameRecord(dataset.config, int(game.seeds[0]), players, deal=deal, game_index=index, end=end)
    env = record.begin()
    for action in game.actions.tolist():
        record = record.with_action(env.action_to_str(action))
        env.step(action)
    return record
