"""Kernels hand named tuples on by address: what they read there is what was put in, of whatever kind."""

from typing import NamedTuple

import numba
import numpy as np
import pytest

from copeland.kernels.compiler.compile import compiled
from copeland.kernels.compiler.numba_internals import Reference
from copeland.kernels.mark import kernel


class Inner(NamedTuple):
    rows: np.ndarray
    flags: np.ndarray


class Alike(NamedTuple):
    one: np.ndarray
    other: np.ndarray


class Record(NamedTuple):
    counts: np.ndarray
    inner: Inner
    share: float
    sure: bool
    across: np.ndarray  # not contiguous
    fixed: np.ndarray  # may not be written
    single: np.ndarray  # without dimensions
    alike: Alike


def record(n=3):
    rows = np.arange(4.0 * n).reshape(n, 4)
    fixed = np.arange(n) + 7
    fixed.flags.writeable = False
    return Record(
        counts=np.arange(n),
        inner=Inner(rows, np.arange(n) % 2 == 1),
        share=0.25,
        sure=True,
        across=np.arange(4.0 * n).reshape(n, 4).T[::2],
        fixed=fixed,
        single=np.array(2.5),
        alike=Alike(np.ones(n), np.full(n, 3.0)),
    )


@kernel
def inner_sum(inner):
    rows, flags = inner  # unpacked
    total = 0.0
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            total += rows[i, j] * (2.0 if flags[i] else 1.0)
        total += rows[i].sum() + rows[i, :].size
    return total


@kernel
def all_sum(record):
    total = inner_sum(record.inner) + record.share + int(record.sure) + record.single[()]
    for value in record.across.flat:
        total += value
    for value in record.fixed:
        total += value
    for values in record.alike:
        total += values.sum()
    return (
        total + record[0].sum() + len(record) + record.counts.nbytes + record.inner.rows.strides[0]
    )


@kernel
def count_up(record, n):
    for _ in range(n):
        record.counts[0] += 1  # read again after each write
        record.counts[record.counts[0] % len(record.counts)] += 1
    return record.counts.sum()


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 3])
def test_every_kind_of_part_reads_as_in_python(n):
    assert compiled(all_sum)(record(n)) == all_sum(record(n))


@pytest.mark.slow
def test_what_is_written_is_seen_at_once_and_afterwards():
    one, other = record(), record()
    assert compiled(count_up)(one, 50) == count_up(other, 50)
    assert np.array_equal(one.counts, other.counts)


@pytest.mark.quick
def test_records_of_one_class_with_other_arrays_are_other_types():
    wide = record()
    narrow = wide._replace(counts=wide.counts.astype(np.int32))
    assert Reference(numba.typeof(wide)) == Reference(numba.typeof(record()))
    assert Reference(numba.typeof(wide)) != Reference(numba.typeof(narrow))
    assert Reference(numba.typeof(wide)).name != Reference(numba.typeof(narrow)).name


@pytest.mark.slow
def test_one_kernel_takes_records_of_several_types():
    made, wide = compiled(inner_sum), record().inner
    assert made(wide) == made(wide._replace(rows=wide.rows.astype(np.int64)))
