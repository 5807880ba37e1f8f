"""The players by name: bots, networks in files, random play, and what is imported from Python files and modules."""

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from inspect import signature
from os.path import isdir, isfile
from pathlib import Path
from typing import Any, NamedTuple

from hanabako.games import config_from_dict, game_named, game_names, game_of, games
from hanabako.words.checks import UnexpectedKeywordError, did_you_mean, parse_setting, shown

from .bots.bot import Bot, BotPolicy
from .bots.imported import Source, make_agent, source_named
from .playing.policy import Policy
from .playing.random_policy import RandomPolicy

__all__ = [
    "PREFIXES",
    "Prefix",
    "base_of",
    "effort_of",
    "fingerprints",
    "is_file",
    "load",
    "load_to_play",
    "metadata_of",
    "names",
    "need_trust",
    "network_file",
    "pretrained",
    "source_of",
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
PRETRAINED = Path(__file__).resolve().parent / "pretrained"
"""The networks that ship, one file each."""
POLICY = "policy.safetensors"
"""The file of a training run's network in the run's folder."""


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


def network_file(name_or_path: str | Path) -> Path | None:
    """The file of a network that ships under this name, or that of a path to it or to a run's folder; else None."""
    text = str(name_or_path)
    if any(text in pretrained(game) for game in game_names()):
        return PRETRAINED / f"{text}.safetensors"
    paths = (Path(name_or_path), Path(name_or_path, POLICY))
    return next((path for path in paths if isfile(path)), None)  # noqa: PTH113 - Path's raises if the name is too long


def source_of(name: str) -> Source | None:
    """Where the code is that is imported for an agent, behind its prefixes; None if it is one of the project's."""
    source = source_named(base_of(name)) if behind(name) == "NAME" else None
    known = source is not None and any(source.place in names(game) for game in game_names())
    return None if known else source


def need_trust(values: Iterable[Any]) -> list[str]:
    """The agents among settings, or parts of lists of them, for which code is imported or a server is asked.

    Args:
        values: JSON types.
    """
    lists = (value if isinstance(value, (list, tuple)) else [value] for value in values)
    texts = [text for values in lists for value in values if isinstance(value, str) for text in value.split(",")]
    return [text for text in texts if source_of(text) is not None or behind(text) == "MODEL"]


def fingerprints(*names: str) -> dict[str, str]:
    """What the SHA-256 of their files begins with, by those ``names`` that are networks or imported. Runs no code.

    A network that is trained again keeps its name, but its old results no longer hold; the same goes for a bot whose
    file is edited. What such a file imports is not checked.
    """
    sources = {name: source_of(name) for name in names if behind(name) != "MODEL"}
    files = {name: source.file() if source else network_file(base_of(name)) for name, source in sources.items()}
    return {name: sha256(path.read_bytes()).hexdigest()[:16] for name, path in files.items() if path is not None}


def load(name_or_path: str | Path, config: Any = None, *, trust: bool = True, **effort: Any) -> Policy:
    """A player of games of ``config``.

    Args:
        name_or_path: one of `names`, one of `pretrained`, the file ``policy.safetensors`` of a training run or the
            run's folder; with ``search:`` before it, a seat that searches over that player. ``monte_carlo:2000`` is
            that bot with another number of roll-outs than its usual. ``obl:FILE``, ``sad:FILE`` and ``bc_lstm:FILE``
            are networks that others published, ``llm:MODEL`` a language model. ``FILE.py:NAME`` and
            ``package.module:NAME`` import that code: NAME is an `agents.PlainBot`, a `Bot` or a policy (a class, called
            without arguments, or with ``config`` if it takes that; or an object), or a function of a config that
            returns one.
        config: of the games; None is what the network was trained for.
        trust: whether code may be imported and servers asked; pass False for names read from files of others.
        **effort: of a search, see `agents.search.hanabi.policy.SearchPolicy` (Hanabi; `searcher` names those of the
            other games): ``rollouts`` or ``budget``, and what else it takes.

    Raises:
        ValueError: no such player or file, it cannot play ``config``, it needs a config, its code fails or is not
            trusted, or a wrong keyword (then also `TypeError`).
    """
    return load_with(effort, name_or_path, config, trust)


def load_with(effort: Mapping[str, Any], name_or_path: str | Path, config: Any = None, trust: bool = True) -> Policy:
    """`load` with keywords of any name."""
    text = str(name_or_path)
    prefix = prefix_of(text)
    if config is None and (prefix is None or PREFIXES[prefix].behind == "NAME"):
        config = own_config(text)
    game = game_names()[0] if config is None else game_of(config).name
    if effort and prefix != SEARCH:
        raise wrong_keyword(next(iter(effort)), searcher(game))
    if prefix is not None:
        return PREFIXES[prefix].make(text.removeprefix(prefix), config, effort, trust)
    if text == "random":
        return RandomPolicy(config)
    bot = bot_named(text, game)
    if bot is not None:
        return BotPolicy(bot, config)
    if (source := source_of(text)) is not None:
        if not trust:
            raise ValueError(f"{shown(text)} comes out of a file, and would import code and run it: only with --trust")
        try:
            return make_agent(source, config)
        except ModuleNotFoundError:
            raise ValueError(unknown(text, [game])) from None
    path = network_file(name_or_path)
    if path is None or path.suffix == ".py":
        raise ValueError(unknown(text, [game]))
    from .networks.neural_policy import load_policy  # torch takes two seconds to import, and bots do not need it

    return load_policy(path, config)


def own_config(name: str) -> Any:
    """The config that a network was trained for.

    Raises:
        ValueError: it is no network's name, or its file cannot be read.
    """
    metadata, base = metadata_of(name), base_of(name)
    if metadata is not None:
        return config_from_dict(metadata["config"])
    playing = [entry for entry in games().values() if base.partition(":")[0] in names(entry.name)]
    if not playing and source_of(name) is None:
        raise ValueError(unknown(name, game_names()))
    entry = (playing or list(games().values()))[0]
    raise ValueError(f"{shown(name)} needs a config: agents.load({shown(name)}, {entry.package}.{entry.config_name}())")


def unknown(text: str, of_games: Sequence[str]) -> str:
    """What is said of a name that no agent has."""
    if isdir(text):  # noqa: PTH112 - Path's raises if the name is too long
        return f"{text} holds no {POLICY}: is it a run's directory?"
    if text.endswith(".py"):
        return f"an agent in a file is named as in {text}:NAME, got {shown(text)}"
    known = [name for game in of_games for name in (*names(game), *pretrained(game))]
    like = did_you_mean(text, [*known, *(prefix + text.partition(":")[2] for prefix in PREFIXES)])
    if (source := source_of(text)) is not None:
        return f"there is no module {source.place} with an agent {source.name}{like}"
    return f"an agent must be one of {', '.join(dict.fromkeys(known))}, a file or FILE.py:NAME, got {shown(text)}{like}"


# --- Prefixes ---------------------------------------------------------------------------------------------------------


class Prefix(NamedTuple):
    """What may stand before the name of another agent, or before a file, in the name of an agent."""

    make: Callable[[str, Any, Mapping[str, Any], bool], Policy]
    """Makes the agent: of what stands behind the prefix, the config (of a file perhaps None, which is the file's own),
    the effort and ``trust``, as `load_with`."""
    behind: str
    """What stands behind it: ``NAME`` of an agent, which prefixes may begin too, ``FILE``, or ``MODEL`` on a server."""
    about: str
    """What it makes, for lists of agents."""


def prefix_of(name: str) -> str | None:
    """The first prefix of an agent's name, if it has one."""
    return next((prefix for prefix in PREFIXES if name.startswith(prefix)), None)


def split(name: str) -> tuple[list[str], str]:
    """The prefixes of an agent's name, and the name or file behind them."""
    prefixes: list[str] = []
    while (prefix := prefix_of(name)) is not None:
        prefixes.append(prefix)
        name = name.removeprefix(prefix)
        if PREFIXES[prefix].behind != "NAME":
            break
    return prefixes, name


def behind(name: str) -> str:
    """What stands behind the prefixes of an agent's name, see `Prefix.behind`."""
    prefixes, _ = split(name)
    return PREFIXES[prefixes[-1]].behind if prefixes else "NAME"


def base_of(name: str) -> str:
    """The name or file behind all prefixes of an agent's name."""
    return split(name)[1]


def search_over(blueprint: str, config: Any, effort: Mapping[str, Any], trust: bool) -> Policy:
    """A seat that searches over an agent; see `Prefix.make`.

    Raises:
        ValueError: as for `load`, or the agent is a search.
    """
    search = searcher(game_of(config).name)
    for name in effort:
        if name not in efforts_of(search):
            raise wrong_keyword(name, search)
    if blueprint.startswith(SEARCH):
        raise ValueError(f"the blueprint of a search must not search itself, got {shown(blueprint)}")
    return search(load_with({}, blueprint, config, trust), config, **effort)


def efforts_of(search: Callable[..., Policy]) -> list[str]:
    """The keywords that a search takes behind the blueprint and the config."""
    return list(signature(search).parameters)[2:]


def wrong_keyword(name: str, search: Callable[..., Policy]) -> UnexpectedKeywordError:
    """What is raised for a keyword that no agent, or not this search, takes."""
    return UnexpectedKeywordError(
        f"got an unexpected keyword argument {name!r}; {' and '.join(efforts_of(search))} are those of an agent "
        f"{SEARCH}NAME, and no others are known"
    )


def searcher(game: str) -> Callable[..., Policy]:
    """The search of a game: a function of the blueprint, the config, and the effort by keywords.

    Raises:
        ValueError: the game has none.
    """
    if game not in SEARCHES:
        raise ValueError(f"{game} has no search; games that have one are {', '.join(SEARCHES)}")
    module, name = SEARCHES[game]
    return getattr(importlib.import_module(module, __package__), name)


def published(family: str, file: str, config: Any, *_: Any) -> Policy:
    """A network of Hanabi that others published, of a family of `agents.networks.published`; see `Prefix.make`."""
    from .networks.published.policy import load_published  # and with it torch

    return load_published(family, Path(file), config)


def language_model(name: str, config: Any, _: Any, trust: bool) -> Policy:
    """A language model on a server; see `Prefix.make`."""
    if not trust:
        raise ValueError(f"{shown(f'llm:{name}')} comes out of a file, and would ask a server: only with --trust")
    from .chat.policy import load_chat  # a folder of its own: most agents say nothing

    return load_chat(name, config)


PREFIXES = {
    SEARCH: Prefix(search_over, "NAME", "a seat that searches over the agent NAME"),
    "obl:": Prefix(partial(published, "obl"), "FILE", "Hanabi: off-belief learning as published, JaxMARL's or .pthw"),
    "sad:": Prefix(partial(published, "sad"), "FILE", "Hanabi: SAD as published, also with Other-Play, .pthw"),
    "bc_lstm:": Prefix(partial(published, "bc_lstm"), "FILE", "Hanabi: a clone of people, as AH2AC2 published it"),
    "llm:": Prefix(language_model, "MODEL", "a language model on a server with OpenAI's protocol"),
}
"""All prefixes. They come before names out of files."""


# --- What commands are told of agents ---------------------------------------------------------------------------------


def effort_of(settings: Iterable[str], names: Sequence[str]) -> dict[str, Any]:
    """How those of ``names`` think that search, by ``name=value`` texts: what a command is told by ``--search``.

    Raises:
        ValueError: a text is no setting or has no value, a name comes twice, or there is one and no agent searches.
    """
    effort: dict[str, Any] = {}
    for name, value in map(parse_setting, settings):
        if name in effort:
            raise ValueError(f"{name} must be said once, got {shown(effort[name])} and {shown(value)}")
        if value is None:
            raise ValueError(f"{name} must have a value, got None")
        effort[name] = value
    if effort and not any(name.startswith(SEARCH) for name in names):
        got = ", ".join(names) or "none"
        raise ValueError(f"{', '.join(effort)}: for agents that search ({SEARCH}NAME), got {got}")
    return effort


def load_to_play(
    name: str, config: Any, effort: Mapping[str, Any] | None = None, num_threads: int = 1, trust: bool = True
) -> Policy:
    """`load` for a command that lets agents act: a search thinks with the ``effort``, networks on that many threads.

    One thread is the fastest for the few games that a search or a person's partner asks about: with two it waits for
    the other. torch has one such number for the whole process, so that this is for commands.

    Raises:
        ValueError: as for `load`.
    """
    policy = load_with(effort or {} if name.startswith(SEARCH) else {}, name, config, trust)
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(num_threads)
    return policy


# --- What networks ask of a config ------------------------------------------------------------------------------------


def is_file(name: str) -> bool:
    """Whether an agent is a network in a file or a run's folder, or a search over one, and no name."""
    base = base_of(name)
    if behind(name) != "NAME":
        return behind(name) == "FILE"
    return base.endswith(".safetensors") or isfile(Path(base, POLICY))  # noqa: PTH113 - as in `network_file`


def metadata_of(name: str) -> dict[str, Any] | None:
    """What a network's file says of itself, or that of the network which is searched over; None for all else."""
    base = base_of(name)
    path = Path(base) if base.endswith(".safetensors") else network_file(base)
    if path is None or behind(name) != "NAME":
        return None
    from .networks.neural_policy import read_metadata  # torch takes two seconds to import, and bots do not need it

    return read_metadata(path)


def with_observation_of(config: Any, names: Sequence[str]) -> Any:
    """The config with all observed that the networks among ``names`` were trained on, as far as that is possible.

    A network plays where more is observed than it reads; of kinds of observation that exclude each other, that of the
    first network counts.
    """
    seen: dict[str, Any] = {}
    for name in names:
        try:
            metadata = metadata_of(name)
        except ValueError:  # `loaded` says so
            continue
        trained_for = None if metadata is None else config_from_dict(metadata["config"])
        if type(trained_for) is type(config):
            for field in game_of(config).observation_fields:
                value = getattr(trained_for, field)
                seen[field] = max(value, seen.get(field, value)) if isinstance(value, int) else seen.get(field, value)
    return replace(config, **seen)
