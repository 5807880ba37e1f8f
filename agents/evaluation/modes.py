"""The modes of an evaluation: which agents play together, and how the result is printed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from hanabako.drawing import charts
from hanabako.games import config_from_dict, game_in_words, game_of, returns_in_words

from ..playing.play import Games, UnfinishedError, play
from ..playing.policy import Policy
from ..registry import SEARCH, base_of, is_file, source_of
from . import crossplay, matches
from .matches import ELO, POINTS

__all__ = ["MODES", "Mode", "Name", "Question", "draw", "plus_minus", "short_name"]

Name = Literal["self-play", "cross-play", "one-guest", "ad-hoc", "tournament", "communication"]
"""The name of a mode."""
Result = dict[str, Any]
"""A result as JSON types."""


class Question(NamedTuple):
    """An evaluation to play."""

    config: Any
    agents: Mapping[str, Policy]
    """The policies by name."""
    line_up: Sequence[str]
    """The names in the order in which they were given: one for all seats, or one per seat."""
    games: int
    seed: int
    num_threads: int

    @property
    def seats(self) -> Policy | list[Policy]:
        """One policy for all seats, or a list with one per seat."""
        policies = [self.agents[name] for name in self.line_up]
        return policies if len(policies) > 1 else policies[0]

    @property
    def common(self) -> tuple[Any, Mapping[str, Policy], int, int, int]:
        """The arguments that the functions of the library share."""
        return self.config, self.agents, self.games, self.seed, self.num_threads


class Mode(NamedTuple):
    """A mode of evaluation."""

    play: Callable[[Question], Result]
    """Plays the games, and returns what the mode adds to the result."""
    describe: Callable[[Result], Iterator[str]]
    """Yields the result as lines of text."""
    pairs: bool = True
    """Whether agents are paired: they must differ, and unusable files are left out as long as two agents remain."""
    axes: tuple[str, str] | None = None
    """What the rows and columns stand for, if the result is a matrix; else None."""


def self_play(question: Question) -> Result:
    """Play `agents.playing.play.play` with one agent at all seats, or one per seat.

    If games are given up, the result is that of the others, and "partial" says why.
    """
    config, _, games, seed, num_threads = question.common
    try:
        return replayable(play(config, question.seats, games, seed, num_threads, progress=True))
    except UnfinishedError as error:
        return error.games.summary() | {"partial": str(error)}


def replayable(games: Games) -> Result:
    """Return the summary of games, with the sums by which some of them can be replayed."""
    return games.summary() | {"sums": games.sums()}


def check_cooperative(question: Question, mode: str) -> None:
    """Raise ``ValueError`` in a competitive game, where the score is that of the winner, and not of the agent."""
    name = game_of(question.config).name
    if not game_of(question.config).cooperative:
        raise ValueError(f"{mode} needs a cooperative game, got {name}: --mode tournament compares its agents")


def cross_play(question: Question) -> Result:
    """Play `agents.evaluation.crossplay.cross_play`; for networks the result adds its `self_and_cross_play`."""
    check_cooperative(question, "cross-play")
    agents = question.agents
    cells = crossplay.cross_play(*question.common, progress=True)
    result: Result = {"cross_play": [[replayable(cells[first, second]) for second in agents] for first in agents]}
    if len(agents) > 1 and all(map(is_file, agents)):
        result["runs"] = crossplay.self_and_cross_play(crossplay.score_matrix(cells, list(agents)))
    return result


def one_guest(question: Question) -> Result:
    """Play `agents.evaluation.crossplay.one_guest`."""
    check_cooperative(question, "one-guest")
    agents = question.agents
    cells = crossplay.one_guest(*question.common, progress=True)
    by_seat = [[[lot.summary() for lot in cells[team, guest]] for guest in agents] for team in agents]
    return {"one_guest": crossplay.score_matrix(cells, list(agents)).tolist(), "by_seat": by_seat}


def ad_hoc(question: Question) -> Result:
    """Play `agents.evaluation.crossplay.ad_hoc` with every agent as the newcomer."""
    check_cooperative(question, "ad-hoc")
    config, agents, games, seed, num_threads = question.common
    rows = [crossplay.ad_hoc(config, agents, name, games, seed, num_threads=num_threads) for name in agents]
    return {"ad_hoc": rows}


def tournament(question: Question) -> Result:
    """Play `agents.evaluation.matches.tournament`."""
    game = game_of(question.config)
    if game.cooperative or len(question.agents) < 2:
        found = f"{len(question.agents)} in {game.name}"
        raise ValueError(f"a tournament needs two or more agents in a competitive game, got {found}")
    return {"tournament": matches.tournament(*question.common, progress=True)}


def communication(question: Question) -> Result:
    """Play `agents.evaluation.communication.measure`."""
    from .communication import measure  # only for Hanabi

    measured = measure(question.config, question.seats, question.games, question.seed)
    return {"communication": measured.summary()}


# --- Results as text --------------------------------------------------------------------------------------------------


def plus_minus(error: float | None, form: str = ".3f") -> str:
    """Return an error as text to follow its number; empty if there is none, as for one game."""
    return "" if error is None else f" ± {error:{form}}"


def describe_scores(result: Result) -> Iterator[str]:
    """Yield the means with errors; the rates in a cooperative game, each player's return in a competitive one."""
    cooperative = game_of(config_from_dict(result["config"])).cooperative
    names = {"score": "score, a lost game 0", "fireworks_score": "score, fireworks count"}
    names = {**(names if cooperative else {"score": "winner's score"}), "length": "decisions per game"}
    for name, words in names.items():
        yield f"{words:<24}{result[name]:>8.3f}{plus_minus(result[f'{name}_error'])}"
    yield from describe_rates(result) if cooperative else describe_returns(result)


