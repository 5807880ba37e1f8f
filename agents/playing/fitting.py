"""What an agent needs of a game: the rules it plays by, and the observation that it declares.

An agent may have a ``config``, whose rules it plays by and whose observation it reads, and ``observation``, the form of
its rows: ``"packed"``, ``"int8"`` or ``"float32"``, as in the vector environments. Without a config it reads the game's
own observation, and without a form int8.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.sections import words_for
from hanabako.envs.vector import FORMATS
from hanabako.games import game_of
from hanabako.packing import pack, unpack
from hanabako.words.checks import shown


def fits(policy: Any, config: Any) -> None:
    """Raise ``ValueError`` if a policy plays by other rules; whatever a game shows to others, it gets what it reads."""
    own = getattr(policy, "config", None)
    if own is not None:
        check_rules(str(getattr(policy, "name", type(policy).__name__)), own, config)


def check_rules(name: str, own: Any, config: Any) -> None:
    """Raise `ValueError` if ``config`` has other rules than ``own``, for which the agent ``name`` was made."""
    entry = game_of(own)
    if type(own) is not type(config):
        raise ValueError(f"{name} plays by the rules of {entry.name}, not of {game_of(config).name}")
    free = {field: getattr(config, field) for field in (*entry.observation_fields, *entry.neutral_fields)}
    if replace(own, **free).rules() == config.rules():
        return
    different = [one.name for one in fields(own) if getattr(own, one.name) != getattr(config, one.name)]
    field = next(field for field in different if field not in free)
    rules = (one if getattr(one, field) is not None else one.rules() for one in (own, config))
    needed, given = (getattr(one, field, None) for one in rules)
    usual = entry.config_class()
    changed = {one.name: value for one in fields(own) if (value := getattr(own, one.name)) != getattr(usual, one.name)}
    call = f"{entry.config_name}({', '.join(f'{key}={value!r}' for key, value in changed.items())})"
    raise ValueError(
        f"{name} plays by other rules: {field}={needed!r}, and this game has {field}={given!r}; it fits config={call}"
    )


def remembering(config: Any, policies: Sequence[Any]) -> Any:
    """Return the config, with observations of as many steps as any of the policies reads."""
    wider = config
    for own in (getattr(policy, "config", None) for policy in policies):
        if type(own) is type(config):
            wider = replace(wider, **{name: max(most, getattr(wider, name)) for name, most in lengths(own).items()})
    return wider


def lengths(config: Any) -> dict[str, int]:
    """Return the config's observation fields that are lengths; tables keep no more steps than these."""
    return {name: value for name, value in observed(config).items() if type(value) is int}


def sight(policy: Any, games: Any) -> Callable[[NDArray[np.int64]], NDArray[Any]]:
    """Return the function from rows of ``games``, a `Block`, to what the policy reads of them, if it is to move.

    Raise ``ValueError`` if the tables keep fewer steps than the policy reads, or its form of rows is unknown.
    """
    form, played = getattr(policy, "observation", "int8"), games.game.config
    if form not in FORMATS:
        raise ValueError(f"observation of {policy.name} must be one of {', '.join(FORMATS)}, got {shown(form)}")
    config = replace(played, **observed(getattr(policy, "config", None) or getattr(games, "shown", None) or played))
    if config == played:
        return lambda rows: formed(games.observation[rows], config.observation_bits, form)
    for name, most in lengths(played).items():
        if getattr(config, name) > most:
            raise ValueError(
                f"{policy.name} reads an observation with {name}={getattr(config, name)}, and the tables keep {most}: "
                f"the rules are the same, so make the environment with {name}={getattr(config, name)}"
            )
    entry = game_of(config)
    wide = replace(config, **lengths(played))
    game, places = entry.make_game(wide), entry.layout(config).within(entry.layout(wide))
    loops, mask = game.loops(games.specialize), np.zeros((len(games.tables), game.num_actions), np.int8)

    def read(rows: NDArray[np.int64]) -> NDArray[Any]:
        tables = games.tables.view(np.uint8).reshape(len(games.tables), -1)[rows].view(games.tables.dtype)[:, 0]
        words = np.zeros((len(rows), words_for(game.observation_bits)), np.uint64)
        loops.observe(game.rules_array, tables, -1, words, mask[: len(rows)])
        bits = unpack(words, game.observation_bits)[:, places]
        return formed(bits, config.observation_bits, form)

    return read


def observed(config: Any) -> dict[str, Any]:
    """Return the config's observation fields."""
    return {name: getattr(config, name) for name in game_of(config).observation_fields}


def formed(rows: NDArray[Any], bits: int, form: str) -> NDArray[Any]:
    """Return observations, packed or not, in one of `FORMATS`."""
    is_packed = rows.dtype == np.uint64
    if form == "packed":
        return rows if is_packed else pack(rows, words_for(bits))
    return (unpack(rows, bits) if is_packed else rows).astype(FORMATS[form], copy=False)
