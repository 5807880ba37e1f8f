"""The digest that guards the disk cache covers every line and constant that gets into compiled code."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hanabako.compiler.digest import digest_of
from tests.processes import ROOT, ran

pytestmark = pytest.mark.slow


RULES = """
import numpy as np
from hanabako.compiler.jit import rule
from helpers import PRICES, TABLE, double, high, low

@rule
def price(card):
    '''What a card costs.'''
    return double(card) + TABLE[card] + 0 * low(card) + 0 * high(card) + PRICES[card]
"""
HELPERS = """
import numpy as np
from hanabako.compiler.jit import rule

TABLE = np.array([10, 20])
FACTOR = 2
LOW, HIGH = (0, 0), (5, 6)
PRICES = LOW

@rule
def double(x):
    return FACTOR * x

@rule
def low(x):
    return LOW[x]

@rule
def high(x):
    return HIGH[x]
"""
PROGRAM = """
import numpy as np
from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import keyed, kernel
from rules_of_cards import price

def loop_of(price):
    digest = digest_of(price, loop_of)

    @kernel
    def prices(cards, out):
        for i in range(keyed(cards.shape[0], digest)):
            out[i] = price(cards[i])

    return prices

out = np.zeros(2, np.int64)
loop_of(price)(np.arange(2), out)
print(digest_of(price), *out)
"""

EDITS = {
    "a rule": ("helpers.py", "FACTOR * x", "FACTOR * x + 1", [11, 23]),
    "a constant of a rule that a rule calls": ("helpers.py", "FACTOR = 2", "FACTOR = 3", [10, 23]),
    "an array": ("helpers.py", "20", "30", [10, 32]),
    "which of two known tables is used": ("helpers.py", "PRICES = LOW", "PRICES = HIGH", [15, 28]),
}


def run(folder: Path, hash_seed: int = 0) -> list[int]:
    """Return the digest of the rule ``price``, and the prices of cards 0 and 1 from a loop in the disk cache."""
    own = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(folder / "cache")}
    own |= {"PYTHONHASHSEED": str(hash_seed), "PYTHONDONTWRITEBYTECODE": "1"}  # a .pyc of its size and second is valid
    return [int(word) for word in ran([sys.executable, str(folder / "program.py")], **own).stdout.split()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules_of_cards.py").write_text(RULES, encoding="utf-8")
    (tmp_path / "helpers.py").write_text(HELPERS, encoding="utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("edit", EDITS)
def test_a_cached_loop_follows_an_edit_in_another_file(folder: Path, edit: str) -> None:
    file, old, new, prices = EDITS[edit]
    before = run(folder)
    path = folder / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    after = run(folder)
    assert before[1:] == [10, 22]
    assert after[1:] == prices
    assert before[0] != after[0]


def test_digits_do_not_move_from_one_number_to_the_next() -> None:
    def linear(factor: int, constant: int) -> Callable[[int], int]:
        return lambda x: factor * x + constant

    assert digest_of(linear(1, 10)) != digest_of(linear(11, 0))


def test_a_comment_and_another_process_leave_the_digest_alone(folder: Path) -> None:
    before = run(folder)
    path = folder / "helpers.py"
    path.write_text("# A remark.\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(folder, hash_seed=1) == before
