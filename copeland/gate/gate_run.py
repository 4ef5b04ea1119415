"""May a change go out? Two sets of answers to the same test cases, a judge, one decision.

A gate by one judge is a study: two options, a judge on the test cases, and the goal ``above:`` the baseline. Its log is in the gate's
journal, a SQLite file with a study for each judge, so that ``copeland study status`` reads it too. An event at the beginning says which
answers are judged, by whom and on which terms; another gate is refused there. A decided gate is final: once the study proves the claim or
its opposite, nothing is asked any more, in this run or in another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import sha256
from pathlib import Path
from typing import Any

from copeland.errors import InvalidParameter, StorageError
from copeland.gate.case_pairs import (
    SIDES,
    Answers,
    CasePairs,
    pair_answers,
    refuse_empty,
    settle_pair,
)
from copeland.gate.claims import (
    FAILED,
    PASSED,
    UNDECIDED,
    GateTerms,
    Tally,
    find_claims,
    win_clusters,
)
from copeland.gate.gate_forecast import forecast_pairs, require_chance
from copeland.gate.gate_report import describe_gate
from copeland.gate.gate_result import (
    GateResult,
    JudgeResult,
    Saving,
    find_objection,
    weigh_judgments,
)
from copeland.gate.gate_settings import REFUSE, GateSettings
from copeland.gate.judgments import Judgment, count_units, read_judgments
from copeland.study.creation import create_study
from copeland.study.judges.call import Judge, Opinion, ask_judge, check_judge, name_judges
from copeland.study.judges.habits import find_side_habit
from copeland.study.judges.price_estimate import estimate_price
from copeland.study.judges.prompts import cluster_items
from copeland.study.judges.run import End, Judged, judge_study
from copeland.study.log.case_ledger import CaseLedger
from copeland.study.log.cluster_ledger import ClusterLedger
from copeland.study.log.events import ERROR, NOTHING, PRESENTED, SKIP, Event, Spent
from copeland.study.log.state import StudyState
from copeland.study.log.storage import Storage
from copeland.study.study import Study
from copeland.support.phrasing import join_names, quote_name, shorten
from copeland.support.progress import progress_bar

MOST_WORKERS = 256
SKIPPED = "it skipped the case"
SHOWN = 60  # letters of a setting in a sentence

Notice = Callable[[str], None]
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
    journal
        A SQLite file that keeps every answer, in a study for each judge. The next run of the same gate goes on where the last one stopped.
    progress
        Called with the calls made, and how many are expected.
    notice
        Called with sentences to be read before the first call: what the gate can find, and what it costs.
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
    return judge_pairs(pairs, judges, GateSettings(**settings), journal, progress, notice)


def judge_pairs(
    pairs: CasePairs,
    judges: Judges,
    settings: GateSettings,
    journal: str | Path | None = None,
    progress: Progress | None = None,
    notice: Notice | None = None,
) -> GateResult:
    """Do the same with answers that are joined already."""
    named = name_judges(judges)
    if settings.empty == REFUSE:
        refuse_empty(pairs)
    columns = (
        ("cheaper", settings.cheaper, "prices", "price"),
        ("faster", settings.faster, "seconds", "seconds"),
    )
    savings = tuple(
        Saving(word, *pairs.find_mean(column, what), share)
        for word, share, column, what in columns
        if share is not None
    )
    for judge in named.values():
        check_judge(judge, settings.cost is not None, pairs.items)
    terms = settings.make_terms(pairs.items, len(named))
    most = settings.count_most_calls(pairs.count_free(settings.judge_identical), terms.cases)
    result = GateResult(pairs, settings, terms, (), savings, most)
    if all(saving.holds for saving in savings):
        require_chance(pairs, terms, settings)
        told = describe_gate_settings(pairs, settings, named)
        storage, _ = open_journal(journal, told)
        studies = {name: open_gate_study(storage, name, pairs, settings, told) for name in named}
        result = _run_judges(result, named, studies, progress, notice)
    return replace(result, sentence=describe_gate(result))


def check_judges(
    pairs: CasePairs,
    judges: Judges,
    settings: GateSettings,
    progress: Progress | None = None,
) -> GateResult:
    """Let judges compare two sets of which neither is better, each case in both orders unless the first answer is a tie.

    So there is no verdict to be had: :func:`describe_check` says how each judge treats the sides.
    """
    named = name_judges(judges)
    how = dict.fromkeys(("judge_identical", "judge_all", "accept_judge"), True)
    settings = replace(settings, swap="confirm", **how)
    terms, most = settings.make_terms(pairs.items), settings.count_most_calls(0, len(pairs.cases))
    studies = {name: open_gate_study(Storage(), name, pairs, settings, {}) for name in named}
    for judge in named.values():
        check_judge(judge, settings.cost is not None, pairs.items)
    result = GateResult(pairs, settings, terms, (), most_calls=most)
    return _run_judges(result, named, studies, progress, None)


def describe_gate_settings(
    pairs: CasePairs, settings: GateSettings, judges: Mapping[str, Judge]
) -> dict[str, Any]:
    """Return what makes two runs the same gate: both sets of answers, what is fixed, and the judges."""
    return {
        **pairs.digests,
        **settings.describe_terms(),
        "judges": {name: describe_judge(judge) for name, judge in judges.items()},
    }


def describe_judge(judge: Judge) -> dict[str, Any]:
    """Return what a judge is, as far as it shows: a program's command, or a model with its request and its prompt."""
    prompt, command = getattr(judge, "prompt", None), getattr(judge, "arguments", None)
    own = [one for one in command or () if not Path(one).is_absolute() and Path(one).is_file()]
    told = {
        "kind": type(judge).__name__,
        "command": command,
        "files": {one: sha256(Path(one).read_bytes()).hexdigest() for one in own} or None,
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
        forecast, expected = forecast_pairs(pairs, terms, settings)
        asked = [one for one in pairs.items if len({*one.answers.values()}) > 1]
        for name, judge in judges.items():
            most = result.most_calls, asked, settings.swap
            priced = estimate_price(studies[name], [judge], *most) if asked else None
            forecast += () if priced is None else (f"{quote_name(name)}: {priced.sentence}",)
        for sentence in forecast:
            notice(sentence)
    found: list[JudgeResult] = []
    end: End = ("", "")
    with progress_bar("calls", progress) as tell:

        def advance(calls: int) -> None:
            tell(calls, expected if calls <= expected else result.most_calls)

        for name, judge in judges.items():
            run = GateRun(studies[name], pairs, terms, settings, name, advance)
            if end[0] in ("failed", "interrupted"):
                end = ("interrupted", "it did not begin.")
            else:
                cost = settings.cost and max(settings.cost - _sum_up(studies).cost, _LEFT)
                end = run.work(judge, cost)
            told = (read_study(studies[name]), pairs.items, terms, settings, run.calls, *end)
            found.append(weigh_judgments(name, *told))
    return replace(
        result,
        judges=tuple(found),
        calls_before=before.calls,
        spent=_sum_up(studies),
        forecast=forecast,
        studies=tuple(studies.values()),
    )


def _sum_up(studies: Mapping[str, Study]) -> Spent:
    """What all judges have cost, in all runs."""
    return reduce(Spent.plus, (study.spent for study in studies.values()), NOTHING)


def open_journal(path: str | Path | None, told: Mapping[str, Any]) -> tuple[Storage, bool]:
    """Return where the studies of a gate are kept, in memory without a path, and whether an earlier run began it; refuse another gate's."""
    try:
        storage = Storage(None if path is None else f"sqlite:///{path}")
        names = storage.names()
    except StorageError as error:
        raise InvalidParameter(
            f"{path} is not the journal of a gate; name another file. {error}"
        ) from None
    if not names:
        return storage, False
    log = Study(storage, names[0], storage.key(names[0])).events(1, 1)
    there = (log[0].body or {}).get("gate") if log and log[0].kind == PRESENTED else None
    if there is None:
        raise InvalidParameter(
            f"{path} holds the study '{names[0]}', which is no gate's; name another file for the journal."
        )
    here = json.loads(json.dumps(told))
    differ = [
        f"the answers of the {key} are others"
        if key in SIDES
        else f"{key} is {_show(there.get(key))} there and {_show(here.get(key))} here"
        for key in dict.fromkeys((*there, *here))
        if there.get(key) != here.get(key)
    ]
    if differ:
        raise InvalidParameter(
            f"{path} is the journal of another gate: {join_names(differ, 3)}. Name another --journal, or delete this one and what the gate wrote with it."
        )
    return storage, True


def _show(value: Any) -> str:
    return shorten(value if isinstance(value, str) else json.dumps(value), SHOWN)


def open_gate_study(
    storage: Storage, judge: str, pairs: CasePairs, settings: GateSettings, told: Mapping[str, Any]
) -> Study:
    """Return the study of one judge, new or as an earlier run left it."""
    study = create_study(
        f"gate by {judge}",
        pairs.names,
        storage,
        voters="judge",
        cases=cluster_items(pairs.items),
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

    def __post_init__(self) -> None:
        self.before = self.calls = self.study.spent.calls  # of all runs
        self.free = self.pairs.count_free(self.settings.judge_identical)

    def work(self, judge: Judge, cost: float | None) -> End:
        """Judge until the gate is decided or a limit is reached, at so much money at most; return why it stopped."""
        settings = self.settings
        self.progress(self.calls)
        most = settings.max_calls and settings.max_calls - self.before
        if most is not None and most < 1:
            return self._look() or ("calls", f"the cap of {settings.max_calls:,} calls is reached.")
        done = judge_study(
            self.study,
            {self.judge: judge},
            calls=most,
            cost=cost,
            swap=settings.swap,
            workers=settings.workers,
            items=self.pairs.items,
            patience=settings.patience,
            progress=self._note,
            look=self._look,
            put=self._put,
        )
        return done.reason, done.stopped

    def _put(self, judge: Judge, left: Any, right: Any, item: Any, swap: str) -> Opinion:
        """Return what a judge says of two answers, or what is clear without it."""
        left, right = (replace(one, text=item.answers[one.name]) for one in (left, right))
        said = settle_pair(left.text, right.text, self.settings.judge_identical)
        said = said or ask_judge(judge, left, right, item, swap)
        # It may skip where one side is better: so a skip counts against every claim, as a failure does.
        return said._replace(outcome=ERROR, note=SKIPPED) if said.outcome == SKIP else said

    def _note(self, judged: Judged) -> None:
        """Tell how many calls there were."""
        self.calls = self.before + judged.calls
        self.progress(self.calls)

    def _look(self) -> End | None:
        """Return why to stop, if there is a reason; after each answer that counts."""
        if self.settings.judge_all:
            return None
        return self._find_end(*self.study.look_at_state(_read_tallies))

    def _find_end(self, counted: Tally, every: Tally) -> End | None:
        """Say what is decided, by what the study counts or by all that was handed out: each is as valid."""
        outcomes = [find_claims(one, self.terms).outcome for one in (counted, every)]
        outcome = outcomes[0] if outcomes[0] != UNDECIDED else outcomes[1]
        if outcome == FAILED:
            return "decided", "the opposite is proved."
        if outcome == PASSED:
            judgments = () if self.settings.accept_judge else read_study(self.study)
            if not find_objection(self.judge, judgments, self.pairs.items, self.terms):
                return "decided", "the required claim is proved."
            if not find_side_habit(self.judge, *count_units(judgments, self.pairs.items)):
                return None  # it says only tie, and the next answer may be the first that it names
            reason = "the required claim would be proved, if the judge did not follow the side."
            return "decided", reason
        if not self._may_pass(every):
            return "futile", "no outcome of the calls left could prove the required claim."
        return None

    def _may_pass(self, tally: Tally) -> bool:
        """Whether the best that may come would prove the required claim."""
        if self.terms.clusters is not None:
            # Where calls are few, some of these will not be made: it is no less than what may come.
            return win_clusters(tally, self.terms, self.terms.clusters.number - len(tally.clusters))
        left = self.terms.cases - tally.answers
        if self.settings.max_calls is not None:
            afford = (self.settings.max_calls - self.calls) // self.settings.calls_per_case
            left = min(left, self.free + max(0, afford))
        best = tally._replace(wins=tally.wins + left, unanswered=0)
        return find_claims(best, self.terms).outcome == PASSED


def _read_tallies(state: StudyState) -> tuple[Tally, Tally]:
    """What a study counts, and all that was handed out."""
    ledger = state.ledger
    assert isinstance(ledger, CaseLedger)
    found = ledger.counted
    tables = (
        (found.wins, found.ties, found.missing[0, 1], True),
        (state.wins, state.ties, ledger.unanswered, False),
    )
    counted, every = (
        Tally(
            wins=int(wins[1, 0]),
            losses=int(wins[0, 1]),
            ties=int(ties[0, 1]),
            unanswered=int(missing),
            clusters=ledger.list_outcomes(is_counted) if isinstance(ledger, ClusterLedger) else (),
        )
        for wins, ties, missing, is_counted in tables
    )
    return counted, every
