"""One judge at work: it answers questions in their drawn order until the gate is decided, or a limit is reached.

Several calls may be under way at once, and quick answers may differ from slow ones. So judgments count in the drawn order: one waits
until all before it are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import accumulate

from copeland.gate.case_pairs import BASELINE, CasePairs
from copeland.gate.claims import PASSED, UNDECIDED, Finding, GateTerms, VerdictCounts
from copeland.gate.gate_result import JudgeResult, Slice
from copeland.gate.gate_settings import GateSettings
from copeland.gate.journal import Journal
from copeland.gate.judge_habits import find_objection, find_only_ties, withhold
from copeland.gate.judgments import (
    IDENTICAL,
    Judgment,
    Tally,
    count_sides,
    tally_judgments,
)
from copeland.gate.questions import Question
from copeland.gate.worst_case import (
    find_bounds,
    find_claims_at_worst,
    find_conflicts,
    find_tag_claims_at_worst,
    is_hopeless,
)
from copeland.study.judges.call import Budget, Judge, Opinion, ask_judge
from copeland.study.judges.prompts import Candidate, Item
from copeland.study.log.events import ERROR, LEFT, RIGHT
from copeland.support.phrasing import format_count

ONE_SIDED = 20  # calls after which a judge that always names one side is told of

MOST_WORKERS = 256

_FINAL = ("decided", "futile")  # what comes later does not count

Notice = Callable[[str], None]


def make_call(pairs: CasePairs, question: Question) -> tuple[Candidate, Candidate, Item]:
    """Return what a judge is handed: the left answer, the right one, and the case.

    Examples
    --------
    >>> from copeland.gate.case_pairs import pair_answers
    >>> pairs = pair_answers({"q1": "4"}, {"q1": "four"})
    >>> left, right, item = make_call(pairs, Question(0, "candidate"))
    >>> left.text, right.name, item.name
    ('four', 'baseline', 'q1')
    """
    case = pairs.cases[question.case]
    answers = {
        name: text for name, text in zip(pairs.names, (case.baseline, case.candidate), strict=True)
    }
    old, new = (Candidate(name, text) for name, text in answers.items())
    item = Item(case.id, case.text or case.id, answers, expected=case.expected)
    return (old, new, item) if question.left == BASELINE else (new, old, item)


@dataclass
class GateLoop:
    """The loop. Only the thread that runs it counts; judges are called in others."""

    pairs: CasePairs
    questions: Sequence[Question]
    terms: GateTerms
    settings: GateSettings
    name: str
    judge: Judge
    budget: Budget
    journal: Journal
    progress: Callable[[int, int], None]
    notice: Notice

    def __post_init__(self) -> None:
        self.answers: dict[int, Judgment] = {}  # by place, until all before are there
        self.judgments: list[Judgment] = []
        self.tally = Tally(VerdictCounts(0, 0, 0))
        self.under_way: dict[Future[Opinion], int] = {}
        self.workers = min(self.settings.workers, MOST_WORKERS)
        self.next = 0  # the place that is put next
        self.kept: set[int] = set()  # places that this run has paid for
        self.failures = 0  # in a row
        self.named: list[str] = []  # sides, in this run
        self.end: tuple[str, str] | None = None
        self.hopeful: tuple[int, ...] = ()  # losses and ties that left hope, of so many questions
        free = [self._know(place) is not None for place in range(len(self.questions))]
        # How many questions from each place on need no call.
        self.free_from = [*accumulate(reversed(free), initial=0)][::-1]

    @property
    def most(self) -> int:
        """How many calls there may be in all."""
        cases = len(self.pairs.cases)
        return self.settings.count_most_calls(len(self.questions), cases, self.pairs.identical)

    @property
    def calls(self) -> int:
        """How many calls this judge has had, in all runs."""
        return self.journal.calls.get(self.name, 0)

    def run(self) -> JudgeResult:
        """Judge until there is a reason to stop, then keep what is under way."""
        self.progress(self.calls, self.most)
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="judge")
        try:
            try:
                while self._begin(pool):
                    self._finish_some()
                self._finish_all()
            except KeyboardInterrupt:
                self._stop("interrupted", "stopped by Ctrl-C; what was judged is kept.")
                self._finish_all()
        finally:
            pool.shutdown(wait=not self.under_way, cancel_futures=True)
        return self._make_result()

    def _begin(self, pool: ThreadPoolExecutor) -> bool:
        """Put questions while there is room; return whether any is under way."""
        while self.end is None and len(self.under_way) < self.workers:
            if self.next == len(self.questions):
                self._stop_if_idle("answered", "every question was put to the judge.")
                break
            if self._take_known():
                continue
            reserved = self.settings.calls_per_question * (len(self.under_way) + 1)
            cap = self.settings.max_calls
            if cap is not None and self.calls + reserved > cap:
                self._stop_if_idle("calls", f"the cap of {format_count(cap, 'call')} is reached.")
                break
            asked = make_call(self.pairs, self.questions[self.next])
            future = pool.submit(ask_judge, self.judge, *asked, self.settings.swap)
            self.under_way[future] = self.next
            self.next += 1
        return self.end is None and bool(self.under_way)

    def _take_known(self) -> bool:
        """Take the next question as answered if nobody needs to be asked: an earlier run did, or both answers are the same."""
        known = self._know(self.next)
        if known is None:
            return False
        self.answers[self.next] = known
        self.next += 1
        self._count()
        return True

    def _know(self, place: int) -> Judgment | None:
        question = self.questions[place]
        if self.pairs.cases[question.case].identical and not self.settings.judge_identical:
            return Judgment(place, *question, IDENTICAL, calls=0)
        return self.journal.find_answer(self.name, place)

    def _finish_some(self) -> None:
        """Wait for an answer, and keep those that have come."""
        done, _ = wait(self.under_way, return_when=FIRST_COMPLETED)
        for future in [future for future in self.under_way if future in done]:
            place, opinion = self.under_way[future], future.result()
            self._keep(place, opinion)
            del self.under_way[future]  # only now: after Ctrl-C in between it is kept again

    def _finish_all(self) -> None:
        while self.under_way:
            self._finish_some()

    def _keep(self, place: int, opinion: Opinion) -> None:
        if place in self.answers or place < len(self.judgments):
            return
        said = Judgment(
            place,
            *self.questions[place],
            opinion.outcome or ERROR,
            opinion.calls,
            opinion.flipped,
            opinion.note,
        )
        if opinion.calls and place not in self.kept:
            tokens = max(0, self.budget.tokens - self.journal.tokens)
            cost = max(0.0, self.budget.cost - self.journal.cost)
            self.journal.append(self.name, said, tokens, cost)
            self.kept.add(place)  # an error is kept once, too
            self.progress(self.calls, self.most)
        if opinion.outcome is None:  # the question stays to be put
            self._stop("cost", opinion.note)
            return
        self.answers[place] = said
        self._watch(said)
        self._count()

    def _watch(self, said: Judgment) -> None:
        """Stop when a judge keeps failing, and tell when it names one side only."""
        self.failures = self.failures + 1 if said.outcome == ERROR else 0
        if self.failures == self.settings.patience:
            times = "once" if self.failures == 1 else f"{self.failures} times in a row"
            last = f"the last time: {said.note}"
            self._stop("failed", f"the judge '{self.name}' failed {times}; {last}")
        if said.outcome in (LEFT, RIGHT) and said.flipped is None:
            self.named.append(said.outcome)
            if len(self.named) == ONE_SIDED and len(set(self.named)) == 1:
                self.notice(
                    f"The judge {self.name} named the {self.named[0]} answer in {ONE_SIDED} of {ONE_SIDED} calls."
                )

    def _count(self) -> None:
        """Count every judgment that has all before it, and look after each."""
        while (self.end or ("",))[0] not in _FINAL and len(self.judgments) in self.answers:
            said = self.answers.pop(len(self.judgments))
            self.judgments.append(said)
            more = tally_judgments([said])
            counts = (a + b for a, b in zip(self.tally.verdicts, more.verdicts, strict=True))
            self.tally = Tally(VerdictCounts(*counts), self.tally.unanswered + more.unanswered)
            self._look()

    def _look(self) -> None:
        if self.settings.judge_all:
            return
        outcome = find_claims_at_worst(self.tally, self.terms).outcome
        if outcome == PASSED and self._has_only_ties():
            return  # the next answer may be the first that it names
        if outcome != UNDECIDED:
            self._stop("decided", self._describe_decision(outcome))
        elif self._is_futile():
            self._stop("futile", "no outcome of the calls left could prove the required claim.")

    def _has_only_ties(self) -> bool:
        if self.settings.accept_judge or self.tally.verdicts.wins or self.tally.verdicts.losses:
            return False
        return bool(find_only_ties(self.name, self.judgments, self.terms))

    def _describe_decision(self, outcome: str) -> str:
        if outcome != PASSED:
            return "the opposite is proved."
        if self.settings.accept_judge or not find_objection(self.name, count_sides(self.judgments)):
            return "the required claim is proved."
        return "the required claim would be proved, if the judge did not follow the side."

    def _is_futile(self) -> bool:
        """Whether winning all that is left would not do; a win since the last look changes nothing about that."""
        left = self._count_left()
        lost = (self.tally.lowest.losses, self.tally.lowest.ties, self.tally.n + left)
        if lost == self.hopeful:
            return False
        self.hopeful = lost
        return is_hopeless(self.tally, left, self.terms)

    def _count_left(self) -> int:
        """How many questions can still be answered, at most."""
        left = len(self.questions) - len(self.judgments)
        if self.settings.max_calls is None:
            return left
        free = self.free_from[len(self.judgments)] + len(self.answers)
        afford = (self.settings.max_calls - self.calls) // self.settings.calls_per_question
        return min(left, free + max(0, afford))

    def _stop_if_idle(self, reason: str, sentence: str) -> None:
        """Stop unless something is under way."""
        if not self.under_way:
            self._stop(reason, sentence)

    def _stop(self, reason: str, sentence: str) -> None:
        if self.end is None:
            self.end = (reason, sentence)
        if reason in ("failed", "interrupted"):
            self.budget.stop()

    def _make_result(self) -> JudgeResult:
        assert self.end is not None
        return make_judge_result(
            self.name,
            self.judgments,
            self.pairs,
            self.questions,
            self.terms,
            self.settings,
            self.calls,
            *self.end,
        )


def make_judge_result(
    name: str,
    judgments: Sequence[Judgment],
    pairs: CasePairs,
    questions: Sequence[Question],
    terms: GateTerms,
    settings: GateSettings,
    calls: int,
    reason: str,
    stopped: str,
) -> JudgeResult:
    """Return what counted judgments prove, of all cases and of each tag.

    They prove nothing for the candidate if the judge follows the sides or calls every pair a tie.
    """
    tally = tally_judgments(judgments)
    finding = find_claims_at_worst(tally, terms)
    slices = _find_slices(finding, judgments, pairs, questions, terms)
    objection = "" if settings.accept_judge else find_objection(name, count_sides(judgments))
    if not (objection or settings.accept_judge):
        objection = find_only_ties(name, judgments, terms)
    if objection:
        finding = withhold(finding)
        slices = tuple(one._replace(finding=withhold(one.finding)) for one in slices)
    return JudgeResult(
        name,
        tuple(judgments),
        tally,
        finding,
        find_bounds(tally, terms),
        slices,
        calls,
        reason,
        stopped,
        objection,
    )


def _find_slices(
    finding: Finding,
    judgments: Sequence[Judgment],
    pairs: CasePairs,
    questions: Sequence[Question],
    terms: GateTerms,
) -> tuple[Slice, ...]:
    """What is proved of each tag; a tag of all cases says nothing new."""
    members = Counter(tag for case in pairs.cases for tag in case.tags)
    said: dict[str, list[Judgment]] = {
        tag: [] for tag in pairs.tags if members[tag] < len(pairs.cases)
    }
    if not said:
        return ()
    for one in judgments:
        for tag in said.keys() & pairs.cases[one.case].tags:
            said[tag].append(one)
    each = len(questions) // len(pairs.cases)  # questions on a case
    tallies = {tag: (tally_judgments(some), each * members[tag]) for tag, some in said.items()}
    found = find_tag_claims_at_worst(tallies, terms)
    conflicts = find_conflicts(finding, found)
    return tuple(
        Slice(tag, members[tag], tallies[tag][0], found[tag], tag in conflicts) for tag in said
    )
