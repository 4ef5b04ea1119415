"""The types of arrays that states are made of, and reductions.

The reductions are plain loops: compiled, they are much faster than the array methods on short arrays.
"""

from __future__ import annotations

from copeland.kernels.mark import kernel
from copeland.support.arrays import Bools, Bytes, Floats, Ints

__all__ = ["Bools", "Bytes", "Floats", "Ints", "find_greatest", "greatest", "least", "total"]


@kernel
def least(values):
    """Return the smallest of an array."""
    found = values[0]
    for value in values:
        found = min(found, value)
    return found


@kernel
def greatest(values):
    """Return the largest of an array."""
    found = values[0]
    for value in values:
        found = max(found, value)
    return found


@kernel
def find_greatest(values):
    """Return the place of the largest of an array, the first of equals."""
    best = 0
    for i in range(len(values)):
        if values[i] > values[best]:
            best = i
    return best


@kernel
def total(values):
    """Return the sum of an array of integers."""
    found = 0
    for value in values:
        found += value
    return found
