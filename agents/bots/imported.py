"""Agents from Python files and modules: ``mine.py:Timid``, ``package.module:Timid``. Loading them runs their code."""

import inspect
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from hanabako.importing import error_in_words, import_file, import_named
from hanabako.words.checks import did_you_mean, shown

from ..playing.policy import Policy, as_policy
from .bot import Bot, BotPolicy

__all__ = ["Source", "make_agent", "source_named"]

ASKED = ("name", "observes", "specializes", "plays_apart")
"""The attributes of a `Policy` besides ``seat``."""


class Source(NamedTuple):
    """The location of an agent's code."""

    place: str
    """A file that ends in ``.py``, or a module."""
    name: str
    """The agent's name in it."""

    def __str__(self) -> str:
        return f"{self.place}:{self.name}"

    def file(self) -> Path | None:
        """Return the file of the code, found without importing anything; None if there is none."""
        place: str | None = self.place
        if self.place in sys.modules:
            place = getattr(sys.modules[self.place], "__file__", None)
        elif not self.place.endswith(".py"):
            place = getattr(spec_of(self.place), "origin", None)
        return Path(place).resolve() if place and Path(place).is_file() else None


def source_named(text: str) -> Source | None:
    """Parse ``FILE.py:NAME`` or ``package.module:NAME``; return None for any other text."""
    place, _, name = text.rpartition(":")
    is_place = place.endswith(".py") or all(part.isidentifier() for part in place.split("."))
    return Source(place, name) if is_place and name.isidentifier() else None


def spec_of(module: str) -> ModuleSpec | None:
    """Find a module without importing its packages, which would run their code; None if there is none."""
    spec, path, parts = None, None, module.split(".")
    for count in range(1, len(parts) + 1):
        specs = (finder.find_spec(".".join(parts[:count]), path) for finder in sys.meta_path)
        spec = next((one for one in specs if one is not None), None)
        if spec is None:
            return None
        path = spec.submodule_search_locations or []
    return spec


def imported(source: Source) -> ModuleType:
    """Import the module of an agent; errors are those of `import_named` and `import_file`."""
    if not source.place.endswith(".py"):
        return import_named(source.place)
    if source.file() is None:
        raise ValueError(f"there is no file {source.place} with an agent {source.name}")
    return import_file(Path(source.place))


# --- From a module to a policy ----------------------------------------------------------------------------------------


def make_agent(source: Source, config: Any) -> Policy:
    """Return the agent at a location in a file or module, or raise an error as `imported` does: see `agents.load`."""
    module = imported(source)
    if not hasattr(module, source.name):
        public = [name for name in vars(module) if not name.startswith("_")]
        raise ValueError(f"{source.place} has no {source.name}{did_you_mean(source.name, public)}")
    agent = getattr(module, source.name)
    if callable(agent) and not is_agent(agent):
        agent = called(source, agent, config)
    if isinstance(agent, Bot):
        return BotPolicy(agent, config)
    missing = [name for name in ASKED if hasattr(agent, "seat") and not hasattr(agent, name)]
    if missing or not is_agent(agent):
        kinds = "a PlainBot, a Bot, a policy (its class or an object) or a function of a config"
        raise ValueError(f"{source} must be {kinds}, got {shown(agent)} without {' and '.join(missing) or 'an act'}")
    return as_policy(agent)


def is_agent(thing: Any) -> bool:
    """Whether ``thing`` is an object, not a class, with a ``seat`` or an ``act``."""
    return not isinstance(thing, type) and (hasattr(thing, "seat") or hasattr(thing, "act"))


def called(source: Source, make: Any, config: Any) -> Any:
    """Call a function with the config, or a class with ``config`` if it takes that, else without arguments."""
    named = {"config": config} if "config" in (parameters := inspect.signature(make).parameters) else {}
    unnamed = [config] if not (named or isinstance(make, type)) and parameters else []
    try:
        inspect.signature(make).bind(*unnamed, **named)
    except TypeError as error:
        raise ValueError(f"{source} must take no arguments but config: {error}") from error
    try:
        return make(*unnamed, **named)
    except ValueError:
        raise
    except Exception as error:
        reason = error_in_words(error, source.file() or source.place)
        if unnamed:
            reason += "; a function is called with the config and returns an agent; act(view) is a method of a PlainBot"
        raise ValueError(f"{source} cannot be made: {reason}") from error
