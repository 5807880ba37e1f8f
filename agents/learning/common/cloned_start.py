"""`hanabako train --start BOT`: a network learns to imitate the bot, and training starts from this clone."""

import json
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from hanabako.words.checks import shown

from ...registry import AgentName, load, need_trust
from .checkpoints import holds_checkpoint
from .network_settings import NetworkSettings
from .runs import finished, read_about, usual_run_dir
from .settings import Settings

__all__ = ["from_clone", "names_bot"]

SHARED = (*(field.name for field in fields(Settings)), "network", "features", "width", "layers", "trunk")
"""The settings that the clone's training has in common with the training that follows."""
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
    settings: NetworkSettings, part: float, cloning: type[Settings], train: Callable[[Settings], object]
) -> NetworkSettings | None:
    """Train a clone of the bot ``settings.start`` in the folder ``clone`` of the run's directory.

    An unfinished clone is continued, and a finished one is not trained again.

    Args:
        settings: the settings of the training that is to follow.
        part: the fraction of its budget that the clone gets.
        cloning: the class of the settings of cloning.
        train: clones with its settings, until the run ends or is interrupted.

    Returns:
        The settings for the rest of the budget, which start from the clone; None if its training was interrupted.

    Raises:
        ValueError: the settings of the training that is to follow cannot work, its networks are of another kind than a
            clone, or the folder has a clone that was trained with other settings.
    """
    settings.check(1)
    if (kind := settings.kind_of("dense")) != "dense":
        raise ValueError(
            f"start must be a network, got the bot {settings.start}: this algorithm's are {kind}, a clone is not"
        )
    config = settings.make_config()
    new = replace(settings, start=None)
    new.check_agents(new.learned(config))
    run_dir = settings.run_dir or usual_run_dir(settings.usual_name(config))
    folder = run_dir / "clone"
    given: dict[str, Any] = {name: getattr(settings, name) for name in SHARED}
    given |= {"run_dir": folder, "evaluations": EVALUATIONS, "loggers": (), "agent": settings.start}
    lesson = cloning(**given | budget_of(settings, part))
    if holds_checkpoint(folder / "checkpoint") or finished(folder):
        before = read_about(folder)["args"]
        for name, value in lesson.to_json().items():  # so no code is trusted but what this command names
            if json.dumps(before.get(name)) != json.dumps(value):
                has = f"{folder} has a clone with {name}={shown(before.get(name))}, not {value}"
                raise ValueError(f"{has}: choose another --run-dir")
        lesson = cloning(resume=folder, trust=bool(need_trust(lesson.to_json().values())))
    if finished(folder) is None:
        print(f"A network learns to imitate {settings.start} first, in {folder}.", flush=True)
        train(lesson)
    if finished(folder) is None:
        print(f"The same command with --run-dir {run_dir} continues the clone and the training.")
        return None
    rest = budget_of(settings, 1 - part)
    return replace(settings, **rest, start=str(folder / "policy.safetensors"), run_dir=run_dir)


def budget_of(settings: Settings, part: float) -> dict[str, Any]:
    """Return a part of the budget."""
    return {"minutes": part * settings.minutes, "steps": round(part * settings.steps)}
