"""How far test cases go: how many votes are left, what they may settle, and what more cases would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter
from copeland.forecast.outlook import Need, Outlook, outlook_of
from copeland.study.options import ACTIVE
from copeland.study.results.standing import Standing
from copeland.support.phrasing import about, format_count


def votes_left(standing: Standing) -> NDArray[np.int64]:
    """Return how many cases are left for each pair; none for options that are not asked."""
    left = standing.settings.cases - (standing.wins + standing.wins.T + standing.ties)
    active = np.array([option.state == ACTIVE for option in standing.options])
    return np.where(active[:, None] & active & ~np.eye(len(active), dtype=bool), left, 0)


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
        yield f"All {n} are judged. They do not prove which option is best on cases like these; {would}."
    elif more > 0:
        yield f"These {n} may not be enough to prove which option is best on cases like these; {would}."


def refuse_for_cases(standing: Standing) -> NoReturn:
    """Refuse to forecast votes that there are none of."""
    left = int(votes_left(standing).sum()) // 2
    raise InvalidParameter(
        f"judges give each pair one vote on each case, so there are {format_count(left, 'vote')} left, and no more to plan; the "
        "status says what they may settle."
    )
