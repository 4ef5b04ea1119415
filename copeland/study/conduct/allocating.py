"""Pairs for traffic that cannot wait for a database: the planner's next questions, as shares of users."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any, NamedTuple

from copeland.errors import InvalidParameter
from copeland.ranking.allocation import BUCKETS, Allocation, shared_out
from copeland.study.conduct.chooser import Pair, Wish, active, chooser_of
from copeland.study.conduct.transactions import Transactions
from copeland.study.record.books import Books
from copeland.study.record.events import ASKED, Event
from copeland.study.record.log import Log
from copeland.study.record.votes import iso

DRAWS = 400  # questions that the planner is asked for: shares are multiples of one in so many
TINY = 1e-9


class Terms(NamedTuple):
    """How users may be shared out."""

    impressions: int  # while the document is valid
    control: str | None = None  # who is shown to users who do not take part; None: the leader
    control_share: float = 0.0  # of users who never take part
    cap: float = 1.0  # of the lists that are interleaved, the most that may hold one ranker
    traffic: float = 1.0  # of users who take part
    valid: float = 3600.0  # seconds


def check_terms(terms: Terms, books: Books) -> None:
    """Refuse terms that mean nothing, or that no allocation can meet."""
    if books.settings.panel:
        raise InvalidParameter("a panel is asked by name; an allocation is for users of a search.")
    if books.settings.cases:
        raise InvalidParameter("judges decide test cases; an allocation is for users of a search.")
    if isinstance(terms.impressions, bool) or not isinstance(terms.impressions, int):
        raise InvalidParameter(f"impressions is {terms.impressions!r}; it must be a whole number.")
    if terms.impressions < 1:
        raise InvalidParameter(f"impressions is {terms.impressions}; it must be at least 1.")
    for name, low in (("control_share", 0.0), ("traffic", 0.0), ("cap", 0.0)):
        if not low <= getattr(terms, name) <= 1:
            raise InvalidParameter(f"{name} is {getattr(terms, name):g}; it must be from 0 to 1.")
    if not 0 < terms.valid < 1e9:
        raise InvalidParameter(f"valid is {terms.valid:g}; it must be a number of seconds above 0.")
    if terms.control is not None:
        books.index(terms.control)
    rankers = len(active(books))
    if rankers > 1 and terms.cap < 2 / rankers:
        raise InvalidParameter(
            f"cap is {terms.cap:g}; every list holds two of {rankers} rankers, so it must be {2 / rankers:.3g} "
            "or more."
        )


def allocation_of(
    name: str, books: Books, log: Log, terms: Terms, leader: str, now: float
) -> Allocation:
    """Return the document: what the planner would ask next, within the terms."""
    shares = {} if books.closed else _shares(books, log, terms, now)
    names = [option.name for option in books.options]
    named = {(names[i], names[j]): share for (i, j), share in sorted(shares.items())}
    part = min(terms.traffic, 1 - terms.control_share)
    return Allocation(
        study=name,
        version=books.number,
        made=iso(now),
        valid_until=iso(now + terms.valid),
        impressions=terms.impressions,
        alone=terms.control or leader,
        entry_seed=name,
        taking_part=round(BUCKETS * part) if shares else 0,
        pair_seed=f"{name}/{books.number}",
        pairs=shared_out(named),
    )


def _shares(books: Books, log: Log, terms: Terms, now: float) -> dict[Pair, float]:
    """The share of each pair in the lists that are interleaved; less than 1 in all where caps leave no pair.

    The planner's next questions are scaled up until a ranker has its cap. Then it is asked again, without that one.
    """
    shares: dict[Pair, float] = {}
    books, options, left = copy.deepcopy(books), active(books), 1.0
    while left > TINY and len(options) > 1:
        weights = _proposed(books, log, options, min(terms.impressions, DRAWS), now)
        if not weights:
            break
        room = {i: (terms.cap - _held(shares, i)) / _held(weights, i) for i in _named(weights)}
        step = min(left, *room.values())
        for pair, weight in weights.items():
            shares[pair] = shares.get(pair, 0.0) + step * weight
        left -= step
        options -= {i for i in room if room[i] <= step + TINY}
    return shares


def _proposed(
    books: Books, log: Log, options: frozenset[int], draws: int, now: float
) -> dict[Pair, float]:
    """The share of each pair in the planner's next questions; the books take these as asked."""
    wish = Wish(books.number + 1, now, None, options)
    asked = chooser_of(books, log).propose(log, books, wish, draws)
    for left, right in asked:
        books.take(Event(books.number + 1, ASKED, now, left=left, right=right))
    counts = Counter((min(pair), max(pair)) for pair in asked)
    return {pair: count / len(asked) for pair, count in sorted(counts.items())}


def _named(shares: dict[Pair, float]) -> set[int]:
    return {option for pair in shares for option in pair}


def _held(shares: dict[Pair, float], option: int) -> float:
    return sum(share for pair, share in shares.items() if option in pair)


def allocated(study: Any, work: Transactions, terms: Terms) -> Allocation:
    """Return the allocation of a study."""
    standing = study.standing(voters=False)
    best = [standing.labels[i] for i in standing.certificate.best]
    leader = best[0] if best else standing.leader or standing.labels[0]

    def look(log: Log) -> Allocation:
        check_terms(terms, work.books)
        return allocation_of(study.name, work.books, log, terms, leader, study._clock())

    return work.read(look)
