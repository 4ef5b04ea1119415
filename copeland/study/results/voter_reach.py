"""How far votes go: of people, who have one a pair; of a panel; and of judges, who have one a pair and case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter
from copeland.forecast.forecast import Forecast, ForecastRange, forecast_of
from copeland.forecast.outlook import Need, Outlook, Remaining, outlook_of, remaining_of
from copeland.forecast.panel_forecast import new_panel_remaining, panel_forecast
from copeland.forecast.prospects import Prospect
from copeland.forecast.races import Voters, room_of
from copeland.forecast.start import PROOF, Until
from copeland.study.options import ACTIVE
from copeland.study.results.standing import Standing
from copeland.study.settings import Settings
from copeland.support.goal import BEST
from copeland.support.phrasing import about, format_count, percent


def panel_plan(
    standing: Standing,
    worlds: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Forecast:
    """Return how many more answers it may take until the goal is settled for the active options."""
    assert standing.panel is not None
    among = [i for i, option in enumerate(standing.options) if option.state == ACTIVE]
    if len(among) < 2:
        raise InvalidParameter("fewer than 2 options are active, so there is nothing to ask.")
    cut = np.ix_(among, among)
    silent = standing.panel.silent[np.ix_(range(len(standing.panel.members)), among, among)]
    aim = standing.settings.goal, [standing.labels[i] for i in among]
    counts = standing.wins[cut], standing.ties[cut]
    return panel_forecast(*counts, silent, worlds, seed, progress, aim=aim)


def answers_words(found: ForecastRange, members: int) -> str:
    """Return how many answers a panel takes in all, and of each member.

    Examples
    --------
    >>> answers_words(ForecastRange(41, 54, 96, 330), 5)
    'about 54 answers in all, about 11 each (about 41 to 96 in four of five cases)'
    """
    middle = found.most if found.middle is None else found.middle
    each = -(-middle // members)
    return (
        f"about {about(middle)} answers in all, about {about(each)} each "
        f"({found.words} in four of five cases)"
    )


def questions_sentence(members: int, k: int) -> str:
    """Return how many questions a panel takes: about, at least and at most, in a sentence."""
    # One option beats all others but one, and does not lose to that.
    fewest = (k - 2) * (members // 2 + 1) + (members + 1) // 2
    most = k * (k - 1) // 2 * members
    return (
        f"It takes {answers_words(new_panel_remaining(members, k), members)}; at least {fewest:,}, and at most "
        f"{most:,}: one for each member and pair."
    )


def prospect_sentence(found: Prospect) -> str:
    """Return what so many voters can prove, and what else they could do."""
    have = f"they have {format_count(found.votes, 'vote')} in all, {found.people:,} per pair"
    if not found.possible:
        fewest = format_count(found.fewest, "voter")
        proof = f"is out of reach: {have}, and even if all agree it takes {fewest}"
    elif not found.settled:
        proof = f"is possible, but none of the plausible worlds tried was settled: {have}"
    else:
        proof = f"is within reach in {percent(found.settled)} of plausible worlds: {have}"
    panel = ""
    if found.panel is not None:
        answers = answers_words(found.panel, found.people)
        panel = f" As a panel, where only they count, they would need {answers}."
    return (
        f"With {format_count(found.people, 'voter')} and {format_count(found.options, 'option')} a proof at {found.delta:g} "
        f"{proof}.{panel} A proof about the population they come from takes {people_words(found.population)}."
    )


def people_words(found: ForecastRange) -> str:
    """Return how many people a proof takes, in four of five cases and in half of them.

    Examples
    --------
    >>> people_words(ForecastRange(120, 450, None, 5000))
    'about 120 to over 5,000 people in four of five cases, and about 450 in half of them'
    """
    half = f"over {about(found.most)}" if found.middle is None else f"about {about(found.middle)}"
    return f"{found.words} people in four of five cases, and {half} in half of them"


def half_words(found: ForecastRange) -> str:
    """Return what half of the cases take, to follow a range; nothing where the range is one number.

    Examples
    --------
    >>> half_words(ForecastRange(280, 2_400, 19_000, 20_000)), half_words(ForecastRange(280, None, None, 900))
    ('; half the time, about 2,400 are enough', '; half the time, it takes over 900')
    >>> half_words(ForecastRange(5, 5, 5, 900))
    ''
    """
    if found.low is None or (found.high is not None and about(found.low) == about(found.high)):
        return ""
    if found.middle is None:
        return f"; half the time, it takes over {about(found.most)}"
    return f"; half the time, about {about(found.middle)} are enough"


class Reach(NamedTuple):
    """How far the votes of people go."""

    pairs: int  # that a person can be asked
    exhausted: bool  # whether every voter so far has met every pair
    people: (
        ForecastRange | None
    )  # how many more it takes; None if one is proved, or no number of them settles it
    voters: int = 0  # so far
    left: int = 0  # votes that these can still give

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return self._asdict() | {"people": None if self.people is None else self.people.to_dict()}


def remaining_in(standing: Standing) -> Remaining | None:
    """Return what it may still take to prove an option best; None if one is, or if it cannot be asked."""
    settings = standing.settings
    each = votes_each(settings, len(standing.active)) if settings.people else None
    # Where all is dealt at the arrival, those who were here get no further pairs.
    dealt = len(standing.voters) if settings.people else None
    return remaining_of(standing.start, each, dealt)


def reach_of(standing: Standing, remaining: Remaining | None) -> Reach | None:
    """Return how far people's votes go; None where every vote is a fresh draw."""
    if not standing.settings.people:
        return None
    pairs, voters = votes_each(standing.settings, len(standing.active)), standing.voters
    in_all = None if remaining is None else remaining.people
    people = None if in_all is None else in_all.beyond(len(voters))
    return Reach(pairs, is_exhausted(standing), people, len(voters), standing.unanswered)


