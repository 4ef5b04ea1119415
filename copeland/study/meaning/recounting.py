"""The counts that a certificate was made from, read again from a CSV file of votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from copeland.certificate import Certificate
from copeland.errors import InvalidRow, InvalidVote
from copeland.panel import PanelCertificate
from copeland.study.record.books import count
from copeland.study.record.events import ERROR, SKIP
from copeland.study.record.panel import Panel
from copeland.tables import rows_of_file
from copeland.tallies import outcome_of


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
        times = _times(where, row)
        counted += times
        count(wins, ties, left, right, outcome, times)
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


def _times(where: str, row: Mapping[str, Any]) -> int:
    """How many votes a row stands for."""
    told = row.get("times") or "1"
    if not str(told).isdecimal():
        raise InvalidRow(f"{where}: times is '{told}'; it must be a whole number.")
    return int(told)


def _is_false(value: Any) -> bool:
    return str(value).lower() in ("false", "0", "no")
