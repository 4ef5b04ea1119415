"""How a figure of a simulation shall look: its scales, its width, its bands, and whose curves it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from copeland.errors import InvalidParameter
from copeland.report.styles import SIZES, Size
from copeland.simulation.runs import Curves, Runs
from copeland.support.phrasing import some

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
    _choose("yscale", look.yscale, SCALES)
    _choose("xscale", look.xscale, SCALES)
    _choose("width", look.width, tuple(SIZES))
    _choose("spread", look.spread, tuple(SPREADS))
    if look.by is not None:
        _choose("by", look.by, BY)
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


def _choose(what: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise InvalidParameter(f"{what} is {value!r}; choose {' or '.join(choices)}.")
