"""A judge on a set of answers against itself, or on two samples of one model: what it says there is noise.

Each case is asked in both orders of its sides, and a tenth of the questions once more. From what it said, gates are
played with these settings: cases are drawn from those that were asked, with replacement, and which of the two answers
is called the candidate is a coin flip. So neither set is better, and whatever a gate claims is wrong of the sets, even
where it is right of the cases that were drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.gate.case_pairs import BASELINE, CANDIDATE, CasePairs
from copeland.gate.claims import (
    BETTER,
    FAILED,
    PASSED,
    WORSE,
    GateTerms,
    VerdictCounts,
    find_claims,
)
from copeland.gate.gate_loop import MOST_WORKERS, make_call
from copeland.gate.gate_settings import GateSettings
from copeland.gate.judge_habits import FEW, find_objection
from copeland.gate.judgments import UNANSWERED
from copeland.gate.power import count_affordable
from copeland.gate.questions import Question
from copeland.gate.stopping import LOST, TIED, WON, StoppingRule
from copeland.study.judges.call import Budget, Judge, ask_judge, charge, check_judge, own_name
from copeland.study.judges.parse import JudgeFailed
from copeland.study.log.events import ERROR, LEFT, RIGHT, SKIP
from copeland.support.arrays import Ints
from copeland.support.judge_statistics import SideCounts, count_flips
from copeland.support.phrasing import format_count, percent, quote_name
from copeland.support.rng import stream

RUNS = 100  # gates that are played
AGAIN = 10  # one question in so many is asked twice

_SCORES = {LEFT: 1, RIGHT: -1}  # from the left; whatever names neither is 0


class Played(NamedTuple):
    """How many gates claimed that a set is better than itself, or worse, and how many passed and failed."""

    better: int
    worse: int
    passed: int
    failed: int


class CaseAnswers(NamedTuple):
    """What a judge said of a case, with its sides as they are and swapped; and to the first once more, if it was asked."""

    case: int
    first: str
    second: str
    again: str | None
    calls: int
    note: str  # why it failed, if it did


@dataclass(frozen=True)
class SelfCheck:
    """How a judge behaves where no answer is better: how it treats the sides, and how often gates would be wrong."""

    judge: str
    cases: int  # asked in both orders
    calls: int
    left: int  # answers that named the left side
    named: int  # answers that named a side
    flips: int  # cases of which it said two things in the two orders
    repeated: int  # questions that were asked twice
    changed: int  # of these, those that were answered differently
    unanswered: int  # questions
    runs: int
    played: Played
    cost: float = 0.0
    tokens: int = 0

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether the judge is fit and why, and then what was found, in sentences."""
        said = [self._describe_fitness()]
        if not self.objection:
            said.append(
                f"With the sides swapped, it said something else in {self.flips:,} of {format_count(self.cases, 'case')}."
            )
        if self.named:
            share = percent(self.left / self.named)
            said.append(
                f"It named the left answer in {self.left:,} of {self.named:,} answers that named one ({share})."
            )
        if self.repeated:
            said.append(
                f"Asked the same again, it changed its answer in {self.changed:,} of {self.repeated:,}."
            )
        if self.named <= FEW * 2 * self.cases:
            nearly = "nearly " if self.named else ""
            said.append(
                f"It called {nearly}every pair a tie. A judge that sees no difference does so, too: try it on answers "
                "that are plainly worse."
            )
        if self.unanswered:
            said.append(f"It gave no answer to {format_count(self.unanswered, 'question')}.")
        if self.objection:
            said.append(
                "Let it say tie where it sees no difference, or choose another judge or prompt: by this one, no gate passes."
            )
        elif not self.is_fit:
            said.append(
                "Claims about exactly these cases tell which set the judge prefers here, even by little. For a claim about the models, use "
                "--population like-these."
            )
        return tuple(said)

    @property
    def objection(self) -> str:
        """Why the judge follows the sides, in a sentence; empty if that is not proved."""
        sides = SideCounts(self.left, self.named - self.left, self.cases, self.flips)
        return find_objection(self.judge, sides)

    @property
    def wrong(self) -> int:
        """How many of the gates claimed that a set is better or worse than itself."""
        return self.played.better + self.played.worse

    @property
    def is_fit(self) -> bool:
        """Whether nothing here speaks against the judge: it does not follow the sides, and few gates are wrong."""
        return not self.objection and self.wrong * 10 <= self.runs

    def _describe_fitness(self) -> str:
        calls = format_count(self.calls, "call")
        if self.objection:
            return f"Not fit. {self.objection}"
        wrong = (
            f"calls a set better or worse than itself in {self.wrong} of {self.runs} runs ({calls})"
        )
        passed, failed = self.played.passed, self.played.failed
        ends = f" Of these runs, {passed} pass and {failed} fail." if passed or failed else ""
        judge = quote_name(self.judge)
        if self.is_fit:
            return (
                f"Fit, as far as this check goes: the judge {judge} does not follow the sides, and by its answers a "
                "gate with these settings "
                f"{wrong}.{ends}"
            )
        return f"Not fit for this gate: by the answers of the judge {judge}, a gate with these settings {wrong}.{ends}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can say it."""
        return {
            "fit": self.is_fit,
            **asdict(self),
            "played": self.played._asdict(),
            "sentences": list(self.sentences),
        }


