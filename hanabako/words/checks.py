"""Checks of users' input. Their error messages name the field, its value and what is allowed."""

import difflib
import json
import operator
import re
import reprlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

T = TypeVar("T")


class UnexpectedKeywordError(TypeError, ValueError):
    """Error for an unknown keyword: a TypeError as in Python, and a ValueError as for all other wrong arguments."""


class OneLine(reprlib.Repr):
    """A ``repr`` for messages: at most one line, even for values that are long, deeply nested or broken."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxstring = self.maxother = self.maxlong = 80
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = 8

    def repr(self, x: Any) -> str:
        """Return the text of a value, shortened in the middle if it is long."""
        try:
            text = super().repr(x)
        except Exception:
            text = f"<{type(x).__name__}>"
        text = re.sub(r"\s*\n\s*", " ", text)
        return text if len(text) <= LINE else f"{text[: LINE - 23]}...{text[-20:]}"


LINE = 160
"""The largest number of characters that a message quotes of a value."""

shown = OneLine().repr


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return the end of a message that suggests the most similar known name; "" if no name is similar."""
    like = difflib.get_close_matches(name[:LINE], list(known), 1) if isinstance(name, str) else []
    return f"; did you mean {like[0]}?" if like else ""


CLASSES = {type(None): "None", bool: "true or false"}
"""Names of classes in messages, where command lines and JSON write values differently from Python."""


def check_field_types(config: Any) -> None:
    """Check every field of a dataclass against its annotation (``int``, ``bool``, ``str``, unions, a ``tuple[...]``).

    NumPy integers are accepted and stored as Python ints. Lists are accepted and stored as tuples, because JSON has no
    tuples. The elements of a tuple are not checked. A ``bool`` is not an ``int`` here. Raise ``ValueError`` for a field
    of the wrong type.
    """
    hints = get_type_hints(type(config))
    for field in fields(config):
        value = getattr(config, field.name)
        allowed = _classes(hints[field.name])
        if isinstance(value, np.generic):
            value = value.item()
            object.__setattr__(config, field.name, value)
        if isinstance(value, list) and tuple in allowed:
            value = tuple(value)
            object.__setattr__(config, field.name, value)
        if type(value) not in allowed:
            names = " or ".join(CLASSES.get(kind, kind.__name__) for kind in allowed)
            raise ValueError(f"{field.name} must be {names}, got {shown(value)}")


def _classes(hint: Any) -> tuple[type, ...]:
    """Return the classes that an annotation allows."""
    return get_args(hint) if isinstance(hint, UnionType) else (get_origin(hint) or hint,)


def check_choice(config: Any, name: str, allowed: Sequence[Any]) -> None:
    """Raise ``ValueError`` if field ``name`` is none of the ``allowed`` values."""
    value = getattr(config, name)
    if value not in allowed:
        is_range = isinstance(allowed, range)
        choices = f"from {allowed[0]} to {allowed[-1]}" if is_range else f"one of {', '.join(map(repr, allowed))}"
        raise ValueError(f"{name} must be {choices}, got {shown(value)}")


def build_config(presets: Mapping[str, Any], config: Any, preset: str | None, options: Mapping[str, Any]) -> Any:
    """Return the configuration from a factory's keywords: a whole ``config``, or a ``preset`` with fields changed.

    Args:
        presets: the game's presets by name. The first is the default, and its class is the game's config class.
        config: a whole configuration, a dict of some of its fields (for callers with JSON), or ``None``.
        preset: a name from ``presets``, or ``None``.
        options: fields by name.

    Raises:
        ValueError: the preset is unknown, ``config`` has the wrong class, or ``config`` was combined with a preset or
            fields.
        UnexpectedKeywordError: a field is unknown. This is both a ``ValueError`` and a ``TypeError``.
    """
    start = next(iter(presets.values()))
    kind = type(start)
    if config is not None:
        if preset is not None or options:
            raise ValueError("give either config, or preset and fields by name, not both")
        if isinstance(config, kind):
            return config
        if not isinstance(config, Mapping):
            raise ValueError(f"config must be a {kind.__name__} or a dict of its fields, got {shown(config)}")
        options = config
    elif preset is not None:
        if not isinstance(preset, str) or preset not in presets:
            known = ", ".join(map(repr, presets))
            raise ValueError(f"preset must be one of {known}, got {shown(preset)}{did_you_mean(preset, presets)}")
        start = presets[preset]
    known = {field.name: getattr(start, field.name) for field in fields(start)}
    for name in options:
        if name not in known:
            raise UnexpectedKeywordError(
                f"{kind.__name__} got an unexpected keyword argument {shown(name)}; fields are {', '.join(known)}"
                f"{did_you_mean(name, known)}"
            )
    return kind(**{**known, **options})


def parse_setting(text: str) -> tuple[str, Any]:
    """Parse a setting: ``"derived=true"`` becomes ``("derived", True)``.

    The value is read as JSON, or as ``True``, ``False`` or ``None``. Any other value stays a string. Raise
    ``ValueError`` for a text without an equals sign, or an integer with more digits than Python reads.
    """
    name, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"a setting must be written name=value, got {shown(text)}")
    try:
        return name, json.loads(value)
    except (json.JSONDecodeError, RecursionError):
        return name, PYTHON_WORDS.get(value, value)
    except ValueError:
        digits = sys.get_int_max_str_digits()
        raise ValueError(f"{name} must have numbers of at most {digits:,} digits, got {shown(value)}") from None


PYTHON_WORDS = {"True": True, "False": False, "None": None}


