"""Pass marks are passed or failed only if that is proved."""

import pytest

from copeland.audit.estimates import Estimate
from copeland.audit.pass_marks import MEASURES, read_mark
from copeland.errors import InvalidParameter, UnknownName


@pytest.mark.parametrize(
    ("mark", "low", "high", "decision"),
    [
        ("agreement>=.8", 0.81, 0.9, "passed"),
        ("agreement>=.8", 0.8, 0.9, "passed"),
        ("agreement>=.8", 0.79, 0.9, "undecided"),
        ("agreement>=.8", 0.7, 0.79, "failed"),
        ("off<=.1", 0.02, 0.1, "passed"),
        ("off<=.1", 0.02, 0.11, "undecided"),
        ("off<=.1", 0.101, 0.2, "failed"),
    ],
)
def test_an_interval_decides_only_if_all_of_it_is_on_one_side(mark, low, high, decision):
    assert read_mark(mark).decide(Estimate((low + high) / 2, low, high, 100)) == decision


def test_what_was_not_measured_decides_nothing():
    assert read_mark("longer <= .05").decide(None) == "undecided"


@pytest.mark.parametrize(
    "text", ["agreement", "agreement>.8", "agreement>=x", "agreement>=nan", ""]
)
def test_what_is_no_pass_mark_is_refused_with_an_example(text):
    with pytest.raises(InvalidParameter, match=r"as in agreement>=\.8"):
        read_mark(text)


def test_measures_go_by_their_names():
    with pytest.raises(UnknownName, match="did you mean 'kappa'"):
        read_mark("kapa>=.4")
    assert read_mark("agreement_with_ties>=.5").measure in MEASURES
