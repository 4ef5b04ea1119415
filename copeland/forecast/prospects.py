"""What a number of voters can settle, before anybody has voted: as people, and as a panel."""

from __future__ import annotations

from typing import Any, NamedTuple

from copeland.errors import InvalidParameter
from copeland.forecast.forecast import ForecastRange, forecast_of
from copeland.forecast.panel_forecast import new_panel_remaining
from copeland.forecast.races import MOST_PEOPLE, fewest_people
from copeland.forecast.start import PLANNED, Start, new_voters
from copeland.support.phrasing import format_count, percent
from copeland.support.plain_values import to_plain

FEW = 30  # voters who might be all that counts


class Prospect(NamedTuple):
    """What so many voters can settle, each with one vote a pair."""

    people: int
    options: int
    delta: float
    votes: int  # that they have in all
    possible: bool  # whether any answers of theirs could prove an option best
    fewest: int  # voters with whom that is possible, if all of them agree
    settled: float  # the share of plausible worlds in which their votes prove an option best
    panel: ForecastRange | None  # answers, if they are all that counts; None if they are many
    population: ForecastRange  # voters that a proof about the population takes

    @property
    def sentence(self) -> str:
        """What so many voters can prove, and what else they could do."""
        have = f"they have {format_count(self.votes, 'vote')} in all, {self.people:,} per pair"
        if not self.possible:
            fewest = format_count(self.fewest, "voter")
            proof = f"is out of reach: {have}, and even if all agree it takes {fewest}"
        elif not self.settled:
            proof = f"is possible, but none of the plausible worlds tried was settled: {have}"
        else:
            proof = f"is within reach in {percent(self.settled)} of plausible worlds: {have}"
        answers = self.panel.answers_words(self.people) if self.panel else ""
        panel = f" As a panel, where only they count, they would need {answers}." if answers else ""
        return (
            f"With {format_count(self.people, 'voter')} and {format_count(self.options, 'option')} a proof at {self.delta:g} "
            f"{proof}.{panel} A proof about the population they come from takes {self.population.people_words}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return to_plain(self._asdict())


def check_people(people: int | None, name: str = "people") -> None:
    """Refuse what is no number of voters."""
    if people is not None and (
        isinstance(people, bool) or not isinstance(people, int) or not 1 <= people <= MOST_PEOPLE
    ):
        raise InvalidParameter(
            f"{name} is {people!r}; it must be a whole number from 1 to {MOST_PEOPLE:,}."
        )


def prospect_of(
    start: Start, people: int, each: int | None = None, count: int | None = None
) -> Prospect:
    """Return what so many voters can settle, from worlds that are plausible.

    A person has a vote a pair, or ``each`` votes if that is less. How many people a proof takes is what
    :func:`copeland.forecast.forecast.look_ahead` says of the study.
    """
    voters = new_voters(start, people, each)
    found = forecast_of(start, count, voters=voters, ways=(PLANNED,))
    assert found.within is not None and found.people is not None
    return Prospect(
        people=people,
        options=start.k,
        delta=start.delta,
        votes=voters.left,
        possible=found.within.possible,
        fewest=fewest_people(start),
        settled=found.within.settled / len(found.within.votes),
        panel=new_panel_remaining(people, start.k) if people <= FEW else None,
        population=found.people.range,
    )
