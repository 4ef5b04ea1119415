"""The verdict on a study in words: a winner, a tied set, or keep going, and what would settle it.

What is *proved* comes from the certificate alone and is wrong with probability delta at most. What only
*shows* in the votes, and what is estimated, is said to be so. docs/verdicts.md explains each sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from copeland import winners
from copeland.certificate import Certificate
from copeland.matrix import PreferenceMatrix
from copeland.study.chances import MOST_OPTIONS, Chances, chances_of
from copeland.study.options import ACTIVE
from copeland.study.outlook import Need, Outlook, outlook_of
from copeland.study.standing import Standing
from copeland.study.words import LISTED, NAME, about, counted, listed, percent, shortened

PAIRS = 5  # to ask, named in a sentence
STANDS_OUT = 1.0  # standard deviations by which a win of a circle leads
LONGEST = 6  # options in a circle that is looked for
UNLIKELY = 0.05  # a chance to be best with which an option is out, as far as the votes tell
LEAST = 0.01  # a difference in shares, or a share of a lottery, that is worth naming


@dataclass(frozen=True)
class Verdict:
    """What to tell people who wait for an answer; made by :func:`verdict_of`."""

    kind: Literal["winner", "tied", "open"]
    claim: str
    proved: tuple[str, ...]  # wrong with probability delta at most
    shown: tuple[str, ...]  # by the votes as they are, and estimates
    advice: tuple[str, ...]  # what would settle it
    assumptions: tuple[str, ...]  # what the proof rests on
    chances: (
        tuple[float, ...] | None
    )  # of each option to be best, estimated; None if there are too many

    @property
    def sentences(self) -> tuple[str, ...]:
        """All but the assumptions, the claim first."""
        return (self.claim, *self.proved, *self.shown, *self.advice)


def verdict_of(standing: Standing, outlook: Outlook | None = None) -> Verdict:
    """Return the verdict on a study, as of its last vote.

    Parameters
    ----------
    outlook
        What :func:`copeland.study.outlook.outlook_of` gives, if it is known already.

    Examples
    --------
    >>> from copeland.study import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> _ = study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 10)
    >>> verdict_of(study.standing()).claim
    'green is proved the only winner.'
    """
    votes = _Votes(standing)
    certificate = standing.certificate
    decided = certificate.verdict != "open"
    return Verdict(
        kind=certificate.verdict,
        claim=_decided(votes) if decided else _undecided(votes),
        proved=tuple(_proved(votes)),
        shown=tuple(_shown(votes)),
        advice=() if decided else tuple(_advice(votes, outlook or outlook_of(standing))),
        assumptions=certificate.assumptions,
        chances=votes.chances.each if votes.chances else None,
    )


class _Votes:
    """The votes as they are, and who leads by them."""

    def __init__(self, standing: Standing):
        self.standing = standing
        self.certificate: Certificate = standing.certificate
        self.names = shortened(standing.labels, NAME)
        self.points = standing.wins + standing.ties / 2

    @cached_property
    def matrix(self) -> PreferenceMatrix:
        """Shares of votes; a pair never voted on is even."""
        n = self.points + self.points.T
        shares = np.divide(self.points, n, out=np.full(n.shape, 0.5), where=n > 0)
        return PreferenceMatrix(_antisymmetric(shares))

    @cached_property
    def leaders(self) -> tuple[int, ...]:
        """Who is proved best; before that, who beats the most others by the votes as they are."""
        if self.certificate.best:
            return self.certificate.best
        if self.standing.votes == 0:
            return ()
        return tuple(winners.copeland_winners(self.matrix, ties=0.5).tolist())

    @cached_property
    def circle(self) -> tuple[int, ...]:
        """Options that beat each other in a circle, a leader among them and as many as can be; or none.

        Only wins that stand out count: in a circle of 2:1s there is nothing to see.
        """
        if not self.leaders or len(self.names) > MOST_OPTIONS:
            return ()
        wins = self.standing.wins
        clear = wins - wins.T >= STANDS_OUT * np.sqrt(
            wins + wins.T + 4
        )  # 4: that 1:0 is nothing yet
        seen = PreferenceMatrix(_antisymmetric(0.5 + (clear * 0.5 - clear.T * 0.5)))
        leading = set(self.leaders)
        length = min(max(len(leading), 3), LONGEST)
        found = winners.cycles(seen, among=leading, longest=length) if len(leading) > 2 else []
        found = found or winners.cycles(seen, longest=length)
        most = max(found, key=lambda circle: len(leading & set(circle)), default=())
        return most if leading & set(most) else ()

    @cached_property
    def chances(self) -> Chances | None:
        """How likely each option is to be best; None if they are too many to tell in passing."""
        if len(self.names) > MOST_OPTIONS:
            return None
        return chances_of(self.standing, self.leaders)

    @property
    def in_circle(self) -> bool:
        """Whether the leaders are several, and the circle is theirs."""
        return len(self.leaders) > 1 and set(self.circle) == set(self.leaders)

    def name(self, options: Sequence[int]) -> str:
        """Return options by name, as in a sentence."""
        return listed([self.names[i] for i in options])

    def short(self, label: str) -> str:
        """Return the name of an option as it stands in sentences."""
        return self.names[self.standing.labels.index(label)]

    def against(self, need: Need) -> str:
        """Return a pair to ask by name."""
        return f"{self.short(need.first)} against {self.short(need.second)}"

    def score(self, i: int, j: int) -> str:
        """Return the votes of one option against another."""
        tied = self.standing.ties[i, j]
        return f"{self.standing.wins[i, j]:,}:{self.standing.wins[j, i]:,}" + (
            f", {tied:,} tied" if tied else ""
        )


def _decided(votes: _Votes) -> str:
    """What is proved, in a few words."""
    found = votes.certificate
    name = votes.name(found.best)
    up_to = f" up to a margin of {found.margin:g}" if found.margin else ""
    if up_to:
        are = "is" if found.verdict == "winner" else "are each"
        return f"{name} {are} proved best{up_to}. {_advised(votes)}"
    if found.verdict == "winner":
        return f"{name} is proved {'the only winner' if found.is_all else 'best'}."
    return f"{name} are proved tied for first{', in a cycle' if votes.in_circle else ''}."


def _advised(votes: _Votes) -> str:
    """Which option to take: with a margin, one that is proved best may lose to another."""
    found = votes.certificate
    if len(found.choice) > 1:
        return f"Take any of {votes.name(found.choice)}: by the votes, none of them is ahead."
    beats = f"Take {votes.name(found.choice)}: by what is proved and what is likely, it beats the most others"
    if set(found.choice) <= set(found.best):
        return f"{beats}."
    return f"{beats}. That it is best up to the margin is not proved yet."


def _undecided(votes: _Votes) -> str:
    """Who leads, in a few words."""
    if votes.standing.votes == 0:
        return "There are no votes yet: every option may be best."
    first = votes.name(votes.leaders)
    lead = f"{first} leads" if len(votes.leaders) == 1 else f"{first} are tied for first"
    cycle = ", in a cycle" if votes.in_circle else ""
    if votes.standing.closed:
        return f"{lead}{cycle}; the study was closed before any option was proved best."
    return f"{lead} so far{cycle}. Keep going: no option is proved best yet."


def _proved(votes: _Votes) -> Iterator[str]:
    found, standing = votes.certificate, votes.standing
    yield found.statement
    best = set(found.best)
    others = [i for i in found.possible if i not in best]
    out = [i for i in range(found.k) if i not in found.possible]
    them = "it" if found.verdict == "winner" else "them"
    if others and best:
        are = "are" if len(others) > 1 else "is"
        what = "best up to the margin too" if found.margin else f"tied with {them}"
        yield f"Whether {votes.name(others)} {are} {what} is not proved."
    if found.margin and out:
        yield (
            f"Ruled out: {votes.name(out)}. Some option beats more others by more than the margin than "
            f"{'it' if len(out) == 1 else 'each of them'} beats or ties (error probability "
            f"{found.delta:g} for all pairs together)."
        )
    elif out and best and not others and not found.is_all:
        yield (
            f"Ruled out, each taken by itself: {votes.name(out)}. That none of all the others is tied with "
            f"{them} takes a little more evidence."
        )
    elif out:
        yield f"Ruled out: {votes.name(out)}."
    close = [pair for pair in found.ties if not best or best.issuperset(pair)]
    if close:
        pairs = listed([f"{votes.names[i]} and {votes.names[j]}" for i, j in close])
        yield f"Within the margin of {found.margin:g}, these are proved tied: {pairs}."
    gone = [i for i in found.best if standing.options[i].state != ACTIVE]
    if gone:
        states = listed([f"{votes.names[i]} is {standing.options[i].state}" for i in gone])
        yield f"{states}; the verdict is about all options ever offered."


def _shown(votes: _Votes) -> Iterator[str]:
    if votes.standing.votes == 0:
        return
    is_open = votes.certificate.verdict == "open"
    if is_open:
        yield from _leading(votes)
    if votes.circle:
        yield _circle(votes)
    if is_open:
        yield from _behind(votes)
    if votes.chances is not None:
        if is_open:
            yield _sureness(votes, votes.chances)
        yield from _other_counts(votes, votes.chances)


def _leading(votes: _Votes) -> Iterator[str]:
    beats = votes.matrix.p > 0.5
    won = {int(beats[i].sum()) for i in votes.leaders}
    if len(won) > 1:
        return
    first, others = votes.leaders[0], len(votes.names) - 1
    even = int((votes.matrix.p[first] == 0.5).sum()) - 1
    besides = f" ({counted(even, 'pair')} even or without votes)" if even else ""
    beat = "beats" if len(votes.leaders) == 1 else "each beat"
    many = won.pop()
    whom = f"{many} of the {counted(others, 'other')}" if many < others else "every other"
    yield (
        f"By the votes as they are, {votes.name(votes.leaders)} {beat} {whom}{besides}, and no option "
        "beats more."
    )


def _circle(votes: _Votes) -> str:
    """The circle, with the votes of each link and whether it is proved."""
    links = list(zip(votes.circle, (*votes.circle[1:], votes.circle[0]), strict=True))
    told = listed(
        [f"{votes.names[i]} beats {votes.names[j]} ({votes.score(i, j)})" for i, j in links]
    )
    delta = votes.certificate.delta
    proved = [link for link in links if link in set(votes.certificate.beats)]
    if len(proved) == len(links):
        sure = f"Each of these wins is proved (error probability {delta:g} for all pairs together)"
    elif proved:
        sure = "Proved " + ("is " if len(proved) == 1 else "are ")
        sure += listed([f"{votes.names[i]} over {votes.names[j]}" for i, j in proved])
        sure += ", not the rest"
    else:
        sure = "None of these wins is proved yet"
    return f"In a circle, {told}. {sure}."


def _behind(votes: _Votes) -> Iterator[str]:
    """Who is not among the leaders, though not ruled out."""
    rest = [i for i in votes.certificate.possible if i not in votes.leaders]
    chances = votes.chances.each if votes.chances else [1.0] * len(votes.names)
    out = [i for i in rest if chances[i] < UNLIKELY]
    behind = [i for i in rest if i not in out]
    if out:
        are = "is" if len(out) == 1 else "are"
        yield f"{votes.name(out)} {are} out, as far as the votes tell; that is not proved yet."
    if behind:
        yield f"Behind, but still possible: {votes.name(behind)}."


def _sureness(votes: _Votes, chances: Chances) -> str:
    """How likely each option is to be best."""
    order = sorted(range(len(votes.names)), key=lambda i: (-round(chances.each[i], 2), i))
    worth = [i for i in order if chances.each[i] >= LEAST or len(order) <= LISTED][:LISTED]
    told = [f"{votes.names[i]} {percent(chances.each[i])}" for i in worth]
    if len(worth) < len(order):
        most = chances.each[order[len(worth)]]
        least = "under 1 %" if most < LEAST else f"{percent(most)} at most"
        told.append(f"{counted(len(order) - len(worth), 'other')} {least}")
    exactly = (
        f"; that {votes.name(votes.leaders)} are exactly the best, {percent(chances.together)}"
        if len(votes.leaders) > 1
        else ""
    )
    return (
        f"How sure that is: chances to be best are {listed(told, len(told))}{exactly} (an estimate from "
        f"{chances.worlds:,} worlds that the votes leave plausible, not a proof)."
    )


def _other_counts(votes: _Votes, chances: Chances) -> Iterator[str]:
    """Where Borda and von Neumann name others, by what is believed of all pairs."""
    leading = set(votes.leaders)
    believed = PreferenceMatrix(_antisymmetric(chances.mean))
    shares = winners.borda_scores(believed) / (len(votes.names) - 1)
    borda = int(shares.argmax())
    if shares[borda] > max(shares[i] for i in leading) + LEAST:
        yield (
            f"Borda, which counts by how much, would name {votes.names[borda]} instead: it has an "
            f"estimated {percent(float(shares[borda]))} of the votes against a random other."
        )
    lottery = winners.von_neumann(believed).tolist()
    played = [i for i in np.argsort(lottery).tolist()[::-1] if lottery[i] > LEAST]
    if not leading.issuperset(played):
        told = [f"{votes.names[i]} ({percent(lottery[i])})" for i in played]
        yield (
            "Von Neumann's lottery, which no single option beats, would draw an estimated "
            f"{listed(told)}."
        )


def _antisymmetric(p: NDArray[np.floating]) -> NDArray[np.floating]:
    """The matrix with p_ji = 1 - p_ij to the last bit."""
    above = np.triu(p, 1)
    return above + np.tril(1 - above.T, -1) + np.eye(len(p)) / 2


def _advice(votes: _Votes, outlook: Outlook) -> Iterator[str]:
    if votes.standing.closed or outlook.champion is None:
        return
    if outlook.votes is None:
        pairs = listed([votes.against(need) for need in outlook.pairs], PAIRS)
        yield (
            f"To prove {votes.short(outlook.champion)} best takes votes on {pairs}, which cannot be "
            "asked because an option is paused or retired; resume it, or certify the active options alone."
        )
    elif votes.standing.votes == 0:
        yield "How many votes it takes depends on how far apart the options are: simulate it with a plan."
    else:
        asked = [f"{votes.against(need)} (about {about(need.votes)})" for need in outlook.pairs]
        yield (
            f"What would settle it: to prove {votes.short(outlook.champion)} best, about "
            f"{about(outlook.votes)} more votes, on {listed(asked, PAIRS)}."
        )
