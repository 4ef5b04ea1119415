"""Options that judges decide on test cases: the pair of a ballot is chosen first, then a case on which nobody has judged that pair.

On exactly these cases each ballot draws its own, so whatever chose the pair, and however answers on one case hang together, the
next answer is a draw without replacement. On cases like these, all pairs go through the cases in one order, fixed by the seed. Where
cases come in clusters, a cluster is drawn whole, and a pair that has begun one goes on with it first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.certificate import Certificate
from copeland.certificate.cluster_evidence import CASES, Clusters
from copeland.certificate.samples import LIKE_THESE, THESE, Sample, evidence, sample_of
from copeland.errors import InvalidParameter
from copeland.forecast.forecast import Forecast, Need, Outlook, outlook_of
from copeland.forecast.start import Until
from copeland.kernels.vote_evidence import baseline_level, levels, loss_level, win_level
from copeland.study.case_draw import CaseDraw, Draw, order_cases
from copeland.study.cluster_draw import ClusterDraw, order_clusters
from copeland.study.kinds.kind import Kind, Names, Subject, Without, last_of
from copeland.study.kinds.presentation import Rest, count_pairs
from copeland.study.log.case_ledger import Case, CaseLedger
from copeland.study.log.cluster_ledger import ClusterLedger
from copeland.study.log.event_log import Log
from copeland.study.log.events import UNDONE, AskedEvent, Pair, VoteEvent, pair_of
from copeland.study.log.ledger import Entry
from copeland.study.log.state import StudyState
from copeland.study.options import ACTIVE
from copeland.study.pair_choice import BallotRequest, Chooser
from copeland.study.results.measures import Measures, number_options
from copeland.study.results.standing import Standing
from copeland.study.settings import Settings
from copeland.study.votes import ImportedVote
from copeland.study.whole_clusters import WholeClusters
from copeland.support.escaping import command_line
from copeland.support.goal import BEST, Goal
from copeland.support.phrasing import about, format_count


class JudgedCases(Kind):
    """A study in which each test case has one vote for each pair, whoever gives it."""

    draws_cases = True
    only_counts = False
    serves_pages = False
    unit = "item"

    def check_allocating(self) -> None:
        """Refuse: nobody searches."""
        raise InvalidParameter("judges decide test cases; an allocation is for users of a search.")

    def add_history(
        self, state: StudyState, log: Log, voter: str, request: BallotRequest
    ) -> BallotRequest:
        """Return the same request; a judge may meet a pair on many cases."""
        return request._replace(recent_ballots=last_of(log, voter))

    def leave_out(
        self, state: StudyState, request: BallotRequest, without: Without, cases: Names
    ) -> BallotRequest:
        """Return the same request, for pairs that have a case left; ``without`` are options and a case that are not to be asked."""
        drawn = _all_cases(state, request.item, cases)
        taken: defaultdict[Pair, set[Case]] = defaultdict(set)
        for pair in cases_of(state).pairs:
            taken[pair] |= cases_of(state).votes_on(pair).keys()
        for asked in state.ledger.under_way(request.now).values():
            taken[pair_of(asked)].add(asked.item)
        for pair, case in _without(state, without):
            taken[pair].add(case)
        _require_these(state, drawn)
        draw = _draw_from(state, drawn, taken)
        done = {pair for pair in taken if draw.is_spent(pair)}
        if not request.further:
            done |= _find_known_pairs(state, request.now)
        return request._replace(once=True, avoided=frozenset(done), cases=draw, item=None)

    def make_ballot(self, request: BallotRequest, n: int, left: int, right: int) -> AskedEvent:
        """Return the event that hands out the nth ballot, with the case that is drawn for it."""
        asked = super().make_ballot(request, n, left, right)
        return asked._replace(item=_draw_of(request).case(left, right, asked.number))

    def find_blocking(
        self, state: StudyState, request: BallotRequest, held: dict[int, Entry]
    ) -> dict[int, Entry]:
        """Return the ballots that the judge holds, or those of all: their cases come back if nobody answers."""
        return held or state.ledger.under_way(request.now)

    def fits(self, asked: AskedEvent, request: BallotRequest) -> bool:
        """Tell whether a ballot is the judge's own, on one of the options and cases."""
        is_own = asked.voter == request.voter and request.voter is not None
        among = request.options.issuperset((asked.left, asked.right))
        return is_own and among and asked.item in _draw_of(request).cases

    def make_chooser(self, state: StudyState, log: Log) -> Chooser | None:
        """Return what chooses pairs and follows the study; clusters of cases that were begun come first."""
        chooser = super().make_chooser(state, log)
        if chooser is None or not isinstance(state.ledger, ClusterLedger):
            return chooser
        return WholeClusters(chooser, self.is_open)

    def mark_again(
        self, state: StudyState, vote: VoteEvent, before: list[VoteEvent]
    ) -> dict[str, Any] | None:
        """Return whether the vote of the same case was undone."""
        return {"again": UNDONE} if cases_of(state).was_undone(vote) else None

    def check_answer(self, state: StudyState, asked: AskedEvent, vote: VoteEvent) -> None:
        """Refuse an answer on one case too many."""
        super().check_answer(state, asked, vote)
        _require_room(state, [vote])

    def check_item(self, asked: AskedEvent, item: str | None) -> None:
        """Refuse an answer that is about another case than its ballot."""
        if item not in (None, asked.item):
            raise InvalidParameter(
                f"ballot {asked.number} is about the case '{asked.item}', and the answer about '{item}'; the study "
                "draws the case."
            )

    def subject_of(self, state: StudyState, vote: VoteEvent | ImportedVote) -> Subject:
        """Return the pair and the case, whoever judges it."""
        return Subject(None, pair_of(vote), vote.item)

    def find_first(
        self, state: StudyState, log: Log, vote: VoteEvent, known: Iterable[VoteEvent] | None = None
    ) -> int | None:
        """Return the number of the vote on the same pair and case; an answer that is none repeats nothing."""
        if state.meaning(vote.outcome) is None:
            return None
        return cases_of(state).votes_on(pair_of(vote)).get(vote.item)

    def check_import(self, state: StudyState, votes: list[VoteEvent]) -> None:
        """Refuse votes on more cases than there are."""
        _require_room(state, votes)

    def check_adding(self, state: StudyState) -> None:
        """Refuse an option that votes on the same cases may have shaped."""
        if state.settings.finite is None and state.voted_in_epoch:
            raise InvalidParameter(
                "votes on these cases may have shaped a further option, so what is proved of cases like these would not hold for it; "
                "copy the study, which leaves the votes behind (copeland study copy), add the option there, and judge that on new cases."
            )
        super().check_adding(state)

    def check_judging(
        self,
        settings: Settings,
        certificate: BaseCertificate,
        items: Mapping[str, Collection[str]] | None,
        repeat: bool,
    ) -> None:
        """Refuse repeated answers, any but all of the cases, and cases that come in other clusters than the study has."""
        if repeat:
            raise InvalidParameter(
                "each case has one vote for each pair, so a judge is asked once; leave repeat out, or create the study with "
                "independent voters."
            )
        given = 1 if items is None else sum(map(len, items.values()))
        if given != settings.cases:
            what = "no items" if items is None else format_count(given, "item")
            raise InvalidParameter(
                f"this study is judged on {format_count(settings.cases, 'test case')}, and there are {what}; give all cases as "
                "items."
            )
        if items is not None:
            assert isinstance(certificate, Certificate)
            self._check_clusters(settings, certificate, items)

    def _check_clusters(
        self, settings: Settings, certificate: Certificate, clusters: Mapping[str, Collection[str]]
    ) -> None:
        name, largest = max(clusters.items(), key=lambda one: len(one[1]))
        if len(largest) == 1:
            return
        told = f"these cases come in {format_count(len(clusters), 'cluster')}, such as '{name}' with {len(largest)}"
        if certificate.clusters is None and not self.is_exact(settings):
            raise InvalidParameter(
                f"{told}, and the study takes each case for a draw of its own; create one with these clusters (--cases FILE, or "
                "cases= by cluster), or one about exactly these cases (--population these)."
            )
        known = certificate.clusters and Clusters(*certificate.clusters)
        if known and known[:2] != (len(clusters), len(largest)):
            raise InvalidParameter(
                f"{told}, but the study was created with {format_count(known.number, 'cluster')} of at most "
                f"{format_count(known.largest, 'case')}; give the cases that it was created with."
            )

    def sample(self, settings: Settings) -> Sample:
        """Return what the votes are a sample of."""
        return sample_of(LIKE_THESE if settings.finite is None else THESE, settings.cases)

    # Estimates

    def is_exact(self, settings: Settings) -> bool:
        """Tell whether a proof may count all votes that there can be: of exactly these cases."""
        return settings.finite is not None

    def outlook(self, standing: Standing) -> Outlook:
        """Return what would settle it, of the votes that there are."""
        found = number_options(outlook_of(standing.start), standing.options_left)
        if found.votes is None:
            return found
        left = _count_votes_left(standing)
        needs = [
            Need(i, j, min(math.ceil(standing.votes_per_draw * draws), int(left[i, j])))
            for i, j, draws in found.pairs
        ]
        pairs = tuple(need for need in needs if need.votes)
        return Outlook(found.champion, pairs, sum(need.votes for need in pairs))

    def plan(self, standing: Standing, goal: Until, people: int | None, **how: Any) -> Forecast:
        """Refuse to plan: there are only so many votes."""
        left = int(_count_votes_left(standing).sum()) // 2
        raise InvalidParameter(
            f"judges give each pair one vote on each case, so there are {format_count(left, 'vote')} left, and no more to plan; the "
            "status says what they may settle."
        )

    # The verdict in sentences

    def begin_claim(self, certificate: BaseCertificate) -> str:
        """Return on which cases the claim is, as its beginning."""
        assert isinstance(certificate, Certificate)
        return certificate.terms.sample.beginning

    def say_end(self, standing: Standing) -> str:
        """Return that all cases are judged, once they are."""
        return "" if _count_votes_left(standing).any() else "All cases are judged"

    def advise(self, reading: Measures) -> Iterator[str]:
        """Yield what would settle it; of cases that are too few, how many more it takes."""
        standing = reading.standing
        is_open = not standing.closed and not reading.certificate.decided
        if is_open and standing.votes and _are_too_few(standing, reading.outlook):
            yield from self._advise_on_cases(standing)
        else:
            yield from super().advise(reading)

    def say_length(self, standing: Standing) -> str:
        """Return how many votes a study takes that has none yet."""
        most = int(_count_votes_left(standing).sum()) // 2
        return f"Judges give each pair one vote on each case: {format_count(most, 'vote')} at most."

    def advise_on_votes(self, reading: Measures, forecast: str) -> Iterator[str]:
        """Yield what is so many votes away, and what more cases would do."""
        yield forecast
        yield from self._advise_on_cases(reading.standing)

    def _advise_on_cases(self, standing: Standing) -> Iterator[str]:
        """What more cases would do, in sentences."""
        settings, is_judged = standing.settings, bool(self.say_end(standing))
        n = format_count(settings.cases, "case")
        if self.is_exact(settings):
            if not is_judged and settings.cases > 1:
                yield f"When all {n} are judged, the verdict is exact."
            return
        more = _count_missing_cases(standing)
        would = f"about {about(more)} more cases would" if more > 0 else "a few more may"
        aim = Goal.parse(settings.goal).aim
        if is_judged:
            yield f"All {n} are judged. They do not prove {aim} on cases like these; {would}."
        elif more > 0:
            yield f"These {n} may not be enough to prove {aim} on cases like these; {would}."

    def who_votes(self, settings: Settings, k: int) -> str:
        """Return who votes and what that assumes, in a sentence."""
        votes = format_count(settings.cases * count_pairs(k), "vote")
        if settings.cases == 1:
            return f"Judges compare each pair once, {votes} at most; what is proved is their preference."
        like = (
            "these cases"
            if self.is_exact(settings)
            else "cases like these, of which they are a sample"
        )
        return (
            f"Judges compare each pair once on each of {format_count(settings.cases, 'case')}, {votes} at most; what is proved is "
            f"their preference on {like}."
        )

    def say_clusters(self, certificate: BaseCertificate) -> str:
        """Return in which clusters test cases come, and what counts the same."""
        if not isinstance(certificate, Certificate) or certificate.clusters is None:
            return ""
        clusters = Clusters(*certificate.clusters)
        sample = "" if certificate.voters == THESE else ", which are the sample"
        counts = "case" if clusters.weight == CASES else "cluster"
        return (
            f"The cases come in {format_count(clusters.number, 'cluster')} of at most {format_count(clusters.largest, 'case')}"
            f"{sample}; every {counts} counts the same. "
        )

    def expect(self, settings: Settings, options: int) -> tuple[str, ...]:
        """Return what all votes together come to."""
        end = ", and the result is exact" if self.is_exact(settings) else ""
        return (f"Judges compare each pair once on each case; when all are judged, it ends{end}.",)

    def onwards(self, name: str, settings: Settings, items: str) -> str:
        """Return how judges decide."""
        judge = command_line("copeland", "study", "judge", name)
        if settings.cases == 1:
            return f'Judge with: {judge} --command "python judge.py {{left}} {{right}}"'
        return f'Judge with: {judge} --items {items} --command "python judge.py {{item}} {{left}} {{right}}"'

    def nothing_left(self, standing: Standing, voter: str | None, answered: int) -> str:
        """Return that there is nothing to ask, as all cases have their votes."""
        if standing.certificate.decided:
            return super().nothing_left(standing, voter, answered)
        return "Nothing is left to ask: every case is judged, or was skipped."

    def explain_rest(self, settings: Settings, certificate: BaseCertificate, who: str) -> Rest:
        """Return why judges are asked nothing more: all cases are judged, or were skipped, or nothing is left to ask."""
        if certificate.decided or not who:
            return super().explain_rest(settings, certificate, who)
        if certificate.complete:
            return Rest(
                "answered",
                f"all {settings.cases:,} cases are judged, and they do not prove {Goal.parse(settings.goal).aim} "
                "on cases like these.",
            )
        return Rest("answered", f"{who} skipped or failed on all cases that are left.")

    # Voters and pages

    def check_link(self, settings: Settings, name: str = "") -> None:
        """Refuse every link."""
        raise InvalidParameter("Judges decide this study, so there are no links for voters.")

    def refuse_loose_ballot(self, name: str, settings: Settings) -> None:
        """Refuse a ballot by itself on test cases, which the study draws together."""
        if settings.cases > 1:
            judge = command_line("copeland", "study", "judge", name)
            raise InvalidParameter(
                f"judges decide this study on {settings.cases:,} test cases, and it draws the case of each ballot; let one "
                f"judge: {judge} --items FILE."
            )

    def open_badge(self, standing: Standing) -> str:
        """Return how a study stands of which nothing is proved or likely."""
        return "Not proved" if self.say_end(standing) else "Keep going"

    def describe_settings(self, settings: Settings, basis: dict[str, str]) -> dict[str, str]:
        """Return on what the verdict rests, by name."""
        proved = "on these cases" if self.is_exact(settings) else "on cases like these"
        judges = f"judges, on {format_count(settings.cases, 'case')}"
        return basis | {"voters": judges, "what is proved": proved}


