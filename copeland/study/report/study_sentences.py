"""The report of a live study in sentences, each with the counts that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from copeland.orders.rank import COLUMNS, Ranking
from copeland.study.log.events import BOTH_BAD, ERROR, LEFT, PAUSED, RETIRED, RIGHT, SKIP, TIE
from copeland.study.report.study_figures import SURENESS, WHOLE, Arrow
from copeland.study.results.agreement import flip_sentences
from copeland.study.results.analysis import Analysis
from copeland.study.results.history import Progress, is_unordered
from copeland.study.results.measures import LEAST
from copeland.study.results.standing import AHEAD, LIKELY, PROVED, Standing
from copeland.study.results.verdict import lead_sense
from copeland.support.goal import Goal
from copeland.support.judge_statistics import Position
from copeland.support.phrasing import format_count, join_names, percent

ORDER_KEY = (
    "A dot is the value by the votes so far, a bar where the true value may be; a bar that ends in an arrow goes on. Each band is a tier, "
    "with its number at the left: every option in it is told apart from every option in another. At the right are the ranks that an "
    "option may have. The order within a tier proves nothing."
)
NO_ORDER = "These votes came as counts, which have no order, so there is no curve over time."
OPTIONS_NOTE = (
    "Beats: how many others, so far; proved: the bar of the figure. Won: its "
    "share of all its votes, with a tie as half. Borda: the share of votes that it would win against another option drawn "
    "at random. Von Neumann: its share of the lottery that no option beats. "
)
RANKING_NOTE = (
    "Beats: how many others, so far; proved: where that number must be; rank: where the option may be in this order. "
    "Strength: by Bradley and Terry, the log-odds of winning are the difference of two "
    "strengths; an estimate. The order within a tier proves nothing."
)
KAPPA_NOTE = (
    "Kappa is 0 for voters who agree only as often as by chance, and 1 for voters who always "
    "agree. It compares answers on the same pair and item, whichever side the options were "
    "shown on."
)

_CIRCLES = 3  # groups of options that are told of
_MOVED = 3  # options whose places differ most


def notices(reading: Analysis) -> Iterator[str]:
    """Yield what a reader must know before all else."""
    standing = reading.standing
    if standing.closed:
        yield "The study is closed: it takes no more votes."
    by_state: dict[str, list[int]] = {RETIRED: [], PAUSED: []}
    for i, option in enumerate(standing.options):
        by_state.setdefault(option.state, []).append(i)
    gone, waiting = by_state[RETIRED], by_state[PAUSED]
    if gone:
        them = "it" if len(gone) == 1 else "them"
        covered = "leaves" if reading.certificate.active is not None else "covers"
        yield (
            f"Retired, so no longer asked about: {reading.join_names(gone)}. The verdict {covered} {them} "
            f"{'out' if covered == 'leaves' else 'too'}."
        )
    if waiting:
        yield f"Paused, so not asked about for now: {reading.join_names(waiting)}."


def outcomes_sentence(standing: Standing) -> str:
    """Return what voters said, and what of it counts."""
    said = standing.outcomes
    parts = [f"{said[LEFT] + said[RIGHT]:,} named a winner"]
    for number, words in (
        (said[TIE] - standing.flips, "said tie"),
        (standing.flips, "flipped with the sides and count as ties"),
        (said[BOTH_BAD], "said both are bad"),
        (said[SKIP], "skipped"),
        (said[ERROR], "failed"),
    ):
        if number:
            parts.append(f"{number:,} {words}")
    left_out = []
    for number, why in (
        (said[SKIP], "skip"),
        (said[ERROR], "error"),
        (said[BOTH_BAD] if standing.settings.both_bad == "drop" else 0, "“both bad”"),
        (standing.repeated, "repeat"),
    ):
        if number:
            left_out.append(f"{number:,} {why}" if "bad" in why else format_count(number, why))
    were = "was" if standing.undone == 1 else "were"
    undone = f" {standing.undone:,} more {were} undone." if standing.undone else ""
    without = f"; left out: {join_names(left_out)}" if left_out else ""
    return (
        f"Of {sum(said.values()):,} answers, {join_names(parts)}. "
        f"{standing.votes:,} count as votes{without}.{undone}"
    )


def score_sentences(reading: Analysis) -> Iterator[str]:
    """Yield who leads, and how to read the scores."""
    if not reading.leaders:
        return
    first, among = reading.order[0], list(reading.among)
    won = int(np.count_nonzero(reading.sure[first, among]))
    lost = int(np.count_nonzero(reading.sure[among, first]))
    even = reading.rivals - won - lost
    name, certificate = reading.names[first], reading.certificate
    low, high = certificate.scores[first]
    several = len(reading.leaders) > 1
    lead = f"{reading.join_names(reading.leaders)} lead together" if several else f"{name} leads"
    yield (
        f"{lead}{lead_sense(reading)}. So far {name} beats {won} of {format_count(reading.rivals, 'other')} and loses to {lost}"
        f"{f' ({even} even or without votes)' if even else ''}; its bar goes from {low} to {high}."
    )
    yield reading.kind.explain_bars(reading, first)


def cycle_sentences(reading: Analysis) -> Iterator[str]:
    """Yield which options beat each other in cycles, with the votes of each link."""
    if not reading.circles:
        yield reading.kind.no_cycle
    for circle in reading.circles[:_CIRCLES]:
        links = reading.links(circle)
        weakest = min(int(reading.sure[link]) for link in links)
        yield (
            f"{reading.join_names(circle)} beat each other in a cycle: "
            f"{join_names([win_words(reading, *link) for link in links], len(links))}. "
            f"{_CIRCLE_WORDS[weakest]}"
        )
    if len(reading.circles) > _CIRCLES:
        yield f"There are {len(reading.circles) - _CIRCLES} more cycles further down."


_CIRCLE_WORDS = {
    PROVED: "Every win is proved, and so is the cycle.",
    LIKELY: "Not every win is proved, but each is likely.",
    AHEAD: "Some of these wins are only narrow leads, so the cycle may be chance.",
}


def arrow_sentences(reading: Analysis, arrows: Iterable[Arrow]) -> Iterator[str]:
    """Yield the arrows of the graph, for those who do not see them."""
    for arrow in arrows:
        winner, loser = reading.names[arrow.winner], reading.names[arrow.loser]
        yield f"{winner} to {loser}: {SURENESS[arrow.sure]}."


def win_words(reading: Analysis, i: int, j: int) -> str:
    """Return that one option beats another, with the counts."""
    tied = f", {reading.standing.ties[i, j]:,} tied" if reading.standing.ties[i, j] else ""
    return (
        f"{reading.names[i]} beats {reading.names[j]} "
        f"({reading.standing.wins[i, j]:,} of {reading.n[i, j]:,} votes{tied}; "
        f"{SURENESS[int(reading.sure[i, j])]})"
    )


def graph_sentence(shown: int, k: int, aimed: bool = False) -> str:
    """Return what the graph shows, and what it leaves out; ``aimed``: of a goal beyond one winner."""
    some = (
        ""
        if shown == k
        else f"The picture shows {shown} of {k} options: the first that are not ruled out. "
    )
    fewer = (
        ""
        if shown <= WHOLE
        else " Drawn are the leader's arrows, cycles, and the surest arrow to each option."
    )
    return (
        f"{some}{'Filled: what the goal asks for' if aimed else 'Filled: proved best'}. "
        f"Light ring: {'not decided' if aimed else 'not ruled out'}. Grey ring: ruled out. "
        f"An arrow leads from the option that wins to the one that loses.{fewer}"
    )


def matrix_sentence(reading: Analysis) -> str:
    """Return how many pairs were voted on, and how many are decided."""
    proved, likely = int((reading.sure == PROVED).sum()), int((reading.sure == LIKELY).sum())
    others = reading.kind.count_close_pairs(reading.certificate, likely)
    met = np.count_nonzero(np.triu(reading.n))
    return (
        f"Pairs with votes: {met:,} of {reading.k * (reading.k - 1) // 2:,}. Proved one way or the other: "
        f"{proved:,}; {others}"
    )


def progress_sentences(reading: Analysis, progress: Sequence[Progress]) -> Iterator[str]:
    """Yield how far the proof has come, since when it holds, and who led when."""
    last = progress[-1]
    votes = format_count(last.votes, "vote")
    if last.best:
        yield (
            f"After {votes} the proof is complete: {format_count(last.best, 'option')} "
            f"proved best, {last.possible} of {last.options} not ruled out."
        )
    else:
        far = reading.kind.say_share(last.share)
        yield f"After {votes}, {last.possible} of {last.options} options could still be best{far}"
    if is_unordered(progress):
        yield NO_ORDER
        return
    first = find_first_proof(progress)
    if first is not None:
        before = 0
        for row in progress:
            before = max(before, row.votes) if row.votes < first else before
        when = f"at vote {first:,}"
        if first - before > 1:
            when = f"between votes {before + 1:,} and {first:,}"
        yield f"An option was first proved best {when}."
    led = list(filter(attrgetter("leader"), progress))
    changes = []  # of the lead
    for before, after in pairwise(led):
        if before.leader != after.leader:
            changes.append(after.votes)
    leader = reading.names[reading.standing.labels.index(led[-1].leader)]
    if not changes:
        yield f"{leader} led throughout."
        return
    yield (
        f"{leader} has led since vote {changes[-1]:,}. At the {len(led):,} moments looked at, the lead changed "
        f"{'once' if len(changes) == 1 else format_count(len(changes), 'time')}."
    )


def find_first_proof(progress: Sequence[Progress]) -> int | None:
    """Return the first number of votes looked at after which an option was proved best."""
    for row in progress:
        if row.best:
            return row.votes
    return None


def side_sentences(standing: Standing) -> Iterator[str]:
    """Yield whether the side on which an option is shown makes a difference, and which votes cannot tell."""
    position = standing.position
    more = "more " if position.left + position.right else ""
    if more or not (standing.sideless or standing.both_ways):
        yield from position_sentences(position)
    if standing.sideless:
        yield (
            f"{_votes(standing.sideless, more)} without sides, as counts or as a list of winners, so they cannot "
            "show a bias."
        )
    if standing.both_ways:
        yield (
            f"{_votes(standing.both_ways, more)} from ballots that a judge answered with the sides both ways, so no side "
            "could gain."
        )
    yield from flip_sentences(standing.swaps)


def _votes(number: int, more: str) -> str:
    return f"{number:,} {more}{'vote' if number == 1 else 'votes'} that named a winner came"


def position_sentences(position: Position) -> Iterator[str]:
    """Yield whether the left or the right side won more often than by chance."""
    n = position.left + position.right
    if n == 0:
        yield "No vote has named a winner yet."
        return
    yield (
        f"Of {n:,} votes that named a winner, {position.left:,} named the left option: "
        f"{percent(position.share, digits=1)}, with an interval of 95 % from {percent(position.low, digits=1)} to "
        f"{percent(position.high, digits=1)}."
    )
    if position.is_biased:
        side = "left" if position.share > 0.5 else "right"
        yield (
            f"That is a bias: the {side} side wins more often than by chance. Where sides are "
            "shuffled, no option gains, but each vote tells less."
        )
    else:
        yield "The interval includes 50 %, so there is no sign of a bias."


def counting_sentences(reading: Analysis) -> Iterator[str]:
    """Yield where Borda's count and von Neumann's lottery agree with Copeland's, and where not."""
    names = reading.names
    leaders, borda = reading.leaders, reading.borda_first
    if reading.chances is None:
        yield "Shares and lotteries use the votes as they are; a pair without votes counts as 1/2."
    else:
        yield (
            "Shares and lotteries are estimates: a pair with few votes is also judged by how its "
            "options do against others."
        )
    yield (
        f"Copeland counts how many others an option beats, and puts "
        f"{reading.join_names(leaders)} first{lead_sense(reading)}."
    )
    yield (
        f"Borda counts by how much options win, and puts {reading.join_names(borda)} first, with "
        f"{percent(float(reading.borda.max()), digits=1)} of the votes against another option drawn at random. "
        f"{_agreeing(set(leaders), set(borda), 'Borda')}"
    )
    chances = []
    for i in reading.lottery_support:
        chances.append(f"{names[i]} ({percent(float(reading.lottery[i]), digits=1)})")
    yield (
        f"Von Neumann's lottery, which no single option beats, draws {join_names(chances)}. "
        f"{_agreeing(set(leaders), set(reading.lottery_support), 'It')}"
    )
    if len(leaders) > 1 and len(set(leaders) & set(borda)) == 1:
        (pick,) = set(leaders) & set(borda)
        yield f"If you must take one of those tied by Copeland, Borda would take {names[pick]}."
    yield from _compare_places(reading)


