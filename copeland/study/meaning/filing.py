"""Certificates as files: written at a vote, and checked again from the votes at any later time.

A file says which study it is of and after how many events it was issued, so that it can be checked when
there are more votes: the log is replayed up to there. It also holds the link of the last of these events,
which binds them all, and a seal over all that it says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copeland.certificate import FORMAT, Certificate
from copeland.errors import CopelandError, InvalidParameter, InvalidRow, InvalidVote
from copeland.files import read_text
from copeland.panel import PanelCertificate
from copeland.panel.certificate import FORMAT as PANEL_FORMAT
from copeland.study.meaning.notes import undone_note
from copeland.study.meaning.standing import certificate_of
from copeland.study.record.books import Books, count, replayed
from copeland.study.record.events import ERROR, SKIP, UNDONE, Event, from_json, last_link
from copeland.study.record.panel import Panel
from copeland.study.record.texts import json_of
from copeland.study.record.votes import iso
from copeland.tables import rows_of_file
from copeland.tallies import outcome_of

if TYPE_CHECKING:
    from copeland.study.conduct.study import Study


ENVELOPE = (
    2  # the version of what a file says around the certificate; 1 had no number, log and seal
)
_TERMS = ("labels", "delta", "margin", "epoch", "voters", "active")
_PANEL_TERMS = ("labels", "excused", "active")
UNBOUND = ("the time", "the assumptions", "the votes one by one")  # by files of version 1


class Filed(NamedTuple):
    """What a certificate file holds."""

    study: str
    events: int  # of the log, when it was issued
    certificate: Certificate | PanelCertificate
    content: Mapping[str, Any]  # all of it, as it is in the file

    @property
    def unbound(self) -> tuple[str, ...]:
        """What may have been changed without being found, because an earlier version wrote the file."""
        return () if "envelope" in self.content else UNBOUND


def certificate_to_file(
    study: Study, active: bool = False, at: int | None = None, notes: Sequence[str] = ()
) -> tuple[Certificate | PanelCertificate, str]:
    """Return the certificate of a study as it stands, and the text of its file.

    Parameters
    ----------
    active
        Make the statement only about the active options. It then needs more evidence.
    at
        The number of the event after which it is issued; by default the last.
    notes
        What else to say, such as how voters came. Undone votes are always mentioned.

    Examples
    --------
    >>> from copeland import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> certificate, text = certificate_to_file(study)
    >>> certificate.verdict, text.startswith("{")
    ('open', True)
    """
    log = study.log()[:at]
    books = replayed(log)
    found = certificate_of(books, active)
    content = {
        "envelope": ENVELOPE,
        "study": study.name,
        "events": log[-1].number,
        "time": iso(log[-1].time),
        "log": last_link(study.name, log).hex(),
        "statement": found.statement,
        "assumptions": list(found.assumptions),
        **_notes((*_undone(log), *notes)),
        **_panel_of(books),
        "format": PANEL_FORMAT if books.settings.panel else FORMAT,
        **asdict(found),
    }
    content["seal"] = _seal(content)
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    return found, "{\n" + ",\n".join(lines) + "\n}\n"


def _panel_of(books: Books) -> dict[str, Any]:
    """Who the panel is, and how many answers it has given, skips included; nothing if there is none."""
    if not books.settings.panel:
        return {}
    return {"panel": list(books.settings.panel), "answers": int(books.panel.answered.sum()) // 2}


def _notes(said: Sequence[str]) -> dict[str, list[str]]:
    return {"notes": list(said)} if said else {}


def _undone(log: Sequence[Event]) -> list[str]:
    said = undone_note(event.body for event in log if event.kind == UNDONE)
    return [said] if said else []


def _seal(content: Mapping[str, Any]) -> str:
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
    text = read_text(path)
    try:
        content = json_of(text)
        of_panel = isinstance(content, dict) and "panel" in content
        certificate = (PanelCertificate if of_panel else Certificate).from_json(text)
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
    if content.get("envelope", ENVELOPE) != ENVELOPE:
        raise InvalidParameter(
            f"{path} was written by a newer version of copeland; upgrade copeland to check it."
        )
    if of_panel and not _names_panel(content):
        raise InvalidParameter(
            f"{path} does not say who is on the panel, and how much they have answered."
        )
    return Filed(study, events, certificate, content)


def _names_panel(content: Mapping[str, Any]) -> bool:
    names = content["panel"]
    listed = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return listed and type(content.get("answers")) is int


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
    books = replayed(past)
    if len(books.options) != filed.certificate.k:
        return (f"it is about {filed.certificate.k} options, but the study had {books.k} then.",)
    return (
        *_broken_seal(filed),
        *_terms(filed, books),
        *_made_again(filed, *_counts(books)),
        *_origin(filed, past, name),
        *_untold(filed, past),
    )


def _broken_seal(filed: Filed) -> Iterator[str]:
    """What a file of today says all together."""
    if not filed.unbound and filed.content.get("seal") != _seal(filed.content):
        yield "the file was changed after it was written: its seal does not match its content."


def _origin(filed: Filed, past: Sequence[Event], name: str) -> Iterator[str]:
    """The study, the time and the log that it was issued on."""
    if filed.study != name:
        yield f"it belongs to the study '{filed.study}', but this is '{name}'."
    if filed.unbound:
        return
    said, time = filed.content.get("time"), iso(past[-1].time)
    if said != time:
        yield f"it says that it was issued at {said}, but its last event was at {time}."
    said, link = str(filed.content.get("log")), last_link(name, past).hex()
    if said != link:
        yield (
            f"it was issued on another log: its first {filed.events:,} events had the digest "
            f"{said[:12]}, but these have {link[:12]}."
        )


def _untold(filed: Filed, past: Sequence[Event]) -> Iterator[str]:
    """Votes that were undone, and of which the file says something else; older files say nothing of them."""
    told = filed.content.get("notes", ())
    if told and not set(_undone(past)) <= set(map(str, told)):
        yield f"it should say this about undone votes: {_undone(past)[0]}"


def _terms(filed: Filed, books: Books) -> Iterator[str]:
    """What was fixed when the study was created must be so in the certificate."""
    found = certificate_of(books, filed.certificate.active is not None)
    if type(found) is not type(filed.certificate):
        yield "one of the certificate and the study is about a panel, and the other is not."
        return
    for term in _PANEL_TERMS if books.settings.panel else _TERMS:
        one, other = getattr(filed.certificate, term), getattr(found, term)
        if one != other:
            yield f"it says that {term} is {one!r}, but in the study it is {other!r}."
    for term, other in _panel_of(books).items():
        if filed.content.get(term) != other:
            yield f"it says that {term} is {filed.content.get(term)!r}, but in the study it is {other!r}."


def _counts(books: Books) -> tuple[np.ndarray, ...]:
    """What a certificate is made from: wins and ties and, of a panel, the missing answers."""
    counts = (books.wins, books.ties)
    return (*counts, books.panel.missing) if books.settings.panel else counts


def _made_again(filed: Filed, *counts: np.ndarray) -> tuple[str, ...]:
    """What the votes do not prove; else what is said in other words."""
    try:
        return filed.certificate.recheck(*counts) or tuple(_wording(filed))
    except (TypeError, ValueError, LookupError):
        return ("its content does not have the form of a certificate.",)


def _wording(filed: Filed) -> Iterator[str]:
    found = filed.certificate
    known = [found.statement]
    if filed.unbound and isinstance(found, Certificate):
        known.append(_earlier_words(found))
    if filed.content.get("statement") not in known:
        yield f"its words do not match its numbers, which say: {found.statement}"
    if not filed.unbound and filed.content.get("assumptions") != list(found.assumptions):
        yield f"it states other assumptions than these: {' '.join(found.assumptions)}"


def _earlier_words(found: Certificate) -> str:
    """The statement as versions put it that wrote no envelope."""
    others = (found.k if found.active is None else len(found.active)) - 1
    said = found.statement.replace("every other,", f"at least {others} of the {others} others,")
    return said.replace("by more than the margin", "by over the margin")


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
    if isinstance(filed.certificate, PanelCertificate):
        *counts, undone = panel_counts_of(path, filed.certificate, filed.content)
    else:
        *counts, undone = counts_of(path, filed.certificate)
    differs = _made_again(filed, *counts)
    if differs and undone:
        raise InvalidParameter(
            f"{path} holds undone votes, but does not say whether they were undone before the "
            "certificate was issued; check it against the whole log, exported to a .jsonl file."
        )
    return (*_broken_seal(filed), *differs)


def counts_of(path: str | Path, certificate: Certificate) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return wins and ties of the first votes in a CSV file, as many as a certificate was issued on.

    And whether others were undone.
    """
    wins, ties = (np.zeros((certificate.k, certificate.k), np.int64) for _ in range(2))
    counted, undone = 0, False
    for where, row in rows_of_file(Path(path), ("left", "right", "outcome")):
        if counted == certificate.votes:
            break
        if _is_false(row.get("counted", True)):
            undone |= not _is_false(row.get("undone", False))
            continue
        left, right, outcome = _said(where, row, certificate.labels)
        if outcome in (SKIP, ERROR):
            continue
        counted += 1
        count(wins, ties, left, right, outcome)
    return wins, ties, undone


def panel_counts_of(
    path: str | Path, certificate: PanelCertificate, content: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """Return wins, ties and missing answers by the first answers in a CSV file, and whether others were undone."""
    wins, ties = (np.zeros((certificate.k, certificate.k), np.int64) for _ in range(2))
    panel = Panel(content["panel"])
    panel.widen(certificate.k)
    panel.excused = set(certificate.excused)
    answers, undone = 0, False
    for where, row in rows_of_file(Path(path), ("voter", "left", "right", "outcome")):
        if answers == content["answers"]:
            break
        left, right, outcome = _said(where, row, certificate.labels)
        if not _is_false(row.get("undone", False)):
            undone = True
        elif outcome != ERROR:
            if row["voter"] not in panel.places:
                raise InvalidRow(f"{where}: the certificate has no member '{row['voter']}'.")
            panel.mark(row["voter"], left, right, True)
            answers += 1
            if outcome != SKIP and not _is_false(row.get("counted", True)):
                count(wins, ties, left, right, outcome)
    return wins, ties, panel.missing, undone


def _said(where: str, row: Mapping[str, Any], labels: Sequence[str]) -> tuple[int, int, str]:
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