def cases_of(state: StudyState) -> CaseLedger:
    """Return the ledger of a study on test cases."""
    assert isinstance(state.ledger, CaseLedger)
    return state.ledger


def _all_cases(state: StudyState, item: Case, cases: Collection[str] | None) -> tuple[Case, ...]:
    """All cases, as they are told; without any, the options themselves."""
    number = state.settings.cases
    if cases is None and number == 1:
        return (item,)
    if cases is None and item is None and isinstance(state.ledger, ClusterLedger):
        return tuple(state.ledger.cluster_of)
    if cases is None or item is not None:
        raise InvalidParameter(
            f"this study is judged on {format_count(number, 'test case')}, and draws the case of each ballot itself; "
            "give all of them as cases=[...], and no item."
        )
    if isinstance(cases, str) or len(set(cases)) != number:
        raise InvalidParameter(
            f"this study is judged on {format_count(number, 'test case')}, and these are "
            f"{len(set(cases)):,}; give all of them, and no others."
        )
    return tuple(cases)


def _draw_from(
    state: StudyState, cases: tuple[Case, ...], taken: Mapping[Pair, Collection[Case]]
) -> Draw:
    """What draws the case of each ballot."""
    seed, ledger = state.settings.seed, state.ledger
    if isinstance(ledger, ClusterLedger):
        ordered = order_clusters(ledger.clusters, seed)
        return ClusterDraw(ordered, taken, seed, ledger.clusters, ledger.is_begun)
    fixed = state.settings.finite is None
    return CaseDraw(order_cases(cases, seed) if fixed else cases, taken, seed, fixed)


