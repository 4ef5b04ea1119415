"""Where a study stands: a frozen value, made from its state, for reports and pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import PanelCertificate
from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.certificate import Certificate, certify
from copeland.certificate.samples import Sample
from copeland.forecast.start import Start
from copeland.study.log.events import ERROR, LEFT, NOTHING, OUTCOMES, RIGHT, SKIP, Spent
from copeland.study.log.ledger import NO_BALLOTS, Tables, Totals
from copeland.study.log.sides import Swaps
from copeland.study.log.state import Edit, StudyState, find_options_left
from copeland.study.options import ACTIVE, Option
from copeland.study.settings import Settings
from copeland.support.goal import Goal
from copeland.support.judge_statistics import Position, position_of

# How sure it is that one option beats another.
PROVED = 3  # together with all other pairs
LIKELY = 2  # as far as this pair alone goes
AHEAD = 1  # by the votes as they are

_NAME = attrgetter("name")


@dataclass(frozen=True)
class Voter:
    """What one voter did, and how far the others agree.

    Of ``compared`` votes that named a winner on a pair where most votes of the others name one,
    ``agreed`` named the same.
    """

    name: str
    outcomes: Mapping[str, int]
    agreed: int
    compared: int
    sideless: tuple[int, int] = (0, 0)  # of left and right, those that say nothing of sides

    @property
    def position(self) -> Position:
        """How often the left option won, of this voter's votes that have sides."""
        left, right = self.sideless
        return position_of(self.outcomes[LEFT] - left, self.outcomes[RIGHT] - right)

    @property
    def votes(self) -> int:
        """How many answers were neither a skip nor an error."""
        return sum(self.outcomes.values()) - self.outcomes[SKIP] - self.outcomes[ERROR]

    @property
    def agreement(self) -> float | None:
        """The share of compared votes that agree, None if there are none."""
        return self.agreed / self.compared if self.compared else None


