"""An allocation: a small document from which any front end, in any language, draws the rankers of a user.

Two hashes decide, and nothing else. The first says whether a user takes part, by a seed that stays: so a user who
takes part at a tenth of the traffic also does at a half. The second says which pair, by a seed that is new in each
document: so users meet one pair after the other. docs/click-logs.md has the rule in words, with numbers to test it by.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from copeland.errors import InvalidParameter
from copeland.study.kinds import kind_of
from copeland.study.log.event_log import Log
from copeland.study.log.events import ASKED, Event
from copeland.study.log.state import StudyState
from copeland.study.pair_choice import BallotRequest, Pair, chooser_of
from copeland.study.session import OpenedStudy
from copeland.study.votes import iso
from copeland.support.atomic_files import read_text
from copeland.support.timestamps import seconds_since_1970

FORMAT = 1
BUCKETS = 10_000
_DIGITS = 13  # hexadecimal ones of a hash: 52 bits, which every language's numbers hold exactly


@dataclass(frozen=True)
class Share:
    """A pair of rankers, and the buckets from ``first`` to before ``end`` that are its own."""

    left: str
    right: str
    first: int
    end: int


@dataclass(frozen=True)
class Allocation:
    """Which users see which rankers, until a time."""

    study: str
    version: int  # the last event of the study's log that it knows
    made: str  # ISO 8601
    valid_until: str
    impressions: int
    alone: str  # the ranker that everybody else sees
    entry_seed: str
    taking_part: int  # users in buckets below this one take part
    pair_seed: str
    pairs: tuple[Share, ...]

    def draw(self, user: str, now: float | None = None) -> tuple[str, ...]:
        """Return the rankers of a user: two to interleave, or one alone.

        Parameters
        ----------
        now
            Seconds since 1970. Once the document has expired, everybody sees one ranker alone.
        """
        expired = now is not None and now >= seconds_since_1970(self.valid_until)
        if expired or bucket_of(self.entry_seed, user) >= self.taking_part:
            return (self.alone,)
        place = bucket_of(self.pair_seed, user)
        for share in self.pairs:
            if share.first <= place < share.end:
                return share.left, share.right
        return (self.alone,)

    def to_json(self) -> str:
        """Return the document."""
        return json.dumps({"format": FORMAT, "buckets": BUCKETS, **asdict(self)}, indent=1) + "\n"

    @classmethod
    def load(cls, path: str) -> Allocation:
        """Return the allocation in a file that :meth:`to_json` wrote."""
        text = read_text(path)
        try:
            content = json.loads(text)
            return cls._of(content)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InvalidParameter(f"{path} is not an allocation of format {FORMAT}.") from None

    @classmethod
    def _of(cls, content: dict[str, Any]) -> Allocation:
        if (content.pop("format"), content.pop("buckets")) != (FORMAT, BUCKETS):
            raise ValueError("another format")
        pairs = tuple(Share(**share) for share in content.pop("pairs"))
        return cls(**content, pairs=pairs)


def bucket_of(seed: str, user: str) -> int:
    """Return the bucket of a user: the first 13 hexadecimal digits of SHA-256 of seed, line feed, user; modulo 10,000."""
    digest = sha256(f"{seed}\n{user}".encode("utf-8", "surrogatepass")).hexdigest()
    return int(digest[:_DIGITS], 16) % BUCKETS


def assign_buckets(shares: dict[tuple[str, str], float]) -> tuple[Share, ...]:
    """Return the buckets of each pair, by shares of 1; what is left is nobody's."""
    found, taken = [], 0.0
    for (left, right), share in shares.items():
        before, taken = taken, taken + share
        found.append(Share(left, right, round(BUCKETS * before), round(BUCKETS * taken)))
    return tuple(share for share in found if share.first < share.end)


DRAWS = 400  # questions that the planner is asked for: shares are multiples of one in so many
TINY = 1e-9


