"""Samples of lm-evaluation-harness, as ``--log_samples`` writes them: what one model generated for each document.

The answer is what the model wrote, before filters cut it; with several filters there is a line for each, and they say the same. The files
are called ``samples_TASK_TIME.jsonl`` in a folder named for the model, so the option goes by that folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from copeland.errors import InvalidRow
from copeland.formats import Format, Record, register_format
from copeland.formats.answer_cases import AnswerFile, OptionAnswer, gather_cases
from copeland.support.row_files import Table, read_table

_NEEDED = ("doc_id", "doc", "resps")


def read(path: Path) -> AnswerFile:
    """Return the documents of a file of samples, and what the model generated."""
    return gather_cases(str(path), _list_answers(_read_samples(path), _name_option(path)))


def read_folder(folder: Path, paths: Sequence[Path]) -> AnswerFile:
    """Return the documents of files of samples, of which the last of each model and task counts; several tasks name theirs."""
    stems = [(path, path.stem) for path in paths]
    last = {(p.parent, s.removeprefix("samples_").rpartition("_")[0] or s): p for p, s in stems}
    several = len({task for _, task in last}) > 1
    answers = [
        one._replace(case=f"{task} {one.case}", cluster=f"{task} {one.cluster}") if several else one
        for (_, task), path in last.items()
        for one in _list_answers(_read_samples(path), _name_option(path))
    ]
    return gather_cases(str(folder), answers)


def _read_samples(path: Path) -> Table:
    table = read_table(path)
    for column in _NEEDED:
        table.require(column, ", which the format lm-eval needs")
    return table


def _name_option(path: Path) -> str:
    has_folder = path.name.startswith("samples_") and path.absolute().parent.name
    return path.absolute().parent.name if has_folder else path.stem


def _list_answers(table: Table, option: str) -> Iterator[OptionAnswer]:
    first: dict[str, str | None] = {}  # the filter whose lines are read, by document
    for where, sample in table.rows:
        name, chosen = str(sample.get("doc_id")), sample.get("filter")
        if sample.get("doc_id") is None:
            raise InvalidRow(f"{where}: its doc_id is empty.")
        if first.setdefault(name, chosen) != chosen:
            continue
        answer, prompt = _find_answer(where, sample), _find_prompt(sample)
        target = sample.get("target")
        expected = str(target) if isinstance(target, str | int | float) else ""
        found = OptionAnswer(name, option, answer, prompt)
        yield found._replace(cluster=name, expected=expected, where=where)


def _find_answer(where: str, sample: Record) -> str:
    """The first text of the first request."""
    value: Any = sample.get("resps")
    for _ in range(2):
        value = value[0] if isinstance(value, list) and value else value
    if not isinstance(value, str):
        raise InvalidRow(
            f"{where}: its resps hold no text; only tasks that generate text have answers to compare."
        )
    return value


def _find_prompt(sample: Record) -> str:
    """What the model read, or else the document."""
    arguments = sample.get("arguments")
    asked = arguments.get("gen_args_0") if isinstance(arguments, dict) else None
    prompt = asked.get("arg_0") if isinstance(asked, dict) else None
    if isinstance(prompt, str):
        return prompt
    return json.dumps(sample.get("doc"), ensure_ascii=False)


register_format(
    Format(
        name="lm-eval",
        summary="lm-evaluation-harness's samples_*.jsonl: answers of one model to a generating task.",
        columns=_NEEDED,
        read=None,
        answers=read,
    )
)
