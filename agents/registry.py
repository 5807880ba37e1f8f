"""Agents by name: bots, networks in files, random play, and agents imported from Python files and modules."""

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import file_digest
from importlib.util import find_spec
from inspect import signature
from os.path import isdir, isfile
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from hanabako.files import MOST_ARRAYS, check_readable
from hanabako.games import config_from_dict, game_named, game_names, game_of, games, make_config
from hanabako.interrupts import at_once
from hanabako.words.checks import UnexpectedKeywordError, did_you_mean, parse_setting, shown

from .bots.bot import Bot, BotPolicy
from .bots.imported import Source, make_agent, source_named
from .playing.policy import Policy, RandomPolicy

__all__ = ["BRIDGES", "AgentName", "ConfigOptions", "effort_of", "load", "load_to_play", "names", "pretrained"]

SEARCH = "search:"
"""The prefix of an agent's name for a seat that searches over that agent."""
SEARCHES = {
    "hanabi": (".search.hanabi.policy", "SearchPolicy"),
    "ikebana": (".search.ikebana.policy", "IkebanaSearch"),
    "koikoi": (".search.koikoi.policy", "KoiKoiSearch"),
}
"""The search of each game that has one: its module, which is imported only when needed, and its name there."""


class Bridge(NamedTuple):
    """Agents of others, whose names begin with a prefix; their module is imported when one is loaded."""

    module: str
    load: str
    """The function of the module that makes the agent, from its name with the prefix and the config."""
    behind: Literal["FILE", "MODEL"]
    """What follows the prefix: a file, or a model on a server."""
    about: str
    """A description for lists of agents."""


PUBLISHED = ".bridges.published.policy", "load_published", "FILE"
CHAT = ".bridges.language_models.policy", "load_chat", "MODEL"
BRIDGES = {
    "obl:": Bridge(*PUBLISHED, "Hanabi: off-belief learning as published, JaxMARL's or .pthw"),
    "sad:": Bridge(*PUBLISHED, "Hanabi: SAD as published, also with Other-Play, .pthw"),
    "bc_lstm:": Bridge(*PUBLISHED, "Hanabi: a clone of people, as AH2AC2 published it"),
    "llm:": Bridge(*CHAT, "a language model on a server with OpenAI's protocol"),
}
"""The bridges by prefix, which is recognized before names and files."""
PRETRAINED = Path(__file__).resolve().parent / "pretrained"
"""The folder of the networks that ship with the package, one file each."""
POLICY = "policy.safetensors"
"""The name of the network's file in a training run's folder."""


def bots_of(game: str) -> dict[str, Bot]:
    """Return the bots of a game by name: those in ``BOTS`` of the package ``bots.<game>``, if it exists."""
    package = f".bots.{game}"
    bots = importlib.import_module(package, __package__).BOTS if find_spec(package, __package__) else ()
    return {bot.name: bot for bot in bots}


def bot_named(text: str, game: str) -> Bot | None:
    """Return the bot of a game with this name, or None; the name may end in ``:NUMBER`` if the bot has `Bot.counts`."""
    name, colon, number = text.partition(":")
    bot = bots_of(game).get(name)
    if bot is None or not colon:
        return bot
    if bot.counts is None:
        raise ValueError(f"{name} takes no number after its name, got {shown(text)}")
    if not (number.isascii() and number.isdigit() and 0 < len(number) < 10 and int(number) > 0):
        raise ValueError(f"{name}: must be followed by a number of {bot.counts} from 1 to 999999999, got {shown(text)}")
    return replace(bot, name=text, style=int(number))


def names(game: str) -> list[str]:
    """Return ``random`` and the names of the bots for ``game``; raise ``ValueError`` if there is no such game."""
    return ["random", *bots_of(game_named(game).name)]


def pretrained(game: str) -> list[str]:
    """Return the names of the pretrained networks for ``game``, with errors as `names`; each plays its own config."""
    return sorted(path.stem for path in PRETRAINED.glob(f"{game_named(game).name}-*.safetensors"))


