"""How often a certificate is wrong, if one looks after every vote: `python -m benchmarks.false_certificates`.

The certificate is kept up to date vote by vote (:mod:`benchmarks.watched_certificate`). Tests hold it
against :func:`copeland.certificate.certificate.certify`.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

import copeland
from benchmarks.watched_certificate import begin, judge, largest_other, update_pair
from copeland.kernels import compiled, kernel, pick
from copeland.kernels.vote_evidence import Levels, levels, log_evidence
from copeland.support.rng import stream

DELTA = 0.05
RUNS = 2_000
UNLIKELY = -1e6  # how near to a claim a pair is in which the wrong side leads
EDGE = 1e-9  # p this close to 1/2 + margin is at it: not above

UNIFORM, ROW, WRONG = 0, 1, 2  # who chooses the pairs; see next_pair
MODES = {"U": UNIFORM, "A": ROW, "W": WRONG}

# What can happen at a vote for the first time; the columns of what `measure` returns.
CERTIFIED, WRONG_BEST, WRONG_ALL, WRONG_RIVAL, WRONG_PAIR = range(5)


@dataclass(frozen=True)
class World:
    """Who answers, and what is said about it."""

    name: str
    p: np.ndarray  # K x K: P(win) + P(tie) / 2
    votes: int
    tie: float = 0.0
    margin: float = 0.0
    start: int = 0  # options at first, the rest are added when evidence is near a claim; 0: all
    lead: float = (
        0.0  # an added option beats the one that leads then by this, and ties with the rest
    )
    rankings: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    ballots: int = 1  # of a voter, who has one of the rankings and answers by it
    crowd: int = 0  # voters at a time, each asked by what the others said; 0: one, whose ballots are dealt at once
    modes: str = "UAW"


class Watch(NamedTuple):
    """The votes of one run, the certificate that they give, and what is wrong with it."""

    p: np.ndarray
    wins: np.ndarray
    ties: np.ndarray
    evidence: np.ndarray
    depth: np.ndarray  # K x K: how many of the levels x_w(0), x_w(1), ... the evidence reaches
    at_depth: np.ndarray  # K x K: how many options of a row have which depth
    strength: np.ndarray  # K: sum of a row's evidence, each from 0 to x_w(0)
    lower: np.ndarray
    upper: np.ndarray
    best: np.ndarray
    is_all: np.ndarray  # (1,)
    clear: np.ndarray  # K x K: proved to beat by more than the margin
    k: np.ndarray  # (1,): options so far
    least_won: np.ndarray  # K: options really beaten, ties within the margin counted
    most_won: np.ndarray  # K: the same, ties within the margin not counted
    asked: np.ndarray  # seats x ballots x 2: what the voters at hand are asked
    dealt: np.ndarray  # seats: how many ballots each has so far
    said: np.ndarray  # seats: and how many of them are answered
    kind: np.ndarray  # seats: the voter's ranking
    first: np.ndarray  # (5,): the vote at which something happened first; 0: never


def new_watch(world: World) -> Watch:
    k = len(world.p)
    return Watch(
        p=world.p.copy(),
        wins=np.zeros((k, k), np.int64),
        ties=np.zeros((k, k), np.int64),
        evidence=np.full((k, k), -np.inf),
        depth=np.zeros((k, k), np.int64),
        at_depth=np.zeros((k, k), np.int64),
        strength=np.zeros(k),
        lower=np.zeros(k, np.int64),
        upper=np.zeros(k, np.int64),
        best=np.zeros(k, np.bool_),
        is_all=np.zeros(1, np.bool_),
        clear=np.zeros((k, k), np.bool_),
        k=np.array([world.start or k]),
        least_won=np.zeros(k, np.int64),
        most_won=np.zeros(k, np.int64),
        asked=np.zeros((max(world.crowd, 1), world.ballots, 2), np.int64),
        dealt=np.zeros(max(world.crowd, 1), np.int64),
        said=np.zeros(max(world.crowd, 1), np.int64),
        kind=np.zeros(max(world.crowd, 1), np.int64),
        first=np.zeros(5, np.int64),
    )


def levels_of(world: World) -> np.ndarray:
    """The levels of every epoch: row e is a Levels, for as many options as there are then."""
    k = len(world.p)
    dependent = world.crowd > 0
    if not world.start:
        return np.array([levels(k, DELTA, 0, dependent, margin=world.margin)])
    return np.array(
        [levels(world.start + e, DELTA, 1 + e, dependent) for e in range(k - world.start + 1)]
    )


@kernel
def levels_at(table, e):
    row = table[e]
    return Levels(row[0], row[1], row[2], row[3], row[4], row[5], row[6])


@kernel
def begin_epoch(state, at, margin):
    """Judge everything anew, for as many options as there are now."""
    k = state.k[0]
    for i in range(k):
        state.least_won[i] = 0
        state.most_won[i] = 0
        for j in range(k):
            if i != j:
                state.least_won[i] += int(state.p[i, j] > 0.5 - margin + EDGE)
                state.most_won[i] += int(state.p[i, j] > 0.5 + margin + EDGE)
    begin(state, at, margin)
    for i in range(k):
        for j in range(k):
            state.clear[i, j] = i != j and is_clear(state, at, i, j, margin)


@kernel
def is_clear(state, at, i, j, margin):
    """Tell whether i is proved to beat j by more than the margin."""
    wins, losses, ties = state.wins[i, j], state.wins[j, i], state.ties[i, j]
    if margin == 0.0:
        return state.evidence[i, j] >= at.pair
    close = state.evidence[i, j] >= at.pair
    beats = close and log_evidence(wins, losses, ties, 0.0) >= at.exact
    return beats and log_evidence(wins, losses, ties, -margin) >= at.exact


@kernel
def is_ruled_out(state, i, margin):
    """Tell whether some option is sure to beat more than i does, by clear wins or, without a margin, by the verdict."""
    k = state.k[0]
    most, clear_wins = 0, 0
    for j in range(k):
        if margin == 0.0:
            most = max(most, state.lower[j])
        clear_wins = 0
        for other in range(k):
            clear_wins += int(state.clear[j, other])
        most = max(most, clear_wins)
    losses = 0
    for j in range(k):
        losses += int(state.clear[j, i])
    return k - 1 - losses < most


@kernel
def conclude(state, at, margin):
    """Judge; without a margin, those proved best are also all if every other is ruled out. Return how many they are."""
    n_best = judge(state, at, margin)
    if margin == 0.0 and n_best > 0 and not state.is_all[0]:
        state.is_all[0] = True
        for i in range(state.k[0]):
            if not state.best[i] and not is_ruled_out(state, i, margin):
                state.is_all[0] = False
    return n_best


@kernel
def compare_with_truth(state, vote, margin):
    """Note what is wrong for the first time."""
    k = state.k[0]
    winner = 0  # the first of the true winners
    for i in range(k):
        if state.most_won[i] > state.most_won[winner]:
            winner = i
    for i in range(k):
        is_best = state.least_won[i] >= state.most_won[winner]
        if is_best and is_ruled_out(state, i, margin):
            note(state, WRONG_RIVAL, vote)
    top = max(state.least_won[0], largest_other(state.least_won, 0, k))
    for i in range(k):
        if state.best[i]:
            note(state, CERTIFIED, vote)
            false_wins = state.lower[i] > state.least_won[i]
            if false_wins or state.least_won[i] < state.most_won[winner]:
                note(state, WRONG_BEST, vote)
        elif state.is_all[0] and state.most_won[i] >= top:
            note(state, WRONG_ALL, vote)


@kernel
def note(state, event, vote):
    if state.first[event] == 0:
        state.first[event] = vote


@kernel
def claims_wrongly(state, at, i, j, margin):
    """Tell whether a claim about this pair alone is made that is wrong."""
    close = state.evidence[i, j] >= at.pair
    if close and state.p[i, j] <= 0.5 - margin + EDGE:
        return True
    if margin > 0.0 and state.p[i, j] <= 0.5 + EDGE:
        exact = log_evidence(state.wins[i, j], state.wins[j, i], state.ties[i, j], 0.0)
        return close and exact >= at.exact
    return state.clear[i, j] and state.p[i, j] <= 0.5 + margin + EDGE


@kernel
def next_pair(state, at, mode, wrong, rng, seat):
    """Return a pair: uniform, or one that seems to lead to a claim (of a wrong option, if so wanted).

    That is the pair nearest to a claim in the row that looks best; with none to win in it, the loss
    nearest to one of some other option. The voter on a seat is asked no pair twice.
    """
    k = state.k[0]
    if mode != UNIFORM:
        row = min(wrong, k - 1)
        if mode == ROW:
            for i in range(k):
                if state.strength[i] > state.strength[row]:
                    row = i
        first, second, nearest = row, -1, UNLIKELY
        for j in range(k):
            if j != row and state.depth[row, j] == 0:
                near = closeness(state, row, j)
                if near > nearest and not was_asked(state, row, j, seat):
                    second, nearest = j, near
        if second >= 0:
            return first, second
        loser = pick(rng, k)
        for i in range(k):
            if loser != row and loser != i and state.evidence[i, loser] < at.all + 2.0:
                near = closeness(state, i, loser)
                if near > nearest and not was_asked(state, i, loser, seat):
                    first, second, nearest = i, loser, near
        if second >= 0:
            return first, second
    while True:
        first = pick(rng, k)
        second = pick(rng, k - 1)
        second += int(second >= first)
        if not was_asked(state, first, second, seat):
            return first, second


@kernel
def was_asked(state, i, j, seat):
    for b in range(state.dealt[seat]):
        a, c = state.asked[seat, b, 0], state.asked[seat, b, 1]
        if (a == i and c == j) or (a == j and c == i):
            return True
    return False


@kernel
def closeness(state, i, j):
    """How near i over j is to be claimed: by the evidence, or by the lead where there is none."""
    if state.evidence[i, j] > -np.inf:
        return state.evidence[i, j]
    return UNLIKELY + 1.0 + state.wins[i, j] - state.wins[j, i]


@kernel
def answer(state, rankings, voter, tie, i, j, rng):
    """Count a vote of one pair."""
    if len(rankings) > 0:
        i_wins = rankings[voter, i] < rankings[voter, j]
    else:
        u = rng.random()
        if u < tie:
            state.ties[i, j] += 1
            state.ties[j, i] += 1
            return
        i_wins = u < tie / 2 + state.p[i, j]
    if i_wins:
        state.wins[i, j] += 1
    else:
        state.wins[j, i] += 1


@kernel
def next_question(state, at, mode, wrong, rankings, crowd, rng):
    """Return who is asked next, and the pair.

    One voter after the other is dealt all ballots before the first answer. In a crowd a pair is chosen
    when its turn comes, by the votes of all others.
    """
    seat = pick(rng, crowd) if crowd > 0 else 0
    ballots = len(state.asked[seat])
    if state.said[seat] == 0 or state.said[seat] == ballots:  # somebody new
        state.kind[seat] = pick(rng, max(len(rankings), 1))
        state.dealt[seat] = state.said[seat] = 0
    if crowd > 0:
        take_own(state, at, rankings, seat, -1)
        deal(state, at, mode, wrong, rng, seat)
        take_own(state, at, rankings, seat, 1)
    while state.dealt[seat] < ballots and crowd == 0:
        deal(state, at, mode, wrong, rng, seat)
    i, j = state.asked[seat, state.said[seat], 0], state.asked[seat, state.said[seat], 1]
    state.said[seat] += 1
    return state.kind[seat], i, j


@kernel
def deal(state, at, mode, wrong, rng, seat):
    i, j = next_pair(state, at, mode, wrong, rng, seat)
    state.asked[seat, state.dealt[seat], 0] = i
    state.asked[seat, state.dealt[seat], 1] = j
    state.dealt[seat] += 1


@kernel
def take_own(state, at, rankings, seat, step):
    """Put the votes of a voter back, or leave them out."""
    place = rankings[state.kind[seat]]
    for b in range(state.said[seat]):
        i, j = state.asked[seat, b, 0], state.asked[seat, b, 1]
        if place[i] < place[j]:
            state.wins[i, j] += step
        else:
            state.wins[j, i] += step
        update_pair(state, at, i, j, 0.0)
        update_pair(state, at, j, i, 0.0)


@kernel
def add_option(state, lead):
    """Add an option that beats the one that looks best by ``lead``, and ties with the rest."""
    k = state.k[0]
    leader = 0
    for i in range(k):
        state.p[i, k] = state.p[k, i] = 0.5
        if state.strength[i] > state.strength[leader]:
            leader = i
    state.p[k, leader] = 0.5 + lead
    state.p[leader, k] = 0.5 - lead
    state.k[0] = k + 1


@kernel
def run_of(state, table, rankings, n_votes, crowd, tie, margin, lead, mode, wrong, rng):
    """Vote, and look at the certificate after every vote."""
    epoch = 0
    at = levels_at(table, 0)
    begin_epoch(state, at, margin)
    n_best = 0
    for vote in range(n_votes):
        voter, i, j = next_question(state, at, mode, wrong, rankings, crowd, rng)
        answer(state, rankings, voter, tie, i, j, rng)
        changed = update_pair(state, at, i, j, margin)
        changed = update_pair(state, at, j, i, margin) or changed
        before = state.clear[i, j] or state.clear[j, i]
        state.clear[i, j] = is_clear(state, at, i, j, margin)
        state.clear[j, i] = is_clear(state, at, j, i, margin)
        changed = changed or before != (state.clear[i, j] or state.clear[j, i])
        if changed or n_best > 0:
            n_best = conclude(state, at, margin)
            compare_with_truth(state, vote + 1, margin)
        if claims_wrongly(state, at, i, j, margin) or claims_wrongly(state, at, j, i, margin):
            note(state, WRONG_PAIR, vote + 1)
        near = max(state.evidence[i, j], state.evidence[j, i]) > 0.75 * at.win
        if near and state.k[0] < len(state.p):
            add_option(state, lead)
            epoch += 1
            at = levels_at(table, epoch)
            begin_epoch(state, at, margin)
            n_best = conclude(state, at, margin)
            compare_with_truth(state, vote + 1, margin)


def measure(world: World, mode: str, runs: int, seed: int = 0) -> np.ndarray:
    """Return the vote at which each event happened first, runs x 5; 0 where it never did."""
    first = np.zeros((runs, 5), np.int64)
    table = levels_of(world)
    wrong = runner_up(world)
    for run in range(runs):
        state = new_watch(world)
        compiled(run_of)(
            state,
            table,
            world.rankings,
            world.votes,
            world.crowd,
            world.tie,
            world.margin,
            world.lead,
            MODES[mode],
            wrong,
            stream(seed, "false-certificates", world.name, mode, run),
        )
        first[run] = state.first
    return first


def runner_up(world: World) -> int:
    """The wrong option that is nearest to being right."""
    scores = (world.p > 0.5 + EDGE).sum(axis=1)
    return int(np.where(scores < scores.max(), scores, -1).argmax())


def even(k: int) -> np.ndarray:
    return np.full((k, k), 0.5)


def tournament(k: int, beats, gap: float) -> np.ndarray:
    """``beats(i, j)`` says whether i beats j, for i < j; every gap is the same."""
    p = even(k)
    for i in range(k):
        for j in range(i + 1, k):
            p[i, j] = 0.5 + gap if beats(i, j) else 0.5 - gap
            p[j, i] = 1 - p[i, j]
    return p


def cycle(k: int, gap: float) -> np.ndarray:
    """Everybody beats the next half of the others."""
    return tournament(k, lambda i, j: j - i <= (k - 1) // 2, gap)


def order(k: int, gap: float) -> np.ndarray:
    return tournament(k, lambda i, j: True, gap)


def near_tie() -> np.ndarray:
    """An order of five, whose winner has two rivals at .498."""
    p = order(5, 0.2)
    p[0, 1:3], p[1:3, 0] = 0.502, 0.498
    return p


def near_winner() -> np.ndarray:
    """0 beats everybody by .02, 1 the rest by .1; the rest are even, but 2 beats 3."""
    p = even(5)
    p[0, 1:], p[1:, 0] = 0.52, 0.48
    p[1, 2:], p[2:, 1] = 0.6, 0.4
    p[2, 3], p[3, 2] = 0.56, 0.44
    return p


def one_flip() -> np.ndarray:
    """A cycle of five with one pair turned over: one winner, the others one or two behind."""
    p = cycle(5, 0.02)
    p[0, 1], p[1, 0] = p[1, 0], p[0, 1]
    return p


def of_voters(rankings) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the options in each ranking, and the p that such voters give."""
    place = np.argsort(np.array(rankings), axis=1)
    p = (place[:, :, None] < place[:, None, :]).mean(axis=0)
    np.fill_diagonal(p, 0.5)
    return place, p


