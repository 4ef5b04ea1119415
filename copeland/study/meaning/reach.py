"""What is within reach of the voters: where people vote, each of them has one vote a pair."""

from __future__ import annotations

import math
from typing import NamedTuple

from copeland.forecast.outlook import Outlook
from copeland.forecast.races import PLANNED, Forecast
from copeland.study.meaning.panel_plan import questions_sentence
from copeland.study.meaning.standing import Standing
from copeland.study.record.events import SKIP
from copeland.study.record.options import ACTIVE
from copeland.study.record.settings import Settings
from copeland.words import about, counted


class Reach(NamedTuple):
    """How far the votes of people go."""

    pairs: int  # that a person can be asked
    exhausted: bool  # whether every voter so far has met every pair
    people: (
        int | None
    )  # about how many more it takes, at least; None if no number of them settles it


def reach_of(standing: Standing, outlook: Outlook) -> Reach | None:
    """Return how far people's votes go; None where every vote is a fresh draw."""
    if not standing.settings.dependent:
        return None
    pairs = votes_each(standing.settings, sum(o.state == ACTIVE for o in standing.options))
    people = None if outlook.votes is None else _more_people(standing, outlook)
    return Reach(pairs, is_exhausted(standing), people)


def is_exhausted(standing: Standing) -> bool:
    """Tell whether nobody known can be asked anything: each has answered, or skipped, every pair."""
    pairs = votes_each(standing.settings, sum(o.state == ACTIVE for o in standing.options))
    met = [voter.votes + voter.outcomes[SKIP] for voter in standing.voters]
    return standing.settings.dependent and bool(met) and min(met) >= pairs


def reach_sentence(reach: Reach) -> str:
    """Return who or what is missing, in a sentence; empty if votes of the people so far may do."""
    if not reach.people:
        return ""
    people = _people(reach.people)
    if reach.exhausted:
        return f"Every voter so far has answered every pair; about {people} would settle it."
    return f"That takes about {people} at least, as each has one vote a pair."


def plan_sentence(plan: Forecast, settings: Settings) -> str:
    """Return how many people the votes of a plan take, in a sentence; empty if these are fresh draws."""
    if not settings.dependent:
        return ""
    votes, pairs = plan.way(PLANNED).quantile(0.5), votes_each(settings, plan.options)
    if votes is None:
        return ""
    return (
        f"A person has one vote a pair, {counted(pairs, 'vote')} in all: half of the worlds take at least "
        f"about {_people(math.ceil(votes / pairs))}."
    )


def who_votes(settings: Settings, k: int) -> str:
    """Return who votes and what that assumes, in a sentence."""
    if settings.panel:
        members = counted(len(settings.panel), "member")
        return f"The panel's {members} are the whole electorate. {questions_sentence(len(settings.panel), k)}"
    if settings.dependent:
        return (
            f"People vote, each once on a pair, so one person gives {counted(votes_each(settings, k), 'vote')} "
            f"at most{', all drawn before the first answer' if settings.batch else ''}; "
            "what is proved is about the population they come from."
        )
    return (
        "Each vote counts as a fresh draw. If one person answers many times, the votes prove less than the "
        "certificate says."
    )


def votes_each(settings: Settings, k: int) -> int:
    """Return how many votes a person can give: one a pair, and no more than are dealt."""
    return min(_pairs(k), settings.batch or _pairs(k))


def _more_people(standing: Standing, outlook: Outlook) -> int:
    """About how many more people the needed votes take: those known who have not met a pair still can."""
    n = standing.wins + standing.wins.T + standing.ties
    known = len(standing.voters)
    missing = [
        need.votes - max(known - int(n[need.first, need.second]), 0) for need in outlook.pairs
    ]
    return max([0, *missing])


def _pairs(k: int) -> int:
    return k * (k - 1) // 2


def _people(number: int) -> str:
    return "1 more person" if number == 1 else f"{about(number)} more people"
