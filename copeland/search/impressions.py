"""Impressions of a live search: a pair for each user, a list with a token, and clicks that become a vote.

A user keeps a pair until there are clicks on one of its lists, and then gets another: so a user counts once a pair.
Clicks gather in the log. When the window of their list has closed, the ranker whose team has more of them wins the
vote. No click is no vote.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from copeland.errors import InvalidParameter, InvalidToken
from copeland.search.allocation import find_leader
from copeland.search.list_tokens import (
    Desk,
    Impression,
    Ticket,
    check_desk,
    outcome_of,
    positions_on,
    query_digest,
    read_ticket,
)
from copeland.study.ballots import Ballot, ballot_of
from copeland.study.input_limits import check_plain
from copeland.study.kinds.base import INTERLEAVING, Wait
from copeland.study.log.event_log import Log
from copeland.study.log.events import ASKED, CLICKED, SHOWN, AskedEvent, Event
from copeland.study.log.state import StudyState
from copeland.study.session import OpenedStudy, Transactions
from copeland.study.voter_history import waiting_of
from copeland.study.votes import Vote
from copeland.support.timestamps import seconds_since_1970

SOURCE = "clicks"

# What becomes of clicks.
TAKEN = "taken"  # they wait for the window to close
KNOWN = "known"  # all of them were handed in before
LATE = "late"  # clicked after the window, or handed in after the vote
EARLY = "early"  # clicked before the list was shown
FURTHER = "further"  # the user counts on this pair already, by another list
NOTHING = "nothing"  # there is no click


class Clicked(NamedTuple):
    """What became of clicks, and the votes that they, and windows that closed by now, gave."""

    fate: str
    votes: tuple[Vote, ...]


class ListCounts(NamedTuple):
    """How many lists became what."""

    pairs: int  # handed out: each is for the lists of one user
    votes: int  # that name a winner, or a tie
    ties: int  # of these
    waiting: int  # clicked, and their window has not closed
    unclicked: int  # lists without a click so far: no votes
    lists: int  # shown


class Impressions:
    """The desk of a search; made by :meth:`Study.impressions <copeland.study.Study.impressions>`."""

    def __init__(
        self, study: OpenedStudy, secret: str, method: str, window: float, patience: float
    ):
        self._study, self._work = study, study.transactions
        self._desk, settings = Desk(study.name, secret, method), self._work.state.settings
        check_desk(self._desk)
        if not 0 < window < float("inf") or not 0 <= patience < float("inf"):
            raise InvalidParameter(
                f"window is {window:g} and patience {patience:g}; both are in seconds, and the window must be above 0."
            )
        self._work.kind.require(INTERLEAVING)
        if settings.repeats != "first":
            raise InvalidParameter(
                "a user may count only once per pair; create the study with repeats='first', or voters='people'."
            )
        self.window, self.patience = window, patience

    def impression(self, user: str, query: str) -> Impression:
        """Return whose lists to show a user.

        Two rankers are to be interleaved. One alone is shown as it is: it is proved best, or nothing can be learned
        from this user, and it leads.
        """
        check_plain(user=user)
        self.settle()
        now = self._study.now()
        ballot = self._work.change(lambda log: record_list(self._work, log, user, query, now))
        if ballot is None:
            return Impression((find_leader(self._study),), None, query, now, self._desk)
        return Impression((ballot.left, ballot.right), ballot.id, query, now, self._desk)

    def clicks(self, token: str, positions: Collection[int], at: float | None = None) -> Clicked:
        """Hand in clicks on a list; the top is position 1.

        The same clicks may come again, in parts and in any order.

        Parameters
        ----------
        at
            When they happened, in seconds since 1970; now by default.
        """
        ticket = read_ticket(token, self._desk.secret)
        if ticket.study != self._study.name:
            raise InvalidToken(f"this list is of the study '{ticket.study}', not of this one.")
        clicked = positions_on(ticket, positions)
        time = self._study.now() if at is None else seconds_since_1970(at)

        def decide(log: Log) -> tuple[list[Event], str]:
            return record_clicks(self._work.state, log, ticket, clicked, time, self.window)

        fate = self._work.change(decide)
        return Clicked(fate, self.settle())

    def settle(self) -> tuple[Vote, ...]:
        """Turn the clicks on lists whose window has closed into votes, and return these."""
        if self._work.read(lambda _log: self._work.state.closed):
            return ()
        now = self._study.now()
        waiting = self._work.look_at_state(lambda state: list(state.lists.waiting.items()))
        due = [one for one in waiting if now > one[1]["shown"] + self.window + self.patience]
        return tuple(
            self._study.tell(
                ballot,
                outcome_of(body["teams"], body["positions"]),
                event_id=f"impression:{ballot}",
                source=SOURCE,
            )
            for ballot, body in due
        )

    def counts(self) -> ListCounts:
        """Return how many lists became what."""
        state = self._work.read(lambda _log: self._work.state)
        votes = sum(state.outcomes[name] for name in ("left", "right", "tie"))
        lists = state.lists
        return ListCounts(
            state.asked,
            votes,
            state.outcomes["tie"],
            len(lists.waiting),
            lists.without_click,
            lists.shown,
        )


def record_list(
    work: Transactions, log: Log, user: str, query: str, now: float
) -> tuple[list[Event], Ballot | None]:
    """Return what to append when a user searches, and the ballot to interleave for, if there is one."""
    state = work.state
    if state.closed:
        return [], None
    new, asked = _ballot(work, log, user, now)
    if asked is None:
        return new, None
    work.advance(log, new)
    body = {"ballot": asked.number, "query": query_digest(query)}
    shown = Event(state.number + 1, SHOWN, now, body=body)
    return [shown] if state.lists.is_new(**body) else [], ballot_of(state, asked)


def _ballot(
    work: Transactions, log: Log, user: str, now: float
) -> tuple[list[Event], AskedEvent | None]:
    """What to append, and the oldest ballot of a user without clicks, or else a new one."""
    state = work.state
    held = waiting_of(state, log, user) if work.kind.is_open(state) else []
    for asked in held:
        if asked.number not in state.lists.waiting:
            return [], asked
    new, handed = work.propose(log, work.kind.request_for(state, log, now, user), 1)
    return new, None if isinstance(handed, Wait) else next(iter(handed), None)


def record_clicks(
    state: StudyState, log: Log, ticket: Ticket, clicked: frozenset[int], time: float, window: float
) -> tuple[list[Event], str]:
    """Return what to append for clicks on a list, and what becomes of them."""
    asked = log.event(ticket.ballot)
    if asked is None or asked.kind != ASKED:
        raise InvalidToken(f"there is no ballot {ticket.ballot} in this study.")
    if not clicked:
        return [], NOTHING
    if time < ticket.shown or time > ticket.shown + window:
        return [], EARLY if time < ticket.shown else LATE
    if state.closed:
        return [], LATE
    before = state.lists.waiting.get(ticket.ballot)
    if before is not None and before["query"] != ticket.query:
        return [], FURTHER
    if before is None and next(log.answers(ticket.ballot), None) is not None:
        return [], LATE
    known = set() if before is None else set(before["positions"])
    if clicked <= known:
        return [], KNOWN
    body = {
        "ballot": ticket.ballot,
        "positions": sorted(known | clicked),
        "teams": ticket.teams,
        "query": ticket.query,
        "shown": ticket.shown if before is None else before["shown"],
    }
    number = state.number + 1
    return [Event(number, CLICKED, time, body=body)], TAKEN