def worlds() -> list[World]:
    """Return what is measured."""
    any_of_3, even_3 = of_voters(list(permutations(range(3))))
    any_of_5, even_5 = of_voters(list(permutations(range(5))))
    turns_of_5, cyclic_5 = of_voters([np.roll(np.arange(5), s) for s in range(5)])
    two_sides, close_3 = of_voters([[0, 1, 2]] * 51 + [[1, 0, 2]] * 50)
    types_of_5, mixed_5 = of_voters([stream(0, "types", t).permutation(5) for t in range(25)])
    listed = [
        World("two options at 1/2", even(2), 50_000, modes="U"),
        World("all 1/2, K = 3", even(3), 20_000, modes="UA"),
        World("all 1/2, K = 5", even(5), 20_000, modes="UA"),
        World("all 1/2, K = 20", even(20), 30_000, modes="UA"),
        World("rock-paper-scissors .6", cycle(3, 0.1), 5_000, modes="UA"),
        World("rock-paper-scissors .505", cycle(3, 0.005), 20_000, modes="UA"),
        World("cycle of 5 at .6", cycle(5, 0.1), 10_000, modes="UA"),
        World("31 winners: cycle of 31 at .51", cycle(31, 0.01), 20_000, modes="UA"),
        World("near tie, K = 5, two rivals at .498", near_tie(), 20_000),
        World("order of 5 at .502", order(5, 0.002), 20_000),
        World("cycle of 5 at .52, one pair turned", one_flip(), 20_000),
        World("two at .45, 30 % ties, margin .05", order(2, 0.05), 50_000, 0.3, 0.05, modes="U"),
        World("order of 5 at .55, 30 % ties, margin .05", order(5, 0.05), 20_000, 0.3, 0.05),
        World("cycle of 3 at .55, 60 % ties, margin .05", cycle(3, 0.05), 20_000, 0.6, 0.05, modes="UA"),
        World("all 1/2, 30 % ties, margin .05, K = 5", even(5), 20_000, 0.3, 0.05, modes="UA"),
        World("near winner of 5, margin .05", near_winner(), 20_000, margin=0.05),
        World("all 1/2, 2 options and 4 added", even(6), 20_000, start=2, modes="UA"),
        World("all 1/2, 5 options and 4 added", even(9), 20_000, start=5, modes="UA"),
        World("4 added, each beats the leader by .01", even(6), 20_000, start=2, lead=0.01),
        World("voters with any ranking of 3, 3 votes each", even_3, 20_000, rankings=any_of_3, ballots=3, modes="UA"),
        World("voters with any ranking of 5, 4 votes each", even_5, 20_000, rankings=any_of_5, ballots=4),
        World("voters with a turn of one ranking of 5, 4 votes each", cyclic_5, 5_000, rankings=turns_of_5, ballots=4),
        World("crowd of 4 with any ranking of 3, 3 votes each", even_3, 20_000, rankings=any_of_3, ballots=3, crowd=4),
        World("crowd of 4 with any ranking of 5, 6 votes each", even_5, 20_000, rankings=any_of_5, ballots=6, crowd=4),
        World("crowd of 4, 51 types for one of 3 and 50 for another, 3 votes each", close_3, 20_000, rankings=two_sides, ballots=3, crowd=4),
        World("crowd of 8, 25 types of voters on 5, 8 votes each", mixed_5, 20_000, rankings=types_of_5, ballots=8, crowd=8),
        World("crowd of 4 with a turn of one ranking of 5, 6 votes each", cyclic_5, 5_000, rankings=turns_of_5, ballots=6, crowd=4),
        World("all 1/2, K = 136", even(136), 20_000, modes="UA"),
    ]  # fmt: skip
    real = Path(os.environ.get("COPELAND_TEST_DATA", ""), "matrices", "mslr_informational_136.csv")
    if real.is_file():
        listed.append(World("136 rankers of MSLR", copeland.load(str(real)).p, 20_000))
    return listed


