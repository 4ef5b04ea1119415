"""Counts of votes, and what they are a sample of: draws without end, people, exactly these test cases, or cases like these.

That decides how the counts are weighed, what is assumed of them, and how a statement begins.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from copeland.certificate.case_evidence import cannot_lose, log_evidence_of_cases, require_cases
from copeland.certificate.cluster_evidence import CASES, Clusters, ClusterVotes, check_clusters
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import PRIOR
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.phrasing import format_count, join_names

Voters = Literal[
    "independent",
    "dependent",
    "people",
    "people, missing ignored",
    "judge, these cases",
    "judge, cases like these",
]
PEOPLE: Voters = "people"
PEOPLE_WHO_LEAVE: Voters = "people, missing ignored"
THESE: Voters = "judge, these cases"
LIKE_THESE: Voters = "judge, cases like these"

_CLUSTERS = ", in clusters"
_VOTES = (
    "Whatever came before, option i wins a vote against j with the same probability p_ij, a tie "
    "counting half: votes do not influence each other, and preferences do not drift."
)
_ARRIVALS = (
    "The voters are draws from one population, independent of each other. Each was dealt all pairs before the "
    "first answer, and voters count in the order in which they arrived."
)
_SILENT = "One without an answer, because the judge failed or is silent, counts against both options until it is judged."
_OPEN = "One without an answer, in a cluster that was begun, counts against both options until it is judged."
_WHICH_JUDGE = "Which judge votes on a case is drawn at random, or makes no difference."
_ONE_CASE = "one case"
_SENTENCES = {  # on what something is proved, as a sentence begins, and what that rests on
    "independent": (
        "",
        _VOTES,
        "Answers of one voter to different pairs do not depend on each other.",
        "Whether a voter answers a ballot within its lease has nothing to do with the answer; how soon does not matter.",
    ),
    "dependent": (
        "",
        _VOTES,
        "Votes on one pair come from different voters. What a voter is asked does not depend on that voter's own earlier answers: "
        "neither directly, nor through what others were asked because of them.",
    ),
    _ONE_CASE: (
        "",
        "Each pair has one vote, and the statement is about these votes: whose preference they are, the judge decides.",
    ),
    PEOPLE: (
        "",
        _VOTES,
        _ARRIVALS,
        "A dealt pair without an answer counts as a loss of both options.",
    ),
    PEOPLE_WHO_LEAVE: (
        "",
        _VOTES,
        _ARRIVALS,
        "Voters who left pairs unanswered left for reasons that have nothing to do with the options.",
    ),
    THESE: (
        "On these {cases:,} cases",
        "The statement is about these {cases:,} cases and the answers that judges give on them: i beats j if i wins on more of "
        "them than j. If a judge answers by chance, it is about the answers that it gave, or would have given.",
        "Each case has one vote for each pair. For each pair, the cases come in a random order that no answer decides.",
        f"A case that a judge skips counts as a tie. {_SILENT}",
        "{several}",
    ),
    LIKE_THESE: (
        "On cases like these",
        "The cases are random draws, independent of each other, from all those that the statement is about. p_ij is the "
        "probability that i wins on such a case against j, by these judges, a tie counting half.",
        "Each case has one vote for each pair. All pairs take the cases in one random order that was drawn beforehand.",
        f"A case that a judge skips is left out. {_SILENT}",
        "{several}",
    ),
    THESE + _CLUSTERS: (
        "On these {cases:,} cases in {clusters} that count the same",
        "The statement is about these {cases:,} cases in {clusters} and the answers that judges give on them: i beats j if it is ahead of "
        "j in the mean over clusters of wins less losses, each cluster counting the same. If a judge answers by chance, it is about the "
        "answers that it gave, or would have given.",
        "For each pair, the clusters come in a random order that no answer decides, each of them whole.",
        f"Each case has one vote for each pair. A case that a judge skips counts as a tie. {_OPEN}",
        "{several}",
    ),
    LIKE_THESE + _CLUSTERS: (
        "On cases like these ({cases:,} in {clusters}; the clusters are the sample)",
        "The sample is of clusters: these {cases:,} cases in {clusters}. The clusters are random draws, independent of each other, from all "
        "those that the statement is about; cases of one cluster may depend on each other in any way. p_ij is the mean score of i against "
        "j, by these judges, each {unit} counting the same and a tie counting half.",
        "All pairs take the clusters in one random order that was drawn beforehand, each of them whole.",
        f"Each case has one vote for each pair. A case that a judge skips is left out. {_OPEN}",
        "{several}",
    ),
}


@dataclass(frozen=True)
class Sample:
    """Draws without end, and what they are: votes, people, or cases that judges decide."""

    voters: Voters = "independent"
    cases: int | None = None  # test cases that judges vote on; None: other voters
    judges: tuple[str, ...] = ()  # whose votes count there
    clusters: Clusters | None = None  # if the cases come in any

    exact: ClassVar[bool] = False  # whether the statement is about exactly these cases

    @property
    def dependent(self) -> bool:
        """Whether votes of different pairs may depend on each other, so that averages have no proof."""
        return self.voters in ("dependent", LIKE_THESE)

    @property
    def beginning(self) -> str:
        """On which cases and by whose judgment something is proved, as a sentence begins; empty if there is nothing to say."""
        said = self._sentences[:1] if self._sentences[0] else []
        if self.judges:
            judges = f"judge{'s' if len(self.judges) > 1 else ''} {join_names(self.judges)}"
            said.append(f"{'by' if said else 'By'} the {judges}")
        return f"{', '.join(said)}: " if said else ""

    @property
    def assumptions(self) -> list[str]:
        """What is assumed of those who vote."""
        return list(filter(None, self._sentences[1:]))

    @property
    def _sentences(self) -> list[str]:
        told = {"cases": self.cases, "several": _WHICH_JUDGE if len(self.judges) > 1 else ""}
        which = str(self.voters)
        if self.clusters is not None:
            told["clusters"] = format_count(self.clusters.number, "cluster")
            told["unit"] = "case" if self.clusters.weight == CASES else "cluster"
            which += _CLUSTERS
        which = _ONE_CASE if self.cases == 1 else which
        sentences = []
        for one in _SENTENCES[which]:
            sentences.append(one.format(**told))
        return sentences

    def require(self, votes: Ints) -> None:
        """Refuse more votes on a pair than there are cases."""

    def is_complete(self, votes: int, pairs: int) -> bool:
        """Tell whether there are no more votes to come, because all cases are judged."""
        return False

    def weigh(self, wins: Ints, losses: Ints, ties: Ints, margin: float) -> Floats:
        """Return the evidence in nats for each option over each other."""
        return log_evidence_of_pairs(wins, losses, ties, margin)

    def find_unbeaten(self, wins: Ints, losses: Ints, ties: Ints, margin: float) -> Bools:
        """Return who is sure not to be beaten by whom, though not to win: exact ties among them."""
        return np.zeros(wins.shape, dtype=bool)

    def count_missing(self, missing: Ints, votes: Ints) -> Ints:
        """Return how many missing answers are losses of both sides, beside so many votes."""
        return missing

    def say_surety(self, delta: float, complete: bool) -> str:
        """Return how sure a claim is, in a few words; ``complete``: it is made from all votes that there can be."""
        return f"error probability {delta:g}"


@dataclass(frozen=True)
class _Cases(Sample):
    """Test cases, each with one vote for each pair."""

    cases: int = 1

    def require(self, votes: Ints) -> None:
        require_cases(votes, self.cases)

    def is_complete(self, votes: int, pairs: int) -> bool:
        return votes == self.cases * pairs


class _TheseCases(_Cases):
    """Exactly these test cases: once all are judged, everything is known."""

    exact = True

    def weigh(self, wins: Ints, losses: Ints, ties: Ints, margin: float) -> Floats:
        return log_evidence_of_cases(wins, losses, ties, self.cases, margin)

    def find_unbeaten(self, wins: Ints, losses: Ints, ties: Ints, margin: float) -> Bools:
        return cannot_lose(wins, losses, ties, self.cases, margin)

    def count_missing(self, missing: Ints, votes: Ints) -> Ints:
        return np.minimum(missing, self.cases - votes)

    def say_surety(self, delta: float, complete: bool) -> str:
        judged = "every pair is" if self.cases == 1 else "all cases are"
        return f"exact: {judged} judged" if complete else super().say_surety(delta, complete)


_JUDGED: dict[Voters, type[Sample]] = {THESE: _TheseCases, LIKE_THESE: _Cases}


def sample_of(
    voters: Voters,
    cases: int | None = None,
    judges: tuple[str, ...] = (),
    clusters: tuple[int, int, str] | None = None,
) -> Sample:
    """Return what the votes of such voters are a sample of; refuse a number of test cases that does not fit."""
    if voters not in get_args(Voters):
        raise InvalidParameter(f"voters is {voters!r}; say 'independent', 'people' or 'dependent'.")
    if (cases is not None) != (voters in _JUDGED):
        raise InvalidParameter(
            f"voters is {voters!r} and cases is {cases!r}; say how many test cases there are where judges vote, "
            "and only there."
        )
    fixed = None if clusters is None else check_clusters(clusters)
    return _JUDGED.get(voters, Sample)(voters, cases, judges, fixed)


Given = tuple[ArrayLike, ArrayLike]


class VoteCounts(NamedTuple):
    """The counts that claims are judged by."""

    won: Ints
    tied: Ints
    missing: Ints | None  # answers that never came: losses of both sides
    given: tuple[Ints, Ints] | None  # wins and ties as they were before any was undone
    sample: Sample = Sample()
    clusters: ClusterVotes | None = None  # the same votes by clusters of cases, if they come in any

    def find_evidence(self, margin: float) -> Floats:
        """Return the evidence for each option over each other: the smaller of what stands and what was given."""
        if self.clusters is not None:
            return self.clusters.find_evidence(len(self.won), margin)
        stands, *given = self._list_counts()
        found = self.sample.weigh(*stands, margin)
        for before in given:
            found = np.minimum(found, self.sample.weigh(*before, margin))
        return found

    def find_unbeaten(self, margin: float) -> Bools:
        """Return who is sure not to be beaten by whom, though not to win: of test cases, exact ties among them."""
        if self.clusters is not None:
            return self.clusters.unbeaten(len(self.won), margin)
        stands, *given = self._list_counts()
        sure = self.sample.find_unbeaten(*stands, margin)
        for before in given:
            sure = sure & self.sample.find_unbeaten(*before, margin)
        return sure

    def _list_counts(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Wins, losses and ties, as they stand and, if any was undone, as they were given."""
        for won, tied in filter(None, ((self.won, self.tied), self.given)):
            lost = won.T
            if self.missing is not None:
                lost = lost + self.sample.count_missing(self.missing, won + won.T + tied)
            yield won, lost, tied

    @property
    def number(self) -> int:
        """How many votes stand."""
        return int(self.won.sum() + self.tied.sum() // 2)

    def cut(self, k: int) -> VoteCounts:
        """Return the votes on the first ``k`` options alone."""
        missing = None if self.missing is None else self.missing[:k, :k]
        given = None if self.given is None else (self.given[0][:k, :k], self.given[1][:k, :k])
        clusters = None if self.clusters is None else self.clusters.cut(k)
        cut = (self.won[:k, :k], self.tied[:k, :k], missing, given)
        return VoteCounts(*cut, self.sample, clusters)

    def taken_as(self, sample: Sample) -> VoteCounts:
        """Return the same votes as such a sample; refuse more of them than it can have."""
        if self.clusters is not None and sample.cases is None:
            raise InvalidParameter(
                f"voters is {sample.voters!r}, and only test cases come in clusters; leave clusters out, or say which judges vote."
            )
        clusters = self.clusters and self.clusters.about(exact=sample.exact)
        for won, tied in filter(None, ((self.won, self.tied), self.given)):
            sample.require(won + won.T + tied)
        return self._replace(sample=sample, clusters=clusters)

    @property
    def digest(self) -> str:
        """The same counts have the same digest, on any machine."""
        missing = () if self.missing is None else (self.missing,)
        tables = (self.won, self.tied, *missing, *(self.given or ()))
        content = np.stack(tables).astype("<i8").tobytes()
        if self.clusters is not None:
            content += self.clusters.content
        return hashlib.sha256(content).hexdigest()


def votes_of(
    wins: ArrayLike,
    ties: ArrayLike | None,
    missing: ArrayLike | None,
    given: Given | None,
    clusters: ClusterVotes | None = None,
) -> VoteCounts:
    """Return counts that are checked; what is nowhere missing or undone is left out."""
    won, tied, lost = check_counts(wins, ties, missing)
    before = None if given is None else check_counts(*given)[:2]
    if before is not None and len(before[0]) != len(won):
        raise InvalidParameter(
            f"given has {len(before[0])} options, wins has {len(won)}; make them equal."
        )
    if before is not None and np.array_equal(before, (won, tied)):
        before = None
    if clusters is not None:
        clusters.require_same(won, tied)
    return VoteCounts(won, tied, lost if lost.any() else None, before, clusters=clusters)


def evidence(
    wins: ArrayLike,
    ties: ArrayLike | None = None,
    margin: float = 0.0,
    missing: ArrayLike | None = None,
    given: Given | None = None,
    sample: Sample | None = None,
    clusters: ClusterVotes | None = None,
) -> Floats:
    """Return the evidence in nats for each option over each other, K x K.

    Entry (i, j) is ln E against "p_ij <= 1/2 - margin", and -inf where nothing speaks for i: see
    :func:`copeland.kernels.vote_evidence.log_evidence`. Of test cases as the sample, p_ij is the mean over exactly these.
    With ``clusters``, these are what is drawn at random.
    """
    check_margin(margin)
    votes = votes_of(wins, ties, missing, given, clusters)
    return (votes if sample is None else votes.taken_as(sample)).find_evidence(margin)


# Counts, checked, and the evidence of many pairs at once, in nats


def check_counts(
    wins: ArrayLike, ties: ArrayLike | None = None, missing: ArrayLike | None = None
) -> tuple[Ints, Ints, Ints]:
    """Return the three tables of counts, all of one size."""
    won = _whole_counts(wins, "wins")
    k = len(won)
    return won, _symmetric_counts(ties, "ties", k), _symmetric_counts(missing, "missing", k)


def _whole_counts(values: ArrayLike, what: str) -> Ints:
    """Return a square table of counts."""
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


def _symmetric_counts(values: ArrayLike | None, what: str, k: int) -> Ints:
    """Return a symmetric table of counts of k options, all 0 if there is none."""
    if values is None:
        return np.zeros((k, k), dtype=np.int64)
    given = _whole_counts(values, what)
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


def check_margin(margin: float) -> None:
    """Refuse what is no margin."""
    if not 0 <= margin < 0.5:
        raise InvalidParameter(f"margin is {margin}; it is 0 or more, and less than 0.5.")


def mask_of(active: Sequence[int] | None, k: int) -> Bools:
    """Return which options a statement is about."""
    if active is None:
        return np.ones(k, dtype=bool)
    if len(set(active)) < 2 or not all(0 <= i < k for i in active):
        raise InvalidParameter(
            f"active is {list(active)}; name two or more of the options 0 to {k - 1} by index."
        )
    return np.isin(np.arange(k), list(active))


def check_labels(labels: Sequence[str] | None, k: int) -> tuple[str, ...]:
    """Return a name for each option."""
    names = tuple(map(str, range(k) if labels is None else labels))
    if len(names) != k or len(set(names)) != k:
        raise InvalidParameter(
            f"there are {len(set(names))} different labels for {k} options; give each option its own label."
        )
    return names


DENSE = 2_500  # pairs, of which all are looked at


def log_evidence_of_pairs(wins: Ints, losses: Ints, ties: Ints, margin: float) -> Floats:
    """:func:`log_evidence_of_votes` of all pairs at once; of many options, most pairs have no votes and the same evidence."""
    met = wins + losses + ties != 0
    if met.size > DENSE and 2 * np.count_nonzero(met) < met.size:
        none = np.zeros(1, np.int64)
        found = np.full(met.shape, log_evidence_of_votes(none, none, none, margin)[0])
        found[met] = log_evidence_of_votes(wins[met], losses[met], ties[met], margin)
    else:
        found = log_evidence_of_votes(wins, losses, ties, margin)
    np.fill_diagonal(found, -math.inf)
    return found


def log_evidence_of_votes(wins: Ints, losses: Ints, ties: Ints, margin: float) -> Floats:
    """:func:`copeland.kernels.vote_evidence.log_evidence` of many counts at once.

    A negative margin asks for more than 1/2: a tie then counts as so much of a loss.
    """
    m = 0.5 - margin
    a = wins + ties * max(margin / (1 - m), 0.0) + PRIOR
    b = losses + ties * max(-margin / m, 0.0) + PRIOR
    n = a + b
    information = a * np.log(a / n / m) + b * np.log(b / n / (1 - m))
    above = np.where(a > m * n, np.maximum(-np.expm1(-information), 0.0), 0.0)
    spread = 6 * m * m / (1 + 2 * m) * np.sqrt(2 * math.pi * n / a / b)
    with np.errstate(divide="ignore"):
        return information + _stirling(a) + _stirling(b) - _stirling(n) + np.log(spread * above)


def _stirling(z: Floats) -> Floats:
    y = 1 / (z * z)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / z
