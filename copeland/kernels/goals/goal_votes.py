"""Votes as they come, one or many, of any pair at any time; options that come, pause or go on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.arrays import copy_row
from copeland.kernels.compiler.live import live
from copeland.kernels.goals.asking import put_in_order
from copeland.kernels.goals.goal_plans import rate
from copeland.kernels.goals.goal_state import ABOVE, KIND, NUMBER, TOP, GoalPlanner, new_planner
from copeland.kernels.goals.pair_prices import rate_strength, score_options
from copeland.kernels.goals.proofs import beats, find_best_few, update_proof
from copeland.kernels.mark import apart, kernel


@kernel
def take_in(planner, i, j, wins, losses, ties):
    """Count votes of a pair; once the goal is reached, name those that it is about."""
    count_votes(planner, i, j, wins, losses, ties)
    if planner.proved[0]:
        name_answer(planner)


@kernel
def count_votes(planner, i, j, wins, losses, ties):
    """Count votes of a pair, weigh its claims, and bring the plan up to date."""
    n = wins + losses + ties
    planner.wins[i, j] += wins
    planner.wins[j, i] += losses
    planner.ties[i, j] += ties
    planner.ties[j, i] += ties
    planner.points[i] += wins + ties / 2
    planner.points[j] += losses + ties / 2
    planner.votes[i] += n
    planner.votes[j] += n
    planner.counted[0] += n
    rate_strength(planner, i)
    rate_strength(planner, j)
    update_proof(planner, i, j)
    rate(planner, i, j)
    rate(planner, j, i)


@apart
def name_answer(planner):
    """Make those the set S that are proved the best few or better than the baseline, and put all in order."""
    score_options(planner)
    put_in_order(planner, False)
    if planner.goal[KIND] == TOP:
        find_best_few(planner)
        copy_row(planner.taken, planner.chosen)
    elif planner.goal[KIND] == ABOVE:
        for i in range(len(planner.points)):
            planner.chosen[i] = beats(planner, i, planner.goal[NUMBER])
    put_in_order(planner, True)


def with_votes(planner: GoalPlanner, wins: NDArray[Any], ties: NDArray[Any]) -> GoalPlanner:
    """Return the planner with these votes counted too: wins of i over j, and ties on both sides."""
    pairs = np.argwhere(np.triu((wins > 0) | (wins.T > 0) | (ties > 0), 1))
    i, j = pairs.T
    live(take_all)(planner, pairs, wins[i, j], wins[j, i], ties[i, j])
    return planner


@kernel
def take_all(planner, pairs, wins, losses, ties):
    """Count votes of these pairs, n x 2."""
    for at in range(len(pairs)):
        count_votes(planner, pairs[at, 0], pairs[at, 1], wins[at], losses[at], ties[at])
    planner.due[0] = True
    if planner.proved[0]:
        name_answer(planner)


def with_options(planner: GoalPlanner, k: int, levels: NDArray[np.float64]) -> GoalPlanner:
    """Return the planner with new options, up to ``k`` in all, and with these levels."""
    old = len(planner.points)
    kind, number = planner.goal.tolist()
    wider = new_planner(k, kind, number, float(planner.margin[0]))
    wider.levels[:], wider.promise[:] = levels, planner.promise
    wider.prior[:], wider.skipped[:] = planner.prior, planner.skipped
    wider.pending[:old, :old] = planner.pending
    wider.asking[:old], wider.chosen[:old] = planner.asking, planner.chosen
    counts = [np.zeros((k, k), np.int64) for _ in range(2)]
    counts[0][:old, :old], counts[1][:old, :old] = planner.wins, planner.ties
    return with_votes(wider, *counts)


@kernel
def pause(planner, option, paused):
    """Ask no more about an option, or ask again."""
    planner.asking[option] = not paused
    planner.due[0] = True
    for j in range(len(planner.points)):
        rate(planner, option, j)
        rate(planner, j, option)


@kernel
def pend(planner, i, j, change):
    """Count answers of a pair that are under way."""
    planner.pending[i, j] += change
    planner.pending[j, i] += change
    rate(planner, i, j)
    rate(planner, j, i)