@dataclass(frozen=True)
class AgentName:
    """An agent's name in its parts. Reading it imports no code of users, and asks no server."""

    text: str
    """The name as it was given."""
    searches: bool
    """Whether a seat searches over the agent: the name begins with ``search:``."""
    bridge: Bridge | None
    """The bridge that the next prefix stands for."""
    base: str
    """The name, file or model after all prefixes."""

    @classmethod
    def parse(cls, name_or_path: str | Path) -> Self:
        """Return the parts of a name."""
        text = str(name_or_path)
        rest = re.sub(f"^({SEARCH})+", "", text)
        prefix = next((prefix for prefix in BRIDGES if rest.startswith(prefix)), "")
        return cls(text, text.startswith(SEARCH), BRIDGES.get(prefix), rest.removeprefix(prefix))

    @cached_property
    def source(self) -> Source | None:
        """The location of the code that the agent imports; None for agents of the project."""
        source = None if self.bridge else source_named(self.base)
        is_known = source is not None and any(source.place in names(game) for game in game_names())
        return None if is_known else source

    @property
    def network(self) -> Path | None:
        """The file of a network: one that ships, one in a file or in a run's folder; None if there is none."""
        if self.bridge:
            return None
        if any(self.base in pretrained(game) for game in game_names()):
            return PRETRAINED / f"{self.base}.safetensors"
        return existing(self.base, str(Path(self.base, POLICY)))

    @property
    def file(self) -> Path | None:
        """The file of an agent that comes from one: a network, the network of a bridge, or code."""
        if self.bridge is None:
            return self.source.file() if self.source else self.network
        return existing(self.base) if self.bridge.behind == "FILE" else None

    @property
    def is_file(self) -> bool:
        """Whether the agent is a network in a file or a run's folder, or a search over one, instead of a name."""
        if self.bridge is not None:
            return self.bridge.behind == "FILE"
        return self.base.endswith(".safetensors") or existing(str(Path(self.base, POLICY))) is not None

    @property
    def danger(self) -> str:
        """What loading the agent would do that needs permission, such as ``ask a server``; "" for nothing."""
        asks = self.bridge is not None and self.bridge.behind == "MODEL"
        return "ask a server" if asks else "import code and run it" if self.source else ""

    def metadata(self) -> dict[str, Any] | None:
        """Return the metadata of the network's file; None for other agents, and for networks of bridges."""
        path = Path(self.base) if self.base.endswith(".safetensors") else self.network
        if path is None or self.bridge:
            return None
        return imported(".networks.policy_file", "read_metadata")(path)


def existing(*paths: str) -> Path | None:
    """Return the first path that is a file."""
    return next((Path(path) for path in paths if isfile(path)), None)  # noqa: PTH113 - Path's raises if a name is too long


def need_trust(values: Iterable[Any]) -> list[str]:
    """Return the agents named in ``values`` of settings, or in lists in them, that import code or contact a server."""
    lists = (value if isinstance(value, (list, tuple)) else [value] for value in values)
    texts = [text for values in lists for value in values if isinstance(value, str) for text in value.split(",")]
    return [text for text in texts if AgentName.parse(text).danger]


def fingerprints(*names: str) -> dict[str, str]:
    """Return 16 hex digits of the SHA-256 of the file of each name that is a network or imported. Runs no code.

    A network that is trained again keeps its name, but its old results no longer hold; the same is true of a bot whose
    file is edited. Files that such a file imports are not checked.
    """
    files = {name: AgentName.parse(name).file for name in names}
    return {name: print_ for name, path in files.items() if path is not None and (print_ := fingerprint(path))}


def fingerprint(path: Path) -> str | None:
    """Return 16 hex digits of the SHA-256 of a file; None if it cannot be read, see `check_readable`."""
    with suppress(OSError, ValueError):
        check_readable(path, MOST_ARRAYS)
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()[:16]
    return None


