"""Votes until the best three are proved, and until it is proved who is better than a baseline.

What was measured is kept, so that a measurement that was stopped goes on where it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

from copeland.algorithms import cpc_goal
from copeland.algorithms.cpc_goal import take_in
from copeland.forecast.races import PlannedRace
from copeland.forecast.start import Start
from copeland.kernels.compiler.compile import compile_kernel
from copeland.kernels.goals.goal_state import GoalPlanner
from copeland.kernels.goals.proofs import EXACT, NUMBER, levels_of
from copeland.kernels.loop import new_ledger
from copeland.kernels.mark import kernel
from copeland.kernels.vote_evidence import loss_level, win_level
from copeland.matrix import PreferenceMatrix
from copeland.problems import Problem, matrix_problem, problem_of, problem_of_run, redrawn
from copeland.registry import find
from copeland.simulation.cell import loop_for, sources
from copeland.support.arrays import Floats
from copeland.support.rng import stream
from copeland.support.tasks import Arrays, finish

FOLDER = Path(__file__).parent.parent / "out" / "goals"
RUNS = 20
MOST = 3_000_000  # votes of a run
DELTA = 0.05
POWER = 0.8

PLANNED, ONE_BY_ONE = "planned", "three winners"
ALL_PAIRS, ELIMINATION = "all pairs", "elimination"
WAYS = (PLANNED, ONE_BY_ONE, ELIMINATION, ALL_PAIRS)

# Of the leaderboard: the printed ones, tournaments, and those with 20 options.
PROBLEMS = (
    "cyclic-4",
    "mslr-5",
    "mslr-5-condorcet",
    "arxiv-6",
    "arithmetic-8",
    "tournament-7",
    "tournament-12",
    "order-20-0.1",
    "order-20-U(.01,.5)",
    "near-tie-20",
    "easy-20",
    "medium-20",
)


@dataclass(frozen=True)
class GoalRuns:
    """Some runs of one way of asking on one problem: the votes of each, and whether what was proved is so."""

    problem: str
    goal: str
    way: str
    runs: int = RUNS
    seed: int = 0

    def about(self) -> dict[str, Any]:
        """Return everything that the result depends on."""
        how = [self.problem, self.goal, self.way, self.runs, self.seed, MOST]
        rules = [sources(find(name)) for name in ("cpc-goal", "cpc-pac")]
        return {"kind": "goal", "how": how, "sources": rules}

    def run(self) -> Arrays:
        """Run all, one after the other."""
        worlds = [self._draw(run).world.p for run in range(self.runs)]
        done = [self._run(p, (self.seed, run)) for run, p in enumerate(worlds)]
        votes, right = zip(*done, strict=True)
        fixed = [fixed_votes(p) for p in worlds] if self.goal.startswith("above") else []
        return {"votes": np.array(votes), "right": np.array(right), "fixed": np.array(fixed)}

    def _draw(self, run: int) -> Problem:
        if redrawn(self.problem):
            return problem_of_run(self.problem, self.seed, run)
        return problem_of(self.problem)

    def _run(self, p: Floats, key: tuple[int, ...]) -> tuple[int, bool]:
        if self.way == ONE_BY_ONE:
            return find_winners(p, 3, key)
        planner = cpc_goal.init(len(p), goal=self.goal, delta=DELTA)
        if self.way == PLANNED:
            votes = run_planner(planner, p, key)
        else:
            in_turn = compile_kernel(ask_in_turn)
            votes = int(in_turn(planner, p, self.way == ELIMINATION, MOST, stream(*key, self.way)))
        return votes, votes >= MOST or is_right(planner, self.goal, p)


def run_planner(planner: GoalPlanner, p: Floats, key: tuple[int, ...]) -> int:
    """Let the planner ask until its goal is reached; return the votes."""
    algorithm, problem = cpc_goal.ALGORITHM, matrix_problem(PreferenceMatrix(p))
    ledger, k = new_ledger(np.array([MOST])), len(p)
    loop, room = loop_for(algorithm, problem, True), (np.zeros(k), np.zeros(k, np.int64))
    loop(planner, problem.world, *room, ledger, MOST, True, stream(*key, "votes"), stream(*key))
    return int(ledger.duels[0])


def is_right(planner: GoalPlanner, goal: str, p: Floats) -> bool:
    """Tell whether what is proved is so: no other beats more than one of the best few; the sides of the baseline."""
    truth = (p > 0.5).sum(axis=1)
    if goal.startswith("top"):
        return bool(truth[planner.chosen].min() >= truth[~planner.chosen].max())
    b = int(planner.proof.goal[NUMBER])
    beats = planner.proof.evidence[:, b] >= planner.proof.levels[EXACT]
    return bool((beats == (p[:, b] > 0.5)).all())


def find_winners(p: Floats, number: int, key: tuple[int, ...]) -> tuple[int, bool]:
    """Prove a winner, then one of the rest, and so on, each with its share of delta; return votes, and whether all are."""
    rest, total, right = np.arange(len(p)), 0, True
    wins = ties = np.zeros(p.shape, np.int64)
    for turn in range(number):
        start = Start(wins, ties, delta=DELTA / number)
        world = p[np.ix_(rest, rest)]
        race = PlannedRace(start, world, np.zeros(world.shape), (*key, turn))
        race.run(MOST - total)
        total += race.votes
        if not race.is_proved:
            return MOST, right
        winner, scores = int(race.state.champion[0]), (world > 0.5).sum(axis=1)
        right = right and bool(scores[winner] == scores.max())
        kept = np.arange(len(rest)) != winner
        wins, ties = (counts[np.ix_(kept, kept)] for counts in race.counts())
        rest = rest[kept]
    return total, right


@kernel
def ask_in_turn(planner, p, eliminate, most, noise):
    """Ask all pairs in turn until the goal is reached, or those that may still matter; return the votes."""
    k, votes = len(planner.order), 0
    while True:
        before = votes
        for i in range(k):
            for j in range(i + 1, k):
                if planner.proof.proved[0] or votes >= most:
                    return votes
                if not eliminate or matters(planner, i, j):
                    won = int(noise.random() < p[i, j])
                    take_in(planner, i, j, won, 1 - won, 0)
                    votes += 1
        if votes == before:
            return most


@kernel
def matters(planner, i, j):
    """Tell whether a pair is open, and one of the two neither sure to be one of the best few nor ruled out."""
    at, evidence = levels_of(planner.proof), planner.proof.evidence
    highest = max(win_level(at, len(planner.order) - 2), loss_level(at))
    if max(evidence[i, j], evidence[j, i]) >= highest:
        return False
    return is_unsettled(planner, i) or is_unsettled(planner, j)


@kernel
def is_unsettled(planner, i):
    """Tell whether an option may be one of the best few, and may not be."""
    higher, lower = 0, 0
    least, most = planner.proof.lower, planner.proof.upper
    for j in range(len(planner.order)):
        if j != i:
            higher += int(most[j] > least[i])
            lower += int(least[j] >= most[i])
    m = planner.proof.goal[NUMBER]
    return higher >= m and lower < m


def fixed_votes(p: Floats) -> float:
    """Return what it takes to test each pair with option 0, with n fixed beforehand for the smallest of the gaps.

    The tests are two-sided at the same joint error (Bonferroni), with the usual power.
    """
    others = len(p) - 1
    gap = float(abs(p[0, 1:] - 0.5).min())
    far = norm.isf(DELTA / others / 2) / 2 + norm.ppf(POWER) * math.sqrt(0.25 - gap * gap)
    return others * math.ceil((far / gap) ** 2)


def measure_goals(runs: int = RUNS) -> Iterator[tuple[GoalRuns, Arrays]]:
    """Yield all that is measured, and what came of it."""
    tasks = [GoalRuns(problem, "top:3", way, runs) for problem in PROBLEMS for way in WAYS]
    tasks += [
        GoalRuns(problem, "above:0", PLANNED, runs) for problem in PROBLEMS if "20" in problem
    ]
    yield from zip(tasks, finish(tasks, FOLDER), strict=True)


def goals() -> Iterator[str]:
    """The votes to the best three, and to who is better than a baseline."""
    found = list(measure_goals())
    yield "## Votes to the best three, and to a baseline"
    yield (
        f"Means of {RUNS} runs, delta = {DELTA}, {MOST:,} votes at most. *planned* is `cpc-pac:goal=top:3`. *three winners* proves a "
        "winner, then one of the rest, and one of what is left, each with a third of delta. The others ask all pairs "
        "in turn until the same certificate holds: *elimination* only those that may still matter."
    )
    yield ""
    yield f"| problem | {' | '.join(WAYS)} | planned / three winners | wrong |"
    yield "|---|---|---|---|---|---|---|"
    ratios = []
    for problem in PROBLEMS:
        top = {t.way: a for t, a in found if t.problem == problem and t.goal == "top:3"}
        means = [float(top[way]["votes"].mean()) for way in WAYS]
        ratios.append(means[0] / means[1])
        wrong = int((~top[PLANNED]["right"]).sum())
        votes = " | ".join(f"{mean:,.0f}" for mean in means)
        yield f"| `{problem}` | {votes} | {ratios[-1]:.2f} | {wrong} |"
    yield ""
    yield f"The median ratio is {np.median(ratios):.2f}, the largest {max(ratios):.2f}."
    yield ""
    yield (
        "Who is better than option 0, of 20 options (`cpc-pac:goal=above:0`), against a test of each pair with n fixed "
        f"beforehand for the smallest gap: two-sided, .05/19 each, power {POWER}."
    )
    yield ""
    yield "| problem | planned | fixed n | mean of the ratios | wrong |"
    yield "|---|---|---|---|---|"
    for task, runs in found:
        if task.goal == "above:0":
            ratio = float((runs["votes"] / runs["fixed"]).mean())
            means = f"{runs['votes'].mean():,.0f} | {runs['fixed'].mean():,.0f}"
            yield f"| `{task.problem}` | {means} | {ratio:.2f} | {int((~runs['right']).sum())} |"
    yield ""
    yield (
        "On `order-20-0.1` all gaps are equal, so n is right for each pair. But the tests leave a fifth of the pairs open, "
        "and the planner none."
    )
