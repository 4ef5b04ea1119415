"""What a voter meets: start, vote, thanks. Nothing here tells a name, a count or a standing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Request
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, JSONResponse, Response

from copeland.errors import AlreadyVoted, Conflict, StudyClosed, UnknownBallot, UnknownVote
from copeland.study import Ballot, Event, Following, Look, Study, Wait
from copeland.study.kinds import kind_of
from copeland.study.log.events import ASKED, BOTH_BAD, LEFT, RIGHT, SKIP, TIE
from copeland.support.phrasing import is_random_name
from copeland.web import sessions
from copeland.web.completion import read_code, write_completion_link
from copeland.web.ideas import may_suggest
from copeland.web.pages import checks
from copeland.web.pages.question_counts import count_panel, pairs_for, usual_questions
from copeland.web.recordings import is_recording, send_medium
from copeland.web.render import redirect, render_page, render_text
from copeland.web.security import ATTEMPTS, HiddenBallot, hash_text, require
from copeland.web.server import Server, server_of
from copeland.web.sessions import Visitor, read_field, require_ours
from copeland.web.store import Link, VotingPage, pane_key

router = APIRouter()

Form = Annotated[FormData, Depends(sessions.plain_form_of)]
PAIR_SECONDS = 12  # that a pair takes somebody, roughly
UNDONE = "the voter took it back"
MORE = "?more=1"  # of an address, where a member of a panel goes on beyond the share of questions
LONGEST = 10_000  # pairs for which checks are planned
COMPLETE = ("done", "share", "decided")  # why a voter is asked nothing more, who did their part
CODE = "panel code"  # what a panel's code is signed for
MANY = 1_000_000  # answers: as many as are left to ask
HELD = 2  # ballots of a voter: the one that is shown, and the next


class Side(NamedTuple):
    """One half of a ballot."""

    label: str  # A or B
    text: Markup | None
    image: str | None  # where it is to be had
    alt: str
    width: int
    height: int
    kind: str = ""  # of a recording, which is played


class Visit(NamedTuple):
    """A request of somebody who votes."""

    request: Request
    server: Server
    voter: Visitor
    study: Study

    @property
    def page(self) -> VotingPage:
        """What they are told and shown."""
        return self.voter.page

    @property
    def wants_fragment(self) -> bool:
        """Whether a script asks, which shows the pair in the page that is there."""
        return self.request.headers.get("x-fragment") == "pair"

    @property
    def wants_more(self) -> bool:
        """Whether a member of a panel goes on beyond the share of questions."""
        return self.request.query_params.get("more") == "1"

    def require_ours(self, form: FormData) -> None:
        """Refuse a form that another site made a browser send."""
        require_ours(self.request, form, self.voter.name)


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
    item: Markup | None = None  # what the options are compared on

    @property
    def has_images(self) -> bool:
        """Whether something is looked at."""
        return any(side.image and not side.kind for side in self.sides)

    @property
    def has_recordings(self) -> bool:
        """Whether something must be played before a vote."""
        return any(side.kind for side in self.sides)


def _route(method: str, path: str) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """Let a function answer in a thread, with the parts of the path and the form.

    FastAPI would prepare and check parameters that need none of it, and every vote comes this way.
    """

    def add(answer: Callable[..., Response]) -> Callable[..., Response]:
        async def handle(request: Request) -> Response:
            given = dict(request.path_params)
            if method == "POST":
                given["form"] = await sessions.plain_form_of(request)
            return await run_in_threadpool(answer, request, **given)

        router.routes.append(
            sessions.PlainRoute(path, handle, methods=[method], name=answer.__name__)
        )
        return answer

    return add


@router.get("/v/{token}")
def start(request: Request, token: str) -> HTMLResponse:
    """Show what will be asked. This changes nothing: mail programs open links too."""
    server = server_of(request)
    link, page = _open_link(request, token)
    study = server.study(page)
    begun = sessions.voter_of(request, page.slug)
    absent = find_absence(study, link.voter)
    member = link.voter if kind_of(study.settings).asks_shares and not absent else None
    pairs = usual_questions(page, study) if member is None else count_panel(study).left(member)
    shown_pairs = pairs + len(checks.plan_checks(page, pairs))
    return render_page(
        request,
        "start",
        page=page,
        guidance=render_text("markdown", page.guidance) if page.guidance else "",
        pairs=shown_pairs,
        minutes=max(1, round(shown_pairs * PAIR_SECONDS / 60)),
        begun=begun is not None and begun.link.study == link.study,
        ended=_find_obstacle(page, study.closed) or absent,
        is_panel=bool(study.settings.panel),
        is_personal=link.voter is not None,
        is_named=page.named or (link.voter is not None and not is_random_name(link.voter)),
        panel_code=_sign_code(request, page, link),
        action=f"/v/{token}",
        csrf=server.signer.form(link.hash),
    )


@_route("POST", "/v/{token}")
def begin(request: Request, token: str, form: FormData) -> Response:
    """Let somebody vote."""
    link, page = _open_link(request, token)
    require_ours(request, form, link.hash)
    if find_absence(server_of(request).study(page), link.voter):
        return redirect(request, f"/v/{token}")
    answer = redirect(request, f"/vote/{page.slug}")
    signed = server_of(request).signer.read(CODE, read_field(form, "panel_code"))
    is_ours = isinstance(signed, list) and signed[0] == page.slug and link.voter is None
    sessions.begin_voting(request, answer, page, link, signed[1] if is_ours else "")
    return answer


def _sign_code(request: Request, page: VotingPage, link: Link) -> str:
    """The code that a panel put into an open link, for the form that begins; empty if there is none."""
    code = read_code(page, request.query_params) if link.voter is None else ""
    return server_of(request).signer.sign(CODE, [page.slug, code]) if code else ""


@_route("GET", "/vote/{slug}")
def vote(request: Request, slug: str) -> Response:
    """Show the pair that this voter is to answer: the same one until it is answered."""
    return _next(find_visit(request, slug))


@_route("POST", "/vote/{slug}")
def answer(request: Request, slug: str, form: FormData) -> Response:
    """Store an answer, and show the next pair."""
    visit = find_visit(request, slug)
    server, voter, study = visit.server, visit.voter, visit.study
    visit.require_ours(form)
    sessions.require_calm(request, voter)
    hidden = _ballot(visit, read_field(form, "ballot"))
    outcome = read_field(form, "outcome")
    if outcome not in outcomes_of(voter.page):
        raise HTTPException(400)
    if outcome != SKIP and not read_field(form, "played") and _is_played(visit, hidden):
        return _after(visit, "Play both before you answer. ")
    if hidden.is_check:
        check = checks.Check(hidden.turn, hidden.ballot)
        progress = look_up(visit)
        if not progress.closed:
            checks.store_answer(server, voter, study, check, outcome, progress.answers)
        return _after(visit, "Vote kept. ")
    server.outputs(voter.page)  # which are not to be looked up amid the transaction
    most = _find_limit(visit)
    try:
        kept = study.visitors.answer(
            ballot=hidden.ballot,
            outcome=outcome,
            voter=voter.name,
            event_id=f"page/{voter.page.slug}/{hidden.ballot}/{hidden.turn}",  # which no other study has
            source=voter.link.source,
            onward=lambda look: _onward(visit, look, most),
        )
    except (AlreadyVoted, Conflict):
        return _after(visit, "This pair was answered before. ")
    except (StudyClosed, UnknownBallot):
        return _after(visit, "")
    progress = _progress_of(visit, kept.look, most) if kept.look else None
    if progress is None or progress.checks or not visit.wants_fragment:
        return _after(visit, "Vote kept. ")
    return _view(visit, kept.next, progress, "Vote kept. ")


def _onward(visit: Visit, look: Look, most: int | None) -> Following | None:
    """What a voter is asked right after an answer, if anything."""
    progress = _progress_of(visit, look, most)
    goes_on = progress.done < progress.pairs and not visit.page.paused and not progress.checks
    return _draw_items(visit, progress.done) if goes_on else None


@_route("POST", "/vote/{slug}/undo")
def undo(request: Request, slug: str, form: FormData) -> Response:
    """Take back this voter's last answer, until there is another; then its pair is asked again."""
    visit = find_visit(request, slug)
    visit.require_ours(form)
    sessions.require_calm(request, visit.voter)
    last = look_up(visit).last
    try:
        if last is not None and last.event_id is not None:
            visit.study.undo(last.event_id, UNDONE, own=True)
    except (StudyClosed, UnknownVote):  # it was closed, or undone in another window, just now
        last = None
    return _after(visit, "Your last answer is taken back. " if last else "")