def describe_returns(result: Result) -> Iterator[str]:
    """Yield the mean return of every player, and how to compare agents."""
    agents = result["agents"] if len(result["agents"]) > 1 else result["agents"] * result["players"]
    returns = zip(agents, result["rewards"], result["rewards_error"], strict=True)
    yield f"every player's {returns_in_words(config_from_dict(result['config']))}:"
    for player, (name, mean, error) in enumerate(returns):
        words = f"return of player {player}"
        yield f"{words:<24}{mean:>+8.3f}{plus_minus(error)}  {short_name(name)}"
    if len(set(agents)) > 1:
        yield "to compare agents, play the same deals at every seat: --mode tournament"


def describe_rates(result: Result) -> Iterator[str]:
    """Yield the fractions of perfect and of lost games."""
    for name in ("perfect", "lost"):
        low, high = result[f"{name}_interval"]
        yield f"{name + ' games':<24}{result[f'{name}_rate']:>8.2%}  ({low:.2%} to {high:.2%})"


def matrix(agents: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield a matrix of texts with the agents' names above and beside it."""
    names = [short_name(name)[-22:] for name in agents]
    yield " " * 24 + "".join(f"{name[2 - width :]:>{width}}" for name in names)
    for name, row in zip(names, cells, strict=True):
        yield f"{name:<24}" + "".join(f"{cell:>{width}}" for cell in row)


def describe_cross_play(result: Result) -> Iterator[str]:
    """Yield the matrix of mean scores with their errors, and the summary of runs if there is one."""
    cells = [[f"{cell['score']:.3f}{plus_minus(cell['score_error'])}" for cell in row] for row in result["cross_play"]]
    yield "score of the row's agent at player 0's seat with the column's agent at all others:"
    yield from matrix(result["agents"], cells, 24)
    for name in ("self_play", "cross_play") if "runs" in result else ():
        ends = result["runs"][f"{name}_interval"]
        sure = "no inference from fewer than five runs" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"
        yield f"{name:<24}{result['runs'][name]:>15.3f}  ({sure})"
    if "runs" in result:
        sizes = ", ".join(str(len(group)) for group in result["runs"]["groups"])
        yield f"runs that understand each other, by group: {sizes}"


def describe_one_guest(result: Result) -> Iterator[str]:
    """Yield the matrix of mean scores."""
    yield "score of a team of the row's agent with the column's agent at one seat:"
    yield from matrix(result["agents"], [[f"{score:.3f}" for score in row] for row in result["one_guest"]], 12)


def describe_ad_hoc(result: Result) -> Iterator[str]:
    """Yield one line per agent."""
    for row in result["ad_hoc"]:
        name = short_name(row["newcomer"])[-22:]
        yield f"{name:<24}{row['score']:>8.3f}{plus_minus(row['score_error'])} over line-ups"


def describe_tournament(result: Result) -> Iterator[str]:
    """Yield one line per match, then one per rating."""
    returns, unit = returns_in_words(config_from_dict(result["config"])), result["tournament"]["unit"]
    what = "games" if unit == ELO else "rounds"
    yield f"{what} won by the first agent against the second, and its mean {returns} minus the second's:"
    for match in result["tournament"]["matches"]:
        one, other = (short_name(name)[-22:] for name in match["agents"])
        won = f"won {match['won']:>6.1%}{plus_minus(match['won_error'], '.1%')}, drawn {match['drawn']:>5.1%}"
        yield f"{one:<22}  {other:<22}{won}, {match['lead']:+.3f}{plus_minus(match['lead_error'])}"
    yield RATED[unit]
    form = ".1f" if unit == ELO else ".3f"
    for row in result["tournament"]["ratings"]:
        yield f"{short_name(row['name'])[-22:]:<24}{row['rating']:>+8{form}}{plus_minus(row['error'], form)}"


RATED = {
    ELO: "ratings (Elo, fitted to these games; 400 points are odds of ten to one, the mean is 0):",
    POINTS: "points a round that each takes from the others, on average (half of its lead):",
}
"""What the ratings of a tournament are, by their unit."""


def describe_communication(result: Result) -> Iterator[str]:
    """Yield one line per measure."""
    for name, value in {**result["communication"], **result["communication"]["known"]}.items():
        if isinstance(value, float):
            yield f"{name:<32}{value:>8.3f}"


def short_name(name: str) -> str:
    """Return a short name: a run's folder, or an imported agent's file and name; prefixes are kept."""
    base = base_of(name)
    prefix, path, source = name.removesuffix(base), Path(base), source_of(name)
    if source is not None:
        return f"{prefix}{Path(source.place).name}:{source.name}"
    if not is_file(name):
        return name
    if prefix.removeprefix(SEARCH):
        return f"{path.parent.name}/{path.stem[-9:]}".lstrip("/")  # the parts in which a paper's runs differ
    return prefix + (path.name if path.suffix != ".safetensors" else path.parent.name or path.stem)


MODES: dict[Name, Mode] = {
    "self-play": Mode(self_play, describe_scores, pairs=False),
    "cross-play": Mode(cross_play, describe_cross_play, axes=("player 0", "others")),
    "one-guest": Mode(one_guest, describe_one_guest, axes=("team", "guest")),
    "ad-hoc": Mode(ad_hoc, describe_ad_hoc),
    "tournament": Mode(tournament, describe_tournament),
    "communication": Mode(communication, describe_communication, pairs=False),
}
"""The modes by name."""


def draw(path: Path, mode: Mode, result: Result) -> None:
    """Draw the heat map of a result that is a matrix."""
    assert mode.axes is not None
    cells = result["cross_play"] if "cross_play" in result else result["one_guest"]
    scores = np.array([[cell["score"] if isinstance(cell, Mapping) else cell for cell in row] for row in cells])
    config = config_from_dict(result["config"])
    best = getattr(config, "max_score", float(scores.max()))
    names = [short_name(name) for name in result["agents"]]
    charts.save(path, crossplay.heat_map(scores, names, best, game_in_words(config), *mode.axes))
