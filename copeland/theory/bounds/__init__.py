"""What theory promises: the paper's regret bounds for CCB and SCB, as numbers for a given problem.

Zoghi, Karnin, Whiteson, de Rijke, "Copeland Dueling Bandits", 2015. Here Theorem 1 is the paper's
regret bound for CCB (printed as Theorem 11, because the paper numbers all its statements in one sequence),
Theorem 2 the one for SCB (printed as Theorem 13) and Lemma 3 the sample bound behind it (Lemma 14).

Each bound is given as printed, or with ``corrected=True`` as its proof supports it:

1. A duel costs up to 2 by Definition 1, not 1: Theorem 1 is doubled.
2. Proposition 4 bounds pairs by Delta*, because d has the highest u_dc of all options. Line 13 looks at B^c alone
   half of the time, and line 10 at no u at all. What is left is that only open pairs duel: a pair has at most
   1 + 4 alpha ln t / Delta_ij^2 duels after C(delta), whichever line asks. N-hat counts each pair so, once.
3. Lemma 7 fails if an option leaves B_t with too few rivals before C(delta): it may never get others. So the rate
   that A2 and A3 give, K ln T, is not proved, and the corrected Theorem 1 counts pairs:
   2 (C(delta) + sum of 1 + 4 alpha ln T / Delta_ij^2 over the pairs with a non-winner); A2 is 0.
4. T_delta is proved anew: from then on a non-winner has L_C + 1 right rivals for good, or none.
5. Lemma 8 holds for non-winners that have rivals, with G_i = L_C + 1 + S_i ln T in the place of N-hat_B, and
   2 G_i + 2 sqrt(G_i L) + 2 L steps, L = ln(2 K / delta), those of line 10 included (:func:`lemma_8`).
6. log(1 / delta) in Lemma 3, and log T in Theorem 2, hide log(K H_inf / delta) and log(K H_inf T).
7. The expected regret needs alpha > 1.
8. The second forms of Theorem 2 and Lemma 3 do not bound the first: in a regular tournament (K odd, all
   options win half of their duels) the first is about K times the second. An option needs no more than its
   K - 1 opponents, if they are drawn without replacement: with min{(1 - cpld_i) / Delta_i^2, K - 1} in the
   place of (1 - cpld_i) / Delta_i^2 the first form is smaller, and the second, with constants, bounds it.

docs/notes/ccb-proofs.md has the proofs of 2 to 5.

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

import math
from collections.abc import Callable
from typing import Any

import copeland.theory.gaps as gaps
import copeland.theory.lower_bounds as limits
from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix
from copeland.support.goal import BEST, Goal
from copeland.theory.bounds.bound_parameters import ALPHA, DELTA, HORIZON, check, exp
from copeland.theory.bounds.ccb_regret import (
    a2,
    a3,
    a3_closed,
    lemma_8,
    line_10,
    log_a1,
    log_c_delta,
    log_t_delta,
    log_theorem_1,
    log_theorem_1_expected,
    n_hat,
    n_hat_b,
    n_hat_options,
    n_hat_pairs,
    theorem_1,
)
from copeland.theory.bounds.scb_regret import (
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
    "lemma_8",
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


def summary(
    m: PreferenceMatrix,
    alpha: float = ALPHA,
    delta: float = DELTA,
    horizon: float = HORIZON,
    corrected: bool = False,
    goal: str = BEST,
) -> dict[str, Any]:
    """Return every quantity, bound and limit (:mod:`copeland.limits`) by name, ready for JSON.

    A value is None where it does not exist, and ``undefined`` then says why under the same key; or
    where a float cannot hold it (``a1``, ``theorem_1``), and its ``log_`` has it. ``log_c_delta`` and
    ``log_t_delta`` are at ``delta`` itself; A1 takes them at delta/4 and delta/2. ``lower_samples`` is for ``goal``, all
    else for one winner.

    Examples
    --------
    >>> found = summary(PreferenceMatrix([[.5, .75, 1], [.25, .5, .75], [0, .25, .5]]))
    >>> found["c"], found["l_c"], found["gap"], found["a3"], found["undefined"]
    (1, 0, 0.25, 60.0, {'log_theorem_1_expected': 'alpha is 0.51; the bound on the expected ...'})
    """
    check(alpha, delta, horizon)
    aim = Goal.parse(goal)
    aim.check(m.labels)
    quantities: dict[str, Callable[[], float]] = {
        "k": lambda: m.k,
        "c": lambda: gaps.winner_count(m),
        "l_c": lambda: gaps.l_c(m),
        "gap": lambda: gaps.gap(m),
        "gap_min": lambda: gaps.gap_min(m),
        "gap_ratio": lambda: gaps.gap_ratio(m),
        "gap_star_min": lambda: gaps.gap_star_min(m),
        "h_inf": lambda: gaps.h_inf(m),
        "log_c_delta": lambda: log_c_delta(m.k, alpha, delta),
        "log_t_delta": lambda: log_t_delta(m, alpha, delta, corrected),
        "log_a1": lambda: log_a1(m, alpha, delta, corrected),
        "a1": lambda: exp(log_a1(m, alpha, delta, corrected)),
        "a2": lambda: a2(m, delta, alpha, corrected),
        "a3": lambda: a3(m, alpha, corrected),
        "theorem_1": lambda: theorem_1(m, horizon, alpha, delta, corrected),
        "log_theorem_1": lambda: log_theorem_1(m, horizon, alpha, delta, corrected),
        "log_theorem_1_expected": lambda: log_theorem_1_expected(m, horizon, alpha, corrected),
        "theorem_2_rate": lambda: theorem_2_rate(m, corrected),
        "lemma_3_rate": lambda: lemma_3_rate(m, 0.0, corrected),
        "lower_regret": lambda: limits.lower_regret(m),
        "lower_regret_ecw": lambda: limits.lower_regret_ecw(m),
        "lower_samples": lambda: limits.lower_samples(m, goal=goal),
        "lower_samples_ecw": lambda: _samples_of_ecw(m, aim),
        "lower_condorcet": lambda: limits.lower_condorcet(m),
        "lower_condorcet_copeland": lambda: limits.lower_condorcet_copeland(m),
    }
    values: dict[str, Any] = {}
    undefined: dict[str, str] = {}
    for key, quantity in quantities.items():
        try:
            value = quantity()
            values[key] = value if math.isfinite(value) else None
        except (Undefined, InvalidParameter) as reason:
            values[key], undefined[key] = None, str(reason)
    values |= {"alpha": alpha, "delta": delta, "horizon": horizon, "corrected": corrected}
    return values | {"goal": str(aim), "undefined": undefined}


def _samples_of_ecw(m: PreferenceMatrix, goal: Goal) -> float:
    if goal.kind != BEST:
        raise Undefined(f"ECW's plan is undefined for the goal '{goal}': it is for one winner.")
    return limits.lower_samples_ecw(m)
