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
from copeland.gate.case_pairs import CasePairs
from copeland.gate.claims import BETTER, FAILED, PASSED, WORSE, GateTerms, Tally, find_claims
from copeland.gate.gate_settings import GateSettings
from copeland.gate.power import LOST, TIED, WON, count_affordable, find_stops
from copeland.study.judges.call import Budget, Judge, ask_judge, charge, check_judge, own_name
from copeland.study.judges.habits import FEW, find_side_habit
from copeland.study.judges.parse import JudgeFailed
from copeland.study.judges.prompts import Candidate, Item
from copeland.study.judges.workers import MOST, may_share
from copeland.study.log.events import ERROR, LEFT, RIGHT, SKIP
from copeland.support.arrays import Ints
from copeland.support.judge_statistics import SideCounts, count_flips
from copeland.support.phrasing import format_count, quote_name
from copeland.support.rng import stream

RUNS = 100  # gates that are played
AGAIN = 10  # one question in so many is asked twice

_NO_ANSWER = (SKIP, ERROR)
_SCORES = {LEFT: 1, RIGHT: -1}  # from the left; whatever names neither is 0


class Played(NamedTuple):
    """How many gates claimed that a set is better than itself, or worse, and how many passed and failed."""

    better: int
    worse: int
    passed: int
    failed: int


class CaseAnswers(NamedTuple):
    """What a judge said of a case, with its sides as they are and swapped; and to the first once more, if it was asked."""

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
    identical: int  # of these cases, those with the same answer twice
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
        return tuple(filter(None, self._say()))

    def _say(self) -> Any:
        yield self._describe_fitness()
        cases = format_count(self.cases, "case")
        if not self.objection:
            yield f"With the sides swapped, it said something else in {self.flips:,} of {cases}."
        if self.named:
            shown = "Shown two identical answers" if self.identical == self.cases else "Shown both"
            yield f"{shown}, it named the left one in {self.left:,} of {self.named:,} answers that named one."
        if self.repeated:
            yield f"Asked the same again, it changed its answer in {self.changed:,} of {self.repeated:,}."
        if self.named <= FEW * 2 * self.cases:
            nearly = "nearly " if self.named else ""
            yield (
                f"It called {nearly}every pair a tie. A judge that sees no difference does so, too: try it on answers "
                "that are plainly worse."
            )
        if self.unanswered:
            yield f"It gave no answer to {format_count(self.unanswered, 'question')}."
        if self.objection:
            yield "Let it say tie where it sees no difference, or choose another judge or prompt."
        elif not self.is_fit:
            yield (
                "Claims about exactly these cases tell which set the judge prefers here, even by little. For a claim about the models, "
                "use --population like-these."
            )

    @property
    def objection(self) -> str:
        """Why the judge follows the sides, in a sentence; empty if that is not proved."""
        sides = SideCounts(self.left, self.named - self.left, self.cases, self.flips)
        return find_side_habit(self.judge, sides)

    @property
    def is_fit(self) -> bool:
        """Whether nothing here speaks against the judge: it does not follow the sides, and few gates are wrong."""
        wrong = self.played.better + self.played.worse
        return not self.objection and wrong * 10 <= self.runs

    def _describe_fitness(self) -> str:
        if self.objection:
            return f"Not fit. {self.objection}"
        better, worse, passed, failed = self.played
        calls, judge = format_count(self.calls, "call"), quote_name(self.judge)
        wrong = f"calls a set better or worse than itself in {better + worse} of {self.runs} runs ({calls})"
        ends = f" Of these runs, {passed} pass and {failed} fail." if passed or failed else ""
        if self.is_fit:
            return (
                f"Fit, as far as this check goes: the judge {judge} does not follow the sides, and by its answers a "
                f"gate with these settings {wrong}.{ends}"
            )
        return f"Not fit for this gate: by the answers of the judge {judge}, a gate with these settings {wrong}.{ends}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can say it."""
        told = asdict(self) | {"played": self.played._asdict()}
        return {"fit": self.is_fit, **told, "sentences": list(self.sentences)}


