"""Votes as they come, one or many, of any pair at any time; options that come, pause or go on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.compiler.live import live
from copeland.kernels.goals.asking import name_answer
from copeland.kernels.goals.goal_plans import rate
from copeland.kernels.goals.goal_state import GoalPlanner, new_planner
from copeland.kernels.goals.pair_prices import rate_strength
from copeland.kernels.goals.proofs import Proof, count_votes
from copeland.kernels.mark import kernel


@kernel
def take_in(planner, i, j, wins, losses, ties):
    """Count votes of a pair; once the goal is reached, name those that it is about."""
    count(planner, i, j, wins, losses, ties)
    if planner.proof.proved[0]:
        name_answer(planner)


@kernel
def count(planner, i, j, wins, losses, ties):
    """Count votes of a pair, weigh its claims, and bring the plan up to date."""
    count_votes(planner.proof, i, j, wins, losses, ties)
    planner.counted[0] += wins + losses + ties
    rate_strength(planner, i)
    rate_strength(planner, j)
    rate(planner, i, j)
    rate(planner, j, i)


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
        count(planner, pairs[at, 0], pairs[at, 1], wins[at], losses[at], ties[at])
    planner.due[0] = True
    if planner.proof.proved[0]:
        name_answer(planner)


def with_options(planner: GoalPlanner, proof: Proof) -> GoalPlanner:
    """Return the planner with new options: ``proof`` is of all of them, without a vote."""
    old, k = len(planner.order), len(proof.points)
    wider = new_planner(proof)
    wider.promise[:] = planner.promise
    wider.prior[:], wider.skipped[:] = planner.prior, planner.skipped
    wider.pending[:old, :old] = planner.pending
    wider.asking[:old], wider.chosen[:old] = planner.asking, planner.chosen
    counts = [np.zeros((k, k), np.int64) for _ in range(2)]
    counts[0][:old, :old], counts[1][:old, :old] = planner.proof.wins, planner.proof.ties
    return with_votes(wider, *counts)


@kernel
def pause(planner, option, paused):
    """Ask no more about an option, or ask again."""
    planner.asking[option] = not paused
    planner.due[0] = True
    for j in range(len(planner.order)):
        rate(planner, option, j)
        rate(planner, j, option)


@kernel
def pend(planner, i, j, change):
    """Count answers of a pair that are under way."""
    planner.pending[i, j] += change
    planner.pending[j, i] += change
    rate(planner, i, j)
    rate(planner, j, i)
