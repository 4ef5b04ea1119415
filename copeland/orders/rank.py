"""All options in order: how sure each place is, and which tiers can be told apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.certificate import certify
from copeland.certificate.goal_claims import tiers_of
from copeland.certificate.samples import check_counts, check_labels
from copeland.errors import InvalidParameter
from copeland.formats import read_votes
from copeland.orders.option_estimates import (
    PRIOR,
    Ballots,
    Estimates,
    estimate_borda,
    estimate_strengths,
    radius_of,
    split_options,
)
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.escaping import inert
from copeland.support.notebook_html import MOST_ROWS, html_table
from copeland.support.phrasing import format_count, join_names, quote_names
from copeland.support.vote_tables import (
    ColumnLayout,
    VoteRow,
    count_votes,
    name_items,
    read_rows,
    text_in,
)

By = Literal["copeland", "borda", "strength"]
ORDERS: tuple[By, ...] = get_args(By)
Value = Literal["copeland", "borda", "strength", "mean"]  # means are of scores, on boards
UNITS_AN_OPTION = 1_000  # votes, or voters: there intervals are tightest, if no number is given
MOST_OPTIONS = 1_000  # of more, strengths take too long

MOST_BALLOTS = 10_000_000  # that are grouped by voter and case

OF_COUNTS = "These counts are taken as independent votes; if people gave several, or votes share cases, rank the file of the votes."
OF_FILE = (
    "The votes of this file are taken as independent: it says neither who voted nor on which case."
)
OF_VOTES = "Votes are taken as independent of each other."
_WORTH = {"left": 1.0, "right": 0.0, "tie": 0.5, "both_bad": 0.5}

PAIRS_ASSUMED = "This assumes that the votes did not decide which pairs were asked, or how often."
_ASKED_BY_VOTES = f"{PAIRS_ASSUMED} That is not so for pairs that this study chose: {{}} chooses them by the votes."
_CHOSEN = {  # by order: that the pairs of a study were chosen by its votes, and what that does
    "borda": f"{_ASKED_BY_VOTES} In our measurements, shares held all the same.",
    "strength": (
        f"{_ASKED_BY_VOTES} In our measurements, strengths held all the same where one scale fits; in a cycle they depend on which "
        "pairs were asked."
    ),
}
_MODEL = (
    "Strengths describe the Bradley-Terry model that fits the votes best, whether or not it is true; "
    "pairs count as often as they were asked."
)
COLUMNS = {"copeland": "beats", "borda": "mean chance", "strength": "strength"}
MEANING = {
    "copeland": "how many others it beats",
    "borda": "its mean chance against a random other option",
    "strength": "its Bradley-Terry strength, in log-odds; the mean is 0",
}


class Place(NamedTuple):
    """One option in a ranking."""

    name: str
    tier: int  # from 1
    value: float  # by which options are ordered
    low: float  # the interval of the true value
    high: float
    first: int  # the best rank that is not ruled out, from 1
    last: int  # the worst
    strength: float | None = None  # by Bradley and Terry, an estimate; the mean is 0

    @property
    def beats(self) -> int:
        """How many others it beats, by the votes as they are, in a ranking by that number."""
        return int(self.value)

    @property
    def least(self) -> int:
        """How many others it beats at least."""
        return int(self.low)

    @property
    def most(self) -> int:
        """How many others it beats at most."""
        return int(self.high)


@dataclass(frozen=True)
class Ranking:
    """Options in order, the best tier first; made by :func:`rank` and :meth:`Study.ranking`.

    All intervals, ranks and tiers hold together and whenever you look: any of them is wrong with probability ``delta``
    at most. In a ranking by Copeland scores that is exact; in the others it holds for many votes. Within a
    tier the order is that of the votes as they are, and proves nothing.
    """

    places: tuple[Place, ...]
    delta: float | None  # None of a panel, of which nothing that is settled can be wrong
    notes: tuple[str, ...]  # what to mind
    by: Value = "copeland"
    chooser: str | None = None  # the algorithm of a study that chooses pairs by the votes
    taken: str = ""  # as what votes are taken; it is said first

    def __repr__(self) -> str:
        return inert(f"<Ranking: {self.sentence}>")

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """The names of the options, tier by tier."""
        tiers: dict[int, list[str]] = {}
        for place in self.places:
            tiers.setdefault(place.tier, []).append(place.name)
        return tuple(map(tuple, tiers.values()))

    @property
    def sentence(self) -> str:
        """As what votes are taken, and how far the options are told apart."""
        taken = f"{self.taken} " if self.taken else ""
        number, proved = len(self.tiers), self.by == "copeland"
        apart = "proved apart" if proved else f"told apart by {_NOUNS[self.by]}"
        if number == 1:
            why = ": no option is proved to beat more others than all below it" if proved else ""
            return f"{taken}No tiers are {apart} yet{why}."
        first = self.tiers[0]
        alone = f"{join_names(quote_names(first))} {'is' if len(first) == 1 else 'are'} on top. "
        how = (
            "each option in a tier beats more others than every option in a lower one"
            if proved
            else "each option in a tier is higher than every option in a lower one"
        )
        return (
            f"{taken}{'' if proved else alone}{number} tiers are {apart}: {how} ({self.proviso})."
        )

    @property
    def proviso(self) -> str:
        """How sure it is, in a few words."""
        if self.delta is None:
            return "whatever the missing answers say"
        return (
            f"error probability {self.delta:g}{'' if self.by == 'copeland' else ', for many votes'}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON: an interval without an end has none there."""
        places = [place._asdict() for place in self.places]
        for row in places:
            row |= {end: row[end] if math.isfinite(row[end]) else None for end in ("low", "high")}
        if self.by == "copeland":
            for row, place in zip(places, self.places, strict=True):
                row |= {name: getattr(place, name) for name in ("beats", "least", "most")}
        said = {"sentence": self.sentence, "assumptions": self.assumptions}
        return {**said, **asdict(self), "places": places, "tiers": self.tiers}

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What intervals and tiers rest on, beside what a certificate assumes of the votes."""
        if self.delta is None:
            return ()
        if self.by == "copeland":
            return ("Intervals and tiers are exact: they are what the certificate proves.",)
        return (
            "Intervals and tiers hold for many votes, whenever you look: they rest on how far votes scatter, and with few votes "
            "that is not known well.",
            "Votes are independent of each other; where they are grouped, by voter or by case, the voters are, and the cases.",
            PAIRS_ASSUMED if self.chooser is None else _CHOSEN[self.by].format(self.chooser),
            *([_MODEL] if self.by == "strength" else []),
        )

    def _repr_html_(self) -> str:
        head = ["", "tier", COLUMNS[self.by], "at least", "at most", "rank"]
        rows = [
            [place.name, str(place.tier), *format_place(place, self.by), format_ranks(place)]
            for place in self.places[:MOST_ROWS]
        ]
        return html_table(" ".join((self.sentence, *self.notes)), head, rows, len(self.places))


_NOUNS = {
    "copeland": "Copeland scores",
    "borda": "Borda shares",
    "strength": "strengths",
    "mean": "means",
}


def format_place(place: Place, by: Value) -> tuple[str, str, str]:
    """Return value and interval of a place as tables show them."""
    form = {"copeland": "{:.0f}", "borda": "{:.3f}", "strength": "{:+.2f}", "mean": "{:.3f}"}[by]
    return form.format(place.value), form.format(place.low), form.format(place.high)


def format_ranks(place: Place) -> str:
    """Return the ranks that an option may have."""
    return str(place.first) if place.first == place.last else f"{place.first} to {place.last}"


def rank(
    wins: ArrayLike | str | Path,
    ties: ArrayLike | None = None,
    *,
    by: By = "copeland",
    labels: Sequence[str] | None = None,
    delta: float = 0.05,
    expected: float | None = None,
    ballots: Ballots | None = None,
) -> Ranking:
    """Return all options in order, with intervals that hold together and whenever you look.

    Parameters
    ----------
    wins
        K x K counts: ``wins[i, j]`` votes for i over j. Or a file of votes, in any format of :mod:`copeland.formats`, which names the
        options itself. Of a file that says who voted, or on which case, shares and strengths take the votes of one voter together, and
        those on one case.
    ties
        K x K symmetric counts of ties; each is half a win for both.
    by
        ``"copeland"``: how many others it beats. ``"borda"``: its mean chance against a random other option, free of
        any model. ``"strength"``: Bradley-Terry, which also compares options that never met.
    labels
        One name for each option; ``"0"``, ``"1"``, ... by default.
    delta
        The probability with which anything of it may ever be wrong.
    expected
        How many votes, or voters with ``ballots``, are expected: there the intervals of shares and strengths are tightest.
        Fix it before you see votes; 1,000 for each option by default.
    ballots
        The single votes with their voters, and perhaps their cases, where these votes may hang together. Counts without them are
        taken as independent votes.

    Examples
    --------
    >>> wins = [[0, 60, 90], [40, 0, 80], [10, 20, 0]]
    >>> found = rank(wins, by="strength", labels=["tea", "milk", "mud"])
    >>> [(place.name, round(place.value, 2)) for place in found.places]
    [('tea', 0.83), ('milk', 0.34), ('mud', -1.17)]
    >>> found.tiers
    (('tea', 'milk'), ('mud',))
    """
    check_order(by)
    taken = "" if ballots is not None else OF_COUNTS
    if isinstance(wins, str | Path):
        rows, layout = _read_votes(Path(wins), ties, labels, ballots)
        wins, ties, labels = count_votes(rows)
        taken = _tell_units(layout, by)
        if by != "copeland" and (layout.voter or layout.item):
            ballots = group_rows(rows, layout, labels)
    won, tied, _ = check_counts(wins, ties)
    names = check_labels(labels, len(won))
    if by == "copeland":
        found = certify(won, tied, delta=delta, labels=names)
        return replace(rank_by_scores(won, tied, found, range(len(won))), taken=taken)
    if not 0 < delta < 1:
        raise InvalidParameter(f"delta is {delta}; it is an error probability between 0 and 1.")
    return replace(rank_by_estimates(won, tied, by, names, delta, expected, ballots), taken=taken)


def _read_votes(
    path: Path, ties: ArrayLike | None, labels: Sequence[str] | None, ballots: Ballots | None
) -> tuple[list[VoteRow], ColumnLayout]:
    if ties is not None or labels is not None or ballots is not None:
        raise InvalidParameter(
            f"{path} holds ties, names and single votes itself; leave out ties, labels and ballots."
        )
    table, layout = read_votes(path)
    return list(read_rows(table, layout)), name_items(layout, table.columns)


def _tell_units(layout: ColumnLayout, by: By) -> str:
    units = [what for what, column in (("voter", layout.voter), ("case", layout.item)) if column]
    if not units:
        return OF_FILE
    if by == "copeland":
        return f"{OF_VOTES[:-1]}, those of one {' or one '.join(units)} too; an order by borda or strength takes these together."
    return f"Votes are grouped by {' and by '.join(units)}."


def group_rows(rows: Iterable[VoteRow], layout: ColumnLayout, names: Sequence[str]) -> Ballots:
    """Return the votes of a file that count, by voter and by case; without a name for either, a vote is its own.

    Examples
    --------
    >>> rows = [VoteRow("row 1", "a", "b", "left", 2, {"item": "q1"}), VoteRow("row 2", "b", "a", "tie", 1, {"item": "q1"})]
    >>> found = group_rows(rows, ColumnLayout("left", "right", "outcome", item="item"), ["a", "b"])
    >>> found.outcome.tolist(), found.voter.tolist(), found.case.tolist()
    ([1.0, 1.0, 0.5], [0, 1, 2], [0, 0, 0])
    """
    counted = [row for row in rows if row.counts]
    times = np.array([row.times for row in counted], np.int64)
    if times.sum() > MOST_BALLOTS:
        raise InvalidParameter(
            f"the file counts {times.sum():,} votes with voters or cases, and at most {MOST_BALLOTS:,} are grouped; rank the counts "
            "alone if the votes are independent."
        )
    place = {name: i for i, name in enumerate(names)}
    first, second = (
        np.repeat(np.array([place[name] for name in side], np.int64), times)
        for side in ([row.left for row in counted], [row.right for row in counted])
    )
    outcome = np.repeat(np.array([_WORTH[row.outcome] for row in counted], np.float64), times)
    voter, case = (
        _number([text_in(row.row, column) for row in counted], times)
        for column in (layout.voter, layout.item)
    )
    return Ballots(first, second, outcome, voter, case)


def _number(names: Sequence[str | None], times: Ints) -> Ints:
    """A number for every vote, the same for one name; a vote without a name has its own."""
    known: dict[str, int] = {}
    numbers = np.array(
        [-1 if name is None else known.setdefault(name, len(known)) for name in names], np.int64
    )
    every = np.repeat(numbers, times)
    alone = every < 0
    every[alone] = len(known) + np.arange(int(alone.sum()))
    return every


def check_order(by: str) -> By:
    """Return what options are ranked by; refuse what they are not."""
    for order in ORDERS:
        if by == order:
            return order
    known = join_names([repr(order) for order in ORDERS], last="or")
    raise InvalidParameter(f"by is {by!r}; it must be {known}.", "by")


def rank_by_estimates(
    wins: Ints,
    ties: Ints,
    by: By,
    names: Sequence[str],
    delta: float,
    expected: float | None = None,
    ballots: Ballots | None = None,
) -> Ranking:
    """Return options in the order of their shares or strengths."""
    k = len(wins)
    if k > MOST_OPTIONS:
        raise InvalidParameter(
            f"options are ranked by {_NOUNS[by]} up to {MOST_OPTIONS:,}, and there are {k:,}.", "by"
        )
    found = (estimate_borda if by == "borda" else estimate_strengths)(wins, ties, ballots)
    values = found.values
    claims = k * (k - 1) // 2 + k  # a difference of each pair, and a value of each option
    radius = radius_of(found.units, expected or UNITS_AN_OPTION * k, delta / claims, fitted=k)
    above = tell_apart(found, radius)
    order = np.argsort(-values, kind="stable")
    tiers = cut_tiers(above, order)
    low, high = bound_values(found, radius)
    first, last = 1 + above.sum(axis=0), k - above.sum(axis=1)
    places = []
    for tier, i in zip(tiers, map(int, order), strict=True):
        interval, ranks = (float(low[i]), float(high[i])), (int(first[i]), int(last[i]))
        strength = float(values[i]) if by == "strength" else None
        places.append(Place(names[i], tier, float(values[i]), *interval, *ranks, strength))
    return Ranking(tuple(places), delta, tuple(list_gaps(wins, ties, by, names)), by)


def tell_apart(found: Estimates, radius: float) -> Bools:
    """Return who is surely higher than whom, K x K."""
    lead = np.subtract.outer(found.values - found.below, found.values + found.above)
    error = np.sqrt(found.variance_of_differences())
    with np.errstate(invalid="ignore"):  # 0 errors of an endless radius
        sure = lead > radius * error
    return sure & (error > 0) & (found.group[:, None] == found.group)


def bound_values(found: Estimates, radius: float) -> tuple[Floats, Floats]:
    """Return the interval of each value; endless where the votes bound none."""
    own = np.sqrt(np.maximum(np.diag(found.covariance), 0.0))
    reach = (
        np.where(own > 0, radius, 0.0) * own if np.isfinite(radius) else np.full(len(own), np.inf)
    )
    sizes = np.bincount(found.group)
    bounded = (found.group == sizes.argmax()) & (sizes.max() > 1) & (found.units > 0)
    reach = np.where(bounded, reach, np.inf)
    return found.values - found.below - reach, found.values + found.above + reach


def cut_tiers(above: Bools, order: Ints) -> list[int]:
    """Return the tier at each place: one ends where every option above is surely higher than every one below."""
    within = above[np.ix_(order, order)]
    tiers, tier = [1], 1
    for place in range(1, len(order)):
        tier += bool(within[:place, place:].all())
        tiers.append(tier)
    return tiers


def rank_by_scores(
    wins: Ints,
    ties: Ints,
    found: BaseCertificate,
    among: Sequence[int],
    order: Sequence[int] | None = None,
    notes: Sequence[str] = (),
    strengths: Floats | None = None,
) -> Ranking:
    """Return options in the order of Copeland scores, with what a certificate proves of these."""
    share = (wins + ties / 2) > (wins.T + ties / 2)
    beats = share[:, among].sum(axis=1)
    first = found.best if found.is_all and not found.margin else ()
    tiers = dict(zip(among, tiers_of(found.scores, first, among), strict=True))
    shown = sorted(among, key=beats.__getitem__, reverse=True) if order is None else order
    low, high = np.array(found.scores)[list(among)].T
    tier = np.array(list(tiers.values()))
    above = np.greater.outer(low, high) | np.less.outer(tier, tier)  # who is surely above whom
    best, worst = 1 + above.sum(axis=0), len(among) - above.sum(axis=1)
    ranks = dict(zip(among, zip(best.tolist(), worst.tolist(), strict=True), strict=True))
    places = []
    for i in sorted(filter(tiers.__contains__, shown), key=tiers.__getitem__):
        strength = None if strengths is None else float(strengths[i])
        numbers = (tiers[i], int(beats[i]), *found.scores[i], *ranks[i])
        places.append(Place(found.labels[i], *numbers, strength))
    return Ranking(tuple(places), found.delta, tuple(notes))


def list_gaps(wins: Ints, ties: Ints, by: By, labels: Sequence[str]) -> Iterator[str]:
    """Yield where the votes alone bound nothing: parts that never met, options that never won or never lost."""
    k, points = len(wins), wins + ties / 2
    names = quote_names(labels)
    unmet = (k * (k - 1) - int((points + points.T > 0).sum())) // 2
    if by == "borda" and unmet:
        yield (
            f"{unmet:,} of the {k * (k - 1) // 2:,} pairs never met: there a share may be anything, so the intervals "
            "are wide. An order by strength compares such options too."
        )
    if by != "strength" or split_options(points, "strong").max() == 0:
        return
    parts = int(split_options(points, "weak").max()) + 1
    if parts > 1:
        yield (
            f"The votes fall into {format_count(parts, 'part')} that never met: strengths of options in "
            "different parts cannot be compared."
        )
    never_won, never_lost = (np.flatnonzero(points.sum(axis=axis) == 0).tolist() for axis in (1, 0))
    bounded = f"only by regularisation, {PRIOR:g} of a vote for each option over each other"
    for options, what in ((never_won, "never won"), (never_lost, "never lost")):
        if options:
            its = "its strength is" if len(options) == 1 else "their strengths are"
            yield f"{join_names([names[i] for i in options])} {what}: {its} bounded {bounded}."
    if not never_won and not never_lost and parts == 1:
        yield f"Some options together never won against the others: how far apart they are is bounded {bounded}."
