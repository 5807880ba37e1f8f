"""Fast environments for flower card games, and agents that play them.

    hanabako play hanabi --with smart          # you and a bot, in this terminal
    hanabako watch smart,piers --game hanabi   # a game between two bots as a page for the browser
    hanabako train --preset mini --minutes 1   # a network of your own

`hanabako COMMAND --help` lists a command's options. Tab completion, once, for bash (and likewise for zsh):

    hanabako --tyro-print-completion bash > ~/.local/share/bash-completion/completions/hanabako
    hanabako --tyro-print-completion zsh > ~/.zfunc/_hanabako
"""

import ast
import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tyro

from hanabako.extras import advice
from hanabako.interrupts import at_once, interruptible
from hanabako.program import in_a_sentence, read_words
from hanabako.words.checks import did_you_mean, shown

COMMANDS = {
    "train": "train a network on all cores, by any of several algorithms",
    "evaluate": "play many games with given agents and print their scores",
    "play": "play a game yourself, with agents or friends",
    "watch": "write a game as a page for the browser",
    "draw": "draw a position as a picture",
    "record": "write a dataset of games played by agents or on hanab.live",
    "ah2ac2": "let an agent play in AH2AC2's hosted evaluation",
    "agents": "list the agents that commands know by name, with their scores",
    "presets": "list the presets of the games",
    "benchmark": "time the games on this machine",
    "study": "list, run, show and merge studies: comparisons with their results",
    "challenge": "play an agent with a fixed set of partners, and compare it",
    "verify": "replay results files to check their claims",
}
"""The commands. `run` of a command's module raises ValueError for a wrong value, OSError for a file that cannot be read
or written, and SystemExit if it has said what is wrong; the user gets one sentence."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line; ``SystemExit`` has a message of one line."""
    words = list(sys.argv[1:] if argv is None else argv)
    if any(word.startswith("--tyro-") for word in words):
        all_commands(words)
    elif not words or words[0] in ("-h", "--help"):
        rows = [f"  {name:<12}{about}" for name, about in COMMANDS.items()]
        print("\n".join(["usage: hanabako COMMAND [OPTIONS]", "", *rows, "", (__doc__ or "").strip()]))
    elif words[0] == "--version":
        print(version("hanabako"))
    elif words[0] not in COMMANDS:
        known = f"the command must be one of {', '.join(COMMANDS)}"
        raise SystemExit(f"hanabako: {known}, got {shown(words[0])}{did_you_mean(words[0], COMMANDS)}")
    else:
        run(words[0], words[1:])


def run(name: str, words: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Run a command with the given options, by default those of this process."""
    prog = prog or f"hanabako {name}"
    says = prog.rpartition(".")[2]  # only the last part of a module's name
    with in_a_sentence(says), interruptible() if words is None else nullcontext():
        try:
            with at_once():
                module = import_module(f".{name}", __package__)
            kind, about, words = form_of(module, sys.argv[1:] if words is None else words)
            module.run(read_words(kind, prog, about, words))
        except ModuleNotFoundError as error:
            says_how = missing(name, error)
            if not {"-h", "--help"} & set(sys.argv[1:] if words is None else words):
                raise SystemExit(says_how) from error
            more = f"The options are listed once that is installed. {says_how}"
            print(f"usage: {prog} [OPTIONS]", docstring_of(name), more, sep="\n\n")


def docstring_of(name: str) -> str:
    """Return the docstring of a command's module without importing the module."""
    found = find_spec(f".{name}", __package__)
    return (ast.get_docstring(ast.parse(Path(str(found and found.origin)).read_text(encoding="utf-8"))) or "").strip()


def form_of(module: Any, words: Sequence[str]) -> tuple[type, str | None, Sequence[str]]:
    """Return the class of a command's arguments, its help text and its words; a module's own ``form`` comes first."""
    return module.form(words) if hasattr(module, "form") else (module.Args, module.__doc__, words)


def missing(name: str, error: ModuleNotFoundError) -> str:
    """Return a message that says which extra installs the missing package; raise again if the module is our own."""
    package = (error.name or "").partition(".")[0]
    if not package or package == "hanabako" or package.endswith("_env"):
        raise error
    return advice(f"hanabako {name}", package)


def all_commands(words: Sequence[str]) -> None:
    """Run all commands as one parser, for shell completion; commands whose packages are missing are left out."""
    there: dict[str, Any] = {}
    for name in COMMANDS:
        with suppress(ModuleNotFoundError):
            there[name] = form_of(import_module(f".{name}", __package__), ())[0]
    tyro.extras.subcommand_cli_from_dict(there, args=words, prog="hanabako")
