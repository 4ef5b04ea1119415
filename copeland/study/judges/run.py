"""Judges at work on a study: they ask for ballots, judge and answer them, until it is settled or a cap is reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from copeland.errors import (
    AlreadyVoted,
    Conflict,
    InvalidParameter,
    StorageError,
    StudyClosed,
    UnknownName,
    nearest,
)
from copeland.forecast.start import Until, read_until
from copeland.study.any_study import AnyStudy, folder_of
from copeland.study.judges.call import (
    SWAPS,
    Budget,
    Judge,
    Opinion,
    ask_judge,
    charge,
    check_judge,
    name_judges,
)
from copeland.study.judges.habits import list_habits
from copeland.study.judges.memory import JudgeMemory, Question, is_all
from copeland.study.judges.prompts import Candidate, check_items, cluster_items
from copeland.study.judges.workers import Workers, may_share
from copeland.study.kinds import kind_of
from copeland.study.kinds.kind import Wait
from copeland.study.log.events import ERROR, NOTHING, SKIP, Spent
from copeland.study.log.sides import FREE, ONCE, TWICE, Swaps
from copeland.study.options import ACTIVE, name_of
from copeland.study.results.agreement import JudgeAgreement, agreement
from copeland.study.results.verdict import likely_sentence
from copeland.support.progress import progress_bar
from copeland.support.rng import stream

if TYPE_CHECKING:
    from copeland.study import Ballot, Option

_TELLINGS = 3  # how often a vote is told before a broken storage is given up
_SHORTEST, _LONGEST = 0.1, 10.0  # seconds of sleep until it is asked again


class Judged(NamedTuple):
    """One ballot that was judged; ``note`` says why it failed, that the swapped sides changed it, or the judge's reason."""

    judge: str
    left: str
    right: str
    item: str | None
    outcome: str
    flipped: bool | None  # whether the swapped sides changed the answer; None if that was not asked
    note: str
    calls: int  # so far, of all judges
    cost: float  # so far, of all judges


@dataclass(frozen=True)
class Summary:
    """What judges did to a study, what it cost, how far they agree, and why they stopped.

    ``reason`` is finished, likely, answered, calls, cost, failed or interrupted; ``stopped`` says it in a sentence.
    ``left_out`` counts the questions which were not asked because they had been answered before this run. ``flips`` of the ``confirmed`` ballots, those judged twice, changed their outcome with the sides.
    """

    calls: int
    votes: int
    skips: int
    errors: int
    left_out: int
    retries: int
    confirmed: int
    flips: int
    tokens: int
    cost: float
    agreement: JudgeAgreement
    reason: str
    stopped: str
    swaps: Mapping[str, Swaps] = field(default_factory=dict)  # by judge, of the confirmed ballots
    total: Spent = NOTHING  # over all runs on this study, as its log has it
    workers: int = 1  # at a time, in the end
    overloads: int = 0  # answers of a judge that it is asked too much at a time
    habits: tuple[str, ...] = ()  # of judges, that say nothing about the options, in sentences


