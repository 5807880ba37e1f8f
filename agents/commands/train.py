"""Train one network to play every seat of a game, on all cores: by PPO in self-play, or by another algorithm.

    hanabako train --preset mini --minutes 1
    hanabako train --game koikoi --minutes 30 --opponent counting
    hanabako train --algorithm vdn --preset mini --minutes 2
    hanabako train --algorithm vdn --help      # about the algorithm, and its settings
    hanabako train --algorithm mine.py         # an algorithm of your own: this runs the file
    hanabako train --start smart               # clone a bot first
    hanabako train --resume runs/NAME

Other options keep their defaults. To train on several machines, start the command on each, with the same settings:

    hanabako train --minutes 60 --machines 2 --machine 0 --meet HOST:PORT    # and --machine 1 on the other

Ctrl-C saves the run after the current update, and --resume continues it; a second Ctrl-C ends it at once.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, make_dataclass
from inspect import get_annotations
from typing import Annotated, get_type_hints

import docstring_parser
import tyro

from hanabako.interrupts import INTERRUPTED
from hanabako.words.checks import shown
from hanabako.words.ranges import Size, Within, check_ranges

from ..learning.common.algorithms import NAMES, Learner, maker_of, named
from ..learning.common.launch import Machines, train
from ..learning.common.network_settings import NetworkSettings
from ..learning.common.settings import Settings

__all__ = ["Args", "Chosen", "form", "run"]

Name = Annotated[str | None, tyro.conf.arg(metavar="{" + ",".join(NAMES) + "}|FILE.py|MODULE")]


@dataclass(frozen=True)
class Chosen:
    """The option that is read first, because the other settings depend on it."""

    algorithm: Name = None


@dataclass(frozen=True)
class Several:
    """Settings for training on several machines."""

    machines: Size | None = None
    """Number of machines that train together; start this command on each of them."""
    machine: int | None = None
    """The number of this machine, from 0."""
    meet: str | None = None
    """HOST:PORT where the machines meet: an address of machine 0 that all machines can reach, and a free port there."""


@dataclass(frozen=True)
class Args:
    """Train one network to play every seat of a game.

    `form` adds the algorithm's settings in groups: first the most common ones, then one group per class that declares
    settings.
    """

    algorithm: Name = None
    """The learning algorithm; each has its own settings. By default ppo, or the algorithm of the run to resume."""
    ranks: Size | None = None
    """Number of processes that train together, per machine; by default one per core or GPU, as far as they can share
    the games evenly."""
    clone_part: Annotated[float, Within(0.01, 0.99)] = 0.2
    """If ``start`` is a bot: the fraction of the budget in which a network first learns to imitate it."""


FIRST = ("game", "preset", "players", "config", "minutes", "seed", "run_dir", "resume")
"""The settings that the help lists first."""
GROUPS = {Settings: "run", NetworkSettings: "network"}
"""The group of the settings that each class declares; those of other classes go to a group named by the algorithm."""


def grouped(learner: Learner) -> type[Args]:
    """Return `Args` extended by the settings of an algorithm, with one dataclass per group."""
    kind, own = learner.settings, learner.name.rpartition(".")[2]
    names: dict[str, list[str]] = {"": [], "run": [], "network": [], own: []}
    for field in fields(kind):
        origin = next(base for base in reversed(kind.__mro__) if field.name in get_annotations(base))
        names["" if field.name in FIRST else GROUPS.get(origin, own)].append(field.name)
    groups = {name: group_of(kind, some) for name, some in names.items() if some} | {"several machines": Several}
    parts = [
        (f"group_{k}", Annotated[group, tyro.conf.arg(name=name)], dataclasses.field(default=group()))
        for k, (name, group) in enumerate(groups.items())
    ]
    return make_dataclass("Args", parts, bases=(Args,), frozen=True)


def group_of(kind: type[Settings], names: Sequence[str]) -> type:
    """Return a dataclass with some fields of another one, and their help."""
    hints, own = get_type_hints(kind, include_extras=True), {field.name: field for field in fields(kind)}
    declared = [base for base in reversed(kind.__mro__) if is_dataclass(base)]
    documented = [param for base in declared for param in docstring_parser.parse_from_object(base).params]
    words = {param.arg_name: " ".join((param.description or "").replace("``", "").split()) for param in documented}
    parts = [
        (
            name,
            Annotated[hints[name], tyro.conf.arg(help=words.get(name))],
            dataclasses.field(default=own[name].default),
        )
        for name in names
    ]
    return make_dataclass("Group", parts, frozen=True)


def form(words: Sequence[str]) -> tuple[type, str | None, Sequence[str]]:
    """See `agents.commands.command_line.form_of`: settings and help are those of the algorithm that ``words`` name.

    Raises:
        ValueError: there is no such algorithm.
    """
    others = [word for word in words if word not in ("-h", "--help")]
    chosen, _ = tyro.cli(Chosen, args=others, return_unknown_args=True)
    learner = named(chosen.algorithm or NAMES[0])
    return grouped(learner), __doc__ if chosen.algorithm is None else learner.about, words


def run(args: Args) -> None:
    """Train on the chosen number of ranks.

    Raises:
        SystemExit: training was interrupted.
        ValueError: a setting that cannot work.
    """
    groups = [value for value in vars(args).values() if is_dataclass(value)]
    told = {name: value for group in groups for name, value in vars(group).items()}
    several = Several(**{field.name: told.pop(field.name) for field in fields(Several)})
    check_ranges(several)
    machines = machines_of(several)
    learner = named(args.algorithm or NAMES[0])
    settings = learner.settings(**told)
    if settings.resume is not None:
        learner = maker_of(settings.resume) if args.algorithm is None else learner
        if machines.count > 1:  # report what is wrong with the run before the other machines connect
            learner.settings.saved(settings.resume, settings.trust)
        settings = learner.settings(resume=settings.resume, trust=settings.trust)
    if not train(learner, settings, args.ranks, machines, args.clone_part):
        raise SystemExit(INTERRUPTED)


def machines_of(args: Several) -> Machines:
    """Return the machines that the command line describes.

    Raises:
        ValueError: the number of machines, the number of this one, or the meeting point is missing or invalid.
    """
    if args.machines is None:
        if args.machine is not None or args.meet is not None:
            raise ValueError("machine and meet need machines, the number of machines that train together")
        return Machines()
    if args.machine is None or args.meet is None:
        raise ValueError(
            f"machines={args.machines} needs machine, the number of this one, and meet, HOST:PORT of machine 0"
        )
    if args.machine not in range(args.machines):
        raise ValueError(f"machine must be 0 to {args.machines - 1} of {args.machines} machines, got {args.machine}")
    host, _, port = args.meet.rpartition(":")
    if not (host and port.isascii() and port.isdecimal() and len(port) < 6 and 0 < int(port) < 2**16):
        raise ValueError(f"meet must be HOST:PORT, with a port of 1 to 65535, got {shown(args.meet)}")
    return Machines(args.machines, args.machine, host.strip("[]"), int(port))
