"""Two sets of answers to the same test cases, joined by the ids of the cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from copeland.errors import InvalidParameter, InvalidRow, UnknownName, nearest
from copeland.formats.answers import AnswerCase, AnswerFile, read_answers
from copeland.support.phrasing import format_count, join_names, quote_name, quote_names

BASELINE, CANDIDATE = "baseline", "candidate"
SEVERAL = "to compare several options, create a study: copeland study create --goal above:NAME (docs/studies.md)"

_NAMED = 3  # cases in a sentence

Answers = AnswerFile | str | Path | Mapping[str, str]


class CasePair(NamedTuple):
    """A test case with both answers, and what each cost and took where the files tell."""

    id: str
    text: str
    baseline: str
    candidate: str
    tags: tuple[str, ...] = ()
    prices: tuple[float | None, float | None] = (None, None)
    seconds: tuple[float | None, float | None] = (None, None)
    expected: str = ""

    @property
    def identical(self) -> bool:
        """Whether both answers are the same text."""
        return self.baseline == self.candidate


@dataclass(frozen=True)
class CasePairs:
    """Two sets of answers, case by case in the order of the baseline's file, and the cases that were dropped."""

    names: tuple[str, str]  # of the baseline and of the candidate
    cases: tuple[CasePair, ...]
    dropped: tuple[str, ...] = ()

    @property
    def identical(self) -> int:
        """How many cases have the same answer twice."""
        return sum(case.identical for case in self.cases)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the cases, in the order in which they come first."""
        return tuple(dict.fromkeys(tag for case in self.cases for tag in case.tags))

    def digest(self, side: str) -> str:
        """Return the digest of one set: its ids, texts and answers in order.

        Examples
        --------
        >>> pair_answers({"q1": "4"}, {"q1": "four"}).digest("baseline")[:12]
        '7a2544e643d9'
        """
        rows = [[case.id, case.text, getattr(case, side)] for case in self.cases]
        return sha256(json.dumps(rows).encode()).hexdigest()

    def find_mean(self, column: str, what: str) -> tuple[float, float]:
        """Return the mean of a column over all cases, of the baseline and of the candidate."""
        rows = [getattr(case, column) for case in self.cases]
        for side, name in enumerate(self.names):
            missing = [
                case.id for case, row in zip(self.cases, rows, strict=True) if row[side] is None
            ]
            if missing:
                raise InvalidRow(
                    f"the answers of {quote_name(name)} have no {what} in "
                    f"{format_count(len(missing), 'case')} ({_name_some(missing)}); give them a column '{what}'."
                )
        return tuple(sum(row[side] for row in rows) / len(rows) for side in (0, 1))  # pyright: ignore[reportReturnType]


def pair_answers(
    baseline: Answers, candidate: Answers, inner: bool = False, name: str | None = None
) -> CasePairs:
    """Return two sets of answers, joined by the ids of their cases.

    Parameters
    ----------
    baseline, candidate
        Each a file with the answers of one option, its path, or a dict of answers by the id of the case.
    inner
        Drop cases that only one of them has, instead of refusing them.
    name
        The format of the files, where it does not show.

    Examples
    --------
    >>> pair_answers({"q1": "4", "q2": "Hi."}, {"q1": "four"})
    Traceback (most recent call last):
        ...
    copeland.errors.InvalidRow: 1 case is in baseline only (q2); give both the same cases, or drop what
    only one of them has with --inner (inner=True).
    """
    one, other = read_set(baseline, BASELINE, name), read_set(candidate, CANDIDATE, name)
    for file in (one, other):
        _require_one_option(file)
    return _join(one, other, (one.options[0], other.options[0]), inner)


def pick_answers(
    file: Answers, baseline: str, candidate: str, name: str | None = None
) -> CasePairs:
    """Return the answers of two options that one file holds.

    Examples
    --------
    >>> case = AnswerCase("q1", "2 + 2?", {"old": "4", "new": "four", "other": "5"})
    >>> pick_answers(AnswerFile("all.csv", ("old", "new", "other"), (case,)), "old", "new").names
    ('old', 'new')
    """
    found = read_set(file, "answers", name)
    for option in (baseline, candidate):
        if option not in found.options:
            raise UnknownName(
                f"{found.where} has no answers of '{option}'; {nearest(option, found.options)}"
            )
    if baseline == candidate:
        raise InvalidParameter(
            f"the baseline and the candidate are both '{baseline}'; name two options, or judge one against itself "
            "with --same."
        )
    return _join(found, found, (baseline, candidate), inner=False)


def pair_with_itself(
    first: Answers, second: Answers | None = None, name: str | None = None
) -> CasePairs:
    """Return a set against itself, or against a second sample by the same model.

    Examples
    --------
    >>> pair_with_itself({"q1": "4"}).names
    ('same 1', 'same 2')
    """
    one = read_set(first, "same", name)
    other = one if second is None else read_set(second, "same", name)
    for file in (one, other):
        _require_one_option(file)
    return _join(one, other, (one.options[0], other.options[0]), inner=False)


def read_set(answers: Answers, role: str, name: str | None = None) -> AnswerFile:
    """Return answers as a file of them, from whatever they are given as."""
    if isinstance(answers, AnswerFile):
        return answers
    if isinstance(answers, Mapping):
        if not all(isinstance(part, str) for pair in answers.items() for part in pair):
            raise InvalidParameter(f"the {role}'s answers must be texts by the ids of their cases.")
        cases = tuple(AnswerCase(key, "", {role: text}) for key, text in answers.items())
        return AnswerFile(role, (role,), cases)
    if not isinstance(answers, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidParameter(
            f"the {role}'s answers are {type(answers).__name__}; give a file, its path, or a dict of texts by id."
        )
    return read_answers(Path(answers), name)


def _require_one_option(file: AnswerFile) -> None:
    if len(file.options) != 1:
        options = join_names(quote_names(file.options)) or "none"
        raise InvalidRow(
            f"{file.where} holds the answers of {format_count(len(file.options), 'option')} ({options}); choose two with "
            f"--answers FILE --baseline NAME --candidate NAME; {SEVERAL}."
        )


def _join(
    baseline: AnswerFile, candidate: AnswerFile, options: tuple[str, str], inner: bool
) -> CasePairs:
    ours, theirs = _index(baseline), _index(candidate)
    dropped = tuple(_find_lone_cases(baseline, candidate, ours, theirs, inner))
    shared = [case for case in ours if case in theirs]
    if not shared:
        raise InvalidRow(
            f"{baseline.where} and {candidate.where} have no case in common; the ids of their cases must be the same."
        )
    cases = tuple(_pair(ours[case], theirs[case], options) for case in shared)
    names = options if options[0] != options[1] else (f"{options[0]} 1", f"{options[1]} 2")
    for side, name in zip((BASELINE, CANDIDATE), names, strict=True):
        empty = [case.id for case in cases if not getattr(case, side).strip()]
        if empty:
            raise InvalidRow(
                f"{quote_name(name)} has no answer, or an empty one, in {format_count(len(empty), 'case')} ({_name_some(empty)}); "
                "write down what a user would have seen, such as (no answer)."
            )
    return CasePairs(names, cases, dropped)


def _index(file: AnswerFile) -> dict[str, AnswerCase]:
    twice = [case for case, times in Counter(case.id for case in file.cases).items() if times > 1]
    if twice:
        raise InvalidRow(
            f"{file.where}: {format_count(len(twice), 'id')} {'names' if len(twice) == 1 else 'name'} several cases "
            f"({_name_some(twice)}); give each case its own."
        )
    if not file.cases:
        raise InvalidRow(f"{file.where} has no cases.")
    return {case.id: case for case in file.cases}


def _find_lone_cases(
    baseline: AnswerFile,
    candidate: AnswerFile,
    ours: Mapping[str, AnswerCase],
    theirs: Mapping[str, AnswerCase],
    inner: bool,
) -> Iterable[str]:
    """Yield the cases that one set has alone; refuse them unless they may be dropped."""
    said = []
    for file, own, others in ((baseline, ours, theirs), (candidate, theirs, ours)):
        alone = [case for case in own if case not in others]
        yield from alone
        if alone:
            is_or_are = "is" if len(alone) == 1 else "are"
            said.append(
                f"{format_count(len(alone), 'case')} {is_or_are} in {file.where} only ({_name_some([own[case] for case in alone])})"
            )
    if said and not inner:
        raise InvalidRow(
            f"{' and '.join(said)}; give both the same cases, or drop what only one of them has with --inner (inner=True)."
        )


def _pair(ours: AnswerCase, theirs: AnswerCase, options: tuple[str, str]) -> CasePair:
    if ours.text and theirs.text and ours.text != theirs.text:
        raise InvalidRow(
            f"the case {quote_name(ours.id)} has different texts in the two files{_name_places(ours, theirs)}; give both answers to "
            "the same question."
        )
    old, new = options
    return CasePair(
        ours.id,
        ours.text or theirs.text,
        ours.answers.get(old, ""),
        theirs.answers.get(new, ""),
        tuple(dict.fromkeys((*ours.tags, *theirs.tags))),
        (ours.prices.get(old), theirs.prices.get(new)),
        (ours.seconds.get(old), theirs.seconds.get(new)),
        ours.expected or theirs.expected,
    )


def _name_places(*cases: AnswerCase) -> str:
    places = [case.where for case in cases if case.where]
    return f" ({join_names(places)})" if places else ""


def _name_some(cases: Sequence[AnswerCase | str]) -> str:
    """The first cases as they stand in a sentence, each with its line where that is known."""
    named = [
        quote_name(one) if isinstance(one, str) else f"{quote_name(one.id)}{_name_line(one)}"
        for one in cases[:_NAMED]
    ]
    return join_names(named) if len(cases) <= _NAMED else f"{', '.join(named)} ..."


def _name_line(case: AnswerCase) -> str:
    line = case.where.rpartition(", ")[2]
    return f", {line}" if line else ""