def judge_study(
    study: AnyStudy,
    judges: Judge | Sequence[Judge] | Mapping[str, Judge],
    *,
    until: str | Until = "proved",
    calls: int | None = None,
    cost: float | None = None,
    swap: str = "random",
    workers: int | None = None,
    items: Iterable[Any] | None = None,
    repeat: bool = False,
    patience: int = 5,
    folder: str | Path | None = None,
    progress: Callable[[Judged], None] | None = None,
    rest: Callable[[Wait], None] | None = None,
    look: Callable[[], End | None] | None = None,
    put: Callable[[Judge, Any, Any, Any, str], Opinion] = ask_judge,
) -> Summary:
    """Let judges vote in a study until it is finished, a cap is reached, or Ctrl-C.

    The judges take turns. Each is a separate voter, with at most as many ballots at a time as the study
    lets a voter hold. In a study on test cases (``voters="judge"``) they share the cases, and each case has one vote for each pair.
    Elsewhere, no judge is asked what it has answered before, in this run or an earlier one under the
    same name: a pair with the same sides. A failure is logged as an ``error``, which
    is neither an answer nor a vote, so the study may ask for that pair again. Every vote has an event
    id made of judge and ballot, so a vote sent twice counts once. After Ctrl-C the judges ask for no
    new ballot, and finish the answers under way; a second Ctrl-C does not wait for them.

    Parameters
    ----------
    study
        A study at hand, or one on a server (:func:`copeland.client.open_study`).
    judges
        A callable ``judge(left, right, item) -> outcome``, several, or several by name.
    until
        ``"proved"``: until an option is proved best. ``"likely=0.95"``: until one has that chance to be best, or
        is proved; an estimate, not a proof, which docs/verdicts.md explains and measures.
    calls
        At most this many calls to judges. Calls sent again after a time-out or the like do not count.
    cost
        At most this many dollars. A call that might exceed it is not made.
    swap
        ``random``: one call per ballot; the study shuffles the sides. ``confirm``: two calls with the
        sides swapped, and a tie if the answers differ.
    workers
        How many ballots are judged at the same time, in threads. By default one; where all judges are language models the number
        doubles from one to eight until a server says that it is overloaded (429), and then halves.
    items
        In a study on test cases, all of them; the study draws the one of each ballot. Elsewhere there are none.
    repeat
        Ask a judge the same question again, as often as the study likes. Only for judges that draw each answer
        afresh: an answer that is certain to be the same is not a second vote.
    patience
        Stop when a judge fails this many times in a row.
    folder
        The folder with the files of options; no file outside it is read. By default the folder of the study's
        SQLite file; a study kept elsewhere, or on a server, has none.
    progress
        Called with every judged ballot. By default a bar shows the calls in a terminal or a notebook, if they take
        over two seconds.
    rest
        What to do when a judge must wait until a ballot that it holds elsewhere expires; by default :func:`sleep_until`.
    look
        Called before each ballot: what it returns, a word and a sentence, ends the work once nothing is under way. Then nothing else that is
        known of the options ends it, and ``until`` means nothing.
    put
        Puts a ballot to a judge, as :func:`~copeland.study.judges.call.ask_judge` does; an opinion that took no call is told without one.

    Examples
    --------
    >>> from copeland import create_study
    >>> study = create_study("slogans", {"A": "Less is more.", "B": "Think."}, voters="judge")
    >>> def longer(left, right, item):
    ...     return "left" if len(left.text) > len(right.text) else "right"
    >>> judge_study(study, {"longer": longer}).votes
    1
    >>> study.verdict().claim
    'By the judge longer: A is proved the only winner.'
    """
    if study.closed:
        raise StudyClosed("the study is closed; it takes no more votes.")
    named = name_judges(judges)
    for what, number in {"calls": calls, "workers": workers, "patience": patience}.items():
        if number is not None and number < 1:
            raise InvalidParameter(f"{what} is {number}; there must be at least 1.")
    if swap not in SWAPS:
        raise UnknownName(f"there is no way '{swap}' to swap sides; {nearest(swap, SWAPS)}")
    budget = Budget(cost)
    goal = read_until(until)
    kind = kind_of(study.settings)
    kind.check_until(goal, len(study.options), study.settings.goal)
    active = [option.name for option in study.options if option.state == ACTIVE]
    cases = None if items is None else check_items(items, active)
    clusters = None if cases is None else cluster_items(cases)
    kind.check_judging(study.settings, study.certificate(), clusters, repeat)
    for judge in named.values():
        check_judge(judge, cost is not None, cases or ())
    own = None if progress is None else (lambda done, total: None)  # then there is no bar
    with progress_bar("calls", own) as tell:
        work = JudgingLoop(
            study=study,
            judges={name: charge(judge, budget) for name, judge in named.items()},
            budget=budget,
            cap=calls,
            swap=swap,
            workers=Workers(workers or (None if may_share(named.values()) else 1)),
            patience=patience,
            cases={name_of(one): one for one in cases or ()},
            memory=JudgeMemory(study, named, swap, repeat),
            folder=folder_of(study) if folder is None else Path(folder),
            progress=progress or (lambda judged: tell(judged.calls, calls or 0)),
            rest=rest or sleep_until,
            look=look or _look_for_likely(study, goal),
            further=look is not None,
            put=put,
        )
        work.run()
    return work.summary()


