"""Inspect's logs of an evaluation, .eval or .json, by Inspect's own reader (extra: inspect).

A log has one option, the model; where there is none, the task. A sample that failed has no answer. The epochs of a sample are cases of
one cluster, or of that which its metadata name as ``cluster``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from copeland.errors import InvalidRow, need
from copeland.formats import Format, register_format
from copeland.formats.answer_cases import AnswerFile, OptionAnswer, gather_cases
from copeland.formats.answers import find_cluster, find_tags

_NO_MODEL = "none/none"


def read(path: Path) -> AnswerFile:
    """Return the samples of a log, and what its model answered."""
    reader = need("inspect_ai.log", "inspect", "a log of Inspect")
    if not path.is_file():
        raise InvalidRow(f"{path} cannot be read: there is no such file.")
    try:
        log = reader.read_eval_log(str(path))
    except Exception as error:  # of its reader, of any kind
        reason = " ".join(str(error).split())[:200]
        raise InvalidRow(f"{path}: Inspect cannot read it as a log: {reason}.") from error
    if not log.samples:
        raise InvalidRow(f"{path}: the log has no samples; write it with them.")
    option = log.eval.model if log.eval.model != _NO_MODEL else log.eval.task
    return gather_cases(str(path), _list_answers(option, log.samples))


def _list_answers(option: str, samples: Sequence[Any]) -> Iterator[OptionAnswer]:
    for sample in samples:
        epoch = "" if sample.epoch == 1 else f" (epoch {sample.epoch})"
        yield OptionAnswer(
            f"{sample.id}{epoch}",
            option,
            None if sample.error is not None else sample.output.completion,
            _text_of(sample.input),
            find_tags(sample.metadata),
            _add_costs(sample),
            sample.total_time,
            find_cluster(sample.metadata) or str(sample.id),
            _reference_of(sample),
        )


def _text_of(told: Any) -> str:
    """An input as text; of several messages, each with who says it."""
    if isinstance(told, str):
        return told
    if len(told) == 1:
        return told[0].text
    return "\n".join(f"{message.role}: {message.text}" for message in told)


def _reference_of(sample: Any) -> str:
    """The target of a sample; of several, each in a line."""
    target = getattr(sample, "target", "")
    return target if isinstance(target, str) else "\n".join(target)


def _add_costs(sample: Any) -> float | None:
    """What a sample cost, where Inspect knows the prices of its models."""
    costs = [getattr(usage, "total_cost", None) for usage in (sample.model_usage or {}).values()]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


register_format(
    Format(
        name="inspect",
        summary="Inspect's logs, .eval or .json: answers of one model (extra: inspect).",
        keys=("eval", "plan", "status"),
        suffixes=(".eval",),
        read=None,
        answers=read,
    )
)
