"""The option `--restless`: tests in random order, each with changed system settings, all chosen by one seed.

    pytest --restless                          # a new seed each time; the last lines of output give it
    pytest --restless --randomly-seed=123      # the same order and settings again

pytest-randomly chooses the order; it is off in all other runs. The settings are the time zone, the locale, the width of
the terminal and the home folder, in this process and in those that a test starts. A failing test prints them.
"""

import locale
import random
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_randomly

ORDER = "in random order"
"""Name of pytest-randomly among the plugins; under its usual name it is switched off."""

TIME_ZONES = ("UTC0", "JST-9", "NST3:30NDT,M3.2.0,M11.1.0", "<+1345>-13:45", "<-12>12")
"""Time zones that need no database: UTC, Tokyo, Newfoundland with summer time, and both ends of the day."""

LOCALES = ("C", "C.UTF-8", "en_US.UTF-8", "en_US.ISO8859-1", "de_DE.UTF-8", "ja_JP.UTF-8")
"""Locales to choose from if they are installed; in the first one, text is ASCII."""

WIDTHS = (40, 79, 80, 133, 250)
HOMES = ("home", "a home with spaces", "maison d'été")


def bring_order(manager: pytest.PytestPluginManager) -> None:
    """Register pytest-randomly, with its options, if it is not registered."""
    if not manager.hasplugin(ORDER):
        manager.register(pytest_randomly, ORDER)


class Restless:
    """Changes system settings around every test."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.locales = [name for name in LOCALES if is_here(name)]
        self.folder = Path(tempfile.mkdtemp(prefix="restless-"))

    @property
    def seed(self) -> int:
        """The seed, known once all plugins are configured; the same in every worker."""
        return self.config.getoption("randomly_seed")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test with its fixtures; fixtures of a module live as long as the tests of the module."""
        choice = random.Random(f"{self.seed} {item.nodeid}")
        home = Path(tempfile.mkdtemp(dir=self.folder)) / choice.choice(HOMES)
        home.mkdir()
        variables = {
            "TZ": choice.choice(TIME_ZONES),
            "LC_ALL": choice.choice(self.locales),
            "COLUMNS": str(choice.choice(WIDTHS)),
            "HOME": str(home),
        }
        item.add_report_section(
            "setup", "surroundings", " ".join(f"{name}={value}" for name, value in variables.items())
        )
        before = locale.setlocale(locale.LC_ALL)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            time.tzset()
            locale.setlocale(locale.LC_ALL, variables["LC_ALL"])
            try:
                return (yield)
            finally:
                locale.setlocale(locale.LC_ALL, before)
                patch.undo()
                time.tzset()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the seed, which a quiet run does not show at its start."""
        words = f"--restless --randomly-seed={self.seed}, locales {', '.join(self.locales)}"
        terminalreporter.section("restless")
        terminalreporter.line(words)

    def pytest_unconfigure(self) -> None:
        """Remove the home folders."""
        shutil.rmtree(self.folder, ignore_errors=True)


def is_here(name: str) -> bool:
    """Return whether the machine has a locale."""
    before = locale.setlocale(locale.LC_ALL)
    with suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, name)
        return locale.setlocale(locale.LC_ALL, before) == before
    return False
