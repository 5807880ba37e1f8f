"""The generated parts of the games' rule cards: tables of all config fields, actions and observation bits.

    python -m docs.build.rule_card            # write them into the README of every game
    python -m docs.build.rule_card --check    # only say whether they are up to date

`docs.build.rule_cards` has a module for each game, which says what is generated; here is what they share. Code gets the
same information from ``engine.layout`` of a game, a user from ``hanabako presets GAME --index PRESET``.
"""

import ast
import importlib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from hanabako.agents.commands.presets import indices
from hanabako.engine.layout import Field
from hanabako.games import games
from hanabako.generated import table, update

__all__ = [
    "bits_markdown",
    "changed_fields",
    "config_markdown",
    "ends_markdown",
    "field_docstrings",
    "span",
]


def span(first: int, length: int) -> str:
    """Return the first and last index of a range as text."""
    return f"{first}" if length == 1 else f"{first}–{first + length - 1}"


def bits_markdown(found: Iterable[Field]) -> str:
    """Return a table of all fields of one observation by index; neighbours of the same meaning share a row."""
    rows: list[list[str]] = []
    before = ""
    for (section, meaning, per), alike in groupby(found, lambda f: (f.section, f.meaning, f.per)):
        some = list(alike)
        name = ", ".join(f.name for f in some)
        places = "; ".join(indices(f).replace("-", "–").replace("...", "…") for f in some)
        rows.append(
            ["" if section == before else f"`{section}`", name, places, meaning + (f"; per {per}" if per else "")]
        )
        before = section
    return table(("section", "field", "index", "meaning"), rows)


def config_markdown(config: Any) -> str:
    """Return a table of all fields of a config: type, this config's value as the default, and docstring."""
    hints = inspect.get_annotations(type(config))
    words = field_docstrings(type(config))
    rows = [
        (f"`{f.name}`", f"`{_type_name(hints[f.name])}`", f"`{getattr(config, f.name)!r}`", words[f.name])
        for f in fields(config)
    ]
    return table(("field", "type", "default", "meaning"), rows)


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
    return table(("`end_reason`", "number"), rows)


def write_cards(check: bool = False) -> None:
    """Write the generated parts of all rule cards from the code.

    Args:
        check: only say whether they are up to date.
    """
    for entry in games().values():
        card = importlib.import_module(f"docs.build.rule_cards.{entry.name}")
        readme = Path(__file__).resolve().parents[2] / entry.package / "README.md"
        update(readme, card.generated(), check, "python -m docs.build.rule_card")


if __name__ == "__main__":
    import tyro

    tyro.cli(write_cards, prog="python -m docs.build.rule_card")
