"""Evaluation in one call: the agents that are named play, alone or in pairs, and the result is told in words.

Its command is `agents.evaluate`.
"""

import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from hanabako.files import write_text
from hanabako.games import config_from_dict, config_to_dict, game_named, game_of, make_config
from hanabako.machine import describe as describe_machine
from hanabako.words.checks import as_seed, shown, usable_threads

from ..playing.play import play
from ..playing.policy import Policy
from ..registry import SEARCH, effort_of, is_file, load_to_play, metadata_of, with_observation_of

__all__ = ["Args", "evaluate", "report"]


@dataclass(frozen=True)
class Args:
    """Play games and print how good the agents are."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """hanabi, ikebana or koikoi."""
    preset: str | None = None
    """A preset of the game; by default its first."""
    players: int | None = None
    """Number of players; by default the preset's."""
    config: tuple[str, ...] = ()
    """More fields of the game's config, as name=value. What players observe follows the networks among the agents."""
    search: tuple[str, ...] = ()
    """How agents search:NAME think, as name=value: see ``agents.load``."""
    agents: str = "random"
    """NAME[,NAME...]: one agent for all seats, or one per seat; names of agents or policy files."""
    games: int = 10_000
    """Number of games."""
    seed: int = 1
    """Seed of the deals and of the agents' randomness: with the same seed all agents meet the same deals."""
    num_threads: int = 1
    """Threads of the simulator and of the networks."""
    cross_play: bool = False
    """All ordered pairs of the agents: one at player 0's seat, the other at all other seats."""
    strangers: bool = False
    """All ordered pairs: a team of one agent with the other at one seat, at every seat in turn."""
    ad_hoc: bool = False
    """Every agent among partners drawn from all the others."""
    tournament: bool = False
    """Competitive games: every pair head to head with seats exchanged, and ratings."""
    communication: bool = False
    """Hanabi: how the players communicate, instead of how much they score."""
    png: Path | None = None
    """Draw the matrix of --cross-play or --strangers to this file."""
    json: Path | None = None
    """Also write the results to this file."""


def evaluate(args: Args) -> dict[str, Any]:
    """Do what ``args`` say; the result as JSON types.

    Raises:
        ValueError: an unknown name, a wrong value, or an agent that cannot play this config. A study of pairs goes on
            without files that cannot be used while two agents are left; ``refused`` says why.
    """
    args = replace(args, preset=args.preset or game_named(args.game).first_preset)
    as_seed(args.seed)
    usable_threads(args.num_threads)
    if args.games < 1:
        raise ValueError(f"games must be at least 1, got {args.games}")
    study = chosen_study(args)
    names = args.agents.split(",")
    if study is not None and len(set(names)) < len(names):
        raise ValueError(f"agents must differ from each other, got {shown(args.agents)}")
    config = with_observation_of(make_config(args.game, args.preset, args.players, args.config), names)
    effort = effort_of(args.search, names)
    agents, refused = loaded(names, config, effort, args.num_threads, goes_on=study in PAIRINGS)
    names = [name for name in names if name in agents]
    about = {
        "command": command_of(args),
        "machine": describe_machine(),
        "config": config_to_dict(config),
        "preset": args.preset,
        "players": config.players,
        "observation": config.observation_name,
        "agents": names,
        "training": [(metadata_of(name) or {}).get("about") for name in names],
        "seed": args.seed,
        "games": args.games,
        **({"search": effort} if effort else {}),
        **({"refused": refused} if refused else {}),
    }
    if study is not None:
        return about | study(args, config, agents)
    seats = [agents[name] for name in names] if len(names) > 1 else agents[names[0]]
    return about | play(config, seats, args.games, args.seed, args.num_threads, progress=True).summary()


def command_of(args: Args) -> str:
    """The command line that asks for the same: what differs from the usual, written as in a shell."""
    words = ["hanabako", "evaluate", args.game]
    for setting in fields(args)[1:]:
        value = getattr(args, setting.name)
        if value != setting.default:
            values = value if isinstance(value, tuple) else () if value is True else (value,)
            words += [f"--{setting.name.replace('_', '-')}", *map(str, values)]
    return shlex.join(words)


def loaded(
    names: Sequence[str], config: Any, effort: Mapping[str, Any], num_threads: int, goes_on: bool
) -> tuple[dict[str, Policy], dict[str, str]]:
    """The agents by name, and what is wrong with the files that cannot be used, which is also printed.

    Raises:
        ValueError: an agent cannot be used, and it is no file, or nothing ``goes_on`` without it.
    """
    agents, refused = {}, {}
    for name in names:
        try:
            agents[name] = load_to_play(name, config, effort, num_threads)
        except ValueError as error:
            if not goes_on or not is_file(name):
                raise
            refused[name] = str(error)
            print(f"left out: {error}", file=sys.stderr)
    if refused and len(agents) < 2:
        raise ValueError(next(iter(refused.values())))
    return agents, refused