def sleep_until(wait: Wait) -> None:
    """Sleep until it is time to ask again, or a while: an answer may come earlier, and clocks differ.

    Examples
    --------
    >>> sleep_until(Wait(until=0.0))  # a moment, as that time is past
    """
    time.sleep(min(max(wait.until - time.time(), _SHORTEST), _LONGEST))


class _Asked(NamedTuple):
    """A ballot under way."""

    ballot: Ballot
    judge: str
    item: Any


End = tuple[str, str]  # why judges stop: a word, and a sentence


def _look_for_likely(study: AnyStudy, goal: Until) -> Callable[[], End | None]:
    """What tells why to stop: that an option is as likely best as it is to be. It looks if there are new votes."""
    looked, favourite = 0, ""

    def look() -> End | None:
        nonlocal looked, favourite
        if goal.likely is None:
            return None
        standing = study.standing(voters=False)
        if standing.certificate.decided:
            return None
        if standing.votes != looked:
            looked, favourite = standing.votes, likely_sentence(standing, goal.likely)
        return ("likely", favourite) if favourite else None

    return look


@dataclass
class JudgingLoop:
    """The loop. Only the thread that runs it touches the study; judges are called in others.

    An answer counts as soon as it is told, in the order of :mod:`copeland.study.log.ledger`: so one slow call is a loss of both sides while
    others go on, and no more of them are made than that costs.

    With ``further`` it asks also after the goal is reached.
    """

    study: AnyStudy
    judges: dict[str, Judge]
    budget: Budget
    cap: int | None
    swap: str
    workers: Workers
    patience: int
    cases: dict[str, Any]
    memory: JudgeMemory
    folder: Path | None
    progress: Callable[[Judged], None]
    rest: Callable[[Wait], None]
    look: Callable[[], End | None]
    further: bool
    put: Callable[[Judge, Any, Any, Any, str], Opinion]

    def __post_init__(self) -> None:
        self.turns = list(self.judges)  # whose turn it is, first
        self.failures = dict.fromkeys(self.judges, 0)  # in a row
        self.under_way: dict[Future[Opinion], _Asked] = {}
        self.told: list[Judged] = []
        self.calls = self.answered = 0
        self.logged = NOTHING  # of what this run spent
        self.end: End | None = None
        self.exhausted = False  # whether the judges have answered all that there is
        self.failed: set[tuple[str, Question]] = set()  # cases that a judge failed on in this run
        self.kind = kind_of(self.study.settings)
        self.on_cases = self.kind.draws_cases
        self.before = self.memory.count_answers()  # what was answered before this run
        if self.on_cases:
            self.before = self.study.standing(voters=False).votes

    def run(self) -> None:
        """Judge until there is a reason to stop, then tell what is under way."""
        pool = ThreadPoolExecutor(self.workers.most, thread_name_prefix="judge")
        try:
            try:
                while self._begin(pool):
                    self._finish_some()
                self._finish_all()
            except KeyboardInterrupt:
                self._stop("interrupted", "stopped by Ctrl-C; what was judged is recorded.")
                self._finish_all()
        finally:
            self.budget.stop()
            pool.shutdown(wait=not self.under_way, cancel_futures=True)

    def summary(self) -> Summary:
        """Return what was done."""
        assert self.end is not None
        outcomes = [judged.outcome for judged in self.told]
        skips, errors = outcomes.count(SKIP), outcomes.count(ERROR)
        swaps: dict[str, Swaps] = {}
        said: dict[str, list[tuple[str, bool | None]]] = {}
        for one in self.told:
            if one.outcome not in (SKIP, ERROR):
                said.setdefault(one.judge, []).append((one.outcome, one.flipped))
            if one.flipped is not None:
                before = swaps.get(one.judge, Swaps())
                swaps[one.judge] = before.add(one.note if one.flipped else None)
        return Summary(
            calls=self.calls,
            votes=len(outcomes) - skips - errors,
            skips=skips,
            errors=errors,
            left_out=self.before,
            retries=self.budget.retries,
            confirmed=sum(judged.flipped is not None for judged in self.told),
            flips=sum(judged.flipped is True for judged in self.told),
            tokens=self.budget.tokens,
            cost=self.budget.cost,
            agreement=agreement(
                {"voter": judged.judge, **judged._asdict()} for judged in self.told
            ),
            reason=self.end[0],
            stopped=self.end[1],
            swaps=swaps,
            total=self.study.spent,
            workers=self.workers.fixed or self.workers.number,
            overloads=self.budget.overloads,
            habits=tuple(filter(None, list_habits(said))),
        )

    def _begin(self, pool: ThreadPoolExecutor) -> bool:
        """Put ballots to judges while there is room; return whether any is under way."""
        while self.end is None and len(self.under_way) < self._count_workers():
            end = self.look()
            if end is not None:
                self._stop_if_idle(*end)
                break
            reserved = SWAPS[self.swap] * (len(self.under_way) + 1)
            if self.cap is not None and self.calls + reserved > self.cap:
                self._stop_if_idle("calls", f"the cap of {self.cap:,} calls is reached.")
                break
            asked = self._ask()
            if asked is None:
                self._stop_if_idle(*self._nothing_left())
                break
            if isinstance(asked, Wait):
                if self.under_way:  # their answers come first
                    break
                self.rest(asked)
                continue
            judge, ballot = self.judges[asked.judge], asked.ballot
            options = {option.name: option for option in self.study.options}
            sides = self._candidate(options[ballot.left]), self._candidate(options[ballot.right])
            self.under_way[pool.submit(self.put, judge, *sides, asked.item, self.swap)] = asked
        return self.end is None and bool(self.under_way)

    def _count_workers(self) -> int:
        return self.workers.adjust(self.answered, self.budget.overloads, self.under_way)

    def _candidate(self, option: Option) -> Candidate:
        return Candidate(**option.shown, state=option.state, folder=self.folder)

    def _nothing_left(self) -> tuple[str, str]:
        """Say why there is nothing to ask: the study is settled, or its judges are at their end."""
        who = f"the judge '{self.turns[0]}' has" if len(self.turns) == 1 else "all judges have"
        found = self.study.certificate()
        return self.kind.explain_rest(self.study.settings, found, who if self.exhausted else "")

    def _ask(self) -> _Asked | Wait | None:
        """Return a ballot for the next judge that can be given one."""
        self.memory.catch_up()
        self.exhausted = not self.memory.repeat
        waits = []
        for name in self._in_turn():
            self.turns.append(self.turns.pop(0))
            held = {a.ballot.id: a.ballot for a in self.under_way.values() if a.judge == name}
            if len(held) >= self.study.settings.open_ballots:
                waits += [Wait(ballot.expires) for ballot in held.values()]
                continue
            asked = self._ask_on_case(name) if self.on_cases else self._ask_for_pair(name, held)
            if isinstance(asked, Wait):
                waits.append(asked)
            elif asked is not None and asked.ballot.id in held:  # there is nothing new
                waits.append(Wait(asked.ballot.expires))
            elif asked is not None:
                return asked
        return min(waits, default=None)

    def _in_turn(self) -> list[str]:
        """Return the judges in the order in which they are tried; on test cases a draw decides whose answer a case gets."""
        if not self.on_cases or len(self.turns) == 1:
            return list(self.turns)
        rng = stream(self.study.settings.seed, "judge", self.study.number)
        return [self.turns[i] for i in rng.permutation(len(self.turns))]

    def _ask_on_case(self, judge: str) -> _Asked | Wait | None:
        """Return a ballot on a test case that the study draws; none on what this judge skips or fails on."""
        failed = {asked for by, asked in self.failed if by == judge}
        without = self.memory.find_skips(judge) | failed
        ask: Any = self.study.ask
        ask = partial(ask, further=True) if self.further else ask
        ballot = ask(voter=judge, cases=self.cases or None, without=without)
        self.exhausted &= ballot is None
        if ballot is None or isinstance(ballot, Wait):
            return ballot
        return _Asked(ballot, judge, None if ballot.item is None else self.cases[ballot.item])

    def _ask_for_pair(self, judge: str, held: Mapping[int, Ballot]) -> _Asked | Wait | None:
        """Return a ballot on a pair, with its sides, that is new to the judge."""
        active = {option.name for option in self.study.options if option.state == ACTIVE}
        without = self.memory.find_answers(judge, held.values())
        if without and is_all(without, active):
            return None
        self.exhausted = False
        ballot = self.study.ask(voter=judge, without=without)
        if ballot is None or isinstance(ballot, Wait):
            return ballot
        return _Asked(ballot, judge, None)

    def _finish_some(self) -> None:
        """Wait for an answer, and tell those that have come, in the order they were asked for."""
        done, _ = wait(self.under_way, return_when=FIRST_COMPLETED)
        for future in [future for future in self.under_way if future in done]:
            asked, opinion = self.under_way[future], future.result()
            told = opinion.outcome is not None and self._tell(asked, opinion, opinion.outcome)
            del self.under_way[future]  # only now: after Ctrl-C in between it is told again
            self.calls += opinion.calls
            if opinion.outcome is None:  # the ballot's lease runs out
                self._stop("cost", opinion.note)
            elif told:
                self._count(asked, opinion, opinion.outcome)

    def _finish_all(self) -> None:
        while self.under_way:
            self._finish_some()

    def _count(self, asked: _Asked, opinion: Opinion, outcome: str) -> None:
        about = asked.ballot.left, asked.ballot.right, asked.ballot.item
        said = outcome, opinion.flipped, opinion.note
        self.told.append(Judged(asked.judge, *about, *said, self.calls, self.budget.cost))
        self.progress(self.told[-1])
        if outcome == ERROR:
            self.failed.add((asked.judge, about))
        if outcome != ERROR and not opinion.calls:
            return  # it was clear without the judge, so it ends no row of failures
        self.answered += outcome != ERROR
        failures = self.failures[asked.judge] + 1 if outcome == ERROR else 0
        self.failures[asked.judge] = failures
        if failures == self.patience:
            times = "once" if failures == 1 else f"{failures} times in a row"
            last = f"the last time: {opinion.note}"
            self._stop("failed", f"the judge '{asked.judge}' failed {times}; {last}")

    def _tell(self, asked: _Asked, opinion: Opinion, outcome: str) -> bool:
        """Tell an answer that was paid for, again if it is not sure that it arrived.

        Return False if the ballot was answered elsewhere: by the same judge in another program, say.
        """
        event_id = f"{asked.judge}/{asked.ballot.id}"
        source = (FREE, ONCE, TWICE)[opinion.calls if outcome != ERROR else 1]
        source = f"{source}: {opinion.note}" if opinion.note else source
        # Whatever was spent since the last vote: also on ballots that came to none, and on those under way.
        now = Spent(self.calls + opinion.calls, self.budget.tokens, self.budget.cost)
        spent = now.minus(self.logged)
        for telling in range(1, _TELLINGS + 1):
            try:
                self.study.tell(
                    asked.ballot, outcome, asked.judge, event_id, source=source, spent=spent
                )
                self.logged = now
                return True
            except (AlreadyVoted, Conflict):
                return False
            except StorageError:
                if telling == _TELLINGS:
                    raise
        raise AssertionError  # the last telling returns or raises

    def _stop_if_idle(self, reason: str, sentence: str) -> None:
        """Stop unless what is under way may change the reason: give calls back, or open a pair."""
        if not self.under_way:
            self._stop(reason, sentence)

    def _stop(self, reason: str, sentence: str) -> None:
        if self.end is None:
            self.end = (reason, sentence)
        if reason in ("failed", "interrupted"):
            self.budget.stop()
