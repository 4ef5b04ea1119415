"""Regret in the long run: that of independent programs, and growing as theory says."""

import numpy as np
import pytest
from scipy.stats import t as student

import copeland

# Of independent programs: a C++ simulator (10 runs; mean and standard deviation), and prototypes (mean and standard error;
# halved regret). That of ECW tracking has no rule for pairs close to 1/2: hence the small beta.
SIMULATOR = 10**5
PROTOTYPE = 10**6
OTHERS = [
    ("ccb", "cyclic-4", SIMULATOR, 50, 1177, 279),
    ("ccb", "arithmetic-8", SIMULATOR, 50, 1792, 374),
    ("rucb", "cyclic-4", SIMULATOR, 200, 1397, 296),
    ("rucb", "arithmetic-8", SIMULATOR, 200, 2058, 367),
    ("rmed1", "cyclic-4", SIMULATOR, 100, 914, 311),
    ("rmed1", "arithmetic-8", SIMULATOR, 100, 1107, 139),
    ("dts", "cyclic-4", SIMULATOR, 20, 708, 221),
    ("dts", "arithmetic-8", SIMULATOR, 20, 666, 165),
    ("dts-plus", "cyclic-4", SIMULATOR, 20, 732, 111),
    ("dts-plus", "arithmetic-8", SIMULATOR, 20, 760, 344),
    ("dts", "mslr-5", PROTOTYPE, 5, 18_166, 1319),
    ("dts-plus", "mslr-5", PROTOTYPE, 5, 7703, 671),
    ("ecw-rmed:beta=1e-9", "mslr-5", PROTOTYPE, 36, 7942, 1338),
    ("ecw-rmed:beta=1e-9", "mslr-5-condorcet", PROTOTYPE, 36, 1092, 75),
    ("ecw-rmed:beta=1e-9", "arithmetic-8", PROTOTYPE, 36, 737, 28),
    ("ecw-rmed:beta=1e-9", "arxiv-6", PROTOTYPE, 36, 3510, 263),
]

# Of three marks as far apart on a logarithmic scale: how often as much regret the second step may add as the first. Linear
# growth adds ten times as much with every decade, a square root 3.2 times; doubler's bound is of order ln^2 T.
GROWTH = [
    *(("ccb", problem, (1e7, 1e8, 1e9), 10, 2) for problem in ("mslr-5", "near-tie-8:seed=0")),
    ("ccb", "order-5-0.1:seed=0", (1e7, 1e8, 1e9), 10, 2),
    *(
        ("cpc", problem, (1e7, 1e9, 1e11), 50, 1.5)
        for problem in ("cyclic-4", "arithmetic-8", "mslr-5-condorcet")
    ),
    *((name, "arithmetic-8", (1e5, 1e10, 1e15), 40, 1.5) for name in ("rmed1", "rmed2", "rmed2fh")),
    *(
        (name, "arithmetic-8", (1e6, 1e7, 1e8), 5, 2)
        for name in ("doubler", "multisbm", "sparring")
    ),
    *(
        ("winner-stays-strong", problem, (1e8, 1e10, 1e12), 50, 2)
        for problem in ("cyclic-4", "arithmetic-8", "mslr-5-condorcet")
    ),
    ("versatile", "arithmetic-8", (1e4, 1e5, 1e6), 6, 2),
]
ENDING = ["beat-the-mean:gamma=1", "interleaved-filter:version=1", "interleaved-filter:version=2"]


@pytest.mark.quick
def test_regret_is_linear_where_nobody_beats_all_as_the_algorithm_assumes():
    runs = copeland.simulate("order-5-0.2:seed=0", "rucb", 1e6, runs=5, seed=0, marks=[1e5, 1e6])
    before, after = runs.curves[0].regret.mean(axis=0)
    assert after > 8 * before


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "problem", "horizon", "runs", "mean", "error"), OTHERS)
def test_regret_agrees_with_an_independent_program(name, problem, horizon, runs, mean, error):
    regret = "definition-1" if horizon == SIMULATOR else "half"
    row = copeland.simulate(problem, name, horizon, runs=runs, seed=0, regret=regret).summary()[0]
    if horizon == SIMULATOR:
        error /= np.sqrt(10)
    quantile = student.ppf(0.995, runs - 1)  # a few of our runs: Student's, two-sided 1 %
    assert abs(row["mean"] - mean) < np.hypot(2.6 * error, quantile * row["sd"] / np.sqrt(runs))


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "problem", "marks", "runs", "most"), GROWTH)
def test_regret_grows_by_about_as_much_with_every_decade(name, problem, marks, runs, most):
    found = copeland.simulate(problem, name, marks[-1], runs=runs, seed=0, marks=list(marks))
    first, second, third = found.curves[0].regret.mean(axis=0)
    assert third - second < most * (second - first)
    assert found.curves[0].correct[:, -1].all()


@pytest.mark.nightly
@pytest.mark.parametrize("name", ENDING)
def test_who_ends_by_the_horizon_names_the_best_of_an_order(name):
    runs = copeland.simulate("arithmetic-8", name, 1e6, runs=50, seed=0)
    assert runs.curves[0].correct[:, -1].all()
    assert runs.curves[0].comparisons[:, -1].max() < 1e6
