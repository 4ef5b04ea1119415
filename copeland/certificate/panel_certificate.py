"""What a panel has settled, whatever the answers say that are still missing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copeland.certificate.certificate import (
    Verdict,
    _check_labels,
    _freeze,
    _is_a,
    _mask,
    _pairs,
    _whole,
)
from copeland.errors import InvalidParameter
from copeland.support.escaping import inert
from copeland.support.notebook_html import MOST_ROWS, html_table
from copeland.support.phrasing import format_count, join_names, quote_names

FORMAT = 1

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class PanelCertificate:
    """What holds in every completion of a panel's answers; made by :func:`panel_certificate`.

    Options are given by index. An option *beats* another if more members prefer it than prefer the
    other; ties and skips count for neither. All fields are exact: nothing more is settled.

    Examples
    --------
    >>> from copeland.certificate import panel_certificate
    >>> found = panel_certificate([[0, 3], [0, 0]], missing=[[0, 2], [2, 0]], labels=["tea", "milk"])
    >>> found.verdict, found.best, found.is_all
    ('winner', (0,), True)
    """

    labels: tuple[str, ...]
    votes: int  # wins and ties that are counted
    digest: str  # of the counts
    active: tuple[int, ...] | None  # what is said is about these options alone; None: about all
    missing: int  # how many answers are still to come
    excused: tuple[str, ...]
    best: tuple[int, ...]  # Copeland winners in every completion
    is_all: bool  # in every completion the winners are exactly these
    possible: tuple[int, ...]  # Copeland winners in some completion
    scores: tuple[tuple[int, int], ...]  # how many options each beats, at least and at most
    beats: tuple[tuple[int, int], ...]  # pairs (i, j): i beats j
    ties: tuple[tuple[int, int], ...]  # pairs (i, j), i < j: tied

    def __repr__(self) -> str:
        return inert(f"<PanelCertificate: {self.statement}>")

    def _repr_html_(self) -> str:
        order = sorted(range(self.k), key=lambda i: self.scores[i], reverse=True)[:MOST_ROWS]
        rows = [[self.labels[i], *map(str, self.scores[i])] for i in order]
        return html_table(self.statement, ["", "beats at least", "beats at most"], rows, self.k)

    @property
    def k(self) -> int:
        """The number of options."""
        return len(self.labels)

    @property
    def lower(self) -> tuple[int, ...]:
        """How many options each beats at least."""
        return tuple(low for low, _ in self.scores)

    @property
    def verdict(self) -> Verdict:
        """``"winner"`` (one option is sure to be best), ``"tied"`` (several are) or ``"open"``."""
        return "open" if not self.best else "winner" if len(self.best) == 1 else "tied"

    @property
    def statement(self) -> str:
        """What is settled, in a sentence."""
        return f"{_when(self)}, {_claim(self, quote_names(self.labels))}."

    @property
    def statement_before(self) -> str:
        """The same as copeland 0.2 put it, for the files that it wrote."""
        return f"{_when(self)}, {_claim(self, self.labels, 'it may be {}')}."

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the answers must be like for the statement to hold."""
        return tuple(_list_assumptions(self))

    @property
    def margin(self) -> float:
        """0: majorities are counted and not estimated, so no pair is too close to matter."""
        return 0.0

    @property
    def advice(self) -> str:
        """Empty: which option to take goes without saying."""
        return ""

    @property
    def proviso(self) -> str:
        """How sure it is, in a few words."""
        return "whatever the missing answers say" if self.missing else "all answers are in"

    def to_json(self) -> str:
        """Return the certificate as the text of a file, to be checked again from the answers."""
        return json.dumps(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, text: str) -> PanelCertificate:
        """Return the certificate that :meth:`to_json` wrote."""
        try:
            content = json.loads(text)
            if content["format"] != FORMAT:
                raise ValueError(f"format {content['format']}, and format {FORMAT} is read")
            read = cls(**{field.name: _freeze(content[field.name]) for field in fields(cls)})
            _require_fitting(read)
        except RecursionError:
            raise InvalidParameter("the text is nested too deeply to be a certificate.") from None
        except KeyError as lacking:
            raise InvalidParameter(
                f"a certificate has {lacking}, and this text does not."
            ) from None
        except (ValueError, TypeError) as error:
            raise InvalidParameter(f"this text is not a certificate: {error}.") from None
        return read

    def recheck(
        self, wins: ArrayLike, ties: ArrayLike | None = None, missing: ArrayLike | None = None
    ) -> tuple[str, ...]:
        """Return what does not hold, in sentences, if it is made again from these counts."""
        digest = _digest(*check_counts(wins, ties, missing))
        if digest != self.digest:
            return (
                f"it was issued on other answers: their counts have the digest {self.digest[:12]}, "
                f"but these have {digest[:12]}.",
            )
        terms = {"labels": self.labels, "excused": self.excused, "active": self.active}
        again = asdict(panel_certificate(wins, ties, missing, **terms))
        return tuple(
            f"it says that {name} is {said!r}, but the answers give {again[name]!r}."
            for name, said in asdict(self).items()
            if said != again[name]
        )