def as_index(name: str, value: Any, most: int, least: int = 0) -> int:
    """Return ``value`` as an int from ``least``, at least 0, to ``most``; raise ``ValueError`` if it is none."""
    try:
        index = operator.index(value)
    except Exception:
        index = -1
    if isinstance(value, (bool, np.bool_)) or not least <= index <= most:
        raise ValueError(f"{name} must be an int from {least} to {most}, got {shown(value)}")
    return index


def as_bool(name: str, value: Any) -> bool:
    """Return ``value`` as a Python bool; raise ``ValueError`` if it is none."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be a bool, got {shown(value)}")  # noqa: TRY004 - as for every wrong argument
    return bool(value)


def as_list(name: str, value: Any, length: int | None = None) -> Sequence[Any]:
    """Return ``value`` if it is a list or tuple, of the given ``length``; else raise ``ValueError``."""
    if not isinstance(value, (list, tuple)) or length not in (None, len(value)):
        wanted = "a list" if length is None else f"a list of {length}"
        raise ValueError(f"{name} must be {wanted}, got {shown(value)}")
    return value


def as_each(name: str, value: Any, read: Callable[[Any], T]) -> list[T]:
    """Return ``read(element)`` for every element of a list; its ``ValueError`` is raised with the element's index."""
    results = []
    for k, element in enumerate(as_list(name, value)):
        try:
            results.append(read(element))
        except ValueError as error:
            raise ValueError(f"{name}[{k}]: {error}") from None
    return results


def as_text(value: Any) -> str:
    """Return ``value`` if it is a string, else raise ``ValueError``."""
    if not isinstance(value, str):
        raise ValueError(f"must be a string, got {shown(value)}")  # noqa: TRY004 - as for every wrong value
    return value


def as_object(name: str, value: Any) -> Mapping[str, Any]:
    """Return ``value`` if it is a JSON object, else raise ``ValueError``."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be an object, got {shown(value)}")  # noqa: TRY004 - as for every wrong value
    return value


def check_keys(what: str, source: str, given: Any, required: Iterable[str]) -> None:
    """Raise ``ValueError`` if ``what`` is given, which ``source`` returns, is not a dict or lacks keys."""
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} must be a dict as {source} gives it, got {shown(given)}")  # noqa: TRY004 - as below
    missing = [key for key in required if key not in given]
    if missing:
        raise ValueError(f"{what} must be a dict as {source} gives it; it lacks {', '.join(missing)}")


def check_box(where: str, cards: Iterable[str], box: Mapping[str, int]) -> None:
    """Raise ``ValueError`` if ``cards`` are not exactly those of a game's ``box``, the number of copies by name."""
    counts = Counter(cards)
    wrong = [f"{name} {counts[name]} times instead of {most}" for name, most in box.items() if counts[name] != most]
    if wrong:
        raise ValueError(f"{where} must have the {sum(box.values())} cards of the box, has {', '.join(wrong)}")


def check_options(options: Any, known: Iterable[str]) -> None:
    """Raise ``ValueError`` if the options of a reset are not a dict, or have a key that is not ``known``."""
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dict, got {shown(options)}")  # noqa: TRY004 - as for every wrong option
    for name in options:
        if name not in known:
            raise ValueError(f"reset has no option {shown(name)}; options are {', '.join(known)}")


def check_render_mode(mode: Any, modes: tuple[str, ...]) -> None:
    """Raise ``ValueError`` if ``mode`` is neither ``None`` nor one of ``modes``."""
    if mode is not None and not (isinstance(mode, str) and mode in modes):
        raise ValueError(f"render_mode must be None or one of {modes}, got {shown(mode)}")


def check_derived(position: Mapping[str, Any], name: str, expected: Any) -> None:
    """Raise ``ValueError`` if an entry differs from the value that follows from the rest of the position."""
    if name in position:
        value = position[name]
        if isinstance(value, (bool, np.ndarray)) or value != expected:  # True == 1, and arrays have no one answer
            raise ValueError(f"{name} must be {expected!r}, got {shown(value)}")


def check_not_given(settings: Any, names: Iterable[str], why: str) -> None:
    """Raise ``ValueError`` ("NAME is for", then ``why``) if a command's setting in ``names`` is not its default."""
    for name in names:
        if getattr(settings, name) != getattr(type(settings), name):
            raise ValueError(f"{name} is for {why}")


def check_seat(seat: int | None, players: int) -> None:
    """Raise ``ValueError`` if ``seat`` is neither None nor the number of a player."""
    if seat is not None and (isinstance(seat, (bool, np.bool_)) or seat not in range(players)):
        raise ValueError(f"seat must be None or from 0 to {players - 1}, got {shown(seat)}")


def as_seed(value: Any) -> int:
    """Return a seed as an int from 0 to 2^64 - 1; raise ``ValueError`` if it is none."""
    return as_index("seed", value, 2**64 - 1)


def fresh_seed() -> int:
    """Return a seed from the operating system's entropy, for callers who gave none."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def seed_after(last: int | None, seed: Any) -> int:
    """Return the seed of a reset that was given ``seed``, or None: then the ``last`` one, at first a fresh one."""
    return as_seed(seed) if seed is not None else fresh_seed() if last is None else last


def usable_threads(num_threads: int) -> int:
    """Return a number of threads as an int; raise ``ValueError`` if it is not from 1 to Numba's limit."""
    import numba

    most = int(getattr(numba.config, "NUMBA_NUM_THREADS"))  # noqa: B009 - set at import, unknown to type checkers
    return as_index("num_threads", num_threads, most, least=1)
