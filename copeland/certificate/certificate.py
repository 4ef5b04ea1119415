"""What votes prove: counts in, a certificate out, right with probability 1 - delta whenever you look.

The claims, their levels and the proof are explained in docs/notes/certificate-proofs.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import ArrayLike

from copeland.certificate.base_certificate import BaseCertificate, FiledVote
from copeland.certificate.cluster_evidence import ClusterVotes
from copeland.certificate.proof import Terms, prove
from copeland.certificate.samples import Given, Voters, check_labels, votes_of
from copeland.errors import InvalidParameter
from copeland.support.arrays import Ints
from copeland.support.goal import BEST, Goal
from copeland.support.phrasing import capital, format_count, join_names, quote_names


@dataclass(frozen=True, repr=False, kw_only=True)
class Certificate(BaseCertificate):
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

    delta: float
    margin: float  # type: ignore[override]
    epoch: int
    voters: Voters
    lower: tuple[int, ...]  # how many options each beats at least, at the level of a winner
    upper: tuple[int, ...]  # how many options each beats at most, at the level of a loser
    choice: tuple[int, ...]  # which to take: these beat most, by what is proved and what is likely
    offered: int | None = None  # how many options there were in its epoch; None: all of these
    cases: int | None = None  # test cases that judges vote on; None: other voters
    judges: tuple[str, ...] = ()  # whose votes count there
    clusters: tuple[int, int, str] | None = None  # if the cases come in any: as in Clusters
    surety: ClassVar[tuple[str, str, str]] = ("proved", "is proved", "are proved")
    electorates: ClassVar[tuple[str, ...]] = get_args(Voters)
    fixed: ClassVar[tuple[str, ...]] = (
        *("labels", "delta", "margin", "voters", "cases", "judges", "clusters", "goal"),
    )
    columns: ClassVar[tuple[str, ...]] = ("left", "right", "outcome")

    @property
    def statement(self) -> str:
        """What is proved, in a sentence."""
        said = (
            f"after {format_count(self.votes, 'vote')}, {self.claims.statement} ({self.proviso})."
        )
        beginning = self.terms.sample.beginning
        return f"{beginning}{said}" if beginning else capital(said)

    @property
    def advice(self) -> str:
        """Which option to take, in a sentence; empty if that is obvious."""
        if not self.choice or self.margin == 0:
            return ""
        return advice_of(self.choice, self.best, self.labels)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the votes must be like for the statement to hold."""
        options = "active options alone, as if there were no others"
        return (
            *self.terms.sample.assumptions,
            "Which option is shown first is drawn at random, or makes no difference.",
            f"Delta, the margin{self.claims.fixed} and what counts as a vote were fixed before the votes were seen, and no "
            "vote was left out because of its outcome. Where votes were undone, each claim holds with and without them.",
            *([] if self.epoch else ["No option was added after the first vote."]),
            f"The statement is about {'all options ever offered' if self.active is None else f'the {options}'}.",
        )

    @property
    def least(self) -> int:
        """How many options those proved best beat at least."""
        return min(self.lower[i] for i in self.best)

    @property
    def terms(self) -> Terms:
        """What was agreed on before the votes were seen."""
        return Terms(*attrgetter(*Terms._fields)(self))

    @property
    def scope(self) -> tuple[Any, ...]:
        """Of what it says something."""
        return self.epoch, self.offered, self.active

    @property
    def proviso(self) -> str:
        """How sure it is, in a few words."""
        # Undone votes may speak against it: then nothing is proved, though all cases are judged.
        said = bool(self.best) or self.decided
        return self.terms.sample.say_surety(self.delta, self.complete and said)

    @property
    def complete(self) -> bool:
        """Whether there are no more votes to come: of test cases, because all are judged."""
        return self.terms.sample.is_complete(self.votes, self.k * (self.k - 1) // 2)

    def state_winners(self) -> str:
        """Return who is best, as in a sentence."""
        names = quote_names(self.labels)
        among = len(self.among)
        scope = "" if self.active is None else f" among the {among} active options"
        up_to = f" up to a margin of {self.margin:g}" if self.margin > 0 else ""
        if self.verdict == "open":
            what = "no option is proved best" if self.beats or self.ties else "nothing is proved"
            left = join_names(list(map(names.__getitem__, self.possible)))
            left = "every option" if len(self.possible) == among else left
            yet = "" if self.complete else " yet"
            return f"{what}{scope}{up_to}{yet}; {left} could still be best"
        if self.verdict == "winner":
            claim = "is proved the only winner" if self.is_all and not up_to else "is proved best"
        else:
            claim = "are proved tied for first" if not up_to else "are each proved best"
        beats = "beats, or ties within the margin," if up_to else "beats"
        by = " by more than the margin" if up_to else ""
        alone = self.is_all and len(self.best) < among
        rivals = "no other option beats as many" if alone else "no option beats more"
        best, least = join_names(list(map(names.__getitem__, self.best))), self.least
        if least == 0:
            return f"{best} {claim}{scope}{up_to}: no option beats another{by}"
        how_many = f"at least {least} of the {among - 1} others"
        if least == among - 1:
            how_many = "the other" if among == 2 else "every other"
        return (
            f"{best} {claim}{scope}{up_to}: "
            f"{'it' if self.verdict == 'winner' else 'each'} {beats} {how_many}, and {rivals}{by}"
        )

    def find_share(self) -> float | None:
        """Return 1 if an option is proved best; how near the others are, the evidence tells."""
        return 1.0 if self.best else None

    def _require_fitting(self) -> None:
        super()._require_fitting()
        self.terms.check()
        check_labels(self.labels, self.k)

    def _has_scores(self) -> bool:
        return len(self.lower) == len(self.upper) == self.k

    def recount(self, votes: Iterator[FiledVote]) -> tuple[Ints, ...]:
        """Return wins and ties."""
        if self.clusters is not None:
            raise InvalidParameter(
                "the file does not say which cases hang together, and the certificate counts clusters of them; check it against "
                "the whole log, exported to a .jsonl file."
            )
        wins, ties = np.zeros((2, self.k, self.k), np.int64)
        counted = 0
        while counted < self.votes and (vote := next(votes, None)) is not None:
            vote.add_to(wins, ties)
            counted += vote.times * vote.counts
        return wins, ties

    def recheck(
        self,
        wins: ArrayLike,
        ties: ArrayLike | None = None,
        missing: ArrayLike | None = None,
        given: Given | None = None,
        clusters: ClusterVotes | None = None,
    ) -> tuple[str, ...]:
        """Make it again from these counts; return what does not hold, in sentences.

        No sentence means: these are the votes it was issued on, and they prove all that it says.
        """
        votes = votes_of(wins, ties, missing, given, clusters)
        terms = self.terms, self.active, self.labels
        return self._recheck(votes.digest, lambda: Certificate(**prove(votes, *terms)), "votes")


def advice_of(choice: Sequence[int], best: Sequence[int], names: Sequence[str]) -> str:
    """Return which option to take, by these names: with a margin, one proved best may lose to another."""
    taken = join_names([names[i] for i in choice])
    if len(choice) > 1:
        return f"Take any of {taken}: by the votes, none of them is ahead."
    beats = f"Take {taken}: by what is proved and what is likely, it beats the most others."
    if set(choice) <= set(best):
        return beats
    return f"{beats} That it is best up to the margin is not proved yet."


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
    missing: ArrayLike | None = None,
    given: Given | None = None,
    offered: int | None = None,
    cases: int | None = None,
    judges: Sequence[str] = (),
    goal: str = BEST,
    clusters: ClusterVotes | None = None,
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
    goal
        What it is to prove: who is ``"best"``; ``"top:3"``, three options such that no other beats more than any of them;
        ``"above:NAME"``, for each option whether it beats NAME; ``"tiers"``.
    clusters
        The same votes by clusters of test cases, if cases come in any (:func:`copeland.certificate.cluster_votes`): several runs of a
        task, questions about one document. Then clusters are what is drawn at random.

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
    kept = str(Goal.parse(goal))
    terms = Terms(delta, margin, epoch, voters, offered, cases, tuple(judges), kept)
    votes = votes_of(wins, ties, missing, given, clusters)
    return Certificate(**prove(votes, terms, active, labels))
