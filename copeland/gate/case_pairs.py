"""Two sets of answers to the same test cases, joined by the ids of the cases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from copeland.errors import InvalidParameter, InvalidRow, UnknownName, nearest
from copeland.formats.answer_cases import join_answers
from copeland.formats.answers import AnswerCase, AnswerFile, read_answers
from copeland.study.judges.call import Opinion
from copeland.study.judges.prompts import Item
from copeland.study.log.events import LEFT, RIGHT, TIE
from copeland.support.phrasing import format_count, join_names, quote_name, quote_names

BASELINE, CANDIDATE = SIDES = "baseline", "candidate"
SEVERAL = "to compare several options, create a study: copeland study create --goal above:NAME (docs/studies.md)"


_NAMED = 3  # cases in a sentence

Answers = AnswerFile | str | Path | Mapping[str, str]


@dataclass(frozen=True)
class CasePairs:
    """Two sets of answers, case by case in the order of the baseline's file, and the cases that were dropped."""

    names: tuple[str, str]  # of the baseline and of the candidate
    cases: tuple[AnswerCase, ...]
    dropped: tuple[str, ...] = ()

    def answers(self, case: AnswerCase) -> tuple[str, str]:
        """Return what the baseline and the candidate answered; a run that failed left an empty answer."""
        old, new = (case.answers.get(name, "") for name in self.names)
        return old, new

    @property
    def identical(self) -> int:
        """How many cases have the same answer twice."""
        return sum(old == new for old, new in map(self.answers, self.cases))

    @property
    def empty(self) -> tuple[int, int]:
        """How many answers of each set are empty where the other's is not."""
        found = [tuple(bool(one.strip()) for one in self.answers(case)) for case in self.cases]
        return found.count((False, True)), found.count((True, False))

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The cases as a judge is handed them."""
        return tuple(
            Item(
                case.id,
                case.text or case.id,
                dict(zip(self.names, self.answers(case), strict=True)),
                case.tags,
                case.cluster,
                case.expected,
            )
            for case in self.cases
        )

    @property
    def digests(self) -> dict[str, str]:
        """The digest of each set: of its ids, texts and answers in order."""
        rows = zip(
            *([[case.id, case.text, one] for one in self.answers(case)] for case in self.cases),
            strict=True,
        )
        digests = (sha256(json.dumps(one).encode()).hexdigest() for one in rows)
        return dict(zip(SIDES, digests, strict=True))

    def count_free(self, judge_identical: bool) -> int:
        """Return how many cases take no call."""
        found = (settle_pair(*self.answers(case), judge_identical) for case in self.cases)
        return sum(one is not None for one in found)

    def find_mean(self, column: str, what: str) -> tuple[float, float]:
        """Return the mean of a column over all cases, of the baseline and of the candidate."""
        rows: list[Mapping[str, float]] = [getattr(case, column) for case in self.cases]
        for name in self.names:
            missing = [c for c, row in zip(self.cases, rows, strict=True) if name not in row]
            if missing:
                raise InvalidRow(
                    f"the answers of {quote_name(name)} have no {what} in "
                    f"{format_count(len(missing), 'case')} ({_name_some(missing)}); give them a column '{what}'."
                )
        old, new = (sum(row[name] for row in rows) / len(rows) for name in self.names)
        return old, new


def settle_pair(left: str, right: str, judge_identical: bool) -> Opinion | None:
    """Return what is clear of two answers without a call: the same twice is a tie, and an empty one loses."""
    is_left, is_right = bool(left.strip()), bool(right.strip())
    if not (is_left or is_right) or (left == right and not judge_identical):
        return Opinion(TIE, 0, note="both answers are the same")
    if is_left and is_right:
        return None
    return Opinion(LEFT if is_left else RIGHT, 0, note="one answer is empty")


def pair_answers(
    baseline: Answers,
    candidate: Answers,
    inner: bool = False,
    name: str | None = None,
    roles: tuple[str, str] = (BASELINE, CANDIDATE),
    cluster: str | None = None,
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
    roles
        What the two are called where nothing else tells them apart.
    cluster
        The column that says which cases hang together; ``"cluster"``, if there is one.
    """
    files = [
        _read_set(one, role, name, cluster)
        for one, role in zip((baseline, candidate), roles, strict=True)
    ]
    for file in files:
        if len(file.options) != 1:
            options = join_names(quote_names(file.options)) or "none"
            raise InvalidRow(
                f"{file.where} holds the answers of {format_count(len(file.options), 'option')} ({options}); choose two with "
                f"--answers FILE --baseline NAME --candidate NAME; {SEVERAL}."
            )
    names = _name_options(files, roles)
    called = [{file.options[0]: name} for file, name in zip(files, names, strict=True)]
    dropped = tuple(_find_lone_cases(files, inner))
    joined = join_answers(files, roles, called).cases
    shared = tuple(case for case in joined if case.id not in dropped)
    if not shared:
        places = " and ".join(file.where for file in files)
        raise InvalidRow(
            f"{places} have no case in common; the ids of their cases must be the same."
        )
    return CasePairs(names, shared, dropped)


