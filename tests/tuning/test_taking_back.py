"""Votes that are taken back."""

import pytest

from copeland.errors import InvalidParameter
from copeland.tuning import Real, Space, Tuner

LINE = Space({"x": Real(0, 1)})
A, B = {"x": 0.2}, {"x": 0.9}


@pytest.mark.slow
def test_a_vote_that_is_taken_back_counts_no_more_from_either_side():
    tuner = Tuner(LINE)
    tuner.add(A, B, A)
    tuner.add(A, B, None)
    tuner.withdraw(B, A, A)
    assert tuner.votes == 1 and tuner.landscape().asked == [(A, B)]
    tuner.withdraw(A, B, None)
    assert tuner.votes == 0
    assert tuner.ask() and 0 <= tuner.recommend().score <= 1


def test_nothing_is_taken_back_that_was_never_said():
    tuner = Tuner(LINE)
    tuner.add(A, B, A)
    with pytest.raises(InvalidParameter, match="no such vote"):
        tuner.withdraw(A, B, B)
    assert tuner.votes == 1
