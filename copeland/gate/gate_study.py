"""A gate by one judge is a study: two options, a judge on the test cases, and the goal ``above:`` the baseline.

Its log is in the gate's journal, a SQLite file with a study for each judge, so that ``copeland study status`` reads it too. An event at
the beginning says which answers are judged, by whom and on which terms; another gate is refused there. A decided gate is final: once the
study proves the claim or its opposite, nothing is asked any more, in this run or in another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from copeland.errors import InvalidParameter, StorageError
from copeland.gate.case_pairs import CasePairs
from copeland.gate.claims import (
    FAILED,
    PASSED,
    UNDECIDED,
    GateTerms,
    Outcomes,
    Tally,
    find_claims,
)
from copeland.gate.gate_result import find_objection
from copeland.gate.gate_settings import GateSettings
from copeland.gate.judgments import Judgment, count_sides, group_cases, read_judgments
from copeland.study.creation import create_study
from copeland.study.judges.call import Budget, Judge, Opinion, ask_judge, charge
from copeland.study.judges.habits import find_side_habit
from copeland.study.judges.memory import JudgeMemory
from copeland.study.judges.run import End, Judged, JudgingLoop, sleep_until
from copeland.study.judges.workers import Workers, may_share
from copeland.study.log.case_ledger import CaseLedger
from copeland.study.log.cluster_ledger import ClusterLedger
from copeland.study.log.events import ERROR, LEFT, PRESENTED, RIGHT, SKIP, TIE, Event
from copeland.study.log.state import StudyState
from copeland.study.log.storage import Storage
from copeland.study.study import Study
from copeland.support.phrasing import join_names

MOST_WORKERS = 256
ONE_SIDED = 20  # calls after which a judge that always names one side is told of
IDENTICAL, EMPTY = "both answers are the same", "one answer is empty"
SKIPPED = "it skipped the case"

Notice = Callable[[str], None]
Seen = tuple[Tally, Outcomes]


def open_journal(path: Path | None, told: Mapping[str, Any]) -> tuple[Storage, bool]:
    """Return where the studies of a gate are kept, in memory without a path, and whether an earlier run began it; refuse another gate's."""
    try:
        storage = Storage(None if path is None else f"sqlite:///{path}")
        names = storage.names()
    except StorageError as error:
        raise InvalidParameter(
            f"{path} is not the journal of a gate; name another file. {error}"
        ) from None
    there = _read_terms(storage, names[0]) if names else None
    if names and there is None:
        raise InvalidParameter(
            f"{path} holds the study '{names[0]}', which is no gate's; name another file for the journal."
        )
    here = json.loads(json.dumps(told))
    differ = [
        f"{key} is {_show(there.get(key))} there and {_show(here.get(key))} here"
        for key in dict.fromkeys((*(there or here), *here))
        if there is not None and there.get(key) != here.get(key)
    ]
    if differ:
        raise InvalidParameter(
            f"{path} is the journal of another gate: {join_names(differ, 3)}. Name another --journal, or delete this one."
        )
    return storage, there is not None


def _read_terms(storage: Storage, name: str) -> dict[str, Any] | None:
    log = Study(storage, name, storage.key(name)).events(1, 1)
    return (log[0].body or {}).get("gate") if log and log[0].kind == PRESENTED else None


