"""Train one network to play every seat of a game, on all cores: by PPO in self-play, or by another algorithm.

    hanabako train --preset mini --minutes 1
    hanabako train --game koikoi --minutes 30 --opponent counting
    hanabako train --algorithm vdn --preset mini --minutes 2
    hanabako train --algorithm vdn --help      # about the algorithm, and its settings
    hanabako train --algorithm mine.py         # an algorithm of your own: this runs the file
    hanabako train --start smart               # clone a bot first
    hanabako train --resume runs/NAME

Other options keep their defaults. Ctrl-C saves the run after the current update, and --resume continues it; a second
Ctrl-C ends it at once. On several machines, torchrun starts the command (docs/machines.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

import tyro

from hanabako.interrupts import INTERRUPTED
from hanabako.words.ranges import Size, Within

from ..learning.common.algorithms import NAMES, maker_of, named
from ..learning.common.launch import train
from ..learning.common.settings import Settings

S = TypeVar("S", bound=Settings)
Name = Annotated[str | None, tyro.conf.arg(metavar="{" + ",".join(NAMES) + "}|FILE.py|MODULE")]


@dataclass(frozen=True)
class Chosen:
    """The option that is read first, because the other settings depend on it."""

    algorithm: Name = None


@dataclass(frozen=True)
class Args(Generic[S]):
    """Train one network to play every seat of a game."""

    settings: S
    """The settings of the algorithm."""
    algorithm: Name = None
    """The learning algorithm; each has its own settings. By default ppo, or the algorithm of the run to resume."""
    ranks: Size | None = None
    """Number of processes that train together; by default one per core or GPU, as far as they can share the games
    evenly."""
    clone_part: Annotated[float, Within(0.01, 0.99)] = 0.2
    """If ``start`` is a bot: the fraction of the budget in which a network first learns to imitate it."""


def form(words: Sequence[str]) -> tuple[type, str | None, Sequence[str]]:
    """See `agents.commands.command_line.form_of`: settings and help are those of the algorithm that ``words`` name."""
    others = [word for word in words if word not in ("-h", "--help")]
    chosen, _ = tyro.cli(Chosen, args=others, return_unknown_args=True)
    learner = named(chosen.algorithm or NAMES[0])
    return Args[learner.settings], __doc__ if chosen.algorithm is None else learner.about, words


def run(args: Args[Settings]) -> None:
    """Train on the chosen number of ranks."""
    learner, settings = named(args.algorithm or NAMES[0]), args.settings
    if settings.resume is not None:
        learner = maker_of(settings.resume) if args.algorithm is None else learner
        settings = learner.settings(resume=settings.resume, trust=settings.trust)
    if not train(learner, settings, args.ranks, args.clone_part):
        raise SystemExit(INTERRUPTED)
