"""The one table of docs/proof.md: promised, tested, how much, result; from the records."""

from importlib import import_module
from pathlib import Path

from hanabako.pages.generated import update
from hanabako.pages.rule_card import markdown_rows
from tests.proof.records import RESULTS, Record, machine_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "proof.md"
CHECKS = ("steps", "digests", "kills", "hostile", "modes", "faults")
COMMAND = "python -m tests.proof pages"


def proof(folder: Path = RESULTS) -> str:
    """A row for every check that has a record."""
    rows, machines = [], []
    for name in CHECKS:
        if not (folder / f"{name}.json").exists():
            continue
        check, record = import_module(f"tests.proof.{name}"), Record.open(name, folder)
        result = "as promised" if not record.failures else f"**{len(record.failures)} failures**"
        rows.append(
            (check.PROMISE, check.TESTED, check.how_much(record), getattr(check, "result", lambda _: result)(record))
        )
        machines.append(f"`{name}`: {machine_of(folder / f'{name}.json')}")
    header = ("promised", "tested", "how much", "result")
    return markdown_rows(header, rows) + "\n\nLast run on:\n\n" + "".join(f"- {words}\n" for words in machines)


def write(check: bool = False) -> None:
    """Write the table into its page, or with ``check`` only say whether it is up to date."""
    update(PAGE, [("proof", proof())], check, COMMAND)
