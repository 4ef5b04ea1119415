"""What a number of voters can settle, before anybody has voted: as people, and as a panel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.forecast.panels import PLANNED as PANEL
from copeland.forecast.panels import panel_forecast
from copeland.forecast.races import forecast_of
from copeland.forecast.starts import Start
from copeland.forecast.voters import MOST_PEOPLE, fewest_people, new_voters

WORLDS = 20
_PANELS = 8  # worlds in which a panel is played
_QUESTIONS = 4_000  # that all these panels have at most: a question takes milliseconds


class Prospect(NamedTuple):
    """What so many voters can settle, each with one vote a pair."""

    people: int
    options: int
    delta: float
    votes: int  # that they have in all
    possible: bool  # whether any answers of theirs could prove an option best
    fewest: int  # voters with whom that is possible, if all of them agree
    settled: float  # the share of plausible worlds in which their votes prove an option best
    panel: (
        int | None
    )  # about how many votes settle it if they are all that counts; None if not tried
    population: tuple[
        float | None, float | None
    ]  # voters that suffice in a tenth and in half of the worlds
    most: int  # voters, and votes, after which a world is given up


def check_people(people: int | None, name: str = "people") -> None:
    """Refuse what is no number of voters."""
    if people is not None and (
        isinstance(people, bool) or not isinstance(people, int) or not 1 <= people <= MOST_PEOPLE
    ):
        raise InvalidParameter(
            f"{name} is {people!r}; it must be a whole number from 1 to {MOST_PEOPLE:,}."
        )


def prospect_of(
    start: Start, people: int, each: int | None = None, count: int = WORLDS, seed: int = 0
) -> Prospect:
    """Return what so many voters can settle, from worlds that are plausible.

    A person has a vote a pair, or ``each`` votes if that is less.
    """
    voters = new_voters(start, people, each)
    found = forecast_of(start, count, seed=seed, voters=voters)
    assert found.within is not None and found.people is not None
    return Prospect(
        people=people,
        options=start.k,
        delta=start.delta,
        votes=voters.left,
        possible=found.within.possible,
        fewest=fewest_people(start),
        settled=found.within.settled / len(found.within.votes),
        panel=panel_votes(start, people, seed),
        population=(found.people.quantile(0.1), found.people.quantile(0.5)),
        most=found.most,
    )


def panel_votes(start: Start, people: int, seed: int = 0) -> int | None:
    """Return about how many votes settle it if these voters are a panel; None if there would be very many.

    Members answer each pair by itself, as the world says; in plausible worlds without votes.
    """
    questions = people * start.k * (start.k - 1) // 2
    count = min(_PANELS, _QUESTIONS // questions)
    if count == 0:
        return None
    none = np.zeros((start.k, start.k), np.int64)
    silent = np.zeros((people, start.k, start.k), dtype=bool)
    silent[:, range(start.k), range(start.k)] = True
    found = panel_forecast(none, none, silent, count, seed).way(PANEL).quantile(0.5)
    return None if found is None else int(found)
