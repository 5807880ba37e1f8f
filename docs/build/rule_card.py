"""Helpers for the generated parts of rule cards: tables of a game's config fields and observation bits in Markdown.

`hanabako.generated.update` writes them into a page.
"""

import ast
import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

from hanabako.engine.layout import Field

__all__ = [
    "bits_markdown",
    "changed_fields",
    "config_markdown",
    "ends_markdown",
    "field_docstrings",
    "markdown_rows",
    "span",
]


def markdown_rows(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows and columns as a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def span(first: int, length: int) -> str:
    """Return the first and last index of a range as text."""
    return f"{first}" if length == 1 else f"{first}–{first + length - 1}"


def bits_markdown(found: Iterable[Field]) -> str:
    """Return a table of all fields of one observation by index."""
    rows = [
        (f"`{f.section}`", f.name, _places_in_words(f), f.bits, f.meaning + (f"; per {f.per}" if f.per else ""))
        for f in found
    ]
    return markdown_rows(("section", "field", "index", "bits", "meaning"), rows)


def _places_in_words(field: Field) -> str:
    places = [span(place.start, field.bits) for place in field.places()]
    return ", ".join(places) if len(places) < 3 else f"{places[0]}, {places[1]} … {places[-1]}"


def config_markdown(config: Any) -> str:
    """Return a table of all fields of a config: type, this config's value as the default, and docstring."""
    hints = inspect.get_annotations(type(config))
    words = field_docstrings(type(config))
    rows = [
        (f"`{f.name}`", f"`{_type_name(hints[f.name])}`", f"`{getattr(config, f.name)!r}`", words[f.name])
        for f in fields(config)
    ]
    return markdown_rows(("field", "type", "default", "meaning"), rows)


def _type_name(kind: Any) -> str:
    """Return a type as it is written in code, without characters that would break a table."""
    return (kind.__name__ if isinstance(kind, type) else str(kind)).replace("|", "or")


def field_docstrings(kind: type) -> dict[str, str]:
    """Return the docstring below every field of a dataclass, from its source."""
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
    """Return the fields in which a config differs from the standard one, or "nothing"."""
    names = [f.name for f in fields(config) if getattr(config, f.name) != getattr(standard, f.name)]
    return ", ".join(f"`{name}={getattr(config, name)!r}`" for name in names) or "nothing"


def ends_markdown(words: Mapping[int, str | None]) -> str:
    """Return a table of the ways in which games end, with their numbers."""
    rows = [(f"`{word!r}`".replace("'", '"'), number) for number, word in words.items()]
    return markdown_rows(("`end_reason`", "number"), rows)
