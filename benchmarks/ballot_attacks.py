"""What may be done to ballots and options so that a wrong claim is proved, and ledgers without the rule that stands against it.

Whoever tampers works for one option, and for the pair at hand that is the wrong one, or of equals the one that is ahead. Answers for it
come at once. The fate of those against it is the attack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.ballot_trials import LEASE, Ballot, Step, Trial
from copeland.certificate import panel_certificate
from copeland.certificate.certificate import certify
from copeland.study.log.events import EXCUSED, PAUSED, READMITTED, RESUMED, RETIRED
from copeland.study.log.ledger import Ledger, Tables
from copeland.study.log.panel_ledger import PanelLedger
from copeland.study.settings import AGAINST, IGNORED

VISITORS, PEOPLE, IGNORING = "independent visitors", "people", "people, missing ignored"
THESE, LIKE_THESE, PANEL = "judge, these cases", "judge, cases like these", "panel"
KINDS = {
    VISITORS: {"voters": "independent"},
    PEOPLE: {"voters": "people", "missing": AGAINST},
    IGNORING: {"voters": "people", "missing": IGNORED},
    THESE: {"voters": "judge", "population": "these"},
    LIKE_THESE: {"voters": "judge", "population": "like-these"},
    PANEL: {"panel": ["ann", "bob", "cas", "dan", "eve"]},
}
EVERY = tuple(KINDS)
COUNTED = (PEOPLE, THESE, LIKE_THESE, PANEL)  # where a missing answer is a loss of both sides
REPEATED = (THESE, LIKE_THESE, PANEL)  # where the same is asked again if nobody answers
DRAWN = (VISITORS, PEOPLE, IGNORING, LIKE_THESE)  # where answers are draws

SOON, LATE, OVERDUE = 0.5, LEASE - 10, LEASE + 30  # seconds until an answer

Fate = Callable[[Trial, Ballot], Sequence[Step]]  # of a ballot against whom they work for
Tampering = Callable[[Trial], None]


def _do(*steps: tuple[float, str]) -> Fate:
    return lambda _trial, _ballot: [Step(*step) for step in steps]


def _answer_when_asked_again(trial: Trial, ballot: Ballot) -> Sequence[Step]:
    return [Step(0, "answer")] if trial.is_repeated(ballot) else []


def _draw_fate(trial: Trial, ballot: Ballot) -> Sequence[Step]:
    fates = FATES if trial.counts_missing else FATES[:-4]
    return fates[int(trial.rng.integers(len(fates)))](trial, ballot)


FATES = (
    _do((0, "answer")),
    _do((0, "answer"), (0, "take_back")),
    _do((0, "answer"), (0, "take_back"), (LATE, "answer")),
    _do((0, "answer"), (0, "undo")),
    _do((0, "answer"), (0, "undo"), (5, "turn"), (5, "answer")),
    _do((SOON, "answer")),
    _do((LATE, "answer")),
    _do(),
    _do((OVERDUE, "answer")),
    _do((0, "fail")),
    _answer_when_asked_again,
)
(AT_ONCE, TAKEN_BACK, GIVEN_AGAIN, UNDONE, TURNED, LAST, SLOW, NEVER, TOO_LATE, FAILED, ASKED_AGAIN) = FATES  # fmt: skip


CHANGED_AT_ONCE = _do((0, "answer"), (0, "take_back"), (0, "renew"), (0, "answer"))
CHANGED_LATE = _do((0, "answer"), (LATE, "take_back"), (LATE, "renew"), (LATE, "answer"))


def _leave(_trial: Trial) -> None:
    """Do nothing to the options."""


def _add(trial: Trial) -> None:
    if trial.now in (LATE - 2, 2 * LATE - 2):
        trial.add_option()


def _pause(trial: Trial) -> None:
    """Pause all options but the one that is ahead for five seconds, again and again."""
    if trial.now % 20 == 15:
        _stop(trial, {trial.find_favourite(0, 1)}, PAUSED)
    elif trial.now % 20 == 0:
        _resume(trial)


def _retire(trial: Trial) -> None:
    """Retire all options but the two about which a claim is near, until it is not."""
    found = trial.evidence
    nearest = max(trial.pairs(), key=found.__getitem__)
    if trial.stopped and found[nearest] < 2:
        _resume(trial)
    elif not trial.stopped and found[nearest] > 3:
        _stop(trial, set(nearest), RETIRED)


def _stop(trial: Trial, kept: set[int], how: str) -> None:
    trial.stopped = [option for option in trial.active if option not in kept]
    for option in trial.stopped:
        trial.change_option(option, how)


def _resume(trial: Trial) -> None:
    for option in trial.stopped:
        trial.change_option(option, RESUMED)
    trial.stopped = []


def _excuse(trial: Trial) -> None:
    """Excuse a member for a while, one after the other."""
    if trial.now % 3 == 0:
        for name in list(trial.excused):
            trial.change_attendance(name, READMITTED)
        members = trial.state.settings.panel
        trial.change_attendance(members[int(trial.now) // 3 % len(members)], EXCUSED)


def _change_anything(trial: Trial) -> None:
    _pause(trial)
    _add(trial)


# Ledgers without a rule


def forget_what_is_taken_back(trial: Trial) -> None:
    """Take neither the first answer nor a loss of both sides for what was taken back."""
    forget_what_is_undone(trial)
    ledger = trial.state.ledger
    take_back = ledger.take_back

    def forget(vote, meaning):
        take_back(vote, meaning)
        ledger._release(ledger._key_of(vote))

    ledger.take_back = forget


def forget_what_is_undone(trial: Trial) -> None:
    tables = trial.state.ledger.tables

    def forget(now):
        found = tables(now)
        return found._replace(undone_wins=0 * found.wins, undone_ties=0 * found.ties)

    trial.state.ledger.tables = forget


def count_as_they_come(trial: Trial) -> None:
    """Count every vote when it comes in, and nothing for open ballots."""
    ledger = trial.state.ledger

    def tables(now):
        found = ledger.counted.map(np.copy)
        for unit in ledger._waiting.values():
            for change in unit.changes:
                found.add(*change)
        found.missing[:] = 0
        for one in ledger._held.values():
            if one.is_taken_back or (trial.counts_missing and one.is_missing(now)):
                found.miss(one.left, one.right)
        return found

    _replace_tables(ledger, tables)


def ignore_what_is_missing(trial: Trial) -> None:
    trial.state.ledger._missing = IGNORED


def count_all_at_adding(trial: Trial) -> None:
    """Count everybody who waits when an option is added."""
    ledger = trial.state.ledger
    widen = ledger.widen

    def widen_and_count(k):
        widen(k)
        _drop(ledger, lambda _: True)

    ledger.widen = widen_and_count


def drop_what_is_paused(trial: Trial) -> None:
    """Wait for no answer about an option that is paused."""
    take = trial.take

    def take_and_drop(events):
        take(events)
        for event in events:
            if event.kind == PAUSED:
                _drop(trial.state.ledger, lambda one, i=event.left: i in (one.left, one.right))

    trial.take = take_and_drop


def forget_who_was_retired(trial: Trial) -> None:
    """Prove what is said of the options left as if there had been no others."""
    certificate = trial.certificate

    def certify_those_left():
        kept = trial.state.options_left
        if len(kept) == trial.state.k:
            return certificate()
        cut, sample = np.ix_(kept, kept), trial.kind.sample(trial.state.settings)
        tables = trial.state.ledger.tables(trial.now)
        about = {"voters": sample.voters, "cases": sample.cases}
        return certify(tables.wins[cut], missing=tables.missing[cut], **about)

    trial.certificate, trial.floor = certify_those_left, 3.0


def keep_no_ledger(trial: Trial) -> None:
    """Take the votes that stand for all there is."""
    tally = trial.state.tally

    def tables(_now):
        return Tables(tally.wins, tally.ties, *(0 * tally.wins for _ in range(3)))

    _replace_tables(trial.state.ledger, tables)


def _replace_tables(ledger: Ledger, tables: Callable[[float], Tables]) -> None:
    ledger.tables = tables
    ledger.state_at = lambda _: object()  # never the same as before


def _drop(ledger: Ledger, is_dropped: Callable) -> None:
    """Take ballots for none that were handed out."""
    ledger._remember = lambda *_: False
    for key, one in list(ledger._held.items()):
        if not one.is_taken_back and is_dropped(one):
            ledger._release(key)
    ledger._settle()


def break_ledger(trial: Trial, without: Tampering) -> None:
    """Take a rule away; of a panel, that answers which are missing or gone may be anything."""
    ledger = trial.state.ledger
    if not isinstance(ledger, PanelLedger):
        without(trial)
    elif without in (forget_what_is_taken_back, forget_what_is_undone):
        hear = ledger.hear
        ledger.hear = lambda vote, step, counts: hear(vote, step, counts) if step > 0 else None
    else:
        trial.certificate = lambda: panel_certificate(trial.state.wins, trial.state.ties)


class Attack(NamedTuple):
    """What somebody does, where the promise covers it, and the ledger without the rule that is against it."""

    name: str
    fate: Fate
    without: Tampering
    kinds: tuple[str, ...] = EVERY
    at_once: int = 1
    options: Tampering = _leave
    favour: Fate = AT_ONCE  # of a ballot for whom they work for
    retires: bool = False


SURE_OF_CASES = tuple(kind for kind in EVERY if kind != LIKE_THESE)  # where options may be added
ATTACKS = (
    Attack("like anybody else", AT_ONCE, keep_no_ledger),
    Attack("takes the vote back, and leaves", TAKEN_BACK, forget_what_is_taken_back),
    Attack("takes the vote back, and gives it again later", GIVEN_AGAIN, forget_what_is_taken_back),
    Attack("changes the vote at once to any, and votes for it change late", CHANGED_AT_ONCE, forget_what_is_undone, DRAWN, favour=CHANGED_LATE),
    Attack("the owner undoes the vote", UNDONE, forget_what_is_undone),
    Attack("the owner undoes the vote, and the voter gives the opposite", TURNED, forget_what_is_undone),
    Attack("answers late within the lease", SLOW, count_as_they_come),
    Attack("20 at once, and answers last", LAST, count_as_they_come, at_once=20),
    Attack("answers late, and options are added meanwhile", SLOW, count_all_at_adding, SURE_OF_CASES, options=_add),
    Attack("answers late, and the option behind is paused meanwhile", SLOW, drop_what_is_paused, options=_pause),
    Attack("all options but two are retired", AT_ONCE, forget_who_was_retired, options=_retire, retires=True),
    Attack("leaves without an answer", NEVER, ignore_what_is_missing, COUNTED),
    Attack("answers after the lease", TOO_LATE, ignore_what_is_missing, COUNTED),
    Attack("fails", FAILED, ignore_what_is_missing, COUNTED),
    Attack("answers only when asked again", ASKED_AGAIN, ignore_what_is_missing, REPEATED),
    Attack("answers late, and members are excused in turn", SLOW, count_as_they_come, (PANEL,), options=_excuse),
    Attack("any of these, drawn for each ballot", _draw_fate, keep_no_ledger, options=_change_anything),
)  # fmt: skip
