"""How the proof of a live study grew."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from study_pages import study_with, votes

from copeland.certificate.certificate import certify
from copeland.certificate.samples import evidence
from copeland.kernels.vote_evidence import levels, loss_level, win_level
from copeland.study import create_study
from copeland.study.log.events import CREATED, Event
from copeland.study.log.state import StudyState
from copeland.study.results.history import Progress, history_of, proved_share
from copeland.study.settings import Settings

pytestmark = pytest.mark.slow  # left out of `make fast`


@pytest.mark.quick
def test_history_goes_from_no_vote_to_the_certificate_of_today(circle):
    rows, standing = history_of(circle.log(), circle.standing()), circle.standing()
    assert rows[0] == Progress(0, 5, None, 5, 0, 0.0)
    assert rows[-1][:5] == (1220, 5, "A", 5, 0)
    assert rows[-1].possible == len(standing.certificate.possible)


def test_history_has_no_more_rows_than_points_at_rising_votes(circle):
    rows = history_of(circle.log(), circle.standing(), points=20)
    counts = [row.votes for row in rows]
    assert len(counts) == 20
    assert counts == sorted(set(counts))
    assert np.ptp(np.diff(counts)) <= 1


def test_every_row_of_history_is_the_certificate_of_the_votes_so_far():
    rows = [*votes("a", "b", 9), *votes("b", "c", 12, 2), *votes("a", "c", 9, 0, 3)]
    study = study_with("abc", rows)
    history = history_of(study.log(), study.standing())
    assert len(history) == len(rows) + 1
    for row in history:
        standing = study_with("abc", rows[: row.votes]).standing()
        assert row[:5] == (
            standing.votes,
            3,
            standing.leader,
            len(standing.certificate.possible),
            len(standing.certificate.best),
        )


def test_history_leaves_out_votes_that_were_undone():
    study = study_with("abc", votes("a", "b", 5))
    wrong = study.tell(study.ask(), "left")
    study.undo(wrong)
    study.add_votes(votes("a", "c", 4))
    again = study_with("abc", votes("a", "b", 5), votes("a", "c", 4))
    *rows, last = history_of(study.log(), study.standing())
    *others, _ = history_of(again.log(), again.standing())
    assert rows == others and last.votes == 9  # which the undone vote weakens


def test_history_ends_in_the_epoch_of_the_study_though_its_votes_were_undone():
    study = create_study("soup", ["a", "b"], voters="independent")
    study.undo(study.tell(study.ask(), "left"))
    study.add_option("c")
    study.add_votes([*votes("a", "b", 12), *votes("a", "c", 12)])
    assert study.standing().epoch == 2
    assert (
        history_of(study.log(), study.standing())[-1].best
        == len(study.standing().certificate.best)
        == 0
    )
    without = study_with("abc", votes("a", "b", 12), votes("a", "c", 12))
    assert history_of(without.log(), without.standing())[-1].best == 1


def test_history_counts_options_when_they_are_added():
    study = study_with("ab", votes("a", "b", 3))
    study.add_option("c")
    study.add_votes(votes("a", "c", 2))
    assert [row.options for row in history_of(study.log(), study.standing())] == [2, 2, 2, 2, 3, 3]
    study = study_with("ab", votes("a", "b", 3))
    study.add_option("c")
    assert [row.options for row in history_of(study.log(), study.standing())] == [2, 2, 2, 3]


def test_skips_errors_and_repeats_are_no_progress():
    study = create_study("soup", ["a", "b"], repeats="first", voters="independent")
    for outcome in ("left", "right", "skip", "error"):
        study.add_votes([{"left": "a", "right": "b", "outcome": outcome, "voter": "ann"}])
    assert [row.votes for row in history_of(study.log(), study.standing())] == [0, 1]


def state_of(wins, ties, **given):
    options = [{"name": str(i)} for i in range(len(wins))]
    told = Settings(**given)
    body = {"settings": told.to_dict(), "options": options}
    state = StudyState(Event(1, CREATED, 0.0, body=body))
    state.tally.wins, state.tally.ties = wins, ties
    state.ledger.counted = state.ledger.counted._replace(wins=wins, ties=ties)
    return state


def plain_share(state):
    """The best share of evidence over all options and all numbers of open comparisons, one by one."""
    k, given = state.k, state.settings
    at = levels(k, given.delta, state.epoch, given.dependent)
    found = evidence(state.wins, state.ties, given.margin)
    best = 0.0
    for c, l in product(range(k), range(k - 1)):
        level = win_level(at, l)
        wins = sorted((max(found[c, j], 0) for j in range(k) if j != c), reverse=True)
        have = sum(min(x, level) for x in wins[: k - 1 - l])
        need = (k - 1 - l) * level
        for j in range(k):
            if j != c:
                losses = sorted((max(found[i, j], 0) for i in range(k) if i != j), reverse=True)
                have += sum(min(x, loss_level(at)) for x in losses[:l])
                need += l * loss_level(at)
        best = max(best, have / need)
    return best


@st.composite
def state(draw):
    k = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    wins = rng.integers(0, draw(st.integers(1, 60)), (k, k)) * (rng.random((k, k)) < 0.7)
    ties = rng.integers(0, 5, (k, k))
    np.fill_diagonal(wins, 0)
    np.fill_diagonal(ties, 0)
    return state_of(
        wins,
        np.triu(ties) + np.triu(ties).T,
        margin=draw(st.sampled_from([0.0, 0.1])),
        voters="independent",
        repeats="first",
    )


@given(state())
def test_the_share_of_a_proof_is_of_the_nearest_way_and_whole_once_it_is_proved(state):
    assert proved_share(state, state.ledger.tables(0.0)) == pytest.approx(plain_share(state))
    proved = certify(
        state.wins, state.ties, margin=state.settings.margin, epoch=1, voters=state.settings.voters
    ).best
    assert (proved_share(state, state.ledger.tables(0.0)) > 1 - 1e-12) == bool(proved)
