"""Markov chains in arrays made beforehand: their stationary distribution, and what moves it.

For a chain S of K states with one closed class let G = (I - S + E/K)^-1, where E is all ones. Then

- the stationary distribution is v_j = sum_i G_ij / K;
- (I - S) G = I - 1 v;
- for any other chain S' with distribution v', v' - v = v' (S' - S) G.

G differs from the group inverse of I - S only by a constant in each column, which the last line ignores:
rows of S' - S sum to 0.
"""

from __future__ import annotations

from copeland.kernels.mark import kernel


@kernel
def fundamental(chain, pivots):
    """Put G in the place of the transition matrix S; ``pivots`` is room for K integers."""
    k = len(chain)
    for i in range(k):
        for j in range(k):
            chain[i, j] = 1 / k - chain[i, j]
        chain[i, i] += 1
    invert(chain, pivots)


@kernel
def stationary(fundamental, visits):
    """Write the stationary distribution into ``visits``."""
    k = len(fundamental)
    visits[:] = 0.0
    for i in range(k):
        for j in range(k):
            visits[j] += fundamental[i, j] / k


@kernel
def invert(matrix, pivots):
    """Put the inverse in the place of a regular matrix: Gauss-Jordan elimination, largest pivot first."""
    k = len(matrix)
    for c in range(k):
        pivots[c] = _largest_below(matrix, c)
        _swap_rows(matrix, c, pivots[c])
        _eliminate(matrix, c)
    for c in range(k - 1, -1, -1):  # exchanged rows of the matrix are columns of its inverse
        _swap_columns(matrix, c, pivots[c])


@kernel
def _largest_below(matrix, c):
    """Return the row, from c on, with the largest entry in column c."""
    found = c
    for r in range(c + 1, len(matrix)):
        if abs(matrix[r, c]) > abs(matrix[found, c]):
            found = r
    return found


@kernel
def _eliminate(matrix, c):
    """Solve row c for unknown c, and put the solution into all other rows."""
    k = len(matrix)
    scale = 1 / matrix[c, c]
    matrix[c, c] = 1.0
    for j in range(k):
        matrix[c, j] *= scale
    for r in range(k):
        if r != c:
            factor = matrix[r, c]
            matrix[r, c] = 0.0
            for j in range(k):
                matrix[r, j] -= factor * matrix[c, j]


@kernel
def _swap_rows(matrix, a, b):
    if a != b:
        for j in range(len(matrix)):
            matrix[a, j], matrix[b, j] = matrix[b, j], matrix[a, j]


@kernel
def _swap_columns(matrix, a, b):
    if a != b:
        for i in range(len(matrix)):
            matrix[i, a], matrix[i, b] = matrix[i, b], matrix[i, a]
