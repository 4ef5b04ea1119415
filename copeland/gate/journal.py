"""Every answer that was paid for, in a file: a later run of the same gate goes on where the last one stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from copeland.errors import InvalidParameter
from copeland.gate.judgments import Judgment
from copeland.gate.questions import Question
from copeland.study.input_limits import json_of
from copeland.study.log.events import ERROR, OUTCOMES
from copeland.support.phrasing import join_names

VERSION = 1
FIELDS = ("judge", "place", "outcome", "calls", "flipped", "note", "tokens", "cost")


class Journal:
    """The answers of a gate: those that a file holds, and those that come.

    An error is kept, because it was paid for, and is no answer: the question is asked again in the next run.

    Parameters
    ----------
    path
        The file; None keeps everything in memory.
    settings
        What the gate is about. A file that was begun with others is refused.
    questions
        The questions in their order.

    Examples
    --------
    >>> journal = Journal(None, {"seed": 0}, [Question(0, "baseline")])
    >>> journal.append("small-model", Judgment(0, 0, "baseline", "left"), tokens=100, cost=0.5)
    >>> journal.find_answer("small-model", 0).outcome, journal.calls["small-model"], journal.cost
    ('left', 1, 0.5)
    """

    def __init__(
        self, path: Path | None, settings: Mapping[str, Any], questions: Sequence[Question]
    ):
        self.path = path
        self.calls: dict[str, int] = {}
        self.before = 0  # calls of earlier runs
        self.cost = 0.0
        self.tokens = 0
        self._answers: dict[tuple[str, int], Judgment] = {}
        self._questions = questions
        header = _make_header(settings)
        if path is None:
            return
        if path.exists() and path.stat().st_size:
            self._read(path, header)
        else:
            _write_line(path, header)
        self.before = sum(self.calls.values())

    def find_answer(self, judge: str, place: int) -> Judgment | None:
        """Return what a judge answered to a question; None if it has not, or failed."""
        return self._answers.get((judge, place))

    def append(self, judge: str, said: Judgment, tokens: int, cost: float) -> None:
        """Keep an answer, on disk before it is counted; one that is kept already stays as it is."""
        if (judge, said.place) in self._answers:
            return
        if self.path is not None:
            row = (judge, said.place, said.outcome, said.calls, said.flipped, said.note)
            _write_line(self.path, dict(zip(FIELDS, (*row, tokens, cost), strict=True)))
        self._take(judge, said, tokens, cost)

    def _take(self, judge: str, said: Judgment, tokens: int, cost: float) -> None:
        if (judge, said.place) in self._answers:  # Ctrl-C came between writing and counting
            return
        self.calls[judge] = self.calls.get(judge, 0) + said.calls
        self.tokens += tokens
        self.cost += cost
        if said.outcome != ERROR:
            self._answers[judge, said.place] = said

    def _read(self, path: Path, header: Mapping[str, Any]) -> None:
        content = path.read_bytes()
        if not content.endswith(b"\n"):  # a line that a crash cut off
            content = content[: content.rfind(b"\n") + 1]
            os.truncate(path, len(content))
        lines = content.decode(errors="replace").splitlines()
        _require_same(path, lines[0] if lines else "", header)
        for number, line in enumerate(lines[1:], 2):
            self._take(*self._check_row(path, number, _parse(path, number, line)))

    def _check_row(
        self, path: Path, number: int, row: Mapping[str, Any]
    ) -> tuple[str, Judgment, int, float]:
        place, outcome = row.get("place"), row.get("outcome")
        calls, tokens, cost = row.get("calls"), row.get("tokens"), row.get("cost")
        whole = all(type(n) is int and n >= 0 for n in (place, calls, tokens))
        fits = whole and place < len(self._questions) and outcome in OUTCOMES  # pyright: ignore[reportOptionalOperand]
        if not (fits and isinstance(row.get("judge"), str) and isinstance(cost, int | float)):
            raise InvalidParameter(
                f"{path}, line {number}: it is damaged; delete this line or name another file."
            )
        assert isinstance(place, int) and isinstance(outcome, str)
        assert isinstance(calls, int) and isinstance(tokens, int)
        flipped, note = row.get("flipped"), str(row.get("note") or "")
        said = Judgment(
            place,
            *self._questions[place],
            outcome,
            calls,
            flipped if isinstance(flipped, bool) else None,
            note,
        )
        return str(row["judge"]), said, tokens, float(cost)


def is_begun(path: Path | None, settings: Mapping[str, Any]) -> bool:
    """Tell whether a file is the journal of this gate, which an earlier run began; refuse that of another gate."""
    if path is None or not path.exists() or not path.stat().st_size:
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        _require_same(path, file.readline().rstrip("\n"), _make_header(settings))
    return True


def _make_header(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"gate journal": VERSION, "digest": _digest(settings), "settings": dict(settings)}


def _require_same(path: Path, line: str, header: Mapping[str, Any]) -> None:
    """Refuse a file that is no journal, and the journal of another gate, and say in what they differ."""
    first = _parse(path, 1, line)
    if "gate journal" not in first:
        raise InvalidParameter(f"{path} is not the journal of a gate; name another file.")
    if first["gate journal"] != VERSION:
        raise InvalidParameter(
            f"{path} has format {str(first['gate journal'])[:40]}; this version reads format {VERSION}. Name another file."
        )
    if first.get("digest") == header["digest"]:
        return
    there, here = first.get("settings"), header["settings"]
    there = there if isinstance(there, dict) else {}
    differ = [
        f"{key} is {_show(there.get(key))} there and {_show(here.get(key))} here"
        for key in dict.fromkeys((*there, *here))
        if there.get(key) != here.get(key)
    ]
    said = join_names(differ, 3) or "its first line was changed"
    raise InvalidParameter(
        f"{path} is the journal of another gate: {said}. Name another --journal, or delete this one."
    )


def _show(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _digest(settings: Mapping[str, Any]) -> str:
    return sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json_of(line)
    except ValueError as error:
        raise InvalidParameter(f"{path}, line {number}: it {error}; name another file.") from None
    if not isinstance(row, dict):
        raise InvalidParameter(f"{path}, line {number}: it is not an object; name another file.")
    return row


def _write_line(path: Path, row: Mapping[str, Any]) -> None:
    with open(path, "ab") as file:
        file.write(json.dumps(row).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
