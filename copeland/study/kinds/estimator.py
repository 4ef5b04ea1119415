"""What is estimated of a study, in numbers: that of independent visitors, from which other kinds differ."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.certificate.samples import evidence
from copeland.errors import InvalidParameter
from copeland.forecast.forecast import Forecast, ForecastRange, forecast_of
from copeland.forecast.outlook import Need, Outlook, look_ahead, outlook_of
from copeland.forecast.plausible_worlds import BELIEF, MOST_OPTIONS, Chances, chances_of
from copeland.forecast.prospects import Prospect
from copeland.forecast.races import Voters
from copeland.forecast.start import Until
from copeland.study.results.standing import Standing
from copeland.study.settings import Settings
from copeland.support.goal import BEST

STANDS_OUT = 1.0  # standard deviations by which a win of a cycle leads


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


class Estimator:
    """What is estimated of who is best, how sure each win is, and how long it may take."""

    belief = BELIEF  # what plausible worlds are drawn from
    names_likely = True  # whether an option may be called likely best
    asks_either_way = False  # whether a pair that is asked may settle the matter either way
    draws_estimates = True  # whether pages draw an order by estimated strengths

    def is_exact(self, settings: Settings) -> bool:
        """Tell whether a proof may count all votes that there can be."""
        return False

    def find_likely_wins(self, standing: Standing) -> NDArray[np.bool_]:
        """Return which wins are as sure as a proof, but for their pair alone: K x K."""
        return evidence(standing.wins, standing.ties) >= math.log(1 / standing.settings.delta)

    def find_clear_wins(self, standing: Standing) -> NDArray[np.bool_]:
        """Return which wins are clear enough for a cycle of them to mean something: in a cycle of 2:1s there is nothing to see."""
        few, wins = 4, standing.wins  # that 1:0 is nothing yet
        clear = wins - wins.T >= STANDS_OUT * np.sqrt(wins + wins.T + few)
        np.fill_diagonal(clear, False)
        return clear

    def estimate_chances(
        self, standing: Standing, cut: tuple[Any, ...], ahead: Sequence[int]
    ) -> Chances:
        """Return the chances to be best of the options that ``cut`` picks; ``ahead`` are those that lead, among them."""
        settings = standing.settings
        counts = standing.wins[cut], standing.ties[cut]
        return chances_of(*counts, settings.margin, ahead, settings.seed)

    def outlook(self, standing: Standing) -> Outlook:
        """Return what would settle it, and how much that may take."""
        return number_options(look_ahead(standing.start), standing.options_left)

    def reach(self, standing: Standing, outlook: Outlook) -> Reach | None:
        """Return how far the votes of people go; None where every vote is a fresh draw."""
        return None

    def plan(self, standing: Standing, goal: Until, people: int | None, **how: Any) -> Forecast:
        """Return how many more votes it may take to reach a goal, by simulation."""
        require_chances(goal, len(standing.options), standing.settings.goal)
        if outlook_of(standing.start).votes is None:
            raise InvalidParameter(
                "nothing can be proved while options that the proof needs are paused; resume or retire them, or see "
                "what certify --active says."
            )
        voters = self.find_voters(standing, people)
        return forecast_of(standing.start, goal=goal, voters=voters, **how)

    def find_voters(self, standing: Standing, people: int | None) -> Voters | None:
        """Return who can still answer, where these are so many; None where every vote is a fresh draw."""
        if people is not None:
            self.check_prospect(standing.settings.voters)
        return None

    def prospect(self, standing: Standing, people: int) -> Prospect:
        """Return what so many people can settle; refuse where others vote."""
        self.check_prospect(standing.settings.voters)
        raise NotImplementedError

    def check_prospect(self, voters: str) -> None:
        """Refuse to say what so many people can settle where others vote."""
        raise InvalidParameter(
            f"--people (people=) is for studies of people, and here voters are '{voters}'; leave it out."
        )

    def check_until(self, until: Until, options: int, goal: str) -> None:
        """Refuse to go on until something that means nothing here."""
        require_chances(until, options, goal)

    def say_end(self, standing: Standing) -> str:
        """Return why nothing can be asked any more, in a few words; empty while something can."""
        return ""


def number_options(outlook: Outlook, options: Collection[int]) -> Outlook:
    """Return an outlook on some options with the numbers that these have among all."""
    if outlook.champion is None:
        return outlook
    number = list(options)
    pairs = tuple(Need(number[i], number[j], votes) for i, j, votes in outlook.pairs)
    return outlook._replace(champion=number[outlook.champion], pairs=pairs)


def require_chances(until: Until, options: int, goal: str) -> None:
    """Refuse to go on until one of very many options is likely best, or where that is not the goal."""
    if until.likely is not None and goal != BEST:
        raise InvalidParameter(
            f"likely is about who is best, and the goal of this study is '{goal}'; leave it out."
        )
    if until.likely is not None and options > MOST_OPTIONS:
        raise InvalidParameter(
            f"chances to be best are estimated for up to {MOST_OPTIONS} options, and there are {options:,}; "
            "go on until an option is proved best."
        )