def _agreeing(copeland: set[int], other: set[int], who: str) -> str:
    if copeland == other:
        return f"{who} agrees with Copeland."
    if copeland & other:
        return f"{who} partly agrees with Copeland."
    return f"{who} disagrees with Copeland."


def _compare_places(reading: Analysis) -> Iterator[str]:
    """The options whose places by Copeland and by Borda are far apart."""
    points, shares = reading.points, reading.borda
    copeland = (points[:, None] > points).sum(axis=0) + 1
    borda = (-shares[:, None] < -shares - LEAST).sum(axis=0) + 1
    far = np.abs(copeland - borda)
    moved = []
    for i in np.argsort(-far, kind="stable")[:_MOVED]:
        if far[i] >= max(2, reading.k // 4):
            places = f"number {copeland[i]} by Copeland and number {borda[i]} by Borda"
            moved.append(f"{reading.names[i]} is {places}")
    if moved:
        yield f"Farthest apart: {'; '.join(moved)}."


def note_omission(count: int, what: str, more: str = "") -> str:
    """Return how many things a part of the page does not show; nothing if it shows all.

    Examples
    --------
    >>> note_omission(2, "voter"), note_omission(0, "voter")
    ('2 more voters are not shown.', '')
    """
    if count <= 0:
        return ""
    named = what if count == 1 else f"{what}s"
    said = f"{count:,} more {named} {more}".strip()
    return f"{said} {'is' if count == 1 else 'are'} not shown."


# A ranking: how sure it is, and how it fits what is proved


def exactness_sentence(ranking: Ranking) -> str:
    """Return whether the intervals of a ranking are exact, or hold for many votes."""
    if ranking.delta is None:
        return "Intervals and tiers are exact: they hold whatever the missing answers say."
    return ranking.assumptions[0]


def proof_sentences(reading: Analysis, order: Ranking) -> Iterator[str]:
    """Yield why an order by estimates does not show what is proved; nothing where it does."""
    if order.by == "copeland":
        return
    by, found = f"By {COLUMNS[order.by]}", reading.certificate
    proved = _find_leaders(reading)
    if proved is not None:
        apart = _compare(reading, order, proved)
        if apart:
            yield f"{by} {apart}"
    goal = Goal.parse(found.goal)
    if goal.name:
        yield from (f"{by} {words}" for words in _compare_baseline(reading, order, goal))


class _Leaders(NamedTuple):
    """Options that are proved to come before all others."""

    options: Sequence[int]
    claim: str
    reason: str


def _find_leaders(reading: Analysis) -> _Leaders | None:
    """Who is proved best, or the best few."""
    found = reading.certificate
    by = " by more than the margin" if getattr(found, "margin", 0) else ""
    if found.top:
        reason = f"no other option beats more{by} than any of them"
        return _Leaders(found.top, f"proved the top {len(found.top)}", reason)
    if not found.best:
        return None
    if found.least == reading.rivals:
        who = "it" if len(found.best) == 1 else "each of them"
        others = "the other option" if reading.rivals == 1 else "every other option"
        reason = f"{who} beats{', or ties within the margin,' if by else ''} {others}"
    else:
        reason = f"no option beats {'more others' if found.least else 'another'}{by}"
    return _Leaders(found.best, "proved best", reason)


def _compare(reading: Analysis, order: Ranking, proved: _Leaders) -> str:
    """Whom an order puts before these, or does not tell apart from them; nothing if it shows them first."""
    labels = reading.standing.labels
    names = dict(zip(labels, reading.names, strict=True))
    first, number = {labels[i] for i in proved.options}, len(proved.options)
    who, single = reading.join_names(proved.options), number == 1
    others = [n for n, place in enumerate(order.places) if place.name not in first]
    behind = [p.name for p in order.places[others[0] :] if p.name in first] if others else []
    if behind:
        ahead = names[order.places[others[0]].name]
        before = "first" if len(behind) == number else f"before {_join(names, behind)}"
        return f"{ahead} comes {before}; {who} {'is' if single else 'are'} {proved.claim} because {proved.reason}."
    if all(place.last <= number for place in order.places[:number]):
        return ""
    near = [place.name for place in order.places[number:] if place.first <= number]
    rest = _join(names, near) if near else "all others"
    lead = "comes first, but is" if single else "are"
    them = "it is" if single else "they are"
    return (
        f"{who} {lead} not told apart from {rest}; {them} {proved.claim} because {proved.reason}."
    )


def _compare_baseline(reading: Analysis, order: Ranking, goal: Goal) -> Iterator[str]:
    """Who is on the wrong side of the baseline."""
    found, labels = reading.certificate, reading.standing.labels
    places = {place.name: n for n, place in enumerate(order.places)}
    if goal.name not in places:
        return
    base = reading.names[labels.index(goal.name)]
    for options, sign, where, claim, does in (
        (found.above, 1, "after", "better", ("beats", "beat")),
        (found.below, -1, "before", "worse", ("loses to", "lose to")),
    ):
        odd = [i for i in options if sign * (places[labels[i]] - places[goal.name]) > 0]
        if odd:
            come, them = ("comes", "it is") if len(odd) == 1 else ("come", "they are")
            they = f"{'it' if len(odd) == 1 else 'they'} {does[len(odd) > 1]}"
            who = reading.join_names(odd)
            yield f"{who} {come} {where} {base}; {them} proved {claim} because {they} {base}."


def _join(names: dict[str, str], options: Sequence[str]) -> str:
    return join_names([names[name] for name in options])
