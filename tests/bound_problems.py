"""Problems whose bounds are worked by hand, and problems by chance."""

import numpy as np

from copeland.matrix import PreferenceMatrix

# 0 beats 1 by 1/4 and 2 by 1/2; 1 beats 2 by 1/4. C = 1, L_C = 0, Delta = Delta_min = 1/4,
# Delta*_1 = 1/4, Delta*_2 = 1/2, and Delta*_ij is 1/4 (twice) or 1/2 (four times).
ORDER = PreferenceMatrix([[0.5, 0.75, 1], [0.25, 0.5, 0.75], [0, 0.25, 0.5]])
# 0 > 1 > 2 > 0, each by 1/4; all three beat 3, by 1/8, 1/4 and 3/8.
# C = 3, L_C = 1, Delta = Delta_min = 1/8, Delta*_3 = 1/4.
CYCLE_AND_LOSER = PreferenceMatrix(
    [[0.5, 0.75, 0.25, 0.625], [0.25, 0.5, 0.75, 0.75], [0.75, 0.25, 0.5, 0.875],
     [0.375, 0.25, 0.125, 0.5]]
)  # fmt: skip
CIRCLE = PreferenceMatrix([[0.5, 0.75, 0.25], [0.25, 0.5, 0.75], [0.75, 0.25, 0.5]])
# A Condorcet winner; the other two tie.
TIED = PreferenceMatrix([[0.5, 0.75, 0.75], [0.25, 0.5, 0.5], [0.25, 0.5, 0.5]])
# 0 and 1 tie and both beat 2: two winners.
TIED_WINNERS = PreferenceMatrix([[0.5, 0.5, 0.75], [0.5, 0.5, 0.75], [0.25, 0.25, 0.5]])
MSLR_5 = PreferenceMatrix(
    [[0.5, 0.484, 0.519, 0.529, 0.518], [0.516, 0.5, 0.481, 0.530, 0.539],
     [0.481, 0.519, 0.5, 0.504, 0.512], [0.471, 0.470, 0.496, 0.5, 0.503],
     [0.482, 0.461, 0.488, 0.497, 0.5]]
)  # fmt: skip


def led_matrix(seed: int) -> PreferenceMatrix:
    """Return an option that beats all others and, behind it, chance."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 9))
    p = np.triu(rng.random((k, k)), 1)
    p[0, 1:] = 0.5 + rng.random(k - 1) / 2
    return PreferenceMatrix(p + np.tril(1 - p.T, -1) + np.eye(k) / 2)