class AllocationTerms(NamedTuple):
    """How users may be shared out."""

    impressions: int  # while the document is valid
    control: str | None = None  # who is shown to users who do not take part; None: the leader
    control_share: float = 0.0  # of users who never take part
    cap: float = 1.0  # of the lists that are interleaved, the most that may hold one ranker
    traffic: float = 1.0  # of users who take part
    valid: float = 3600.0  # seconds


def check_terms(terms: AllocationTerms, state: StudyState) -> None:
    """Refuse terms that mean nothing, or that no allocation can meet."""
    kind_of(state.settings).check_allocating()
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
        state.index(terms.control)
    rankers = len(state.options_asked)
    if rankers > 1 and terms.cap < 2 / rankers:
        raise InvalidParameter(
            f"cap is {terms.cap:g}; every list holds two of {rankers} rankers, so it must be {2 / rankers:.3g} "
            "or more."
        )


def allocation_of(
    name: str, state: StudyState, log: Log, terms: AllocationTerms, leader: str, now: float
) -> Allocation:
    """Return the document: what the planner would ask next, within the terms."""
    shares = {} if state.closed else _shares(state, log, terms, now)
    names = [option.name for option in state.options]
    named = {(names[i], names[j]): share for (i, j), share in sorted(shares.items())}
    part = min(terms.traffic, 1 - terms.control_share)
    return Allocation(
        study=name,
        version=state.number,
        made=iso(now),
        valid_until=iso(now + terms.valid),
        impressions=terms.impressions,
        alone=terms.control or leader,
        entry_seed=name,
        taking_part=round(BUCKETS * part) if shares else 0,
        pair_seed=f"{name}/{state.number}",
        pairs=assign_buckets(named),
    )


def _shares(state: StudyState, log: Log, terms: AllocationTerms, now: float) -> dict[Pair, float]:
    """The share of each pair in the lists that are interleaved; less than 1 in all where caps leave no pair.

    The planner's next questions are scaled up until a ranker has its cap. Then it is asked again, without that one.
    """
    shares: dict[Pair, float] = {}
    state, options, left = copy.deepcopy(state), state.options_asked, 1.0
    while left > TINY and len(options) > 1:
        weights = _propose_shares(state, log, options, min(terms.impressions, DRAWS), now)
        if not weights:
            break
        room = {
            i: (terms.cap - _sum_shares(shares, i)) / _sum_shares(weights, i)
            for i in {option for pair in weights for option in pair}
        }
        step = min(left, *room.values())
        for pair, weight in weights.items():
            shares[pair] = shares.get(pair, 0.0) + step * weight
        left -= step
        options -= {i for i in room if room[i] <= step + TINY}
    return shares


def _propose_shares(
    state: StudyState, log: Log, options: frozenset[int], draws: int, now: float
) -> dict[Pair, float]:
    """The share of each pair in the planner's next questions; the state takes these as asked."""
    request = BallotRequest(state.number + 1, now, None, options)
    chooser = chooser_of(state, log, kind_of(state.settings).is_open)
    asked = chooser.propose(state, request, draws)
    for left, right in asked:
        state.take(Event(state.number + 1, ASKED, now, left=left, right=right))
    counts = Counter((min(pair), max(pair)) for pair in asked)
    return {pair: count / len(asked) for pair, count in sorted(counts.items())}


def _sum_shares(shares: dict[Pair, float], option: int) -> float:
    return sum(share for pair, share in shares.items() if option in pair)


def allocate_users(study: OpenedStudy, impressions: int, **terms: Any) -> Allocation:
    """Return which users see which rankers for a while; :meth:`Study.allocate <copeland.study.Study.allocate>` says what the terms are."""
    try:
        wanted = AllocationTerms(impressions, **terms)
    except TypeError as error:
        raise InvalidParameter(f"no such term of an allocation: {error}.") from None
    standing = study.standing(voters=False)
    best = [standing.labels[i] for i in standing.certificate.best]
    leader = best[0] if best else standing.leader or standing.labels[0]

    def look(log: Log) -> Allocation:
        state = study.transactions.state
        check_terms(wanted, state)
        return allocation_of(study.name, state, log, wanted, leader, study.now())

    return study.transactions.read(look)
