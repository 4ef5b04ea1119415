"""Random subsets of a matrix's options, as tasks: a block of one size each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from copeland.experiments.analyses import cell
from copeland.experiments.subsets import BLOCK
from copeland.kernels.compiler.digest import digest_sources
from copeland.matrix import PreferenceMatrix
from copeland.tasks import Arrays

# What subsets are counted with.
_COUNTING = (
    "copeland.experiments.subsets",
    "copeland.experiments.subset_gaps",
    "copeland.winners",
    "copeland.gaps",
    "copeland.streams",
)

QUICK_SAMPLES = BLOCK
FULL_SAMPLES = 10_000

# Of a consistent matrix: most subsets have circles, and each takes a linear program.
CONSISTENT_SIZES = {
    False: (1, 2, 3, 5, 7, 10, 15, 20, 30),
    True: (*range(1, 11), 15, 20, 30, 50, 75, 100),
}
CONSISTENT_SAMPLES = {False: BLOCK, True: 4 * BLOCK}


@dataclass(frozen=True)
class SubsetTask:
    """Random subsets of one size, counted."""

    matrix: PreferenceMatrix
    k: int
    first: int
    count: int
    seed: int
    lotteries: bool

    def about(self) -> dict[str, Any]:
        """Return everything that the result depends on."""
        return {
            "kind": "subsets",
            "matrix": self.matrix.key,
            "k": self.k,
            "samples": [self.first, self.count],
            "seed": self.seed,
            "lotteries": self.lotteries,
            "sources": digest_sources(cell, *_COUNTING),
        }

    def run(self) -> Arrays:
        """Count them."""
        found = cell(
            self.matrix, self.k, self.first, self.count, self.seed, lotteries=self.lotteries
        )
        return found.arrays()


def subsets_of(matrix: PreferenceMatrix, full: bool, seed: int) -> list[SubsetTask]:
    """The subsets to count: equally many of each size, and linear programs for the first block."""
    return [
        SubsetTask(matrix, k, first, BLOCK, seed, lotteries=full or first == 0)
        for k, first in _sizes(matrix.k, full)
    ]


def _sizes(options: int, full: bool) -> list[tuple[int, int]]:
    """The sizes of subsets, and the first sample of each block of them."""
    samples = FULL_SAMPLES if full else QUICK_SAMPLES
    return [(k, first) for k in range(1, options + 1) for first in range(0, samples, BLOCK)]


def consistent_sizes(options: int, full: bool) -> list[tuple[int, int]]:
    """The same, of a consistent matrix."""
    sizes = [k for k in CONSISTENT_SIZES[full] if k <= options]
    return [(k, first) for k in sizes for first in range(0, CONSISTENT_SAMPLES[full], BLOCK)]
