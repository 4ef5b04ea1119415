"""An allocation: a small document from which any front end, in any language, draws the rankers of a user.

Two hashes decide, and nothing else. The first says whether a user takes part, by a seed that stays: so a user who
takes part at a tenth of the traffic also does at a half. The second says which pair, by a seed that is new in each
document: so users meet one pair after the other. docs/click-logs.md has the rule in words, with numbers to test it by.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from copeland.errors import InvalidParameter
from copeland.files import read_text
from copeland.times import seconds_since_1970

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
    """Return the bucket of a user: the first 13 hexadecimal digits of SHA-256 of seed, line feed, user; modulo 10,000.

    Examples
    --------
    >>> bucket_of("search", "ann"), bucket_of("search", "日本")
    (2891, 5769)
    """
    digest = sha256(f"{seed}\n{user}".encode("utf-8", "surrogatepass")).hexdigest()
    return int(digest[:_DIGITS], 16) % BUCKETS


def shared_out(shares: dict[tuple[str, str], float]) -> tuple[Share, ...]:
    """Return the buckets of each pair, by shares of 1; what is left is nobody's.

    Examples
    --------
    >>> shared_out({("a", "b"): 0.375, ("a", "c"): 0.125})
    (Share(left='a', right='b', first=0, end=3750), Share(left='a', right='c', first=3750, end=5000))
    """
    found, taken = [], 0.0
    for (left, right), share in shares.items():
        before, taken = taken, taken + share
        found.append(Share(left, right, round(BUCKETS * before), round(BUCKETS * taken)))
    return tuple(share for share in found if share.first < share.end)
