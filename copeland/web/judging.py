"""Judges at work for the server: each in a thread, with what it did and what it cost told in the storage.

So every process of a server shows the same, and any of them can ask a judge to stop. What a judge has said is in the
log before it is told here: a server that ends in the middle loses no vote.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from dataclasses import asdict, dataclass, replace
from typing import Any

from copeland.errors import CopelandError, InvalidParameter
from copeland.study.judges import Item, Judged, judge_study, sleep_until
from copeland.study.log.events import ERROR, SKIP
from copeland.web.appointed import Appointed
from copeland.web.page import Page
from copeland.web.server import Server

TOLD = 1.0  # seconds between two notes of how far a judge is
GONE = 180.0  # seconds of silence after which a judge has ended with its server
AT_WORK = "at work"
PAUSED, ASKED_TO = "the voting was paused.", "it was told to."


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
