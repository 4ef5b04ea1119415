"""What theory promises: the paper's regret bounds for CCB and SCB, as numbers for a given problem.

Zoghi, Karnin, Whiteson, de Rijke, "Copeland Dueling Bandits", 2015. Here Theorem 1 is the paper's
regret bound for CCB (printed as Theorem 11, because the paper numbers all its statements in one sequence),
Theorem 2 the one for SCB (printed as Theorem 13) and Lemma 3 the sample bound behind it (Lemma 14).

Each bound is given as printed, or with ``corrected=True`` as its proof supports it:

1. A duel costs up to 2 by Definition 1, not 1: Theorem 1 is doubled.
2. The constants of N-hat are carried through: A2 gains 4 sqrt(alpha); A3, its closed form and the
   remark's bound on N-hat_B gain 4 alpha.
3. T_delta holds N-hat four times, not once: in T_0, in the last step of Lemma 7's proof, and in each
   of two n_max, whose own proof (Lemma 20) subtracts it from ``|S_b|``.
4. The duels of CCB's line 10 are counted, which Proposition 4 leaves out: 4 alpha ln t / Delta_ij^2 for
   a pair, so Delta_min is not wholly gone. They enter N-hat (all pairs) and, after T_delta/2, Theorem 1.
5. N-hat_ii = t for a winner i stands in Definition 3.8 only, and is in no sum: neither here.
6. log(1 / delta) in Lemma 3, and log T in Theorem 2, hide log(K H_inf / delta) and log(K H_inf T).
7. The expected regret needs alpha > 1.
8. Line 10 takes a quarter of the steps before line 12 draws, so that a candidate is drawn with probability
   3/4 (2 / (3 (K - 1)) + 1 / (3 K)) or more, which is above 3 / (4 K), not 1 / K (Lemma 20). In T_delta,
   4 K max N-hat_i becomes (16/3) K, and K^2 ln(6 K / delta) becomes (16/9) K^2.
9. Lemma 8 needs ln(2 K / delta) >= 2: A2 takes 2 where it is less (K = 2 and 3, with a large delta).
10. The second forms of Theorem 2 and Lemma 3 do not bound the first: in a regular tournament (K odd, all
    options win half of their duels) the first is about K times the second. An option needs no more than its
    K - 1 opponents, if they are drawn without replacement: with min{(1 - cpld_i) / Delta_i^2, K - 1} in the
    place of (1 - cpld_i) / Delta_i^2 the first form is smaller, and the second, with constants, bounds it.

C(delta), T_delta, A1 and Theorem 1 outgrow any float when alpha is near 1/2, so these functions return
natural logarithms, and their names begin with ``log_``. A quantity that does not exist raises
:class:`copeland.errors.Undefined`; an empty sum is 0.

What theory forbids is in :mod:`copeland.limits`.

Examples
--------
>>> import copeland
>>> found = copeland.bounds.summary(copeland.load("cyclic-4"), horizon=1e8)
>>> found["c"], found["l_c"], round(found["theorem_2_rate"])
(1, 0, 127)
"""

from __future__ import annotations

from copeland.bounds.ccb import (
    a2,
    a3,
    a3_closed,
    line_10,
    log_a1,
    log_theorem_1,
    log_theorem_1_expected,
    theorem_1,
)
from copeland.bounds.counts import (
    log_c_delta,
    log_t_delta,
    n_hat,
    n_hat_b,
    n_hat_options,
    n_hat_pairs,
)
from copeland.bounds.listing import (
    summary,
)
from copeland.bounds.parameters import (
    ALPHA,
    DELTA,
    HORIZON,
)
from copeland.bounds.scb import (
    lemma_3,
    lemma_3_closed_rate,
    lemma_3_rate,
    theorem_2,
    theorem_2_closed_rate,
    theorem_2_rate,
)

__all__ = [
    "ALPHA",
    "DELTA",
    "HORIZON",
    "a2",
    "a3",
    "a3_closed",
    "lemma_3",
    "lemma_3_closed_rate",
    "lemma_3_rate",
    "line_10",
    "log_a1",
    "log_c_delta",
    "log_t_delta",
    "log_theorem_1",
    "log_theorem_1_expected",
    "n_hat",
    "n_hat_b",
    "n_hat_options",
    "n_hat_pairs",
    "summary",
    "theorem_1",
    "theorem_2",
    "theorem_2_closed_rate",
    "theorem_2_rate",
]
