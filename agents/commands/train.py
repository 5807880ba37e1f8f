"""Train one network to play every seat of a game, in self-play, on all cores (agents.ppo).

    hanabako train --preset mini --minutes 1
    hanabako train --game koikoi --minutes 30 --opponent counting
    hanabako train --resume runs/NAME

Whatever is not said is as usual. Ctrl-C saves the run, and --resume goes on with it.
"""

from dataclasses import dataclass, fields
from typing import Any

from hanabako.games import game_of

from .. import ppo
from ..learning.common.launch import saved_ranks, train, usual_ranks
from ..learning.common.selfplay import SelfPlayEnvs

__all__ = ["Args", "run"]


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train one network to play every seat of a game."""

    ranks: int | None = None
    """Processes that train together: by default one per core or GPU, as far as they share the games evenly."""


def run(args: Args) -> None:
    """Train on that many ranks.

    Raises:
        ValueError: a setting that cannot work.
    """
    if args.ranks is not None and args.ranks < 1:
        raise ValueError(f"ranks must be at least 1, got {args.ranks}")
    if args.resume is not None:
        ranks = saved_ranks(args.resume) if args.ranks is None else args.ranks
        words = ["--resume", str(args.resume)]
    else:
        args.check(1)
        ranks = usual_ranks(args.games, args.minibatch, args.device) if args.ranks is None else args.ranks
        args.check(ranks)
        args.check_agents(config := args.make_config(), SelfPlayEnvs)
        game_of(config).compile(config, args.games // ranks)  # once for all ranks
        words = words_of(args)
    if ranks == 1:
        ppo.main(words)
    else:
        train(ranks, words)


def words_of(args: Args) -> list[str]:
    """The settings that differ from the usual, as words of agents.ppo's command line."""
    words: list[str] = []
    for setting in fields(ppo.Args):
        value: Any = getattr(args, setting.name)
        if value != setting.default:
            values = value if isinstance(value, tuple) else (value,)
            words += [f"--{setting.name.replace('_', '-')}", *map(str, values)]
    return words
