"""The players by name: bots, networks in files, and random play."""

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from inspect import signature
from os.path import isfile
from pathlib import Path
from typing import Any

from hanabako.games import config_from_dict, game_named, game_names, game_of
from hanabako.words.checks import UnexpectedKeywordError, parse_setting, shown

from .bots.bot import Bot, BotPolicy
from .playing.policy import Policy
from .playing.random_policy import RandomPolicy

__all__ = [
    "effort_of",
    "fingerprints",
    "is_file",
    "load",
    "load_to_play",
    "metadata_of",
    "names",
    "network_file",
    "pretrained",
    "with_observation_of",
]

SEARCH = "search:"
"""Before the name of an agent: a seat that searches over it."""
SEARCHES = {
    "hanabi": (".search.hanabi.policy", "SearchPolicy"),
    "ikebana": (".search.ikebana.policy", "IkebanaSearch"),
    "koikoi": (".search.koikoi.policy", "KoiKoiSearch"),
}
"""The search of each game that has one: its module, imported when it is asked for, and its name there."""
PUBLISHED = ("bc_lstm", "obl", "sad")
"""The families of networks that others published, before the ``:`` and the file: see `agents.networks.published`."""
PRETRAINED = Path(__file__).resolve().parent / "pretrained"
"""The networks that ship, one file each."""


def bots_of(game: str) -> dict[str, Bot]:
    """The bots of a game by name: those in ``BOTS`` of the package ``bots.<game>``, if there is one."""
    package = f".bots.{game}"
    bots = importlib.import_module(package, __package__).BOTS if find_spec(package, __package__) else ()
    return {bot.name: bot for bot in bots}


def bot_named(text: str, game: str) -> Bot | None:
    """The bot of a game with this name, behind which there may be a number if the bot `Bot.counts` something.

    Raises:
        ValueError: the bot takes no number, or the number is not one from 1 to 999999999.
    """
    name, colon, number = text.partition(":")
    bot = bots_of(game).get(name)
    if bot is None or not colon:
        return bot
    if bot.counts is None:
        raise ValueError(f"{name} takes no number behind its name, got {shown(text)}")
    if not (number.isascii() and number.isdigit() and 0 < len(number) < 10 and int(number) > 0):
        raise ValueError(f"behind {name}: belongs a number of {bot.counts} from 1 to 999999999, got {shown(text)}")
    return replace(bot, name=text, style=int(number))


def names(game: str) -> list[str]:
    """Names of the players of ``game`` that `load` knows.

    Raises:
        ValueError: there is no such game.
    """
    return ["random", *bots_of(game_named(game).name)]


def pretrained(game: str) -> list[str]:
    """Names of the networks for ``game`` that ship and that `load` knows: each plays the config it was trained for.

    Raises:
        ValueError: there is no such game.
    """
    return sorted(path.stem for path in PRETRAINED.glob(f"{game_named(game).name}-*.safetensors"))


def published(name: str) -> tuple[str, Path] | None:
    """The family and the file of a published network, which is named ``obl:FILE``, say; None for any other name."""
    family, _, file = name.partition(":")
    return (family, Path(file)) if file and family in PUBLISHED else None


def network_file(name_or_path: str | Path) -> Path | None:
    """The file of a network that ships or was published under this name, or the file at this path; None for others."""
    text = str(name_or_path)
    if any(text in pretrained(game) for game in game_names()):
        return PRETRAINED / f"{text}.safetensors"
    path = theirs[1] if (theirs := published(text)) else Path(name_or_path)
    return path if isfile(path) else None  # noqa: PTH113 - Path's raises if the name is too long


def fingerprints(*names: str) -> dict[str, str]:
    """What the SHA-256 of their files begins with, by those ``names`` that are networks.

    A network that was trained anew keeps its name, but not its results.
    """
    files = {name: network_file(name) for name in names}
    return {name: sha256(path.read_bytes()).hexdigest()[:16] for name, path in files.items() if path is not None}


def load(name_or_path: str | Path, config: Any, **effort: Any) -> Policy:
    """A player of games of ``config``.

    Args:
        name_or_path: one of `names`, one of `pretrained`, or the file ``policy.safetensors`` of a training run; with
            ``search:`` before it, a seat that searches over that player. ``monte_carlo:2000`` is that bot with another
            number of roll-outs than its usual; ``obl:FILE``, ``sad:FILE`` and ``bc_lstm:FILE`` are networks that others
            published.
        config: of the games.
        **effort: of a search, see `agents.search.hanabi.policy.SearchPolicy` (Hanabi; `searcher` names those of the
        other
            games): ``rollouts`` or ``budget``, and what else it takes.

    Raises:
        ValueError: no such player or file, or it cannot play ``config``, or a wrong keyword (then also `TypeError`).
    """
    return load_with(effort, name_or_path, config)


