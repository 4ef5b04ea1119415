"""Argilla's records with answers to a ranking question, as ``dataset.records.to_json`` writes them.

Each answer is a vote on every pair that it ranks. Where a record's metadata has an entry of the name of a ranked value, such as
``{"response1": "gpt-4"}``, that is the option; else the value is. Argilla 2 may write a ranking as a list of names,
without ranks; their order need not be the ranking, so such a list is refused if it names fields of the record. Other
lists answer other questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from copeland.errors import InvalidRow
from copeland.formats import Format, Record, register_format
from copeland.formats.preflib import compare_pairs
from copeland.formats.records import require_object, require_objects


def convert(record: Record) -> Iterator[Record]:
    """Yield a vote for each pair of each ranking."""
    names = require_object(record.get("metadata") or {}, "metadata")
    fields = record.get("fields")
    for question, answers in require_object(record.get("responses"), "responses").items():
        for answer in require_objects(answers, f"answers to {question}"):
            _refuse_bare(answer.get("value"), question, fields)
            for pair in compare_pairs(_levels(answer.get("value"), names)):
                item = record.get("id")
                yield {**pair._asdict(), "voter": answer.get("user_id"), "item": item}


def _refuse_bare(value: Any, question: str, fields: Any) -> None:
    """Refuse a ranking without ranks."""
    if not isinstance(value, list) or not isinstance(fields, dict):
        return
    if len(value) > 1 and all(isinstance(one, str) and one in fields for one in value):
        raise InvalidRow(
            f"its answer to {question} names {value[0]} and others without their ranks; "
            'give each as {"value": "' + value[0] + '", "rank": 1}.'
        )


def _levels(value: Any, names: Record) -> list[list[str]]:
    """The options by rank, best first; none if the question is not a ranking."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return []  # such as a text, or the labels of another question
    ranked: dict[int, list[str]] = {}
    for one in value:
        name, rank = one.get("value"), one.get("rank")
        if not isinstance(rank, int) or not isinstance(name, str):
            raise InvalidRow("its ranking has an entry without a rank and a value.")
        ranked.setdefault(rank, []).append(str(names.get(name, name)))
    return [ranked[rank] for rank in sorted(ranked)]


register_format(
    Format(
        name="argilla",
        summary="Argilla's records (to_json) with answers to a ranking question.",
        columns=("fields", "responses"),
        convert=convert,
        sides=False,
    )
)
