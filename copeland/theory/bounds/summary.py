"""Every quantity, bound and limit of a problem, by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import copeland.theory.gaps as gaps
import copeland.theory.lower_bounds as limits
from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix
from copeland.theory.bounds.bound_parameters import ALPHA, DELTA, HORIZON, check
from copeland.theory.bounds.ccb_regret import (
    a2,
    a3,
    log_a1,
    log_theorem_1,
    log_theorem_1_expected,
    theorem_1,
)
from copeland.theory.bounds.duel_counts import log_c_delta, log_t_delta
from copeland.theory.bounds.log_arithmetic import exp
from copeland.theory.bounds.scb_regret import lemma_3_rate, theorem_2_rate


def summary(
    m: PreferenceMatrix,
    alpha: float = ALPHA,
    delta: float = DELTA,
    horizon: float = HORIZON,
    corrected: bool = False,
) -> dict[str, Any]:
    """Return every quantity, bound and limit (:mod:`copeland.limits`) by name, ready for JSON.

    A value is None where it does not exist, and ``undefined`` then says why under the same key; or
    where a float cannot hold it (``a1``, ``theorem_1``), and its ``log_`` has it. ``log_c_delta`` and
    ``log_t_delta`` are at ``delta`` itself; A1 takes them at delta/4 and delta/2.

    Examples
    --------
    >>> found = summary(PreferenceMatrix([[.5, .75, 1], [.25, .5, .75], [0, .25, .5]]))
    >>> found["c"], found["l_c"], found["gap"], found["a3"], found["undefined"]
    (1, 0, 0.25, 60.0, {'log_theorem_1_expected': 'alpha is 0.51; the bound on the expected ...'})
    """
    check(alpha, delta, horizon)
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
        "lower_samples": lambda: limits.lower_samples(m),
        "lower_samples_ecw": lambda: limits.lower_samples_ecw(m),
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
    return values | {"undefined": undefined}
