"""Find an algorithm by its name, and run it as a command.

An algorithm is a module with three parts: ``Args``, its settings; one class that satisfies
`agents.learning.common.trainer.Algorithm`; and a docstring, which is the help of its command. An algorithm that ships
is a file in ``agents/learning`` whose name is in `NAMES`. Any other is given by its file or as an importable module.
"""

import os
import shlex
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from hanabako.games import config_from_dict, game_of, returns_in_words
from hanabako.importing import import_file, import_named
from hanabako.interrupts import INTERRUPTED
from hanabako.program import run_program
from hanabako.words.checks import shown
from hanabako.words.notation import counted

from ...registry import need_trust
from .ranks import by_torchrun
from .runs import finished, read_about, what_next
from .trainer import FOLDER, Algorithm, AlgorithmClass, Settings, name_of, train_session

NAMES = ("ppo", "mappo", "other_play", "iql", "vdn", "qmix", "sad", "off_belief", "fcp", "e3t", "cloning", "league")
"""The modules of ``agents/learning`` that are algorithms."""
COMMAND = "hanabako train"
"""The command that starts several ranks; their errors begin with it."""
METHODS = ("learn", "state", "restore")


class Learner(NamedTuple):
    """An algorithm, as its module declares it."""

    name: str
    """The name of its module: one of `NAMES`, or a full dotted name."""
    source: str
    """The argument with which `named` finds it in any process: one of `NAMES`, a file, or a dotted module name."""
    settings: type[Settings]
    algorithm: AlgorithmClass
    about: str
    """The description: the module's docstring."""


def named(name: str) -> Learner:
    """Return the algorithm called ``name``: one of `NAMES`, a file ending in ``.py``, or an importable module.

    A file or another module is imported, which runs its code. Raise ``ValueError`` if it declares no algorithm.
    """
    if name in NAMES:
        return declared_by(import_module(f"{FOLDER}.{name}"), name)
    if name.endswith(".py"):
        if Path(name).stem in NAMES:
            raise ValueError(f"{name} must have a name of its own, not that of an algorithm that ships")
        return declared_by(import_file(Path(name)), str(Path(name).resolve()))
    try:
        return declared_by(import_named(name), name)
    except (ModuleNotFoundError, TypeError) as error:  # TypeError: the name begins with a dot
        known = f"one of {', '.join(NAMES)}, a file NAME.py or a module"
        raise ValueError(f"algorithm must be {known}, got {shown(name)}") from error


def declared_by(module: ModuleType, source: str) -> Learner:
    """Return the algorithm that a module declares: the one learning class that it defines, else that it imports."""
    settings = getattr(module, "Args", None)
    if not (isinstance(settings, type) and issubclass(settings, Settings)):
        raise ValueError(f"{module.__name__} must have settings: a subclass of Settings named Args")  # noqa: TRY004
    there: list[Any] = [value for value in vars(module).values() if learns(value)]
    found = [value for value in there if value.__module__ == module.__name__] or there
    if len(found) != 1:
        raise ValueError(f"{module.__name__} must have one class with {', '.join(METHODS)}, got {len(found)}")
    name = name_of(found[0])
    return Learner(name, source, settings, found[0], module.__doc__ or "")


def learns(value: Any) -> bool:
    """Whether ``value`` is a class that satisfies `Algorithm`."""
    return isinstance(value, type) and value is not Algorithm and all(hasattr(value, name) for name in METHODS)


def maker_of(run_dir: Path) -> Learner:
    """Return the algorithm that made a run; raise ``ValueError`` if it does not ship.

    A run may come from someone else, so no other code is imported on its word.
    """
    algorithm = read_about(run_dir).get("algorithm")
    if algorithm not in NAMES:
        made = f"{run_dir} was made by the algorithm {shown(algorithm)}, which does not ship"
        raise ValueError(f"{made}: name its file or module by --algorithm")
    return named(algorithm)


# --- As a command -----------------------------------------------------------------------------------------------------


def command_line(module: str, argv: list[str] | None = None) -> None:
    """Train as the command ``python FILE.py`` does, with the settings as its options; see `named` for ``module``."""
    learner = named(module)

    def work(args: Settings) -> None:
        if not start(learner, args):
            raise SystemExit(INTERRUPTED)

    run_program(work, learner.settings, module, learner.about, argv)


def start(learner: Learner, args: Settings) -> bool:
    """Train as one rank, and print where the run is; return False if it was interrupted.

    Errors are those of `agents.learning.common.trainer.train`.
    """
    try:
        run_dir, ended = train_session(args, learner.algorithm)
    except ConnectionError as error:
        print(f"{COMMAND}: {error}", file=sys.stderr, flush=True)
        os._exit(1)  # a normal exit could abort, as torch's threads still wait for the lost rank
    except KeyboardInterrupt:  # before the first update
        run_dir, ended = args.resume, False
    if by_torchrun("RANK", 0) == 0:
        print(result_of(run_dir, args))
    return ended


def result_of(run_dir: Path | None, args: Settings) -> str:
    """Return what to print after training: the files of the run, if it made any, and the score or how to continue."""
    if run_dir is None:
        return "Interrupted before the first update: there is nothing to continue"
    files = f"{run_dir}: policy.safetensors, curve.png, metrics.jsonl, checkpoint/"
    if (last := finished(run_dir)) is None:
        trust = " --trust" if args.trust or need_trust(args.to_json().values()) else ""
        command = "hanabako train " if read_about(run_dir)["algorithm"] in NAMES else ""
        return f"{files}\nInterrupted. To continue: {command}--resume {shlex.quote(str(run_dir))}{trust}"
    config, saved = config_from_dict(read_about(run_dir)["learned"]), args.saved(run_dir, trust=True)
    what = "score" if game_of(config).cooperative else returns_in_words(config)
    score = f"greedy {what} {last['greedy_score']:.2f} ± {last['greedy_score_error']:.2f}, "
    score += counted(int(last["greedy_games"]), "game")
    if others := saved.others():
        score += f" against {', '.join(others)}"
    return f"{files}\n{score}\n{what_next(run_dir, saved.game, others)}"
