"""What certificates of votes and of panels have in common: what they say of options, and how they are shown and read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from types import UnionType
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args, get_origin, get_type_hints

from numpy.typing import ArrayLike

from copeland.certificate.goal_claims import Findings
from copeland.errors import InvalidParameter
from copeland.support.arrays import Ints
from copeland.support.escaping import inert
from copeland.support.goal import Goal
from copeland.support.notebook_html import MOST_ROWS, html_table

FORMAT = 1  # of files


class FiledVote(NamedTuple):
    """A row of a file of votes, which may stand for several."""

    where: str  # in the file
    voter: str | None
    left: int
    right: int
    outcome: str  # left, right or a tie, if it counts
    counts: bool
    times: int = 1

    def add_to(self, wins: Ints, ties: Ints) -> None:
        """Add it to tables of counts, if it counts."""
        left, right, times = self.left, self.right, self.times * self.counts
        if self.outcome == "left":
            wins[left, right] += times
        elif self.outcome == "right":
            wins[right, left] += times
        else:
            ties[[left, right], [right, left]] += times


class BaseCertificate(Findings):
    """What certificates of votes and of panels have in common; each is a frozen dataclass."""

    electorates: ClassVar[tuple[str, ...]]  # whose votes it may be of
    fixed: ClassVar[tuple[str, ...]]  # fields that were fixed before it was issued
    columns: ClassVar[tuple[str, ...]]  # that a file must have to check it
    voters: Any  # one of the electorates
    delta: Any  # the probability that it is wrong; None: it is exact
    lower: tuple[int, ...]  # how many options each beats at least

    def __repr__(self) -> str:
        return inert(f"<{type(self).__name__}: {self.statement}>")

    def _repr_html_(self) -> str:
        order = sorted(range(self.k), key=lambda i: self.scores[i], reverse=True)[:MOST_ROWS]
        rows = [[self.labels[i], *map(str, self.scores[i])] for i in order]
        sentence = " ".join(filter(None, (self.statement, self.advice)))
        return html_table(sentence, ["", "beats at least", "beats at most"], rows, self.k)

    @property
    def complete(self) -> bool:
        """Whether there are no more votes to come."""
        return False

    @property
    def statement(self) -> str:
        """What is proved, in a sentence."""
        raise NotImplementedError

    @property
    def proviso(self) -> str:
        """How sure it is, in a few words."""
        raise NotImplementedError

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the votes must be like for the statement to hold, in sentences."""
        raise NotImplementedError

    @property
    def scope(self) -> tuple[Any, ...]:
        """Of what it says something: an epoch, how many options that had if these are not all, and which of them."""
        return 0, None, self.active

    @property
    def advice(self) -> str:
        """Which option to take, in a sentence; empty if that is obvious."""
        return ""

    def recount(self, votes: Iterator[FiledVote]) -> tuple[Ints, ...]:
        """Return the counts that it is to be made from, by the first votes of a file, as many as it was issued on."""
        raise NotImplementedError

    def recheck(
        self, wins: ArrayLike, ties: ArrayLike | None = None, missing: ArrayLike | None = None
    ) -> tuple[str, ...]:
        """Make it again from these counts; return what does not hold, in sentences."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the certificate as the text of a file, which can be checked against the votes."""
        return json.dumps(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values."""
        return {"format": FORMAT, **self.findings()}

    def findings(self) -> dict[str, Any]:
        """Return all that it says, by field."""
        return {name: getattr(self, name) for name in self._names()}

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the certificate that :meth:`to_json` wrote."""
        try:
            content = json.loads(text)
            if content["format"] == FORMAT:
                read = cls(**{name: _freeze(content[name]) for name in cls._names()})
                read._require_fitting()
                return read
        except RecursionError:
            raise InvalidParameter("the text is nested too deeply to be a certificate.") from None
        except KeyError as missing:
            raise InvalidParameter(
                f"a certificate has {missing}, and this text does not."
            ) from None
        except (ValueError, TypeError) as error:
            raise InvalidParameter(f"this text is not a certificate: {error}.") from None
        raise InvalidParameter(
            f"this file has format {str(content['format'])[:40]}; this version reads format {FORMAT}."
        )

    @classmethod
    def _names(cls) -> list[str]:
        return [field.name for field in fields(cls)]  # type: ignore[arg-type]

    def _require_fitting(self) -> None:
        """Refuse values of another kind than a certificate has, and options that it does not know."""
        hints = get_type_hints(type(self))
        for name in self._names():
            if not _is_a(getattr(self, name), hints[name]):
                raise ValueError(f"its {name} is {str(getattr(self, name))[:40]!r}")
        if self.k < 2 or not self._has_scores():
            raise ValueError(f"its {self.k} labels do not fit its scores")
        named = (*self.best, *self.possible, *self.among, *self.top, *self.above, *self.below)
        if not all(0 <= i < self.k for i in (*named, *self.not_worse, *self.even)):
            raise ValueError(f"it names an option outside of 0 to {self.k - 1}")
        goal = Goal.parse(self.goal)
        if str(goal) != self.goal:
            raise ValueError(f"its goal is {self.goal!r}, which is {str(goal)!r}")
        goal.check(self.labels)

    def _has_scores(self) -> bool:
        """Whether there is a score for each label."""
        return len(self.scores) == len(set(self.labels)) == self.k

    def _recheck(
        self, digest: str, again: Callable[[], BaseCertificate], counts: str
    ) -> tuple[str, ...]:
        """What does not hold if it is made again from other counts, in sentences."""
        if digest != self.digest:
            return (
                f"it was issued on other {counts}: their counts have the digest {self.digest[:12]}, "
                f"but these have {digest[:12]}.",
            )
        made = again()
        return tuple(
            f"it says that {name} is {said!r}, but the {counts} give {found!r}."
            for name in self._names()
            if (said := getattr(self, name)) != (found := getattr(made, name))
        )


def _freeze(value: Any) -> Any:
    """What JSON gives back as lists was a tuple."""
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value read from JSON is what an annotation says."""
    parts = get_args(hint)
    if get_origin(hint) is Literal:
        return value in parts
    if get_origin(hint) is UnionType:
        return any(_is_a(value, part) for part in parts)
    if get_origin(hint) is tuple:
        each = parts[:1] * len(value) if isinstance(value, tuple) and ... in parts else parts
        return isinstance(value, tuple) and len(value) == len(each) and all(map(_is_a, value, each))
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is hint
