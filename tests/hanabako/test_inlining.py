"""Rules are compiled inside the loops that call them, and nowhere else."""

import time

import numpy as np
import pytest
from numba.core.codegen import JITCodeLibrary

from hanabako.compiler.jit import RULE_OPTIONS, kernel, rule, subroutine
from hanabako.compiler.numba_hooks import inlining
from hanabako.engine.bits import has_bit, popcount

NOTHING = time.time_ns()  # so that no earlier run has left this kernel in the disk cache


def weighing_kernel(nothing):
    """Return a kernel over three levels of rules; it is compiled again for every other number ``nothing``."""

    @rule
    def weight(word):
        return popcount(word) + np.int64(has_bit(word, 0))

    @rule
    def put_weight(words, out, i):
        out[i] += weight(words[i])
        return out[i]

    @kernel
    def put_weights(words, out):
        total = nothing
        for i in range(words.shape[0]):
            row = out[i]
            total += put_weight(words, row, i) + weight(words[i])
        return total

    return put_weights


@pytest.fixture
def emitted(monkeypatch):
    """Return a list that collects the names of functions for which Numba emits machine code."""
    names = []
    emit = JITCodeLibrary._finalize_final_module

    def noting_emit(library):
        names.append(library.name)
        emit(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_final_module", noting_emit)
    return names


def is_rule(name):
    return name.endswith((".put_weight", ".weight"))


def check_weights(put_weights, nothing):
    words = np.array([0, 1, 2, 0b1011, 2**64 - 1], np.uint64)
    out = np.zeros((5, 5), np.int64)
    assert put_weights(words, out) - nothing == 2 * (0 + 2 + 1 + 4 + 65)
    assert out.tolist() == np.diag([0, 2, 1, 4, 65]).tolist()


def test_only_the_loop_becomes_machine_code(emitted):
    assert RULE_OPTIONS, "this Numba lacks something that numba_hooks.inlining uses: rules compile four times as slowly"
    check_weights(weighing_kernel(NOTHING), NOTHING)
    assert any("put_weights" in name for name in emitted)
    assert not any(is_rule(name) for name in emitted)


def test_a_numba_without_the_names_compiles_the_same_loop(emitted, monkeypatch):
    monkeypatch.setattr(inlining, "NUMBAS_OWN", (*inlining.NUMBAS_OWN, "_gone"))
    check_weights(weighing_kernel(NOTHING + 1), NOTHING + 1)
    assert any(is_rule(name) for name in emitted)


def calling_kernel(nothing):
    """Return a kernel that calls a subroutine through a rule."""

    @subroutine
    def sum_up_to(number):
        total = 0
        for k in range(number):
            total += k
        return total

    @rule
    def difference(more, less):
        return sum_up_to(more) - sum_up_to(less)

    @kernel
    def call(more, less):
        return difference(more, less) + nothing

    return call


def test_a_subroutine_need_not_be_inlined_where_a_rule_calls_it(monkeypatch):
    """Numba passes a caller's options on to what it calls; the subroutine must not inherit `alwaysinline`."""
    must_inline = {}
    finalize = inlining.RuleLibrary.finalize

    def noting_finalize(library):
        finalize(library)
        for function in library.own_module().functions:
            if not function.is_declaration:
                must_inline[library.name.rpartition(".")[2]] = b"alwaysinline" in function.attributes

    monkeypatch.setattr(inlining.RuleLibrary, "finalize", noting_finalize)
    assert calling_kernel(NOTHING)(5, 3) - NOTHING == 10 - 3
    assert must_inline["difference"]
    assert not must_inline["sum_up_to"]