def load(name_or_path: str | Path, config: Any = None, *, trust: bool = True, **effort: Any) -> Policy:
    """Load the agent of a given name or file, to play games of ``config``.

    Args:
        name_or_path: one of `names`, one of `pretrained`, the file ``policy.safetensors`` of a training run or the
            run's folder; with ``search:`` before it, a seat that searches over that agent. ``monte_carlo:2000`` is that
            bot with 2000 roll-outs instead of its default. ``obl:FILE``, ``sad:FILE`` and ``bc_lstm:FILE`` are networks
            published by others, ``llm:MODEL`` is a language model. ``FILE.py:NAME`` and ``package.module:NAME`` import
            that code: NAME is an `agents.PlainBot`, a `Bot` or a policy (a class, called without arguments, or with
            ``config`` if it takes that; or an object), or a function of a config that returns one.
        config: the config of the games; None is the one that the network was trained for.
        trust: whether code may be imported and servers contacted; pass False for names from files of others.
        **effort: settings of a search, such as ``rollouts`` or ``budget``: see
            `agents.search.hanabi.policy.SearchPolicy` for Hanabi; `searcher` returns those of the other games.

    Raises:
        ValueError: there is no such agent or file, it cannot play ``config`` or needs one, its code fails or is not
            trusted, or a keyword is wrong (then it is also a `TypeError`).
    """
    return load_with(effort, name_or_path, config, trust)


def load_with(effort: Mapping[str, Any], name_or_path: str | Path, config: Any = None, trust: bool = True) -> Policy:
    """Load an agent as `load` does, with the effort as a mapping, which may hold any names."""
    name = AgentName.parse(name_or_path)
    if config is None and (name.searches or name.bridge is None):
        config = own_config(name)
    game = game_names()[0] if config is None else game_of(config).name
    if name.searches:
        return search_over(name.text.removeprefix(SEARCH), config, effort, trust)
    if effort:
        raise wrong_keyword(next(iter(effort)), searcher(game))
    if name.danger and not trust:
        raise ValueError(f"{shown(name.text)} comes from a file, and would {name.danger}: only with --trust")
    if name.bridge is not None:
        return imported(name.bridge.module, name.bridge.load)(name.text, config)
    if name.base == "random":
        return RandomPolicy()
    if (bot := bot_named(name.base, game)) is not None:
        return BotPolicy(bot, config)
    if name.source is not None:
        try:
            return make_agent(name.source, config)
        except ModuleNotFoundError:
            raise ValueError(unknown(name, [game])) from None
    path = name.network
    if path is None or path.suffix == ".py":
        raise ValueError(unknown(name, [game]))
    return imported(".networks.neural_policy", "load_policy")(path, config)


def own_config(name: AgentName) -> Any:
    """Return the config that a network was trained for; raise ``ValueError`` if ``name`` is no network's."""
    metadata, text = name.metadata(), shown(name.text)
    if metadata is not None:
        return config_from_dict(metadata["config"])
    playing = [entry for entry in games().values() if name.base.partition(":")[0] in names(entry.name)]
    if not playing and name.source is None:
        raise ValueError(unknown(name, game_names()))
    entry = (playing or list(games().values()))[0]
    raise ValueError(f"{text} needs a config: agents.load({text}, {entry.package}.{entry.config_name}())")


def unknown(name: AgentName, of_games: Sequence[str]) -> str:
    """Return the error message for an unknown agent name."""
    text = name.text
    if isdir(text):  # noqa: PTH112 - Path's raises if the name is too long
        return f"{text} holds no {POLICY}: is it a run's directory?"
    if text.endswith(".py"):
        return f"an agent in a file must be given as {text}:NAME, got {shown(text)}"
    bots = dict.fromkeys(one for game in of_games for one in names(game))
    known = [*bots, *(one for game in of_games for one in pretrained(game))]
    like = did_you_mean(text, [*known, *(prefix + text.partition(":")[2] for prefix in (SEARCH, *BRIDGES))])
    if name.source is not None:
        return f"there is no module {name.source.place} with an agent {name.source.name}{like}"
    others = "a network that `hanabako agents` lists, a file or FILE.py:NAME"
    return f"an agent must be one of {', '.join(bots)}, {others}, got {shown(text)}{like}"


