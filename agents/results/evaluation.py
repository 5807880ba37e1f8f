"""Evaluation in one call: the named agents meet in a mode. The command line is `hanabako evaluate`."""

import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import tyro

from hanabako.drawing import charts
from hanabako.games import config_to_dict, game_in_words, game_of, returns_in_words
from hanabako.generated import table as markdown
from hanabako.program import sentence
from hanabako.progress import ProgressBar
from hanabako.words.checks import as_seed, shown, usable_threads
from hanabako.words.notation import counted
from hanabako.words.ranges import Size, check_ranges

from ..playing.play import standard_error
from ..playing.policy import Counting, Policy
from ..registry import AgentName, ConfigOptions, effort_of, load_to_play
from .meeting import Meeting, play_meeting
from .ratings import in_points
from .study import Result, result_of
from .tables import table, with_error
from .views import heat_map, matrix, plus_minus, short_name

__all__ = ["MODES", "Args", "Evaluation", "answers_of", "describe", "draw", "evaluate", "loaded"]

Name = Literal["self-play", "cross-play", "one-guest", "ad-hoc", "tournament", "communication"]
"""The name of a mode."""
TEAMS = 20
"""Line-ups per newcomer; fewer if there are fewer games."""


class Evaluation(NamedTuple):
    """Meetings of some agents, and their results."""

    mode: Name
    config: Any
    agents: Sequence[str]
    games: int
    seed: int
    rows: Sequence[Mapping[str, Any]] = ()
    """The results: rows of a results file."""
    refused: Mapping[str, str] = {}
    """The reasons why files were left out, by name."""
    costs: Sequence[str] = ()
    """What agents that count say of their decisions."""

    def meeting(self, line_up: Sequence[str], seats: str = "given") -> Meeting:
        """Return a meeting on all deals."""
        return Meeting.of(self.config, line_up, seats, self.games, seed=self.seed)

    @property
    def game(self) -> Any:
        """The game's entry."""
        return game_of(self.config)


@dataclass(frozen=True)
class Args(ConfigOptions):
    """Play games and print the agents' scores."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """hanabi, ikebana or koikoi."""
    mode: Name = "self-play"
    """How agents are combined. self-play: one agent at all seats, or one per seat. cross-play: all ordered pairs, with
    one at player 0's seat and the other at all other seats. one-guest: all ordered pairs, with a team of one agent and
    the other as a guest at each seat in turn. ad-hoc: each agent with partners drawn from all the others. tournament:
    for competitive games, every pair head to head with seats exchanged, and ratings. communication: for Hanabi,
    measures of how the players of self-play communicate, instead of scores."""
    search: tuple[str, ...] = ()
    """Settings of agents search:NAME, as name=value: see ``agents.load``."""
    agents: str = "random"
    """NAME[,NAME...]: one agent for all seats, or one per seat; names of agents, policy files, runs' folders, or
    FILE.py:NAME and package.module:NAME, whose code is imported and run."""
    games: Size = 10_000
    """Number of games."""
    seed: int = 1
    """Seed of the deals and of the agents' randomness: with the same seed all agents play the same deals."""
    num_threads: int = 1
    """Threads of the simulator and of the networks."""
    png: Path | None = None
    """Draw the matrix of cross-play or one-guest to this PNG file."""
    json: Path | None = None
    """Also write the results to this JSON file."""


class Mode(NamedTuple):
    """A mode of evaluation."""

    meetings: Callable[[Evaluation], Iterator[Meeting]]
    """Yields the meetings to play."""
    describe: Callable[[Evaluation], Iterator[str]]
    """Yields the results as lines of text."""
    pairs: bool = True
    """Whether agents are paired: they must differ, and unusable files are left out as long as two agents remain."""
    axes: tuple[str, str] | None = None
    """What the rows and columns stand for, if the results are a matrix; else None."""


# --- Modes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AdHoc(Meeting):
    """A newcomer with partners drawn at random."""

    newcomer: str = ""


