"""Matrices made of margins over 1/2, and what is checked of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from copeland.matrix import PreferenceMatrix


def from_margins(k: int, margins: dict[tuple[int, int], float]) -> PreferenceMatrix:
    """Ties everywhere but where a margin over 1/2 is given."""
    p = np.full((k, k), 0.5)
    for (i, j), margin in margins.items():
        p[i, j] = 0.5 + margin
        p[j, i] = 0.5 - margin
    return PreferenceMatrix(p)


def ordered(k: int, margin: float = 0.1) -> PreferenceMatrix:
    """Each option beats every later one."""
    return from_margins(k, {pair: margin for pair in combinations(range(k), 2)})


def circle(first: float = 0.1, second: float = 0.2, third: float = 0.3) -> PreferenceMatrix:
    """0 beats 1 by ``first``, 1 beats 2 by ``second``, 2 beats 0 by ``third``."""
    return from_margins(3, {(0, 1): first, (1, 2): second, (2, 0): third})


TIED = from_margins(3, {})


# 0 beats 1 and 2, 1 beats 2, 2 beats 3, 3 beats 0 and 1: scores 2, 1, 1, 2.
FOUR = from_margins(
    4, {(0, 1): 0.1, (0, 2): 0.1, (1, 2): 0.1, (2, 3): 0.1, (3, 0): 0.1, (3, 1): 0.1}
)


def matrices(most: int = 6, steps: int = 10, odd: bool = False) -> st.SearchStrategy:
    """Margins in steps from -1/2 to 1/2, so that ties, 0 and 1 are common; odd steps rule ties out."""

    def of(k: int) -> st.SearchStrategy:
        pairs = list(combinations(range(k), 2))
        step = st.integers(-steps, steps).filter(lambda n: not odd or n % 2 == 1)
        return st.lists(step, min_size=len(pairs), max_size=len(pairs)).map(
            lambda ns: from_margins(
                k, {pair: n / (2 * steps) for pair, n in zip(pairs, ns, strict=True)}
            )
        )

    return st.integers(2, most).flatmap(of)


def worst_case(m: PreferenceMatrix, lottery: np.ndarray) -> float:
    return float((lottery @ m.p).min())


def transitions(m: PreferenceMatrix) -> np.ndarray:
    q = np.empty((m.k, m.k))
    for i in range(m.k):
        for j in range(m.k):
            q[i, j] = m.p[j, i] / sum(m.p[k, i] for k in range(m.k))
    return q


def _steps(cycle: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(zip(cycle, cycle[1:] + cycle[:1], strict=True))
