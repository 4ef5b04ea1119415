"""The measurement of judges on test cases: it judges as certificates do."""

import numpy as np

from benchmarks import false_cases as measured
from copeland.certificate.certificate import certify


def test_what_it_judges_is_what_a_certificate_says():
    problem = measured.Problem("turns", measured.rankings_of(3, measured.turns(3)), 3, 12)
    watch = measured.Watch(problem, 6, np.random.default_rng(1))
    for vote in range(36):
        watch.step("U", vote + 1)
        lower, best = measured.judged(watch.found, watch.held, watch.at)
        for run in range(6):
            wins, ties = watch.wins[run], watch.ties[run]
            found = certify(wins, ties, voters="judge, these cases", cases=12)
            assert found.lower == tuple(lower[run])
            assert found.best == tuple(np.flatnonzero(best[run]))
    assert not watch.wrong_best.any()


def test_runs_of_like_cases_are_judged_at_the_levels_of_single_claims():
    problem = measured.Problem("two", measured.by_chance(), 2, 20, these=False)
    watch = measured.measure(problem, "A", 5)
    assert (watch.theta[0, 0, 1], watch.asked.sum()) == (0.5, 100)
