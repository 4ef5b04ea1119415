"""How many more votes it takes to prove an option best: in a known world, and in plausible ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from copeland.errors import InvalidParameter
from copeland.forecast.forecast_range import ForecastRange, quantile_of, range_of
from copeland.forecast.likely_best import votes_to_likely
from copeland.forecast.planner_race import Ended, run_to_proof
from copeland.forecast.plausible_worlds import belief_of, ties_in, worlds
from copeland.forecast.start import PLANNED, PROOF, Goal, Probabilities, Start
from copeland.forecast.start import (
    new_start as new_start,  # where races begin, for those who run them
)
from copeland.forecast.voter_races import Voters, Within, is_possible, race_of_voters
from copeland.kernels.certificate_race import new_verdicts, votes_to_proof
from copeland.kernels.compiler.compile import bind_parts
from copeland.kernels.vote_evidence import levels
from copeland.simulation.cell import _interrupts_between_calls as interrupts_between_calls
from copeland.simulation.compilation import compile_now
from copeland.support.progress import progress_bar, tell_what
from copeland.support.rng import stream

ALL_PAIRS = "all pairs"
RANDOM = "random"
WAYS = (PLANNED, ALL_PAIRS, RANDOM)

WORLDS = 20  # of every forecast that is shown, unless another number is given
MOST = 20_000  # further votes
MOST_WORLDS = 1_000_000
MOST_VOTES = 1_000_000_000  # in a world
_LIMITED = 40  # worlds in which it is tried what the voters so far settle


def count_votes_to_proof(
    way: str,
    start: Start,
    p: Probabilities,
    tie: Probabilities,
    most: int,
    key: tuple[int, ...] = (0,),
) -> int:
    """Return how many votes one way of asking takes until an option is proved best, ``most`` at most.

    Parameters
    ----------
    way
        ``"cpc-pac"``, ``"all pairs"`` (each in turn) or ``"random"`` (any, again and again).
    p, tie
        The world that votes: P(i wins) + P(tie) / 2, and P(tie).
    key
        Same key, same votes.
    """
    if len(start.pairs) == 0:
        return most
    return _RACES[way](start, p, tie, most, key)


def _race_planner(start: Start, p: Probabilities, tie: Probabilities, most: int, key: tuple) -> int:
    return run_to_proof(start, p, tie, most, key).votes


def _race_list(
    way: str, start: Start, p: Probabilities, tie: Probabilities, most: int, key: tuple
) -> int:
    at = levels(start.k, start.delta, start.epoch, start.dependent)
    state = new_verdicts(start.wins, start.ties)
    noise = stream(*key, "votes", way)
    in_turn = way == ALL_PAIRS
    return int(_votes()(state, at, start.margin, p, tie, start.pairs, in_turn, most, noise))


@cache
def _votes() -> Callable[..., int]:
    """The compiled loop, which numba keeps on disk."""
    return bind_parts(votes_to_proof, {}, "votes_to_proof", compile=True, keep=True)


_RACES: dict[str, Callable[..., int]] = {
    PLANNED: _race_planner,
    ALL_PAIRS: lambda *race: _race_list(ALL_PAIRS, *race),
    RANDOM: lambda *race: _race_list(RANDOM, *race),
}


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
        """Return the votes that suffice with this probability, None if these are over ``most``.

        Examples
        --------
        >>> way = Way("random", (40, 10, 20, 100), most=100)
        >>> way.quantile(0.5), way.quantile(0.9)
        (20.0, None)
        """
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
    goal: Goal = PROOF
    people: Way | None = None  # how many voters it takes in all, where each has one vote a pair
    within: Within | None = None  # what the voters so far can settle

    def way(self, name: str) -> Way:
        """Return what one way of asking takes."""
        return next(one for one in self.ways if one.name == name)


def forecast_of(
    start: Start,
    count: int | None = None,
    most: int = MOST,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    goal: Goal = PROOF,
    voters: Voters | None = None,
    ways: Sequence[str] = WAYS,
) -> Forecast:
    """Return how many more votes it may take until an option is proved best, or likely.

    Worlds are drawn from what the votes leave plausible (:mod:`copeland.forecast.plausible_worlds`); in each of them
    voting is carried on from the present votes: by cpc-pac, by all pairs in turn and by random pairs,
    all until the same certificate holds. Ctrl-C ends it with the worlds done by then.

    Parameters
    ----------
    count
        How many worlds; 20 by default.
    most
        Votes after which a world is given up.
    progress
        Called with (worlds done, worlds in all).
    voters
        Who can vote, if the forecast is to say what these settle, too.
    ways
        The ways of asking to try; cpc-pac must be among them.
    """
    count = WORLDS if count is None else count
    for name, value, largest in (("worlds", count, MOST_WORLDS), ("most", most, MOST_VOTES)):
        if not 1 <= value <= largest:
            raise InvalidParameter(f"{name} is {value:.6g}; it must lie between 1 and {largest:,}.")
    belief = belief_of(start.wins, start.ties)
    done: list[_Raced] = []
    interrupted = False
    try:
        with progress_bar("worlds", progress) as tell, interrupts_between_calls() as look:
            if len(start.pairs):
                compile_now(PLANNED, lambda sentence: tell_what(tell, sentence.rstrip(".")))
            for number, p in enumerate(worlds(belief, count, stream(seed, "worlds"))):
                world = _World(start, p, ties_in(belief, p), most, (seed, number), goal, voters)
                done.append(_run_races(world, ways, look))
                tell(len(done), count)
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
    taken = zip(*(raced.votes for raced in done), strict=True)
    told = tuple(Way(way, votes, most) for way, votes in zip(ways, taken, strict=True))
    people = _people_way(done) if start.people else None
    within = _within(start, voters, done) if voters is not None and voters.number else None
    return Forecast(start.k, start.votes, len(done), most, told, interrupted, goal, people, within)


class _World(NamedTuple):
    """Where races are run."""

    start: Start
    p: Probabilities
    tie: Probabilities
    most: int
    key: tuple[int, ...]
    goal: Goal
    voters: Voters | None


class _Raced(NamedTuple):
    """What the races of a world took."""

    votes: tuple[int, ...]  # by each way
    people: int  # voters in all, if cpc-pac asks
    ended: bool  # whether these are enough
    within: int | None  # votes, if no pair gets more than its room; None if they do not suffice


def _run_races(world: _World, ways: Sequence[str], look: Callable[[], None]) -> _Raced:
    """Run all races in a world; ``look`` is called between them."""
    votes: list[int] = []
    people, done, within = 0, False, None
    for way in ways:
        look()
        if way != PLANNED or not world.start.people:
            votes.append(_count_votes(way, world))
            continue
        ended = _run_planner_race(world)
        people, done = _people(world, ended), ended.done
        votes.append(_votes_of(world, ended, people))
        within = _of_voters(world, ended)
    return _Raced(tuple(votes), people, done, within)


def _count_votes(way: str, world: _World) -> int:
    if world.goal.likely is None:
        return count_votes_to_proof(way, *world[:5])
    return (
        votes_to_likely(way, *world[:5], world.goal.likely).votes
        if len(world.start.pairs)
        else world.most
    )


def _run_planner_race(world: _World) -> Ended:
    """How a race ends that cpc-pac runs with as many people as it takes."""
    if len(world.start.pairs) == 0:
        return Ended(world.most, False, world.start.wins + world.start.wins.T + world.start.ties)
    if world.goal.likely is None:
        return run_to_proof(*world[:5])
    return votes_to_likely(PLANNED, *world[:5], world.goal.likely)


def _people(world: _World, ended: Ended) -> int:
    """How many voters such a race takes in all; more, if it does not end.

    They are those of the pair with the most votes, or more if each has few. Those who have been dealt all their
    votes can give no others.
    """
    start, voters = world.start, world.voters
    each = len(start.pairs) if voters is None else voters.each
    dealt = None if voters is None else voters.dealt
    n = ended.n if dealt is None else ended.n - (start.wins + start.wins.T + start.ties)
    return (dealt or 0) + max(int(n.max()), -(-int(n.sum() // 2) // max(each, 1)))


def _votes_of(world: _World, ended: Ended, people: int) -> int:
    """How many votes these people give: whoever is dealt pairs at the arrival answers all, wanted or not."""
    voters = world.voters
    if voters is None or voters.dealt is None or not ended.done:
        return ended.votes
    return min((people - voters.dealt) * voters.each, world.most)


def _people_way(done: list[_Raced]) -> Way:
    """How many voters each world takes; where it did not end, more than the fewest of such a world."""
    ended = [raced.people for raced in done if raced.ended]
    least = min((raced.people for raced in done if not raced.ended), default=0)
    most = max(least, max(ended, default=0) + 1)
    return Way("people", tuple(raced.people if raced.ended else most for raced in done), most)


def _of_voters(world: _World, ended: Ended) -> int | None:
    """How many votes of these voters settle it; None if they do not suffice, or it is not tried."""
    start, voters = world.start, world.voters
    if voters is None or not voters.number or world.key[-1] >= _LIMITED:
        return None
    most = start.wins + start.wins.T + start.ties + voters.room
    if ended.done and ended.votes <= voters.left and (ended.n <= most).all():
        return ended.votes  # nobody was asked twice
    return race_of_voters(start, voters, world.p, world.tie, world.key, world.goal)


def _within(start: Start, voters: Voters, done: list[_Raced]) -> Within:
    possible = is_possible(start, voters.room, start.wins, start.ties)
    votes = tuple(raced.within for raced in done[:_LIMITED])
    return Within(voters.number, voters.left, possible, votes)