@router.get("/m/{slug}/{token}/{side}")
def medium(request: Request, slug: str, token: str, side: str) -> Response:
    """Return an image of a ballot, to the voter whose ballot it is."""
    visit = find_visit(request, slug)
    key = _shown_at(visit.study, _ballot(visit, token), side)
    pane = visit.server.panes(visit.page).get(key)
    return send_medium(request, visit.server.store.image(pane.media) if pane else None)


def _shown_at(study: Study, hidden: HiddenBallot, side: str) -> str:
    """What the image is kept under that is on a side of a ballot, or of a check that repeats one."""
    asked = next(iter(study.events(hidden.ballot - 1, 1)), None) if hidden.ballot else None
    if asked is None or asked.kind != ASKED:
        return ""
    sides = (asked.right, asked.left) if hidden.is_check else (asked.left, asked.right)
    option = dict(zip("ab", sides, strict=True)).get(side)
    return "" if option is None else pane_key(study.options[option].name, asked.item)


def _is_played(visit: Visit, hidden: HiddenBallot) -> bool:
    """Tell whether one side of a ballot is a recording."""
    server, panes = visit.server, visit.server.panes(visit.page)
    shown = (panes.get(_shown_at(visit.study, hidden, side)) for side in "ab") if panes else ()
    return any(pane is not None and is_recording(server.kind(pane.media)) for pane in shown)


