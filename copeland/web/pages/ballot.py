"""A ballot as a voter sees it: two panes and how far the voter is. Checks look the same, and are no votes.

Checks are pairs with a known answer, and earlier pairs once more with their sides swapped. Known answers are about texts
that are no options. Only they may exclude a voter, by a rule that is fixed when the study is created; the votes are then
undone with that reason, for everybody to see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from markupsafe import Markup

from copeland.errors import StudyClosed, UnknownVote
from copeland.study import Ballot, Event, Following, Look, Study, Wait
from copeland.study.kinds.base import ENDLESS
from copeland.study.log.events import ASKED, LEFT, RIGHT
from copeland.study.options import ACTIVE
from copeland.support.phrasing import format_count
from copeland.web.render import render_text
from copeland.web.security import HiddenBallot, hash_text
from copeland.web.server import Server
from copeland.web.sessions import Visitor
from copeland.web.store import Checked, VotingPage, pane_key

KNOWN, REPEAT = "known", "repeat"
SWAPPED = {LEFT: RIGHT, RIGHT: LEFT}
LATELY = 2  # answers that a repeat keeps away from


class Side(NamedTuple):
    """One half of a ballot."""

    label: str  # A or B
    text: Markup | None
    image: str | None  # where it is to be had
    alt: str
    width: int
    height: int


class VoterProgress(NamedTuple):
    """What a voter did so far, and what is still to come."""

    answers: list[Event]  # those that stand, the oldest first
    last: Event | None  # which can be undone, if it was the last thing this voter did
    undone: Mapping[int | None, int]  # how often the answer to a ballot was undone
    closed: bool
    pairs: int  # that the voter is asked at most
    checks: list[str]  # that the voter meets, by their kinds

    @property
    def done(self) -> int:
        """How many answers stand."""
        return len(self.answers)


class ShownBallot(NamedTuple):
    """A ballot on its page."""

    token: str
    sides: tuple[Side, Side]
    has_images: bool
    item: Markup | None = None  # what the options are compared on


def progress_of(page: VotingPage, look: Look) -> VoterProgress:
    """Return how far a voter is, from that voter's answers and what became of them."""
    answers = [vote for vote in look.votes if vote.ballot is not None]
    standing = [vote for vote in answers if vote.number not in look.undone]
    undone = Counter(vote.ballot for vote in answers if vote.number in look.undone)
    last = answers[-1] if answers and answers[-1].number not in look.undone else None
    pairs = pairs_for(page, look.active)
    return VoterProgress(standing, last, undone, look.closed, pairs, plan_checks(page, pairs))


def count_options(study: Study) -> int:
    """Return how many options a study asks about; of a space, as good as endless ones."""
    if study.settings.space:
        return ENDLESS
    return sum(option.state == ACTIVE for option in study.options)


