"""What the site's pages do not say themselves: the public names, the algorithms, the stamps of notebooks.

A page of the reference lists modules, and every public name of theirs gets its entry, once:

    ```{public}
    hanabako.games
    hanabako.envs.*
    ```
"""

import ast
import builtins
import importlib
import inspect
import json
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.addnodes import pending_xref, pending_xref_condition

from docs.build.notebooks import stamp_in_words
from docs.build.rule_card import field_docstrings, markdown_rows
from hanabako.games import games

__all__ = [
    "PACKAGES",
    "algorithms",
    "documented",
    "expand",
    "find",
    "given_back",
    "public_names",
    "tidied",
    "without_builtins",
]

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["hanabako", *(entry.package for entry in games().values()), "agents"]
REFERENCE = ROOT / "docs" / "api"
FENCE = re.compile(r"^```\{public\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ALGORITHMS = "```{algorithms}\n```"


# --- Public names -----------------------------------------------------------------------------------------------------


def modules(fence: str) -> list[str]:
    """The modules that a page lists, each once; ``folder.*`` is every module of a folder."""
    found: dict[str, None] = {}
    for line in fence.split():
        place = line.removesuffix(".*").removeprefix("hanabako." if line.startswith("hanabako.agents.") else "")
        paths = sorted(ROOT.joinpath(*place.split(".")).glob("*.py")) if line.endswith(".*") else []
        names = [line.replace("*", path.stem) for path in paths if path.stem != "__init__"] or [line]
        found |= dict.fromkeys(names)
    return list(found)


def public_names(module: ModuleType) -> list[str]:
    """What a module offers: its ``__all__``, or else the functions and classes that it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
    ]


@cache
def documented() -> dict[str, str]:
    """Every public name of the modules in the reference, ``module.name``, and the name that its whole entry has.

    That is where the name is defined, if the reference has that module, and else where it is met first.
    """
    pages = [page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("*.md"))]
    listed = [name for page in pages for fence in FENCE.findall(page) for name in modules(fence)]
    homes: dict[str, str] = {}
    for name in listed:
        module = importlib.import_module(name)
        for public in public_names(module):
            value, whole = getattr(module, public), f"{name}.{public}"
            has_home = inspect.isclass(value) or inspect.isfunction(value)
            homes[whole] = f"{value.__module__}.{value.__qualname__}" if has_home else whole
    first = {home: whole for whole, home in reversed(homes.items())}
    return {whole: home if home in homes else first[home] for whole, home in homes.items()}


def reference(fence: str) -> str:
    """The entries of the modules that a page lists, in Markdown."""
    return "\n\n".join(part for name in modules(fence) for part in of_module(name))


def of_module(name: str) -> Iterator[str]:
    """A heading, what the module says of itself, and its public names."""
    module = importlib.import_module(name)
    yield f"## `{name}`"
    yield in_rst(f".. py:module:: {name}")
    yield as_markdown(inspect.getdoc(module) or "")
    for public in public_names(module):
        if not isinstance(getattr(module, public), ModuleType):
            yield in_rst(directive(module, public))


def in_rst(text: str) -> str:
    """What autodoc reads, inside Markdown."""
    return f"```{{eval-rst}}\n{text}\n```"


def directive(module: ModuleType, name: str) -> str:
    """The entry of one name."""
    value, whole = getattr(module, name), f"{module.__name__}.{name}"
    entry = documented()[whole]
    if entry != whole:
        kind = "class" if inspect.isclass(value) else "function"
        return f".. py:{kind}:: {name}\n   :module: {module.__name__}\n\n   See :py:obj:`{entry}`."
    if inspect.isclass(value):
        return f".. autoclass:: {whole}\n   :members:\n   :show-inheritance:"
    if inspect.isroutine(value) or hasattr(value, "py_func"):  # which compiled functions have
        return f".. autofunction:: {whole}"
    return f".. py:data:: {name}\n   :module: {module.__name__}\n\n   {words_below(module, name)}"


def words_below(module: ModuleType, name: str) -> str:
    """The docstring below an assignment, in the module or where the module has the name from."""
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and name in [alias.name for alias in node.names]:
            package = module.__name__.rpartition(".")[0]
            return words_below(importlib.import_module("." * node.level + node.module, package), name)
    for statement, below in pairwise(tree.body):
        if ast.unparse(statement).startswith((f"{name} =", f"{name}:")) and isinstance(below, ast.Expr):
            return " ".join(str(getattr(below.value, "value", "")).split())
    return ""


# --- Docstrings -------------------------------------------------------------------------------------------------------


def as_markdown(docstring: str) -> str:
    """A module's docstring: commands that stand flush left become blocks, underlined words a bold line."""
    paragraphs = re.sub(r"^(.+)\n-{3,}$", r"**\1**\n", docstring, flags=re.MULTILINE).split("\n\n")
    return "\n\n".join(
        textwrap.indent(text, "    ") if re.match(r"(python|torchrun) ", text) else text for text in paragraphs
    )


def tidied(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Sphinx's ``autodoc-process-docstring``, before napoleon: what our docstrings write another way."""
    if what == "module":  # stands above its entries, as Markdown
        lines.clear()
    elif what in ("attribute", "property"):  # "(games, players): returns" names a shape; napoleon would read a type
        HELD[name] = lines[:]
        lines.clear()
    else:  # an indented block below a sentence is code
        for i in range(len(lines) - 1, 1, -1):
            sentence = lines[i - 2]
            if lines[i].startswith("    ") and not lines[i - 1] and sentence[:1].strip() and sentence[-1] != ":":
                lines[i:i] = ["::", ""]


HELD: dict[str, list[str]] = {}


def given_back(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """The same event after napoleon: what it should not read."""
    lines[:] = HELD.pop(name, lines)


# --- Algorithms -------------------------------------------------------------------------------------------------------


def algorithms() -> list[str]:
    """The modules that learn: `agents.ppo`, and every module of `agents.learning` with a ``main`` of its own."""
    paths = sorted((ROOT / "agents" / "learning").glob("*.py"))
    with_main = [path.stem for path in paths if "\ndef main(" in path.read_text(encoding="utf-8")]
    return ["agents.ppo", *(f"agents.learning.{name}" for name in with_main)]


def all_algorithms() -> str:
    """A section per algorithm: what its file says of it, and the settings that it adds."""
    return "\n\n".join(part for name in algorithms() for part in of_algorithm(name))


def of_algorithm(name: str) -> Iterator[str]:
    """A heading, the module's docstring, and the settings of its own in a table."""
    home = "hanabako.agents.learning.ppo" if name == "agents.ppo" else f"hanabako.{name}"
    module = importlib.import_module(home)
    docstring = inspect.getdoc(module) or ""
    title = re.split(r"[:.(]", docstring)[0].strip()
    yield f"## {title}\n\n`python -m {name}`, {{py:mod}}`{home}`"
    yield as_markdown(docstring)
    settings = getattr(module, "Args", None)
    if settings is not None and settings.__module__ == module.__name__:
        words = field_docstrings(settings)
        rows = [(f"`--{field.replace('_', '-')}`", text.replace("|", "\\|")) for field, text in words.items()]
        yield "Settings of its own:\n\n" + markdown_rows(("setting", "meaning"), rows) if rows else ""


# --- What Sphinx calls ------------------------------------------------------------------------------------------------


def expand(app: Any, docname: str, source: list[str]) -> None:
    """Sphinx's ``source-read``: fill in what a page leaves to this module."""
    if docname.startswith("notebooks/"):
        source[0] = with_stamp(source[0])
    elif docname.startswith("docs/"):
        source[0] = FENCE.sub(lambda fence: reference(fence[1]), source[0])
        source[0] = source[0].replace(ALGORITHMS, all_algorithms())


def with_stamp(notebook: str) -> str:
    """The notebook with a sentence under its title: which commit made its outputs."""
    content = json.loads(notebook)
    words = f"*{stamp_in_words(content)}*"
    content["cells"].insert(1, {"cell_type": "markdown", "id": "stamp", "metadata": {}, "source": words})
    return json.dumps(content)


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
    if target.startswith("agents."):
        long = f"hanabako.{target}"
        domain = env.get_domain("py")
        found = domain.resolve_xref(env, node["refdoc"], app.builder, "obj", long, node, contnode)
        return found or (contnode if exists(long) else None)
    return contnode if exists(target) else None


@cache
def exists(name: str) -> bool:
    """There is a module, or an attribute of one, of this full name."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        return attribute(value, parts[n:])
    return False


def attribute(value: Any, names: list[str]) -> bool:
    """Whether these attributes of attributes are there; a dataclass's field without a default is one, too."""
    for name in names:
        if not hasattr(value, name):
            return name in getattr(value, "__annotations__", {})
        value = getattr(value, name)
    return True
