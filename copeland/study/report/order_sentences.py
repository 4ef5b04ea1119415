"""A ranking on the page of a study, in sentences: how sure it is, and how it fits what is proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from copeland.orders.rank import COLUMNS, Ranking
from copeland.study.results.analysis import Analysis
from copeland.support.goal import Goal
from copeland.support.phrasing import join_names

ORDER_KEY = (
    "A dot is the value by the votes so far, a bar where the true value may be; a bar that ends in an arrow goes on. Each band is a tier, "
    "with its number at the left: every option in it is told apart from every option in another. At the right are the ranks that an "
    "option may have. The order within a tier proves nothing."
)


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
