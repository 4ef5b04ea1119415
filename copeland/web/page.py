"""The voting page of a study: what it says, and how long it asks. The votes themselves are the study's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

KINDS = ("text", "markdown", "code")  # how an option's text is shown; an image is shown as it is
RESULTS = (
    "off",
    "closed",
    "live",
)  # who may read results: nobody, everybody after closing, everybody
QUESTION = "Which is better?"


@dataclass(frozen=True)
class Page:
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

    def changed(self, **changes: Any) -> Page:
        """Return the same page with some things said otherwise."""
        return replace(self, **changes)


def page_of(study: int, name: str, slug: str, body: Mapping[str, Any]) -> Page:
    """Return the page that was stored; what a newer version added is left out."""
    known = {one.name for one in fields(Page)}
    return Page(study, name, slug, **{key: value for key, value in body.items() if key in known})
