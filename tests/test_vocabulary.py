"""One meaning per word: the loaded words of CONTRIBUTING's glossary are identifiers only with that meaning.

    python -m tests.test_vocabulary table        # lists the identifiers, file by file

The test looks in the syntax tree for names, arguments, attributes, functions, classes and modules that contain a loaded
word. Allowed identifiers are patterns over whole identifiers; some hold only in some files. If a new identifier uses a
loaded word in its one meaning, add its pattern here; otherwise rename it.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from hanabako.games import games

pytestmark = pytest.mark.upkeep

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("hanabako", "agents", "benchmarks", "docs/build", *(entry.package for entry in games().values()))


class Word(NamedTuple):
    """A loaded word: its meaning here, and the identifiers that may contain it."""

    forms: str
    """Pattern of the word's forms."""
    meaning: str
    anywhere: tuple[str, ...] = ()
    """Patterns of identifiers with this meaning, in any file."""
    there: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Pattern of files -> patterns of identifiers that are allowed only there."""


WORDS = {
    "table": Word(
        "tables?",
        "one game in play: its record in the arrays of the vector environment, or how people see it; a study's results",
        (
            "table",
            "tables",
            "OneTable",
            "table_dtype",
            "_tables",
            "fresh_tables",
            "saved_tables",
            "save_tables",
            "checked_tables",
        ),
        {
            "hanabako/engine/*": (r"(seed|reset|observe|refresh|step|rollout)_tables?(_parallel)?",),
            "*_env/drawing/*": ("TableView", "table_(view|svg|rgb|ansi|height|layers)", "card_on_table"),
            "*_env/game.py": ("TableView", "table_(view|svg|rgb|ansi)"),
            "hanabako/*": ("table_(svg|rgb|ansi)",),
            "agents/p*": ("table_svg", "table_ansi"),
            "agents/commands/draw.py": ("table_svg",),
            "agents/bots/plain.py": ("table_ansi",),
            "agents/bridges/language_models/*": ("TableView", "table_ansi"),
        },
    ),
    "seat": Word(
        "seats?|seated|seating",
        "the place of one agent among the players",
        (
            "seats?",
            "_seats",
            r"\w*Seated",
            "_?seated",
            "(CardGame|Vector)SeatEnv",
            "vector_seat",
            "SeatGames",
            "seat_games",
            "check_seat",
            "make_(vector_)?seat(_by_old_id)?",
            "by_seat",
        ),
        {
            "agents/search/*": ("_all_seats", "_seat_blueprint", "blueprint_seats"),
            "agents/playing/*": ("seating", "_seat"),
            "agents/commands/play.py": ("seats_of",),
            "benchmarks/speed/loops.py": ("seats",),
            "benchmarks/clients/*": ("score_of_all_seats", "score_of_one_seat", "(sb3|torchrl)_seat"),
        },
    ),
    "deal": Word(
        "deals?|dealt",
        "the cards of an episode or round as they are shuffled and handed out; never a reset",
        (
            "deals?",
            "dealt",
            "deal_options",
            "load_deal",
            "deal_(card|random_card|rounds|unseen|valid_round|the_round|key)",
        ),
        {
            "hanabi_env/*": ("_check_deal", "_deal_from"),
            "hanafuda_env/*": ("DEAL_STREAMS", "PHASE_DEAL", r"\w*deals?\w*"),
            "agents/datasets/*": ("_deal_as_given",),
            "hanabako/games_file.py": ("read_objects",),
            "agents/search/*": ("_deal", "deal_(hands|hidden)", "most_deals"),
        },
    ),
    "look": Word(
        "looks?",
        "of a picture: its style; to look at hands for what is in them. What a player sees is observed",
        ("look", "look_at_hands"),
    ),
    "play": Word(
        "plays?|played|playing",
        "to put a card of the hand on the table, or whole games with players; a decision is a step",
        (r"\w*PLAY\w*", "play", "plays", "played", "playing", "turns_to_play", "first_(announced_)?play", "play_card"),
        {
            "agents/*": (r"\w*(play|plays|played|Play)\w*",),
            "hanabako/envs/seat.py": ("_play_partners",),
            "hanabako/timing.py": ("Play",),
            "benchmarks/*": ("Play", "is_misplay", "SelfPlayEnvs"),
            "benchmarks/strength/*": (r"\w*(play|plays|played|Play)\w*",),
            "*_env/*": ("_?(played|legal|has)_(cards?|set|plays?|played)", "_played", "playable", r"is_\w*play\w*"),
        },
    ),
    "roll": Word(
        "rolls?|rolled",
        "to roll out: the verb of rollout, which is one word",
        (),
        {
            "agents/*koikoi*": ("roll_outs?", "ROLL_OUTS"),
            "benchmarks/strength/koikoi*": ("ROLL_OUTS",),
            "hanabako/engine/*": ("roll_out",),
        },
    ),
    "program": Word(
        "programs?",
        "a process that is started, or the original of a bot, by its authors; what we play with are bots",
        ("program", "run_program"),
        {
            "benchmarks/speed/compile_time.py": ("programs?", "PROGRAMS"),
        },
    ),
    "blueprint": Word(
        "blueprints?",
        "the bot or network that a search searches over, and that roll-outs are played by",
        ("_?blueprints?", "BLUEPRINTS", "(ask|_seat)_blueprint", "blueprint_(action|seats)"),
    ),
    "belief": Word(
        "beliefs?",
        "the hands that a player may hold, and how likely each is",
        ("_?beliefs?", "v0_belief", "(new|write)_belief", "belief_(length|loops)", "(Common)?Belief", "BeliefLoops"),
        {
            "agents/learning/*": ("belief_part", "off_belief", "OffBelief"),
            "agents/bridges/published/obl.py": ("OffBeliefNetwork",),
        },
    ),
    "root": Word(
        "roots?",
        "the position of which a search decides; of files, a folder",
        (),
        {
            "agents/search/*": ("_?root", "ROOT"),
            "benchmarks/*": ("ROOT", "root"),
            "docs/*": ("ROOT", "root", "root_doc"),
            "hanabako/machine.py": ("root",),
        },
    ),
    "node": Word(
        "nodes?",
        "a position of a search tree; of Python's syntax, what ast calls so",
        (),
        {
            "agents/search/*": ("node",),
            "agents/bots/hanabi/endgame.py": ("nodes", "MOST_NODES"),
            "benchmarks/strength/solvers/*": ("nodes?", "NODE"),
            "benchmarks/speed/peers.py": ("is_chance_node",),
            "docs/*": ("node",),
            "agents/bridges/ray.py": ("nodes",),  # Ray's
        },
    ),
    "house": Word("houses?", "the repository, in prose; never an identifier"),
    "box": Word(
        "box|boxes|viewbox",
        "all cards of a game, as they come; a rectangle of a picture; Gymnasium's space",
        ("Box", "box", "box_of", "_?check_box", "open_box", "rank_in_box", "_?BOX"),
        {"*_env/drawing/*": ("_box", "_?hand_box", "viewBox"), "hanabako/drawing/*": ("viewBox",)},
    ),
    "special": Word("special", "loops are specialized or generic"),
    "general": Word("general", "loops are specialized or generic"),
}


FIELDS_WORDS = {
    "agents/search": "moments?|lay|lays|laid|worths?|places?|rooms?|studios?|chances?",
    "agents/bots": "chances?",
    "agents/playing": "chances?",
}
"""Folders -> house words that no identifier there may use, because the literature says step, snapshot, deal, value,
index, node, scratch, simulator, random key and probability."""


@cache
def identifiers(path: Path) -> frozenset[str]:
    """Return the identifiers of a file."""
    return frozenset(every_identifier(path))


def every_identifier(path: Path) -> Iterator[str]:
    """Yield the names that a file defines and uses."""
    yield path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.keyword(arg=str(name)):
                yield name
            case ast.alias(name=name, asname=other):
                yield (other or name).rpartition(".")[2]


@cache
def has_word(identifier: str, forms: str) -> bool:
    """Return whether one of the words in an identifier has one of the forms."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier)
    return any(re.fullmatch(forms, word.lower()) for word in words)


