"""Texts of any length as two words of 64 bits, and teams as bits: so that records have one size.

Two of 10^9 different texts share both words with a probability below 10^-20. The words are no secret, and mean
nothing outside of one count.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from copeland.kernels import kernel
from copeland.kernels.compiler.compile import bind_parts

LONGEST_LIST = 64  # positions
WRONG = np.uint64(4)

# The multipliers of xxHash64 and of MurmurHash3's last step: odd, with well-mixed bits.
_FIRST, _SECOND = np.uint64(0x9E3779B185EBCA87), np.uint64(0xC2B2AE3D27D4EB4F)
_MIX, _MIX_AGAIN = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_29, _32, _8, _1, _0 = (np.uint64(n) for n in (29, 32, 8, 1, 0))


@kernel
def mixed(word):
    """Return a word each bit of which depends on every bit of the given one."""
    word = (word ^ (word >> _32)) * _MIX
    word = (word ^ (word >> _29)) * _MIX_AGAIN
    return word ^ (word >> _32)


@kernel
def place_in(table, ones, others, one, other, start):
    """Return where a row with these two values is in a table of rows, or where it would be, looked for from a word."""
    last = np.uint64(len(table) - 1)
    place = start & last
    while True:
        row = table[np.int64(place)]
        if row < 0 or (ones[row] == one and others[row] == other):
            return np.int64(place)
        place = (place + _1) & last


@kernel
def hash_texts(data, ends, first, second):
    """Write two words for each text; text i is the bytes from ends[i] to ends[i + 1]."""
    for i in range(len(ends) - 1):
        begin, end = ends[i], ends[i + 1]
        one = _FIRST ^ np.uint64(end - begin)
        other = _SECOND
        at = begin
        while at < end:
            word = _0
            shift = _0
            for k in range(at, min(at + 8, end)):
                word |= np.uint64(data[k]) << shift
                shift += _8
            one = (one ^ word) * _FIRST
            one ^= one >> _29
            other = (other ^ word) * _SECOND
            other ^= other >> _32
            at += 8
        first[i] = mixed(one)
        second[i] = mixed(other)


@kernel
def team_bits(data, ends, sides, left, right, length):
    """Write who put a document at each position, by the side that each letter stands for.

    A length of -1 marks a letter that stands for nothing, and what is longer than 64.
    """
    for i in range(len(ends) - 1):
        size = ends[i + 1] - ends[i]
        ours = _0
        theirs = _0
        wrong = size < 1 or size > LONGEST_LIST
        shift = _0
        for k in range(ends[i], ends[i] + min(size, LONGEST_LIST)):
            side = sides[data[k]]
            ours |= (side & _1) << shift
            theirs |= (side >> _1 & _1) << shift
            wrong |= side == WRONG
            shift += _1
        left[i] = ours
        right[i] = theirs
        length[i] = -1 if wrong else size


@cache
def fast(function):
    """Return the compiled twin of a kernel of this package, kept on disk."""
    return bind_parts(function, {}, function.__name__, compile=True, keep=True)
