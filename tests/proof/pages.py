"""The table of docs/proof.md (promised, tested, how much, result), made from the records."""

from importlib import import_module
from pathlib import Path

from agents.results.pages import origin_line
from agents.results.store import read_results
from docs.build.rule_card import markdown_rows
from hanabako.generated import update
from tests.proof import elsewhere, faults
from tests.proof.records import RESULTS, Record

PAGE = Path(__file__).resolve().parents[2] / "docs" / "proof.md"
CHECKS = ("steps", "digests", "kills", "hostile", "modes", "faults", "writers", "interrupts", "restless")
COMMAND = "python -m tests.proof pages"


def proof(folder: Path = RESULTS) -> str:
    """Return a row for every check that has a record, and the machines that they ran on."""
    rows, machines = [], []
    for name in CHECKS:
        path = folder / f"{name}.json"
        if path.exists():
            check, record = import_module(f"tests.proof.{name}"), Record.open(name, folder)
            rows.append((f"{check.PROMISE} (`{name}`)", check.TESTED, check.how_much(record), result(record)))
            machines.append(f"- `{name}`: {origin_line(read_results(path))}")
    table = markdown_rows(("promised", "tested", "how much", "result"), rows)
    return f"{table}\n\nLast run on:\n\n" + "\n".join(machines)


def result(record: Record) -> str:
    """Return the result in one or two words."""
    count = len(record.failures)
    return f"**{count} failure{'s' if count > 1 else ''}**" if count else "no failure"


def write(check: bool = False) -> None:
    """Write the table into its page, or with ``check`` only say whether it is up to date."""
    unseen = faults.unseen(Record.open("faults"))
    update(PAGE, [("proof", proof()), ("elsewhere", elsewhere.page()), ("faults", unseen)], check, COMMAND)
