"""The measurement of tuning: a run of each rule says what was lost."""

import pytest

from benchmarks.tuning import run as run_of
from benchmarks.tuning_botorch import installed
from benchmarks.tuning_page import table

BOTORCH = pytest.param(
    "botorch",
    marks=[
        pytest.mark.skipif(not installed(), reason="no BoTorch"),
        pytest.mark.filterwarnings("ignore"),  # what torch warns of is no fault of ours
    ],
)


@pytest.mark.parametrize(
    "rule",
    ["tuner", "eubo", "pbo", pytest.param("random", marks=pytest.mark.quick), "dts-25", BOTORCH],
)
def test_a_run_of_the_benchmark_says_what_was_lost(rule, monkeypatch):
    monkeypatch.setattr("benchmarks.tuning.MARKS", (6,))
    done = run_of("forrester", rule, 0, 6)
    assert list(done["marks"]) == ["6"]
    assert 0 <= done["marks"]["6"]["regret"] <= 1
    assert 0 <= done["marks"]["6"]["cumulative"] <= 6
    assert any("forrester" in line for line in table([done], 6))
