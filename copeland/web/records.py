"""What is kept beside the logs, row by row: links, keys, images, checks."""

from __future__ import annotations

from typing import NamedTuple

from copeland.web.tokens import hashed

SCOPES = ("ask", "tell", "read", "admin")


class Link(NamedTuple):
    """A way to a voting page: for everybody, or for one voter."""

    id: int
    study: int
    nonce: str
    hash: str
    voter: str | None
    label: str
    created: float
    expires: float | None
    revoked: bool

    def is_open(self, now: float) -> bool:
        """Tell whether it still leads anywhere."""
        return not self.revoked and (self.expires is None or now < self.expires)

    @property
    def source(self) -> str:
        """What the log says of votes that came this way."""
        return f"link {self.nonce[:8]}"


class Key(NamedTuple):
    """What a program may do."""

    id: int
    study: int | None  # None: all studies
    hash: str
    client: str
    label: str
    scopes: str
    created: float
    revoked: bool

    @property
    def source(self) -> str:
        """What the log says of ballots and votes that came this way."""
        return f"key {self.client}"

    def allows(self, scope: str) -> bool:
        """Tell whether it is for this."""
        return scope in self.scopes.split()


class Image(NamedTuple):
    """An image as it is sent."""

    digest: str
    kind: str
    content: bytes
    width: int
    height: int


class Pane(NamedTuple):
    """The image of an option, and words for those who do not see it."""

    media: str
    alt: str


def pane_key(option: str, item: str | None) -> str:
    """Return what the image of an option is kept under, of one item if it has one for each.

    A name holds no line break, so no option is taken for another's image.
    """
    return option if item is None else f"{hashed(item)}\n{option}"


def option_of(key: str) -> str:
    """Return the option whose image is kept under a key.

    Examples
    --------
    >>> option_of(pane_key("tea", "Why?")), option_of(pane_key("tea", None))
    ('tea', 'tea')
    """
    return key.rpartition("\n")[2]


class Checked(NamedTuple):
    """What became of a check."""

    voter: str
    kind: str
    good: bool | None  # None: it tells nothing, as it was skipped