def pairs_for(page: VotingPage, active: int) -> int:
    """Return how many pairs a voter is asked at most, where so many options are asked."""
    return min(page.per_voter, active * (active - 1) // 2)


def show_ballot(server: Server, voter: Visitor, ballot: Ballot, attempt: int) -> ShownBallot:
    """Return a ballot as it is shown."""
    kind = "markdown" if voter.page.kind == "markdown" else "text"
    return _show(server, voter, HiddenBallot(ballot.id, attempt), ballot, kind)


def _show(
    server: Server, voter: Visitor, hidden: HiddenBallot, ballot: Ballot, kind: str
) -> ShownBallot:
    """A ballot under its token; ``kind`` is how its item is shown."""
    page = voter.page
    token = server.signer.seal(page.slug, voter.name, hidden)
    one, other = (
        side_of(server, page, name, side, f"/m/{page.slug}/{token}/{side.lower()}", ballot.item)
        for name, side in ((ballot.left, "A"), (ballot.right, "B"))
    )
    item = None if ballot.item is None else render_text(kind, ballot.item)
    return ShownBallot(token, (one, other), bool(one.image or other.image), item)


def next_of(server: Server, voter: Visitor, done: int) -> Following:
    """Return what a voter's new ballots are about: items by lot, and the options that have a text for each."""
    outputs = server.outputs(voter.page)
    items = sorted(item for item, texts in outputs.items() if len(texts) > 1)
    if not items:
        return Following()
    lots = (int(hash_text(f"{voter.name} {n}")[:12], 16) for n in range(done, voter.page.per_voter))
    drawn = [items[lot % len(items)] for lot in lots]
    about = [(item, tuple(outputs[item])) for item in drawn]
    return Following(*about[0], tuple(about[1:])) if about else Following()


def side_of(
    server: Server, page: VotingPage, name: str, label: str, address: str, item: str | None
) -> Side:
    """Return what is shown for an option; ``address`` is where its image would be."""
    pane = server.panes(page).get(pane_key(name, item))
    drawing = server.drawing(page, name) if pane is None else None
    if drawing is not None:
        return Side(label, None, address, name, *drawing.size)
    if pane is None:
        output = server.outputs(page).get(item or "", {}).get(name)
        text = render_text(page.kind, output or server.text(page, name) or name, page.language)
        return Side(label, text, None, "", 0, 0)
    width, height = server.size(pane.media)
    return Side(label, None, address, pane.alt, width, height)


def explain_end(page: VotingPage, study: Study, found: Wait | None, progress: VoterProgress) -> str:
    """Return why a voter is asked nothing more: paused, closed, decided, done or later."""
    if page.paused:
        return "paused"
    if study.closed:
        return "closed"
    if isinstance(found, Wait):
        return "later"
    if progress.done >= progress.pairs or study.settings.space:
        return "done"
    return "decided" if study.certificate().best else "done"


class Check(NamedTuple):
    """A check that a voter is to answer."""

    place: int  # among this voter's checks
    ballot: int  # which it repeats; 0 if its answer is known


def check_of(hidden: HiddenBallot) -> Check | None:
    """Return the check that a token hides, None if that is a ballot."""
    return Check(hidden.turn, hidden.ballot) if hidden.is_check else None


def plan_checks(page: VotingPage, pairs: int) -> list[str]:
    """Return the kinds of the checks that a voter meets, in their order.

    Examples
    --------
    >>> page = VotingPage(1, "tea", "x", known=[["good", "bad"]], check_every=5, repeats=True)
    >>> plan_checks(page, 20)
    ['known', 'repeat', 'repeat', 'repeat']
    """
    times = pairs // page.check_every if page.check_every else 0
    kinds, left = [], len(page.known)
    for number in range(times):
        if left and (number % 2 == 0 or not page.repeats):
            kinds.append(KNOWN)
            left -= 1
        elif page.repeats:
            kinds.append(REPEAT)
    return kinds


def find_due_check(page: VotingPage, progress: VoterProgress, given: int) -> Check | None:
    """Return the check that comes before the next pair, if one does; so many were given before."""
    due = given < len(progress.checks) and progress.done >= (given + 1) * page.check_every
    if not due or page.paused or progress.closed:
        return None
    if progress.checks[given] == KNOWN:
        return Check(given, 0)
    ballots = [event.ballot for event in progress.answers if event.ballot is not None]
    before = ballots[:-LATELY] or ballots
    return Check(given, before[given % len(before)]) if before else None


def show_check(server: Server, voter: Visitor, study: Study, check: Check) -> ShownBallot | None:
    """Return a check as it is shown: as any other pair."""
    hidden = HiddenBallot(check.ballot, check.place, is_check=True)
    if check.ballot == 0:
        token = server.signer.seal(voter.page.slug, voter.name, hidden)
        return ShownBallot(token, _known(voter, check), False)
    ballot = swap_ballot(study, check)
    return ballot and _show(server, voter, hidden, ballot, voter.page.kind)


def swap_ballot(study: Study, check: Check) -> Ballot | None:
    """Return the ballot that a check repeats, with its sides swapped."""
    asked = next(iter(study.events(check.ballot - 1, 1)), None)
    if asked is None or asked.kind != ASKED or asked.left is None or asked.right is None:
        return None
    options = study.options
    left, right = options[asked.right].name, options[asked.left].name
    return Ballot(asked.number, left, right, asked.voter, asked.item, 0.0)


def _known(voter: Visitor, check: Check) -> tuple[Side, Side]:
    page = voter.page
    better, worse = page.known[_known_at(page, check)]
    texts = (better, worse) if right_answer(voter, check) == LEFT else (worse, better)
    one, other = (render_text(page.kind, text, page.language) for text in texts)
    return Side("A", one, None, "", 0, 0), Side("B", other, None, "", 0, 0)


def _known_at(page: VotingPage, check: Check) -> int:
    """Which of the known answers a check is about."""
    kinds = plan_checks(page, page.check_every * (check.place + 1))
    return kinds[: check.place].count(KNOWN) % len(page.known)


def right_answer(voter: Visitor, check: Check) -> str:
    """Return the side on which the better text is: by lot, and the same whenever it is shown."""
    return LEFT if int(hash_text(f"{voter.name} check {check.place}")[:8], 16) % 2 else RIGHT


def store_answer(
    server: Server, voter: Visitor, study: Study, check: Check, outcome: str, own: Iterable[Event]
) -> None:
    """Store the answer to a check, once; and exclude who fails too often."""
    if check.ballot == 0:
        kind, right = KNOWN, right_answer(voter, check)
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