def chosen_study(args: Args) -> Callable[[Args, Any, dict[str, Policy]], dict[str, Any]] | None:
    """The study that the arguments ask for, if any.

    Raises:
        ValueError: they ask for several, or for a picture of one that has none.
    """
    chosen = [name for name in STUDIES if getattr(args, name)]
    if len(chosen) > 1:
        raise ValueError(f"one study at a time: {', '.join(chosen)}")
    study = STUDIES[chosen[0]] if chosen else None
    if args.png and study not in MATRICES:
        raise ValueError("png draws the matrix of --cross-play or --strangers, and of nothing else")
    return study


def cross_play(args: Args, config: Any, agents: dict[str, Policy]) -> dict[str, Any]:
    """See `agents.evaluation.crossplay.cross_play`; networks are also summed up by its `self_and_cross_play`."""
    from . import crossplay

    cells = crossplay.cross_play(config, agents, args.games, args.seed, args.num_threads, progress=True)
    result: dict[str, Any] = {"cross_play": [[cells[first, second].summary() for second in agents] for first in agents]}
    if len(agents) > 1 and all(map(is_file, agents)):
        result["runs"] = crossplay.self_and_cross_play(crossplay.score_matrix(cells, list(agents)))
    return result


def strangers(args: Args, config: Any, agents: dict[str, Policy]) -> dict[str, Any]:
    """`agents.evaluation.crossplay.strangers`."""
    from . import crossplay

    cells = crossplay.strangers(config, agents, args.games, args.seed, args.num_threads, progress=True)
    matrix = crossplay.score_matrix(cells, list(agents))
    by_seat = [[[lot.summary() for lot in cells[team, guest]] for guest in agents] for team in agents]
    return {"strangers": matrix.tolist(), "by_seat": by_seat}


def draw(path: Path, result: dict[str, Any]) -> None:
    """The heat map that ``--png`` asks for, of a result of `cross_play` or `strangers`."""
    from . import crossplay

    if "strangers" in result:
        matrix, axes = np.array(result["strangers"]), ("team", "stranger")
    else:
        matrix = np.array([[cell["score"] for cell in row] for row in result["cross_play"]])
        axes = ("player 0", "others")
    title = f"{result['config']['game']} {result['preset']}, {result['players']} players"
    best = getattr(config_from_dict(result["config"]), "max_score", float(matrix.max()))
    names = [short_name(name) for name in result["agents"]]
    crossplay.save_heat_map(path, crossplay.heat_map(matrix, names, best, title, *axes))


def short_name(name: str) -> str:
    """A run's file by the name of its directory, and whether it is searched over."""
    if not is_file(name):
        return name
    path = Path(name.removeprefix(SEARCH))
    return (SEARCH if name.startswith(SEARCH) else "") + (path.parent.name or path.stem)


def ad_hoc(args: Args, config: Any, agents: dict[str, Policy]) -> dict[str, Any]:
    """`agents.evaluation.crossplay.ad_hoc` of every agent."""
    from . import crossplay

    threads = args.num_threads
    return {
        "ad_hoc": [
            crossplay.ad_hoc(config, agents, name, args.games, args.seed, num_threads=threads) for name in agents
        ]
    }


def tournament(args: Args, config: Any, agents: dict[str, Policy]) -> dict[str, Any]:
    """`agents.evaluation.matches.tournament`."""
    from . import matches

    if game_of(config).cooperative or len(agents) < 2:
        raise ValueError(f"a tournament is of several agents in a competitive game, got {len(agents)} in {args.game}")
    return {"tournament": matches.tournament(config, agents, args.games, args.seed, args.num_threads, progress=True)}


def communication(args: Args, config: Any, agents: dict[str, Policy]) -> dict[str, Any]:
    """`agents.evaluation.communication.measure`."""
    from .communication import measure

    policies = list(agents.values())
    return {
        "communication": measure(
            config, policies if len(policies) > 1 else policies[0], args.games, args.seed
        ).summary()
    }


STUDIES = {
    "cross_play": cross_play,
    "strangers": strangers,
    "ad_hoc": ad_hoc,
    "tournament": tournament,
    "communication": communication,
}
PAIRINGS = (cross_play, strangers, ad_hoc, tournament)
"""Studies that mean something without one of their agents."""
MATRICES = (cross_play, strangers)
"""Studies that can be drawn."""


