"""Tables of a rule card, made from the code: what every field, action and observation bit of a game means.

A game describes every section of its observation as `Block`s; `fields_of` turns them into `Field`s with their indices,
and `hanabako.pages.generated.update` writes the tables into a page.
"""

import argparse
import ast
import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

__all__ = [
    "Block",
    "Field",
    "card_parser",
    "changed_fields",
    "config_table",
    "ends_table",
    "fields_of",
    "fields_table",
    "span",
    "table",
]


@dataclass(frozen=True)
class Field:
    """Bits of one meaning, which may come back at equal distances: once a card, say."""

    section: str
    """A section of the game's observation."""
    name: str
    first: int
    """Index of the first bit of the first time."""
    bits: int
    times: int = 1
    stride: int = 0
    """From the first bit of one time to that of the next."""
    per: str = ""
    """What it comes back for, the outermost first; empty where it stands once."""
    meaning: str = ""

    def places(self) -> list[slice]:
        """Where the bits of each time lie in an int8 or float32 observation."""
        starts = (self.first + k * self.stride for k in range(self.times))
        return [slice(start, start + self.bits) for start in starts]


@dataclass(frozen=True)
class Block:
    """Parts (name, bits, meaning) that stand side by side, and that many times over."""

    times: int
    per: str
    parts: tuple[tuple[str, int, str], ...]

    @property
    def stride(self) -> int:
        """Bits of one time."""
        return sum(bits for _, bits, _ in self.parts)


def fields_of(described: Mapping[str, Sequence[Block]], sections: Iterable[tuple[str, int, int]]) -> list[Field]:
    """The fields of an observation, in the order in which they begin.

    Args:
        described: every section as its blocks.
        sections: name, first bit and length of the sections that are there.

    Raises:
        AssertionError: a section is not as long as it is described.
    """
    found = []
    for section, first, length in sections:
        at = first
        for block in described[section]:
            start = at
            for name, bits, meaning in block.parts:
                if bits and block.times:
                    found.append(Field(section, name, start, bits, block.times, block.stride, block.per, meaning))
                start += bits
            at += block.times * block.stride
        if at - first != length:
            raise AssertionError(f"section {section} is described with {at - first} bits and has {length}")
    return found


# --- Tables -----------------------------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def span(first: int, length: int) -> str:
    """First and last index."""
    return f"{first}" if length == 1 else f"{first}–{first + length - 1}"


def fields_table(found: Iterable[Field]) -> str:
    """Every field of one table's observation by index."""
    rows = [
        (f"`{f.section}`", f.name, _places_in_words(f), f.bits, f.meaning + (f"; per {f.per}" if f.per else ""))
        for f in found
    ]
    return table(("section", "field", "index", "bits", "meaning"), rows)


def _places_in_words(field: Field) -> str:
    places = [span(place.start, field.bits) for place in field.places()]
    return ", ".join(places) if len(places) < 3 else f"{places[0]}, {places[1]} … {places[-1]}"


def config_table(config: Any) -> str:
    """Every field of a config with its type, this config's value as the default, and its docstring."""
    hints = inspect.get_annotations(type(config))
    words = field_docstrings(type(config))
    rows = [
        (f"`{f.name}`", f"`{_type_name(hints[f.name])}`", f"`{getattr(config, f.name)!r}`", words[f.name])
        for f in fields(config)
    ]
    return table(("field", "type", "default", "meaning"), rows)


def _type_name(kind: Any) -> str:
    """A type as one writes it, fit for a table's cell."""
    return (kind.__name__ if isinstance(kind, type) else str(kind)).replace("|", "or")


def field_docstrings(kind: type) -> dict[str, str]:
    """The sentence below every field of a dataclass, from its source."""
    (body,) = [node.body for node in ast.parse(inspect.getsource(kind)).body if isinstance(node, ast.ClassDef)]
    return {
        field.target.id: " ".join(str(words.value.value).replace("``", "`").split())
        for field, words in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(words, ast.Expr)
        and isinstance(words.value, ast.Constant)
    }


def changed_fields(config: Any, standard: Any) -> str:
    """The fields in which a config differs from the standard one, or "nothing"."""
    names = [f.name for f in fields(config) if getattr(config, f.name) != getattr(standard, f.name)]
    return ", ".join(f"`{name}={getattr(config, name)!r}`" for name in names) or "nothing"


def ends_table(words: Mapping[int, str | None]) -> str:
    """How games end, in words and numbers."""
    rows = [(f"`{word!r}`".replace("'", '"'), number) for number, word in words.items()]
    return table(("`end_reason`", "number"), rows)


def card_parser(module: str, words: str | None) -> argparse.ArgumentParser:
    """The arguments of a game's command that writes its page."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=words)
    parser.add_argument("--check", action="store_true", help="only say whether README.md is up to date")
    return parser
