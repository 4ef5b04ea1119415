"""What the web application keeps beside the logs, as values: voting pages, links, keys, images and checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, NamedTuple

from copeland.web.security import hash_text

KINDS = ("text", "markdown", "code")  # how an option's text is shown; an image is shown as it is
RESULTS = ("off", "closed", "live")  # for the public: never, after closing, always
QUESTION = "Which is better?"
SCOPES = ("ask", "tell", "read", "admin")


@dataclass(frozen=True)
class VotingPage:
    """What voters are told and shown."""

    study: int  # its key
    name: str  # its name, which voters never see
    slug: str
    question: str = QUESTION
    guidance: str = ""
    kind: str = "text"
    language: str = ""  # of code
    per_voter: int = 20
    ties: bool = True
    both_bad: bool = True
    items: bool = False  # whether options are compared on items, with a text for each
    known: list[list[str]] = field(default_factory=list)  # texts of which the first is better
    check_every: int = 0  # pairs between two checks; 0: none
    repeats: bool = False  # whether earlier pairs come again, swapped, to see how steady a voter is
    failures: int = 0  # known answers that exclude who fails them; 0: nobody is excluded
    paused: bool = False
    results: str = "off"
    price: float = 0.0  # of an answer; 0: nobody is paid
    currency: str = ""
    budget: float = 0.0  # for all answers; 0: none
    code: str = ""  # shown at the end, for those who must prove that they took part

    @property
    def body(self) -> dict[str, Any]:
        """What is stored beside the study and the address."""
        told = asdict(self)
        return {name: told[name] for name in told if name not in ("study", "name", "slug")}


def page_of(study: int, name: str, slug: str, body: Mapping[str, Any]) -> VotingPage:
    """Return the page that was stored; what a newer version added is left out."""
    known = {one.name for one in fields(VotingPage)}
    return VotingPage(
        study, name, slug, **{key: value for key, value in body.items() if key in known}
    )


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
    return option if item is None else f"{hash_text(item)}\n{option}"


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