def describe(result: dict[str, Any]) -> str:
    """The result in words."""
    head = f"{result['config']['game']} {result['preset']}, {result['players']} players"
    head += f", observation {result['observation']}, {result['games']} games of seed {result['seed']}"
    for name, in_words in DESCRIPTIONS.items():
        if name in result:
            return "\n".join([head, *in_words(result)])
    return "\n".join([head, *describe_scores(result)])


def describe_scores(result: dict[str, Any]) -> list[str]:
    """Means, errors and rates."""
    lines = []
    for name, words in (
        ("score", "score, a lost game 0"),
        ("fireworks_score", "score, fireworks count"),
        ("length", "decisions a game"),
    ):
        lines.append(f"{words:<24}{result[name]:>8.3f} +- {result[f'{name}_error'] or 0:.3f}")
    for name in ("perfect", "lost"):
        low, high = result[f"{name}_interval"]
        lines.append(f"{name + ' games':<24}{result[f'{name}_rate']:>8.2%}  ({low:.2%} to {high:.2%})")
    return lines


def describe_cross_play(result: dict[str, Any]) -> list[str]:
    """The matrix of mean scores with their errors."""
    lines = ["score of the row's agent at player 0's seat with the column's agent at all others:"]
    lines.append(" " * 24 + "".join(f"{short_name(name)[-22:]:>24}" for name in result["agents"]))
    for name, row in zip(result["agents"], result["cross_play"], strict=True):
        cells = "".join(f"{cell['score']:>15.3f} +- {cell['score_error'] or 0:5.3f}" for cell in row)
        lines.append(f"{short_name(name)[-22:]:<24}{cells}")
    for name in ("self_play", "cross_play") if "runs" in result else ():
        error = result["runs"][f"{name}_error"]
        lines.append(f"{name:<24}{result['runs'][name]:>15.3f}" + ("" if error is None else f" +- {error:5.3f}"))
    return lines


def describe_strangers(result: dict[str, Any]) -> list[str]:
    """The matrix of mean scores."""
    lines = ["score of a team of the row's agent with the column's agent at one seat:"]
    lines.append(" " * 24 + "".join(f"{name[-10:]:>12}" for name in result["agents"]))
    for name, row in zip(result["agents"], result["strangers"], strict=True):
        lines.append(f"{short_name(name)[-22:]:<24}" + "".join(f"{score:>12.3f}" for score in row))
    return lines


def describe_ad_hoc(result: dict[str, Any]) -> list[str]:
    """One line per agent."""
    rows = result["ad_hoc"]
    return [
        f"{short_name(row['newcomer'])[-22:]:<24}{row['score']:>8.3f} +- {row['score_error']:.3f} over line-ups"
        for row in rows
    ]


def describe_tournament(result: dict[str, Any]) -> list[str]:
    """One line per match, then one per rating."""
    lines = ["games that the first wins against the second, and its mean return less the other's:"]
    for match in result["tournament"]["matches"]:
        one, other = (short_name(name)[-22:] for name in match["agents"])
        won = f"won {match['won']:>6.1%} +- {match['won_error'] or 0:.1%}, drawn {match['drawn']:>5.1%}"
        lines.append(f"{one:<22}  {other:<22}{won}, {match['lead']:+.3f} +- {match['lead_error'] or 0:.3f}")
    lines.append("ratings (Elo, fitted to these games; 400 points are odds of ten to one, the mean is 0):")
    ratings = result["tournament"]["ratings"]
    return [
        *lines,
        *(f"{short_name(row['name'])[-22:]:<24}{row['rating']:>+8.1f} +- {row['error'] or 0:.1f}" for row in ratings),
    ]


def describe_communication(result: dict[str, Any]) -> list[str]:
    """One line per measure."""
    measures = {**result["communication"], **result["communication"]["known"]}
    return [f"{name:<32}{value:>8.3f}" for name, value in measures.items() if isinstance(value, float)]


DESCRIPTIONS = {
    "cross_play": describe_cross_play,
    "strangers": describe_strangers,
    "ad_hoc": describe_ad_hoc,
    "tournament": describe_tournament,
    "communication": describe_communication,
}


def report(args: Args) -> None:
    """Do what ``args`` say, print the result, and write the files that they ask for.

    Raises:
        ValueError: see `evaluate`.
        OSError: a file cannot be written.
        SystemExit: agents were left out.
    """
    result = evaluate(args)
    print(describe(result))
    if args.json:
        write_text(args.json, json.dumps(result, indent=2) + "\n")
    if args.png:
        draw(args.png, result)
    if "refused" in result:
        raise SystemExit(f"evaluate: left out {len(result['refused'])} of the agents, as said above")