def pick_answers(
    file: Answers,
    baseline: str,
    candidate: str,
    name: str | None = None,
    cluster: str | None = None,
) -> CasePairs:
    """Return the answers of two options that one file holds."""
    found = _read_set(file, "answers", name, cluster)
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
    return CasePairs((baseline, candidate), found.cases)


def refuse_empty(pairs: CasePairs) -> None:
    """Refuse answers that are empty."""
    for side, name in enumerate(pairs.names):
        empty = [case for case in pairs.cases if not pairs.answers(case)[side].strip()]
        if empty:
            raise InvalidRow(
                f"{quote_name(name)} has no answer, or an empty one, in {format_count(len(empty), 'case')} ({_name_some(empty)}); "
                "write down what a user would have seen, such as (no answer), or let it lose with --empty lose."
            )


def _read_set(answers: Answers, role: str, name: str | None, cluster: str | None) -> AnswerFile:
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
    return read_answers(Path(answers), name, cluster)


def _name_options(files: Sequence[AnswerFile], roles: tuple[str, str]) -> tuple[str, str]:
    """The first names that differ: those of the options, of their files, of the folders of these, or their roles."""
    paths = [Path(file.where) for file in files]
    ways = (
        [file.options[0] for file in files],
        [path.stem for path in paths],
        [path.absolute().parent.name for path in paths],
    )
    old, new = next((way for way in ways if way[0] != way[1] and all(way)), roles)
    return old, new


def _find_lone_cases(files: Sequence[AnswerFile], inner: bool) -> Iterator[str]:
    """Yield the cases that one set has alone; refuse them unless they may be dropped."""
    said = []
    for file, other in zip(files, reversed(files), strict=True):
        known = {case.id for case in other.cases}
        if len({case.id for case in file.cases}) < len(file.cases):
            raise InvalidRow(f"{file.where} names a case several times; give each its own id.")
        alone = [case for case in file.cases if case.id not in known]
        yield from (case.id for case in alone)
        if alone:
            is_or_are = "is" if len(alone) == 1 else "are"
            said.append(
                f"{format_count(len(alone), 'case')} {is_or_are} in {file.where} only ({_name_some(alone)})"
            )
    if said and not inner:
        raise InvalidRow(
            f"{' and '.join(said)}; give both the same cases, or drop what only one of them has with --inner (inner=True)."
        )


def _name_some(cases: Sequence[AnswerCase]) -> str:
    """The first cases as they stand in a sentence, each with its line if that is known."""
    named = [
        f"{quote_name(case.id)}{f' in {line}' if line else ''}"
        for case in cases[:_NAMED]
        for line in [case.where.rpartition(", ")[2]]
    ]
    return join_names(named) if len(cases) <= _NAMED else f"{', '.join(named)} ..."