def _without(
    state: StudyState, without: Collection[tuple[Any, ...]] | None
) -> Iterable[tuple[Pair, Case]]:
    try:
        for left, right, case in without or ():
            yield frozenset((state.index(left), state.index(right))), case
    except (TypeError, ValueError):
        raise InvalidParameter(
            f"without is {without!r}; give the names of two options and a case, three in each."
        ) from None


def _require_these(state: StudyState, cases: Collection[Case]) -> None:
    """Refuse cases other than those that were judged before, or that the study was created with."""
    known = set(cases)
    other = next((case for case in cases_of(state).cluster_of if case not in known), None)
    if other is not None:
        raise InvalidParameter(
            f"the study was created with a case '{other}', which is not among these cases; give those that it was created with."
        )
    for pair in cases_of(state).pairs:
        other = next((case for case in cases_of(state).votes_on(pair) if case not in known), None)
        if other is not None:
            raise InvalidParameter(
                f"'{other}' was judged before, and is not among these cases; give the cases that this study began with."
            )


def _require_room(state: StudyState, votes: Iterable[VoteEvent]) -> None:
    """Refuse votes on more cases than there are, or on none where there are several."""
    new: defaultdict[Pair, set[Case]] = defaultdict(set)
    clusters = cases_of(state).cluster_of
    for vote in votes:
        if clusters and vote.item not in clusters:
            raise InvalidParameter(
                f"a vote is about the case {vote.item!r}, and this study has clusters of other cases; give it one of those that the "
                "study was created with."
            )
        if state.meaning(vote.outcome) is None:
            continue
        if vote.item is None and state.settings.cases > 1:
            raise InvalidParameter(
                f"judges decide this study on {state.settings.cases:,} test cases, so each vote names its case; give it an item."
            )
        if vote.repeats is None:
            new[pair_of(vote)].add(vote.item)
    for pair, cases in new.items():
        if len(cases_of(state).votes_on(pair).keys() | cases) > state.settings.cases:
            one, other = (state.options[i].name for i in sorted(pair))
            raise InvalidParameter(
                f"'{one}' and '{other}' have votes on more than {format_count(state.settings.cases, 'case')}, which "
                "is how many this study has; a case goes by its name."
            )