def false_certificates(runs: int = RUNS, only: str = ""):
    """How often certificates are wrong, looked at after every vote."""
    yield "## False certificates"
    yield (
        f"The share of runs in which a certificate with delta = {DELTA}, looked at after every vote, was wrong at some "
        "vote. Pairs are chosen uniformly (U), by an adversary that feeds what is nearest to a claim (A), or by one "
        "that works for the wrong option nearest to being right (W). *Certified*: some option was proved best. "
        "*Wrong best*: it is not best, or has fewer wins than claimed. *Wrong all*: a winner was left out. "
        "*Ruled out*: a true winner was ruled out; with a margin, an option that is best up to it. *Wrong pair*: a "
        "statement about a single pair "
        "was wrong. *Anything*: one of all these, which delta bounds."
    )
    yield ""
    yield "| problem | votes | pairs | runs | certified | wrong best | wrong all | ruled out | wrong pair | anything |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for world in worlds():
        for mode in world.modes if only in world.name else "":
            began = time.perf_counter()
            happened = measure(world, mode, runs) > 0
            rates = (*happened.mean(axis=0), happened[:, WRONG_BEST:].any(axis=1).mean())
            print(f"{world.name} {mode}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
            shown = " | ".join(f"{rate:.4f}".rstrip("0").rstrip(".") for rate in rates)
            yield f"| {world.name} | {world.votes:,} | {mode} | {runs:,} | {shown} |"


def main():
    """Print the table, of fewer runs or of some problems alone if so told."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for line in false_certificates(runs, *sys.argv[2:3]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
