"""Parts that are added when the site is built: modules of the reference, and the algorithms.

A page of the reference lists modules for autodoc to document; ``folder.*`` stands for every module of a folder:

    ```{public}
    hanabako.games
    hanabako.envs.*
    ```
"""

import builtins
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.build.rule_card import field_docstrings
from hanabako.agents.learning.common.algorithms import NAMES
from hanabako.games import games
from hanabako.generated import table

__all__ = ["PACKAGES", "algorithms", "expand", "find", "modules", "tidied", "without_builtins"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["hanabako", *(entry.package for entry in games().values()), "agents"]
FENCE = re.compile(r"^```\{public\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r" +(python|torchrun|hanabako|make) ")
ALGORITHMS = "```{algorithms}\n```"


# --- Modules ----------------------------------------------------------------------------------------------------------


def modules(page: str) -> list[str]:
    """Return every module that a page of the reference lists, without repetition."""
    found: dict[str, None] = {}
    for line in " ".join(FENCE.findall(page)).split():
        folder = line.removesuffix(".*")
        if folder == line:
            found[line] = None
        else:
            below = pkgutil.iter_modules(importlib.import_module(folder).__path__)
            found |= {f"{folder}.{module.name}": None for module in below if not module.ispkg}
    return list(found)


def documented(name: str, *options: str) -> str:
    """Return the autodoc directive for a module in Markdown; ``conf.py`` has the default options."""
    return "\n".join(["```{eval-rst}", f".. automodule:: {name}", *(f"   :{option}:" for option in options), "```"])


# --- Algorithms -------------------------------------------------------------------------------------------------------


def algorithms() -> list[str]:
    """Return the modules of the learning algorithms that `hanabako train --algorithm` knows by name."""
    return [f"hanabako.agents.learning.{name}" for name in NAMES]


def of_algorithm(name: str) -> Iterator[str]:
    """Yield a heading, the module's docstring, and a table of its own settings."""
    module = importlib.import_module(name)
    title = re.split(r"[:.(]", inspect.getdoc(module) or "")[0].strip()
    yield f"## {title}\n\n`hanabako train --algorithm {name.rpartition('.')[2]}`, {{py:mod}}`{name}`"
    yield documented(name, "no-index", "no-members")
    settings = getattr(module, "Args", None)
    if settings is not None and settings.__module__ == module.__name__:
        words = field_docstrings(settings)
        rows = [(f"`--{field.replace('_', '-')}`", text.replace("|", "\\|")) for field, text in words.items()]
        yield "Settings of its own:\n\n" + table(("setting", "meaning"), rows) if rows else ""


# --- Handlers of Sphinx's events --------------------------------------------------------------------------------------


def expand(app: Any, docname: str, source: list[str]) -> None:
    """Handle Sphinx's ``source-read``: add the parts of a page that this module makes."""
    if docname.startswith("docs/"):
        entries = "\n\n".join(f"## `{name}`\n\n{documented(name)}" for name in modules(source[0]))
        sections = "\n\n".join(part for name in algorithms() for part in of_algorithm(name))
        source[0] = FENCE.sub(lambda _: entries, source[0]).replace(ALGORITHMS, sections)


def tidied(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Handle Sphinx's ``autodoc-process-docstring`` before napoleon: adapt our docstrings to its conventions."""
    if what in ("attribute", "data", "property"):  # "(games,): returns" names a shape, where napoleon reads a type
        lines[:0] = ["..", ""]
    for i in range(len(lines) - 1, 1, -1):  # turn an indented block below a sentence into a code block
        sentence = lines[i - 2]
        if lines[i].startswith("    ") and not lines[i - 1] and sentence[:1].strip() and sentence[-1] != ":":
            language = "sh" if COMMAND.match(lines[i]) else "python"
            lines[i:i] = [f".. code-block:: {language}", ""]


def without_builtins(app: Any, doctree: Any) -> None:
    """Handle Sphinx's ``doctree-read``: a type such as ``list`` is Python's, not a field with that name."""
    from sphinx.addnodes import pending_xref, pending_xref_condition  # `algorithms` is tested without Sphinx

    for node in list(doctree.findall(pending_xref)):
        if node.get("refdomain") == "py" and hasattr(builtins, node["reftarget"]):
            first = node.children[0]
            node.replace_self(first.children if isinstance(first, pending_xref_condition) else node.children)


def find(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Handle Sphinx's ``missing-reference``: ``agents`` is ``hanabako.agents``; names without an entry become text."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or target.split(".")[0] not in PACKAGES:
        return None
    name = re.sub(r"^agents\b", "hanabako.agents", target)
    found = env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, "obj", name, node, contnode)
    return found or (contnode if exists(name) else None)


def exists(name: str) -> bool:
    """Whether there is a module, or an attribute of one, with this full name."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True
