"""The families on which constants are chosen, and those of which figures are told."""

import re

import numpy as np
import pytest

from benchmarks.families import (
    HALVES,
    HELD_OUT,
    LENT,
    NEW,
    OTHERS,
    OURS,
    SEEDS,
    TUNED,
    Row,
    problems,
    table,
)
from copeland.problems import load


def test_the_halves_share_no_problem_and_no_seed():
    tuned, held_out = (set(problems(half)) for half in (TUNED, HELD_OUT))
    assert not tuned & held_out
    assert not set(HALVES[TUNED]) & set(HALVES[HELD_OUT])
    assert not set(SEEDS[TUNED]) & set(SEEDS[HELD_OUT])


@pytest.mark.parametrize("half", [TUNED, HELD_OUT])
def test_the_problems_of_a_half_differ_and_have_5_to_64_options(half):
    matrices = [load(name) for name in problems(half)]
    assert len({m.key for m in matrices}) == len(matrices)
    sizes = [m.k for m in matrices]
    assert min(sizes) >= 5 and max(sizes) <= 64


def test_with_real_matrices_forty_problems_are_held_out(tmp_path):
    assert len(problems(HELD_OUT, tmp_path)) >= 40
    assert len(problems(HELD_OUT, tmp_path)) + len(problems(NEW, tmp_path)) >= 60


def test_two_families_are_held_out_altogether():
    def families(half):
        return {re.match(r"[a-z-]+[a-z]", form).group() for form in HALVES[half]}

    assert len(families(HELD_OUT) - families(TUNED)) >= 2


def test_ratios_are_to_the_best_other_mean():
    means = dict(zip((*OURS, *OTHERS), (50.0, 150.0, 900.0, 100.0, 200.0, 300.0), strict=True))
    means[LENT] = 40.0  # is no rule that others published
    row = Row("cyclic-4", {name: np.full(3, mean) for name, mean in means.items()}, cut=("ccb",))
    assert row.best_other == "dts"
    assert [row.ratio(name) for name in OURS] == [0.5, 1.5]
    lines = list(table(iter([row])))
    assert "| `cyclic-4` | 4 | 50 ± 0 | 150 ± 0 | dts | 100 ± 0 | 40 ± 0 | 0.50 | 1.50 |" in lines
    assert lines[-2].startswith("`cpc:setting=eager`: lowest on 1 of 1, 0.50 of the best other")
