"""May a change go out? Two sets of answers to the same test cases, a judge, one decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from hashlib import sha256
from pathlib import Path
from typing import Any

from copeland.errors import InvalidParameter
from copeland.gate.case_pairs import (
    BASELINE,
    CANDIDATE,
    Answers,
    CasePairs,
    pair_answers,
    refuse_empty,
)
from copeland.gate.gate_forecast import forecast_pairs, require_chance
from copeland.gate.gate_result import GateResult, JudgeResult, Saving, weigh_judgments
from copeland.gate.gate_sentences import describe_gate
from copeland.gate.gate_settings import REFUSE, GateSettings
from copeland.gate.gate_study import (
    GateRun,
    Notice,
    count_free,
    open_gate_study,
    open_journal,
    read_study,
)
from copeland.gate.judgments import find_clusters
from copeland.study.judges.call import Judge, check_judge, name_judges
from copeland.study.judges.run import End
from copeland.study.log.events import NOTHING, Spent
from copeland.study.results.agreement import agreement
from copeland.study.study import Study
from copeland.support.progress import progress_bar

Judges = Judge | Sequence[Judge] | Mapping[str, Judge]
Progress = Callable[[int, int], None]

_LEFT = 1e-12  # dollars: so that a cap on cost that is spent stays a cap


def run_gate(
    baseline: Answers,
    candidate: Answers,
    judges: Judges,
    *,
    inner: bool = False,
    cluster: str | None = None,
    cheaper: float | None = None,
    faster: float | None = None,
    journal: str | Path | None = None,
    progress: Progress | None = None,
    notice: Notice | None = None,
    **settings: Any,
) -> GateResult:
    """Let judges compare two sets of answers until the required claim is proved, or its opposite, or a limit is reached.

    theta is the candidate's mean over the cases: 1 where its answer wins, 1/2 for a tie, 0 where it loses.
    Whatever is proved is the judge's preference, on cases like these. You may look after every verdict, which this does.
    docs/gate.md explains it.

    Parameters
    ----------
    baseline, candidate
        Files with the answers of one option each, their paths, or dicts of answers by the id of the case.
    judges
        A callable ``judge(left, right, item) -> outcome``, several, or several by name. Each gets its own verdict, and all must agree.
    inner
        Drop cases that only one of them has, instead of refusing them.
    cluster
        The column of the files that says which cases hang together, as several runs of a task do; ``"cluster"``, if there is one.
    cheaper, faster
        Require also that the candidate's mean price, or time, over all cases is lower by this share: 0.4 for 40 %.
    journal
        A SQLite file that keeps every answer, in a study for each judge. The next run of the same gate goes on where the last one stopped.
    progress
        Called with the calls made, and how many are expected.
    notice
        Called with sentences to be read before the end: what the gate can find, and what is odd about the judge.
    settings
        The fields of :class:`~copeland.gate.gate_settings.GateSettings`: ``require="better"``, say.

    Examples
    --------
    >>> old = {f"q{i}": "It is, I believe, " + str(i) for i in range(40)}
    >>> new = {f"q{i}": str(i) for i in range(40)}
    >>> def shorter(left, right, item):
    ...     return "left" if len(left.text) < len(right.text) else "right"
    >>> print(run_gate(old, new, {"shorter": shorter}))
    By the judge shorter, on cases like these 40: candidate is not worse than baseline by more than .05 (theta 1.00, ...
    """
    pairs = pair_answers(baseline, candidate, inner, cluster=cluster)
    kept = GateSettings(**settings)
    return judge_pairs(pairs, judges, kept, cheaper, faster, journal, progress, notice)


def judge_pairs(
    pairs: CasePairs,
    judges: Judges,
    settings: GateSettings,
    cheaper: float | None = None,
    faster: float | None = None,
    journal: str | Path | None = None,
    progress: Progress | None = None,
    notice: Notice | None = None,
) -> GateResult:
    """Do the same with answers that are joined already."""
    named = name_judges(judges)
    if settings.empty == REFUSE:
        refuse_empty(pairs)
    savings = tuple(_find_savings(pairs, cheaper, faster))
    for judge in named.values():
        check_judge(judge, settings.cost is not None, pairs.items)
    clusters = find_clusters(pairs.cases, settings.cluster_weight, settings.exact)
    terms = settings.make_terms(len(pairs.cases), len(named), clusters)
    most = settings.count_most_calls(count_free(pairs, settings), terms.cases)
    result = GateResult(pairs, settings, terms, (), savings, most_calls=most)
    if all(saving.holds for saving in savings):
        require_chance(pairs, terms, settings, named)
        told = describe_gate_settings(pairs, settings, named)
        storage, _ = open_journal(None if journal is None else Path(journal), told)
        studies = {name: open_gate_study(storage, name, pairs, settings, told) for name in named}
        result = _run_judges(result, named, studies, progress, notice)
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
    """Return what a judge is, as far as it shows: a program's command, or a model with its request and its prompt."""
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
    result: GateResult,
    judges: Mapping[str, Judge],
    studies: Mapping[str, Study],
    progress: Progress | None,
    notice: Notice | None,
) -> GateResult:
    """Let the judges work, one after the other on the same cases, until one fails or is interrupted."""
    pairs, settings, terms = result.pairs, result.settings, result.terms
    before, expected, forecast = _sum_up(studies), result.most_calls, ()
    if notice is not None:  # simulating takes a while
        forecast, expected = forecast_pairs(pairs, terms, settings, judges)
        for sentence in forecast:
            notice(sentence)
    found: list[JudgeResult] = []
    end: End = ("", "")
    with progress_bar("calls", progress) as tell:

        def advance(calls: int) -> None:
            tell(calls, expected if calls <= expected else result.most_calls)

        for name, judge in judges.items():
            run = GateRun(
                studies[name], pairs, terms, settings, name, advance, notice or (lambda _: None)
            )
            if end[0] in ("failed", "interrupted"):
                end = ("interrupted", "it did not begin.")
            else:
                cost = settings.cost and max(settings.cost - _sum_up(studies).cost, _LEFT)
                end = run.work(judge, cost)
            judgments = read_study(studies[name])
            told = (judgments, pairs.cases, terms, settings, run.calls, *end)
            found.append(weigh_judgments(name, *told))
    spent = _sum_up(studies)
    return replace(
        result,
        judges=tuple(found),
        agreement=agreement(_list_votes(found)),
        disagreements=_find_disagreements(found),
        calls_before=before.calls,
        tokens=spent.tokens,
        cost=spent.cost,
        forecast=tuple(forecast),
        studies=tuple(studies.values()),
    )