@dataclass(frozen=True, eq=False)
class PanelStanding:
    """Where a panel stands: who has answered how much, what is missing, and whose answers still matter."""

    members: tuple[str, ...]
    excused: tuple[str, ...]
    given: tuple[int, ...]  # answers of each member, skips included
    matter: tuple[int, ...]  # of each member: missing answers that may bear on who is best
    missing: NDArray[np.int64]  # K x K: answers that are waited for
    silent: NDArray[np.bool_]  # members x K x K: answered, or excused
    active: PanelCertificate  # what is settled of the active options: of those not paused

    @property
    def members_to_ask(self) -> tuple[str, ...]:
        """The members who are still to be asked something."""
        return tuple(name for name, n in zip(self.members, self.matter, strict=True) if n)

    def rows(self) -> list[dict[str, Any]]:
        """Return what is known of each member."""
        k = len(self.missing)
        return [
            {
                "name": name,
                "answers": given,
                "missing": 0 if name in self.excused else k * (k - 1) // 2 - given,
                "to_ask": matter,
                "excused": name in self.excused,
            }
            for name, given, matter in zip(self.members, self.given, self.matter, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Standing:
    """Where a study stands after its last event."""

    name: str
    settings: Settings
    options: tuple[Option, ...]
    wins: NDArray[np.int64]  # [winner, loser], votes that count
    ties: NDArray[np.int64]  # symmetric
    votes: int  # that count
    outcomes: Mapping[str, int]  # of all votes that were not undone
    repeated: int  # votes that only repeat an earlier one
    undone: int
    asked: int  # ballots handed out
    open: int  # ballots whose lease has not run out
    events: int
    epoch: int  # one more each time that options were added after votes
    closed: bool
    certificate: BaseCertificate
    side_wins: tuple[
        int, int
    ]  # of the left and of the right option, where it is known which was which
    voters: tuple[Voter, ...]
    panel: PanelStanding | None = None  # where the voters are the whole electorate
    unsettled: NDArray[np.bool_] | None = (
        None  # K x K: pairs of a panel on which answers are missing
    )
    proof: Tables | None = None  # what the certificate is made from
    offered: Mapping[int, int] = field(default_factory=dict)  # options in each epoch
    extra: int = 0  # votes that prove nothing, because nobody dealt them
    ballots: Totals = NO_BALLOTS  # what became of all that were handed out
    sideless: int = 0  # votes that name a winner, and do not say on which side it was shown
    both_ways: int = 0  # votes that name a winner, asked with the sides both ways
    swaps: Mapping[str, Swaps] = field(default_factory=dict)  # of such ballots, by judge
    edits: tuple[Edit, ...] = ()  # texts that were changed after votes
    spent: Spent = NOTHING  # by judges, over all runs
    cluster_of: Mapping[str, str] = field(default_factory=dict)  # of test cases, if there are any

    @cached_property
    def leader(self) -> str | None:
        """Who comes first; None before the first vote."""
        return leader_of(self, self.certificate, self.unsettled)

    @property
    def position(self) -> Position:
        """How often the left option won, of the votes that have sides."""
        return position_of(*self.side_wins)

    @property
    def flips(self) -> int:
        """How many ties are answers of judges that changed with the sides."""
        return sum(map(attrgetter("flips"), self.swaps.values()))

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the options, in the order of the counts."""
        return tuple(map(_NAME, self.options))

    @property
    def active(self) -> tuple[str, ...]:
        """The names of the options that are still asked."""
        names = []
        for option in self.options:
            if option.state == ACTIVE:
                names.append(option.name)
        return tuple(names)

    @property
    def waiting(self) -> int:
        """How many answers are not counted yet, because ballots that were handed out earlier have no answer."""
        return self.votes - self.certificate.votes

    @cached_property
    def options_left(self) -> list[int]:
        """The options that are not retired."""
        return find_options_left(self.options)

    @property
    def votes_per_draw(self) -> float:
        """About how many votes are worth as much as one fresh draw: more than 1 where cases come in clusters that are a sample."""
        clusters = None if self.proof is None else self.proof.clusters
        return 1.0 if clusters is None or clusters.exact else clusters.design_effect

    @property
    def draws(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Wins and ties, as many as estimates may take for fresh draws."""
        votes = self.votes_per_draw
        if votes == 1.0:
            return self.wins, self.ties
        wins, ties = (
            np.round(counts / votes).astype(np.int64) for counts in (self.wins, self.ties)
        )
        return wins, ties

    @cached_property
    def start(self) -> Start:
        """The votes so far, as forecasts take them."""
        kept = self.options_left
        epoch, _ = epoch_with(self, kept)
        names, paused = [], set()
        for n, i in enumerate(kept):
            names.append(self.options[i].name)
            if self.options[i].state != ACTIVE:
                paused.add(n)
        wins, ties = self.draws
        cut = np.ix_(kept, kept)
        return Start(
            wins[cut],
            ties[cut],
            **self.settings.terms(epoch),
            people=self.settings.people,
            paused=frozenset(paused),
            goal=Goal.parse(self.settings.goal).with_number(names),
        )


def standing_of(
    name: str,
    state: StudyState,
    certificate: BaseCertificate,
    panel: PanelStanding | None,
    voters: tuple[Voter, ...],
    now: float,
) -> Standing:
    """Return the standing that the state gives, with what it proves and where its panel stands."""
    tally, known = state.tally, []
    for one in voters:
        sideless = tally.sides.sideless_of.get(one.name)
        known.append(one if sideless is None else replace(one, sideless=tuple(sideless)))
    clusters = state.ledger.case_clusters
    return Standing(
        name=name,
        settings=state.settings,
        options=tuple(state.options),
        wins=_freeze(state.wins),
        ties=_freeze(state.ties),
        votes=state.votes,
        outcomes=dict(tally.outcomes),
        repeated=tally.repeated,
        undone=tally.undone,
        asked=state.asked,
        open=len(state.ledger.under_way(now)),
        events=state.number,
        epoch=state.epoch,
        closed=state.closed,
        certificate=certificate,
        side_wins=(tally.sides.wins[LEFT], tally.sides.wins[RIGHT]),
        voters=tuple(known),
        panel=panel,
        unsettled=state.ledger.unsettled,
        proof=state.ledger.tables(now).map(_freeze),
        offered=dict(state.offered),
        extra=tally.extra,
        ballots=state.ledger.totals(now),
        sideless=tally.sides.without,
        both_ways=tally.sides.both,
        swaps=dict(tally.sides.swapped),
        edits=tuple(state.edits),
        spent=tally.spent,
        cluster_of={} if clusters is None else clusters.cluster_of,
    )


def certify_votes(
    state: StudyState, sample: Sample, now: float, active: bool = False
) -> Certificate:
    """Return what the votes that count prove.

    That is about the options that are not retired or, if only that is proved, about all that were ever offered.
    ``active``: about the active ones alone.
    """
    if active:
        among = [i for i, option in enumerate(state.options) if option.state == ACTIVE]
        return _certificate_among(state, sample, now, among, among)
    kept = state.options_left
    whole = _certificate_among(state, sample, now, kept)
    if state.k == len(kept) or whole.offered == len(kept):
        return whole
    partial = _certificate_among(state, sample, now, kept, kept)
    return partial if partial.chosen or not set(whole.chosen) & set(kept) else whole


def _certificate_among(
    state: StudyState,
    sample: Sample,
    now: float,
    options: Sequence[int],
    active: Sequence[int] | None = None,
) -> Certificate:
    """Return what is proved in the first epoch that had these options: options which came later were retired.

    What an epoch allows to be said of its options can be said at any time: its capitals go on.
    """
    epoch, offered = epoch_with(state, options)
    proof = state.ledger.tables(now)
    return certify(
        proof.wins,
        proof.ties,
        delta=state.settings.delta,
        margin=state.settings.margin,
        epoch=epoch,
        voters=sample.voters,
        active=active,
        labels=list(map(_NAME, state.options)),
        missing=proof.missing_or_none,
        given=proof.before_undoing,
        offered=None if offered == state.k else offered,
        cases=sample.cases,
        judges=state.ledger.judges,
        goal=state.settings.goal,
        clusters=proof.clusters,
    )


def epoch_with(state: StudyState | Standing, options: Sequence[int]) -> tuple[int, int]:
    """Return the first epoch that had all these options, and how many it had."""
    last = max(options, default=0)
    for epoch, k in sorted(state.offered.items()):
        if k > last:
            return epoch, k
    raise AssertionError("the last epoch has all options")


def leader_of(
    found: StudyState | Standing,
    certificate: BaseCertificate,
    unsettled: NDArray[np.bool_] | None,
) -> str | None:
    """Return who comes first; None before the first vote."""
    if found.votes == 0:
        return None
    best, active = certificate.best, certificate.active
    return found.options[order_of(found.wins, found.ties, best, unsettled, active)[0]].name


def order_of(
    wins: NDArray[np.int64],
    ties: NDArray[np.int64],
    best: Collection[int] = (),
    unsettled: NDArray[np.bool_] | None = None,
    active: Collection[int] | None = None,
) -> tuple[int, ...]:
    """Return all options in their order: the proved best, the leaders, then the rest; those that are not active last.

    Leaders have the highest Copeland score of the votes as they are, where a pair that is even, or was
    never voted on, is half a win for both. Within each group those come first that beat more others,
    then by the share of votes won, then by when they were added. Of a panel, an even pair is half a win only
    where it is ``unsettled``: once all have answered, it is a tie, and worth nothing.

    Examples
    --------
    >>> order_of(np.array([[0, 1, 0], [2, 0, 0], [0, 0, 0]]), np.zeros((3, 3), int))
    (1, 0, 2)
    """
    options = np.arange(len(wins))
    among = np.isin(options, options if active is None else list(active))
    points = wins + ties / 2
    beats = (points > points.T)[:, among].sum(axis=1)
    even = points == points.T if unsettled is None else (points == points.T) & unsettled
    scores = beats + even[:, among].sum(axis=1) / 2
    shares = points.sum(axis=1) / np.maximum((points + points.T).sum(axis=1), 1)
    others = ~np.isin(options, list(best))
    behind = scores < scores[among].max()
    return tuple(np.lexsort((-shares, -beats, behind, others, ~among)).tolist())


def voters_of(
    tally: Iterable[tuple[str | None, int, int, str, int]], members: Iterable[str] = ()
) -> tuple[Voter, ...]:
    """Return every known voter, from the number of times each gave an outcome to an ordered pair.

    ``members`` of a panel are known before they vote.

    Examples
    --------
    >>> ann, bob = voters_of([("ann", 0, 1, "left", 2), ("bob", 1, 0, "left", 1)])
    >>> ann.votes, ann.agreement, bob.agreement
    (2, 0.0, 0.0)
    """
    outcomes: defaultdict[str, dict[str, int]] = defaultdict(partial(dict.fromkeys, OUTCOMES, 0))
    won: defaultdict[str, Counter[tuple[int, int]]] = defaultdict(Counter)  # by (winner, loser)
    everyone: Counter[tuple[int, int]] = Counter()
    for name in members:
        outcomes[name] = dict.fromkeys(OUTCOMES, 0)
    for voter, left, right, outcome, times in tally:
        pair = (left, right) if outcome == LEFT else (right, left)
        if outcome in (LEFT, RIGHT):
            everyone[pair] += times
        if voter is not None:
            outcomes[voter][outcome] += times
            won[voter][pair] += times if outcome in (LEFT, RIGHT) else 0
    voters = []
    for name in sorted(outcomes):
        voters.append(Voter(name, outcomes[name], *_count_agreement(won[name], everyone)))
    return tuple(voters)


def _count_agreement(
    own: Counter[tuple[int, int]], everyone: Counter[tuple[int, int]]
) -> tuple[int, int]:
    """Return how many of a voter's wins most others give too, and how many could be compared."""
    agreed = compared = 0
    for (winner, loser), times in own.items():
        same = everyone[winner, loser] - times
        opposite = everyone[loser, winner] - own[loser, winner]
        agreed += times * (same > opposite)
        compared += times * (same != opposite)
    return agreed, compared


def _freeze(array: NDArray[np.int64]) -> NDArray[np.int64]:
    if not array.flags.writeable:
        return array
    copy = array.copy()
    copy.flags.writeable = False
    return copy
