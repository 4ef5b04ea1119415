"""How often a certificate is wrong where people vote, or votes are undone: `python -m benchmarks.false_people`.

People arrive, are dealt all their pairs by an adversary who knows every answer so far, and answer in any order. They
count in the order of arrival, as `copeland.study.log.ledger` does it; a dealt pair without an answer is a loss of both.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

from benchmarks.false_certificates import (
    DELTA,
    MODES,
    RUNS,
    WRONG_BEST,
    WRONG_PAIR,
    World,
    begin_epoch,
    claims_wrongly,
    compare_with_truth,
    conclude,
    deal,
    is_clear,
    new_watch,
    note,
    of_voters,
    runner_up,
)
from benchmarks.watched_certificate import update_pair
from copeland.kernels import compiled, kernel, pick
from copeland.kernels.vote_evidence import Levels, levels, log_evidence
from copeland.study.log.ledger import COST
from copeland.support.rng import stream

WAITING = (
    512  # people who are not counted yet; if there are more, the first half is counted as it is
)

# How people answer: all of it; not after they have seen the last option, if they prefer 0 to 1; nothing against the
# option that the adversary works for; or such answers late.
ALL, LEAVE, NEVER, LATE = range(4)
OPEN, WON, LOST = -1, 1, 0  # what the first of a pair has: no answer, a win, a loss
GONE, COUNTED = -1, -2


@dataclass(frozen=True)
class Crowd:
    """Who arrives, and how they answer."""

    name: str
    types: tuple[
        np.ndarray, np.ndarray
    ]  # places of the options for each type, and the p that they give
    ballots: int
    present: int
    habit: int = ALL
    votes: int = 10_000
    modes: str = "UAW"


class Queue(NamedTuple):
    """People who are not counted yet, in the order of arrival."""

    pairs: np.ndarray  # people x ballots x 2
    said: np.ndarray  # people x ballots: OPEN, WON or LOST
    number: np.ndarray  # (1,): how many people wait
    seats: np.ndarray  # present: whose seat it is, by place in the queue; GONE: nobody's, COUNTED: somebody's who is counted
    own: np.ndarray  # present x ballots: what those have said
    missing: np.ndarray  # K x K: answers of those counted that never came


@kernel
def worth(queue, person):
    """Return what counting somebody adds: answers, less COST for each missing one."""
    total = 0
    for b in range(len(queue.said[person])):
        total += -COST if queue.said[person, b] == OPEN else 1
    return total


@kernel
def count_worthwhile(queue):
    """Return how many people to count: as many as add up to the most, or half of a full queue."""
    most, n, total = 0, 0, 0
    for person in range(queue.number[0]):
        total += worth(queue, person)
        if total >= most:
            most, n = total, person + 1
    if n == 0 and queue.number[0] == len(queue.said):
        return len(queue.said) // 2
    return n


@kernel
def weigh_pair(state, queue, at, i, j):
    """Weigh both claims about a pair, each with the missing answers against it; return whether a bound has changed."""
    lost = queue.missing[i, j]
    state.wins[j, i] += lost
    changed = update_pair(state, at, i, j, 0.0)
    state.wins[j, i] -= lost
    state.wins[i, j] += lost
    changed = update_pair(state, at, j, i, 0.0) or changed
    state.wins[i, j] -= lost
    state.clear[i, j] = is_clear(state, at, i, j, 0.0)
    state.clear[j, i] = is_clear(state, at, j, i, 0.0)
    return changed


@kernel
def count_answer(state, i, j, said):
    """Count an answer that is there."""
    if said == WON:
        state.wins[i, j] += 1
    else:
        state.wins[j, i] += 1


@kernel
def count_first(state, queue, at, n, vote):
    """Count the first people of the queue, and let the others move up."""
    for person in range(n):
        for b in range(len(queue.said[person])):
            i, j = queue.pairs[person, b, 0], queue.pairs[person, b, 1]
            said = queue.said[person, b]
            if said == OPEN:
                queue.missing[i, j] += 1
                queue.missing[j, i] += 1
            else:
                count_answer(state, i, j, said)
            look(state, queue, at, i, j, vote)
        conclude(state, at, 0.0)
        compare_with_truth(state, vote, 0.0)
    left = queue.number[0] - n
    for person in range(left):
        for b in range(len(queue.said[person])):
            queue.pairs[person, b, 0] = queue.pairs[person + n, b, 0]
            queue.pairs[person, b, 1] = queue.pairs[person + n, b, 1]
            queue.said[person, b] = queue.said[person + n, b]
    queue.number[0] = left
    for seat in range(len(queue.seats)):
        if queue.seats[seat] >= 0:
            queue.seats[seat] = queue.seats[seat] - n if queue.seats[seat] >= n else COUNTED


@kernel
def welcome(state, queue, at, mode, wrong, types, rng, seat):
    """Let somebody arrive, with all ballots."""
    state.kind[seat] = pick(rng, types)
    state.dealt[seat] = 0
    person = queue.number[0]
    for b in range(len(state.asked[seat])):
        deal(state, at, mode, wrong, rng, seat)
        queue.pairs[person, b, 0] = state.asked[seat, b, 0]
        queue.pairs[person, b, 1] = state.asked[seat, b, 1]
        queue.said[person, b] = OPEN
        queue.own[seat, b] = OPEN
    queue.number[0] += 1
    queue.seats[seat] = person


@kernel
def next_ballot(state, queue, seat, place, habit, wrong, rng):
    """Return which ballot somebody answers next; -1 if this person has left or waits."""
    k = len(place)
    seen = False
    for b in range(len(queue.own[seat])):
        i, j = state.asked[seat, b, 0], state.asked[seat, b, 1]
        if queue.own[seat, b] != OPEN:
            seen = seen or i == k - 1 or j == k - 1
            continue
        if habit == LEAVE and seen and place[0] < place[1]:
            return -1
        loser = j if place[i] < place[j] else i
        if habit >= NEVER and loser == wrong and (habit == NEVER or rng.random() > 0.02):
            continue
        return b
    return -1


@kernel
def take(state, queue, at, seat, b, said, vote):
    """Take in an answer, and count whom it is worth counting."""
    answer(state, queue, at, seat, b, said, vote)
    if is_through(queue, seat):
        queue.seats[seat] = GONE
    count_first(state, queue, at, count_worthwhile(queue), vote)


@kernel
def answer(state, queue, at, seat, b, said, vote):
    """Take in an answer: of somebody who is counted, in the place of the missing one."""
    queue.own[seat, b] = said
    person = queue.seats[seat]
    if person >= 0:
        queue.said[person, b] = said
        return
    i, j = state.asked[seat, b, 0], state.asked[seat, b, 1]
    queue.missing[i, j] -= 1
    queue.missing[j, i] -= 1
    count_answer(state, i, j, said)
    look(state, queue, at, i, j, vote)
    conclude(state, at, 0.0)
    compare_with_truth(state, vote, 0.0)


@kernel
def look(state, queue, at, i, j, vote):
    """Weigh a pair, and note a wrong claim about it."""
    weigh_pair(state, queue, at, i, j)
    if claims_wrongly(state, at, i, j, 0.0) or claims_wrongly(state, at, j, i, 0.0):
        note(state, WRONG_PAIR, vote)


@kernel
def is_through(queue, seat):
    """Tell whether somebody has answered everything."""
    left = 0
    for b in range(len(queue.own[seat])):
        left += int(queue.own[seat, b] == OPEN)
    return left == 0


@kernel
def run_of(state, queue, at, places, n_votes, habit, mode, wrong, rng):
    """Let people come and answer, and look at the certificate whenever somebody is counted."""
    begin_epoch(state, at, 0.0)
    for vote in range(1, n_votes + 1):
        seat = pick(rng, len(queue.seats))
        if queue.seats[seat] == GONE:
            if queue.number[0] == len(queue.said):
                count_first(state, queue, at, count_worthwhile(queue), vote)
            welcome(state, queue, at, mode, wrong, len(places), rng, seat)
        place = places[state.kind[seat]]
        b = next_ballot(state, queue, seat, place, habit, wrong, rng)
        if b < 0:
            if habit != LATE or rng.random() < 0.01:
                queue.seats[seat] = GONE  # who waits for ever has left
            continue
        i, j = state.asked[seat, b, 0], state.asked[seat, b, 1]
        take(state, queue, at, seat, b, WON if place[i] < place[j] else LOST, vote)


def measure(crowd: Crowd, mode: str, runs: int, seed: int = 0) -> np.ndarray:
    """Return the vote at which each event happened first, runs x 5; 0 where it never did."""
    places, p = crowd.types
    world = World(
        crowd.name, p, crowd.votes, rankings=places, ballots=crowd.ballots, crowd=crowd.present
    )
    k, first = len(p), np.zeros((runs, 5), np.int64)
    at = Levels(*map(float, levels(k, DELTA)))
    wrong = 1 if crowd.habit == LEAVE else runner_up(world)
    for run in range(runs):
        state = new_watch(world)
        noise = stream(seed, "false-people", crowd.name, mode, run)
        compiled(run_of)(
            state,
            new_queue(crowd, k),
            at,
            places,
            crowd.votes,
            crowd.habit,
            MODES[mode],
            wrong,
            noise,
        )
        first[run] = state.first
    return first


def world_of(crowd: Crowd) -> World:
    places, p = crowd.types
    seats = {"ballots": crowd.ballots, "crowd": crowd.present}
    return World(crowd.name, p, crowd.votes, rankings=places, **seats)


def new_queue(crowd: Crowd, k: int) -> Queue:
    return Queue(
        pairs=np.zeros((WAITING, crowd.ballots, 2), np.int64),
        said=np.zeros((WAITING, crowd.ballots), np.int64),
        number=np.zeros(1, np.int64),
        seats=np.full(crowd.present, GONE),
        own=np.zeros((crowd.present, crowd.ballots), np.int64),
        missing=np.zeros((k, k), np.int64),
    )


def crowds() -> list[Crowd]:
    """Return what is measured."""
    any_of_3 = of_voters(list(permutations(range(3))))
    any_of_5 = of_voters(list(permutations(range(5))))
    turns_of_5 = of_voters([np.roll(np.arange(5), s) for s in range(5)])
    two_sides = of_voters([[0, 1, 2]] * 51 + [[1, 0, 2]] * 50)
    types_of_5 = of_voters([stream(0, "types", t).permutation(5) for t in range(25)])
    types_of_12 = of_voters([stream(1, "types", t).permutation(12) for t in range(40)])
    leavers = of_voters([[0, 1, 2]] * 60 + [[1, 0, 2]] * 40)
    foreseen = of_voters([[0, 1, 2, 3], [1, 0, 3, 2]])  # who prefers 2 to 3 prefers 0 to 1
    return [
        Crowd("any ranking of 3", any_of_3, 3, 8),
        Crowd("any ranking of 5", any_of_5, 4, 30),
        Crowd("51 types for one of 3 and 50 for another", two_sides, 3, 8),
        Crowd("25 types on 5", types_of_5, 8, 30),
        Crowd("40 types on 12", types_of_12, 4, 30),
        Crowd("a turn of one ranking of 5", turns_of_5, 4, 30, votes=5_000),
        Crowd("60 % prefer 0 to 1, and leave once they have seen 2", leavers, 3, 8, LEAVE),
        Crowd("25 types on 5, who give no answer against the wrong option", types_of_5, 4, 30, NEVER),
        Crowd("any ranking of 5, answers against one option come late", any_of_5, 4, 30, LATE),
        Crowd("who prefers 2 to 3 prefers 0 to 1, answers against one option come late", foreseen, 3, 20, LATE),
    ]  # fmt: skip


@kernel
def wrong_after_undoing(won, kept, all_against):
    """Tell whether two even options are ever told apart, by the votes that stand and by all.

    Each vote is undone when ``kept`` later ones have come, or at once if it speaks against 0 and ``all_against``.
    """
    level = np.log(2.0 / 0.05)
    w = l = uw = ul = 0
    for n in range(len(won)):
        if won[n]:
            w += 1
        elif all_against:
            ul += 1
        else:
            l += 1
        if not all_against and n >= kept:
            if won[n - kept]:
                w, uw = w - 1, uw + 1
            else:
                l, ul = l - 1, ul + 1
        for a, b, ua, ub in ((w, l, uw, ul), (l, w, ul, uw)):
            stands = log_evidence(float(a), float(b), 0.0, 0.0)
            if stands >= level and log_evidence(float(a + ua), float(b + ub), 0.0, 0.0) >= level:
                return True
    return False


def undoing(runs: int):
    """Yield rows of two even options whose votes are undone."""
    for name, kept, against in (
        ("two even options, each vote undone when 200 later ones have come", 200, False),
        ("two even options, every vote for one of them undone", 0, True),
    ):
        wrong = sum(
            compiled(wrong_after_undoing)(stream(0, name, run).random(20_000) < 0.5, kept, against)
            for run in range(runs)
        )
        share = f"{wrong / runs:.4f}".rstrip("0").rstrip(".")
        yield f"| {name} | 20,000 | U | {runs:,} | {share} | {share} | {share} | | {share} | {share} |"


def false_people(runs: int = RUNS, only: str = ""):
    """How often certificates are wrong where people vote."""
    yield "## False certificates of people"
    yield (
        f"The same where people vote, at delta = {DELTA}: each is dealt all pairs on arrival, by an adversary who knows every answer "
        "so far; people answer in any order and count in the order of arrival. Some leave, or answer late, because "
        "of the options. The last rows undo votes."
    )
    yield ""
    yield "| people | votes | pairs | runs | certified | wrong best | wrong all | ruled out | wrong pair | anything |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for crowd in crowds():
        for mode in crowd.modes if only in crowd.name else "":
            began = time.perf_counter()
            happened = measure(crowd, mode, runs) > 0
            rates = (*happened.mean(axis=0), happened[:, WRONG_BEST:].any(axis=1).mean())
            print(f"{crowd.name} {mode}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
            shown = " | ".join(f"{rate:.4f}".rstrip("0").rstrip(".") for rate in rates)
            yield f"| {crowd.name}, {crowd.ballots} dealt, {crowd.present} present | {crowd.votes:,} | {mode} | {runs:,} | {shown} |"
    if only in "undo":
        yield from undoing(runs)


def main():
    """Print the table, of fewer runs or of some crowds alone if so told."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for line in false_people(runs, *sys.argv[2:3]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
