"""The least regret that theory allows on the problem of a simulation."""

from __future__ import annotations

from copeland.errors import CopelandError, InvalidParameter, Undefined
from copeland.problems import load, problem_of, redrawn
from copeland.simulation.runs import BOUNDED, Runs
from copeland.theory.lower_bounds import lower_regret


def lower_bound_of(problem: str, regret: str) -> float:
    """Return the least regret for each ln t of a problem by its name or file; say why, if there is none."""
    if regret not in BOUNDED:
        raise Undefined(f"it holds for regret by Definition 1, not for {regret}.")
    if redrawn(problem):
        raise Undefined("the problem is redrawn for each run; name a seed.")
    return lower_regret(load(problem))


def least_regret(runs: Runs) -> float:
    """Return the least regret for each ln t on the problem of a simulation, found again by its name."""
    try:
        limit = lower_bound_of(runs.problem, runs.regret)
        same = problem_of(runs.problem).key == runs.key
    except (CopelandError, OSError) as reason:
        raise InvalidParameter(
            f"lower_bound is True, but there is no lower bound: {reason}"
        ) from None
    if not same:
        raise InvalidParameter(
            f"lower_bound is True, but {runs.problem} is not the problem that was run; give the number "
            "that copeland.limits.lower_regret returns for its matrix."
        )
    return limit
