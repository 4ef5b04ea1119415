"""Test cases with the answers that options gave: the values, gathered from single answers, and joined over files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from copeland.errors import InvalidRow


@dataclass(frozen=True)
class AnswerCase:
    """A test case, and what each option answered.

    An option that has no answer, because its run failed, is not in ``answers``. ``prices`` and ``seconds`` are what each
    answer cost and took, and ``expected`` is the reference answer, where the file tells. Cases of one ``cluster`` hang together, as runs of
    a task do; one without a cluster stands alone. ``where`` is the place in the file.
    """

    id: str
    text: str
    answers: Mapping[str, str]
    tags: tuple[str, ...] = ()
    prices: Mapping[str, float] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    cluster: str = ""
    expected: str = ""
    where: str = field(default="", compare=False, repr=False)


class AnswerFile(NamedTuple):
    """The cases of a file, and the options that answered, in the file's order."""

    where: str
    options: tuple[str, ...]
    cases: tuple[AnswerCase, ...]


class OptionAnswer(NamedTuple):
    """What one option made of one case; of a case without options, none."""

    case: str
    option: str
    answer: str | None  # None: there is none
    text: str = ""  # of the case
    tags: tuple[str, ...] = ()
    price: float | None = None
    seconds: float | None = None
    cluster: str = ""
    expected: str = ""  # the reference answer of the case
    where: str = ""  # the file and the line


def gather_cases(where: str, answers: Iterable[OptionAnswer]) -> AnswerFile:
    """Return the cases of single answers, in the order in which cases and options are first named."""
    listed = list(answers)
    if not listed:
        raise InvalidRow(f"{where}: there are no cases in it; give it a line for each.")
    _refuse_repeats(where, listed)
    options = tuple(dict.fromkeys(one.option for one in listed if one.option))
    if options and all(one.answer is None for one in listed):
        raise InvalidRow(
            f"{where}: none of its {len(listed):,} answers is there; every run failed."
        )
    grouped: dict[str, list[OptionAnswer]] = {}
    for one in listed:
        grouped.setdefault(one.case, []).append(one)
    cases = tuple(_case_of(where, group) for group in grouped.values())
    return AnswerFile(where, options, cases)


def _refuse_repeats(where: str, answers: Sequence[OptionAnswer]) -> None:
    first: dict[tuple[str, str], OptionAnswer] = {}
    again = [one for one in answers if first.setdefault((one.case, one.option), one) is not one]
    if again:
        one = again[0]
        before = first[one.case, one.option].where.rpartition(", ")[2]
        has = f"has an answer of '{one.option}' before" if one.option else "was there before"
        others = len({other.case for other in again}) - 1
        raise InvalidRow(
            f"{one.where or where}: the case '{one.case}' {has}{f' ({before})' if before else ''}"
            f"{f', and so for {others:,} more' if others else ''}; give each case its own id."
        )


def _case_of(where: str, group: Sequence[OptionAnswer]) -> AnswerCase:
    return AnswerCase(
        group[0].case,
        next((one.text for one in group if one.text), ""),
        {one.option: one.answer for one in group if one.answer is not None},
        tuple(dict.fromkeys(tag for one in group for tag in one.tags)),
        {one.option: one.price for one in group if one.price is not None},
        {one.option: one.seconds for one in group if one.seconds is not None},
        join_clusters(where, group[0].case, *(one.cluster for one in group)),
        next((one.expected for one in group if one.expected), ""),
        group[0].where,
    )


def join_clusters(where: str, case: str, *told: str) -> str:
    """Return the cluster of a case, by all that are told of it; empty if it stands alone."""
    found = list(dict.fromkeys(filter(None, told)))
    if len(found) > 1:
        raise InvalidRow(
            f"{where}: case '{case}' is of two clusters, '{found[0]}' and '{found[1]}'; give it one."
        )
    return found[0] if found else ""


def join_answers(
    files: Sequence[AnswerFile],
    names: Sequence[str],
    called: Sequence[Mapping[str, str]] = (),
) -> AnswerFile:
    """Return the cases of several files as those of one, by their ids.

    ``names`` tell options of one name apart, unless ``called`` says for each file what its options are called.
    """
    times = Counter(option for file in files for option in file.options)
    own = called or [
        {one: one if times[one] == 1 else f"{one} ({name})" for one in file.options}
        for file, name in zip(files, names, strict=True)
    ]
    cases: dict[str, AnswerCase] = {}
    options: list[str] = []
    for file, theirs in zip(files, own, strict=True):
        options += theirs.values()
        for case in file.cases:
            before = cases.get(case.id, AnswerCase(case.id, case.text, {}, where=case.where))
            cases[case.id] = _merge(case.where or file.where, before, case, theirs)
    return AnswerFile(files[0].where, tuple(options), tuple(cases.values()))


def _merge(
    where: str, before: AnswerCase, case: AnswerCase, called: Mapping[str, str]
) -> AnswerCase:
    """One case with what another file says of it."""
    if before.text and case.text and before.text != case.text:
        raise InvalidRow(
            f"{where}: the text of case '{case.id}' is another in a file before{f' ({before.where})' if before.where else ''}; "
            "give the same id to the same case only."
        )
    if before.expected and case.expected and before.expected != case.expected:
        raise InvalidRow(
            f"{where}: what is expected of case '{case.id}' is another in a file before."
        )
    return replace(
        before,
        text=before.text or case.text,
        answers={**before.answers, **{called[one]: a for one, a in case.answers.items()}},
        tags=tuple(dict.fromkeys((*before.tags, *case.tags))),
        prices={**before.prices, **{called[one]: p for one, p in case.prices.items()}},
        seconds={**before.seconds, **{called[one]: s for one, s in case.seconds.items()}},
        cluster=join_clusters(where, case.id, before.cluster, case.cluster),
        expected=before.expected or case.expected,
    )
