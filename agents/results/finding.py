"""Finding studies by name or by file: those of a clone are in its folder ``benchmarks/strength``, one file each."""

import ast
from dataclasses import dataclass
from pathlib import Path

from hanabako.importing import import_file
from hanabako.words.checks import shown

from . import lists
from .challenge import suite as challenge
from .comparison import reading as comparison
from .declared import contents
from .study import Study

STUDIES = Path(__file__).resolve().parents[2] / "benchmarks" / "strength"
"""The folder of the project's own studies; it exists only in a clone."""
KINDS = (".py", ".toml")
"""The suffixes of files that declare studies."""


@dataclass(frozen=True)
class Place:
    """The files and folders of a study."""

    source: Path
    """The study's file."""
    results: Path
    """The JSON file of results; figures are in its folder."""
    page: Path
    """The page in Markdown."""
    runs: Path
    """The folder for training runs."""
    words: str
    """The study's name in commands: one of `names`, or the path of its file."""


def names() -> list[str]:
    """Return the names of the clone's studies; none without a clone."""
    return sorted(name for name in sources() if not name.startswith("_"))


def sources() -> dict[str, Path]:
    """Return the files of the clone's studies by name."""
    return {path.stem: path for kind in KINDS for path in STUDIES.glob(f"*{kind}")}


def title_of(name: str) -> str:
    """Return the first sentence of a study's file without running it; in TOML, that of its first comment."""
    source = sources()[name]
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".toml":
        return text.partition("\n")[0].removeprefix("#").strip()
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def find(name_or_file: str, out: Path | None = None) -> Place:
    """Find a study by one of `names`, or by its file ``.py`` or ``.toml``; raise ``ValueError`` if there is none.

    ``out`` is the folder for results, page and figures; by default that of the file, or the clone's for a name.
    """
    if name_or_file in names():
        folder = out or STUDIES / "results"
        page = (out or STUDIES) / f"{name_or_file}.md"
        runs = (out or Path("runs")) / name_or_file
        return Place(sources()[name_or_file], folder / f"{name_or_file}.json", page, runs, name_or_file)
    source = Path(name_or_file)
    if source.suffix not in KINDS or not source.is_file():
        known = f"one of {', '.join(names())} or " if names() else ""
        raise ValueError(f"a study must be {known}a file that ends with .py or .toml, got {shown(name_or_file)}")
    folder, stem = out or source.parent, source.stem
    return Place(source, folder / f"{stem}.json", folder / f"{stem}.md", folder / stem, str(source))


def load(place: Place) -> Study:
    """Return the study that a file declares: in Python ``STUDY``, by running the file.

    Raise ``ValueError`` if it cannot be imported, or declares no study, or one with another name than the file's.
    """
    if place.source.suffix == ".toml":
        with contents(place.source) as content:
            match content.pop("study", None):
                case "comparison":
                    return comparison.load(content, place.source, place.runs)
                case "challenge":
                    return challenge.load(content, place.source)
                case "meetings":
                    return lists.load(content, place.source)
                case other:
                    raise ValueError(f'study must be "comparison", "meetings" or "challenge", got {shown(other)}')
    module = import_file(place.source)
    study = getattr(module, "STUDY", None)
    if not isinstance(study, Study):
        raise ValueError(f"{place.source} declares no study: STUDY must be a Study, got {shown(study)}")  # noqa: TRY004
    if study.name != place.source.stem:
        raise ValueError(f"{place.source} declares the study {study.name!r}: its name must be the file's")
    return study