def _sum_up(studies: Mapping[str, Study]) -> Spent:
    """What all judges have cost, in all runs."""
    return reduce(Spent.plus, (study.spent for study in studies.values()), NOTHING)


def _find_savings(
    pairs: CasePairs, cheaper: float | None, faster: float | None
) -> Iterator[Saving]:
    for word, share, column, what in (
        ("cheaper", cheaper, "prices", "price"),
        ("faster", faster, "seconds", "seconds"),
    ):
        if share is not None and not 0 <= share < 1:
            raise InvalidParameter(
                f"{word} is {share}; it is a share from 0 to below 1, such as 0.4 for 40 %."
            )
        if share is not None:
            yield Saving(word, *pairs.find_mean(column, what), share)


def _list_votes(found: Sequence[JudgeResult]) -> Iterator[dict[str, str]]:
    """What judges said, as the votes between which agreement is found."""
    for judge in found:
        for one in judge.judgments:
            if one.is_said:
                other = CANDIDATE if one.left == BASELINE else BASELINE
                about = {"left": one.left, "right": other, "item": one.case}
                yield {"voter": judge.judge, "outcome": one.outcome, **about}


def _find_disagreements(found: Sequence[JudgeResult]) -> dict[str, dict[str, str]]:
    """What each judge said of the cases of which several said different things."""
    said: dict[str, dict[str, str]] = {}
    for judge in found:
        for one in judge.judgments:
            if one.is_said:
                said.setdefault(one.case, {})[judge.judge] = one.said
    return {case: by for case, by in said.items() if len(set(by.values())) > 1}
