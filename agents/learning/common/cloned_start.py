"""`hanabako train --start BOT`: a network learns to imitate the bot, and training starts from this clone."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hanabako.words.checks import shown

from ...registry import AgentName, load, need_trust
from .checkpoints import holds_checkpoint
from .network_settings import NetworkSettings
from .runs import finished, read_about, usual_run_dir
from .settings import Settings

__all__ = ["from_clone", "names_bot"]

SHARED = (*Settings.names(), "network", "features", "width", "layers", "trunk")
"""The settings that the clone's training has in common with the training that follows."""
SHAPING = (
    *("agent", "game", "preset", "players", "config", "training", "seed", "minutes", "steps"),
    *("network", "features", "width", "layers"),
)
"""The settings by which a clone that is there already must agree with the command."""
EVALUATIONS = 3
"""Evaluations of the clone while it is trained."""


def names_bot(settings: NetworkSettings) -> bool:
    """Whether ``start`` names an agent that is no network.

    Raises:
        ValueError: there is no such agent, or it cannot play the config.
    """
    if settings.start is None:
        return False
    name = AgentName.parse(settings.start)
    if name.network is not None and not name.searches:
        return False
    load(settings.start, settings.make_config())
    return True


def from_clone(
    settings: NetworkSettings, envs: type, part: float, cloning: type[Settings], train: Callable[[Settings], object]
) -> NetworkSettings | None:
    """Train a clone of the bot ``settings.start`` in the folder ``clone`` of the run's directory.

    An unfinished clone is continued, and a finished one is not trained again.

    Args:
        settings: the settings of the training that is to follow.
        envs: the class of the games that it learns from.
        part: the fraction of its budget that the clone gets.
        cloning: the class of the settings of cloning.
        train: clones with its settings, until the run ends or is interrupted.

    Returns:
        The settings for the rest of the budget, which start from the clone; None if its training was interrupted.

    Raises:
        ValueError: the settings of the training that is to follow cannot work, or its networks are of other kinds than
            a clone; see also `lesson_of`.
    """
    settings.check(1)
    if settings.prefix:
        kinds = f"this algorithm trains networks of kinds that begin with {settings.prefix!r}, and a clone's do not"
        raise ValueError(f"start must be a network, got the bot {settings.start}: {kinds}")
    config = settings.make_config()
    new = replace(settings, start=None)
    new.check_agents(new.learned(config), envs)
    run_dir = settings.run_dir or usual_run_dir(settings.usual_name(config))
    folder = run_dir / "clone"
    lesson = lesson_of(settings, part, folder, cloning)
    if finished(folder) is None:
        print(f"A network learns to imitate {settings.start} first, in {folder}.", flush=True)
        train(lesson)
    if finished(folder) is None:
        print(f"The same command with --run-dir {run_dir} continues the clone and the training.")
        return None
    rest = budget_of(settings, 1 - part)
    return replace(settings, **rest, start=str(folder / "policy.safetensors"), run_dir=run_dir)


def lesson_of(settings: NetworkSettings, part: float, folder: Path, cloning: type[Settings]) -> Settings:
    """Return the settings that train the clone in ``folder``, or continue it; arguments as in `from_clone`.

    The folder may come from someone else, so no code is imported but that of the bot that this command names.

    Raises:
        ValueError: the folder holds the clone of another bot or with other settings, or its settings name other code.
    """
    told: dict[str, Any] = {name: getattr(settings, name) for name in SHARED}
    told |= {"run_dir": folder, "evaluations": EVALUATIONS, "loggers": (), "agent": settings.start}
    told |= budget_of(settings, part)
    if holds_checkpoint(folder / "checkpoint") or finished(folder):
        kept = read_about(folder)["args"]
        for name in SHAPING:
            if json.dumps(kept.get(name)) != json.dumps(told[name]):
                held = f"{folder} holds a clone with {name}={shown(kept.get(name))}, not {told[name]}"
                raise ValueError(f"{held}: choose another --run-dir")
        named_here = need_trust([settings.start])
        others = [name for name in need_trust(kept.values()) if name not in named_here]
        return cloning(resume=folder, trust=bool(named_here) and not others)
    return cloning(**told)


def budget_of(settings: Settings, part: float) -> dict[str, Any]:
    """Return a part of the budget."""
    return {"minutes": part * settings.minutes, "steps": round(part * settings.steps)}
