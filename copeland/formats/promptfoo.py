"""promptfoo's results: what each prompt and provider made of each test.

``promptfoo eval -o results.json`` writes one object, whose ``results`` have a list ``results``; ``-o results.jsonl`` writes that list
a line each. A column of its table, that is a prompt with a provider, is an option. Files before version 3 do not number tests and
columns: there a test is known by its variables. With ``--repeat`` every run of a test has a number of its own and the same variables, so
tests with the same variables are cases of one cluster.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from copeland.errors import InvalidRow
from copeland.formats import Format, Record, register_format
from copeland.formats.answer_cases import AnswerFile, OptionAnswer, gather_cases
from copeland.formats.answers import find_cluster, find_tags
from copeland.formats.records import read_object, require_object, require_objects
from copeland.support.row_files import JSON_LINES, file_type, read_table

_LONGEST = 60  # characters of a prompt that names an option


class _Column(NamedTuple):
    """An option: who was asked, and with what prompt."""

    key: str
    provider: str
    prompt: str


def read(path: Path) -> AnswerFile:
    """Return the tests of a file of results, and what each option answered."""
    records = list(_read_records(path))
    columns = [_column_of(where, record) for where, record in records]
    names = _name_options(columns)
    tests = [_test_of(record) for _, record in records]
    runs = _number_runs(tests)
    answers = [
        _answer_of(record, names[column.key], test, runs[test.key])._replace(where=where)
        for (where, record), column, test in zip(records, columns, tests, strict=True)
    ]
    return gather_cases(str(path), answers)


def _read_records(path: Path) -> Iterator[tuple[str, Record]]:
    if file_type(path) in JSON_LINES:
        yield from read_table(path).rows
        return
    content = read_object(path)
    if content is None:
        raise InvalidRow(f"{path}: it is not one JSON object, as the format promptfoo needs.")
    try:
        inner = require_object(content.get("results"), "'results'").get("results")
        found = require_objects(inner, "'results' in 'results'")
    except InvalidRow as error:
        raise InvalidRow(f"{path}: {error}") from error
    for number, record in enumerate(found, 1):
        yield f"{path}, result {number}", {key.lower(): value for key, value in record.items()}


def _column_of(where: str, record: Record) -> _Column:
    provider, prompt = record.get("provider"), record.get("prompt")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    if isinstance(prompt, dict):
        prompt = prompt.get("label") or prompt.get("display") or prompt.get("raw")
    if not isinstance(provider, str) or not isinstance(prompt, str):
        missing = "prompt" if isinstance(provider, str) else "provider"
        raise InvalidRow(f"{where}: there is no '{missing}', which the format promptfoo needs.")
    key = record.get("promptidx")
    return _Column(f"{provider} {prompt}" if key is None else str(key), provider, prompt)


def _name_options(columns: Sequence[_Column]) -> dict[str, str]:
    """The name of each option: its provider or its prompt, whichever differs, or both."""
    known = {column.key: column for column in columns}
    providers = {column.provider for column in known.values()}
    prompts = {column.prompt for column in known.values()}
    named = {
        key: _name_option(column, len(providers) > 1, len(prompts) > 1)
        for key, column in known.items()
    }
    times = Counter(named.values())
    return {
        key: name if times[name] == 1 else f"{name} ({number})"
        for number, (key, name) in enumerate(named.items(), 1)
    }


def _name_option(column: _Column, by_provider: bool, by_prompt: bool) -> str:
    prompt = " ".join(column.prompt.split())
    prompt = prompt if len(prompt) <= _LONGEST else prompt[: _LONGEST - 3] + "..."
    if by_prompt:
        return f"{column.provider}: {prompt}" if by_provider else prompt
    return column.provider


class _Test(NamedTuple):
    """What is known of the test of a result."""

    key: str  # its runs have the same
    id: str | None  # its own, among its metadata or variables
    number: int | None  # of this run
    variables: Record
    metadata: Any


def _test_of(record: Record) -> _Test:
    test = record.get("testcase")
    test = test if isinstance(test, dict) else {}
    variables = record.get("vars") or test.get("vars")
    variables = variables if isinstance(variables, dict) else {}
    metadata, number = test.get("metadata"), record.get("testidx")
    own = None
    for known in (variables, metadata if isinstance(metadata, dict) else {}):
        if isinstance(known.get("id"), str | int) and str(known["id"]).strip():
            own = str(known["id"])
    key = json.dumps(variables, sort_keys=True) if own is None else own
    return _Test(key, own, number if isinstance(number, int) else None, variables, metadata)


def _number_runs(tests: Sequence[_Test]) -> dict[str, list[int]]:
    """The numbers that the runs of each test have, in their order; the test's own place where runs have none."""
    runs: dict[str, set[int]] = {}
    for test in tests:
        runs.setdefault(test.key, set())
        if test.number is not None:
            runs[test.key].add(test.number)
    return {key: sorted(found) or [place] for place, (key, found) in enumerate(runs.items())}


def _answer_of(record: Record, option: str, test: _Test, runs: Sequence[int]) -> OptionAnswer:
    response, late = record.get("response"), _number(record.get("latencyms"))
    output = response.get("output") if isinstance(response, dict) else None
    return OptionAnswer(
        _name_run(test, runs),
        option,
        _text_of(output),
        _describe(test.variables, record.get("prompt")),
        find_tags(test.metadata),
        _number(record.get("cost")),
        None if late is None else late / 1000,
        find_cluster(test.metadata) or _name_run(test._replace(number=runs[0]), runs),
    )


def _name_run(test: _Test, runs: Sequence[int]) -> str:
    """The number of a run; or the test's own id, and from the second run on which run it is."""
    number = runs[0] if test.number is None else test.number
    if test.id is None:
        return str(number)
    run = runs.index(number)
    return test.id if run == 0 else f"{test.id} (run {run + 1})"


def _describe(variables: Mapping[str, Any], prompt: Any) -> str:
    """A test as text: its variable, or all of them with their names; else the prompt."""
    if not variables:
        raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
        return raw if isinstance(raw, str) else ""
    texts = {name: _text_of(value) or "" for name, value in variables.items()}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n".join(f"{name}: {text}" for name, text in texts.items())


def _text_of(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return float(value) if is_number else None


register_format(
    Format(
        name="promptfoo",
        summary="promptfoo's results as .json or .jsonl: answers of each prompt and provider.",
        keys=("config", "results"),
        columns=("promptIdx", "testIdx", "response"),
        read=None,
        answers=read,
    )
)
