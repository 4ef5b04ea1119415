"""Checks of voters, which look like any other pair and are no votes.

Checks are pairs with a known answer, and earlier pairs once more with their sides swapped. Known answers are about texts
that are no options. Only they may exclude a voter, by a rule that is fixed when the study is created; the votes are then
undone with that reason, for everybody to see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from copeland.errors import StudyClosed, UnknownVote
from copeland.study import Ballot, Event, Study
from copeland.study.log.events import ASKED, LEFT, RIGHT
from copeland.support.phrasing import format_count
from copeland.web.server import Server
from copeland.web.sessions import Visitor
from copeland.web.store import Checked, VotingPage

KNOWN, REPEAT = "known", "repeat"
SWAPPED = {LEFT: RIGHT, RIGHT: LEFT}
LATELY = 2  # answers that a repeat keeps away from


class Check(NamedTuple):
    """A check that a voter is to answer."""

    place: int  # among this voter's checks
    ballot: int  # which it repeats; 0 if its answer is known


def plan_checks(page: VotingPage, pairs: int) -> list[str]:
    """Return the kinds of the checks that a voter meets, in their order."""
    times = pairs // page.check_every if page.check_every else 0
    kinds, left = [], len(page.known)
    for number in range(times):
        if left and (number % 2 == 0 or not page.repeats):
            kinds.append(KNOWN)
            left -= 1
        elif page.repeats:
            kinds.append(REPEAT)
    return kinds


def find_due_check(
    page: VotingPage, kinds: Sequence[str], given: int, answers: Sequence[Event]
) -> Check | None:
    """Return the check that comes before the next pair, if one does; so many were given before."""
    if given >= len(kinds) or len(answers) < (given + 1) * page.check_every:
        return None
    if kinds[given] == KNOWN:
        return Check(given, 0)
    ballots = [event.ballot for event in answers if event.ballot is not None]
    before = ballots[:-LATELY] or ballots
    return Check(given, before[given % len(before)]) if before else None


def swap_ballot(study: Study, check: Check) -> Ballot | None:
    """Return the ballot that a check repeats, with its sides swapped."""
    asked = next(iter(study.events(check.ballot - 1, 1)), None)
    if asked is None or asked.kind != ASKED or asked.left is None or asked.right is None:
        return None
    options = study.options
    left, right = options[asked.right].name, options[asked.left].name
    return Ballot(asked.number, left, right, asked.voter, asked.item, 0.0)


def known_texts(server: Server, voter: Visitor, check: Check) -> tuple[str, str]:
    """Return the texts of a check with a known answer, as they stand on its sides."""
    better, worse = voter.page.known[_known_at(voter.page, check)]
    return (better, worse) if right_answer(server, voter, check) == LEFT else (worse, better)


def _known_at(page: VotingPage, check: Check) -> int:
    """Which of the known answers a check is about."""
    kinds = plan_checks(page, page.check_every * (check.place + 1))
    return kinds[: check.place].count(KNOWN) % len(page.known)


def right_answer(server: Server, voter: Visitor, check: Check) -> str:
    """Return the side on which the better text is: by a lot that only the server knows, and the same whenever it is shown."""
    lot = server.signer.draw("check", voter.page.slug, voter.name, str(check.place))
    return LEFT if lot % 2 else RIGHT


def store_answer(
    server: Server, voter: Visitor, study: Study, check: Check, outcome: str, own: Iterable[Event]
) -> None:
    """Store the answer to a check, once; and exclude who fails too often."""
    if check.ballot == 0:
        kind, right = KNOWN, right_answer(server, voter, check)
    else:
        before = [event.outcome or "" for event in own if event.ballot == check.ballot]
        kind, right = REPEAT, SWAPPED.get(before[-1]) if before else None
    good = outcome == right if outcome in SWAPPED and right is not None else None
    server.store.add_check(voter.page.study, voter.name, kind, check.place, outcome, good)
    if is_excluded(voter.page, server.store.checks_of(voter.page.study, voter.name)):
        _exclude(study, voter)


def is_excluded(page: VotingPage, given: Iterable[Checked]) -> bool:
    """Tell whether somebody failed more known answers than the rule of the study allows."""
    failed = sum(one.kind == KNOWN and one.good is False for one in given)
    return page.failures > 0 and failed >= page.failures


def _exclude(study: Study, voter: Visitor) -> None:
    """Undo all votes of a voter, visibly."""
    reason = f"the voter failed {format_count(voter.page.failures, 'known answer')}"
    for vote in [one for one in study.log(voter=voter.name) if one.kind == "voted"]:
        with suppress(UnknownVote, StudyClosed):
            study.undo(str(vote.event_id), reason)
