"""Judges of a server: the file that names them, their work in a study, and the page from which an admin starts one.

No page and no request can name a program or an address: whoever writes the file can run what it says anyway. Each judge
works in a thread, and what it did and cost is told in the storage. So every process of a server shows the same, and any of
them can ask a judge to stop. What a judge has said is in the log before it is told here: a server that ends in the middle
loses no vote.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.files import read_text
from copeland.inert import command_line
from copeland.study.judges import ChatJudge, CommandJudge, Item, Judged, judge_study, sleep_until
from copeland.study.meaning.flips import flip_sentences
from copeland.study.meaning.standing import Standing
from copeland.study.record.events import ERROR, SKIP
from copeland.study.record.texts import check_text
from copeland.web.models import Page
from copeland.web.pages.admin import Form, Here, Managed, common
from copeland.web.provenance import judges as judges_in
from copeland.web.render import page as html
from copeland.web.render import see
from copeland.web.server import Server
from copeland.web.sessions import number, said, whole
from copeland.words import capital, counted, percent

PROGRAM = {"command", "timeout"}
MODEL = {"model", "url", "prompt", "prices", "key_variable", "timeout", "max_tokens", "options"}
TOLD = 1.0  # seconds between two notes of how far a judge is
GONE = 180.0  # seconds of silence after which a judge has ended with its server
AT_WORK = "at work"
PAUSED, ASKED_TO = "the voting was paused.", "it was told to."
router = APIRouter(prefix="/admin/s/{slug}/judges")
CALLS = 200  # unless the form says otherwise
MOST = 1_000_000
SHOWN = 20  # runs


@dataclass(frozen=True)
class Appointed:
    """A judge that can be started, and what is known of its price."""

    name: str  # the voter that it is
    terms: dict[str, Any]

    @property
    def is_paid(self) -> bool:
        """Whether it tells what it costs."""
        return "prices" in self.terms

    def judge(self) -> ChatJudge | CommandJudge:
        """Return the judge itself."""
        if "command" in self.terms:
            return CommandJudge(**self.terms, name=self.name)
        return ChatJudge(**self.terms, name=self.name)


def read_appointed(path: str) -> tuple[Appointed, ...]:
    """Return the judges of a TOML file, one a table; a damaged file names nobody."""
    if not path:
        return ()
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InvalidParameter(f"{path} is no TOML: {error}.") from None
    return tuple(_appointed(path, name, terms) for name, terms in content.items())


def _appointed(path: str, name: str, terms: Any) -> Appointed:
    check_text(voter=name)
    known = PROGRAM if isinstance(terms, dict) and "command" in terms else MODEL
    if not isinstance(terms, dict) or not (
        {"command"} <= set(terms) or {"model", "url"} <= set(terms)
    ):
        raise InvalidParameter(
            f"{path}: the judge '{name}' needs a command, or a model and its url."
        )
    unknown = sorted(set(terms) - known)
    if unknown:
        raise InvalidParameter(
            f"{path}: the judge '{name}' has '{unknown[0]}'; it may have {', '.join(sorted(known))}."
        )
    return _tried(path, Appointed(name, _read(path, terms)))


def _read(path: str, terms: dict[str, Any]) -> dict[str, Any]:
    """The terms with their prompt read from its file, and no key where that is empty."""
    told = dict(terms)
    if "prompt" in told:
        told["prompt"] = read_text(Path(path).parent / str(told["prompt"]))
    if told.get("key_variable") == "":
        told["key_variable"] = None
    return told


def _tried(path: str, appointed: Appointed) -> Appointed:
    """The judge, if it can be made: better now than when somebody presses a button."""
    try:
        appointed.judge()
    except InvalidParameter as error:
        raise InvalidParameter(f"{path}: the judge '{appointed.name}': {error}") from None
    except TypeError:
        raise InvalidParameter(
            f"{path}: the judge '{appointed.name}' has a value of a wrong kind."
        ) from None
    return appointed


@dataclass(frozen=True)
class Run:
    """What a judge was told to do, and did so far."""

    id: str
    judge: str
    guide: bool
    calls: int  # at most
    cost: float | None  # at most
    begun: float
    seen: float
    made: int = 0  # calls
    votes: int = 0
    errors: int = 0
    spent: float = 0.0
    ended: str = ""  # why; empty while it works

    def state(self, now: float) -> str:
        """Return why it ended, or that it works, in a few words."""
        if self.ended:
            return self.ended
        return AT_WORK if now - self.seen < GONE else "it ended with the server."


def runs_of(server: Server, page: Page) -> list[Run]:
    """Return what judges did for a study, the newest first."""
    kept = server.keep.values(_prefix(page)).values()
    return sorted((Run(**json.loads(value)) for value in kept), key=lambda run: -run.begun)


def spent_on(server: Server, page: Page) -> float:
    """Return what the judges of a study have cost."""
    return sum(run.spent for run in runs_of(server, page))


def start(
    server: Server, page: Page, appointed: Appointed, guide: bool, calls: int, cost: float | None
) -> threading.Thread:
    """Let a judge vote in a study, in a thread of its own; return that."""
    now = server.clock()
    _require_able(server, page, appointed, guide, cost)
    if any(
        run.judge == appointed.name and run.state(now) == AT_WORK for run in runs_of(server, page)
    ):
        raise InvalidParameter(f"{appointed.name} is at work already; wait for it, or stop it.")
    run = Run(secrets.token_hex(6), appointed.name, guide, calls, cost, now, now)
    work = _Work(server, page, appointed, run)
    work.tell(run)
    thread = threading.Thread(target=work.go, name=f"judge {run.id}", daemon=True)
    thread.start()
    return thread


def _require_able(
    server: Server, page: Page, appointed: Appointed, guide: bool, cost: float | None
) -> None:
    if server.panes(page):
        raise InvalidParameter("judges read texts, and this study shows images.")
    if server.study(page).settings.panel:
        raise InvalidParameter("in a panel only its members vote.")
    if server.study(page).settings.missing and not guide:
        raise InvalidParameter(
            "this study is for people, so a judge's votes prove nothing here; let it guide, or create a study for judges."
        )
    if cost is not None and not appointed.is_paid:
        raise InvalidParameter(f"{appointed.name} has no prices, so no cost can be kept to.")


def stop(server: Server, page: Page, run: str) -> None:
    """Ask a judge to stop after the answers under way."""
    if any(one.id == run for one in runs_of(server, page)):
        server.keep.set_value(_stop(page, run), "stop")


def _prefix(page: Page) -> str:
    return f"judging {page.study} "


def _stop(page: Page, run: str) -> str:
    return f"stop {page.study} {run}"


class _Work:
    """One judge at work."""

    def __init__(self, server: Server, page: Page, appointed: Appointed, run: Run):
        self._server, self._page, self._appointed = server, page, appointed
        self._run = run
        self._told = time.monotonic()
        self._why = ""

    def go(self) -> None:
        """Judge until there is a reason to stop, and say which."""
        try:
            ended = self._judged()
        except CopelandError as error:
            ended = str(error)
        except Exception:
            logging.getLogger("copeland.web").exception("a judge failed")
            ended = "it failed; the server's messages say how."
        self.tell(replace(self._run, ended=ended, seen=self._server.clock()))

    def _judged(self) -> str:
        run, study = self._run, self._server.study(self._page)
        done = judge_study(
            study,
            {run.judge: self._appointed.judge()},
            calls=run.calls,
            cost=run.cost,
            items=self._items(),
            role="guide" if run.guide else None,
            progress=self._note,
            rest=self._rest,
        )
        self._run = replace(self._run, made=done.calls, spent=done.cost)
        return self._why or done.stopped

    def _items(self) -> list[Item] | None:
        outputs = self._server.outputs(self._page)
        return [
            Item(item, item, texts) for item, texts in outputs.items() if len(texts) > 1
        ] or None

    def _note(self, judged: Judged) -> None:
        run, outcome = self._run, judged.outcome
        self._run = replace(
            run,
            made=judged.calls,
            spent=judged.cost,
            votes=run.votes + (outcome not in (ERROR, SKIP)),
            errors=run.errors + (outcome == ERROR),
            seen=self._server.clock(),
        )
        if time.monotonic() - self._told >= TOLD:
            self._told = time.monotonic()
            self.tell(self._run)
            self._look()

    def _rest(self, wait: Any) -> None:
        self._look()
        sleep_until(wait)

    def _look(self) -> None:
        """Stop as by Ctrl-C if somebody asked for it, the voting is paused or the server ends."""
        keep, page = self._server.keep, self._page
        now = keep.page(page.slug)
        if self._server.ends.is_set() or keep.value(_stop(page, self._run.id)):
            self._why = ASKED_TO
        elif now is None or now.paused:
            self._why = PAUSED
        if self._why:
            raise KeyboardInterrupt

    def tell(self, run: Run) -> None:
        """Keep how far it is, for all processes."""
        self._run = run
        self._server.keep.set_value(f"{_prefix(self._page)}{run.id}", json.dumps(asdict(run)))


@router.get("")
def judges(request: Request, here: Here) -> HTMLResponse:
    """Show the judges."""
    return _page(request, here)


@router.post("")
def change(request: Request, here: Here, form: Form) -> Response:
    """Start a judge, or stop one."""
    try:
        if said(form, "does") == "stop":
            stop(here.server, here.page, said(form, "run"))
        elif said(form, "does") == "start":
            _start(here, form, request.app.state.judges)
    except CopelandError as error:
        return _page(request, here, str(error))
    return see(request, f"/admin/s/{here.page.slug}/judges")


def _start(here: Managed, form: Any, able: tuple[Appointed, ...]) -> None:
    chosen = [one for one in able if one.name == said(form, "judge")]
    if not chosen:
        raise InvalidParameter("the server knows no such judge; choose one of the list.")
    cost = number(form, "cost", 0) or None
    if cost is not None and cost < 0:
        raise InvalidParameter("The cost is below 0; say how much may be spent.")
    calls = whole(form, "calls", CALLS, 1, MOST)
    start(here.server, here.page, chosen[0], said(form, "role") == "guide", calls, cost)


def _page(request: Request, here: Managed, error: str = "") -> HTMLResponse:
    now = here.server.clock()
    runs = runs_of(here.server, here.page)
    return html(
        request,
        "judges",
        422 if error else 200,
        **common(here, "judges"),
        error=capital(error),
        rows=_rows_of(here),
        flips=_flips_of(here),
        runs=[
            (run, run.state(now) == AT_WORK, capital(run.state(now)), _done(run))
            for run in runs[:SHOWN]
        ],
        spent=sum(run.spent for run in runs),
        able=request.app.state.judges,
        reads=not here.server.panes(here.page),
        is_panel=bool(here.study.settings.panel),
        proves=bool(here.study.settings.space or here.study.settings.cases),
        for_people=bool(here.study.settings.missing),
        commands=_commands(here),
    )


def _rows_of(here: Managed) -> list[tuple[str, str, str, str]]:
    """What each judge said; of a space nobody else says anything of the same pairs."""
    if here.study.settings.space:
        return []
    standing = here.server.readings(here.page).seen().reading.standing
    return _rows(standing, judges_in(here.server.storage, here.page.study))


def _flips_of(here: Managed) -> list[str]:
    """What judges did when the sides were swapped."""
    if here.study.settings.space:
        return []
    return list(flip_sentences(here.server.readings(here.page).seen().reading.standing.swaps))


def _rows(standing: Standing, judges: set[str]) -> list[tuple[str, str, str, str]]:
    """What each judge said, and how far others agree: of a guide, the people; of others, all others."""
    guides = [
        (f"{one.name} (guide)", f"{one.votes:,}", "-", _share(one.agreement, one.compared))
        for one in standing.guides
    ]
    proving = [
        (
            voter.name,
            f"{voter.votes:,}",
            f"{voter.outcomes[ERROR]:,}",
            _share(voter.agreement, voter.compared),
        )
        for voter in standing.voters
        if voter.name in judges
    ]
    return [*guides, *proving]


def _done(run: Run) -> str:
    """What a judge did so far, in a sentence."""
    said = [f"{counted(run.votes, 'answer')} from {run.made:,} of {counted(run.calls, 'call')}"]
    said += [counted(run.errors, "error")] if run.errors else []
    if run.cost is not None or run.spent:
        of = "" if run.cost is None else f" of {run.cost:,.4g}"
        said.append(f"{run.spent:,.4g}{of} spent")
    return f"{', '.join(said)}."


def _share(share: float | None, n: int) -> str:
    return "-" if share is None else f"{percent(share)} of {n:,}"


def _commands(here: Managed) -> list[tuple[str, str]]:
    """How a judge is started where the votes are kept, and what each way is for."""
    at = ["--storage", here.server.storage.url]
    on = ["--items", "FILE"] if here.study.settings.cases > 1 else []
    work = ["copeland", "study", "judge", here.page.name, *at, "--calls", CALLS, *on]
    model = ["--model", "MODEL", "--url", "https://api.example.org/v1"]
    guiding = ("A language model guides, and people prove", _typed(*work, *model, "--guide"))
    if here.study.settings.missing:
        return [guiding]
    return [
        ("A language model votes", _typed(*work, *model)),
        *([] if here.study.settings.space else [guiding]),
        ("A program votes", _typed(*work, "--command", "python judge.py {left} {right}")),
    ]


def _typed(*words: object) -> str:
    head, options = words[:4], words[4:]
    return f"{command_line(*head)} {command_line(*options).removeprefix('-- ')}"
