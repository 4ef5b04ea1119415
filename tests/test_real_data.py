"""Where the folder of real data is absent, tests are skipped or take a stand-in; one fixture decides."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from stand_ins import stand_in

from copeland.theory import winners

HERE = Path(__file__).parent
VARIABLE = "COPELAND_" + "TEST_DATA"  # in two parts, or this file would read it too


def test_one_file_reads_where_the_data_is():
    assert [file.name for file in HERE.glob("*.py") if VARIABLE in file.read_text()] == [
        "conftest.py"
    ]


@pytest.mark.slow
def test_without_the_data_a_test_that_needs_it_is_skipped_and_says_so():
    test = "tests/test_winners_of_votes.py::test_real_winners_are_known_and_large_smith_sets_hold_a_cycle"
    words = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", test]
    told = subprocess.run(
        words,
        cwd=HERE.parent,
        env=os.environ | {VARIABLE: "absent"},
        capture_output=True,
        text=True,
    )
    assert "1 skipped" in told.stdout and f"{VARIABLE} names no folder" in told.stdout


def test_stand_ins_have_a_size_ties_certain_wins_and_cycles_and_are_the_same_every_time():
    assert stand_in("votes_of_2005_7").k == 7
    assert stand_in("votes_5_noncondorcet").k == 5
    assert stand_in("votes_9") == stand_in("votes_9")
    assert stand_in("votes_9") != stand_in("other_9")
    m = stand_in("votes_20")
    assert (m.p == 0.5).sum() > m.k
    assert (m.p == 1).any()
    assert winners.cycles(m, among=range(m.k))
    assert np.array_equal(m.p + m.p.T, np.ones((m.k, m.k)))
