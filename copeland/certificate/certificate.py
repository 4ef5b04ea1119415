"""What votes prove: counts in, a certificate out, right with probability 1 - delta whenever you look.

The claims, their levels and the proof are explained in docs/certificate.md.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from types import UnionType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from copeland.certificate.case_evidence import cannot_lose, log_evidence_of_cases, require_cases
from copeland.certificate.sentences import list_assumptions, statement_of
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import (
    FEW,
    PRIOR,
    STAKE,
    Levels,
    all_level,
    levels,
    loss_level,
    shows_together,
    win_level,
)
from copeland.support.escaping import inert
from copeland.support.notebook_html import MOST_ROWS, html_table
from copeland.support.phrasing import join_names


def losses_together(
    evidence: NDArray[np.floating], asked: NDArray[np.bool_], level: float
) -> NDArray[np.int64]:
    """Return how many losses of each option its pairs show together at a level in nats.

    They show m if the product of 1 - a + a E over all others but the m - 1 of the largest E reaches the level.
    E is 1 for a pair that was not asked.

    Examples
    --------
    >>> found = np.array([[-np.inf, 6.0, 6.0], [-np.inf, -np.inf, 6.0], [-np.inf, -np.inf, -np.inf]])
    >>> losses_together(found, ~np.eye(3, dtype=bool), level=3.0).tolist()
    [0, 1, 2]
    """
    k = len(evidence)
    staked = np.logaddexp(math.log1p(-STAKE), math.log(STAKE) + evidence)
    against = np.where(asked, staked, 0.0).T[~np.eye(k, dtype=bool)].reshape(k, k - 1)
    products = np.cumsum(np.sort(against, axis=1), axis=1)  # of the weakest 1, 2, ..., K - 1
    return ((products >= level) * np.arange(k - 1, 0, -1)).max(axis=1)


Verdict = Literal["winner", "tied", "open"]
Voters = Literal[
    "independent",
    "dependent",
    "people",
    "people, missing ignored",
    "judge, these cases",
    "judge, cases like these",
]
THESE, LIKE_THESE = "judge, these cases", "judge, cases like these"

# 1: without `choice`, and with a margin more was ruled out than is proved. 1 to 3: pairs have a delta of their own.
FORMAT = 4
_APART, _TOGETHER = (1, 2, 3), 3  # 3: losses may be shown together
_SINCE = {"together": False, "offered": None, "cases": None, "judges": ()}  # fields of format 4

_Ints = NDArray[np.int64]
_Floats = NDArray[np.floating]
_Bools = NDArray[np.bool_]
_Given = tuple[ArrayLike, ArrayLike]


class _Votes(NamedTuple):
    """The counts that claims are judged by."""

    won: _Ints
    tied: _Ints
    missing: _Ints | None  # answers that never came: losses of both sides
    given: tuple[_Ints, _Ints] | None  # wins and ties as they were before any was undone
    cases: int | None = None  # votes that there are of each pair; None: no end of them

    def weigh(self, margin: float) -> _Floats:
        """Return the evidence for each option over each other: the smaller of what stands and what was given."""
        found = self._weigh(self.won, self.tied, margin)
        if self.given is None:
            return found
        return np.minimum(found, self._weigh(*self.given, margin))

    def _weigh(self, won: _Ints, tied: _Ints, margin: float) -> _Floats:
        if self.cases is not None:
            return log_evidence_of_cases(won, self._losses(won, tied), tied, self.cases, margin)
        return _log_evidence(won, self._losses(won, tied), tied, margin)

    def _losses(self, won: _Ints, tied: _Ints) -> _Ints:
        if self.missing is None:
            return won.T
        if self.cases is None:
            return won.T + self.missing
        return won.T + np.minimum(self.missing, self.cases - won - won.T - tied)

    def unbeaten(self, margin: float) -> _Bools:
        """Return who is sure not to be beaten by whom, though not to win: of test cases, exact ties among them."""
        if self.cases is None:
            return np.zeros(self.won.shape, dtype=bool)
        found = [(self.won, self.tied), *([] if self.given is None else [self.given])]
        sure = [cannot_lose(w, self._losses(w, t), t, self.cases, margin) for w, t in found]
        return np.logical_and.reduce(sure)

    @property
    def number(self) -> int:
        """How many votes stand."""
        return int(self.won.sum() + self.tied.sum() // 2)

    def cut(self, k: int) -> _Votes:
        """Return the votes on the first ``k`` options alone."""
        missing = None if self.missing is None else self.missing[:k, :k]
        given = None if self.given is None else (self.given[0][:k, :k], self.given[1][:k, :k])
        return _Votes(self.won[:k, :k], self.tied[:k, :k], missing, given, self.cases)

    @property
    def digest(self) -> str:
        """The same counts have the same digest, on any machine."""
        tables = (self.won, self.tied, self.missing, *(self.given or ()))
        content = np.stack([table for table in tables if table is not None]).astype("<i8").tobytes()
        return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Certificate:
    """What the votes prove about the Copeland winners; made by :func:`certify`.

    With probability 1 - ``delta`` no certificate of a study is ever wrong in anything that it says, even if you
    make one after every vote.

    Options are given by index; an option *beats* another if it wins more than half of their votes.

    Examples
    --------
    >>> certify([[0, 90], [30, 0]], labels=["tea", "milk"])
    <Certificate: After 120 votes, tea is proved the only winner: it beats the other, and no other
    option beats as many (error probability 0.05).>
    """

    labels: tuple[str, ...]
    votes: int  # the certificate is issued at this vote
    digest: str  # of the counts
    delta: float
    margin: float
    epoch: int
    voters: Voters
    active: tuple[int, ...] | None  # what is said is about these options alone; None: about all
    lower: tuple[int, ...]  # how many options each beats at least, at the level of a winner
    upper: tuple[int, ...]  # how many options each beats at most, at the level of a loser
    best: tuple[int, ...]  # proved best
    is_all: bool  # proved that no other option is
    possible: tuple[int, ...]  # not ruled out: all true winners are among these
    choice: tuple[
        int, ...
    ]  # which to take: these beat the most, by what is proved and what is likely
    scores: tuple[tuple[int, int], ...]  # intervals of all Copeland scores
    beats: tuple[tuple[int, int], ...]  # pairs (i, j): i is proved to beat j
    ties: tuple[tuple[int, int], ...]  # pairs (i, j), i < j: proved tied within the margin
    together: bool = False  # whether losses may be shown by several pairs together
    offered: int | None = None  # how many options there were in its epoch; None: all of these
    cases: int | None = None  # test cases that judges vote on; None: other voters
    judges: tuple[str, ...] = ()  # whose votes count there
    apart: bool = False  # whether scores, beats and ties have a delta of their own: by version 0.2

    def __repr__(self) -> str:
        return inert(f"<Certificate: {self.statement}>")

    def _repr_html_(self) -> str:
        order = sorted(range(self.k), key=lambda i: self.scores[i], reverse=True)[:MOST_ROWS]
        rows = [[self.labels[i], *map(str, self.scores[i])] for i in order]
        sentence = " ".join(filter(None, (self.statement, self.advice)))
        return html_table(sentence, ["", "beats at least", "beats at most"], rows, self.k)

    @property
    def k(self) -> int:
        """The number of options ever offered."""
        return len(self.labels)

    @property
    def verdict(self) -> Verdict:
        """``"winner"`` (one option is proved best), ``"tied"`` (several are) or ``"open"``."""
        return "open" if not self.best else "winner" if len(self.best) == 1 else "tied"

    @property
    def statement(self) -> str:
        """What is proved, in a sentence."""
        return statement_of(self)

    @property
    def advice(self) -> str:
        """Which option to take, in a sentence; empty if that is obvious."""
        return advice_of(self, self.labels) if self.choice and self.margin > 0 else ""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the votes must be like for the statement to hold."""
        return tuple(list_assumptions(self))

    @property
    def proviso(self) -> str:
        """How sure it is, in a few words."""
        if (
            self.complete and self.voters == THESE and self.best
        ):  # else undone votes speak against it
            return f"exact: {'every pair is' if self.cases == 1 else 'all cases are'} judged"
        return f"error probability {self.delta:g}"

    @property
    def complete(self) -> bool:
        """Whether there are no more votes to come: of test cases, because all are judged."""
        if self.cases is None:
            return False
        return self.votes == self.cases * (self.k * (self.k - 1) // 2)

    def to_json(self) -> str:
        """Return the certificate as the text of a file, which can be checked against the votes."""
        return json.dumps(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values: in the format of version 0.2 if it is a certificate of that version."""
        content = asdict(self)
        if not content.pop("apart"):
            return {"format": FORMAT, **content}
        for name in _SINCE:
            del content[name]
        return {"format": _TOGETHER if self.together else 2, **content}

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Return the certificate that :meth:`to_json` wrote."""
        try:
            content = _in_today_format(json.loads(text))
            read = cls(**{field.name: _freeze(content[field.name]) for field in fields(cls)})
            _require_fitting(read)
            _check(read.delta, read.margin, read.epoch, read.voters)
            if read.voters.startswith("judge") != (read.cases is not None):
                raise ValueError(f"voters is {read.voters!r} and cases is {read.cases!r}")
            _check_labels(read.labels, len(read.labels))
        except RecursionError:
            raise InvalidParameter("the text is nested too deeply to be a certificate.") from None
        except KeyError as missing:
            raise InvalidParameter(
                f"a certificate has {missing}, and this text does not."
            ) from None
        except (ValueError, TypeError) as error:
            raise InvalidParameter(f"this text is not a certificate: {error}.") from None
        return read

    def recheck(
        self,
        wins: ArrayLike,
        ties: ArrayLike | None = None,
        missing: ArrayLike | None = None,
        given: _Given | None = None,
    ) -> tuple[str, ...]:
        """Make it again from these counts; return what does not hold, in sentences.

        No sentence means: these are the votes it was issued on, and they prove all that it says.
        """
        digest = _votes(wins, ties, missing, given).digest
        if digest != self.digest:
            return (
                f"it was issued on other votes: their counts have the digest {self.digest[:12]}, "
                f"but these have {digest[:12]}.",
            )
        terms = _Terms(**{name: getattr(self, name) for name in _Terms._fields})
        again = _certify(_votes(wins, ties, missing, given), terms, self.active, self.labels)
        return tuple(
            f"it says that {field.name} is {said!r}, but the votes give {found!r}."
            for field in fields(self)
            if _says_more(
                field.name, said := getattr(self, field.name), found := getattr(again, field.name)
            )
        )


def certify(
    wins: ArrayLike,
    ties: ArrayLike | None = None,
    *,
    delta: float = 0.05,
    margin: float = 0.0,
    epoch: int = 0,
    voters: Voters = "independent",
    active: Sequence[int] | None = None,
    labels: Sequence[str] | None = None,
    together: bool = False,
    missing: ArrayLike | None = None,
    given: _Given | None = None,
    offered: int | None = None,
    cases: int | None = None,
    judges: Sequence[str] = (),
) -> Certificate:
    """Return what these votes prove, at confidence 1 - delta, however the pairs were chosen.

    Delta, margin, epochs and voters are part of the statement: fix them before the votes are seen.

    Parameters
    ----------
    wins
        K x K counts: ``wins[i, j]`` votes for i over j. Retired options stay in.
    ties
        K x K symmetric counts of ties; each is half a win for both.
    margin
        Pairs closer to 1/2 than this do not matter: such a pair counts as a win for the best option and
        not for its rivals. From 0 to below 1/2.
    epoch
        0 if options are never added. Otherwise 1 before the first addition, and one more at each.
    voters
        ``"people"`` if one voter answers several pairs and the answers may depend on each other, all pairs of a voter
        were fixed before that voter's first answer, and these are the votes of the first voters to arrive.
        ``"people, missing ignored"`` if besides nobody left because of the options. ``"dependent"`` if the pairs
        were chosen one by one, without that voter's own answers. ``"judge, these cases"`` if judges give each pair one vote
        on each test case, in an order drawn anew for each pair, and the statement is about exactly these cases;
        ``"judge, cases like these"`` if the cases are a sample, in one order that was drawn beforehand.
    active
        Make the statement only about these options, even if they were chosen after looking at the votes.
    labels
        One name for each option; ``"0"``, ``"1"``, ... by default.
    together
        Let several pairs together show that an option loses often, among 50 options or more, if voters are
        independent and no options were added. Levels for a single loss are a little higher then.
    missing
        K x K symmetric counts of answers that were asked for and never came. Each counts as a loss of both sides.
    given
        Wins and ties as they were before any vote was undone. Each claim takes the smaller evidence of these
        and of ``wins`` and ``ties``, so it holds whatever the reasons to undo.
    offered
        Make the statement about the first so many options, those that there were in ``epoch``, where later ones
        were retired again.
    cases
        How many test cases there are, where judges vote.
    judges
        Their names, for the statement.

    Examples
    --------
    >>> rock_paper_scissors = [[0, 90, 30], [30, 0, 90], [90, 30, 0]]
    >>> found = certify(rock_paper_scissors, labels=["rock", "paper", "scissors"])
    >>> found.verdict, found.best, found.is_all
    ('tied', (0, 1, 2), True)
    >>> print(found.statement)
    After 360 votes, rock, paper and scissors are proved tied for first: each beats at least
    1 of the 2 others, and no option beats more (error probability 0.05).
    >>> certify([[0, 60], [40, 0]], voters="judge, these cases", cases=100, judges=["gpt"])
    <Certificate: On these 100 cases, by the judge gpt: after 100 votes, 0 is proved the only
    winner: it beats the other, and no other option beats as many (exact: all cases are judged).>
    """
    terms = _Terms(delta, margin, epoch, voters, together, offered, cases, tuple(judges))
    return _certify(_votes(wins, ties, missing, given), terms, active, labels)


class _Terms(NamedTuple):
    """What was agreed on beforehand."""

    delta: float
    margin: float
    epoch: int
    voters: Voters
    together: bool
    offered: int | None
    cases: int | None
    judges: tuple[str, ...]
    apart: bool = False

    def levels(self, k: int, union: bool) -> Levels:
        """Return how much evidence claims on ``k`` options need."""
        dependent = self.voters in ("dependent", LIKE_THESE)
        how = (self.delta, self.epoch, dependent, union, self.together)
        if not self.apart:
            return levels(k, *how, self.margin)
        at = levels(k, *how)
        every = at.pair if k <= FEW else at.pair + math.log(0.6)
        if union:
            at = at._replace(win=every, loss=every, all=every)
        return at._replace(pair=every, exact=every)


def _certify(
    votes: _Votes, terms: _Terms, active: Sequence[int] | None, labels: Sequence[str] | None
) -> Certificate:
    _check(terms.delta, terms.margin, terms.epoch, terms.voters)
    _require_independent(terms.together, terms.voters)
    votes = _on_cases(votes, terms.voters, terms.cases)
    every, digest, later = votes.number, votes.digest, _count_later(votes, terms.offered)
    votes = votes.cut(len(votes.won) - later)
    k = len(votes.won)
    among = _mask(k, active)
    at = terms.levels(k, active is not None)
    exact = votes.weigh(0.0)
    found = votes.weigh(terms.margin) if terms.margin > 0 else exact
    held = votes.unbeaten(terms.margin)
    lower, upper, best, is_all = _apply_row_argument(
        found, at, among, _find_met_pairs(votes.won, votes.tied), held
    )
    even = votes.unbeaten(0.0)
    # Each of these claims includes the one before it: so one capital stands for each pair that is wrong.
    close = found >= at.pair  # i is not behind j by the margin or more
    beats = close & (exact >= at.exact)
    scores = _bound_scores(beats, np.ones(k, bool) if terms.apart else among, even)
    if terms.margin > 0:
        clear = beats & (votes.weigh(-terms.margin) >= at.exact)
        possible = best | _possible(*_bound_scores(clear, among), among)
    elif terms.apart:
        is_all |= bool((lower == among.sum() - 1)[best].any())
        possible = best if is_all else best | _possible(lower, upper, among)
    else:
        # One that beats every other is the only winner.
        is_all |= bool((lower == among.sum() - 1)[best].any())
        beats |= (best & (lower == among.sum() - 1))[:, None] & among & ~np.eye(k, dtype=bool)
        by_pairs = _bound_scores(beats, among, even)
        scores = _bound_by_verdict(*by_pairs, lower, best, is_all, among)
        possible = best if is_all else _possible(*scores, among)
        if best.any() and not is_all and (possible == best).all():
            is_all, scores = True, _bound_by_verdict(*by_pairs, lower, best, True, among)
    return Certificate(
        labels=_check_labels(labels, k + later),
        votes=every,
        digest=digest,
        delta=float(terms.delta),
        margin=float(terms.margin),
        epoch=int(terms.epoch),
        voters=terms.voters,
        active=None if active is None and terms.offered is None else _indices(among),
        lower=(*lower.tolist(), *[0] * later),
        upper=(*upper.tolist(), *[0] * later),
        best=_indices(best),
        is_all=is_all,
        possible=_indices(possible),
        choice=_choice(
            votes.won + votes.tied / 2, beats, among, possible if terms.margin > 0 else best
        )
        if best.any()
        else (),
        scores=(*_pairs(np.stack(scores, axis=1)), *[(0, 0)] * later),
        beats=_pairs(np.argwhere(beats)),
        ties=_pairs(np.argwhere(np.triu(close & close.T))),
        together=terms.together,
        offered=terms.offered,
        cases=terms.cases,
        judges=terms.judges,
        apart=terms.apart,
    )


def is_decided(
    wins: _Ints,
    ties: _Ints,
    delta: float,
    margin: float,
    epoch: int,
    dependent: bool,
    missing: _Ints | None = None,
    given: tuple[_Ints, _Ints] | None = None,
    cases: int | None = None,
) -> bool:
    """Tell whether :func:`certify` would name an option best; it is asked before every question.

    Examples
    --------
    >>> wins = np.array([[0, 6], [2, 0]])
    >>> [is_decided(n * wins, 0 * wins, 0.05, 0.0, 0, False) for n in (1, 9)]
    [False, True]
    """
    at = levels(len(wins), delta, epoch, dependent)
    votes = _Votes(wins, ties, missing, given, cases)
    among, held = np.ones(len(wins), bool), votes.unbeaten(margin)
    _, _, best, _ = _apply_row_argument(
        votes.weigh(margin), at, among, _find_met_pairs(wins, ties), held
    )
    return bool(best.any())


def advice_of(found: Certificate, names: Sequence[str]) -> str:
    """Return which option to take, by these names: with a margin, one proved best may lose to another."""
    taken = join_names([names[i] for i in found.choice])
    if len(found.choice) > 1:
        return f"Take any of {taken}: by the votes, none of them is ahead."
    beats = f"Take {taken}: by what is proved and what is likely, it beats the most others."
    if set(found.choice) <= set(found.best):
        return beats
    return f"{beats} That it is best up to the margin is not proved yet."


def evidence(
    wins: ArrayLike,
    ties: ArrayLike | None = None,
    margin: float = 0.0,
    missing: ArrayLike | None = None,
    given: _Given | None = None,
    cases: int | None = None,
) -> _Floats:
    """Return the evidence in nats for each option over each other, K x K.

    Entry (i, j) is ln E against "p_ij <= 1/2 - margin", and -inf where nothing speaks for i: see
    :func:`copeland.kernels.vote_evidence.log_evidence`. With ``cases``, p_ij is the mean over exactly so many test cases.

    Examples
    --------
    >>> evidence([[0, 30], [10, 0]]).round(2).tolist()
    [[-inf, 4.26], [-inf, -inf]]
    """
    _check_margin(margin)
    votes = _votes(wins, ties, missing, given)
    return votes.weigh(margin) if cases is None else _on_cases(votes, THESE, cases).weigh(margin)


def _log_evidence(wins: _Ints, losses: _Ints, ties: _Ints, margin: float) -> _Floats:
    """:func:`copeland.kernels.vote_evidence.log_evidence` of all pairs at once.

    A negative margin asks for more than 1/2: a tie then counts as so much of a loss.
    """
    m = 0.5 - margin
    a = wins + ties * max(margin / (1 - m), 0.0) + PRIOR
    b = losses + ties * max(-margin / m, 0.0) + PRIOR
    n = a + b
    information = a * np.log(a / n / m) + b * np.log(b / n / (1 - m))
    above = np.where(a > m * n, -np.expm1(-information), 0.0)
    spread = 6 * m * m / (1 + 2 * m) * np.sqrt(2 * math.pi * n / a / b)
    with np.errstate(divide="ignore"):
        found = information + _stirling(a) + _stirling(b) - _stirling(n) + np.log(spread * above)
    np.fill_diagonal(found, -math.inf)
    return found


def _stirling(z: _Floats) -> _Floats:
    y = 1 / (z * z)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / z


def _apply_row_argument(
    found: _Floats, at: Levels, among: _Bools, asked: _Bools, held: _Bools | bool = False
) -> tuple[_Ints, _Ints, _Bools, bool]:
    """Bounds of the scores, who is best, and whether they are all: the row argument.

    ``held`` are pairs (i, j) in which j is sure not to beat i, though i may not beat j either.
    """
    k = len(found)
    others = among.sum() - among  # how many each option meets
    met = np.where(among[None, :], found, -math.inf)
    strongest = -np.sort(-met, axis=1)[:, : k - 1]
    needed = np.array([win_level(at, k - 1 - r) for r in range(1, k)])  # to claim r wins
    lower = ((strongest >= needed) * np.arange(1, k)).max(axis=1)

    def at_most(level: float) -> _Ints:
        return others - ((found >= level) | held)[among].sum(axis=0)

    upper = at_most(loss_level(at))
    if shows_together(at):  # then the statement is about all options
        upper = np.minimum(upper, k - 1 - losses_together(found, asked, at.together))
    none_beats = np.any(held) and upper[among].max() == 0  # where all pairs are exactly even
    best = among & ((lower > 0) | none_beats) & (lower >= _largest_other(upper, among))
    m = int(best.sum())
    outside = among & ~best
    is_all = m > 0 and bool((at_most(all_level(at, m))[outside] < lower[among].max()).all())
    return lower, upper, best, is_all


def _bound_scores(beats: _Bools, among: _Bools, held: _Bools | bool = False) -> tuple[_Ints, _Ints]:
    """How many options each beats at least and at most, by proved wins and by pairs (i, j) in which j cannot beat i."""
    least = beats[:, among].sum(axis=1)
    return least, among.sum() - among - (beats | held)[among].sum(axis=0)


def _bound_by_verdict(
    least: _Ints, most: _Ints, lower: _Ints, best: _Bools, is_all: bool, among: _Bools
) -> tuple[_Ints, _Ints]:
    """The same by what the verdict rests on: those proved best have the highest score, and no other if they are all."""
    least = np.maximum(least, lower)
    if not best.any():
        return least, most
    top = min(most[best])
    others = np.minimum(most, top - is_all)
    return np.where(best, max(least[among]), least), np.where(best, top, others)


def _possible(lower: _Ints, upper: _Ints, among: _Bools) -> _Bools:
    """Who may be best, as no other is sure to beat more: both bounds are of the same scores."""
    return among & (upper >= _largest_other(lower, among))


def _choice(points: _Floats, beats: _Bools, among: _Bools, pool: _Bools) -> tuple[int, ...]:
    """Which options of the pool to take: those that beat the most others in the mean.

    A win or loss that is proved counts in full, any other pair by the probability that its votes give
    to p > 1/2, from a uniform prior.
    """
    likely = betainc(points.T + 1, points + 1, 0.5)
    wins = np.where(beats, 1.0, np.where(beats.T, 0.0, likely))[:, among].sum(axis=1)
    return _indices(pool & (wins >= wins[pool].max() - 1e-9))


def _largest_other(values: _Ints, among: _Bools) -> _Ints:
    """The largest value of each option's rivals."""
    rivals = among[None, :] & ~np.eye(len(values), dtype=bool)
    return np.where(rivals, values[None, :], -1).max(axis=1)


def _says_more(name: str, said: Any, found: Any) -> bool:
    """Tell whether a field says anything but what is found, or a weaker form of it."""
    if name == "is_all":
        return said and not found
    if name == "possible":
        return not set(said).issuperset(found)
    if name == "choice":
        return said not in ((), found)
    return said != found


def _find_met_pairs(won: _Ints, tied: _Ints) -> _Bools:
    """Which pairs have votes."""
    return won + won.T + tied > 0


def _votes(
    wins: ArrayLike, ties: ArrayLike | None, missing: ArrayLike | None, given: _Given | None
) -> _Votes:
    """Check all counts, as they come in; what is nowhere missing or undone is left out."""
    won, tied = _counts(wins, ties)
    lost = None if missing is None else _counts(np.zeros_like(won), missing)[1]
    before = None if given is None else _counts(*given)
    if before is not None and len(before[0]) != len(won):
        raise InvalidParameter(
            f"given has {len(before[0])} options, wins has {len(won)}; make them equal."
        )
    if before is not None and np.array_equal(before, (won, tied)):
        before = None
    return _Votes(won, tied, lost if lost is not None and lost.any() else None, before)


def _counts(wins: ArrayLike, ties: ArrayLike | None) -> tuple[_Ints, _Ints]:
    """Check counts of votes, as they come in."""
    won = _whole(wins, "wins")
    if ties is None:
        return won, np.zeros_like(won)
    tied = _whole(ties, "ties")
    if tied.shape != won.shape:
        raise InvalidParameter(f"ties are {tied.shape}, wins are {won.shape}; make them equal.")
    if not np.array_equal(tied, tied.T):
        i, j = np.argwhere(tied != tied.T)[0]
        raise InvalidParameter(
            f"ties must be symmetric, but ties[{i}, {j}] is {tied[i, j]} and ties[{j}, {i}] is {tied[j, i]}."
        )
    return won, tied


def _whole(values: ArrayLike, what: str) -> _Ints:
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"{what} must be a square table of counts.") from None
    if given.ndim != 2 or given.shape[0] != given.shape[1] or len(given) < 2:
        raise InvalidParameter(
            f"{what} must be square, a row and a column for each of 2 or more options; "
            f"got shape {given.shape}."
        )
    wrong = ~((given >= 0) & (given == np.floor(given)) & (given < 2**53))  # true also for NaN
    wrong |= np.eye(len(given), dtype=bool) & (given != 0)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise InvalidParameter(
            f"{what}[{i}, {j}] is {given[i, j]:g}; counts are whole numbers from 0 up, and 0 on the diagonal."
        )
    return given.astype(np.int64)


def _check(delta: float, margin: float, epoch: int, voters: str) -> None:
    if not 0 < delta < 1:
        raise InvalidParameter(f"delta is {delta}; it is an error probability between 0 and 1.")
    _check_margin(margin)
    if epoch < 0 or epoch != int(epoch):
        raise InvalidParameter(
            f"epoch is {epoch}; it is 0 if options are never added, else 1, 2, ... with each addition."
        )
    if voters not in get_args(Voters):
        raise InvalidParameter(f"voters is {voters!r}; say 'independent', 'people' or 'dependent'.")


def _require_independent(together: bool, voters: str) -> None:
    """Refuse a product over pairs whose answers may depend on each other."""
    if together and voters.startswith(("people", "judge")):
        who = "person" if voters.startswith("people") else "judge"
        raise InvalidParameter(
            f"answers of one {who} to several pairs may depend on each other, so they show losses one by one; "
            "leave `together` out."
        )


def _on_cases(votes: _Votes, voters: str, cases: int | None) -> _Votes:
    """Check how many test cases there are; return the votes as they are to be weighed."""
    if (cases is not None) != voters.startswith("judge"):
        raise InvalidParameter(
            f"voters is {voters!r} and cases is {cases!r}; say how many test cases there are where judges vote, "
            "and only there."
        )
    if cases is None:
        return votes
    for won, tied in ((votes.won, votes.tied), votes.given or (votes.won, votes.tied)):
        require_cases(won + won.T + tied, cases)
    return votes._replace(cases=cases) if voters == THESE else votes


def _check_margin(margin: float) -> None:
    if not 0 <= margin < 0.5:
        raise InvalidParameter(f"margin is {margin}; it is 0 or more, and less than 0.5.")


def _count_later(votes: _Votes, offered: int | None) -> int:
    """How many options came after the epoch of the statement."""
    k = len(votes.won)
    if offered is not None and not 2 <= offered <= k:
        raise InvalidParameter(f"offered is {offered}; of {k} options, 2 to {k} can have been.")
    return 0 if offered is None else k - offered


def _mask(k: int, active: Sequence[int] | None) -> _Bools:
    """Which options the statement is about."""
    if active is None:
        return np.ones(k, dtype=bool)
    if len(set(active)) < 2 or not all(0 <= i < k for i in active):
        raise InvalidParameter(
            f"active is {list(active)}; name two or more of the options 0 to {k - 1} by index."
        )
    return np.isin(np.arange(k), list(active))


def _check_labels(labels: Sequence[str] | None, k: int) -> tuple[str, ...]:
    names = tuple(map(str, range(k) if labels is None else labels))
    if len(names) != k or len(set(names)) != k:
        raise InvalidParameter(
            f"there are {len(set(names))} different labels for {k} options; give each option its own label."
        )
    return names


def _indices(mask: _Bools) -> tuple[int, ...]:
    return tuple(np.flatnonzero(mask).tolist())


def _pairs(rows: NDArray[np.integer]) -> tuple[tuple[int, int], ...]:
    return tuple(map(tuple, rows.tolist()))


def _in_today_format(content: dict[str, Any]) -> dict[str, Any]:
    """Return what a file of any version says, with all that today's says."""
    version = content["format"]
    if version not in (*_APART, FORMAT):
        raise ValueError(f"format {version}, and formats 1 to {FORMAT} are read")
    if version == FORMAT:
        return {**content, "apart": False}
    since = {**_SINCE, "together": version == _TOGETHER, "apart": True}
    return {"choice": (), **content, **since} if version == 1 else {**content, **since}


def _freeze(value: Any) -> Any:
    """What JSON gives back as lists was a tuple."""
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def _require_fitting(c: Certificate) -> None:
    """Refuse values of another kind than a certificate has, and options that it does not know."""
    hints = get_type_hints(Certificate)
    wrong = next((name for name, hint in hints.items() if not _is_a(getattr(c, name), hint)), None)
    if wrong is not None:
        raise ValueError(f"its {wrong} is {str(getattr(c, wrong))[:40]!r}")
    if c.k < 2 or len(c.lower) != c.k or len(c.upper) != c.k:
        raise ValueError(f"its {c.k} labels do not fit its scores")
    if not all(0 <= i < c.k for i in (*c.best, *c.possible, *(c.active or ()))):
        raise ValueError(f"it names an option outside of 0 to {c.k - 1}")


def _is_a(value: Any, hint: Any) -> bool:
    """Tell whether a value read from JSON is what an annotation says."""
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
