"""Label Studio's exports of a project with a ``Pairwise`` tag, JSON and JSON-MIN: every annotation is a vote.

The names of the options stand in a task's ``data``, as ``left`` and ``right`` or ``model_a`` and ``model_b``, unless other
columns are named. A row of JSON-MIN is an annotation, with those data beside it; skipped tasks are not in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from copeland.errors import InvalidRow
from copeland.formats import Format, Record, register_format
from copeland.formats.records import require_object, require_objects
from copeland.support.row_files import column_name

_OUTCOMES = {"left": "left", "right": "right", "none": "skip"}


def convert(task: Record) -> Iterator[Record]:
    """Yield the vote of each annotation of a task."""
    data = require_object(task.get("data"), "data")
    shown = {column_name(key): value for key, value in data.items()}
    for annotation in require_objects(task.get("annotations"), "annotations"):
        yield {
            **shown,
            "outcome": _outcome(annotation),
            "voter": _name(annotation.get("completed_by")),
            "item": _name(task.get("id")),
            "time": annotation.get("created_at"),
        }


def _outcome(annotation: Record) -> str:
    if annotation.get("was_cancelled"):
        return "skip"
    results = require_objects(annotation.get("result") or [], "results")
    chosen = [one.get("value") for one in results if one.get("type") == "pairwise"]
    if results and not chosen:
        raise InvalidRow("its annotation has no result of type 'pairwise'.")
    return _outcome_of(chosen[0]) if chosen else "skip"


def _outcome_of(chosen: Any) -> str:
    selected = require_object(chosen, "value").get("selected")
    if not isinstance(selected, str) or selected not in _OUTCOMES:
        raise InvalidRow(f"selected is '{selected}'; it must be left or right.")
    return _OUTCOMES[selected]


def convert_row(row: Record) -> Iterator[Record]:
    """Yield the vote of a row of JSON-MIN; none of a task without an annotation."""
    if row.get("annotation_id") is None:
        return
    lists = [value for value in row.values() if isinstance(value, list) and value]
    chosen = [one[0] for one in lists if isinstance(one[0], dict) and "selected" in one[0]]
    yield {
        "outcome": _outcome_of(chosen[0]) if chosen else "skip",
        "voter": _name(row.get("annotator")),
        "item": _name(row.get("id")),
        "time": row.get("created_at"),
    }


def _name(value: Any) -> str | None:
    """Who annotated, or a task, as text: a number, or an object with an email address."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    return None if value is None else str(value)


register_format(
    Format(
        name="label-studio",
        summary="Label Studio's JSON export of pairwise annotations; the data of a task name the options.",
        columns=("annotations", "data"),
        convert=convert,
    )
)

register_format(
    Format(
        name="label-studio-min",
        summary="Label Studio's JSON-MIN export of pairwise annotations; its rows name the options.",
        columns=("annotation_id", "annotator"),
        convert=convert_row,
    )
)