def search_over(blueprint: str, config: Any, effort: Mapping[str, Any], trust: bool) -> Policy:
    """Make a seat that searches over an agent, which must be no search itself."""
    search = searcher(game_of(config).name)
    for name in effort:
        if name not in efforts_of(search):
            raise wrong_keyword(name, search)
    if blueprint.startswith(SEARCH):
        raise ValueError(f"the blueprint of a search must not search itself, got {shown(blueprint)}")
    return search(load_with({}, blueprint, config, trust), config, **effort)


def efforts_of(search: Callable[..., Policy]) -> list[str]:
    """Return the keywords that a search takes, besides the blueprint and the config."""
    return list(signature(search).parameters)[2:]


def wrong_keyword(name: str, search: Callable[..., Policy]) -> UnexpectedKeywordError:
    """Return the error for a keyword that no agent, or not this search, takes."""
    return UnexpectedKeywordError(
        f"got an unexpected keyword argument {name!r}; an agent {SEARCH}NAME takes {' and '.join(efforts_of(search))}, "
        f"and other agents take none"
    )


def searcher(game: str) -> Callable[..., Policy]:
    """Return the search of a game: a function of the blueprint, the config, and the effort by keywords."""
    if game not in SEARCHES:
        raise ValueError(f"{game} has no search; games that have one are {', '.join(SEARCHES)}")
    return imported(*SEARCHES[game])


def imported(module: str, name: str) -> Any:
    """Return what a module of this package offers which takes long to import, and which not every agent needs."""
    with at_once():
        return getattr(importlib.import_module(module, __package__), name)


def check_honest(name: str, policy: Policy, config: Any) -> None:
    """Raise ``ValueError`` if an agent sees the cards in its own hand."""
    cheats = isinstance(policy, BotPolicy) and policy.bot.cheats  # no search has such a blueprint
    read = [getattr(one, "config", None) or config for one in (policy, getattr(policy, "blueprint", policy))]
    if cheats or any(getattr(one, "observation_type", None) == "seer" for one in read):
        raise ValueError(f"{name} looks at its own cards, which players do not see")


def effort_of(settings: Iterable[str], names: Sequence[str]) -> dict[str, Any]:
    """Return the settings of the agents among ``names`` that search, from the ``name=value`` texts of ``--search``.

    Raise ``ValueError`` if a text is no setting with a value or repeats one, or no agent searches.
    """
    effort: dict[str, Any] = {}
    for name, value in map(parse_setting, settings):
        if name in effort:
            raise ValueError(f"{name} must be given only once, got {shown(effort[name])} and {shown(value)}")
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
    """Load an agent for a command: ``effort`` goes to a search, and networks run on ``num_threads`` threads.

    For the few games that a search or a person's partner plays, one thread is the fastest, because two wait for each
    other. In torch this number is global to the process, so only commands should set it. Errors are those of `load`.
    """
    policy = load_with(effort or {} if name.startswith(SEARCH) else {}, name, config, trust)
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(num_threads)
    return policy


@dataclass(frozen=True, kw_only=True)
class ConfigOptions:
    """The options of a command that say which config its games have."""

    preset: str | None = None
    """A preset of the game; by default its first, or what a network that plays was trained for."""
    players: int | None = None
    """Number of players; by default the preset's."""
    config: tuple[str, ...] = ()
    """More fields of the game's config, as name=value."""

    def config_for(self, game: str, agents: Sequence[str] = (), together: bool = True) -> Any:
        """Return the config to play; without any options, that of the first network among ``agents``.

        If the agents sit ``together``, more than two are players of one game. Errors: `hanabako.games.make_config`.
        """
        game_named(game)
        players = self.players
        if self.preset is None and players is None and not self.config:
            for name in agents:
                with suppress(ValueError):  # a file that cannot be read is reported when the agent is loaded
                    metadata = AgentName.parse(name).metadata()
                    if metadata is not None and metadata["config"]["game"] == game:
                        return config_from_dict(metadata["config"])
        if players is None and together and len(agents) > 2:
            players = len(agents)
        return make_config(game, self.preset, players, self.config)
