"""Kernels that others call are compiled as parts of these: with their constants and errors, at any numba."""

import numba
import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

from copeland.kernels.compiler.compile import bind_parts, compiled
from copeland.kernels.compiler.numba_internals import choose_compiler
from copeland.kernels.mark import kernel

WEIGHTS = np.array([1.0, 2.0, 4.0])


@kernel
def weight(i):
    if i >= len(WEIGHTS):
        raise IndexError("there are three weights")
    return WEIGHTS[i]


@kernel
def total(n):
    sum = 0.0
    for i in range(n):
        sum += weight(i)
    return sum


@kernel
def twice(n):
    return 2 * total(n)


@pytest.mark.slow
def test_parts_of_parts_keep_their_constants_and_pass_on_errors():
    assert compiled(twice)(3) == twice(3) == 14
    assert (compiled(total)(2), compiled(twice)(2)) == (3, 6)
    with pytest.raises(IndexError, match="three weights"):
        compiled(twice)(4)


def test_a_part_has_no_machine_code_of_its_own():
    part = bind_parts(total, {}, "total", compile=True, whole=False)
    part.compile((numba.int64,))
    [made] = part.overloads.values()
    with global_compiler_lock:
        assert made.library.get_pointer_to_function(made.fndesc.llvm_func_name) == 0


def test_a_numba_that_was_not_tried_compiles_in_its_own_way(monkeypatch):
    assert choose_compiler(whole=False)
    monkeypatch.setattr(numba, "__version__", "1.2.3")
    assert choose_compiler(whole=False) == {}