def _show(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def open_gate_study(
    storage: Storage, judge: str, pairs: CasePairs, settings: GateSettings, told: Mapping[str, Any]
) -> Study:
    """Return the study of one judge, new or as an earlier run left it."""
    study = create_study(
        f"gate by {judge}",
        pairs.names,
        storage,
        voters="judge",
        cases=group_cases(pairs.cases),
        cluster_weight=settings.cluster_weight,
        population=settings.population,
        goal=f"above:{pairs.names[0]}",
        margin=settings.margin,
        delta=settings.delta,
        seed=settings.seed,
        open_ballots=MOST_WORKERS,
        load_if_exists=True,
    )
    if study.number == 1:
        body = {"gate": dict(told)}
        study.transactions.append(lambda _: [Event(2, PRESENTED, study.now(), body=body)])
    return study


def settle_pair(left: str, right: str, judge_identical: bool) -> Opinion | None:
    """Return what is clear of two answers without a call: the same twice is a tie, and an empty one loses.

    Examples
    --------
    >>> settle_pair("4", "", judge_identical=False).outcome, settle_pair("4", "four", judge_identical=False)
    ('left', None)
    """
    is_left, is_right = bool(left.strip()), bool(right.strip())
    if not (is_left or is_right) or (left == right and not judge_identical):
        return Opinion(TIE, 0, note=IDENTICAL)
    if is_left and is_right:
        return None
    return Opinion(LEFT if is_left else RIGHT, 0, note=EMPTY)


def count_free(pairs: CasePairs, settings: GateSettings) -> int:
    """Return how many cases take no call."""
    clear = (settle_pair(*pairs.answers(case), settings.judge_identical) for case in pairs.cases)
    return sum(one is not None for one in clear)


def read_study(study: Study) -> tuple[Judgment, ...]:
    """Return what counts of what the judge of a study said."""
    log = study.log()
    return study.look_at_state(lambda state: read_judgments(log, state))


@dataclass
class GateRun:
    """One judge at work, in the thread that runs it; :mod:`copeland.study.judges.run` calls the judge in others."""

    study: Study
    pairs: CasePairs
    terms: GateTerms
    settings: GateSettings
    judge: str
    progress: Callable[[int], None]
    notice: Notice

    def __post_init__(self) -> None:
        self.before = self.calls = self.study.spent.calls  # of all runs
        self.free = count_free(self.pairs, self.settings)
        self.named: list[str] = []  # sides, in this run
        self.looked: tuple[Any, End | None] = (None, None)  # at which tables, and what came of it

    def work(self, judge: Judge, cost: float | None) -> End:
        """Judge until the gate is decided or a limit is reached, at so much money at most; return why it stopped."""
        settings, budget = self.settings, Budget(cost)
        loop = JudgingLoop(
            study=self.study,
            judges={self.judge: charge(judge, budget)},
            budget=budget,
            cap=None if settings.max_calls is None else settings.max_calls - self.before,
            swap=settings.swap,
            workers=Workers(settings.workers or (None if may_share([judge]) else 1)),
            patience=settings.patience,
            cases={item.name: item for item in self.pairs.items},
            memory=JudgeMemory(self.study, [self.judge], settings.swap, repeat=False),
            folder=None,
            progress=self._note,
            rest=sleep_until,
            look=self._look,
            further=True,
            put=self._put,
        )
        self.progress(self.calls)
        loop.run()
        assert loop.end is not None
        return loop.end

    def _put(self, judge: Judge, left: Any, right: Any, item: Any, swap: str) -> Opinion:
        """Return what a judge says of two answers, or what is clear without it."""
        left, right = (replace(one, text=item.answers[one.name]) for one in (left, right))
        said = settle_pair(left.text, right.text, self.settings.judge_identical)
        said = said or ask_judge(judge, left, right, item, swap)
        # It may skip where one side is better: so a skip counts against every claim, as a failure does.
        return said._replace(outcome=ERROR, note=SKIPPED) if said.outcome == SKIP else said

    def _note(self, judged: Judged) -> None:
        """Tell how many calls there were, and of a judge that names one side only."""
        self.calls = self.before + judged.calls
        self.progress(self.calls)
        if judged.outcome in (LEFT, RIGHT) and judged.flipped is None and judged.note != EMPTY:
            self.named.append(judged.outcome)
            if len(self.named) == ONE_SIDED and len(set(self.named)) == 1:
                self.notice(
                    f"The judge {self.judge} named the {self.named[0]} answer in {ONE_SIDED} of {ONE_SIDED} calls."
                )

    def _look(self) -> End | None:
        """Return why to stop, if there is a reason; after each answer that counts."""
        if self.settings.judge_all:
            return None
        known = self.study.look_at_state(_read_tables)
        if (known, self.calls) != self.looked[0]:
            self.looked = (known, self.calls), self._find_end(*known)
        return self.looked[1]

    def _find_end(self, counted: Seen, every: Seen) -> End | None:
        """Say what is decided, by what the study counts or by all that was handed out: each is as valid."""
        found = [self._weigh(one) for one in (counted, every)]
        outcome = found[0] if found[0] != UNDECIDED else found[1]
        if outcome == FAILED:
            return "decided", "the opposite is proved."
        if outcome == PASSED:
            judgments = () if self.settings.accept_judge else read_study(self.study)
            if not find_objection(self.judge, judgments, self.pairs.cases, self.terms):
                return "decided", "the required claim is proved."
            if not find_side_habit(self.judge, count_sides(judgments)):
                return None  # it says only tie, and the next answer may be the first that it names
            reason = "the required claim would be proved, if the judge did not follow the side."
            return "decided", reason
        if self._weigh(self._win_rest(every)) != PASSED:
            return "futile", "no outcome of the calls left could prove the required claim."
        return None

    def _weigh(self, seen: Seen) -> str:
        return find_claims(seen[0], self.terms, seen[1]).outcome

    def _win_rest(self, seen: Seen) -> Seen:
        """The best that may come."""
        tally, outcomes = seen
        if self.terms.clusters is None:
            return tally._replace(wins=tally.wins + self._count_left(tally), unanswered=0), ()
        # Where calls are few, some of these will not be made: it is no less than what may come.
        rows = [(*row[:3], row[3] + row[6], *row[4:6], 0, 1) for row in outcomes]
        new = self.study.look_at_state(_list_new_clusters)
        wins = self.terms.cases - tally.losses - tally.ties
        best = tally._replace(wins=wins, unanswered=0)
        return best, (*rows, *((0, 1, 0, size, 0, 0, 0, 1) for size in new))

    def _count_left(self, tally: Tally) -> int:
        """How many further answers there may be, at most."""
        left = self.terms.cases - tally.answers
        if self.settings.max_calls is None:
            return left
        afford = (self.settings.max_calls - self.calls) // self.settings.calls_per_case
        return min(left, self.free + max(0, afford))


def _read_tables(state: StudyState) -> tuple[Seen, Seen]:
    """What a study counts, and all that was handed out; with clusters, both by these, too."""
    ledger = state.ledger
    assert isinstance(ledger, CaseLedger)
    found = ledger.counted
    counts = found.wins[1, 0], found.wins[0, 1], found.ties[0, 1], found.missing[0, 1]
    every = state.wins[1, 0], state.wins[0, 1], state.ties[0, 1], ledger.unanswered
    rows: list[Outcomes] = [(), ()]
    if isinstance(ledger, ClusterLedger):
        rows = [ledger.list_outcomes(is_counted) for is_counted in (True, False)]
    return (Tally(*map(int, counts)), rows[0]), (Tally(*map(int, every)), rows[1])


def _list_new_clusters(state: StudyState) -> list[int]:
    """The sizes of the clusters of which nothing was handed out."""
    ledger = state.ledger
    assert isinstance(ledger, ClusterLedger)
    members, pair = ledger.clusters.members, frozenset((0, 1))
    return [len(cases) for name, cases in members.items() if not ledger.is_begun(pair, name)]
