"""Bridges import the library; nothing imports them but their commands, and the registry by its table of prefixes."""

import re

from tests.conftest import ROOT

IMPORTS = re.compile(r"(?:from|import) [\w.]*bridges|\"\.bridges\.")


def test_only_commands_and_the_registry_know_the_bridges():
    files = [path for path in (ROOT / "agents").rglob("*.py") if "bridges" not in path.parts]
    known = {path.name for path in files if IMPORTS.search(path.read_text(encoding="utf-8"))}
    assert known == {"registry.py", "ah2ac2.py", "record.py", "study.py"}
