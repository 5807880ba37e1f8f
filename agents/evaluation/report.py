"""Evaluation in one call: the named agents play in a mode, and the result is printed and written to files.

The command line is `agents.evaluate`.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from hanabako.games import config_from_dict, config_to_dict, game_in_words, nearest_preset
from hanabako.program import sentence
from hanabako.words.checks import as_seed, shown, usable_threads
from hanabako.words.notation import counted
from hanabako.words.ranges import Size, check_ranges

from ..chat.kept import Kept
from ..chat.policy import ChatPolicy
from ..chat.server import FIELDS
from ..playing.policy import Counting, Policy
from ..registry import config_for, effort_of, fingerprints, is_file, load_to_play, metadata_of
from .matches import in_points
from .modes import MODES, Mode, Name, Question

__all__ = ["ROW", "Args", "answers_of", "describe", "evaluate", "loaded"]

ROW = ["mode", "config", "agents", "seed", "games"]
"""The fields that identify the result of an evaluation."""


@dataclass(frozen=True)
class Args:
    """Play games and print the agents' scores."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """hanabi, ikebana or koikoi."""
    mode: Name = "self-play"
    """How agents are combined. self-play: one agent at all seats, or one per seat. cross-play: all ordered pairs, with
    one at player 0's seat and the other at all other seats. one-guest: all ordered pairs, with a team of one agent and
    the other as a guest at each seat in turn. ad-hoc: each agent with partners drawn from all the others. tournament:
    for competitive games, every pair head to head with seats exchanged, and ratings. communication: for Hanabi,
    measures of how the players of self-play communicate, instead of scores."""
    preset: str | None = None
    """A preset of the game; by default its first, or a network's own game if no config is given."""
    players: int | None = None
    """Number of players; by default the preset's."""
    config: tuple[str, ...] = ()
    """More fields of the game's config, as name=value. Every agent gets the observation that it reads."""
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


def evaluate(args: Args) -> dict[str, Any]:
    """Play the evaluation that ``args`` describe, and return the result: a row of a results file, as JSON types.

    Raises:
        ValueError: an unknown name, a wrong value, or an agent that cannot play this config. A mode of pairs leaves out
            files that cannot be used as long as two agents remain; ``refused`` in the result has the reasons.
    """
    check_ranges(args)
    as_seed(args.seed)
    usable_threads(args.num_threads)
    mode = checked_mode(args)
    names = args.agents.split(",")
    if mode.pairs and len(set(names)) < len(names):
        raise ValueError(f"agents must differ from each other, got {shown(args.agents)}")
    config = config_for(args.game, args.preset, args.players, args.config, names, not mode.pairs)
    config = in_points(config) if args.mode == "tournament" else config
    effort = effort_of(args.search, names)
    agents, refused = loaded(names, config, effort, args.num_threads, goes_on=mode.pairs)
    names = [name for name in names if name in agents]
    networks, metadata = fingerprints(*names), [metadata_of(name) for name in names]
    about = {
        "fields": ROW,
        "mode": args.mode,
        "config": config_to_dict(config),
        "preset": " ".join(nearest_preset(config)),
        "players": config.players,
        "observation": config.observation_name,
        "agents": names,
        "features": [one and one["network"]["features"] for one in metadata],
        "training": [one and one["about"] for one in metadata],
        "seed": args.seed,
        "games": args.games,
        "done": args.games,
        "wanted": args.games,
        **({"networks": networks} if networks else {}),
        **({"search": effort} if effort else {}),
        **({"refused": refused} if refused else {}),
    }
    for name, agent in agents.items():
        if isinstance(agent, ChatPolicy) and (answers := answers_of(args)) is not None:
            agent.model = Kept(agent.model, name, answers)
    played = mode.play(Question(config, agents, names, args.games, args.seed, args.num_threads))
    counts = {name: agent.counted() for name, agent in agents.items() if isinstance(agent, Counting)}
    return about | played | ({"answers": counts} if counts else {})


def answers_of(args: Args) -> Path | None:
    """Return the file, beside the results, that keeps the answers of language models until the evaluation is complete.

    It is None if the results go to no file, or to a device or pipe.
    """
    is_none = args.json is None or (args.json.exists() and not args.json.is_file())
    return None if is_none else Path(f"{args.json}.answers")


def checked_mode(args: Args) -> Mode:
    """Return the mode that the arguments name.

    Raises:
        ValueError: there is no such mode, or a picture is asked for and the mode has none.
    """
    if args.mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, got {shown(args.mode)}")
    if args.png and MODES[args.mode].axes is None:
        drawn = " or ".join(name for name, mode in MODES.items() if mode.axes)
        raise ValueError(f"png draws the matrix of --mode {drawn}, and {args.mode} has none")
    return MODES[args.mode]


def loaded(
    names: Sequence[str],
    config: Any,
    effort: Mapping[str, Any],
    num_threads: int,
    goes_on: bool,
    trust: bool = True,
) -> tuple[dict[str, Policy], dict[str, str]]:
    """Return the agents by name, and the reasons why files were left out, which are also printed.

    Raises:
        ValueError: an agent cannot be used and is not a file, or ``goes_on`` is false, or fewer than two agents remain.
    """
    agents, refused = {}, {}
    for name in names:
        try:
            agents[name] = load_to_play(name, config, effort, num_threads, trust)
        except ValueError as error:
            if not goes_on or not is_file(name):
                raise
            refused[name] = str(error)
            print(f"left out: {sentence(error)}", file=sys.stderr)
    if refused and len(agents) < 2:
        raise ValueError(next(iter(refused.values())))
    return agents, refused


def describe(result: Mapping[str, Any]) -> str:
    """Return the result as text."""
    head = game_in_words(config_from_dict(result["config"]))
    head += f", observation {result['observation']}, {counted(result['games'], 'game')} of seed {result['seed']}"
    answers = (line for name, counts in result.get("answers", {}).items() for line in describe_answers(name, counts))
    partial = [f"partial: {result['partial']}"] if "partial" in result else []
    return "\n".join([head, *partial, *MODES[result["mode"]].describe(dict(result)), *answers])


def describe_answers(name: str, counts: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line on the answers of a language model: counts, tokens and time; and one if answers were cut off."""
    decisions = counts["decisions"] or 1
    yield (
        f"{name}: {counts['decisions']:,} decisions, {counts['illegal']:,} of them illegal and replaced by random moves"
        f" ({counts['illegal'] / decisions:.1%}); {counts['prompt_tokens']:,} tokens read,"
        f" {counts['completion_tokens']:,} written; {counts['seconds'] / decisions:.2f} s per decision"
    )
    if cut_off := counts["cut_off"]:
        yield (
            f"{name}: {cut_off:,} more answers ({cut_off / decisions:.1%}) ended at the limit of tokens without a move,"
            f" and were replaced, too: set a higher max_completion_tokens in {FIELDS}, or on the server"
        )
