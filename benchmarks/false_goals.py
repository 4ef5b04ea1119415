"""How often certificates of the best few and of a baseline are wrong: `python -m benchmarks.false_goals`.

Looked at after every vote, as :mod:`benchmarks.false_certificates` does for one winner; tests hold it against
:func:`copeland.certify`.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

from benchmarks.false_certificates import (
    DELTA,
    EDGE,
    MODES,
    RUNS,
    Watch,
    World,
    answer,
    begin_epoch,
    cycle,
    even,
    new_watch,
    next_question,
    note,
    of_voters,
    order,
)
from benchmarks.watched_certificate import update_pair
from copeland.kernels import compiled, kernel
from copeland.kernels.vote_evidence import baseline_level, levels
from copeland.support.rng import stream

PROVED, WRONG_TOP, WRONG_BASELINE = range(3)  # what can happen at a vote for the first time


@dataclass(frozen=True)
class Cell:
    """A world, and how many are to be proved the best."""

    world: World
    top: int


@kernel
def is_top_proved(state, top, chosen):
    """Mark the options of the largest lower bounds; tell whether these reach the upper bounds of all others."""
    k = state.k[0]
    chosen[:] = False
    for _ in range(top):
        best = -1
        for i in range(k):
            higher = best >= 0 and (state.lower[i], state.upper[i]) <= (
                state.lower[best],
                state.upper[best],
            )
            if not chosen[i] and not higher:
                best = i
        chosen[best] = True
    least, most = k, -1
    for i in range(k):
        if chosen[i]:
            least = min(least, state.lower[i])
        else:
            most = max(most, state.upper[i])
    return least >= most


@kernel
def compare_with_truth(state, top, vote):
    """Note whether the best few are proved, and wrongly: one outside beats more than one of them does, at best."""
    chosen = state.best
    if not is_top_proved(state, top, chosen):
        return
    note(state, PROVED, vote)
    for i in range(state.k[0]):
        for j in range(state.k[0]):
            if chosen[i] and not chosen[j] and state.most_won[j] > state.least_won[i]:
                note(state, WRONG_TOP, vote)


@kernel
def claims_baseline_wrongly(state, level, i, j, margin):
    """Tell whether one of a pair, of which one is the baseline, is wrongly claimed to be better, or not worse."""
    close = state.evidence[i, j] >= level
    return close and state.p[i, j] <= 0.5 - margin + EDGE


@kernel
def run_of(
    state, at, level, rankings, n_votes, crowd, tie, margin, top, baseline, mode, wrong, rng
):
    """Vote, and look after every vote."""
    begin_epoch(state, at, margin)
    for vote in range(n_votes):
        voter, i, j = next_question(state, at, mode, wrong, rankings, crowd, rng)
        answer(state, rankings, voter, tie, i, j, rng)
        changed = update_pair(state, at, i, j, margin)
        changed = update_pair(state, at, j, i, margin) or changed
        if changed:
            compare_with_truth(state, top, vote + 1)
        if (i == baseline or j == baseline) and (
            claims_baseline_wrongly(state, level, i, j, margin)
            or claims_baseline_wrongly(state, level, j, i, margin)
        ):
            note(state, WRONG_BASELINE, vote + 1)


def run_once(cell: Cell, mode: str, run: int, seed: int = 0) -> Watch:
    """Return the votes of one run, and what happened at which of them."""
    world, k = cell.world, len(cell.world.p)
    state = new_watch(world)
    compiled(run_of)(
        state,
        levels(k, DELTA, 0, world.crowd > 0, margin=world.margin, top=cell.top),
        baseline_level(k, DELTA),
        world.rankings,
        world.votes,
        world.crowd,
        world.tie,
        world.margin,
        cell.top,
        0,
        MODES[mode],
        first_outside(cell),
        stream(seed, "false-goals", world.name, cell.top, mode, run),
    )
    return state


def first_outside(cell: Cell) -> int:
    """The best option that does not belong to the top."""
    scores = (cell.world.p > 0.5 + EDGE).sum(axis=1)
    return int(np.argsort(-scores, kind="stable")[cell.top])


def near_third(k: int, gap: float) -> np.ndarray:
    """An order with wide gaps, in which the third and the fourth are close to each other and to all below."""
    p = order(k, 0.2)
    p[2, 3:], p[3:, 2] = 0.5 + gap, 0.5 - gap
    p[3, 4:], p[4:, 3] = 0.5 + gap, 0.5 - gap
    return p


def even_third(k: int, gap: float) -> np.ndarray:
    """An order with wide gaps, but for one: who is third and who is fourth is nearly even."""
    p = order(k, 0.2)
    p[2, 3], p[3, 2] = 0.5 + gap, 0.5 - gap
    return p


def cells() -> list[Cell]:
    """Return what is measured."""
    any_of_5, even_5 = of_voters([np.random.default_rng(t).permutation(5) for t in range(60)])
    return [
        Cell(World("all 1/2, K = 5", even(5), 20_000, modes="UA"), 2),
        Cell(World("all 1/2, K = 20", even(20), 30_000, modes="UA"), 3),
        Cell(World("order of 5 at .502", order(5, 0.002), 20_000), 3),
        Cell(World("order of 8 at .51", order(8, 0.01), 20_000), 3),
        Cell(World("third and fourth of 8 at .502", near_third(8, 0.002), 20_000), 3),
        Cell(World("order of 8 at .7, third over fourth at .502", even_third(8, 0.002), 20_000), 3),
        Cell(World("third and fourth of 20 at .51", near_third(20, 0.01), 30_000), 3),
        Cell(World("cycle of 9 at .52", cycle(9, 0.02), 20_000), 3),
        Cell(World("order of 12 at .505", order(12, 0.005), 20_000), 6),
        Cell(World("order of 6 at .55, 30 % ties, margin .05", order(6, 0.05), 20_000, 0.3, 0.05), 2),
        Cell(World("60 types of voters on 5, 4 votes each", even_5, 20_000, rankings=any_of_5, ballots=4), 2),
    ]  # fmt: skip


def false_goals(runs: int = RUNS, only: str = ""):
    """How often certificates of the best few and of a baseline are wrong, looked at after every vote."""
    yield "## False certificates of the best few, and of a baseline"
    yield (
        f"The share of runs in which a certificate with delta = {DELTA} was wrong at some vote. Pairs are chosen uniformly (U), by an "
        "adversary that feeds what is nearest to a claim (A), or by one that works for the first option that does "
        "not belong to the top (W). "
        "*Wrong top*: an option outside beats more than one inside. *Wrong baseline*: of the claims about option 0, one was wrong."
    )
    yield ""
    yield "| problem | top | votes | pairs | runs | proved | wrong top | wrong baseline |"
    yield "|---|---|---|---|---|---|---|---|"
    for cell in cells():
        for mode in cell.world.modes if only in cell.world.name else "":
            began = time.perf_counter()
            first = np.array([run_once(cell, mode, run).first[:3] for run in range(runs)])
            print(f"{cell.world.name} {mode}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
            rates = (f"{rate:.4f}".rstrip("0").rstrip(".") for rate in (first > 0).mean(axis=0))
            yield (
                f"| {cell.world.name} | {cell.top} | {cell.world.votes:,} | {mode} | {runs:,} | {' | '.join(rates)} |"
            )


def main():
    """Print the table, of fewer runs or of some problems alone if so told."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for line in false_goals(runs, *sys.argv[2:3]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
