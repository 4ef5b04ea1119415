"""A study on a server, with the same ask and tell as a local study.

To move code from one to the other, change the line that opens the study.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import quote

from copeland.errors import (
    AlreadyVoted,
    Conflict,
    CopelandError,
    InvalidParameter,
    InvalidRow,
    InvalidVote,
    StorageError,
    StudyClosed,
    StudyExists,
    UnknownBallot,
    UnknownOption,
    UnknownStudy,
    UnknownVote,
    need,
)
from copeland.study import Ballot, Event, Option, Settings, Vote, Wait
from copeland.study.any_study import AboutBallots, AnyStudy, ReadLog, WholeLog
from copeland.study.log.events import NOTHING, RESUMED, Spent, check_text, from_json, new_event_id
from copeland.study.log.state import StudyState

T = TypeVar("T")

KEY = "COPELAND_KEY"  # the variable that holds a key, if none is given
ATTEMPTS = 6
PAUSE = 0.5  # seconds before the second attempt; each further one waits twice as long
LONGEST = 30.0  # seconds that are waited before an attempt
PATIENCE = 30.0  # seconds for an answer
_LISTS = ("available", "without", "cases")  # of what is said of ballots

_ERRORS: dict[str, type[CopelandError]] = {
    "already-voted": AlreadyVoted,
    "other-body": Conflict,
    "closed": StudyClosed,
    "exists": StudyExists,
    "unknown-ballot": UnknownBallot,
    "unknown-vote": UnknownVote,
    "unknown-option": UnknownOption,
    "invalid-vote": InvalidVote,
    "invalid-row": InvalidRow,
    "invalid": InvalidParameter,
    "not-found": UnknownStudy,
}


def open_study(name: str, url: str, key: str | None = None) -> RemoteStudy:
    """Return the study of this name on a server (extra: client).

    Parameters
    ----------
    url
        The address of the server, such as ``https://vote.example.org``.
    key
        A key that was made for programs; by default the one in the variable ``COPELAND_KEY``.

    Examples
    --------
    >>> open_study("tea", "https://vote.example.org", key="cop_1")  # nothing is sent yet
    <RemoteStudy 'tea' at https://vote.example.org/api/v1/>
    """
    httpx = need("httpx", "client", "a study on a server")
    check_text("the study's ", name=name)
    key = key if key is not None else os.environ.get(KEY, "")
    if not key or not key.isascii() or not key.isprintable():
        raise InvalidParameter(f"there is no key; give one, such as cop_..., or set {KEY}.")
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
    try:
        address = httpx.URL(f"{url.rstrip('/')}/api/v1")
    except (httpx.InvalidURL, UnicodeError):
        address = httpx.URL("")
    if address.scheme not in ("http", "https") or not address.host:
        raise InvalidParameter(
            f"'{url}' is not the address of a server; give one, such as https://vote.example.org."
        )
    http = httpx.Client(base_url=address, headers=headers, timeout=PATIENCE)
    return RemoteStudy(name, http)


class RemoteStudy(AnyStudy):
    """A study on a server; made by :func:`open_study`.

    It retries calls that fail on the way. It sends an answer under the same ``event_id`` each time, so the answer counts once.

    Examples
    --------
    >>> study = open_study("tea", "https://vote.example.org", key="cop_1")
    >>> ballot = study.ask(voter="ann")  # doctest: +SKIP
    >>> study.tell(ballot, "left")  # doctest: +SKIP
    """

    def __init__(self, name: str, http: Any):
        self.name = name
        self._http = http
        self._settings: Settings | None = None
        self._events: list[Event] = []  # of its log, as far as it was read
        self._state: StudyState | None = None  # that these give

    def __repr__(self) -> str:
        return f"<RemoteStudy {self.name!r} at {self._http.base_url}>"

    def close_connection(self) -> None:
        """Close the connection to the server; the study goes on."""
        self._http.close()

    # Asking and telling

    def _ask_all(
        self, voter: str | None, n: int, available: Collection[str] | None, about: AboutBallots
    ) -> list[Ballot] | Wait:
        asked: dict[str, Any] = {"voter": voter, "n": n, "available": available, **about}
        lists = {name: list(asked[name]) for name in _LISTS if asked.get(name) is not None}
        handed = self._call("POST", "/ballots", json=asked | lists)
        if handed.get("reason") == "paused":
            raise StudyClosed(f"the study '{self.name}' is paused on its server, and asks nothing.")
        if handed.get("reason") == "waiting":
            return Wait(handed["until"])
        return [_ballot(one) for one in handed["ballots"]]

    def tell(
        self,
        ballot: Ballot | int,
        outcome: str,
        voter: str | None = None,
        event_id: str | None = None,
        *,
        item: str | None = None,
        source: str | None = None,
        spent: Spent = NOTHING,
    ) -> Vote:
        """Store the answer to a ballot, and return it as stored.

        ``outcome`` is left, right, tie, both_bad, skip or error; or the name of the option that won.
        The server puts the name of the key before the ``event_id``. Only judges have a ``source``, and something ``spent``.
        """
        number = ballot.id if isinstance(ballot, Ballot) else ballot
        cost = None if spent == NOTHING else spent._asdict()
        about = {"voter": voter, "item": item, "source": source, "spent": cost}
        header = {"Idempotency-Key": quote(event_id or new_event_id(), safe="/:.+@ ")}
        kept = self._call(
            "POST", f"/ballots/{number}/vote", json={"outcome": outcome, **about}, headers=header
        )
        return _vote(kept, ballot, number, voter, item)

    def undo(self, vote: Vote | str, reason: str | None = None, own: bool = False) -> None:
        """Stop counting a vote; give the vote or its ``event_id``. ``own``: the voter takes it back."""
        event_id = vote.event_id if isinstance(vote, Vote) else vote
        said = {"reason": reason, "own": own or None}
        self._call("DELETE", f"/votes/{quote(event_id, safe='/')}", params=said)

    # What it is, and what it means

    @property
    def settings(self) -> Settings:
        """What was fixed when it was created."""
        if self._settings is None:  # they never change
            self._settings = Settings.of(self._call("GET", "")["settings"])
        return self._settings

    @property
    def spent(self) -> Spent:
        """What judges have cost over all runs: calls, tokens and money."""
        return Spent(**self._call("GET", "")["spent"])

    @property
    def options(self) -> tuple[Option, ...]:
        """All options ever offered, with their states."""
        return tuple(Option(**one) for one in self._call("GET", "")["options"])

    @property
    def closed(self) -> bool:
        """Whether it takes no more votes."""
        return self._call("GET", "")["closed"]

    @property
    def number(self) -> int:
        """The number of the last event in its log."""
        return self._call("GET", "")["number"]

    def log(self, after: int = 0, voter: str | None = None) -> list[Event]:
        """Return every event from the first, or after a number; or only the answers of a voter."""
        self._read_log()
        new = self._events[max(after, 0) :]
        if voter is None:
            return new
        return [event for event in new if event.voter == voter and event.outcome is not None]

    def now(self) -> float:
        """Return the time here, in seconds since 1970."""
        return time.time()

    def look_at_log(self, look: Callable[[StudyState, ReadLog], T]) -> T:
        """Return what ``look`` makes of the state, which it must not change, and of the log."""
        return look(self._read_log(), WholeLog(self._events))

    def _read_log(self) -> StudyState:
        """Read what is new in the log, and return the state that all of it gives."""
        text = self._send("GET", "/export", params={"after": len(self._events)}).text
        for event in map(from_json, filter(None, text.split("\n"))):
            if self._state is None:
                self._state = StudyState(event)
            else:
                self._state.take(event)
            self._events.append(event)
        if self._state is None:
            raise UnknownStudy(f"the study '{self.name}' has no events: it was deleted.")
        return self._state

    def results(self) -> dict[str, Any]:
        """Return the verdict, the best, and about how many votes are left."""
        return self._call("GET", "/results")

    def certificate_file(self) -> str:
        """Return what is proved, as the text of a file that can be checked offline."""
        return self._send("GET", "/certificate").text

    # Changing it

    def add_option(self, option: str, text: str = "") -> None:
        """Add an option."""
        self._call("POST", "/options", json={"name": option, "text": text})

    def edit_option(self, name: str, text: str, source: str | None = None) -> bool:
        """Change the text that voters see for an option, of an image its description; return whether it was another one before.

        The log has the name of the key before the ``source``.
        """
        return self._change(name, text=text, source=source)["changed"]

    def _set_state(self, name: str, kind: str) -> None:
        self._change(name, state="active" if kind == RESUMED else kind)

    def _change(self, name: str, **changes: str | None) -> dict[str, Any]:
        return self._call("PATCH", f"/options/{quote(name, safe='')}", json=changes)

    def close(self) -> None:
        """Take no more votes, unless you reopen it."""
        self._call("POST", "/close")

    def reopen(self, reason: str | None = None) -> None:
        """Take votes again; the log keeps the ``reason``."""
        self._call("POST", "/reopen", params={"reason": reason})

    def edit_page(
        self, question: str | None = None, guidance: str | None = None, source: str | None = None
    ) -> bool:
        """Change the question or the guidance that voters read, each unless it is None; return whether one is new.

        The log has the name of the key before the ``source``.
        """
        if question is None and guidance is None:
            return False
        said = {"question": question, "guidance": guidance, "source": source}
        return self._call("PATCH", "", json=said)["changed"]

    # What voters suggest

    def take_ideas(self, on: bool = True) -> None:
        """Let voters suggest options, or no longer."""
        self._call("PATCH", "", json={"ideas": on})

    def ideas(self) -> list[dict[str, Any]]:
        """Return what voters suggested, each with ``id``, ``text``, ``time``, ``state`` and the ``option`` that it became."""
        return self._call("GET", "/ideas")["ideas"]

    def approve_idea(self, idea: int, name: str | None = None, text: str | None = None) -> None:
        """Add an idea as an option; by default under its first words, with the text as it was written."""
        said = {"state": "added", "name": name, "text": text}
        self._call("PATCH", f"/ideas/{idea}", json=said)

    def decline_idea(self, idea: int) -> None:
        """Do not add an idea."""
        self._call("PATCH", f"/ideas/{idea}", json={"state": "declined"})

    # The end

    def delete(self, name: str) -> None:
        """Delete the study for good, with its votes, images, links and keys; give its name, as a safeguard."""
        self._call("DELETE", "", params={"name": name})

    # Calls

    def _call(self, verb: str, path: str, **how: dict[str, Any]) -> Any:
        """What the server answers to a call, in which None stands for what is not said."""
        said = {part: {k: v for k, v in one.items() if v is not None} for part, one in how.items()}
        answer = self._send(verb, path, **said)
        return answer.json() if answer.content else None

    def _send(self, verb: str, path: str, **how: Any) -> Any:
        """Send a call until it is answered, and return the answer or raise what it says."""
        address = f"/studies/{quote(self.name, safe='')}{path}"
        for attempt in range(1, ATTEMPTS):
            answer = self._try_call(verb, address, how)
            if not isinstance(answer, Exception) and answer.status_code not in (429, 503):
                break
            time.sleep(_pause(answer, attempt))
        else:
            answer = self._try_call(verb, address, how)
        if isinstance(answer, Exception):
            raise StorageError(f"{self._http.base_url} does not answer: {answer}.") from answer
        if not answer.is_success:
            raise _error(answer)
        return answer

    def _try_call(self, verb: str, address: str, how: dict[str, Any]) -> Any:
        """The answer, or why there is none."""
        import httpx

        try:
            return self._http.request(verb, address, **how)
        except httpx.TransportError as error:
            return error


def _pause(answer: Any, attempt: int) -> float:
    """How long to wait: what the server asks for, or twice as long each time."""
    told = "" if isinstance(answer, Exception) else answer.headers.get("retry-after", "")
    return min(float(told) if told.isdigit() else PAUSE * 2 ** (attempt - 1), LONGEST)


def _error(answer: Any) -> CopelandError:
    """What a problem document says, as the error that a study at hand would raise."""
    try:
        problem = answer.json()
        kind = str(problem["type"]).rpartition("/")[2]
        sentence = str(problem.get("detail") or problem["title"])
    except (ValueError, KeyError, TypeError):
        return StorageError(f"the server answered with the status {answer.status_code}.")
    return _ERRORS.get(kind, StorageError)(sentence)


def _ballot(told: dict[str, Any]) -> Ballot:
    expires = datetime.fromisoformat(told["expires"]).timestamp()
    sides = told["left"], told["right"]
    return Ballot(told["id"], *sides, told.get("voter"), told.get("item"), expires)


def _vote(
    kept: dict[str, Any], ballot: Ballot | int, number: int, voter: str | None, item: str | None
) -> Vote:
    asked = ballot if isinstance(ballot, Ballot) else Ballot(number, "", "", None, None, 0.0)
    return Vote(
        event_id=kept["event_id"],
        ballot=number,
        voter=voter or asked.voter,
        left=asked.left,
        right=asked.right,
        outcome=kept["outcome"],
        time=kept["time"],
        item=item or asked.item,
        source=None,
        undone=False,
        counted=kept["counted"],
    )
