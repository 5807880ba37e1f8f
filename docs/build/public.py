"""What the site's pages do not say themselves: modules of the reference, the algorithms, the stamps of notebooks.

A page of the reference lists modules, which autodoc documents; ``folder.*`` is every module of a folder:

    ```{public}
    hanabako.games
    hanabako.envs.*
    ```
"""

import builtins
import importlib
import inspect
import json
import os
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.addnodes import pending_xref, pending_xref_condition

from docs.build.notebooks import stamp_in_words
from docs.build.rule_card import field_docstrings, markdown_rows
from hanabako.games import games

__all__ = ["PACKAGES", "algorithms", "expand", "find", "modules", "tidied", "without_builtins"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["hanabako", *(entry.package for entry in games().values()), "agents"]
FENCE = re.compile(r"^```\{public\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r" +(python|torchrun|hanabako|make) ")
ALGORITHMS = "```{algorithms}\n```"


# --- Modules ----------------------------------------------------------------------------------------------------------


def modules(page: str) -> list[str]:
    """Every module that a page of the reference lists, once."""
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
    """What autodoc writes of a module, inside Markdown; ``conf.py`` says what it does without options."""
    return "\n".join(["```{eval-rst}", f".. automodule:: {name}", *(f"   :{option}:" for option in options), "```"])


# --- Algorithms -------------------------------------------------------------------------------------------------------


def algorithms() -> list[str]:
    """The modules that learn: `agents.ppo`, and every module of `agents.learning` with a ``main`` of its own."""
    paths = sorted((ROOT / "agents" / "learning").glob("*.py"))
    with_main = [path.stem for path in paths if "\ndef main(" in path.read_text(encoding="utf-8")]
    return ["agents.ppo", *(f"agents.learning.{name}" for name in with_main)]


def of_algorithm(name: str) -> Iterator[str]:
    """A heading, the module's docstring, and the settings of its own in a table."""
    home = "hanabako.agents.learning.ppo" if name == "agents.ppo" else f"hanabako.{name}"
    module = importlib.import_module(home)
    title = re.split(r"[:.(]", inspect.getdoc(module) or "")[0].strip()
    command = "hanabako train" if name == "agents.ppo" else f"hanabako train --algorithm {home.rpartition('.')[2]}"
    yield f"## {title}\n\n`{command}`, {{py:mod}}`{home}`"
    yield documented(home, "no-index", "no-members")
    settings = getattr(module, "Args", None)
    if settings is not None and settings.__module__ == module.__name__:
        words = field_docstrings(settings)
        rows = [(f"`--{field.replace('_', '-')}`", text.replace("|", "\\|")) for field, text in words.items()]
        yield "Settings of its own:\n\n" + markdown_rows(("setting", "meaning"), rows) if rows else ""


# --- What Sphinx calls ------------------------------------------------------------------------------------------------


def expand(app: Any, docname: str, source: list[str]) -> None:
    """Sphinx's ``source-read``: fill in what a page leaves to this module."""
    page = source[0]
    if docname.startswith("notebooks/"):
        source[0] = with_stamp(page, docname)
    elif docname.startswith("docs/"):
        entries = "\n\n".join(f"## `{name}`\n\n{documented(name)}" for name in modules(page))
        sections = "\n\n".join(part for name in algorithms() for part in of_algorithm(name))
        source[0] = FENCE.sub(lambda _: entries, page).replace(ALGORITHMS, sections)


def with_stamp(notebook: str, docname: str) -> str:
    """The notebook with a sentence under its title, which commit made its outputs, and a link to Colab."""
    content = json.loads(notebook)
    words = f"*{stamp_in_words(content)}*{in_colab(docname)}"
    content["cells"].insert(1, {"cell_type": "markdown", "id": "stamp", "metadata": {}, "source": words})
    return json.dumps(content)


def in_colab(docname: str) -> str:
    """A badge that opens a notebook in Colab, if the site is built from a repository on GitHub; else nothing."""
    host, _, repository = os.environ.get("HANABAKO_REPOSITORY", "").partition("github.com/")
    if host != "https://" or not repository:
        return ""
    colab = "https://colab.research.google.com"
    picture = f"![Open in Colab]({colab}/assets/colab-badge.svg)"
    return f"\n\n[{picture}]({colab}/github/{repository}/blob/main/{docname}.ipynb)"


def tidied(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Sphinx's ``autodoc-process-docstring``, before napoleon: what our docstrings write another way."""
    if what in ("attribute", "data", "property"):  # "(games,): returns" names a shape, where napoleon reads a type
        lines[:0] = ["..", ""]
    for i in range(len(lines) - 1, 1, -1):  # an indented block below a sentence is code
        sentence = lines[i - 2]
        if lines[i].startswith("    ") and not lines[i - 1] and sentence[:1].strip() and sentence[-1] != ":":
            language = "sh" if COMMAND.match(lines[i]) else "python"
            lines[i:i] = [f".. code-block:: {language}", ""]


def without_builtins(app: Any, doctree: Any) -> None:
    """Sphinx's ``doctree-read``: a type such as ``list`` is Python's, and no field of that name."""
    for node in list(doctree.findall(pending_xref)):
        if node.get("refdomain") == "py" and hasattr(builtins, node["reftarget"]):
            first = node.children[0]
            node.replace_self(first.children if isinstance(first, pending_xref_condition) else node.children)


def find(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Sphinx's ``missing-reference``: ``agents`` is ``hanabako.agents``; what has no entry is text, if it exists."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or target.split(".")[0] not in PACKAGES:
        return None
    name = re.sub(r"^agents\b", "hanabako.agents", target)
    found = env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, "obj", name, node, contnode)
    return found or (contnode if exists(name) else None)


def exists(name: str) -> bool:
    """There is a module, or an attribute of one, of this full name."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True
