"""How many answers a panel's study takes, by simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from copeland.errors import InvalidParameter
from copeland.forecast.panels import new_panel_remaining, panel_forecast
from copeland.forecast.races import Forecast
from copeland.forecast.ranges import Range
from copeland.study.meaning.standing import Standing
from copeland.study.record.options import ACTIVE
from copeland.words import about


def panel_plan(
    standing: Standing,
    worlds: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Forecast:
    """Return how many more answers it may take until some active option is sure to be best."""
    assert standing.panel is not None
    among = [i for i, option in enumerate(standing.options) if option.state == ACTIVE]
    if len(among) < 2:
        raise InvalidParameter("fewer than 2 options are active, so there is nothing to ask.")
    cut = np.ix_(among, among)
    silent = standing.panel.silent[np.ix_(range(len(standing.panel.members)), among, among)]
    return panel_forecast(standing.wins[cut], standing.ties[cut], silent, worlds, seed, progress)


def answers_words(found: Range, members: int) -> str:
    """Return how many answers a panel takes in all, and of each member.

    Examples
    --------
    >>> answers_words(Range(41, 54, 96, 330), 5)
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