def is_exhausted(standing: Standing) -> bool:
    """Tell whether nobody known can be asked anything: each has answered, or skipped, every pair."""
    return bool(standing.settings.people and standing.voters and not standing.unanswered)


def plan_of(
    standing: Standing,
    people: int | None,
    worlds: int | None,
    most: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
    goal: Until,
) -> Forecast:
    """Return how many more votes it may take, and what voters can settle who have met so much already."""
    start = standing.start
    if outlook_of(start).votes is None:
        raise InvalidParameter(
            "nothing can be proved while options that the proof needs are paused; resume or retire them, or see "
            "what certify --active says."
        )
    each = votes_each(standing.settings, len(standing.active))
    voters = None
    if start.people:
        # Those known answer what they were dealt, and others come anew.
        known = len(standing.voters)
        new = max((people or 0) - known, 0)
        room = room_of(start, new, np.zeros_like(start.wins))
        left = min(int(room.sum()) // 2, new * each) + standing.unanswered
        voters = Voters(known + new, room, left, each, dealt=known)
    return forecast_of(start, worlds, most, seed, progress, goal, voters)


def reach_sentence(reach: Reach) -> str:
    """Return who or what is missing, in a sentence; empty if votes of the people so far may do."""
    if reach.people is None or reach.people.high == 0:
        return ""
    one = reach.people.high == 1
    people = "1 more person" if one else f"{reach.people.words} more people"
    if reach.exhausted:
        return f"Every voter so far has answered all their pairs; {people} would settle it."
    so_far = "voter so far has" if reach.voters == 1 else f"{reach.voters:,} voters so far have"
    left = f"; the {so_far} {format_count(reach.left, 'vote')} left in all" if reach.voters else ""
    return f"That takes {people}, as each can be asked {format_count(reach.pairs, 'pair')}{left}."


def plan_sentence(plan: Forecast, settings: Settings) -> str:
    """Return what people can settle: those so far, and how many it takes; empty if votes are fresh draws."""
    if plan.people is None:
        return ""
    pairs, within, so_far = votes_each(settings, plan.options), plan.within, ""
    if within is not None:
        enough = f"is enough in {within.settled:,} of {format_count(len(within.votes), 'world')}"
        if plan.goal == PROOF and not within.possible:
            enough = "can prove nothing, whatever they answer"
        so_far = f"{format_count(within.voters, 'voter')} can give {format_count(within.left, 'vote')} more, which {enough}; "
    return (
        f"A person has one vote per pair, {format_count(pairs, 'vote')} in all: {so_far}with as many people as needed, it "
        f"takes {people_words(plan.people.range)}, those so far included."
    )


def who_votes(settings: Settings, k: int) -> str:
    """Return who votes and what that assumes, in a sentence."""
    if settings.panel:
        members = len(settings.panel)
        return f"The panel's {format_count(members, 'member')} are the whole electorate. {questions_sentence(members, k)}"
    if settings.people:
        return (
            f"People vote. Each is dealt {format_count(votes_each(settings, k), 'pair')}"
            " before the first answer; what is proved is about the population they come from."
        )
    if not settings.cases:
        return (
            "Each vote counts as a fresh draw. If one person answers many times, the votes prove less than the "
            "certificate says."
        )
    votes = format_count(settings.cases * _pairs(k), "vote")
    if settings.cases == 1:
        return (
            f"Judges compare each pair once, {votes} at most; what is proved is their preference."
        )
    like = "these cases" if settings.finite else "cases like these, of which they are a sample"
    return (
        f"Judges compare each pair once on each of {format_count(settings.cases, 'case')}, {votes} at most; what is proved is "
        f"their preference on {like}."
    )


def votes_each(settings: Settings, k: int) -> int:
    """Return how many votes a person can give: one a pair, and no more than are dealt."""
    return min(_pairs(k), settings.batch or _pairs(k))


def _pairs(k: int) -> int:
    return k * (k - 1) // 2


def votes_left(standing: Standing) -> NDArray[np.int64]:
    """Return how many cases are left for each pair; none for options that are not asked."""
    left = standing.settings.cases - (standing.wins + standing.wins.T + standing.ties)
    np.fill_diagonal(left, 0)
    active = np.array([option.state == ACTIVE for option in standing.options])
    return np.where(active[:, None] & active, left, 0)


def is_judged(standing: Standing) -> bool:
    """Tell whether all cases are judged, of all pairs that are asked."""
    return standing.settings.cases > 0 and not votes_left(standing).any()


def outlook_on_cases(standing: Standing) -> Outlook:
    """Return what would settle it, of the votes that there are."""
    found = outlook_of(standing.start)
    if found.votes is None:
        return found
    left = votes_left(standing)
    needs = [Need(i, j, min(votes, int(left[i, j]))) for i, j, votes in found.pairs]
    pairs = tuple(need for need in needs if need.votes)
    return Outlook(found.champion, pairs, sum(need.votes for need in pairs))


def more_cases(standing: Standing) -> int:
    """Return about how many more cases a proof on cases like these would take."""
    left = votes_left(standing)
    found = outlook_of(standing.start)
    return max((votes - int(left[i, j]) for i, j, votes in found.pairs), default=0)


def are_too_few(standing: Standing, outlook: Outlook) -> bool:
    """Tell whether the votes that there are do not settle it, as far as anybody can tell."""
    if outlook.votes is None:  # of options that are not asked
        return False
    return not outlook.votes or (standing.settings.finite is None and more_cases(standing) > 0)


def name_aim(goal: str) -> str:
    """Return what votes are to prove, as in "they do not prove ..."."""
    return "which option is best" if goal == BEST else "all that the goal asks for"


def case_advice(standing: Standing) -> Iterator[str]:
    """Yield what more cases would do, in sentences."""
    settings = standing.settings
    n = format_count(settings.cases, "case")
    if settings.finite is not None:
        if not is_judged(standing) and settings.cases > 1:
            yield f"When all {n} are judged, the verdict is exact."
        return
    more = more_cases(standing)
    would = f"about {about(more)} more cases would" if more > 0 else "a few more may"
    if is_judged(standing):
        yield f"All {n} are judged. They do not prove {name_aim(settings.goal)} on cases like these; {would}."
    elif more > 0:
        yield f"These {n} may not be enough to prove {name_aim(settings.goal)} on cases like these; {would}."


def refuse_for_cases(standing: Standing) -> NoReturn:
    """Refuse to forecast votes that there are none of."""
    left = int(votes_left(standing).sum()) // 2
    raise InvalidParameter(
        f"judges give each pair one vote on each case, so there are {format_count(left, 'vote')} left, and no more to plan; the "
        "status says what they may settle."
    )