def check_judge_by_itself(
    pairs: CasePairs,
    judge: Judge,
    settings: GateSettings,
    progress: Callable[[int, int], None] | None = None,
) -> SelfCheck:
    """Ask a judge about two sets of which neither is better, and play gates with what it said.

    ``max_calls`` of the settings is how many calls this takes at most.
    """
    check_judge(judge, capped=settings.cost is not None)
    budget = Budget(settings.cost)
    answers, calls = _ask_all(pairs, charge(judge, budget), settings, progress)
    said = [
        (one.first, one.second) for one in answers if not {one.first, one.second} & {*UNANSWERED}
    ]
    if not said:
        raise JudgeFailed(f"the judge '{own_name(judge)}' answered no case in both orders.")
    outcomes = [outcome for pair in said for outcome in pair]
    again = [(one.first, one.again) for one in answers if one.again not in (None, *UNANSWERED)]
    terms = settings.make_terms(
        (2 if settings.exact and settings.swap == "random" else 1) * len(pairs.cases)
    )
    return SelfCheck(
        judge=own_name(judge),
        cases=len(said),
        calls=calls,
        left=outcomes.count(LEFT),
        named=outcomes.count(LEFT) + outcomes.count(RIGHT),
        flips=count_flips((_SCORES.get(one, 0), -_SCORES.get(other, 0)) for one, other in said),
        repeated=len(again),
        changed=count_flips(again),
        unanswered=sum((one.first in UNANSWERED) + (one.second in UNANSWERED) for one in answers),
        runs=RUNS,
        played=play_gates(said, len(pairs.cases), terms, settings),
        cost=budget.cost,
        tokens=budget.tokens,
    )


def play_gates(
    said: Sequence[tuple[str, str]], cases: int, terms: GateTerms, settings: GateSettings
) -> Played:
    """Return how :data:`RUNS` gates end that draw their cases from outcomes in both orders.

    Examples
    --------
    >>> settings = GateSettings(population="like-these", require="better")
    >>> play_gates([("left", "left"), ("tie", "tie")], 50, settings.make_terms(50), settings).passed
    0
    """
    rng = stream(settings.seed, "gate", "self check")
    scores = np.array([[_SCORES.get(a, 0), _SCORES.get(b, 0)] for a, b in said])
    verdicts = np.array([_draw_votes(scores, cases, settings, rng) for _ in range(RUNS)])
    most = count_affordable(terms, settings.calls_per_question, settings.max_calls)
    stops = np.full(RUNS, most)
    if not settings.judge_all:
        stops = StoppingRule(terms, most).find_stops(verdicts).questions
    found = [
        find_claims(
            VerdictCounts(*(int((row[:n] == kind).sum()) for kind in (WON, LOST, TIED))), terms
        )
        for row, n in zip(verdicts, stops, strict=True)
    ]
    # By a judge that names no answer, no gate passes.
    named = (verdicts[:, :most] != TIED).any(axis=1) | settings.accept_judge
    return Played(
        better=sum(BETTER in one.claims for one in found),
        worse=sum(WORSE in one.claims for one in found),
        passed=sum(
            one.outcome == PASSED for one, is_named in zip(found, named, strict=True) if is_named
        ),
        failed=sum(one.outcome == FAILED for one in found),
    )


