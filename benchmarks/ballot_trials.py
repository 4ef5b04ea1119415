"""A study at which somebody tampers: the real fold, commands and certificate, without a storage, and with pairs chosen cheaply.

Every second somebody is asked. What becomes of a ballot is decided when it is handed out, by somebody who knows its answer: an
answer now or later, one that is taken back or undone, none at all. After each of these, and whenever a lease may have ended,
the certificate is compared with the truth.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import combinations, count
from typing import Any, NamedTuple

import numpy as np

from benchmarks.ballot_voters import CASES, ELECTORATES, MOST, Electorate, Opinion, World
from copeland.certificate.samples import THESE, Sample, VoteCounts, sample_of
from copeland.errors import CopelandError
from copeland.kernels.vote_evidence import levels
from copeland.study.commands import Answer, addition, answer_to, change_of_state, undo_vote
from copeland.study.kinds import kind_of
from copeland.study.log.events import (
    ASKED,
    CREATED,
    EXCUSED,
    LEFT,
    RIGHT,
    AskedEvent,
    Event,
    pair_of,
)
from copeland.study.log.ledger import Tables
from copeland.study.log.state import StudyState
from copeland.study.options import ACTIVE, Option
from copeland.study.settings import AGAINST, JUDGE, PANEL, PEOPLE, Settings

LEASE = 60.0  # seconds


class Notebook:
    """The log of a study as far as commands look things up in it, in memory."""

    def __init__(self) -> None:
        self._events: dict[int, Event] = {}
        self._votes: dict[str, Event] = {}
        self._answers: defaultdict[int, list[Event]] = defaultdict(list)
        self._opinions: defaultdict[Any, list[Event]] = defaultdict(list)

    def append(self, event: Event) -> None:
        self._events[event.number] = event
        if event.event_id is not None:
            self._votes[event.event_id] = event
            self._answers[event.ballot].append(event)
            for voter in {None, event.voter}:
                self._opinions[voter, pair_of(event)].append(event)

    def event(self, number: int) -> Event | None:
        return self._events.get(number)

    def vote(self, event_id: str) -> Event | None:
        return self._votes.get(event_id)

    def answers(self, ballot: int) -> list[Event]:
        return self._answers[ballot]

    def opinions(self, voter: str | None, one: int, other: int) -> list[Event]:
        return [
            vote
            for vote in self._opinions[voter, frozenset((one, other))]
            if vote.outcome in (LEFT, RIGHT)
        ]


@dataclass
class Ballot:
    """A ballot, and what its voter would say."""

    asked: AskedEvent
    said: Opinion
    votes: int = 0  # how many answers there were
    turned: bool = False  # whether the voter says the opposite from now on

    @property
    def outcome(self) -> str:
        """What its voter says."""
        wins = self.said.prefers(self.asked.left, self.asked.right)
        return LEFT if wins != self.turned else RIGHT

    @property
    def vote(self) -> str:
        """The id of its last answer."""
        return f"{self.asked.number}/{self.votes}"


class Step(NamedTuple):
    """What happens to a ballot, and how many seconds after it was handed out."""

    after: float
    deed: str  # a method of Trial


class Trial:
    """One study, and whoever tampers with it."""

    def __init__(
        self, settings: Settings, world: World, rng: np.random.Generator, known: dict[Any, bool]
    ):
        names = [{"name": f"{i}"} for i in range(world.k)]
        created = Event(1, CREATED, 0.0, body={"settings": settings.to_dict(), "options": names})
        self.state, self.kind, self.log = StudyState(created), kind_of(settings), Notebook()
        self.world, self.rng, self.known, self.now = world, rng, known, 0.0
        self.electorate = ELECTORATES.get(settings.voters, Electorate)()
        # No claim about so many options needs less evidence, nor about more.
        at = levels(world.k, settings.delta)
        self.floor = min(at.win, at.loss, at.pair) - 1e-9
        self.standing: dict[Any, int] = {}  # who wins, by voter and pair
        self.excused: set[str] = set()
        self.stopped: list[int] = []  # options that are paused or retired
        self.new: list[Ballot] = []  # handed out, and not given a fate yet
        self.asked: Counter[Any] = Counter()  # how often each voter was asked the same
        self._steps: list[tuple[float, int, str, Ballot]] = []
        self._order = count()
        self._looked: Any = None
        self.evidence: dict[tuple[int, int], float] = {}  # by pair, at the last look
        self.electorate.begin(self)

    def take(self, events: Sequence[Event]) -> None:
        """Let events happen."""
        for event in events:
            self.state.take(event)
            self.log.append(event)

    def hand_out(
        self, voter: str | None, pair: tuple[int, int], said: Opinion, item: str | None = None
    ) -> None:
        """Hand out a ballot."""
        about = {"voter": voter, "left": pair[0], "right": pair[1], "item": item}
        asked = AskedEvent(self.state.number + 1, ASKED, self.now, **about)
        self.take([asked])
        self.new.append(Ballot(asked, said))
        self.asked[question_of(asked)] += 1

    def plan(self, ballot: Ballot, steps: Sequence[Step]) -> None:
        """Decide what will become of a ballot."""
        for step in steps:
            timed = self.now + step.after, next(self._order), step.deed, ballot
            heapq.heappush(self._steps, timed)

    @property
    def is_over(self) -> bool:
        """Whether nothing happens any more, but for new questions."""
        return not self._steps and not self.state.ledger.under_way(self.now)

    def proves_wrong(self) -> bool:
        """Let happen what is due by now, and tell whether anything wrong is ever proved."""
        if self.look():  # time has passed, or options have changed
            return True
        while self._steps and self._steps[0][0] <= self.now:
            _, _, deed, ballot = heapq.heappop(self._steps)
            with suppress(CopelandError):  # what is refused does not happen
                getattr(self, deed)(ballot)
            if self.look():
                return True
        return False

    # What may become of a ballot

    def answer(self, ballot: Ballot) -> None:
        self._say(ballot, ballot.outcome)

    def fail(self, ballot: Ballot) -> None:
        self._say(ballot, "error")

    def turn(self, ballot: Ballot) -> None:
        ballot.turned = not ballot.turned

    def renew(self, ballot: Ballot) -> None:
        """Let its voter have a new opinion, which has nothing to do with the old one."""
        ballot.turned = bool(self.rng.random() < 0.5)

    def take_back(self, ballot: Ballot) -> None:
        self._undo(ballot, own=True)

    def undo(self, ballot: Ballot) -> None:
        self._undo(ballot, own=False)

    def _say(self, ballot: Ballot, outcome: str) -> None:
        ballot.votes += 1
        about = (ballot.asked.number, None, outcome, ballot.vote, None, None, None)
        events, _ = answer_to(self.kind, self.state, self.log, Answer(*about), self.now)
        self.take(events)
        if outcome in (LEFT, RIGHT):
            winner = ballot.asked.left if outcome == LEFT else ballot.asked.right
            self.standing[ballot.asked.voter, pair_of(ballot.asked)] = winner

    def _undo(self, ballot: Ballot, own: bool) -> None:
        self.take(undo_vote(self.kind, self.state, self.log, ballot.vote, self.now, own=own))
        self.standing.pop((ballot.asked.voter, pair_of(ballot.asked)), None)

    def change_attendance(self, voter: str, kind: str) -> None:
        self.take(self.kind.change_attendance(self.state, voter, kind, self.now))
        (self.excused.add if kind == EXCUSED else self.excused.discard)(voter)

    # What may become of an option

    def add_option(self) -> None:
        with suppress(CopelandError):  # where votes may have shaped it
            option = Option(f"{self.state.k}")
            self.take(addition(self.kind, self.state, option, self.now))

    def change_option(self, option: int, target: str) -> None:
        self.take(change_of_state(self.state, f"{option}", target, self.now))

    # What is known

    @property
    def counts_missing(self) -> bool:
        """Whether a missing answer is a loss of both sides."""
        return (
            self.state.settings.voters in (JUDGE, PANEL) or self.state.settings.missing == AGAINST
        )

    def is_repeated(self, ballot: Ballot) -> bool:
        """Tell whether its voter was asked the same before."""
        return self.asked[question_of(ballot.asked)] > 1

    @property
    def active(self) -> list[int]:
        """The options that are asked."""
        return [i for i, option in enumerate(self.state.options) if option.state == ACTIVE]

    def pairs(self) -> list[tuple[int, int]]:
        """Return the pairs that may be asked."""
        return list(combinations(self.active, 2))

    def choose(self, pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Return the pair to ask: any, or that which is nearest to a wrong claim."""
        some = pairs[int(self.rng.integers(len(pairs)))]
        if not self.world.aims:
            return some
        return max((some, *pairs), key=lambda pair: self.evidence.get(pair, -np.inf))

    def _weigh(self, tables: Tables) -> dict[tuple[int, int], float]:
        """The evidence for a claim about each pair, or somewhat more."""
        cases, given = self.state.settings.finite, tables.before_undoing
        missing, found = tables.missing.tolist(), {}
        for wins, ties in ((tables.wins, tables.ties), *([] if given is None else [given])):
            won, tied = wins.tolist(), ties.tolist()
            for i, j in combinations(range(self.state.k), 2):
                counts = won[i][j], won[j][i], tied[i][j], missing[i][j]
                nats = np.inf if cases or self.world.aims else bound_evidence(*counts)
                if nats >= self.floor:
                    nats = largest_evidence(*counts, cases)
                found[i, j] = min(nats, found.get((i, j), np.inf))
        return found

    def find_favourite(self, i: int, j: int) -> int:
        """Return the option that those who tamper work for: that which is not better; of equals, that which is ahead."""
        p = self.electorate.truth(self)
        if p[i, j] != 0.5:
            return i if p[i, j] < 0.5 else j
        return i if self.state.wins[i, j] >= self.state.wins[j, i] else j

    def is_against(self, ballot: Ballot) -> bool:
        """Tell whether an answer is against whom they work for."""
        i, j = ballot.asked.left, ballot.asked.right
        winner = i if ballot.outcome == LEFT else j
        return winner != self.find_favourite(min(i, j), max(i, j))

    def certificate(self) -> Any:
        return self.kind.certificate(self.state, self.now)

    def look(self) -> bool:
        """Tell whether anything is claimed that is wrong."""
        about = self.state.epoch, self.state.k, tuple(self.state.options_left)
        is_panel = self.state.settings.voters == PANEL
        proof = self.state.number if is_panel else self.state.ledger.state_at(self.now)
        if (about, proof) == self._looked:
            return False
        self._looked, tables = (about, proof), self.state.ledger.tables(self.now)
        self.evidence = self._weigh(tables)
        if is_panel:
            return self.is_wrong()
        if max(self.evidence.values()) < self.floor:
            return False
        case = *about, *(table.tobytes() for table in tables[:5])
        if case not in self.known:
            self.known[case] = self.is_wrong()
        return self.known[case]

    def is_wrong(self) -> bool:
        """Tell whether the certificate says anything that is not so."""
        return is_wrong(self.certificate(), self.electorate.truth(self))


