"""How many answers a panel's study takes: before the first, by a rule; later, by simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from copeland.errors import InvalidParameter
from copeland.forecast.panels import panel_forecast
from copeland.forecast.races import Forecast
from copeland.study.meaning.standing import Standing
from copeland.study.record.options import ACTIVE
from copeland.words import about, counted

_USUALLY = 1.6  # times the fewest: measured in docs/panels.md


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


def questions_sentence(members: int, k: int) -> str:
    """Return how many questions a panel takes, at least, often and at most, in a sentence.

    Examples
    --------
    >>> questions_sentence(5, 6)
    'It takes at least 15 answers, often about 24, and at most 75: one for each member and pair.'
    """
    # One option beats all others but one, and does not lose to that.
    fewest = (k - 2) * (members // 2 + 1) + (members + 1) // 2
    most = k * (k - 1) // 2 * members
    often = min(round(_USUALLY * fewest), most)
    return (
        f"It takes at least {counted(fewest, 'answer')}, often about {about(often)}, and at most "
        f"{most:,}: one for each member and pair."
    )
