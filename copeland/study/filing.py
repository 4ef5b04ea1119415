"""Certificates as files: written at a vote, and checked again from the votes at any later time.

A file says which study it is of and after how many events it was issued, so that it can be checked when
there are more votes: the log is replayed up to there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copeland.certificate import FORMAT, Certificate, certify
from copeland.errors import InvalidParameter, InvalidRow, InvalidVote
from copeland.study.events import ERROR, LEFT, RIGHT, SKIP
from copeland.study.ledger import Ledger, replayed
from copeland.study.options import ACTIVE
from copeland.study.rows import rows_of_file
from copeland.study.standing import certificate_of
from copeland.study.votes import iso, outcome_of

if TYPE_CHECKING:
    from copeland.study.study import Study


class Filed(NamedTuple):
    """What a certificate file holds."""

    study: str
    events: int  # of the log, when it was issued
    statement: str
    certificate: Certificate


def certificate_to_file(study: Study, active: bool = False) -> tuple[Certificate, str]:
    """Return the certificate of a study as it stands, and the text of its file.

    Parameters
    ----------
    active
        Make the statement about the active options alone. It then needs more evidence.
    """
    log = study.log()
    found = _issued(replayed(log), active)
    content = {
        "study": study.name,
        "events": log[-1].number,
        "time": iso(log[-1].time),
        "statement": found.statement,
        "assumptions": found.assumptions,
        "format": FORMAT,
        **asdict(found),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    return found, "{\n" + ",\n".join(lines) + "\n}\n"


def _issued(ledger: Ledger, active: bool) -> Certificate:
    """The certificate that a ledger gives."""
    found = certificate_of(ledger)
    if not active:
        return found
    among = [i for i, option in enumerate(ledger.options) if option.state == ACTIVE]
    return certify(
        ledger.wins,
        ledger.ties,
        delta=found.delta,
        margin=found.margin,
        epoch=found.epoch,
        voters=found.voters,
        active=among,
        labels=found.labels,
    )


def read_certificate(path: str | Path) -> Filed:
    """Return what a certificate file holds."""
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise InvalidParameter(f"{path} cannot be read: {reason}.") from None
    try:
        certificate = Certificate.from_json(text)
    except InvalidParameter as error:
        raise InvalidParameter(f"{path}: {error}") from None
    content: dict[str, Any] = json.loads(text)
    study, events = content.get("study"), content.get("events")
    if not isinstance(study, str) or not isinstance(events, int) or events < 1:
        raise InvalidParameter(
            f"{path} does not say which study it is of, and after how many events."
        )
    return Filed(study, events, str(content.get("statement")), certificate)


def objections(filed: Filed, study: Study) -> tuple[str, ...]:
    """Return what does not hold of a certificate, in sentences, if it is made again from the log."""
    log = study.log()
    if filed.events > len(log):
        return (
            f"it was issued after {filed.events:,} events, and the log of '{study.name}' has "
            f"{len(log):,}.",
        )
    ledger = replayed(log[: filed.events])
    if len(ledger.options) != filed.certificate.k:
        return (f"it is about {filed.certificate.k} options, and the study had {ledger.k} then.",)
    return (
        *_terms(filed.certificate, _issued(ledger, filed.certificate.active is not None)),
        *filed.certificate.recheck(ledger.wins, ledger.ties),
        *_wording(filed),
    )


def _terms(said: Certificate, found: Certificate) -> Iterator[str]:
    """What was fixed when the study was created must be so in the certificate."""
    for term in ("labels", "delta", "margin", "epoch", "voters", "active"):
        one, other = getattr(said, term), getattr(found, term)
        if one != other:
            yield f"it says that {term} is {one!r}, and in the study it is {other!r}."


def _wording(filed: Filed) -> Iterator[str]:
    if filed.statement != filed.certificate.statement:
        yield f"its words are not those of its numbers, which say: {filed.certificate.statement}"


def objections_by_votes(filed: Filed, path: str | Path) -> tuple[str, ...]:
    """Return the same from a CSV file of votes, as a study exports them: the first of them that count."""
    wins, ties = counts_of(path, filed.certificate)
    return (*filed.certificate.recheck(wins, ties), *_wording(filed))


def counts_of(path: str | Path, certificate: Certificate) -> tuple[np.ndarray, np.ndarray]:
    """Return wins and ties of the first votes in a CSV file, as many as a certificate was issued on."""
    index = {name: i for i, name in enumerate(certificate.labels)}
    wins, ties = (np.zeros((certificate.k, certificate.k), np.int64) for _ in range(2))
    counted = 0
    for where, row in rows_of_file(Path(path), ("left", "right", "outcome")):
        if counted == certificate.votes:
            break
        if str(row.get("counted", True)).lower() in ("false", "0", "no"):
            continue
        for name in (row["left"], row["right"]):
            if name not in index:
                raise InvalidRow(f"{where}: the certificate knows no option '{name}'.")
        left, right = index[row["left"]], index[row["right"]]
        try:
            outcome = outcome_of(row["outcome"], row["left"], row["right"])
        except InvalidVote as error:
            raise InvalidRow(f"{where}: {error}") from error
        if outcome in (SKIP, ERROR):
            continue
        counted += 1
        if outcome == LEFT:
            wins[left, right] += 1
        elif outcome == RIGHT:
            wins[right, left] += 1
        else:  # of what counts, the rest are ties
            ties[[left, right], [right, left]] += 1
    return wins, ties
