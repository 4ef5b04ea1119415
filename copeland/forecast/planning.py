"""How many more votes a study may take, by simulation from what is known so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from copeland.cells import _interrupts_between_calls as interrupts_between_calls
from copeland.errors import InvalidParameter
from copeland.forecast.races import WAYS, Start, votes_needed
from copeland.forecast.worlds import belief_of, ties_in, worlds
from copeland.streams import stream
from copeland.study.record.options import ACTIVE

if TYPE_CHECKING:
    from copeland.study.meaning.standing import Standing

WORK = 3_000  # options times worlds, unless a number of worlds is given
MOST = 200_000  # further votes


@dataclass(frozen=True)
class Forecast:
    """The further votes that one way of asking takes in each plausible world.

    A world in which nothing was proved within ``most`` votes counts as ``most``.
    """

    way: str
    votes: tuple[int, ...]
    most: int

    @property
    def unfinished(self) -> int:
        """In how many worlds nothing was proved within ``most`` votes."""
        return sum(n >= self.most for n in self.votes)

    def quantile(self, share: float) -> float | None:
        """Return the votes that suffice in this share of the worlds, None if these are over ``most``.

        Examples
        --------
        >>> forecast = Forecast("random", (40, 10, 20, 100), most=100)
        >>> forecast.quantile(0.5), forecast.quantile(0.9)
        (20.0, None)
        """
        found = float(np.quantile(self.votes, share, method="inverted_cdf"))
        return None if found >= self.most else found


@dataclass(frozen=True)
class Plan:
    """What a study may still take: a forecast for each way of asking, in the same worlds."""

    study: str
    options: int
    votes: int  # so far
    worlds: int
    most: int
    forecasts: tuple[Forecast, ...]
    interrupted: bool

    def forecast(self, way: str) -> Forecast:
        """Return the forecast of one way of asking."""
        return next(one for one in self.forecasts if one.way == way)


MOST_WORLDS = 1_000_000
MOST_VOTES = 1_000_000_000  # in a world


def plan_of(
    standing: Standing,
    count: int | None = None,
    most: int = MOST,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Plan:
    """Return how many more votes it may take until an option is proved best.

    Worlds are drawn from what the votes leave plausible (:mod:`copeland.forecast.worlds`); in each of them
    the study is carried on from its present votes: by cpc-pac, by all pairs in turn and by random pairs,
    all until the same certificate holds. Ctrl-C ends it with the worlds done by then.

    Parameters
    ----------
    count
        How many worlds; 100 by default, fewer for more than 30 options.
    most
        Votes after which a world is given up.
    progress
        Called with (worlds done, worlds in all).
    """
    count = max(min(100, WORK // len(standing.options)), 20) if count is None else count
    for name, value, largest in (("worlds", count, MOST_WORLDS), ("most", most, MOST_VOTES)):
        if not 1 <= value <= largest:
            raise InvalidParameter(f"{name} is {value:.6g}; it must lie between 1 and {largest:,}.")
    start = start_of(standing)
    belief = belief_of(start.wins, start.ties)
    done: list[list[int]] = []
    interrupted = False
    try:
        with interrupts_between_calls() as look:
            for number, p in enumerate(worlds(belief, count, stream(seed, "worlds"))):
                tie = ties_in(belief, p)
                row: list[int] = []
                for way in WAYS:
                    look()
                    row.append(votes_needed(way, start, p, tie, most, (seed, number)))
                done.append(row)
                if progress is not None:
                    progress(len(done), count)
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
    return Plan(
        study=standing.name,
        options=start.k,
        votes=standing.votes,
        worlds=len(done),
        most=most,
        forecasts=tuple(
            Forecast(way, tuple(row[place] for row in done), most) for place, way in enumerate(WAYS)
        ),
        interrupted=interrupted,
    )


def start_of(standing: Standing) -> Start:
    """Return the present votes of a study as the start of a race."""
    settings = standing.settings
    return Start(
        standing.wins,
        standing.ties,
        settings.delta,
        settings.indifference,
        standing.epoch,
        settings.voters == "dependent",
        frozenset(i for i, option in enumerate(standing.options) if option.state != ACTIVE),
    )
