"""A study's log of people, written event by event."""

from scipy.stats import binom

from copeland.study.log.events import ASKED, CREATED, VOTED, Event
from copeland.study.log.state import StudyState
from copeland.study.settings import AGAINST, Settings

DELTA = 0.05


def new_state(k, missing=AGAINST, **how):
    """The books of a new study of people."""
    how = {"voters": "people", "repeats": "first", "batch": 4, "missing": missing, **how}
    body = {"settings": Settings(**how).to_dict(), "options": [{"name": f"{i}"} for i in range(k)]}
    return StudyState(Event(1, CREATED, 0.0, body=body))


def deal(state, voter, pairs, now=0.0):
    """Hand ballots to somebody who arrives; return them."""
    asked = []
    for left, right in pairs:
        asked.append(Event(state.number + 1, ASKED, now, voter=voter, left=left, right=right))
        state.take(asked[-1])
    return asked


def answer(state, asked, outcome, now=0.0):
    """Answer a ballot; return the vote."""
    vote = Event(
        state.number + 1,
        VOTED,
        now,
        event_id=f"{state.number}",
        ballot=asked.number,
        voter=asked.voter,
        left=asked.left,
        right=asked.right,
        outcome=outcome,
    )
    state.take(vote)
    return vote


def most_wrong(studies, share=DELTA):
    """How many of so many studies may be wrong, if each is so with this probability, but for one time in a thousand."""
    return int(binom.ppf(0.999, studies, share))
