"""Certificates as files: written at a vote, and checked again from the votes at any later time.

A file says which study it is of and after how many events it was issued, so that it can be checked when
there are more votes: the log is replayed up to there. It also holds the link of the last of these events,
which binds them all, and a seal over all that it says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from copeland.certificate import PanelCertificate
from copeland.certificate.base_certificate import BaseCertificate, FiledVote
from copeland.certificate.certificate import Certificate
from copeland.errors import CopelandError, InvalidParameter, InvalidRow, InvalidVote
from copeland.study.kinds import kind_of
from copeland.study.log.events import ERROR, SKIP, UNDONE, Event, from_json, last_link
from copeland.study.log.state import StudyState, fold_log
from copeland.study.results.notes import describe_edits, find_wrong_arrivals, undone_note
from copeland.study.votes import iso
from copeland.support.atomic_files import read_text
from copeland.support.json_texts import json_of
from copeland.support.phrasing import join_names
from copeland.support.row_files import rows_of_file
from copeland.support.vote_tables import outcome_of

LETTERS = 80  # of what a file says that no certificate says
CLOCKS = 60.0  # seconds by which the clocks of two machines may differ


def _read_votes(path: Path, certificate: BaseCertificate, undone: list[str]) -> Iterator[FiledVote]:
    """The votes of a CSV file that stand, errors left out; ``undone`` takes where others are."""
    for where, row in rows_of_file(path, certificate.columns):
        if not _is_false(row.get("undone", False)):
            undone.append(where)
            continue
        left, right, outcome = _read_outcome(where, row, certificate.labels)
        if outcome == ERROR:
            continue
        times = row.get("times") or "1"
        if not str(times).isdecimal():
            raise InvalidRow(f"{where}: times is '{times}'; it must be a whole number.")
        counts = outcome != SKIP and not _is_false(row.get("counted", True))
        yield FiledVote(where, row.get("voter"), left, right, outcome, counts, int(times))


def _read_outcome(
    where: str, row: Mapping[str, Any], labels: Sequence[str]
) -> tuple[int, int, str]:
    """Left, right and the outcome of a row."""
    for name in (row["left"], row["right"]):
        if name not in labels:
            raise InvalidRow(f"{where}: the certificate has no option '{name}'.")
    try:
        outcome = outcome_of(row["outcome"], row["left"], row["right"])
    except InvalidVote as error:
        raise InvalidRow(f"{where}: {error}") from error
    return labels.index(row["left"]), labels.index(row["right"]), outcome


def _is_false(value: Any) -> bool:
    return str(value).lower() in ("false", "0", "no")


if TYPE_CHECKING:
    from copeland.study.study import Study

FORMS = Certificate, PanelCertificate
AROUND = ("study", "events", "time", "log", "seal", "statement", "assumptions", "notes")


class Filed(NamedTuple):
    """What a certificate file holds."""

    study: str
    events: int  # of the log, when it was issued
    certificate: BaseCertificate
    content: Mapping[str, Any]  # all of it, as it is in the file


def certificate_to_file(
    study: Study, active: bool = False, at: int | None = None, notes: Sequence[str] = ()
) -> tuple[BaseCertificate, str]:
    """Return the certificate of a study as it stands, and the text of its file.

    Parameters
    ----------
    active
        Make the statement only about the active options. It then needs more evidence.
    at
        The number of the event after which it is issued; by default the last.
    notes
        How answers came, as ``describe_arrivals`` says it. Undone votes are always mentioned.

    Examples
    --------
    >>> from copeland import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> certificate, text = certificate_to_file(study)
    >>> certificate.verdict, text.startswith("{")
    ('open', True)
    """
    now, last = study.now(), study.number
    if at is not None and (type(at) is not int or not 1 <= at <= last):
        raise InvalidParameter(f"at is {at!r}; give the number of an event, from 1 to {last:,}.")
    log = study.events(most=last if at is None else at)  # which nobody waits for
    state = fold_log(log)
    kind = kind_of(state.settings)
    now = max(log[-1].time, now) if at is None else log[-1].time
    found = kind.certificate(state, _time_in(iso(now)), active)
    said = [*_undo_notes(log), *_edit_notes(state), *notes]
    content = {
        "study": study.name,
        "events": log[-1].number,
        "time": iso(now),
        "log": last_link(study.name, log).hex(),
        "statement": found.statement,
        "assumptions": list(found.assumptions),
        **({"notes": said} if said else {}),
        **found.to_dict(),
    }
    content["seal"] = seal_of(content)
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    return found, "{\n" + ",\n".join(lines) + "\n}\n"


def _time_in(said: Any) -> float:
    """Return the time that a file says, in seconds since 1970."""
    try:
        return datetime.fromisoformat(said).timestamp()
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"its time is {str(said)[:LETTERS]!r}, which is no time.") from None


def _undo_notes(log: Sequence[Event]) -> list[str]:
    said = undone_note(event.body for event in log if event.kind == UNDONE)
    return [said] if said else []


def _edit_notes(state: StudyState) -> list[str]:
    return describe_edits(state.edits, [option.name for option in state.options])


def seal_of(content: Mapping[str, Any]) -> str:
    """The digest of all that a file says besides."""
    said = {key: value for key, value in content.items() if key != "seal"}
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def read_certificate(path: str | Path) -> Filed:
    """Return what a certificate file holds.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from copeland import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tea.json"
    ...     _ = path.write_text(certificate_to_file(study)[1])
    ...     filed = read_certificate(path)
    >>> filed.certificate.verdict
    'open'
    """
    return read_certificate_text(read_text(path), path)


def read_certificate_text(text: str, path: object) -> Filed:
    """Return what the text of a certificate file holds; ``path`` is where it comes from, for errors."""
    try:
        content = json_of(text)
        whose = content.get("voters") if isinstance(content, dict) else None
        form = next((one for one in FORMS if whose in one.electorates), Certificate)
        certificate = form.from_json(text)
    except InvalidParameter as error:
        raise InvalidParameter(f"{path}: {error}") from None
    except (
        ValueError
    ) as error:  # of a key that is there twice, a reader and a program may see either
        raise InvalidParameter(f"{path} {error}.") from None
    study, events = content.get("study"), content.get("events")
    if not isinstance(study, str) or type(events) is not int or events < 1:
        raise InvalidParameter(
            f"{path} does not say which study it belongs to, and after how many events."
        )
    return Filed(study, events, certificate, content)


def objections(filed: Filed, study: Study) -> tuple[str, ...]:
    """Make a certificate again from the log; return what does not hold, in sentences.

    The log must match its chain from end to end, even where it went on after the certificate.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from copeland import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tea.json"
    ...     _ = path.write_text(certificate_to_file(study)[1])
    ...     filed = read_certificate(path)
    >>> objections(filed, study)
    ()
    """
    misfit = study.misfit()
    broken = () if misfit is None else (str(misfit),)
    try:
        return (*broken, *objections_by_log(filed, study.log(), study.name))
    except CopelandError as error:  # from events that were changed, nothing can be made again
        return broken or (str(error),)


def objections_by_log(filed: Filed, log: Sequence[Event], name: str) -> tuple[str, ...]:
    """Return the same from the events of a log, as a study exports them."""
    if filed.events > len(log):
        return (
            f"it was issued after {filed.events:,} events, but the log of '{name}' has "
            f"{len(log):,}.",
        )
    past = log[: filed.events]
    state = fold_log(past)
    now = _time_in(filed.content.get("time"))
    about = (
        *_origin(filed, past, name),
        *_check_time(now, log, filed.events),
        *_check_notes(filed, past, state),
    )
    if len(state.options) != filed.certificate.k:
        return (f"it is about {filed.certificate.k} options, but the study had {state.k} then.",)
    made = _recheck_counts(filed, *kind_of(state.settings).counts(state, now))
    return *_broken_seal(filed), *_terms(filed, state, now), *made, *about


def _broken_seal(filed: Filed) -> Iterator[str]:
    """What a file says all together, and nothing besides."""
    if filed.content.get("seal") != seal_of(filed.content):
        yield "the file was changed after it was written: its seal does not match its content."
    known = {*AROUND, *filed.certificate.to_dict()}
    for key in filed.content.keys() - known:
        yield f"it says {key[:LETTERS]!r}, which no certificate says."


def _origin(filed: Filed, past: Sequence[Event], name: str) -> Iterator[str]:
    """The study and the log that it was issued on."""
    if filed.study != name:
        yield f"it belongs to the study '{filed.study}', but this is '{name}'."
    said, link = str(filed.content.get("log")), last_link(name, past).hex()
    if said != link:
        yield (
            f"it was issued on another log: its first {filed.events:,} events had the digest "
            f"{said[:12]}, but these have {link[:12]}."
        )


def _check_time(now: float, log: Sequence[Event], events: int) -> Iterator[str]:
    """A time that does not lie between its last event and the one that followed."""
    last, following = log[events - 1].time, [event.time for event in log[events : events + 1]]
    if now < _time_in(iso(last)):
        yield f"it says that it was issued at {iso(now)}, but its last event was at {iso(last)}."
    elif following and now > max(following[0], last) + CLOCKS:
        yield f"it says that it was issued at {iso(now)}, but the next event was at {iso(following[0])}."


def _check_notes(filed: Filed, past: Sequence[Event], state: StudyState) -> Iterator[str]:
    """What the notes say that the log does not."""
    told, undone = filed.content.get("notes", []), _undo_notes(past)
    if not isinstance(told, list):
        yield "its notes are no list of sentences."
        return
    if not set(undone) <= set(map(str, told)):
        yield f"it should say this about undone votes: {undone[0]}"
    edited = _edit_notes(state)
    for note in edited:
        if note not in told:
            yield f"it should say this about what was changed: {note}"
    others = [str(note) for note in told if note not in (*undone, *edited)]
    yield from find_wrong_arrivals(others, past)


def _terms(filed: Filed, state: StudyState, now: float) -> Iterator[str]:
    """What was fixed when the study was created must be so in the certificate."""
    kind, said = kind_of(state.settings), filed.certificate
    found = kind.certificate(state, now)
    if type(found) is not type(said):
        yield f"its voters are '{said.voters}', but in the study they are '{found.voters}'."
        return
    for term in said.fixed:
        one, other = getattr(said, term), getattr(found, term)
        if one != other:
            yield f"it says that {term} is {one!r}, but in the study it is {other!r}."
    if said.scope not in kind.list_scopes(state):
        which = "all" if said.active is None else join_names([said.labels[i] for i in said.active])
        yield f"it is about {which}, but then the study had another statement to make."


def _recheck_counts(filed: Filed, *counts: Any) -> tuple[str, ...]:
    """What the votes do not prove; else what is said in other words."""
    try:
        return filed.certificate.recheck(*counts) or tuple(_wording(filed))
    except (TypeError, ValueError, LookupError):
        return ("its content does not have the form of a certificate.",)


def _wording(filed: Filed) -> Iterator[str]:
    found = filed.certificate
    if filed.content.get("statement") != found.statement:
        yield f"its words do not match its numbers, which say: {found.statement}"
    if filed.content.get("assumptions") != list(found.assumptions):
        yield f"it states other assumptions than these: {' '.join(found.assumptions)}"


def objections_by_file(filed: Filed, path: str | Path) -> tuple[str, ...]:
    """Return the same from what a study exported: its whole log (.jsonl), or its votes (.csv)."""
    path = Path(path)
    if path.suffix != ".jsonl":
        return objections_by_votes(filed, path)
    try:
        log = [from_json(line) for line in read_text(path).splitlines()]
    except InvalidRow as error:
        raise InvalidRow(f"{path}: {error}") from None
    try:
        return objections_by_log(filed, log, filed.study)
    except CopelandError as error:
        return (str(error),)


def objections_by_votes(filed: Filed, path: str | Path) -> tuple[str, ...]:
    """Return the same from a CSV file of votes: the first of them that count."""
    undone: list[str] = []
    counts = filed.certificate.recount(_read_votes(Path(path), filed.certificate, undone))
    differs = _recheck_counts(filed, *counts)
    if differs and undone:
        raise InvalidParameter(
            f"{path} holds undone votes, but does not say whether they were undone before the "
            "certificate was issued; check it against the whole log, exported to a .jsonl file."
        )
    return (*_broken_seal(filed), *differs)
