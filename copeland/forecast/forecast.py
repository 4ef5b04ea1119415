"""How many more votes it takes to reach the goal in plausible worlds, a range, as nobody knows one number; and on which pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.forecast.cheapest_plan import Worlds, cheapest_plans, plan_worlds
from copeland.forecast.plausible_worlds import (
    MOST_OPTIONS,
    Belief,
    belief_of,
    ties_in,
    worlds_in_blocks,
)
from copeland.forecast.races import WAYS, Within, count_votes_to_proof, is_possible, votes_to_likely
from copeland.forecast.start import PLANNED, PROOF, Ended, Start, Until, Voters, nobody
from copeland.kernels.planner.prices import (
    LEAST_PRIOR,
    LEAST_VARIANCE,
    LEAST_VOTES,
    MOST_PRIOR,
    MOST_WEIGHT,
)
from copeland.simulation.cell import interrupts_between_calls
from copeland.simulation.compilation import compile_now
from copeland.support.arrays import Floats
from copeland.support.phrasing import about
from copeland.support.progress import progress_bar, tell_what
from copeland.support.rng import stream

SHARE = 0.1  # of the cases below a range, and above it

WORLDS, FEWEST = 100, 20  # of every forecast that is shown, unless another number is given
PAIRS = 200_000  # in all of these; fewer worlds of many options
MOST = 20_000  # further votes
MOST_WORLDS = 1_000_000
MOST_VOTES = 1_000_000_000  # in a world

FIRST_GAP, FIRST_VOTES = 0.15, 16.0  # what gaps are taken to be before any vote


class ForecastRange(NamedTuple):
    """About how many votes, answers or people it takes: between low and high in four of five cases.

    None is more than ``most``, beyond which nothing was tried.
    """

    low: int | None
    middle: int | None  # in half of the cases
    high: int | None
    most: int

    @property
    def words(self) -> str:
        """The range as in a sentence, before what is counted.

        Examples
        --------
        >>> ForecastRange(42, 60, 91, 900).words, ForecastRange(42, None, None, 900).words, ForecastRange(0, 3, 7, 900).words
        ('about 42 to 91', 'about 42 to over 900', 'up to 7')
        >>> ForecastRange(5, 5, 5, 900).words, ForecastRange(None, None, None, 900).words
        ('about 5', 'over 900')
        """
        if self.low is None:
            return f"over {about(self.most)}"
        if self.high is None:
            return f"about {about(self.low)} to over {about(self.most)}"
        if about(self.low) == about(self.high):
            return f"about {about(self.high)}"
        return (
            f"about {about(self.low)} to {about(self.high)}"
            if self.low
            else f"up to {about(self.high)}"
        )

    @property
    def half_words(self) -> str:
        """What half of the cases take, to follow the range; nothing where the range is one number.

        Examples
        --------
        >>> ForecastRange(280, 2_400, 19_000, 20_000).half_words, ForecastRange(280, None, None, 900).half_words
        ('; half the time, about 2,400 are enough', '; half the time, it takes over 900')
        >>> ForecastRange(5, 5, 5, 900).half_words
        ''
        """
        if self.low is None or (self.high is not None and about(self.low) == about(self.high)):
            return ""
        if self.middle is None:
            return f"; half the time, it takes over {about(self.most)}"
        return f"; half the time, about {about(self.middle)} are enough"

    @property
    def people_words(self) -> str:
        """How many people a proof takes, in four of five cases and in half of them.

        Examples
        --------
        >>> ForecastRange(120, 450, None, 5000).people_words
        'about 120 to over 5,000 people in four of five cases, and about 450 in half of them'
        """
        half = f"over {about(self.most)}" if self.middle is None else f"about {about(self.middle)}"
        return f"{self.words} people in four of five cases, and {half} in half of them"

    def answers_words(self, members: int) -> str:
        """Return how many answers a panel takes in all, and of each member.

        Examples
        --------
        >>> ForecastRange(41, 54, 96, 330).answers_words(5)
        'about 54 answers in all, about 11 each (about 41 to 96 in four of five cases)'
        """
        middle = self.most if self.middle is None else self.middle
        each = -(-middle // members)
        return (
            f"about {about(middle)} answers in all, about {about(each)} each "
            f"({self.words} in four of five cases)"
        )

    def beyond(self, before: int) -> ForecastRange:
        """Return how many more than ``before`` that is."""
        left = []
        for n in self:
            left.append(None if n is None else max(n - before, 0))
        return ForecastRange(*left)

    def to_dict(self) -> dict[str, int | None]:
        """Return it ready for JSON."""
        return self._asdict()


def range_of(numbers: Sequence[int], most: int) -> ForecastRange:
    """Return the range of what simulations took; those that reached ``most`` were cut there."""
    low, middle, high = map(quantile_of, [numbers] * 3, (SHARE, 0.5, 1 - SHARE))
    return ForecastRange(
        low if low < most else None,
        middle if middle < most else None,
        high if high < most else None,
        most,
    )


def quantile_of(numbers: Sequence[int], share: float) -> int:
    """Return what the next one is below with this probability at most, or, from 1/2 on, at least.

    It is one of the numbers. They and the next are draws of one kind, so it falls below the n-th smallest of m
    with probability n / (m + 1).
    """
    place = share * (len(numbers) + 1)
    if share == 0.5:
        place = len(numbers) / 2
    nth = math.floor(place + 1e-9) if share < 0.5 else math.ceil(place - 1e-9)
    return int(sorted(numbers)[min(max(nth, 1), len(numbers)) - 1])


@dataclass(frozen=True)
class Way:
    """The further votes that one way of asking takes in each plausible world.

    A world in which nothing was proved within ``most`` votes counts as ``most``.
    """

    name: str
    votes: tuple[int, ...]
    most: int

    @property
    def unfinished(self) -> int:
        """In how many worlds nothing was proved within ``most`` votes."""
        return sum(n >= self.most for n in self.votes)

    def quantile(self, share: float) -> float | None:
        """Return the votes that suffice with this probability, None if these are over ``most``."""
        found = float(quantile_of(self.votes, share))
        return None if found >= self.most else found

    @property
    def range(self) -> ForecastRange:
        """From how few to how many it takes in four of five worlds."""
        return range_of(self.votes, self.most)


@dataclass(frozen=True)
class Forecast:
    """What it may still take to prove an option best: by each way of asking, in the same worlds.

    Or to make one likely best, if that is the ``goal``.
    """

    options: int
    votes: int  # so far
    worlds: int
    most: int
    ways: tuple[Way, ...]
    interrupted: bool
    goal: Until = PROOF
    people: Way | None = None  # how many voters it takes in all, where each has one vote a pair
    within: Within | None = None  # what the voters so far can settle

    def way(self, name: str) -> Way:
        """Return what one way of asking takes."""
        return next(one for one in self.ways if one.name == name)


def usual_worlds(k: int) -> int:
    """Return how many worlds a forecast of k options has."""
    return max(min(WORLDS, PAIRS // (k * k)), FEWEST)


def forecast_of(
    start: Start,
    count: int | None = None,
    most: int = MOST,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    goal: Until = PROOF,
    voters: Voters | None = None,
    ways: Sequence[str] = WAYS,
) -> Forecast:
    """Return how many more votes it may take until the goal is proved, or an option is likely best.

    Worlds are drawn from what the votes leave plausible (:mod:`copeland.forecast.plausible_worlds`). In each of them, a proof by
    cpc-pac takes the votes of its cheapest plan (:mod:`copeland.forecast.cheapest_plan`). By all pairs in turn and by random
    pairs, and until an option is likely best, voting is carried on from the present votes. Ctrl-C ends it with the worlds done.

    Parameters
    ----------
    count
        How many worlds; by default 100, and fewer of many options.
    most
        Votes after which a world is given up.
    progress
        Called with (worlds done, worlds in all).
    voters
        Who can vote, if the forecast is to say what these settle, too.
    ways
        The ways of asking to try.
    """
    count = usual_worlds(start.k) if count is None else count
    for name, value, largest in (("worlds", count, MOST_WORLDS), ("most", most, MOST_VOTES)):
        if not 1 <= value <= largest:
            raise InvalidParameter(f"{name} is {value:.6g}; it must lie between 1 and {largest:,}.")
    planned: list[Planned] = []
    votes: list[list[int]] = []
    interrupted = False
    try:
        with progress_bar("worlds", progress) as tell, interrupts_between_calls() as look:
            if goal.likely is not None and len(start.pairs):
                compile_now(PLANNED, lambda sentence: tell_what(tell, sentence.rstrip(".")))
            for p, belief, plan in plans_in_worlds(start, count, most, seed, voters):
                world = start, p, ties_in(belief, p), most, (seed, len(planned))
                if goal.likely is not None:
                    look()
                    race = votes_to_likely(PLANNED, *world, goal.likely)
                    plan = _plan_for(start, race, race, most, voters)
                votes.append([])
                for way in ways:
                    look()
                    votes[-1].append(plan.votes if way == PLANNED else _race(way, world, goal))
                planned.append(plan)
                tell(len(planned), count)
    except KeyboardInterrupt:
        if not planned:
            raise
        interrupted = True
    taken = zip(*votes[: len(planned)], strict=True)
    told = tuple(Way(way, numbers, most) for way, numbers in zip(ways, taken, strict=True))
    within = None
    if voters is not None and voters.number:
        possible = is_possible(start, voters.room, start.wins, start.ties)
        settling = tuple(plan.within for plan in planned)
        within = Within(voters.number, voters.left, possible, settling)
    people = people_way(planned) if start.people else None
    done = len(planned)
    return Forecast(start.k, start.votes, done, most, told, interrupted, goal, people, within)


def _race(way: str, world: tuple[Start, Floats, Floats, int, tuple[int, ...]], goal: Until) -> int:
    """How many votes a way of asking takes in a world."""
    if goal.likely is None:
        return count_votes_to_proof(way, *world)
    return votes_to_likely(way, *world, goal.likely).votes


class Planned(NamedTuple):
    """What a world takes by cpc-pac."""

    votes: int
    people: int  # voters in all
    ended: bool  # whether these are enough
    within: int | None  # votes of the voters so far; None if they do not suffice


def plans_in_worlds(
    start: Start, count: int, most: int, seed: int, voters: Voters | None = None
) -> Iterator[tuple[Floats, Belief, Planned]]:
    """Yield worlds that the votes leave plausible, the belief, and what the cheapest plan of a proof takes in each."""
    if start.people and voters is None:
        voters = nobody(start)
    belief = belief_of(start.wins, start.ties)
    for block in worlds_in_blocks(belief, count, stream(seed, "worlds")):
        free = limited = plan_worlds(start, block, belief.tie, most)
        if voters is not None and voters.number:
            limited = plan_worlds(start, block, belief.tie, most, voters.room)
        for p, one, other in zip(block, free, limited, strict=True):
            yield p, belief, _plan_for(start, one, other, most, voters)


def _plan_for(
    start: Start, free: Ended, limited: Ended, most: int, voters: Voters | None
) -> Planned:
    """What votes take that ended so, and so if no pair got more than its room.

    People are those of the pair with the most votes, or more if each has few. Those who have been dealt all their votes can give no
    others. Whoever is dealt pairs at the arrival answers all, wanted or not.
    """
    if voters is None:
        return Planned(free.votes, 0, free.done, None)
    n = free.n if voters.dealt is None else free.n - start.met
    new = max(int(n.max()), -(-int(n.sum() // 2) // max(voters.each, 1)))
    votes = free.votes
    if voters.dealt is not None and free.done:
        votes = min(new * voters.each, most)
    fits = limited.done and limited.votes <= voters.left
    fits = fits and bool((limited.n <= start.met + voters.room).all())
    within = limited.votes if fits else None
    return Planned(votes, (voters.dealt or 0) + new, free.done, within)


def people_way(planned: Sequence[Planned]) -> Way:
    """Return how many voters each world takes; where it did not end, more than the fewest of such a world."""
    ended, cut, people = [], [], []
    for plan in planned:
        (ended if plan.ended else cut).append(plan.people)
    most = max(min(cut, default=0), max(ended, default=0) + 1)
    for plan in planned:
        people.append(plan.people if plan.ended else most)
    return Way("people", tuple(people), most)


# What would settle it: the pairs that the cheapest plan still needs


class Need(NamedTuple):
    """A pair to ask, and about how many votes until ``first`` is proved to beat ``second``."""

    first: int
    second: int
    votes: int


class Outlook(NamedTuple):
    """What the cheapest plan still needs, and what that may take; made by :func:`outlook_of` and :func:`look_ahead`.

    Options are indices; ``champion`` is who would be proved best. ``votes`` is None, and ``pairs`` are those that cannot be
    asked, if the plan needs options that are paused.
    """

    champion: int | None
    pairs: tuple[Need, ...]
    votes: int | None
    remaining: ForecastRange | None = None  # further votes
    people: ForecastRange | None = (
        None  # in all, those so far included; None: every vote is a fresh draw
    )


SETTLED = Outlook(None, (), 0)


def outlook_of(start: Start) -> Outlook:
    """Return what it would take to reach the goal, if every pair goes on as it is believed to; nothing, if it is reached already."""
    (champion,), (needs,) = cheapest_plans(start, _believe(start))
    first, second = np.nonzero(needs)
    votes, paused = needs[first, second], [*start.paused]
    if not len(votes):
        return SETTLED
    blocked = np.isin(first, paused) | np.isin(second, paused)
    if blocked.any():
        first, second, votes = first[blocked], second[blocked], 0 * votes[blocked]
    order = np.argsort(-votes, kind="stable")
    table = np.array([first, second, votes], np.int64)[:, order].tolist()
    total = None if blocked.any() else int(votes.sum())
    return Outlook(int(champion), tuple(map(Need, *table)), total)


def _believe(start: Start) -> Worlds:
    """What is believed of every pair: its votes, drawn towards the strengths of both the more, the narrower the gaps seen so far."""
    n, lead = start.met, (start.wins - start.wins.T) / 2
    gap = lead / np.maximum(n, 1)
    weight = np.where(n >= LEAST_VOTES, np.minimum(n, MOST_WEIGHT), 0) / 2  # each pair is twice
    seen = (weight * (gap**2 - (0.25 - gap**2) / np.maximum(n, 1))).sum()
    variance = (FIRST_VOTES * FIRST_GAP**2 + seen) / (FIRST_VOTES + weight.sum())
    prior = np.clip(0.25 / max(variance, LEAST_VARIANCE), LEAST_PRIOR, MOST_PRIOR)
    points = start.wins.sum(axis=1) + start.ties.sum(axis=1) / 2
    strength = (points + prior / 2) / (n.sum(axis=1) + prior)
    expected = (strength[:, None] - strength) / 2
    mean, deviation = (lead + prior * expected) / (n + prior), 0.5 / np.sqrt(n + prior)
    return Worlds(0.5 + mean[None], deviation[None], 0.0)


def look_ahead(start: Start, each: int | None = None, dealt: int | None = None) -> Outlook:
    """Return the outlook with its forecast, to whose middle its votes add up: the one that every place shows.

    Parameters
    ----------
    each
        How many votes a person has, where people vote; by default one a pair.
    dealt
        How many people get no further pairs, where all are dealt at the arrival; None elsewhere.
    """
    found = outlook_of(start)
    if not found.votes or start.k > MOST_OPTIONS:
        return found
    voters = nobody(start, each, dealt) if start.people else None
    planned = list(
        map(itemgetter(2), plans_in_worlds(start, usual_worlds(start.k), MOST, 0, voters))
    )
    votes = range_of(list(map(attrgetter("votes"), planned)), MOST)
    people = people_way(planned).range if start.people else None
    return scale_outlook(found, votes)._replace(people=people)


def scale_outlook(outlook: Outlook, remaining: ForecastRange) -> Outlook:
    """Return the outlook with its pairs scaled to the middle of a forecast.

    Examples
    --------
    >>> found = scale_outlook(Outlook(0, (Need(0, 1, 30), Need(0, 2, 10)), 40), ForecastRange(9, 20, 80, 900))
    >>> found.pairs, found.votes
    ((Need(first=0, second=1, votes=15), Need(first=0, second=2, votes=5)), 20)
    """
    if not outlook.votes:
        return outlook
    total = remaining.middle
    if total is None:
        total = max(remaining.most, outlook.votes)
    table = np.array(outlook.pairs).T
    table[2] = np.round(total / outlook.votes * table[2])
    table[2, 0] += total - table[2].sum()
    return Outlook(outlook.champion, tuple(map(Need, *table.tolist())), total, remaining)