def question_of(asked: AskedEvent) -> tuple[Any, ...]:
    """Return what is asked, and of whom."""
    return asked.voter, asked.left, asked.right, asked.item


def bound_evidence(wins: int, losses: int, ties: int, missing: int) -> float:
    """Return a number that is cheap, and no less than the evidence of independent votes: no bet beats the likelihood of the counts."""
    lead, votes = abs(wins - losses) - missing, wins + losses + missing
    return lead * lead / votes if lead > 0 else 0.0


@cache
def largest_evidence(wins: int, losses: int, ties: int, missing: int, cases: int | None) -> float:
    """Return the evidence for the one or for the other of two options, whichever is larger; certainty has no end."""
    sample = Sample() if cases is None else sample_of(THESE, cases)
    pairs = [np.array([[0, a], [b, 0]]) for a, b in ((wins, losses), (ties, ties), (missing,) * 2)]
    votes = VoteCounts(*pairs, None, sample)
    return np.inf if votes.find_unbeaten(0.0).any() else float(votes.find_evidence(0.0).max())


def is_wrong(found: Any, p: np.ndarray) -> bool:
    """Tell whether a certificate says anything that is not so."""
    k = len(found.scores) if getattr(found, "offered", None) is None else found.offered
    among = range(k) if found.active is None else found.active
    scores = {i: sum(p[i, j] > 0.5 for j in among if j != i) for i in among}
    winners = {i for i in among if scores[i] == max(scores.values())}
    return bool(
        any(p[i, j] <= 0.5 for i, j in found.beats)
        or any(p[i, j] != 0.5 for i, j in found.ties)
        or not winners.issuperset(found.best)
        or (found.is_all and winners != set(found.best))
        or not winners.issubset(found.possible)
        or any(found.lower[i] > scores[i] for i in found.best)
        or any(not found.scores[i][0] <= scores[i] <= found.scores[i][1] for i in among)
    )


def begin_trial(
    how: dict[str, Any], world: World, rng: np.random.Generator, known: dict[Any, bool]
) -> Trial:
    """Return a new study of a kind; ``known`` are looks at other studies of the same kind and world."""
    cases = {"cases": CASES[world.k]} if how.get("voters") == JUDGE else {}
    batch = {"batch": MOST * MOST} if how.get("voters") == PEOPLE else {}
    settings = Settings(**how, **cases, **batch, lease=LEASE, seed=int(rng.integers(1 << 30)))
    return Trial(settings, world, rng, known)
