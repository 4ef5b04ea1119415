"""What a panel has settled, whatever the answers say that are still missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from copeland.certificate.base_certificate import BaseCertificate, FiledVote
from copeland.certificate.proof import pairs_of, prove_goal
from copeland.certificate.samples import check_counts, check_labels, mask_of
from copeland.errors import InvalidParameter, InvalidRow
from copeland.support.arrays import Bools, Ints
from copeland.support.goal import BEST, Goal
from copeland.support.phrasing import format_count, join_names, quote_names


@dataclass(frozen=True, repr=False, kw_only=True)
class PanelCertificate(BaseCertificate):
    """What holds in every completion of a panel's answers; made by :func:`panel_certificate`.

    Options are given by index. An option *beats* another if more members prefer it than prefer the
    other; ties and skips count for neither. All fields are exact: nothing more is settled.

    Examples
    --------
    >>> found = panel_certificate([[0, 2], [0, 0]], missing=[[0, 1], [1, 0]], members=3)
    >>> found.best, found.missing, found.decided
    ((0,), 1, True)
    """

    missing: int  # how many answers are still to come
    excused: tuple[str, ...]
    voters: Literal["panel"] = "panel"
    panel: tuple[str, ...] = ()  # the names of its members, if they are told
    answers: int = 0  # that they have given, skips included, if that is told
    surety: ClassVar[tuple[str, str, str]] = ("sure to be", "is", "are")
    electorates: ClassVar[tuple[str, ...]] = ("panel",)
    fixed: ClassVar[tuple[str, ...]] = ("labels", "panel", "answers", "excused", "goal")
    columns: ClassVar[tuple[str, ...]] = ("voter", "left", "right", "outcome")

    @property
    def delta(self) -> None:  # type: ignore[override]
        """None: nothing is random."""

    @property
    def lower(self) -> tuple[int, ...]:  # type: ignore[override]
        """How many options each beats at least."""
        return tuple(low for low, _ in self.scores)

    @property
    def statement(self) -> str:
        """What is settled, in a sentence."""
        return f"{_when(self)}, {self.claims.statement}."

    def state_winners(self) -> str:
        """Return who is best, as in a sentence."""
        labels = quote_names(self.labels)
        left = join_names([labels[i] for i in self.possible if i not in self.best], last="or")
        scope = "" if self.active is None else f" among the {len(self.active)} active options"
        if self.verdict == "open":
            return f"no option is sure to be best{scope} yet: the best may be {left}"
        names = join_names([labels[i] for i in self.best])
        them = "it" if len(self.best) == 1 else "them"
        whether = "" if self.is_all else f", though {left} may tie with {them}"
        if self.verdict == "tied":
            return f"{names} are tied for first{scope}: {_reach(self, 'each')}{whether}"
        what = "the only winner" if self.is_all else "best"
        return f"{names} is {what}{scope}: {_reach(self, 'it')}{whether}"

    def find_share(self) -> float:
        """Return how many of the pairs are settled, of all."""
        return (len(self.beats) + len(self.ties)) / (self.k * (self.k - 1) // 2)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the answers must be like for the statement to hold."""
        return tuple(_list_assumptions(self))

    @property
    def margin(self) -> float:
        """0: majorities are counted and not estimated, so no pair is too close to matter."""
        return 0.0

    @property
    def proviso(self) -> str:
        """How sure it is, in a few words."""
        return "whatever the missing answers say" if self.missing else "all answers are in"

    def recount(self, votes: Iterator[FiledVote]) -> tuple[Ints, ...]:
        """Return wins, ties and missing answers; every vote is an answer, also one that does not count."""
        wins, ties = np.zeros((2, self.k, self.k), np.int64)
        silent = np.zeros((len(self.panel), self.k, self.k), bool)  # has answered, or is excused
        silent[[name in self.excused for name in self.panel]] = True
        for vote in islice(votes, self.answers):
            if vote.voter not in self.panel:
                raise InvalidRow(f"{vote.where}: the certificate has no member '{vote.voter}'.")
            place = self.panel.index(vote.voter)
            silent[place, [vote.left, vote.right], [vote.right, vote.left]] = True
            vote.add_to(wins, ties)
        missing = (~silent).sum(axis=0)
        np.fill_diagonal(missing, 0)
        return wins, ties, missing

    def recheck(
        self, wins: ArrayLike, ties: ArrayLike | None = None, missing: ArrayLike | None = None
    ) -> tuple[str, ...]:
        """Return what does not hold, in sentences, if it is made again from these counts."""
        digest = _digest(*check_counts(wins, ties, missing))
        names = ("labels", "excused", "active", "goal", "panel", "answers")
        terms = {name: getattr(self, name) for name in names}
        return self._recheck(
            digest, lambda: panel_certificate(wins, ties, missing, **terms), "answers"
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
    goal: str = BEST,
    panel: Sequence[str] = (),
    answers: int = 0,
) -> PanelCertificate:
    """Return what holds whatever the missing answers say.

    With d = ``wins[i, j] - wins[j, i]`` and m missing answers, the pair can end with any margin from
    d - m to d + m. So the lowest score of i counts the j with d > m, the highest those with d + m > 0.
    i wins in every completion if and only if its lowest score is at least the highest of every other;
    in some completion, if its highest is at least the lowest of every other: docs/notes/panels.md proves it.

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
    goal
        What it is to settle: who is ``"best"``, ``"top:3"``, ``"above:NAME"`` or ``"tiers"``.
    panel, answers
        The names of the members, and how many answers they have given, skips included, for a certificate that is kept as a file.

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
    inside = mask_of(active, len(won))
    among = np.flatnonzero(inside)
    cut = np.ix_(among, among)
    found, lowest, highest, best, possible = settle_pairs(won[cut], left[cut])
    beats, tied_for_sure = np.zeros((2, *won.shape), dtype=bool)
    beats[cut] = found
    tied_for_sure[cut] = np.triu((left[cut] == 0) & ~found & ~found.T, 1)
    scores = np.zeros((len(won), 2), dtype=np.int64)
    scores[among] = np.stack([lowest, highest], axis=1)
    names, aim = check_labels(labels, len(won)), Goal.parse(goal)
    compare = partial(_compare_with_baseline, beats, tied_for_sure)
    bounds = scores[:, 0], scores[:, 1]
    return PanelCertificate(
        labels=names,
        votes=int(won.sum() + tied.sum() // 2),
        digest=_digest(won, tied, left),
        active=None if active is None else tuple(among.tolist()),
        missing=int(left[cut].sum() // 2),
        excused=tuple(map(str, excused or ())),
        best=tuple(among[best].tolist()),
        is_all=bool(best.any() and (best == possible).all()),
        possible=tuple(among[possible].tolist()),
        scores=pairs_of(scores),
        beats=pairs_of(np.argwhere(beats)),
        ties=pairs_of(np.argwhere(tied_for_sure)),
        goal=str(aim),
        voters="panel",
        panel=tuple(panel),
        answers=answers,
        **prove_goal(aim, names, bounds, inside, won + tied / 2, compare),
    )


def _compare_with_baseline(beats: Bools, tied: Bools, baseline: int) -> dict[str, Bools]:
    above, even = beats[:, baseline], tied[baseline] | tied[:, baseline]
    return {"above": above, "below": beats[baseline], "even": even, "not_worse": above | even}


def settle_pairs(won: Ints, missing: Ints) -> tuple[Bools, Ints, Ints, Bools, Bools]:
    """Return who beats whom for sure, the lowest and highest scores, and who wins for sure or perhaps."""
    margin = won - won.T
    beats = margin > missing
    lowest, highest = beats.sum(axis=1), (margin + missing > 0).sum(axis=1)
    itself = np.eye(len(won), dtype=bool)
    best = (itself | (lowest[:, None] >= highest)).all(axis=1)
    possible = highest >= lowest.max()
    return beats, lowest, highest, best, possible


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


def _when(c: PanelCertificate) -> str:
    """On which answers the verdict rests."""
    excused = f"With {join_names(c.excused)} excused and" if c.excused else "With"
    if c.missing == 0:
        return f"{excused} all {'other ' if c.excused else ''}answers in"
    if not c.decided:
        return f"{excused} {format_count(c.missing, 'answer')} still missing"
    said = "the missing answer says" if c.missing == 1 else f"the {c.missing:,} missing answers say"
    return f"{excused} whatever {said}" if c.excused else f"Whatever {said}"


def _reach(c: PanelCertificate, each: str) -> str:
    """How many options the best beat, and that no other beats more."""
    others = (c.k if c.active is None else len(c.active)) - 1
    least = c.least
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