def outcomes_of(page: VotingPage) -> list[str]:
    """Return what a voter can say on a page."""
    either = {TIE: page.ties, BOTH_BAD: page.both_bad}
    return [LEFT, RIGHT, SKIP, *(outcome for outcome, may in either.items() if may)]


def _open_link(request: Request, token: str) -> tuple[Link, VotingPage]:
    """The link of a token and its page; whoever tries many tokens has to wait."""
    server = server_of(request)
    found = server.opening(token)
    if found is None or not found[1].is_open(server.clock()):
        server.limits.refuse(ATTEMPTS, sessions.address_of(request))
    return found[1], found[0]


def find_visit(request: Request, slug: str) -> Visit:
    """Return who votes, and in which study; nobody else finds anything here."""
    voter, server = require(sessions.voter_of(request, slug)), server_of(request)
    server.note_page(voter.page)
    return Visit(request, server, voter, server.study(voter.page))


def _ballot(visit: Visit, token: str) -> HiddenBallot:
    return require(visit.server.signer.unseal(visit.page.slug, visit.voter.name, token))


def _find_obstacle(page: VotingPage, closed: bool) -> str:
    """Why nobody can vote, if so."""
    return "paused" if page.paused else "closed" if closed else ""


def find_absence(study: Study, voter: str | None) -> str:
    """Return why somebody is not asked, if only the members of a panel are and this is none, or one who is excused."""
    if not kind_of(study.settings).admits(study.settings, voter):
        return "uninvited"
    is_excused = study.look_at_state(lambda state: voter in state.ledger.excused)
    return "excused" if is_excused else ""


def _after(visit: Visit, happened: str) -> Response:
    """What follows a form: the next pair, or for a browser without scripts the way to it."""
    if visit.wants_fragment:
        return _next(visit, happened)
    return redirect(visit.request, f"/vote/{visit.page.slug}{MORE if visit.wants_more else ''}")


def _find_limit(visit: Visit) -> int | None:
    """Up to how many answers a member of a panel is asked for now; None where the page says it."""
    settings, voter = visit.study.settings, visit.voter.name
    if not kind_of(settings).asks_shares or not kind_of(settings).admits(settings, voter):
        return None
    return MANY if visit.wants_more else count_panel(visit.study).limit(voter)


def look_up(visit: Visit) -> VoterProgress:
    """Return how far a voter is."""
    most = _find_limit(visit)
    return _progress_of(visit, visit.study.visitors.look(visit.voter.name), most)


