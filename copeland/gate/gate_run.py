"""May a change go out? Two sets of answers to the same test cases, a judge, one decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from copeland.errors import InvalidParameter
from copeland.gate.case_pairs import Answers, CasePairs, pair_answers
from copeland.gate.claims import GateTerms
from copeland.gate.gate_forecast import forecast_pairs, require_chance
from copeland.gate.gate_loop import GateLoop, Notice, make_judge_result
from copeland.gate.gate_result import Disagreement, GateResult, JudgeResult, Saving
from copeland.gate.gate_sentences import describe_gate
from copeland.gate.gate_settings import GateSettings
from copeland.gate.journal import Journal
from copeland.gate.judgments import IDENTICAL, UNANSWERED, Judgment
from copeland.gate.questions import Question, draw_questions
from copeland.study.judges.call import Budget, Judge, charge, check_judge, name_judges
from copeland.study.judges.prompts import Item
from copeland.study.results.agreement import JudgeAgreement, agreement
from copeland.support.phrasing import format_count
from copeland.support.progress import progress_bar

Judges = Judge | Sequence[Judge] | Mapping[str, Judge]


def run_gate(
    baseline: Answers,
    candidate: Answers,
    judges: Judges,
    *,
    require: str = "not-worse",
    margin: float = 0.05,
    delta: float = 0.05,
    population: str = "these",
    swap: str = "random",
    max_calls: int | None = None,
    cost: float | None = None,
    workers: int = 1,
    seed: int = 0,
    patience: int = 5,
    inner: bool = False,
    judge_identical: bool = False,
    judge_all: bool = False,
    accept_judge: bool = False,
    cheaper: float | None = None,
    faster: float | None = None,
    journal: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    notice: Notice | None = None,
) -> GateResult:
    """Let judges compare two sets of answers until the required claim is proved, or its opposite, or a limit is reached.

    theta is the candidate's mean over the questions: 1 where its answer wins, 1/2 for a tie, 0 where it loses.
    Whatever is proved is the judge's preference, on these cases. You may look after every verdict, which this does.
    docs/gate.md explains it.

    Parameters
    ----------
    baseline, candidate
        Files with the answers of one option each, their paths, or dicts of answers by the id of the case.
    judges
        A callable ``judge(left, right, item) -> outcome``, several, or several by name. Each gets its own verdict, and all must agree.
    require
        ``"not-worse"``: theta is above 1/2 - margin; or ``"better"``: theta is above 1/2.
    margin
        How far below 1/2 is still not worse.
    delta
        The probability that a judge's verdict is wrong, at most; of several, also that the decision is.
    population
        ``"these"``: the claim is about exactly these cases; ``"like-these"``: about all cases of which they are a sample.
    swap
        ``"random"``: one call per question, with a drawn order of the sides; ``"confirm"``: two calls, one for each
        order, or one if it says tie.
    max_calls
        At most this many calls to each judge, in all runs; by default every question may be asked.
    cost
        At most this much money for all judges, in all runs.
    workers
        How many questions are judged at the same time, in threads.
    seed
        Same seed, same questions in the same order.
    patience
        Stop when a judge fails this many times in a row.
    inner
        Drop cases that only one set has, instead of refusing them.
    judge_identical
        Ask also about cases whose two answers are the same text; by default they are ties without a call.
    judge_all
        Go on after the decision until every question is judged, for the exact number.
    accept_judge
        Count the verdicts of a judge that follows the sides or calls every pair a tie, too; otherwise such a judge passes no candidate.
    cheaper, faster
        Require also that the candidate's mean price, or time, over all cases is lower by this share: 0.4 for 40 %.
    journal
        A file that keeps every answer. The next run of the same gate goes on where the last one stopped.
    progress
        Called with the calls made, and how many there may be.
    notice
        Called with sentences to be read before the end: what the gate can find, and what is odd about the judge.

    Examples
    --------
    >>> old = {f"q{i}": "It is, I believe, " + str(i) for i in range(40)}
    >>> new = {f"q{i}": str(i) for i in range(40)}
    >>> def shorter(left, right, item):
    ...     return "left" if len(left.text) < len(right.text) else "right"
    >>> print(run_gate(old, new, {"shorter": shorter}))
    By the judge shorter, on these 40 cases: candidate is better than baseline (theta 1.00, ...
    """
    settings = GateSettings(
        require=require,
        margin=margin,
        delta=delta,
        population=population,
        swap=swap,
        seed=seed,
        max_calls=max_calls,
        cost=cost,
        workers=workers,
        patience=patience,
        judge_identical=judge_identical,
        judge_all=judge_all,
        accept_judge=accept_judge,
    )
    pairs = pair_answers(baseline, candidate, inner)
    return judge_pairs(pairs, judges, settings, cheaper, faster, journal, progress, notice)


def judge_pairs(
    pairs: CasePairs,
    judges: Judges,
    settings: GateSettings,
    cheaper: float | None = None,
    faster: float | None = None,
    journal: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    notice: Notice | None = None,
) -> GateResult:
    """Do the same with answers that are joined already."""
    named = name_judges(judges)
    savings = _find_savings(pairs, cheaper, faster)
    items = [Item(case.id, case.text, expected=case.expected) for case in pairs.cases]
    for judge in named.values():
        check_judge(judge, settings.cost is not None, items)
    questions = draw_questions(len(pairs.cases), settings.population, settings.swap, settings.seed)
    terms = settings.make_terms(len(questions), len(named))
    tell = notice or (lambda sentence: None)
    found: list[JudgeResult] = []
    forecast: tuple[str, ...] = ()
    spent = Journal(
        None if journal is None else Path(journal),
        describe_gate_settings(pairs, settings, named),
        questions,
    )
    if all(saving.holds for saving in savings):
        require_chance(pairs, questions, terms, settings, named)
        if notice is not None:  # simulating takes a while
            forecast = forecast_pairs(pairs, questions, terms, settings, named)
        for sentence in (*_describe_drops(pairs), *forecast):
            tell(sentence)
        found = _run_judges(pairs, questions, terms, settings, named, spent, progress, tell)
    result = GateResult(
        pairs=pairs,
        settings=settings,
        terms=terms,
        judges=tuple(found),
        agreement=_compare_judges(pairs, found),
        disagreements=tuple(_find_disagreements(pairs, found)),
        savings=savings,
        tokens=spent.tokens,
        cost=spent.cost,
        calls_before=spent.before,
        forecast=forecast,
    )
    return replace(result, sentence=describe_gate(result))


def describe_gate_settings(
    pairs: CasePairs, settings: GateSettings, judges: Mapping[str, Judge]
) -> dict[str, Any]:
    """Return what makes two runs the same gate: both sets of answers, what is fixed, and the judges."""
    return {
        "baseline": pairs.digest("baseline"),
        "candidate": pairs.digest("candidate"),
        **settings.describe_terms(),
        "judges": {name: describe_judge(judge) for name, judge in judges.items()},
    }


def describe_judge(judge: Judge) -> dict[str, Any]:
    """Return what a judge is, as far as it shows: a program's command, or a model with its request and its prompt.

    Examples
    --------
    >>> describe_judge(lambda left, right, item: "left")
    {'kind': 'function'}
    """
    prompt = getattr(judge, "prompt", None)
    told = {
        "kind": type(judge).__name__,
        "command": getattr(judge, "arguments", None),
        "request": getattr(judge, "request", None),
        "url": getattr(getattr(judge, "_endpoint", None), "shown", None),
        "prompt": None if prompt is None else sha256(str(prompt).encode()).hexdigest(),
    }
    return {key: value for key, value in told.items() if value is not None}


def _run_judges(
    pairs: CasePairs,
    questions: Sequence[Question],
    terms: GateTerms,
    settings: GateSettings,
    judges: Mapping[str, Judge],
    journal: Journal,
    progress: Callable[[int, int], None] | None,
    notice: Notice,
) -> list[JudgeResult]:
    """Let the judges work, one after the other on the same questions, until one is interrupted."""
    budget = Budget(settings.cost)
    budget.cost, budget.tokens = journal.cost, journal.tokens  # of earlier runs
    found: list[JudgeResult] = []
    with progress_bar("calls", progress) as tell:
        for name, judge in judges.items():
            work = (pairs, questions, terms, settings, name, charge(judge, budget), budget, journal)
            found.append(GateLoop(*work, progress=tell, notice=notice).run())
            if found[-1].reason in ("failed", "interrupted"):
                break
    rest = list(judges)[len(found) :]
    nothing = (pairs, questions, terms, settings)
    return found + [
        make_judge_result(
            name, (), *nothing, journal.calls.get(name, 0), "interrupted", "it did not begin."
        )
        for name in rest
    ]


def _find_savings(
    pairs: CasePairs, cheaper: float | None, faster: float | None
) -> tuple[Saving, ...]:
    asked = (
        ("cheaper", cheaper, "prices", "price"),
        ("faster", faster, "seconds", "seconds"),
    )
    found = []
    for word, share, column, what in asked:
        if share is None:
            continue
        if not 0 <= share < 1:
            raise InvalidParameter(
                f"{word} is {share}; it is a share from 0 to below 1, such as 0.4 for 40 %."
            )
        found.append(Saving(word, *pairs.find_mean(column, what), share))
    return tuple(found)


def _describe_drops(pairs: CasePairs) -> list[str]:
    if not pairs.dropped:
        return []
    return [
        f"{format_count(len(pairs.dropped), 'case')} dropped, which only one set has; "
        f"{format_count(len(pairs.cases), 'case')} left."
    ]


def _compare_judges(pairs: CasePairs, found: Sequence[JudgeResult]) -> JudgeAgreement:
    rows = (
        {
            "voter": judge.judge,
            "left": pairs.names[one.left == "candidate"],
            "right": pairs.names[one.left == "baseline"],
            "item": f"{one.case} {one.left}",
            "outcome": one.outcome,
        }
        for judge in found
        for one in judge.judgments
        if one.outcome != IDENTICAL
    )
    return agreement(rows)


def _find_disagreements(pairs: CasePairs, found: Sequence[JudgeResult]) -> list[Disagreement]:
    """What judges answered differently, of the questions that several answered."""
    said: dict[int, dict[str, Judgment]] = {}
    for judge in found:
        for one in judge.judgments:
            if one.outcome not in (*UNANSWERED, IDENTICAL):
                said.setdefault(one.place, {})[judge.judge] = one
    return [
        Disagreement(
            pairs.cases[first.case].id, first.left, {name: one.said for name, one in by.items()}
        )
        for by in said.values()
        for first in [next(iter(by.values()))]
        if len({one.said for one in by.values()}) > 1
    ]
