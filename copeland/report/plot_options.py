"""The choices of a figure of a simulation: scales, width, bands, whose curves, and the lower bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from copeland.errors import CopelandError, InvalidParameter, Undefined
from copeland.problems import load, problem_of, redrawn
from copeland.report.document import SIZES, Size
from copeland.simulation.runs import BOUNDED, Curves, Runs
from copeland.support.phrasing import some
from copeland.theory.lower_bounds import lower_regret

SCALES = ("linear", "log")
SPREADS = {
    "quantiles": "the middle 90 % of them",
    "errors": "two standard errors of it",
    "none": "",
}
BY = ("algorithm",)


class PlotOptions(NamedTuple):
    """The choices of :func:`copeland.plot`."""

    yscale: str = "linear"
    xscale: str = "log"
    width: str = "double"
    spread: str = "quantiles"
    by: str | None = None
    algorithms: str | Sequence[str] | None = None

    @property
    def size(self) -> Size:
        """Its width and letters."""
        return SIZES[self.width]


LOOK = PlotOptions()


def check_look(look: PlotOptions) -> PlotOptions:
    """Return the same, or refuse what there is not."""
    choices = {"yscale": SCALES, "xscale": SCALES, "width": tuple(SIZES), "spread": tuple(SPREADS)}
    for what, known in (choices | ({} if look.by is None else {"by": BY})).items():
        if getattr(look, what) not in known:
            value = getattr(look, what)
            raise InvalidParameter(f"{what} is {value!r}; choose {' or '.join(known)}.")
    return look


def choose_curves(runs: Runs, look: PlotOptions) -> list[tuple[int, Curves]]:
    """Return the curves to draw with their places among all, by which they are coloured."""
    placed, algorithms = list(enumerate(runs.curves)), look.algorithms
    if algorithms is None:
        return placed
    wanted = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    for name in wanted:
        if not any(name in (curve.label, curve.name) for curve in runs.curves):
            there = some([curve.label for curve in runs.curves])
            raise InvalidParameter(
                f"algorithms has {name!r}, which was not run; there are {there}."
            )
    found = [(at, curve) for at, curve in placed if {curve.label, curve.name} & set(wanted)]
    if not found:
        raise InvalidParameter("algorithms names none; name at least one, or leave it out.")
    return found


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