def uses(word: Word) -> dict[str, set[str]]:
    """Return per file the identifiers that contain a word."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            held = {identifier for identifier in identifiers(path) if has_word(identifier, word.forms)}
            if held:
                found[str(path.relative_to(ROOT))] = held
    return found


def allowed(word: Word, file: str, identifier: str) -> bool:
    """Return whether the identifier may contain the word in this file."""
    there = [pattern for files, patterns in word.there.items() if fnmatch(file, files) for pattern in patterns]
    return any(re.fullmatch(pattern, identifier) for pattern in (*word.anywhere, *there))


@pytest.mark.parametrize("name", WORDS)
def test_a_loaded_word_has_one_meaning(name: str):
    word = WORDS[name]
    wrong = {
        file: sorted(identifier for identifier in held if not allowed(word, file, identifier))
        for file, held in uses(word).items()
    }
    wrong = {file: held for file, held in wrong.items() if held}
    assert not wrong, f"{name} means {word.meaning}; not so in {wrong}"


@pytest.mark.parametrize("folder", FIELDS_WORDS)
def test_the_fields_words_are_used_where_it_has_some(folder: str):
    found = uses(Word(FIELDS_WORDS[folder], ""))
    assert not {file: sorted(held) for file, held in found.items() if file.startswith(f"{folder}/")}


def test_the_glossary_says_what_the_loaded_words_mean():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (glossary,) = re.findall(r"^## Words\n(.*?)(?=^## )", page, flags=re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\| (?!word|---)([^|]+) \|", glossary, flags=re.MULTILINE)
    assert 28 <= len(rows) <= 44
    for name in WORDS:
        assert re.search(rf"\b{name}", glossary), name


if __name__ == "__main__":
    for chosen in sys.argv[1:] or WORDS:
        print(f"{chosen}: {WORDS[chosen].meaning}")
        for one_file, names in uses(WORDS[chosen]).items():
            print(f"    {one_file}: {', '.join(sorted(names))}")