def check_judge_by_itself(
    pairs: CasePairs,
    judge: Judge,
    settings: GateSettings,
    progress: Callable[[int, int], None] | None = None,
) -> SelfCheck:
    """Ask a judge about two sets of which neither is better, and play gates with what it said.

    ``max_calls`` of the settings is how many calls this takes at most.
    """
    check_judge(judge, settings.cost is not None, pairs.items)
    budget = Budget(settings.cost)
    work = _plan_cases(pairs.items, settings)
    answers = _ask_all(work, charge(judge, budget), judge, settings, progress)
    said = [
        (one.first, one.second) for one in answers if not {one.first, one.second} & {*_NO_ANSWER}
    ]
    if not said:
        raise JudgeFailed(f"the judge '{own_name(judge)}' answered no case in both orders.")
    outcomes = [outcome for pair in said for outcome in pair]
    again = [(one.first, one.again) for one in answers if one.again not in (None, *_NO_ANSWER)]
    same = sum(len(set(item.answers.values())) == 1 for item, _ in work[: len(answers)])
    return SelfCheck(
        judge=own_name(judge),
        cases=len(said),
        calls=sum(one.calls for one in answers),
        identical=min(same, len(said)),
        left=outcomes.count(LEFT),
        named=outcomes.count(LEFT) + outcomes.count(RIGHT),
        flips=count_flips((_SCORES.get(one, 0), -_SCORES.get(other, 0)) for one, other in said),
        repeated=len(again),
        changed=count_flips(again),
        unanswered=sum((one.first in _NO_ANSWER) + (one.second in _NO_ANSWER) for one in answers),
        runs=RUNS,
        played=play_gates(said, settings.make_terms(len(pairs.cases)), settings),
        cost=budget.cost,
        tokens=budget.tokens,
    )


def play_gates(said: Sequence[tuple[str, str]], terms: GateTerms, settings: GateSettings) -> Played:
    """Return how :data:`RUNS` gates end that draw their cases from outcomes in both orders."""
    rng = stream(settings.seed, "gate", "self check")
    scores = np.array([[_SCORES.get(a, 0), -_SCORES.get(b, 0)] for a, b in said])  # of the first
    most = count_affordable(terms, settings.calls_per_case, settings.max_calls)
    drawn = scores[rng.integers(0, len(scores), (RUNS, most))]
    if settings.swap == "confirm":
        votes = np.where(drawn[..., 0] == drawn[..., 1], drawn[..., 0], 0)
    else:
        which = rng.integers(0, 2, (RUNS, most, 1))
        votes = np.take_along_axis(drawn, which, axis=2)[..., 0]
    votes = np.where(rng.random((RUNS, most)) < 0.5, votes, -votes)  # who is the candidate
    verdicts = np.select([votes > 0, votes < 0], [WON, LOST], TIED)
    stops = np.full(RUNS, most) if settings.judge_all else find_stops(verdicts, terms).cases
    found = [_weigh(row[:n], terms) for row, n in zip(verdicts, stops, strict=True)]
    # By a judge that names no answer, no gate passes.
    named = (verdicts != TIED).any(axis=1) | settings.accept_judge
    passed = [one.outcome == PASSED for one in found]
    return Played(
        better=sum(BETTER in one.claims for one in found),
        worse=sum(WORSE in one.claims for one in found),
        passed=int((np.array(passed) & named).sum()),
        failed=sum(one.outcome == FAILED for one in found),
    )


def _weigh(verdicts: Ints, terms: GateTerms) -> Any:
    wins, losses, ties = (int((verdicts == kind).sum()) for kind in (WON, LOST, TIED))
    return find_claims(Tally(wins, losses, ties), terms)


def _ask_all(
    work: Sequence[tuple[Item, bool]],
    charged: Judge,
    judge: Judge,
    settings: GateSettings,
    progress: Callable[[int, int], None] | None,
) -> list[CaseAnswers]:
    """Ask about cases, each in both orders, while money is left."""
    planned = sum(2 + again for _, again in work)
    answers: list[CaseAnswers] = []
    calls = failures = 0
    workers = settings.workers or (MOST if may_share([judge]) else 1)
    pool = ThreadPoolExecutor(workers, thread_name_prefix="judge")
    try:
        for answer in pool.map(lambda one: _ask_case(charged, *one), work):
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
    return answers


def _plan_cases(items: Sequence[Item], settings: GateSettings) -> list[tuple[Item, bool]]:
    """Which cases are asked, and whether the first question is put again, as far as the calls go."""
    order = stream(settings.seed, "gate", "self check", "cases").permutation(len(items))
    found: list[tuple[Item, bool]] = []
    left = math.inf if settings.max_calls is None else settings.max_calls
    for number, case in enumerate(order):
        again = number % (AGAIN // 2) == 0  # each case is two questions
        left -= 2 + again
        if left < 0:
            break
        found.append((items[case], again))
    if not found:
        raise InvalidParameter(f"max_calls is {settings.max_calls}; a check takes 3 calls or more.")
    return found


def _ask_case(judge: Judge, item: Item, again: bool) -> CaseAnswers:
    one, other = (Candidate(name, text) for name, text in item.answers.items())
    orders = ((one, other), (other, one), *([(one, other)] if again else []))
    said = [ask_judge(judge, *order, item) for order in orders]
    first, second, *more = (opinion.outcome or SKIP for opinion in said)
    note = next((opinion.note for opinion in said if opinion.note), "")
    calls = sum(opinion.calls for opinion in said)
    return CaseAnswers(first, second, more[0] if more else None, calls, note)