def _next(visit: Visit, happened: str = "") -> HTMLResponse:
    """The next pair, or why there is none: who is there and what comes next are found in one transaction."""
    absent = find_absence(visit.study, visit.voter.name)
    if absent:
        return _view(visit, None, look_up(visit), happened, absent)
    if visit.page.check_every:
        return _next_or_check(visit, happened)
    visit.server.outputs(visit.page)  # which are not to be looked up amid the transaction
    most = _find_limit(visit)
    look, found = visit.study.visitors.meet(
        visit.voter.name, lambda look: _onward(visit, look, most)
    )
    return _view(visit, found, _progress_of(visit, look, most), happened)


def _next_or_check(visit: Visit, happened: str) -> HTMLResponse:
    """The next pair, a check if one is due, or the end for who failed too many."""
    page, voter, progress, found = visit.page, visit.voter.name, look_up(visit), None
    given = visit.server.store.checks_of(page.study, voter)
    if checks.is_excluded(page, given):
        return _view(visit, None, progress, happened, "excluded")
    if not _find_obstacle(page, progress.closed):
        check = checks.find_due_check(page, progress.checks, len(given), progress.answers)
        found = _show_check(visit, check) if check else None
        if found is None and progress.done < progress.pairs:
            with suppress(StudyClosed):  # just now
                found = visit.study.visitors.following(voter, _draw_items(visit, progress.done))
    return _view(visit, found, progress, happened)


def _view(
    visit: Visit,
    found: Ballot | ShownBallot | Wait | None,
    progress: VoterProgress,
    happened: str,
    why: str = "",
) -> HTMLResponse:
    """A pair, or why there is none. Checks look like pairs, and are counted with them."""
    server, page, voter, study = visit.server, visit.page, visit.voter, visit.study
    given = len(server.store.checks_of(page.study, voter.name)) if progress.checks else 0
    values = {
        "page": page,
        "done": progress.done + given,
        "of": progress.pairs + len(progress.checks),
        "undo": progress.last is not None and not progress.closed and not why,
        "about": "about " if kind_of(study.settings).asks_shares else "",
        "more": MORE if visit.wants_more else "",
        "happened": happened,
        "csrf": server.signer.form(voter.name),
        "outcomes": outcomes_of(page),
        "suggest": may_suggest(page, progress.done, progress.pairs),
    }
    if isinstance(found, Ballot):
        found = _show_ballot(visit, found, progress.undone.get(found.id, 0))
    if isinstance(found, ShownBallot):
        values["ballot"] = found
        return render_page(visit.request, "pair" if visit.wants_fragment else "vote", **values)
    values["why"] = why = why or _explain_end(page, study, found, progress)
    is_over = why in COMPLETE or (why == "closed" and progress.done > 0)
    values["completion"] = write_completion_link(page, voter.code) if is_over else ""
    return render_page(visit.request, "ended" if visit.wants_fragment else "thanks", **values)


@router.post("/vote/{slug}/ahead")
def ahead(
    request: Request, slug: str, form: Annotated[FormData, Depends(sessions.form_of)]
) -> Response:
    """Return where the images of a voter's next pair are, if it has some and is certain to come.

    A text comes in the same answer as its pair. Images take a request each, so a browser loads them early.
    """
    visit = find_visit(request, slug)
    visit.require_ours(form)
    found = _ask_ahead(visit) if visit.server.panes(visit.page) else None
    if found is None:
        return Response(status_code=204)
    sides, base = _show_ballot(visit, found, 0).sides, visit.server.config.base
    images = [base + side.image for side in sides if side.image and not side.kind]
    return JSONResponse({"images": images})


def _ask_ahead(visit: Visit) -> Ballot | None:
    """The ballot after the one that is shown: held already, or asked now.

    It is a voter's own as any other: leased, not asked twice, and shown once the one before it has been answered.
    """
    study, voter, progress = visit.study, visit.voter.name, look_up(visit)
    held = study.visitors.waiting(voter)
    goes_on = progress.done + HELD <= progress.pairs and not progress.checks
    if not goes_on or not held or _find_obstacle(visit.page, progress.closed):
        return None
    if len(held) >= HELD:
        return held[1]
    try:
        about = _draw_items(visit, progress.done + 1)
        found = study.ask(voter, item=about.item, available=about.available)
    except StudyClosed:  # just now
        return None
    return found if isinstance(found, Ballot) and found.id != held[0].id else None


# A ballot as it is shown


