"""What manners cost: votes until a certificate, with and without them: `python -m benchmarks.people`.

Thirty voters are present, and one of them at random is asked next. Whoever has answered STAY ballots goes, and
somebody else comes. Answers are drawn from the matrix, the same ones for a pair with manners and without. Where people vote, nobody meets a pair twice, with
manners or without.

The chooser of a study is asked itself, without a storage. Answers are fresh draws here, so one plan serves everybody;
a study of people plans for each of them anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

import copeland
from copeland import PreferenceMatrix
from copeland.policy import warm
from copeland.streams import stream
from copeland.study.conduct.chooser import Player, Wish, active
from copeland.study.conduct.manners import FINE, Manners
from copeland.study.record.books import Books
from copeland.study.record.events import VOTED, Event

PRESENT = 30
STAY = 8  # ballots that a person answers
MOST = 20_000  # votes
RUNS = 20
MARGIN = 0.1  # else the second takes 40,000 votes
PROBLEMS = ("easy-20", "mslr-5")
MATRICES = ("trec_540006_9", "trec_764738_9", "spotify_day_20")  # of COPELAND_TEST_DATA/matrices


class Course(NamedTuple):
    """How one study went."""

    votes: int
    again: float  # share of ballots with the pair of the voter's ballot before
    tiresome: float  # share of ballots that showed an option for the fourth time running, or more


class Voter:
    """What one voter was shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[int, int]] = []
        self.manners = Manners(lean={})

    def see(self, left: int, right: int) -> None:
        """Remember a ballot."""
        self.shown.append((left, right))
        self.manners = self.manners.after(left, right)

    @property
    def again(self) -> int:
        """How often a pair came twice running."""
        return sum(set(a) == set(b) for a, b in pairwise(self.shown))

    @property
    def tiresome(self) -> int:
        """How often an option came four times running, or more."""
        runs = zip(*(self.shown[start:] for start in range(4)), strict=False)
        return sum(bool(set.intersection(*map(set, four))) for four in runs)


class Answers:
    """What voters say: of each pair a sequence of its own, whoever is asked when."""

    def __init__(self, matrix: PreferenceMatrix, run: int):
        self._p = matrix.p
        self._noise = {
            (i, j): stream(run, "people", matrix.name, i, j)
            for i, j in combinations(range(matrix.k), 2)
        }

    def left_wins(self, left: int, right: int) -> bool:
        """Draw the next answer of a pair."""
        first, second = sorted((left, right))
        first_wins = self._noise[first, second].random() < self._p[first, second]
        return bool(first_wins) == (left == first)


def course(matrix: PreferenceMatrix, voters: str, run: int) -> Course:
    """Run a study until an option is proved best."""
    options = list(matrix.labels)
    study = copeland.create_study("people", options, voters=voters, seed=run, margin=MARGIN)
    books = study.books()
    player = Player(books, (books.wins, books.ties))
    rng = stream(run, "people", matrix.name)
    answers = Answers(matrix, run)
    present = [Voter() for _ in range(PRESENT)]
    gone: list[Voter] = []
    while not player.policy.finished and books.votes < MOST:
        seat = int(rng.integers(PRESENT))
        pairs = player.choose(books, wish_of(books, present[seat]), 1)
        if not pairs or len(present[seat].shown) == STAY:
            gone.append(present[seat])
            present[seat] = Voter()
            continue
        vote(books, player, *pairs[0], answers.left_wins(*pairs[0]))
        present[seat].see(*pairs[0])
    everybody = gone + present
    return Course(
        books.votes,
        sum(voter.again for voter in everybody) / books.votes,
        sum(voter.tiresome for voter in everybody) / books.votes,
    )


def wish_of(books: Books, voter: Voter) -> Wish:
    """Return what a study would wish for this voter."""
    wish = Wish(books.number + 1, 0.0, "somebody", active(books))
    if not books.settings.dependent:
        return wish._replace(manners=Manners(tuple(voter.shown[-1:])))
    met = frozenset(map(frozenset, voter.shown))
    return wish._replace(once=True, avoided=met, manners=voter.manners)


def vote(books: Books, player: Player, left: int, right: int, left_wins: bool) -> None:
    """Count an answer."""
    outcome = "left" if left_wins else "right"
    event = Event(books.number + 1, VOTED, 0.0, left=left, right=right, outcome=outcome)
    player.tell(event, books)
    books.take(event)


def without_manners() -> AbstractContextManager[object]:
    """Let voters mind nothing."""
    return patch.multiple(
        Manners,
        minds=lambda *_: FINE,
        minds_of=lambda _self, k: np.zeros((k, k), np.int8),
    )


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
    yield "| matrix | voters | votes without manners | with | more | same pair running | option 4 times running |"
    yield "|---|---|---|---|---|---|---|"
    for matrix in problems():
        for voters in ("people", "independent"):
            with without_manners():
                old = np.array([course(matrix, voters, run) for run in range(RUNS)])
            new = np.array([course(matrix, voters, run) for run in range(RUNS)])
            before, after = old.mean(axis=0), new.mean(axis=0)
            error = np.std((new - old)[:, 0]) / before[0] / np.sqrt(RUNS)
            yield (
                f"| {matrix.name} | {voters} | {before[0]:,.0f} | {after[0]:,.0f} | "
                f"{after[0] / before[0] - 1:+.0%} ± {error:.0%} | {before[1]:.0%}, now {after[1]:.0%} | "
                f"{before[2]:.0%}, now {after[2]:.0%} |"
            )


if __name__ == "__main__":
    for line in people():
        print(line, flush=True)