def _find_known_pairs(state: StudyState, now: float) -> set[Pair]:
    """The pairs about which enough is known for every claim: of exactly these cases, more than a planner knows.

    One option is proved to beat the other, or they are proved tied within the margin.
    """
    settings, goal = state.settings, Goal.parse(state.settings.goal)
    if settings.finite is None or state.votes == 0:
        return set()
    terms = state.terms
    at = levels(state.k, **terms, top=goal.number)
    level = max(win_level(at, state.k - 2), loss_level(at))
    if settings.goal != BEST:
        level = max(level, at.exact)
    if goal.name:
        level = baseline_level(state.k, *(terms[n] for n in ("delta", "epoch", "dependent")))
    proof = state.ledger.tables(now)
    undone = (proof.missing_or_none, proof.before_undoing)
    sample = sample_of(THESE, settings.cases)
    close, exact = (
        evidence(proof.wins, proof.ties, margin, *undone, sample, proof.clusters) >= level
        for margin in (settings.margin, 0.0)
    )
    known = close & (exact | close.T)
    return {frozenset((int(i), int(j))) for i, j in np.argwhere(known) if i != j}


def _draw_of(request: BallotRequest) -> Draw:
    """What draws the case of each ballot."""
    assert request.cases is not None
    return request.cases


def _count_votes_left(standing: Standing) -> NDArray[np.int64]:
    """How many cases are left for each pair; none for options that are not asked."""
    left = standing.settings.cases - (standing.wins + standing.wins.T + standing.ties)
    np.fill_diagonal(left, 0)
    active = np.array([option.state == ACTIVE for option in standing.options])
    return np.where(active[:, None] & active, left, 0)


def _count_missing_cases(standing: Standing) -> int:
    """About how many more cases a proof on cases like these would take."""
    left = _count_votes_left(standing)
    found = number_options(outlook_of(standing.start), standing.options_left)
    each = standing.votes_per_draw
    return max((math.ceil(each * n) - int(left[i, j]) for i, j, n in found.pairs), default=0)


def _are_too_few(standing: Standing, outlook: Outlook) -> bool:
    """Tell whether the votes that there are do not settle it, as far as anybody can tell."""
    if outlook.votes is None:  # of options that are not asked
        return False
    is_sample = standing.settings.finite is None
    return not outlook.votes or (is_sample and _count_missing_cases(standing) > 0)