def _progress_of(visit: Visit, look: Look, most: int | None) -> VoterProgress:
    """Return how far a voter is, from that voter's answers and what became of them; ``most`` are asked in a panel."""
    page, answers = visit.page, [vote for vote in look.votes if vote.ballot is not None]
    standing = [vote for vote in answers if vote.number not in look.undone]
    undone = Counter(vote.ballot for vote in answers if vote.number in look.undone)
    last = answers[-1] if answers and answers[-1].number not in look.undone else None
    pairs = pairs_for(page, visit.study.settings, look.active) if most is None else most
    planned = checks.plan_checks(page, min(pairs, LONGEST)) if page.check_every else []
    return VoterProgress(standing, last, undone, look.closed, pairs, planned)


def _show_ballot(visit: Visit, ballot: Ballot, attempt: int) -> ShownBallot:
    """Return a ballot as it is shown."""
    kind = "markdown" if visit.page.kind == "markdown" else "text"
    return _show(visit, HiddenBallot(ballot.id, attempt), ballot, kind)


def _show(visit: Visit, hidden: HiddenBallot, ballot: Ballot, kind: str) -> ShownBallot:
    """A ballot under its token; ``kind`` is how its item is shown."""
    server, page = visit.server, visit.page
    token = server.signer.seal(page.slug, visit.voter.name, hidden)
    one, other = (
        side_of(server, page, name, side, f"/m/{page.slug}/{token}/{side.lower()}", ballot.item)
        for name, side in ((ballot.left, "A"), (ballot.right, "B"))
    )
    item = None if ballot.item is None else render_text(kind, ballot.item)
    return ShownBallot(token, (one, other), item)


def _draw_items(visit: Visit, done: int) -> Following:
    """Return what a voter's new ballots are about: items by lot, and the options that have a text for each."""
    outputs, voter = visit.server.outputs(visit.page), visit.voter.name
    items = sorted(item for item, texts in outputs.items() if len(texts) > 1)
    if not items:
        return Following()
    lots = (int(hash_text(f"{voter} {n}")[:12], 16) for n in range(done, visit.page.per_voter))
    drawn = [items[lot % len(items)] for lot in lots]
    about = [(item, tuple(outputs[item])) for item in drawn]
    return Following(*about[0], tuple(about[1:])) if about else Following()


def side_of(
    server: Server, page: VotingPage, name: str, label: str, address: str, item: str | None
) -> Side:
    """Return what is shown for an option; ``address`` is where its image would be."""
    pane = server.panes(page).get(pane_key(name, item))
    if pane is None:
        output = server.outputs(page).get(item or "", {}).get(name)
        text = render_text(page.kind, output or server.text(page, name) or name, page.language)
        return Side(label, text, None, "", 0, 0)
    kind = server.kind(pane.media)
    if is_recording(kind):
        return Side(label, None, address, pane.alt, 0, 0, kind)
    return Side(label, None, address, pane.alt, *server.size(pane.media))


def _explain_end(
    page: VotingPage, study: Study, found: Wait | None, progress: VoterProgress
) -> str:
    """Return why a voter is asked nothing more: paused, closed, decided, done or later."""
    obstacle = _find_obstacle(page, progress.closed)
    if obstacle or isinstance(found, Wait):
        return obstacle or "later"
    if kind_of(study.settings).asks_shares:  # it is settled, it is others' turn, or all was asked
        if study.certificate().decided:
            return "decided"
        return "share" if progress.done >= progress.pairs else "done"
    return "done" if progress.done >= progress.pairs or study.is_open else "decided"


def _show_check(visit: Visit, check: checks.Check) -> ShownBallot | None:
    """A check as it is shown: as any other pair."""
    page, hidden = visit.page, HiddenBallot(check.ballot, check.place, is_check=True)
    if check.ballot:
        ballot = checks.swap_ballot(visit.study, check)
        return ballot and _show(visit, hidden, ballot, page.kind)
    texts = checks.known_texts(visit.server, visit.voter, check)
    one, other = (
        Side(label, render_text(page.kind, text, page.language), None, "", 0, 0)
        for label, text in zip("AB", texts, strict=True)
    )
    token = visit.server.signer.seal(page.slug, visit.voter.name, hidden)
    return ShownBallot(token, (one, other))