def load_with(effort: Mapping[str, Any], name_or_path: str | Path, config: Any) -> Policy:
    """`load` with keywords of any name."""
    text = str(name_or_path)
    searches = text.startswith(SEARCH)
    game = game_of(config).name
    if effort or searches:
        search = searcher(game)
        efforts = list(signature(search).parameters)[2:]  # behind the blueprint and the config
        for name in effort:
            if not searches or name not in efforts:
                raise UnexpectedKeywordError(
                    f"got an unexpected keyword argument {name!r}; {' and '.join(efforts)} are those of an agent "
                    f"{SEARCH}NAME, and no others are known"
                )
        blueprint = text.removeprefix(SEARCH)
        if blueprint.startswith(SEARCH):
            raise ValueError(f"the blueprint of a search must not search itself, got {shown(blueprint)}")
        return search(load(blueprint, config), config, **effort)
    if text == "random":
        return RandomPolicy(config)
    bot = bot_named(text, game)
    if bot is not None:
        return BotPolicy(bot, config)
    if (found := published(text)) is not None:
        from .networks.published.policy import load_published

        return load_published(*found, config)
    path = network_file(name_or_path)
    if path is None:
        theirs = [f"{family}:FILE" for family in PUBLISHED if game == "hanabi"]
        known = ", ".join((*names(game), *pretrained(game), *theirs))
        raise ValueError(f"an agent must be one of {known} or a file, got {shown(text)}")
    from .networks.neural_policy import load_policy  # torch takes two seconds to import, and bots do not need it

    return load_policy(path, config)


def searcher(game: str) -> Callable[..., Policy]:
    """The search of a game: a function of the blueprint, the config, and the effort by keywords.

    Raises:
        ValueError: the game has none.
    """
    if game not in SEARCHES:
        raise ValueError(f"{game} has no search; games that have one are {', '.join(SEARCHES)}")
    module, name = SEARCHES[game]
    return getattr(importlib.import_module(module, __package__), name)


# --- What commands are told of agents ---------------------------------------------------------------------------------


def effort_of(settings: Iterable[str], names: Sequence[str]) -> dict[str, Any]:
    """How those of ``names`` think that search, by ``name=value`` texts: what a command is told by ``--search``.

    Raises:
        ValueError: a text is no setting or has no value, a name comes twice, or nobody searches for whom there is one.
    """
    effort: dict[str, Any] = {}
    for name, value in map(parse_setting, settings):
        if name in effort:
            raise ValueError(f"{name} must be said once, got {shown(effort[name])} and {shown(value)}")
        if value is None:
            raise ValueError(f"{name} must have a value, got None")
        effort[name] = value
    if effort and not any(name.startswith(SEARCH) for name in names):
        got = ", ".join(names) or "nobody"
        raise ValueError(f"{', '.join(effort)}: for agents that search ({SEARCH}NAME), got {got}")
    return effort


def load_to_play(name: str, config: Any, effort: Mapping[str, Any] | None = None, num_threads: int = 1) -> Policy:
    """`load` for a command that lets agents act: a search thinks with the ``effort``, networks on so many threads.

    One thread is the fastest for the few games that a search or a person's partner asks about: with two it waits for
    the other. torch has one such number for the whole process, so that this is for commands.

    Raises:
        ValueError: as for `load`.
    """
    policy = load_with(effort or {} if name.startswith(SEARCH) else {}, name, config)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(num_threads)
    return policy


# --- What networks ask of a config ------------------------------------------------------------------------------------


def is_file(name: str) -> bool:
    """Whether an agent is a network in a file, and no bot."""
    return name.endswith(".safetensors") or published(name) is not None


def metadata_of(name: str) -> dict[str, Any] | None:
    """What a network's file says of itself, or that of the network which is searched over; None for a bot.

    The published ones say nothing of themselves.
    """
    name = name.removeprefix(SEARCH)
    if published(name) is not None:
        return None
    path = Path(name) if is_file(name) else network_file(name)
    if path is None:
        return None
    from .networks.neural_policy import read_metadata  # torch takes two seconds to import, and bots do not need it

    return read_metadata(path)


def with_observation_of(config: Any, names: Sequence[str]) -> Any:
    """The config with the observation that the networks among ``names`` were trained on (the first readable one)."""
    for name in names:
        try:
            metadata = metadata_of(name)
        except ValueError:  # `loaded` says so
            continue
        if metadata is None:
            continue
        trained_for = config_from_dict(metadata["config"])
        if type(trained_for) is type(config):
            fields = game_of(config).observation_fields
            return replace(config, **{field: getattr(trained_for, field) for field in fields})
    return config