@dataclass(frozen=True)
class Communication(Meeting):
    """Games in which communication is measured instead of scores."""

    measured: str = "communication"


def self_play(asked: Evaluation) -> Iterator[Meeting]:
    """One agent at all seats, or one per seat."""
    if len(asked.agents) not in (1, asked.config.players):
        seats = f"the {asked.config.players} seats"
        raise ValueError(f"agents must be one, or one for each of {seats}, got {len(asked.agents)}")
    yield asked.meeting(asked.agents)


def cross_play(asked: Evaluation) -> Iterator[Meeting]:
    """All ordered pairs, on the same deals: the first at player 0's seat, the second at all others."""
    check_cooperative(asked)
    yield from (asked.meeting(pair) for pair in itertools.product(asked.agents, repeat=2))


def one_guest(asked: Evaluation) -> Iterator[Meeting]:
    """All ordered pairs (guest, team), with the guest at each seat in turn."""
    check_cooperative(asked)
    yield from (asked.meeting(pair, "turns") for pair in itertools.product(asked.agents, repeat=2))


def ad_hoc(asked: Evaluation) -> Iterator[Meeting]:
    """Every agent at random seats, with partners drawn at random from all other agents (Stone et al. 2010).

    All newcomers get the same deals. The error of their means is over line-ups, which vary far more than deals.
    """
    check_cooperative(asked)
    agents, games = asked.agents, asked.games
    if len(agents) < 2:
        raise ValueError(f"ad-hoc needs two or more agents, got {len(agents)}")
    if games < 2:
        raise ValueError(f"games must be at least 2, for two line-ups, got {games}")
    teams = min(TEAMS, games)
    firsts = [team * games // teams for team in range(teams + 1)]
    for newcomer in agents:
        draw, pool = np.random.default_rng(asked.seed), [name for name in agents if name != newcomer]
        for first, end in itertools.pairwise(firsts):
            seat, places = int(draw.integers(asked.config.players)), draw.random(asked.config.players)
            line_up = [newcomer if k == seat else pool[int(place * len(pool))] for k, place in enumerate(places)]
            yield AdHoc.of(asked.config, line_up, "given", end - first, seed=asked.seed, first=first, newcomer=newcomer)


def tournament(asked: Evaluation) -> Iterator[Meeting]:
    """All pairs head to head, with every exchange of their seats."""
    if asked.game.cooperative or len(asked.agents) < 2:
        found = f"{len(asked.agents)} in {asked.game.name}"
        raise ValueError(f"a tournament needs two or more agents in a competitive game, got {found}")
    yield from (asked.meeting(pair, "exchanged") for pair in itertools.combinations(asked.agents, 2))


def communication(asked: Evaluation) -> Iterator[Meeting]:
    """The games of self-play, for Hanabi."""
    (one,) = self_play(asked)
    yield Communication.of(asked.config, one.line_up, deals=asked.games, seed=asked.seed)


def check_cooperative(asked: Evaluation) -> None:
    """Raise ``ValueError`` in a competitive game, where the score is that of the winner, and not of the agent."""
    if not asked.game.cooperative:
        words = f"{asked.mode} needs a cooperative game, got {asked.game.name}: --mode tournament compares its agents"
        raise ValueError(words)


def evaluate(args: Args) -> Evaluation:
    """Play the evaluation that ``args`` describe; raise ``ValueError`` if a value or an agent cannot be used.

    A mode of pairs leaves out files that cannot, as long as two agents remain; ``refused`` has the reasons.
    """
    check_ranges(args)
    as_seed(args.seed)
    usable_threads(args.num_threads)
    if args.mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, got {shown(args.mode)}")
    mode = MODES[args.mode]
    if args.png and mode.axes is None:
        drawn = " or ".join(name for name, own in MODES.items() if own.axes)
        raise ValueError(f"png draws the matrix of --mode {drawn}, and {args.mode} has none")
    names = args.agents.split(",")
    if mode.pairs and len(set(names)) < len(names):
        raise ValueError(f"agents must differ from each other, got {shown(args.agents)}")
    config = args.config_for(args.game, names, not mode.pairs)
    config = in_points(config) if args.mode == "tournament" else config
    effort = effort_of(args.search, names)
    agents, refused = loaded(names, config, effort, args.num_threads, goes_on=mode.pairs)
    asked = Evaluation(args.mode, config, [name for name in names if name in agents], args.games, args.seed)
    for name, agent in agents.items():
        if (keep := getattr(agent, "keep", None)) is not None and (answers := answers_of(args)) is not None:
            keep(name, answers)
    metadata = {name: found for name in agents if (found := AgentName.parse(name).metadata()) is not None}
    trained = {name: {"features": one["network"]["features"], **one["about"]} for name, one in metadata.items()}
    shared = {"trained": trained} if trained else {}
    meetings = [meeting.with_search(effort) for meeting in mode.meetings(asked)]
    alone = len(meetings) == 1
    rows = [
        result_of(meeting, played(meeting, agents, args.num_threads, alone)) | shared
        for meeting in ProgressBar(meetings, unit="meeting", disable=alone)
    ]
    costs = [line for name, agent in agents.items() if isinstance(agent, Counting) for line in agent.cost(name)]
    return asked._replace(rows=rows, refused=refused, costs=costs)


def played(meeting: Meeting, agents: Mapping[str, Policy], num_threads: int, progress: bool) -> dict[str, Any]:
    """Return the scores of a meeting, or its measures of communication."""
    if not isinstance(meeting, Communication):
        return play_meeting(meeting, None, agents, num_threads, progress)
    from .communication import measure  # only for Hanabi

    (names,) = meeting.line_ups
    found = measure(meeting.config, [agents[name] for name in names], meeting.wanted, meeting.seed)
    told = {name: value for name, value in vars(found).items() if name != "actions"}
    return {"done": meeting.wanted, "config": config_to_dict(meeting.config), "communication": told}


def answers_of(args: Args) -> Path | None:
    """Return the file beside the results, if they go to a file, that keeps answers of language models until the end."""
    is_none = args.json is None or (args.json.exists() and not args.json.is_file())
    return None if is_none else Path(f"{args.json}.answers")


def loaded(
    names: Sequence[str], config: Any, effort: Mapping[str, Any], num_threads: int, goes_on: bool
) -> tuple[dict[str, Policy], dict[str, str]]:
    """Return the agents by name, and the reasons why files were left out, which are also printed.

    If an agent cannot be used, its error is raised, unless it is a file, ``goes_on``, and two other agents remain.
    """
    agents, refused = {}, {}
    for name in names:
        try:
            agents[name] = load_to_play(name, config, effort, num_threads)
        except ValueError as error:
            if not goes_on or not AgentName.parse(name).is_file:
                raise
            refused[name] = str(error)
            print(f"left out: {sentence(error)}", file=sys.stderr)
    if refused and len(agents) < 2:
        raise ValueError(next(iter(refused.values())))
    return agents, refused


# --- Results as text --------------------------------------------------------------------------------------------------


def describe(found: Evaluation) -> str:
    """Return the results as text."""
    head = f"{game_in_words(found.config)}, observation {found.config.observation_name}, "
    head += f"{counted(found.games, 'game')} of seed {found.seed}"
    partial = [f"partial: {row['partial']}" for row in found.rows if "partial" in row]
    return "\n".join([head, *partial, *MODES[found.mode].describe(found), *found.costs])


def describe_scores(found: Evaluation) -> Iterator[str]:
    """Yield the means with errors; the rates in a cooperative game, each player's return in a competitive one."""
    (result,), cooperative = found.rows, found.game.cooperative
    lost = found.game.make_game(found.config).lost_score if cooperative else None
    names = {"score": f"score, a lost game {lost}", "fireworks_score": "score, fireworks count"}
    names = {**(names if cooperative else {"score": "winner's score"}), "length": "decisions per game"}
    for name, words in names.items():
        yield f"{words:<24}{result[name]:>8.3f}{plus_minus(result[f'{name}_error'])}"
    if not cooperative:
        yield from describe_returns(found, result)
        return
    for name in ("perfect", "lost"):
        low, high = result[f"{name}_interval"]
        yield f"{name + ' games':<24}{result[f'{name}_rate']:>8.2%}  ({low:.2%} to {high:.2%})"


def describe_returns(found: Evaluation, result: Result) -> Iterator[str]:
    """Yield the mean return of every player, and how to compare agents."""
    agents = list(found.agents) * (found.config.players if len(found.agents) == 1 else 1)
    returns = zip(agents, result["rewards"], result["rewards_error"], strict=True)
    yield f"every player's {returns_in_words(found.config)}:"
    for player, (name, mean, error) in enumerate(returns):
        words = f"return of player {player}"
        yield f"{words:<24}{mean:>+8.3f}{plus_minus(error)}  {short_name(name)}"
    if len(set(agents)) > 1:
        yield "to compare agents, play the same deals at every seat: --mode tournament"


def describe_pairs(found: Evaluation) -> Iterator[str]:
    """Yield a table of all pairs; for cross-play of networks, also means over runs."""
    yield table(found.rows)
    are_networks = all(AgentName.parse(name).is_file for name in found.agents)
    if found.mode != "cross-play" or len(found.agents) < 2 or not are_networks:
        return
    from . import estimates  # imports SciPy, which bots do not need

    scores = matrix(found.rows, found.agents)
    bounds = min(0.0, float(scores.min())), float(scores.max())
    means = {"self_play": estimates.mean(scores.diagonal()), "cross_play": estimates.among(scores, bounds)}
    for name, mean in means.items():
        sure = f"{mean.low:.3f} to {mean.high:.3f}" if mean.inference else "no inference from fewer than five runs"
        yield f"{name}: {mean.value:.3f} ({sure})"
    sizes = (str(len(group)) for group in estimates.groups(scores))
    yield f"sizes of groups of runs that keep 95 % of their self-play together: {', '.join(sizes)}"


def describe_ad_hoc(found: Evaluation) -> Iterator[str]:
    """Yield a table with one line per agent; errors are over line-ups."""
    scores = {name: np.array([row["score"] for row in found.rows if row["newcomer"] == name]) for name in found.agents}
    lines = [(short_name(name), with_error(own.mean(), standard_error(own))) for name, own in scores.items()]
    yield markdown(["newcomer", "score over line-ups"], lines)


def describe_communication(found: Evaluation) -> Iterator[str]:
    """Yield one line per measure."""
    measured = found.rows[0]["communication"]
    for name, value in {**measured, **measured["known"]}.items():
        if isinstance(value, float):
            yield f"{name:<32}{value:>8.3f}"


MODES: dict[Name, Mode] = {
    "self-play": Mode(self_play, describe_scores, pairs=False),
    "cross-play": Mode(cross_play, describe_pairs, axes=("player 0", "others")),
    "one-guest": Mode(one_guest, describe_pairs, axes=("guest", "team")),
    "ad-hoc": Mode(ad_hoc, describe_ad_hoc),
    "tournament": Mode(tournament, describe_pairs),
    "communication": Mode(communication, describe_communication, pairs=False),
}
"""The modes by name."""


def draw(path: Path, found: Evaluation) -> None:
    """Draw the heat map of results that are a matrix."""
    axes = MODES[found.mode].axes
    assert axes is not None
    scores = matrix(found.rows, found.agents)
    best = getattr(found.config, "max_score", float(scores.max()))
    names = [short_name(name) for name in found.agents]
    charts.save(path, heat_map(scores, names, best, game_in_words(found.config), *axes))
