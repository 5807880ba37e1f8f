"""Studies by name and by file: those of a clone lie in its folder ``benchmarks/strength``, one file each."""

import ast
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path

from hanabako.words.checks import shown

from .study import Study

__all__ = ["Place", "find", "load", "names", "title_of"]

STUDIES = Path(__file__).resolve().parents[2] / "benchmarks" / "strength"
"""The folder of the project's own studies. An install has none."""
SCORES = "SCORES.md"


@dataclass(frozen=True)
class Place:
    """Where a study lies, and where its results and its page go."""

    source: Path
    """The study's file."""
    results: Path
    """JSON."""
    figures: Path
    """A folder."""
    page: Path
    """Markdown: a page of its own, or ``SCORES.md``, where a study of a clone fills its marks."""
    name: str | None = None
    """A study of the clone; None for a file."""

    @property
    def words(self) -> str:
        """What commands call it."""
        return self.name or str(self.source)


def names() -> list[str]:
    """The studies of the clone; none in an install."""
    return sorted(path.stem for path in STUDIES.glob("*.py") if not path.stem.startswith("_"))


def title_of(name: str) -> str:
    """The first sentence of a study's file, which is not run for it."""
    text = ast.get_docstring(ast.parse((STUDIES / f"{name}.py").read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def find(name_or_file: str, out: Path | None = None) -> Place:
    """The place of a study.

    Args:
        name_or_file: one of `names`, or a file ``.py``.
        out: the folder for results, page and figures; by default beside a file, and the clone's own for a name.

    Raises:
        ValueError: there is no such study.
    """
    if name_or_file in names():
        folder = out or STUDIES / "results"
        page = out / f"{name_or_file}.md" if out else STUDIES / SCORES
        return Place(STUDIES / f"{name_or_file}.py", folder / f"{name_or_file}.json", folder, page, name_or_file)
    source = Path(name_or_file)
    if source.suffix != ".py" or not source.is_file():
        known = f"one of {', '.join(names())} or " if names() else ""
        raise ValueError(f"a study must be {known}a file that ends with .py, got {shown(name_or_file)}")
    folder = out or source.parent
    return Place(source, folder / f"{source.stem}.json", folder, folder / f"{source.stem}.md")


def load(place: Place) -> Study:
    """The study that a file declares by the name ``STUDY``. This runs the file.

    It is imported by its full name, from its package's folder or its own, so that other processes can import it too.

    Raises:
        ValueError: it declares none, or its name is not the file's.
    """
    source = place.source.resolve()
    folder, parts = source.parent, [source.stem]
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module = importlib.import_module(".".join(parts))
    if Path(module.__file__ or "").resolve() != source:
        raise ValueError(f"{place.source} cannot be imported: another module has the name {'.'.join(parts)}")
    study = getattr(module, "STUDY", None)
    if not isinstance(study, Study):
        raise ValueError(f"{place.source} declares no study: STUDY must be a Study, got {shown(study)}")  # noqa: TRY004
    if study.name != source.stem:
        raise ValueError(f"{place.source} declares the study {study.name!r}: its name must be the file's")
    return study
