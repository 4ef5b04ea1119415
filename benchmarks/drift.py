"""How soon a drift of a tenth is flagged, and how often votes that stay are."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from copeland.certificate.drift_evidence import LEVEL, _log_ratios, _times_before

RUNS, STAYING = 1_000, 2_000
DRIFT, POWER, TIMES = 0.1, 0.8, 4


def fixed_votes():
    """Votes, half before and half after, of a z-test that knows when the change would be."""
    z = norm.isf(LEVEL / 2) + norm.isf(1 - POWER)
    return 2 * int(2 * 0.25 * z**2 / DRIFT**2)


def first_flag(won):
    """After how many votes a change is proved; infinity if it is not."""
    first = np.inf
    for j, t in enumerate(_times_before(len(won))):
        over = np.flatnonzero(_log_ratios(won, j, t) >= -np.log(LEVEL))
        first = min(first, t + 1 + over[0]) if len(over) else first
    return first


def drift():
    """Flags of pairs that drift, and of pairs that do not."""
    fixed = fixed_votes()
    most = TIMES * fixed
    yield "## Drift"
    yield (
        f"One pair, level {LEVEL:g}, looked at after every vote. A z-test of this level and of power {POWER:g} that knows when the "
        f"change would be needs {fixed} votes; here are {most:,}, {TIMES} times as many. Where p moves, it does so half way."
    )
    yield ""
    yield "| p | runs | flagged | the median is flagged after | as a multiple of the z-test's votes |"
    yield "|---|---|---|---|---|"
    rng = np.random.default_rng(18)
    for low in (0.5, 0.6, 0.75):
        p = np.repeat([low, low + DRIFT], most // 2)
        found = [first_flag(rng.random(most) < p) for _ in range(RUNS)]
        middle, share = np.median(found), np.mean(np.isfinite(found))
        yield f"| {low:g}, then {low + DRIFT:g} | {RUNS:,} | {share:.1%} | {middle:,.0f} votes | {middle / fixed:.1f} |"
    for p in (0.5, 0.6, 0.9):
        found = [first_flag(rng.random(most) < p) for _ in range(STAYING)]
        yield f"| {p:g} | {STAYING:,} | {np.mean(np.isfinite(found)):.1%} | | |"
