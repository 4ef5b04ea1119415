"""How many pairs to deal to a person: votes until a certificate, and people: `python -m benchmarks.people`.

Thirty voters are present, and one of them at random answers next. Whoever has answered all pairs goes, and somebody else comes.
Answers are drawn from the matrix, of each pair the same ones for every batch.

The chooser of a study is asked itself, without a storage.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

import copeland
from copeland import PreferenceMatrix
from copeland.policy import warm
from copeland.study.kinds import kind_of
from copeland.study.log.events import ASKED, CREATED, VOTED, Event
from copeland.study.log.state import StudyState
from copeland.study.pair_choice import BallotRequest, Counted, RecentlyShown
from copeland.study.settings import Settings
from copeland.support.rng import stream

PRESENT = 30
BATCHES = (1, 4, 8)
MOST = 20_000  # votes
RUNS = 10
MARGIN = 0.1  # else mslr-5 takes 40,000 votes
PROBLEMS = ("easy-20", "mslr-5")
MATRICES = ("trec_540006_9", "trec_764738_9", "spotify_day_20")  # of COPELAND_TEST_DATA/matrices


class Answers:
    """What voters say: of each pair a sequence of its own, whoever is asked when."""

    def __init__(self, matrix: PreferenceMatrix, run: int):
        self._p = matrix.p
        self._noise = {
            (i, j): stream(run, "people", matrix.name, i, j)
            for i, j in combinations(range(matrix.k), 2)
        }

    def outcome(self, left: int, right: int) -> str:
        """Draw the next answer of a pair."""
        first, second = sorted((left, right))
        first_wins = self._noise[first, second].random() < self._p[first, second]
        return "left" if bool(first_wins) == (left == first) else "right"


def begin(matrix: PreferenceMatrix, run: int, batch: int) -> StudyState:
    """Return the state of a new study."""
    settings = Settings(voters="people", seed=run, margin=MARGIN, batch=batch)
    body = {"settings": settings.to_dict(), "options": [{"name": one} for one in matrix.labels]}
    return StudyState(Event(1, CREATED, 0.0, body=body))


def deal(state: StudyState, chooser: Counted, voter: str, batch: int) -> list[Event]:
    """Hand all ballots to somebody who arrives."""
    request = BallotRequest(
        state.number + 1,
        0.0,
        voter,
        state.options_asked,
        once=True,
        recent_ballots=RecentlyShown(lean={}),
    )
    asked = []
    for left, right in chooser.propose(state, request, batch):
        asked.append(Event(state.number + 1, ASKED, 0.0, voter=voter, left=left, right=right))
        state.take(asked[-1])
    chooser.follow(asked)
    return asked


def tell(state: StudyState, chooser: Counted, vote: Event) -> None:
    """Count an answer."""
    state.take(vote)
    chooser.follow([vote])


def play_dealt(matrix: PreferenceMatrix, run: int, batch: int) -> Iterator[tuple[StudyState, int]]:
    """Yield the state and the people so far before every vote and at the end, if each is dealt a batch."""
    state, answers, rng = begin(matrix, run, batch), Answers(matrix, run), seats_of(matrix, run)
    chooser = Counted(lambda _state, _now: True)
    held: list[list[Event]] = [[] for _ in range(PRESENT)]
    people = 0
    while kind_of(state.settings).is_open(state, 0.0) and state.votes < MOST:
        yield state, people
        seat = held[int(rng.integers(PRESENT))]
        if not seat:
            people += 1
            seat += deal(state, chooser, f"person {people}", batch)
        asked = seat.pop(0)
        assert asked.left is not None and asked.right is not None
        outcome = answers.outcome(asked.left, asked.right)
        vote = asked._replace(number=state.number + 1, kind=VOTED, outcome=outcome)
        tell(state, chooser, vote._replace(ballot=asked.number))
    yield state, people


def run_dealt(matrix: PreferenceMatrix, run: int, batch: int) -> tuple[int, int]:
    """Return the votes and the people until an option is proved best, if each is dealt a batch."""
    *_, (state, people) = play_dealt(matrix, run, batch)
    return state.votes, people


def seats_of(matrix: PreferenceMatrix, run: int) -> np.random.Generator:
    """Return what decides who answers next."""
    return stream(run, "people", matrix.name)


def problems() -> Iterator[PreferenceMatrix]:
    """Yield the matrices."""
    for name in PROBLEMS:
        yield copeland.load(name)
    for name in MATRICES:
        file = Path(os.environ.get("COPELAND_TEST_DATA", ""), "matrices", f"{name}.csv")
        if file.exists():
            yield copeland.load(str(file))


def people() -> Iterator[str]:
    """Yield the table, line by line."""
    warm()
    yield f"| matrix | {' | '.join(f'{b} dealt' for b in BATCHES)} |"
    yield "|---|---|---|---|"
    for matrix in problems():
        cells = []
        for batch in BATCHES:
            runs = np.array([run_dealt(matrix, run, batch) for run in range(RUNS)])
            (votes, number), error = runs.mean(axis=0), runs[:, 0].std() / np.sqrt(RUNS)
            cells.append(f"{votes:,.0f} ± {error:,.0f} votes, {number:,.0f} people")
        yield f"| {matrix.name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    for line in people():
        print(line, flush=True)