def panel_certificate(
    wins: ArrayLike,
    ties: ArrayLike | None = None,
    missing: ArrayLike | None = None,
    *,
    labels: Sequence[str] | None = None,
    members: int | None = None,
    excused: Sequence[str] | None = None,
    active: Sequence[int] | None = None,
) -> PanelCertificate:
    """Return what holds whatever the missing answers say.

    With d = ``wins[i, j] - wins[j, i]`` and m missing answers, the pair can end with any margin from
    d - m to d + m. So the lowest score of i counts the j with d > m, the highest those with d + m > 0.
    i wins in every completion if and only if its lowest score is at least the highest of every other;
    in some completion, if its highest is at least the lowest of every other: docs/panels.md proves it.

    Parameters
    ----------
    wins
        K x K counts: ``wins[i, j]`` members prefer i to j.
    ties
        K x K symmetric counts of members who see no difference. They decide nothing.
    missing
        K x K symmetric counts of members whose answer on the pair is still to come; 0 by default. A
        member who skipped the pair, or was excused, is neither here nor in the other counts.
    labels
        One name for each option; ``"0"``, ``"1"``, ... by default.
    members
        The size of the panel, to check the counts against.
    excused
        Names of members who will not answer any more; the statement says so.
    active
        Make the statement about these options alone, as if there were no others.

    Examples
    --------
    >>> wins = [[0, 3, 3], [0, 0, 1], [0, 1, 0]]
    >>> missing = [[0, 2, 2], [2, 0, 3], [2, 3, 0]]
    >>> found = panel_certificate(wins, missing=missing, labels=["tea", "milk", "juice"])
    >>> found.verdict, found.best, found.scores
    ('winner', (0,), ((2, 2), (0, 1), (0, 1)))
    >>> print(found.statement)
    Whatever the 7 missing answers say, tea is the only winner: it beats every other.
    """
    won, tied, left = check_counts(wins, ties, missing)
    if members is not None:
        if members < 1:
            raise InvalidParameter(f"members is {members}; a panel has at least 1.")
        require_at_most(won + won.T + tied + left, members)
    among = np.flatnonzero(_mask(len(won), active))
    cut = np.ix_(among, among)
    beats, lowest, highest, best, possible = settle_pairs(won[cut], left[cut])
    tied_for_sure = np.triu((left[cut] == 0) & ~beats & ~beats.T, 1)
    scores = np.zeros((len(won), 2), dtype=np.int64)
    scores[among] = np.stack([lowest, highest], axis=1)
    return PanelCertificate(
        labels=_check_labels(labels, len(won)),
        votes=int(won.sum() + tied.sum() // 2),
        digest=_digest(won, tied, left),
        active=None if active is None else tuple(among.tolist()),
        missing=int(left[cut].sum() // 2),
        excused=tuple(map(str, excused or ())),
        best=tuple(among[best].tolist()),
        is_all=bool(best.any() and (best == possible).all()),
        possible=tuple(among[possible].tolist()),
        scores=_pairs(scores),
        beats=_pairs(among[np.argwhere(beats)]),
        ties=_pairs(among[np.argwhere(tied_for_sure)]),
    )


def settle_pairs(won: Ints, missing: Ints) -> tuple[Bools, Ints, Ints, Bools, Bools]:
    """Return who beats whom for sure, the lowest and highest scores, and who wins for sure or perhaps."""
    margin = won - won.T
    beats = margin > missing
    lowest, highest = beats.sum(axis=1), (margin + missing > 0).sum(axis=1)
    itself = np.eye(len(won), dtype=bool)
    best = (itself | (lowest[:, None] >= highest)).all(axis=1)
    possible = highest >= lowest.max()
    return beats, lowest, highest, best, possible


def check_counts(
    wins: ArrayLike, ties: ArrayLike | None, missing: ArrayLike | None
) -> tuple[Ints, ...]:
    """Return the three tables of counts, all of one size."""
    won = _whole(wins, "wins")
    return won, _symmetric(ties, "ties", len(won)), _symmetric(missing, "missing", len(won))


def _symmetric(values: ArrayLike | None, what: str, k: int) -> Ints:
    if values is None:
        return np.zeros((k, k), dtype=np.int64)
    given = _whole(values, what)
    if len(given) != k:
        raise InvalidParameter(
            f"{what} has {len(given)} options, and wins has {k}; make them equal."
        )
    if not np.array_equal(given, given.T):
        i, j = np.argwhere(given != given.T)[0]
        raise InvalidParameter(
            f"{what} must be symmetric, but {what}[{i}, {j}] is {given[i, j]} and "
            f"{what}[{j}, {i}] is {given[j, i]}."
        )
    return given


def require_at_most(answers: Ints, voters: ArrayLike) -> None:
    """Refuse more answers on a pair than there are voters for it."""
    most = np.broadcast_to(voters, answers.shape)
    for i, j in np.argwhere(answers > most)[:1]:
        raise InvalidParameter(
            f"options {i} and {j} have {answers[i, j]} answers, and {format_count(int(most[i, j]), 'voter')} "
            "to give them; a voter answers a pair once."
        )


def _digest(*counts: Ints) -> str:
    """The same counts have the same digest, on any machine."""
    return hashlib.sha256(np.stack(counts).astype("<i8").tobytes()).hexdigest()


def _require_fitting(c: PanelCertificate) -> None:
    """Refuse values of another kind than a certificate has, and options that it does not know."""
    hints = get_type_hints(PanelCertificate)
    wrong = next((name for name, hint in hints.items() if not _is_a(getattr(c, name), hint)), None)
    if wrong is not None:
        raise ValueError(f"its {wrong} is {str(getattr(c, wrong))[:40]!r}")
    if c.k < 2 or len(c.scores) != c.k or len(set(c.labels)) != c.k:
        raise ValueError(f"its {c.k} labels do not fit its scores")
    if not all(0 <= i < c.k for i in (*c.best, *c.possible, *(c.active or ()))):
        raise ValueError(f"it names an option outside of 0 to {c.k - 1}")


def _when(c: PanelCertificate) -> str:
    """On which answers the verdict rests."""
    excused = f"With {join_names(c.excused)} excused and" if c.excused else "With"
    if c.missing == 0:
        return f"{excused} all {'other ' if c.excused else ''}answers in"
    if c.verdict == "open":
        return f"{excused} {format_count(c.missing, 'answer')} still missing"
    said = "the missing answer says" if c.missing == 1 else f"the {c.missing:,} missing answers say"
    return f"{excused} whatever {said}" if c.excused else f"Whatever {said}"


def _claim(c: PanelCertificate, labels: Sequence[str], may: str = "the best may be {}") -> str:
    """The verdict in words, with the options by these names."""
    left = join_names([labels[i] for i in c.possible if i not in c.best], last="or")
    scope = "" if c.active is None else f" among the {len(c.active)} active options"
    if c.verdict == "open":
        return f"no option is sure to be best{scope} yet: {may.format(left)}"
    names = join_names([labels[i] for i in c.best])
    whether = (
        "" if c.is_all else f", though {left} may tie with {'it' if len(c.best) == 1 else 'them'}"
    )
    if c.verdict == "tied":
        return f"{names} are tied for first{scope}: {_reach(c, 'each')}{whether}"
    what = "the only winner" if c.is_all else "best"
    return f"{names} is {what}{scope}: {_reach(c, 'it')}{whether}"


def _reach(c: PanelCertificate, each: str) -> str:
    """How many options the best beat, and that no other beats more."""
    others = (c.k if c.active is None else len(c.active)) - 1
    least = min(c.scores[i][0] for i in c.best)
    if least == 0:  # so no option outside can ever beat any
        return f"no {'other ' if len(c.best) <= others else ''}option beats any"
    if least == others:
        return f"{each} beats {'the other' if others == 1 else 'every other'}"
    at_least = "" if all(c.scores[i] == (least, least) for i in c.best) else "at least "
    rivals = (
        "no other option beats as many" if c.is_all and len(c.best) <= others else "none beats more"
    )
    return f"{each} beats {at_least}{least} of the {others} others, and {rivals}"


def _list_assumptions(c: PanelCertificate) -> Iterator[str]:
    yield "The panel is the whole electorate: the statement is about its members and nobody else."
    yield (
        "An option beats another if more members prefer it than prefer the other; ties and skips "
        "count for neither."
    )
    yield "A member answers a pair at most once, and an answer stays as it was given."
    if c.missing:
        yield "No option and no member joins; a missing answer may be either side, a tie or a skip."
    if c.excused:
        yield f"No answer of {join_names(c.excused)} is waited for."
    if c.active is not None:
        yield "The statement is about the active options alone, as if there were no others."