def _draw_votes(scores: Ints, cases: int, settings: GateSettings, rng: np.random.Generator) -> Ints:
    """Return all verdicts of a gate in the order in which they come."""
    drawn = scores[rng.integers(0, len(scores), cases)]
    # The first order has the candidate on the left, or, where the coin says so, on the right.
    exchanged = rng.integers(0, 2, cases).astype(bool)
    wins = np.where(exchanged[:, None], -drawn, drawn) * np.array([1, -1])  # of the candidate
    if settings.swap == "confirm":
        votes = np.where(wins[:, 0] == wins[:, 1], wins[:, 0], 0)
    elif settings.exact:
        votes = rng.permutation(wins.ravel())
    else:
        votes = wins[np.arange(cases), rng.integers(0, 2, cases)]
    return np.select([votes > 0, votes < 0], [WON, LOST], TIED)


def _ask_all(
    pairs: CasePairs,
    judge: Judge,
    settings: GateSettings,
    progress: Callable[[int, int], None] | None,
) -> tuple[list[CaseAnswers], int]:
    """Ask about cases in a drawn order, each in both orders, while calls and money are left; return how many calls it took."""
    work = _plan_cases(len(pairs.cases), settings)
    planned = sum(2 + again for _, again in work)
    answers: list[CaseAnswers] = []
    calls = failures = 0
    pool = ThreadPoolExecutor(min(settings.workers, MOST_WORKERS), thread_name_prefix="judge")
    try:
        for answer in pool.map(lambda one: _ask_case(pairs, judge, *one), work):
            if answer.calls < 2:  # the money is spent
                break
            answers.append(answer)
            calls += answer.calls
            if progress is not None:
                progress(calls, planned)
            failures = failures + 1 if {answer.first, answer.second} == {ERROR} else 0
            if failures == settings.patience:
                last = f"the last time: {answer.note}"
                raise JudgeFailed(f"the judge failed on {failures} cases in a row; {last}")
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return answers, calls


def _plan_cases(cases: int, settings: GateSettings) -> list[tuple[int, bool]]:
    """Which cases are asked, and whether the first question is put again, as far as the calls go."""
    order = stream(settings.seed, "gate", "self check", "cases").permutation(cases)
    found: list[tuple[int, bool]] = []
    left = math.inf if settings.max_calls is None else settings.max_calls
    for number, case in enumerate(order):
        again = number % (AGAIN // 2) == 0  # each case is two questions
        left -= 2 + again
        if left < 0:
            break
        found.append((int(case), again))
    if not found:
        raise InvalidParameter(f"max_calls is {settings.max_calls}; a check takes 3 calls or more.")
    return found


def _ask_case(pairs: CasePairs, judge: Judge, case: int, again: bool) -> CaseAnswers:
    sides = (CANDIDATE, BASELINE, *([CANDIDATE] if again else []))
    said = [ask_judge(judge, *make_call(pairs, Question(case, side))) for side in sides]
    first, second, *more = (opinion.outcome or SKIP for opinion in said)
    note = next((opinion.note for opinion in said if opinion.note), "")
    calls = sum(opinion.calls for opinion in said)
    return CaseAnswers(case, first, second, more[0] if more else None, calls, note)
