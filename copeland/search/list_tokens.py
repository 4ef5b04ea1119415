"""One impression: two rankers' lists in, one list out, with a signed token by which its clicks can be credited.

The token says which ballot the list answers, when it was shown and whose each position is. Whoever carries it can
read it, and nobody can change it without the secret.
"""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter, InvalidToken
from copeland.ranking.interleaving import interleave

LENGTH = 10  # documents in a list
LONGEST = 4_000  # characters of a token
METHODS = ("team-draft", "probabilistic")  # those whose lists have teams
SHORTEST_SECRET = 16  # characters

_TAG = 16  # bytes
_LETTERS = "LR"


class Ticket(NamedTuple):
    """What a token says."""

    study: str
    ballot: int
    query: str  # a digest: the same query of the same ballot is the same impression
    shown: float  # seconds since 1970
    teams: str  # L or R for each position, the top first


class ResultList(NamedTuple):
    """A list to show. Without a token nothing was interleaved, and there is nothing to credit."""

    documents: tuple[Hashable, ...]
    token: str | None


class Desk(NamedTuple):
    """What all impressions of a study share."""

    study: str
    secret: str
    method: str


@dataclass(frozen=True)
class Impression:
    """Whose lists to show a user: those of two rankers, interleaved, or that of one alone.

    ``rankers`` names them, left first.
    """

    rankers: tuple[str, ...]
    ballot: int | None  # None: one ranker alone
    query: str
    shown: float
    desk: Desk

    def show(self, *lists: Sequence[Hashable], length: int = LENGTH) -> ResultList:
        """Return the list to show, from the list of each of the rankers, the best document first.

        The same lists of the same query and ballot give the same list again.
        """
        if len(lists) != len(self.rankers):
            raise InvalidParameter(
                f"got {len(lists)} lists; give one for each of {', '.join(self.rankers)}."
            )
        if self.ballot is None:
            return ResultList(tuple(lists[0])[:length], None)
        digest = query_digest(self.query)
        rng = _generator(self.desk, self.ballot, digest)
        made = interleave(lists, length, rng, self.desk.method)
        teams = "".join(_LETTERS[team] for team in made.teams)
        ticket = Ticket(self.desk.study, self.ballot, digest, self.shown, teams)
        return ResultList(made.documents, sign_ticket(ticket, self.desk.secret))


def query_digest(query: str) -> str:
    """Return what a token says of a query."""
    return sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _generator(desk: Desk, ballot: int, query: str) -> np.random.Generator:
    """The luck of a list: fixed by what it is for, and known to nobody without the secret."""
    text = json.dumps(["luck", desk.study, ballot, query]).encode()
    return np.random.default_rng(int.from_bytes(_digest(desk.secret, text), "big"))


def check_desk(desk: Desk) -> None:
    """Refuse a secret that is none, and a method whose lists have no teams."""
    if not isinstance(desk.secret, str) or len(desk.secret) < SHORTEST_SECRET:
        raise InvalidParameter(
            f"the secret has fewer than {SHORTEST_SECRET} characters; make one with secrets.token_hex(16)."
        )
    if desk.method not in METHODS:
        raise InvalidParameter(
            f"the method is '{desk.method}'; clicks are credited by teams, which lists of "
            f"{' and '.join(METHODS)} have."
        )


def sign_ticket(ticket: Ticket, secret: str) -> str:
    """Return the token of a list.

    Examples
    --------
    >>> ticket = Ticket("search", 7, query_digest("tea"), 1.7e9, "LRRL")
    >>> token = sign_ticket(ticket, "a secret of this desk")
    >>> read_ticket(token, "a secret of this desk") == ticket
    True
    """
    body = json.dumps(ticket, separators=(",", ":")).encode()
    return urlsafe_b64encode(_digest(secret, body)[:_TAG] + body).decode().rstrip("=")


def read_ticket(token: str, secret: str) -> Ticket:
    """Return what a token says; refuse one that was not made with this secret."""
    if not isinstance(token, str) or len(token) > LONGEST:
        raise InvalidToken("this is not the token of a list.")
    try:
        raw = urlsafe_b64decode(token.encode("ascii") + b"==")
    except ValueError:
        raise InvalidToken("this is not the token of a list.") from None
    tag, body = raw[:_TAG], raw[_TAG:]
    # Of the texts that decode to the same bytes, one alone was handed out.
    written = urlsafe_b64encode(raw).decode().rstrip("=") == token
    if not written or not hmac.compare_digest(tag, _digest(secret, body)[:_TAG]):
        raise InvalidToken(
            "this token of a list was forged, damaged or signed with another secret."
        )
    return Ticket(*json.loads(body))


def _digest(secret: str, body: bytes) -> bytes:
    return hmac.digest(secret.encode(), b"copeland impression\0" + body, "sha256")


def positions_on(ticket: Ticket, positions: Collection[int]) -> frozenset[int]:
    """Return the positions that were clicked; refuse what is no position of the list."""
    for position in positions:
        whole = isinstance(position, int | np.integer) and not isinstance(position, bool)
        if not whole or not 1 <= position <= len(ticket.teams):
            raise InvalidParameter(
                f"position {position!r} was clicked, but the list has positions 1 to {len(ticket.teams)}."
            )
    return frozenset(map(int, positions))


def outcome_of(teams: str, positions: Collection[int]) -> str:
    """Return who has more clicks on its team: left, right or tie.

    Examples
    --------
    >>> outcome_of("LRRL", [1, 2, 3]), outcome_of("LRRL", [1, 2])
    ('right', 'tie')
    """
    clicked = [teams[position - 1] for position in positions]
    lead = clicked.count("L") - clicked.count("R")
    return "tie" if lead == 0 else "left" if lead > 0 else "right"
