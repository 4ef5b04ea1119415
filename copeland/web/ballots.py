"""A ballot as a voter sees it: two panes, how far the voter is, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from copeland.study import Ballot, Event, Following, Look, Study, Wait
from copeland.study.kinds.base import ENDLESS
from copeland.study.options import ACTIVE
from copeland.web.drawings import drawing_of
from copeland.web.page import Page
from copeland.web.records import pane_key
from copeland.web.server import Server
from copeland.web.sessions import Voter
from copeland.web.texts import shown_text
from copeland.web.tokens import hashed


class Side(NamedTuple):
    """One half of a ballot."""

    label: str  # A or B
    text: Markup | None
    image: str | None  # where it is to be had
    alt: str
    width: int
    height: int


class Progress(NamedTuple):
    """What a voter did so far."""

    done: int  # answers that stand
    last: Event | None  # which can be undone, if it was the last thing this voter did
    undone: Mapping[int | None, int]  # how often the answer to a ballot was undone
    answered: tuple[Event, ...] = ()  # what stands, the oldest first


class Shown(NamedTuple):
    """A ballot on its page."""

    token: str
    sides: tuple[Side, Side]
    has_images: bool
    item: Markup | None = None  # what the options are compared on


def progress_of(look: Look) -> Progress:
    """Return how far a voter is, from that voter's answers and what became of them."""
    answers = [vote for vote in look.votes if vote.ballot is not None]
    standing = tuple(vote for vote in answers if vote.number not in look.undone)
    undone = Counter(vote.ballot for vote in answers if vote.number in look.undone)
    last = answers[-1] if answers and answers[-1].number not in look.undone else None
    return Progress(len(standing), last, undone, standing)


def offered(study: Study) -> int:
    """Return how many options a study asks about; of a space, as good as endless ones."""
    if study.settings.space:
        return ENDLESS
    return sum(option.state == ACTIVE for option in study.options)


def pairs_for(page: Page, active: int) -> int:
    """Return how many pairs a voter is asked at most, where so many options are asked."""
    return min(page.per_voter, active * (active - 1) // 2)


def shown(server: Server, voter: Voter, ballot: Ballot, attempt: int) -> Shown:
    """Return a ballot as it is shown."""
    page = voter.page
    token = server.signer.seal(page.slug, voter.name, ballot.id, attempt)
    at = f"/m/{page.slug}/{token}"
    sides = [
        side_of(server, page, name, label, f"{at}/{label.lower()}", ballot.item)
        for name, label in ((ballot.left, "A"), (ballot.right, "B"))
    ]
    return Shown(
        token, (sides[0], sides[1]), any(side.image for side in sides), _item(page, ballot)
    )


def _item(page: Page, ballot: Ballot) -> Markup | None:
    if ballot.item is None:
        return None
    return shown_text("markdown" if page.kind == "markdown" else "text", ballot.item)


def next_of(server: Server, voter: Voter, done: int) -> Following:
    """Return what a voter's new ballots are about: items by lot, and the options that have a text for each."""
    outputs = server.outputs(voter.page)
    items = sorted(item for item, texts in outputs.items() if len(texts) > 1)
    if not items:
        return Following()
    lots = (int(hashed(f"{voter.name} {n}")[:12], 16) for n in range(done, voter.page.per_voter))
    drawn = [items[lot % len(items)] for lot in lots]
    about = [(item, tuple(outputs[item])) for item in drawn]
    return Following(*about[0], tuple(about[1:])) if about else Following()


def side_of(
    server: Server,
    page: Page,
    name: str,
    label: str,
    address: str,
    item: str | None = None,
) -> Side:
    """Return what is shown for an option; ``address`` is where its image would be."""
    pane = server.panes(page).get(pane_key(name, item))
    drawing = drawing_of(server, page, name) if pane is None else None
    if drawing is not None:
        return Side(label, None, address, name, *drawing.size)
    if pane is None:
        output = server.outputs(page).get(item or "", {}).get(name)
        text = shown_text(page.kind, output or server.text(page, name) or name, page.language)
        return Side(label, text, None, "", 0, 0)
    width, height = server.size(pane.media)
    return Side(label, None, address, pane.alt, width, height)


def why_ended(page: Page, study: Study, found: Wait | None, done: int, of: int) -> str:
    """Return why a voter is asked nothing more: paused, closed, decided, done or later."""
    if page.paused:
        return "paused"
    if study.closed:
        return "closed"
    if isinstance(found, Wait):
        return "later"
    if done >= of or study.settings.space:
        return "done"
    return "decided" if study.certificate().best else "done"
